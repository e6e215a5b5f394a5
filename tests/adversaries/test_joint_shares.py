"""Probabilities as shares of joint worlds: counted, bounded by programs, or sampled."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gyges.adversaries import joint_worlds as counting
from gyges.adversaries.joint_counts import joint_counts
from gyges.adversaries.joint_relaxation import PartProgram
from gyges.adversaries.joint_samples import sampled_means
from gyges.adversaries.joint_worlds import parts
from gyges.adversaries.known_world import world_of
from gyges.adversaries.people_lookup import locate
from tests.adversaries.test_joint_attack import MANY, as_groups, attacked, everybody, releases
from tests.oracles import joint_worlds

CONFIDENCES = ("1", "2/3", "0.5", "1/3", "0.25")


@MANY
@given(made=releases(), confidence=st.sampled_from(CONFIDENCES))
def test_who_is_exposed_is_whose_largest_share_of_worlds_reaches_the_confidence(made, confidence):
    """Exactly, on the threshold too; and nobody by more than their own share of the worlds."""
    attack, found = attacked(made), joint_worlds.worlds(made)
    shares = attack.bayesian
    proven, likely = shares.is_proven(confidence), shares.is_exposed(confidence)
    for row, person in enumerate(everybody(made)):
        largest = max(joint_worlds.shares(found, person).values())
        assert proven[row] == likely[row] == (largest >= Fraction(confidence))
    assert not shares.may_be_exposed(confidence).any() and shares.n_worlds == 0
    assert shares.exposed(confidence) == Fraction(int(proven.sum()), len(proven))


@MANY
@given(made=releases())
def test_a_copy_of_a_release_adds_nothing(made):
    """The product of shares grows with every copy; the share of worlds does not."""
    once, twice = attacked(made), attacked([*made, made[0]])
    assert np.allclose(once.probability, twice.probability)


@settings(max_examples=200)
@given(made=releases())
def test_linear_programs_exclude_nothing_possible_and_show_nothing_impossible(made):
    """With counting switched off, before any sum is used to tighten bounds."""
    located = locate([as_groups(release) for release in made], everybody(made))
    counts = joint_counts(located, np.arange(len(located)))
    low, high = counts.bounds()
    found = joint_worlds.worlds(made)
    for part in parts(counts, low, high):
        program = PartProgram.of(counts, low, high, part)
        shown = np.zeros(len(part), dtype=bool)
        some = program.any_world()
        assert some is not None
        shown |= some > 0
        for place, u in enumerate(part.tolist()):
            most, world = program.most(place)
            least = program.least(place)
            shown |= False if world is None else world > 0
            mates = _mates(counts, made, u)
            value = located.values[counts.value[u]]
            held = {sum(one[mate] == value for mate in mates) for one in found}
            assert least <= min(held) and max(held) <= most
        for place, u in enumerate(part.tolist()):
            value = located.values[counts.value[u]]
            mates = _mates(counts, made, u)
            assert not shown[place] or any(one[m] == value for one in found for m in mates)


def _mates(counts, made, u):
    people = everybody(made)
    return [p for r, p in enumerate(people) if counts.cohort_of_person[r] == counts.cohort[u]]


def test_prices_that_are_wrong_prove_less_but_nothing_false():
    """The bound holds for any prices: the solver's need not be right."""
    made = [[[("0", "a"), ("1", "b"), ("2", "b")]], [[("0", "a"), ("1", "b"), ("3", "c")]]]
    located = locate([as_groups(release) for release in made], everybody(made))
    counts = joint_counts(located, np.arange(len(located)))
    low, high = counts.bounds()
    (part,) = parts(counts, low, high)
    program = PartProgram.of(counts, low, high, part)
    found, rng = joint_worlds.worlds(made), np.random.default_rng(0)
    for _ in range(300):
        prices = rng.normal(size=len(program.totals)) * rng.choice([0, 1, 1e3])
        aim = rng.integers(-1, 2, len(part))
        bound = program._proven(aim.astype(np.int64), prices)
        least = min(
            sum(
                int(aim[place]) * sum(one[m] == located.values[counts.value[u]] for m in mates)
                for place, u in enumerate(part.tolist())
                if (mates := _mates(counts, made, u))
            )
            for one in found
        )
        assert bound is not None and bound <= least
    assert program._proven(np.ones(len(part), np.int64), prices * np.inf) is None


