"""m-invariance: against comparing every two releases, person by person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.m_invariance import MInvariance, m_invariance
from gyges.errors import RuleError
from tests.oracles import composition

SIGNATURES = ["ab", "bc", "abc", "ac"]


@st.composite
def sequences(draw):
    """Releases whose groups mostly hold a known set of values, so that many are invariant."""
    made = []
    for _ in range(draw(st.integers(1, 3))):
        free = [f"p{i}" for i in range(6)]
        release = []
        for _ in range(draw(st.integers(1, 3))):
            values = draw(
                st.sampled_from([*SIGNATURES, "aa"])
                if draw(st.integers(0, 9)) == 0
                else st.sampled_from(SIGNATURES)
            )
            if len(values) > len(free):
                break
            people = draw(st.permutations(free))[: len(values)]
            free = [p for p in free if p not in people]
            release.append(list(zip(people, values, strict=True)))
        made.append(release)
    return made


def as_groups(release):
    return gy.Groups.from_lists(
        [[value for _, value in group] for group in release],
        members=[[person for person, _ in group] for group in release],
    )


@given(made=sequences(), m=st.integers(1, 3))
def test_a_sequence_agrees_with_comparing_every_two_releases(made, m):
    verdict = m_invariance([as_groups(release) for release in made], m)

    assert verdict.safe == composition.is_m_invariant(made, m)
    assert verdict.safe == (not verdict.failures)


@given(made=sequences(), m=st.integers(1, 3))
def test_an_invariant_sequence_survives_the_intersection_and_the_joint_attack(made, m):
    """The point of it: joining the releases takes nothing away, and m values stay possible."""
    groups = [as_groups(release) for release in made]
    if m_invariance(groups, m).safe:
        people = sorted({p for release in made for group in release for p, _ in group})
        attack = gy.intersection_attack(groups, people)
        assert (attack.drop == 0).all() and (attack.posterior >= m).all()
        joint = gy.intersection_attack(groups, people, joint=True)  # values may contradict
        assert ((joint.n_shown == attack.posterior) | joint.contradicted).all()


@given(made=sequences(), m=st.integers(1, 3))
def test_parts_merge_to_the_whole(made, m):
    groups = as_groups(made[-1])
    rule = MInvariance(m, earlier=[as_groups(release) for release in made[:-1]])
    parts = [rule.summarize(groups.take([g])) for g in range(len(groups))]
    merged = rule.summarize(groups.take([]))
    for part in parts:
        merged = rule.merge(merged, part)

    assert merged == rule.summarize(groups)
    assert rule.holds_each(groups).tolist() == [rule.holds(part) for part in parts]
    assert rule.risks(groups).tolist() == parts


def test_a_group_that_is_large_enough_but_repeats_a_value_is_not_unique():
    groups = gy.Groups.from_lists([["a", "b", "b"]], members=[["x", "y", "z"]])
    assert not gy.judge(MInvariance(2), groups).safe


def test_counterfeits_are_members_with_names_of_their_own():
    """A leaves, B stays: a counterfeit keeps B's group at the same set of values."""
    monday = gy.Groups.from_lists([["flu", "gout"]], members=[["A", "B"]])
    alone = gy.Groups.from_lists([["gout", "cold"]], members=[["B", "C"]])
    guarded = gy.Groups.from_lists([["gout", "flu"]], members=[["B", "counterfeit 1"]])

    assert not m_invariance([monday, alone], 2).safe
    assert m_invariance([monday, guarded], 2).safe


def test_somebody_who_comes_back_keeps_the_old_signature():
    """Stricter than unbroken presence: the attacker still holds the first release."""
    first = gy.Groups.from_lists([["a", "b"]], members=[["A", "B"]])
    without = gy.Groups.from_lists([["a", "c"]], members=[["C", "D"]])
    back = gy.Groups.from_lists([["a", "c"]], members=[["A", "D"]])

    verdict = m_invariance([first, without, back], 2)
    assert not verdict.safe and len(verdict.failures) == 1
    assert "release 3" in str(verdict)


def test_bad_input_is_refused_in_words():
    nameless = gy.Groups.from_lists([["a", "b"]])
    named = gy.Groups.from_lists([["a", "b"]], members=[["A", "B"]])
    several = gy.Groups.from_lists([["a"]], people=[1], values_per_person="set")

    assert gy.judge(MInvariance(2), nameless).safe  # nothing earlier: nobody needs a name
    with pytest.raises(RuleError, match="members"):
        MInvariance(2, earlier=[nameless])
    with pytest.raises(RuleError, match="members"):
        gy.judge(MInvariance(2, earlier=[named]), nameless)
    with pytest.raises(RuleError, match="one sensitive value"):
        gy.judge(MInvariance(1), several)
    with pytest.raises(RuleError, match="at least one release"):
        m_invariance([], 2)
    with pytest.raises(RuleError):
        MInvariance(0)
