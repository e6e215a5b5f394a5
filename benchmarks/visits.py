"""Counting five million visits of a million people against as many rows with a person in each."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import gyges as gy
from benchmarks.ratio import Ratio, side_by_side

if TYPE_CHECKING:
    import pyarrow as pa

ROWS, PEOPLE = 5_000_000, 1_000_000
QUASI = ["age", "zip", "sex"]
GOAL = "≤ 2"


def rows() -> Iterator[Ratio]:
    """Yield a ratio for each meaning that several rows of a person may have."""
    alone = gy.Schema(person="patient", quasi_identifiers=QUASI, sensitive="disease")
    meanings = {
        "a set of values per person": {"values_per_person": "set"},
        "the last row of each person": {"keep_row": "last", "keep_row_by": "day"},
        "all rows of each person": {"values_per_person": "set", "rows_per_person": "all"},
    }
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", gy.GygesError)
        warnings.simplefilter("ignore")
        one, visits, moving = (Path(folder) / f"{name}.parquet" for name in ("one", "vis", "mov"))
        _write(_table(np.arange(ROWS), np.arange(ROWS)), one)
        who = np.random.default_rng(7).permutation(np.arange(ROWS) % PEOPLE)
        _write(_table(who, who), visits)
        _write(_table(who, np.arange(ROWS)), moving)
        for name, meaning in meanings.items():
            schema = gy.Schema(
                person="patient", quasi_identifiers=QUASI, sensitive="disease", **meaning
            )
            path = visits if name.startswith("a set") else moving
            yield side_by_side(
                f"5 million visits of a million people, {name} : one row each (CPU)",
                lambda path=path, schema=schema: gy.read(path, schema),
                lambda: gy.read(one, alone),
                goal=GOAL,
                times=2,
                clock=time.process_time,
            )


def _write(table: pa.Table, path: Path) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(table, path)


def _table(who: np.ndarray, seed: np.ndarray) -> pa.Table:
    """Rows whose age, zip and sex depend on `seed`: a person's own, or each row's."""
    import pyarrow as pa

    rng = np.random.default_rng(3)
    ages, zips, sexes = (rng.integers(0, most, ROWS) for most in (74, 20, 2))
    return pa.table(
        {
            "patient": pa.array(who, pa.int64()),
            "day": pa.array(np.arange(ROWS), pa.int32()),
            "age": pa.array(17 + ages[seed], pa.int32()),
            "zip": np.array([f"{place:05d}" for place in range(20)])[zips[seed]],
            "sex": np.array(["F", "M"])[sexes[seed]],
            "disease": np.array([f"disease {n}" for n in range(40)])[rng.integers(0, 40, ROWS)],
        }
    )
