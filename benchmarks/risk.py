"""What every attacker learns from a release of five million people in memory, against its search.

Nobody's row is looked at: the partition says how many people of each cell are in each group.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

import gyges as gy
from benchmarks.ratio import Ratio, side_by_side

N_PEOPLE = 5_000_000


def people() -> pa.Table:
    """Some 2,400 combinations of age, zip and sex, and fourteen diseases."""
    rng = np.random.default_rng(5)
    zips = pa.array([f"{place:05}" for place in range(10_000, 10_012)])
    diseases = pa.array([f"disease {place}" for place in range(14)])
    columns = {
        "age": pa.array(np.clip(rng.gamma(4.2, 11.0, N_PEOPLE), 0, 99).astype(np.int16)),
        "zip": zips.take(pa.array(rng.integers(0, 12, N_PEOPLE))),
        "sex": pa.array(["F", "M"]).take(pa.array(rng.integers(0, 2, N_PEOPLE))),
        "disease": diseases.take(pa.array(rng.integers(0, 14, N_PEOPLE))),
    }
    return pa.table(columns)


def rows() -> Iterator[Ratio]:
    schema = gy.Schema(
        quasi_identifiers=["age", "zip", "sex"],
        sensitive="disease",
        hierarchies={"age": gy.Hierarchy.intervals(5, 10, 20, 40), "zip": gy.Hierarchy.prefixes()},
    )
    made = people()
    release = gy.publish(gy.read(made, schema), [gy.KAnonymity(5), gy.DistinctDiversity(3)])
    yield side_by_side(
        "every attacker on 5 million people in memory, against counting the table",
        lambda: gy.audit(release, utility=False),
        lambda: gy.read(made, schema),
        "≤ 3",
        times=2,
    )
