"""Random small tables in groups, with the values that every label covers, read aloud."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import gyges as gy
from gyges.utility.grouping import Grouping, ShownAs
from tests import strategies
from tests.oracles import utility as oracle

JOBS = {row[0]: row for row in strategies.HIERARCHIES["job"].rows}
QUASI = ["age", "pay", "job", "pet"]


@dataclass(frozen=True)
class Case:
    """A table, a group for each row, and `covered[group][column]`; levels if one for all."""

    columns: dict
    table: gy.Table
    group: list
    covered: dict
    levels: dict | None

    @property
    def grouping(self):
        return Grouping.of_rows(self.table, np.array(self.group), ShownAs(self.levels))

    @property
    def lists(self):
        return [self.columns[name] for name in [*QUASI, "disease"]]

    @property
    def covered_with_values(self):
        """The sensitive value is published as it is: what it covers is never asked."""
        return {g: [*sets, {None}] for g, sets in self.covered.items()}


EXACT = [False] * len(QUASI) + [True]


@st.composite
def cases(draw, max_rows=9):
    made = draw(strategies.columns(min_rows=2, max_rows=max_rows))
    n = len(made["age"])
    pay = st.sampled_from([0.1, 0.2, 0.7, 1e6, -3.5])
    made["pay"] = draw(st.lists(pay, min_size=n, max_size=n))
    schema = gy.Schema(
        quasi_identifiers=QUASI,
        sensitive="disease",
        hierarchies={"job": strategies.HIERARCHIES["job"]},
    )
    table = gy.read({name: made[name] for name in [*QUASI, "disease"]}, schema)
    if draw(st.booleans()):
        return _at_levels(draw, made, table)
    group = draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
    assume(any(g >= 0 for g in group))
    covered = {g: _narrowest(made, rows) for g, rows in oracle.members(group).items()}
    return Case(made, table, group, covered, None)


def _narrowest(made, rows):
    return [
        oracle.covered_number(made["age"], rows, made["age"]),
        oracle.covered_number(made["pay"], rows, made["pay"]),
        oracle.covered_category(made["job"], rows, JOBS),
        {made["pet"][row] for row in rows},
    ]


def _at_levels(draw, made, table):
    levels = {name: draw(st.integers(0, 1)) for name in QUASI}
    levels["job"] = draw(st.integers(0, 2))
    n = len(made["age"])

    def label(name, value):
        if name == "job":
            return JOBS[value][levels["job"]]
        return value if levels[name] == 0 else "*"

    keys = [tuple(label(name, made[name][row]) for name in QUASI) for row in range(n)]
    numbers = {key: place for place, key in enumerate(sorted(set(keys), key=repr))}
    group = [numbers[key] for key in keys]
    out = draw(st.integers(-1, len(numbers) - 2))
    group = [-1 if g == out else g for g in group]
    leaves = {**{name: set(made[name]) for name in QUASI}, "job": set(JOBS)}
    covered = {
        numbers[key]: [
            {leaf for leaf in leaves[name] if label(name, leaf) == key[place]}
            for place, name in enumerate(QUASI)
        ]
        for key in numbers
        if numbers[key] != out
    }
    return Case(made, table, group, covered, levels)