@settings(max_examples=25)
@given(made=releases(max_releases=2), data=st.data())
def test_sampled_probabilities_are_near_the_shares_of_worlds(made, data):
    """From any one of the worlds; the interval misses rarely, and then not by far."""
    located = locate([as_groups(release) for release in made], everybody(made))
    counts = joint_counts(located, np.arange(len(located)))
    found = joint_worlds.worlds(made)
    assume(len(found) > 1)
    code = {value: c for c, value in enumerate(located.values)}
    one = data.draw(st.sampled_from(found))
    world = world_of(
        counts, counts.cohort_of_person, np.array([code[one[p]] for p in everybody(made)])
    )
    sampled = sampled_means(counts, world, np.ones(len(counts.value), dtype=bool))
    assert sampled.n_worlds == 500 and sampled.unknowns.tolist() == list(range(len(counts.value)))
    for u, mean, error in zip(sampled.unknowns, sampled.means, sampled.errors, strict=True):
        value = located.values[counts.value[u]]
        total = sum(sum(w[m] == value for m in _mates(counts, made, u)) for w in found)
        exact = total / len(found)
        assert abs(mean - exact) <= 3 * error + 0.02, (made, u, mean, error, exact)


def made_twice(seed):
    """Eighteen people in groups of six, divided twice."""
    rng = np.random.default_rng(seed)
    people = [f"p{i}" for i in range(18)]
    truth = dict(zip(people, rng.choice(list("aabc"), 18).tolist(), strict=True))
    made = []
    for _ in range(2):
        order = rng.permutation(people).tolist()
        made.append([[(p, truth[p]) for p in order[k : k + 6]] for k in range(0, 18, 6)])
    return made


def test_what_is_too_large_to_count_is_sampled_and_its_interval_is_said(monkeypatch):
    """Nothing sampled is called exact or proven; the intervals hold the truth as often as said."""
    cases = [made_twice(seed) for seed in range(6)]
    counted = [attacked(made) for made in cases]
    assert all(one.is_exact and one.intervals("p0") == {} for one in counted)
    monkeypatch.setattr(counting, "_MOST_REMAINDERS", 1)
    inside, total = 0, 0
    for made, exact in zip(cases, counted, strict=True):
        attack, people = attacked(made), everybody(made)
        shares, sampled = attack.bayesian, attack.bayesian.is_sampled_for
        assert shares.n_worlds == (500 if sampled.any() else 0)
        assert not (sampled & attack.is_exact_for).any()
        assert np.abs(attack.probability - exact.probability).max() < 0.08
        for row in np.flatnonzero(sampled):
            for value, (low, high) in attack.intervals(people[row]).items():
                share = float(exact.exact_probability(people[row]).get(value, 0))
                least, most = attack.bounds(people[row]).get(value, (0, 0))
                assert float(least) <= low <= high <= float(most)
                inside, total = inside + (low <= share <= high), total + 1
        for confidence in CONFIDENCES:
            proven = exact.bayesian.is_proven(confidence)
            assert (shares.is_proven(confidence) <= proven).all()
            possible = shares.is_proven(confidence) | shares.may_be_exposed(confidence)
            assert (proven <= possible).all()
    assert inside > 0.85 * total > 50


def test_without_a_world_to_begin_with_there_is_no_interval(monkeypatch):
    from gyges.adversaries import joint_solution

    monkeypatch.setattr(counting, "_MOST_REMAINDERS", 1)
    monkeypatch.setattr(joint_solution, "_MOST_OF_PROGRAM", 0)
    first = [[("0", "a"), ("1", "b")], [("2", "a"), ("3", "b")]]
    second = [[("0", "a"), ("3", "b")], [("1", "b"), ("2", "a")]]
    attack = attacked([first, second])
    assert not attack.bayesian.is_sampled_for.any() and attack.intervals("0") == {}
    assert attack.probability.sum(axis=1) == pytest.approx(1)
    assert attack.bayesian.may_be_exposed("0.9").all()
