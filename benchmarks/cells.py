"""Cells of five million rows against the engine's own GROUP BY of the same columns."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import gyges as gy
from benchmarks.ratio import Ratio, side_by_side

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 5_000_000
COLUMNS = ["age", "zip", "sex", "disease"]
SCHEMA = gy.Schema(quasi_identifiers=COLUMNS[:3], sensitive="disease")


def rows() -> Iterator[Ratio]:
    """Yield one ratio from Parquet and one from memory, for fewer and for more cells."""
    for n_zips in (20, 100):
        people = _people(n_zips)
        with tempfile.TemporaryDirectory() as folder:
            yield from _ratios(people, Path(folder) / "people.parquet")


def _ratios(people: pa.Table, path: Path) -> Iterator[Ratio]:
    import duckdb
    import pyarrow.parquet

    pyarrow.parquet.write_table(people, path)
    engine = duckdb.connect()

    def group_by(source: duckdb.DuckDBPyRelation) -> pa.Table:
        names = ", ".join(COLUMNS)
        return source.aggregate(f"{names}, count(*) AS n", names).to_arrow_table()

    n_cells = f"{len(gy.read(path, SCHEMA).cells.value_codes):,}"
    yield side_by_side(
        f"cells of 5 million rows × 4 columns from Parquet ({n_cells} distinct) : DuckDB",
        lambda: gy.read(path, SCHEMA),
        lambda: group_by(engine.read_parquet(str(path))),
        goal="≤ 1.3",
    )
    yield side_by_side(
        f"the same from an Arrow table in memory ({n_cells} distinct) : DuckDB on it",
        lambda: gy.read(people, SCHEMA),
        lambda: group_by(engine.from_arrow(people)),
        goal="≤ 1.3",
    )


def _people(n_zips: int) -> pa.Table:
    """People of 74 ages, two sexes, some zips and 40 diseases of which some are rare."""
    import pyarrow as pa

    rng = np.random.default_rng(20)
    zips = np.array([f"{place:05d}" for place in rng.choice(99_999, n_zips, replace=False)])
    diseases = np.array([f"disease {place}" for place in range(40)])
    rare = np.minimum(rng.exponential(8.0, ROWS).astype(np.int64), 39)
    return pa.table(
        {
            "age": pa.array(rng.integers(17, 91, ROWS), pa.int32()),
            "zip": zips[rng.integers(0, n_zips, ROWS)],
            "sex": np.array(["F", "M"])[rng.integers(0, 2, ROWS)],
            "disease": diseases[rare],
        }
    )
