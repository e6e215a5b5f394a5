"""Record linkage by distance against its definition, by person and by permutation."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.compared_rows import compared
from gyges.adversaries.distance_linkage import (
    gower_distances,
    linked_by_assignment,
    linked_to_nearest,
)
from gyges.engines.frames import open_frame
from tests.oracles.three_risks import gower, nearest, spans_of

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
ROW = st.tuples(st.sampled_from([0, 1, 2, 4, None]), st.sampled_from("ab"))
KINDS = ["line", "equal"]


@st.composite
def pairs(draw):
    n = draw(st.integers(1, 5))
    rows = st.lists(ROW, min_size=n, max_size=n)
    fixed = [(0, "a"), (4, "b")]  # so that both tables have all texts, and a range
    return draw(rows) + fixed, draw(rows) + fixed


def coded(released, people):
    frames = [
        pd.DataFrame(rows, columns=["n", "town"]).astype({"n": "Int64"})
        for rows in (released, people)
    ]
    return compared(*(open_frame(f)[0].rows for f in frames), names=["n", "town"])


@given(pairs())
def test_a_nearest_row_is_taken_at_random(pair):
    released, people = pair
    both, spans = coded(released, people), spans_of(pair, KINDS)
    true_row = np.arange(len(people))
    found = linked_to_nearest(both.released, both.original, true_row)
    for person, row in enumerate(people):
        near = nearest(row, released, [0, 1], KINDS, spans)
        right = [released[place] == released[person] for place in near]
        own = sum(one == released[person] for one in released)
        expected = Fraction(sum(right), len(near) * own) if any(right) else 0
        assert found[person] == pytest.approx(float(expected))


@given(pairs())
def test_an_assignment_has_the_least_sum_of_all(pair):
    released, people = pair
    both, spans = coded(released, people), spans_of(pair, KINDS)
    far = [[gower(one, row, KINDS, spans) for row in released] for one in people]
    assert gower_distances(both.original, both.released) == pytest.approx(
        np.array(far, dtype=np.float64)
    )
    n = len(people)
    sums = {p: sum(far[i][p[i]] for i in range(n)) for p in permutations(range(n))}
    least = min(sums.values())
    rng = np.random.default_rng(0)
    found = linked_by_assignment(both.released, both.original, np.arange(n), rng=rng)
    possible = [
        [float(released[p[i]] == released[i]) / released.count(released[i]) for i in range(n)]
        for p, total in sums.items()
        if total == least
    ]
    assert any(found == pytest.approx(np.array(one)) for one in possible)


def test_the_order_of_the_rows_chooses_nothing():
    """Everybody is equally far from all rows: the order alone would link all of them."""
    released = pd.DataFrame({"x": range(40), "y": range(39, -1, -1)})
    people = pd.DataFrame({"x": [0] * 40, "y": [0] * 40})
    both = compared(*(open_frame(f)[0].rows for f in (released, people)), names=["x", "y"])
    found = linked_by_assignment(
        both.released, both.original, np.arange(40), rng=np.random.default_rng(0)
    )
    assert found.sum() < 10


def test_a_copy_in_the_same_order_links_everybody_and_a_shuffled_one_by_chance():
    people = pd.DataFrame({"n": range(50), "town": ["a", "b"] * 25})
    shuffled = people.sample(frac=1, random_state=1).reset_index(drop=True)
    for table, expected in ((people, 50), (shuffled, (shuffled["n"] == people["n"]).sum())):
        found = gy.audit(table, original=people, same_order=True)
        said = [f for f in found.findings if f.attacker == "distance linkage"]
        assert [f.number for f in said] == [expected / 50] * 2 and len(said) == 2
        assert all(f.interval is None for f in said)
    assert not [
        f for f in gy.audit(people, original=people).findings if f.attacker == "distance linkage"
    ]
    short = gy.audit(people[:40], original=people, same_order=True)
    [one] = [f for f in short.findings if f.attacker == "distance linkage"]
    assert not one.is_checked and "another number of rows" in one.sentence


def test_microaggregated_groups_hide_who_is_who_at_least_to_one_in_k():
    rng = np.random.default_rng(3)
    people = pd.DataFrame({"x": rng.normal(size=120).round(3), "y": rng.normal(size=120).round(3)})
    table = gy.read(people, gy.Schema(quasi_identifiers=["x", "y"]))
    release = gy.publish(table, gy.KAnonymity(4), method="microaggregation")
    nearest_row, assigned = (
        f for f in gy.audit(release).findings if f.attacker == "distance linkage"
    )
    assert 0.1 < nearest_row.number <= 0.25 and 0.1 < assigned.number <= 0.25
    assert "By chance it would be 0.8" in nearest_row.sentence


def test_the_known_share_of_census(real_data):
    """Groups of three at least: an attacker is right for one in three at most, and comes near."""
    people = pd.read_csv(real_data / "casc_census.csv.gz")
    table = gy.read(people, gy.Schema(quasi_identifiers=list(people.columns)))
    release = gy.publish(table, gy.KAnonymity(3), method="microaggregation", algorithm="mdav")
    nearest_row, assigned = (
        f for f in gy.audit(release).findings if f.attacker == "distance linkage"
    )
    assert 0.2 < nearest_row.number <= 1 / 3 and 0.2 < assigned.number <= 1 / 3
