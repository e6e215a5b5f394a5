"""The classical criteria on the real Adult table, counting included, against peers' figures.

The peers' figures were measured on a machine of this kind (CPU seconds): pycanon 2.8 for
distinct l, 9.6 for entropy l, 61.5 for t; sdcMicro's compiled l-diversity 0.02.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

import gyges as gy
from benchmarks.adult import SEVEN, adult, adult_schema
from benchmarks.ratio import Ratio, against, real_data
from gyges.release.groups_of_cells import groups_of_cells

PYCANON = 2.8 + 9.6 + 61.5
SDCMICRO = 0.02


def rows() -> Iterator[Ratio]:
    folder = real_data()
    if folder is None:
        return
    people = adult(folder).select([*SEVEN, "occupation"])
    rules = [
        gy.KAnonymity(2),
        gy.DistinctDiversity(2),
        gy.EntropyDiversity(2),
        gy.RecursiveDiversity("2", 2),
        gy.ProbabilisticDiversity(2),
        gy.TCloseness("0.2"),
        gy.TCloseness("0.2", ground="ordered"),
    ]

    def count() -> gy.Groups:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = gy.read(people, adult_schema())
        cells = table.cells
        return groups_of_cells(cells, np.arange(len(cells)))

    groups = count()
    yield against(
        f"seven criteria on Adult, {len(groups):,} groups, against pycanon's three",
        lambda: gy.judge(rules, count()),
        PYCANON,
        "≥ 100× faster",
    )
    yield against(
        "distinct l-diversity of counted groups, against sdcMicro",
        lambda: gy.judge(
            [gy.DistinctDiversity(2)], groups_of_cells(groups.cells, groups.group_of_cell)
        ),
        SDCMICRO,
        "≤ 1",
    )
    yield against(
        "counting and distinct l-diversity, against sdcMicro's l-diversity",
        lambda: gy.judge([gy.DistinctDiversity(2)], count()),
        SDCMICRO,
        "≤ 1",
    )
