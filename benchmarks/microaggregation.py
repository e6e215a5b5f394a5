"""MDAV against sdcMicro's C++, measured on a machine of the same kind."""

from __future__ import annotations

from collections.abc import Iterator

import gyges as gy
from benchmarks.partition import adult
from benchmarks.ratio import Ratio, against, real_data
from gyges.search import microaggregation

SIX = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")


def rows() -> Iterator[Ratio]:
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
