"""Batches of a search are the groups that counting the cells afresh would give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.release.groups_of_cells import groups_of_cells
from gyges.search import mondrian
from gyges.search.batch import Counter
from gyges.search.items import items_of_entries
from gyges.search.levels import Segments
from tests.search.made import make_cells, number, some_cells


def assert_same(one, other):
    for name in ("sizes", "starts", "value_codes", "value_counts", "value_totals"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist(), name
    assert one.values == other.values and one.values_per_person == other.values_per_person
    assert one.cells is other.cells
    assert cell_sets(one) == cell_sets(other)


def cell_sets(groups):
    """The cells of each group; they may be listed in any order, each once."""
    lists = [groups.cells_by_group[g].tolist() for g in range(len(groups))]
    assert all(len(set(cells_)) == len(cells_) for cells_ in lists)
    return [set(cells_) for cells_ in lists]


def both(cells, first):
    """Groups of cells that follow each other, each from `first` on: as a batch, and afresh."""
    widths = np.maximum(np.diff(cells.starts), 1)  # items of each cell, in the order of the cells
    ends = np.cumsum(widths)
    last = np.append(first[1:], len(cells)) - 1
    parts = Segments(
        totals=np.add.reduceat(cells.people, first),
        bounds=np.zeros((len(first), 2 * len(cells.domains)), dtype=np.int64),
        starts=(ends - widths)[first],
        ends=ends[last],
    )
    group_of_cell = np.searchsorted(first, np.arange(len(cells)), side="right") - 1
    return (
        Counter.of(cells).batch(items_of_entries(cells), parts),
        groups_of_cells(cells, group_of_cell, len(first)),
    )


@pytest.mark.parametrize("values_per_person", ["one", "set", "multiset"])
@given(data=st.data())
def test_a_batch_counts_what_its_cells_hold(values_per_person, data):
    cells = data.draw(some_cells(values_per_person=values_per_person))
    n_groups = data.draw(st.integers(1, len(cells)))
    cuts = np.sort(data.draw(st.permutations(range(1, len(cells))))[: n_groups - 1]).astype(int)
    first = np.append(0, cuts)
    batch, fresh = both(cells, first)
    assert_same(batch, fresh)
    chosen = data.draw(st.permutations(range(len(first))))[: max(len(first) - 1, 1)]
    assert_same(batch.take(chosen), fresh.take(chosen))


@given(seed=st.integers(0, 10_000), n_values=st.integers(1, 5), n_cells=st.integers(40, 200))
def test_groups_of_many_items_and_few_values(seed, n_values, n_cells):
    """They are counted in two tallies at once."""
    rng = np.random.default_rng(seed)
    rows = [(i,) for i in range(n_cells)]
    entries = [(row, int(rng.integers(n_values)), int(rng.integers(1, 4))) for row in rows]
    people = [count for _, _, count in entries]
    cells = make_cells([number("q", range(n_cells))], rows, people, entries, n_values=n_values)
    first = np.flatnonzero(np.append(True, rng.random(n_cells - 1) < 3 / n_cells))
    assert_same(*both(cells, first))


@dataclass(frozen=True)
class Apart:
    """Cells 2 and 7 are in no group together: a local rule that asks where cells are."""

    is_monotone: ClassVar[bool] = False
    is_local: ClassVar[bool] = True

    def holds_each(self, groups):
        holds = np.ones(len(groups), dtype=bool)
        for group in range(len(groups)):
            inside = groups.cells_by_group[group]
            holds[group] = len(groups) == 1 or not {2, 7} <= set(inside.tolist())
        return holds

    def summarize(self, groups):
        return bool(self.holds_each(groups).all())

    def merge(self, one, other):
        return one and other

    def holds(self, summary):
        return summary

    def risk(self, summary):
        return int(not summary)

    def risks(self, groups):
        return (~self.holds_each(groups)).astype(float)


def test_rules_may_ask_where_each_cell_is():
    """As beliefs do, which look up the priors of a group's people by their cells."""
    rows = [(i,) for i in range(12)]
    entries = [(row, i % 3, 2) for i, row in enumerate(rows)]
    cells = make_cells([number("q", range(12))], rows, [2] * 12, entries)
    found = mondrian.search(cells, [gy.KAnonymity(4), Apart()])
    assert found.group_of_cell[2] != found.group_of_cell[7]
    assert found.n_groups == mondrian.search(cells, gy.KAnonymity(4)).n_groups
