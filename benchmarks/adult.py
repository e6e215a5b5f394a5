"""The real Adult table for the benchmarks that use it; this file has no rows of its own."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv

import gyges as gy
from benchmarks.ratio import Ratio

SEVEN = [
    "age",
    "marital-status",
    "race",
    "sex",
    "workclass",
    "education",
    "native-country",
]


def adult(folder: Path) -> pa.Table:
    """The 45,222 people without a missing value, every column as text."""
    with gzip.open(folder / "adult.csv.gz") as file:
        text = io.BytesIO(file.read())
    names = text.readline().decode().strip().split(",")
    text.seek(0)
    options = pyarrow.csv.ConvertOptions(column_types={name: pa.string() for name in names})
    rows = pyarrow.csv.read_csv(text, convert_options=options)
    for name in ("workclass", "occupation", "native-country"):
        rows = rows.filter(pa.compute.not_equal(rows.column(name), "?"))
    return rows


def adult_schema(quasi: list[str] = SEVEN) -> gy.Schema:
    """Occupation is sensitive."""
    return gy.Schema(quasi_identifiers=quasi, sensitive="occupation")


def rows() -> Iterator[Ratio]:
    """Nothing to time here."""
    yield from ()
