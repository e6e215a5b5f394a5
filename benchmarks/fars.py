"""The real FARS table for the benchmarks that use it; this file has no rows of its own."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

import gyges as gy
from benchmarks.ratio import Ratio


def fars(folder: Path) -> gy.Table:
    """FARS: 100,937 people in eight columns."""
    rows = pyarrow.csv.read_csv(folder / "fars_int.csv.gz")
    paths = {name: folder / f"hierarchies/fars/{name}.csv" for name in rows.column_names}
    return with_hierarchies(rows, rows.column_names, paths, None)


def with_hierarchies(
    rows: pa.Table, columns: list[str], paths: dict[str, Path], sensitive: str | None
) -> gy.Table:
    """A table whose quasi-identifiers have hierarchies from files."""
    hierarchies = {name: gy.Hierarchy.from_csv(path) for name, path in paths.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gy.read(
            rows,
            gy.Schema(quasi_identifiers=columns, sensitive=sensitive, hierarchies=hierarchies),
        )


def rows() -> Iterator[Ratio]:
    """Nothing to time here."""
    yield from ()
