"""A skyline's cuts in one go against the same search step by step."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.cells import Cells, Domain
from gyges.data.values import Kind
from gyges.errors import NothingSafeError
from gyges.kernels import joining_minima as kernel
from gyges.search import mondrian, skyline_cuts
from tests.search.test_mondrian_larger_than_memory import (
    found_outside,
    people,
    room_for,
    shown,
)

# Many of these are met exactly by groups of a few people: then fractions must decide.
CONFIDENCES = ["1/2", "2/3", "3/4", "4/5", "5/6", "9/10", "10/11", "18/19", "1", "0.77"]


def cells_of(seed: int, n_people: int, n_values: int, n_codes: int) -> Cells:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_codes, (n_people, 3)).astype(np.int32)
    shares = rng.dirichlet(np.full(n_values, rng.choice([0.7, 3.0, 100.0])))
    values = rng.choice(n_values, n_people, p=shares).astype(np.int32)
    ones, here = np.ones(n_people, dtype=np.int64), np.ones(n_codes, dtype=bool)
    domains = [Domain(f"q{j}", Kind.NUMBER, tuple(range(n_codes)), here) for j in range(3)]
    names = tuple(f"v{v:02}" for v in range(n_values))
    return Cells.from_entries(
        domains=domains,
        codes=codes,
        people=ones,
        sensitive=Domain("s", Kind.CATEGORY, names, np.ones(n_values, dtype=bool)),
        entry_codes=codes,
        value_codes=values,
        value_counts=ones,
        values_per_person="one",
    )


points = st.tuples(
    st.integers(0, 3), st.integers(0, 4), st.integers(0, 3), st.sampled_from(CONFIDENCES)
)
policies = st.dictionaries(
    st.sampled_from(["*", "v00", "v01", "v02"]),
    st.lists(points, min_size=0, max_size=3),
    min_size=1,
    max_size=3,
)


def both(monkeypatch, cells, rules):
    """The groups found at once, and step by step; None where nothing is safe."""
    found = []
    for least_items in (0, 1 << 60):
        monkeypatch.setattr(skyline_cuts, "ITEMS_WORTH_A_KERNEL", least_items)
        try:
            found.append(mondrian.search(cells, rules, block=100).group_of_cell.tolist())
        except NothingSafeError:
            found.append(None)
    return found


@given(
    seed=st.integers(0, 2**32 - 1),
    n_people=st.integers(2, 400),
    n_values=st.integers(2, 7),
    n_codes=st.sampled_from([3, 12, 60]),
    policy=policies,
    k=st.integers(1, 4),
)
def test_the_groups_are_those_found_step_by_step(seed, n_people, n_values, n_codes, policy, k):
    with pytest.MonkeyPatch.context() as monkeypatch:
        cells = cells_of(seed, n_people, n_values, n_codes)
        rules = [gy.Skyline(policy), gy.KAnonymity(k)][: 2 if k > 1 else 1]
        at_once, step_by_step = both(monkeypatch, cells, rules)
        assert at_once == step_by_step


@pytest.mark.parametrize("point", [(0, 0, 1), (1, 1, 2), (0, 2, 3), (2, 1, 1)])
def test_what_rounding_leaves_open_is_settled_by_fractions(monkeypatch, point):
    """Confidences are those that an accepted release reaches exactly: strictly below is asked."""
    asked, answer = [], skyline_cuts._Rows.answer

    def noted(rows, question):
        asked.append(question[0])
        return answer(rows, question)

    monkeypatch.setattr(skyline_cuts._Rows, "answer", noted)
    cells = cells_of(5, 1500, 6, 40)
    release = mondrian.search(cells, gy.Skyline({"*": [(*point, "0.9")]})).groups
    reached = {gy.breach(release, v, *point).probability for v in release.values}
    for confidence in sorted(reached):
        rule = gy.Skyline({"*": [(*point, confidence)]})
        at_once, step_by_step = both(monkeypatch, cells, rule)
        assert at_once == step_by_step
    assert asked


def test_questions_of_each_kind_are_answered_as_step_by_step(monkeypatch):
    """Small tables and small whole limits: products and minima are often equal, or nearly."""
    kinds, answer = set(), skyline_cuts._Rows.answer

    def noted(rows, question):
        kinds.add(question[0])
        return answer(rows, question)

    monkeypatch.setattr(skyline_cuts._Rows, "answer", noted)
    for seed in range(120):
        cells = cells_of(seed, 200 + seed, 3 + seed % 4, 12)
        point = (seed % 2, seed % 3, 1 + seed % 3, Fraction(seed % 9 + 1, seed % 9 + 2))
        at_once, step_by_step = both(monkeypatch, cells, gy.Skyline({"*": [point]}))
        assert at_once == step_by_step
    assert kinds >= {kernel.IS_ABOVE_ALONE, kernel.IS_ABOVE_WITH_KNOWN}
    assert kinds >= {kernel.ORDER, kernel.ORDER_KNOWN}


def test_a_search_under_a_memory_limit_finds_the_same_groups(monkeypatch):
    """It finishes blocks one after another, each with the minima of those before."""
    rules = [gy.Skyline({"*": [(1, 2, 1, "0.9")]})]
    schema = gy.Schema(quasi_identifiers=["age", "town"], sensitive="disease")
    table = gy.read(people(7, 900, n_ages=60).drop_columns(["race"]), schema)
    expected = shown(mondrian.search(table.cells, rules, block=150))
    monkeypatch.setattr(skyline_cuts, "ITEMS_WORTH_A_KERNEL", 0)
    assert found_outside(table, rules, room_for(150, n_columns=2), block=150) == expected
