"""Groups that only seemed safe while a search cut: in the end every one is certified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.base import JudgesEach, Unprepared, of_groups
from gyges.errors import NothingSafeError
from gyges.search.batch import Counter
from gyges.search.mondrian import search

pytestmark = pytest.mark.filterwarnings("ignore:everyone has the same value")


@of_groups
@dataclass(frozen=True)
class Seeming(Unprepared, JudgesEach):
    """Seems to hold wherever three people are, and holds unless a sum is a multiple of `p`."""

    p: int
    is_guess: ClassVar[bool] = True

    def may_hold(self, groups, first=None):
        return groups.sizes >= 3

    def holds_each(self, groups):
        sums = groups.counts @ np.arange(1, groups.counts.shape[1] + 1) + groups.sizes
        return (groups.sizes >= 3) & (sums % self.p != 0)

    def summarize(self, groups):
        return bool(self.holds_each(groups).all())

    def merge(self, one, other):
        return one and other

    def risk(self, summary):
        return int(not summary)

    def holds(self, summary):
        return summary

    def risks(self, groups):
        return (~self.holds_each(groups)).astype(float)

    def __str__(self):
        return f"no sum is a multiple of {self.p}"


@st.composite
def tables(draw):
    """Some forty people by age and place, the places in a hierarchy."""
    n = draw(st.integers(3, 60))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    tree = gy.Hierarchy.from_tree({"N": ["a", "b"], "S": ["c", "d", "e"]})
    schema = gy.Schema(
        quasi_identifiers=["age", "place"], sensitive="disease", hierarchies={"place": tree}
    )
    columns = {
        "age": rng.integers(0, 15, n).tolist(),
        "place": rng.choice(list("abcde"), n).tolist(),
        "disease": rng.choice(list("xyz"), n).tolist(),
    }
    return gy.read(columns, schema)


@given(table=tables(), p=st.integers(2, 6), beside=st.sampled_from(["", "local", "global"]))
def test_every_group_is_certified_or_nothing_is_safe(table, p, beside):
    rule = Seeming(p)
    others = {"local": [gy.KAnonymity(4)], "global": [gy.Safety("0.95", 1)]}.get(beside, [])
    try:
        found = search(table.cells, [rule, *others]).groups
    except NothingSafeError:
        everybody = Counter.of(table.cells).everybody()
        assert not gy.judge([rule, *others], everybody).safe
        return
    assert rule.holds_each(found).all() and gy.judge([rule, *others], found).safe
    assert found.sizes.sum() == table.cells.n_people


def test_groups_are_still_cut_where_most_of_them_are_certified():
    """Three of four groups hold: the search ends with many groups, none of them a wrong one."""
    rng = np.random.default_rng(5)
    schema = gy.Schema(quasi_identifiers=["age", "height"], sensitive="disease")
    columns = {"age": rng.integers(0, 60, 900), "height": rng.integers(0, 60, 900)}
    columns["disease"] = rng.choice(list("xyz"), 900)
    table = gy.read(columns, schema)
    rule = Seeming(4)
    found = search(table.cells, rule).groups
    assert rule.holds_each(found).all() and len(found) > 100
