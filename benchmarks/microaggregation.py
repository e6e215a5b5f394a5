"""MDAV against sdcMicro's C++, measured on a machine of the same kind; losses of all algorithms."""

from __future__ import annotations

import gzip
import io
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

import gyges as gy
from benchmarks.partition import adult
from benchmarks.ratio import Ratio, against, real_data
from gyges.data.cells import Cells
from gyges.search import microaggregation
from gyges.search.centroids import information_loss
from gyges.search.microaggregation_best import Algorithm

SIX = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")


def rows() -> Iterator[Ratio | str]:
    folder = real_data()
    if folder is None:
        return
    columns = adult(folder)
    kept = {name: columns[name] for name in (*SIX, "occupation")}
    schema = gy.Schema(quasi_identifiers=SIX, sensitive="occupation")
    cells = gy.read(kept, schema).cells
    yield against(
        "MDAV, groups of 5, 45,222 rows × 6 numbers: sdcMicro",
        lambda: microaggregation.search(cells, gy.KAnonymity(5), algorithm="mdav"),
        9.3,
        "< 1",
        times=1,
    )
    yield from _losses(folder)


def _losses(folder: Path) -> Iterator[str]:
    """Information loss on the reference tables, in percent."""
    for name in ("census", "tarragona", "eia"):
        with gzip.open(folder / f"casc_{name}.csv.gz") as file:
            table = pyarrow.csv.read_csv(io.BytesIO(file.read()))
        names = table.column_names
        kinds = dict.fromkeys(names, "number")
        schema = gy.Schema(quasi_identifiers=names, kinds=kinds, sensitive="value")
        table = table.append_column("value", pa.array([f"{i % 2}" for i in range(len(table))]))
        cells = gy.read(table, schema).cells
        for k in (3, 4, 5, 10):
            yield f"{name}, k = {k}: " + ", ".join(
                _timed_loss(cells, k, algorithm) for algorithm in ("mdav", "best")
            )


def _timed_loss(cells: Cells, k: int, algorithm: Algorithm) -> str:
    start = time.perf_counter()
    found = microaggregation.search(cells, gy.KAnonymity(k), algorithm=algorithm)
    seconds = time.perf_counter() - start
    return f"{algorithm} {100 * information_loss(found):.3f} % ({seconds:.2f} s)"
