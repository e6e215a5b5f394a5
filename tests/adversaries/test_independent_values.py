"""The worst k facts about people with sets or multisets of values, against trying all facts."""

import itertools
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GroupsError
from tests.oracles import implications as oracle

LANGUAGES = ("implications", "negations")
KINDS = ("set", "multiset")


@st.composite
def several(draw, most_groups=2, most_people=3, most_values=3, letters="abc"):
    """Groups small enough to enumerate: (values, people, kind)."""
    kind = draw(st.sampled_from(KINDS))
    n_groups = draw(st.integers(1, most_groups))
    people = [draw(st.integers(1, most_people)) for _ in range(n_groups)]
    values = [draw(st.lists(st.sampled_from(letters), max_size=most_values)) for _ in people]
    if kind == "set":
        values = [
            sorted((Counter(held) & Counter(dict.fromkeys(letters, n))).elements())
            for held, n in zip(values, people, strict=True)
        ]
    if not any(values):
        values[0] = [letters[0]]
    return values, people, kind


def groups_of(values, people, kind):
    return gy.Groups.from_lists(values, people=people, values_per_person=kind)


def reevaluated(groups, found):
    return gy.probability(groups, found.witness.target, given=found.witness.given)


def worst(values, people, kind, k, language, value=None):
    domain = {one for held in values for one in held} if value is None else {value}
    return max(oracle.worst_of_value(values, one, k, language, people, kind) for one in domain)


@settings(deadline=None, max_examples=150)
@given(several(), st.integers(0, 2), st.sampled_from(LANGUAGES))
def test_no_set_of_facts_of_any_kind_does_better(table, k, language):
    """Every set of k implications between any two atoms, whatever their consequents."""
    groups = groups_of(*table)
    found = gy.max_disclosure(groups, k, language)
    assert found.probability == worst(*table, k, language) == reevaluated(groups, found)
    assert len(found.witness.facts) <= k and found.is_proven
    for value in groups.values:
        found = gy.max_disclosure(groups, k, language, value=value)
        assert found.probability == worst(*table, k, language, value), (value, str(found))
        assert reevaluated(groups, found) == found.probability
        assert len(found.witness.facts) <= k and found.witness.atom.value == value


@settings(deadline=None, max_examples=150)
@given(several(2, 4, 5, "abcd"), st.integers(0, 4))
def test_no_implications_with_one_consequent_do_better(table, k):
    """More people and facts: all sets of k atoms that imply the target."""
    values, people, kind = table
    if kind == "multiset" and sum(map(len, values)) > 7:
        values = [held[:3] for held in values]
    groups = groups_of(values, people, kind)
    for value in groups.values:
        found = gy.max_disclosure(groups, k, value=value)
        expected = oracle.worst_of_value_with_one_consequent(values, value, k, people, kind)
        assert found.probability == expected and reevaluated(groups, found) == expected


@settings(deadline=None, max_examples=150)
@given(several(), st.integers(0, 2), st.sampled_from(LANGUAGES))
def test_no_set_of_facts_about_one_of_several_values_does_better(table, k, language):
    values, people, kind = table
    groups = groups_of(*table)
    for wanted in itertools.combinations(groups.values, 2):
        found = gy.max_disclosure(groups, k, language, value=wanted)
        assert found.probability == oracle.worst_of_value(values, wanted, k, language, people, kind)
        assert reevaluated(groups, found) == found.probability
        assert len(found.witness.facts) <= k and found.is_proven


@pytest.mark.parametrize("kind", KINDS)
def test_facts_with_several_antecedents_or_consequents_do_no_better(kind):
    """[Martin2007, Def. 5]: two facts "if A (and A'), then B (or B')", over all atoms."""
    values, people = [["a", "a", "b"]], [3]
    everything, atoms = oracle.atoms_as_sets(values, people, kind)
    pairs = [x & y for x, y in itertools.combinations_with_replacement(atoms.values(), 2)]
    either = [x | y for x, y in itertools.combinations_with_replacement(atoms.values(), 2)]
    facts = {(everything & ~a) | b for a in pairs for b in either}
    best = Fraction(0)
    for one, other in itertools.combinations_with_replacement(sorted(facts), 2):
        left = one & other
        best = max(
            best, *(Fraction((x & left).bit_count(), left.bit_count()) for x in atoms.values())
        )
    assert best == gy.max_disclosure(groups_of(values, people, kind), k=2).probability


@settings(deadline=None, max_examples=100)
@given(several(4, 60, 60, "abcdef"), st.integers(0, 40), st.sampled_from(LANGUAGES))
def test_the_curve_is_that_of_single_numbers_and_witnesses_count(table, k, language):
    groups = groups_of(*table)
    curve = gy.disclosure_curve(groups, k, language)
    assert len(curve) == k + 1 and curve == sorted(curve) and curve[-1] <= 1
    found = gy.max_disclosure(groups, k, language)
    assert found.probability == curve[k]
    by_value = [gy.max_disclosure(groups, k, language, value=value) for value in groups.values]
    assert max(one.probability for one in by_value) == curve[k]
    if k <= 6:
        assert all(reevaluated(groups, one) == one.probability for one in (found, *by_value))


def test_facts_about_another_value_may_be_the_worst():
    """Of ten people, nine had the flu and one has HIV: two facts about the flu are certain."""
    groups = groups_of([["Flu"] * 9 + ["HIV"]], [10], "set")
    found = gy.max_disclosure(groups, k=2, value="HIV")
    assert found.probability == 1 == reevaluated(groups, found)
    assert str(found.witness) == (
        "If the attacker knows that 1.1 has HIV if 1.1 has Flu, or if 1.2 has Flu, they are "
        "certain that 1.1 has HIV."
    )
    assert gy.max_disclosure(groups, k=2, language="negations", value="HIV").probability == (
        Fraction(1, 8)
    )


def test_a_witness_of_negations_reads_as_english():
    groups = groups_of([["Flu", "Flu"]], [6], "set")
    found = gy.max_disclosure(groups, k=2, language="negations")
    assert str(found.witness) == (
        "If the attacker knows that 1.2 and 1.3 do not have Flu, they are 1/2 certain that "
        "1.1 has Flu."
    )
    assert found.witness.given == "1.2 != Flu and 1.3 != Flu"


def test_people_without_values_disclose_nothing():
    nobody = groups_of([[], []], [3, 2], "set")
    assert gy.disclosure_curve(nobody, k=2) == [0, 0, 0]
    with pytest.raises(GroupsError, match="nobody has a value"):
        gy.max_disclosure(nobody, k=1)


def test_a_million_people_cost_no_more():
    groups = groups_of([["a"] * 3 + ["b"]], [10**6], "multiset")
    found = gy.max_disclosure(groups, k=3)
    assert found.probability < Fraction(4, 10**6) and len(found.witness.facts) == 3
