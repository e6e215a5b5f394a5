"""The worst k facts about a target with a given value, against trying all of them."""

import itertools
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.given_value import least_with_values
from gyges.errors import GroupsError
from tests.oracles import implications as oracle

LANGUAGES = ("implications", "negations")
tiny = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3), min_size=1, max_size=2)
small = st.lists(st.lists(st.sampled_from("aabcd"), min_size=1, max_size=5), min_size=1, max_size=2)


def histograms(n, largest):
    if n == 0:
        yield ()
    for part in range(min(n, largest), 0, -1):
        for rest in histograms(n - part, part):
            yield (part, *rest)


def reevaluated(groups, found):
    return gy.probability(groups, found.witness.target, given=found.witness.given)


def wanted_places(counts):
    """All sets of one to three places, the first of values that are equally frequent."""
    for size in (1, 2, 3):
        for places in itertools.combinations(range(len(counts)), size):
            if all(p == 0 or counts[p - 1] != counts[p] or p - 1 in places for p in places):
                yield places


@pytest.mark.parametrize(("n", "most"), [(1, 3), (2, 5), (3, 6), (4, 7), (5, 6), (6, 5), (7, 5)])
def test_the_atoms_of_a_group_are_the_worst_of_all_sets_of_atoms(n, most):
    """Every histogram of n people, every value, every set of atoms; ties included."""
    for counts in histograms(n, n):
        values = [i for i, count in enumerate(counts) for _ in range(count)]
        worlds = sorted(set(itertools.permutations(values)))
        lacks = {
            (person, value): sum(1 << i for i, world in enumerate(worlds) if world[person] != value)
            for person in range(n)
            for value in range(len(counts))
        }
        for places in wanted_places(counts):
            others = [mask for atom, mask in lacks.items() if atom not in {(0, p) for p in places}]
            found = least_with_values(n, counts, places, most)
            aim = (1 << len(worlds)) - 1
            for place in places:
                aim &= lacks[0, place]
            for j in range(min(most, len(others) + 1)):
                least = len(worlds)
                for known in itertools.combinations(others, j):
                    left = aim
                    for mask in known:
                        left &= mask
                    least = min(least, left.bit_count())
                assert found[j].probability == Fraction(least, len(worlds)), (counts, places, j)


@settings(deadline=None, max_examples=60)
@given(tiny, st.integers(0, 2), st.sampled_from(LANGUAGES))
def test_no_set_of_facts_of_any_kind_does_better(values, k, language):
    groups = gy.Groups.from_lists(values)
    for value in sorted({one for group in values for one in group}):
        found = gy.max_disclosure(groups, k, language, value=value)
        assert found.probability == oracle.worst_of_value(values, value, k, language)
        assert reevaluated(groups, found) == found.probability
        assert len(found.witness.facts) <= k and found.witness.atom.value == value


@settings(deadline=None, max_examples=100)
@given(small, st.integers(0, 3))
def test_no_implications_with_one_consequent_do_better(values, k):
    groups = gy.Groups.from_lists(values)
    for value in sorted({one for group in values for one in group}):
        found = gy.max_disclosure(groups, k, value=value)
        assert reevaluated(groups, found) == found.probability
        assert found.probability == oracle.worst_of_value_with_one_consequent(values, value, k)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.lists(st.integers(1, 40), min_size=3, max_size=7), min_size=1, max_size=4),
    st.integers(0, 4),
    st.sampled_from(LANGUAGES),
)
def test_the_worst_value_is_the_worst_case_and_every_witness_counts(counts, k, language):
    """At sizes beyond enumeration: the maximum over the values is that over everything."""
    groups = gy.Groups.from_lists(
        [[f"v{i}" for i, n in enumerate(group) for _ in range(n)] for group in counts]
    )
    found = [gy.max_disclosure(groups, k, language, value=value) for value in groups.values]
    assert (
        max(one.probability for one in found) == gy.max_disclosure(groups, k, language).probability
    )
    for one in found:
        assert reevaluated(groups, one) == one.probability


def test_the_target_of_a_rare_value_need_not_lack_only_frequent_values():
    """Of twelve people one has Ebola: the worst fact is about somebody else."""
    groups = gy.Groups.from_lists([["Flu"] * 6 + ["Gout"] * 5 + ["Ebola"], ["x"] * 9 + ["y"]])
    found = gy.max_disclosure(groups, k=1, value="Ebola")
    assert found.witness.atom.value == "Ebola" and found.witness.antecedents[0].value == "x"
    assert found.probability == Fraction(10, 21) == reevaluated(groups, found)


@settings(deadline=None, max_examples=150)
@given(small, st.integers(0, 3), st.sets(st.sampled_from("abcd"), min_size=2, max_size=3))
def test_no_implications_about_one_of_several_values_do_better(values, k, wanted):
    groups = gy.Groups.from_lists(values)
    wanted = tuple(sorted(wanted & set(groups.values)))
    if not wanted:
        return
    found = gy.max_disclosure(groups, k, value=wanted)
    assert reevaluated(groups, found) == found.probability and found.is_proven
    assert found.probability == oracle.worst_of_value_with_one_consequent(values, wanted, k)
    assert len(found.witness.facts) <= k


@settings(deadline=None, max_examples=80)
@given(tiny, st.integers(0, 2), st.sampled_from(LANGUAGES))
def test_no_facts_of_any_kind_about_one_of_several_values_do_better(values, k, language):
    groups = gy.Groups.from_lists(values)
    for wanted in itertools.combinations(groups.values, 2):
        found = gy.max_disclosure(groups, k, language, value=wanted)
        assert found.probability == oracle.worst_of_value(values, wanted, k, language)
        assert reevaluated(groups, found) == found.probability
        assert found.is_proven == (language == "implications")


def test_what_is_not_proven_is_not_called_the_worst_case():
    groups = gy.Groups.from_lists([list("aaaaabbbbcccdde")])
    found = gy.max_disclosure(groups, k=2, language="negations", value=["d", "e"])
    assert not found.is_proven
    assert str(found).startswith("Worst case that is known, of 2 negations: If the attacker knows")
    assert str(gy.max_disclosure(groups, k=2, value=["d", "e"])) == (
        "Worst case of 2 implications: If the attacker knows that a person in group 1 does not "
        "have a or b, they are 1/2 certain that this person has d or e."
    )


def test_many_different_groups_are_mostly_passed_over():
    rng = np.random.default_rng(3)
    groups = gy.Groups.from_lists(
        [
            rng.choice(list("abcdefgh"), n, p=[0.3, 0.2, 0.15, 0.1, 0.1, 0.08, 0.05, 0.02]).tolist()
            for n in rng.integers(20, 60, 600)
        ]
    )
    start = time.process_time()
    found = gy.max_disclosure(groups, k=3, value="h")
    assert reevaluated(groups, found) == found.probability
    assert time.process_time() - start < 30


def test_values_that_nobody_has_are_refused():
    groups = gy.Groups.from_lists([["Flu", "Gout"]])
    with pytest.raises(GroupsError, match="nobody has the value 'Cold'"):
        gy.max_disclosure(groups, k=1, value="Cold")
    with pytest.raises(GroupsError, match="nobody has the value 'Cold'"):
        gy.max_disclosure(groups, k=1, value=["Flu", "Cold"])
    with pytest.raises(GroupsError, match="lists no values"):
        gy.max_disclosure(groups, k=1, value=[])
