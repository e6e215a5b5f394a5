from __future__ import annotations

import csv
import doctest
import gzip
import itertools
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries import minimize
from gyges.errors import GroupsError, RuleError
from gyges.kernels.least_odds import is_less
from tests import strategies
from tests.oracles import implications as oracle

MEN = ["Flu", "Flu", "Lung Cancer", "Lung Cancer", "Mumps"]
WOMEN = ["Flu", "Flu", "Breast Cancer", "Ovarian Cancer", "Heart Disease"]
NAMES = [
    ["Bob", "Charlie", "Dave", "Ed", "Frank"],
    ["Gloria", "Hannah", "Irma", "Jessica", "Karen"],
]
LANGUAGES = ("implications", "negations")
languages = st.sampled_from(LANGUAGES)


def hospital():
    return gy.Groups.from_lists([MEN, WOMEN], members=NAMES)


def of_histograms(histograms):
    return gy.Groups.from_lists(
        [[f"v{i}" for i, n in enumerate(h) for _ in range(n)] for h in histograms]
    )


def reevaluated(groups, found):
    """The witness, asked as a question in the language."""
    return gy.probability(groups, found.witness.target, given=found.witness.given)


# The paper's table


def test_the_maxima_of_figure_3_are_two_fifths_two_thirds_and_one():
    """The paper prints 10/19 for k = 1, the maximum across the two groups only."""
    assert gy.disclosure_curve(hospital(), k=2) == [Fraction(2, 5), Fraction(2, 3), Fraction(1)]
    assert gy.disclosure_curve(hospital(), k=2, language="negations") == [
        Fraction(2, 5),
        Fraction(2, 3),
        Fraction(1),
    ]


def test_a_witness_reads_as_english():
    named, nameless = hospital(), gy.Groups.from_lists([MEN, WOMEN])
    assert str(gy.max_disclosure(named, k=0).witness) == (
        "An attacker who knows nothing more is 2/5 certain that Bob has Flu."
    )
    assert str(gy.max_disclosure(nameless, k=1).witness) == (
        "If the attacker knows that a person in group 1 does not have Lung Cancer, "
        "they are 2/3 certain that this person has Flu."
    )
    assert str(gy.max_disclosure(named, k=2)) == (
        "Worst case of 2 implications: If the attacker knows that Bob does not have Lung Cancer "
        "or Mumps, they are certain that Bob has Flu."
    )


def test_a_witness_about_several_people_names_them():
    groups = of_histograms([(40, *[1] * 15)])
    witness = gy.max_disclosure(groups, k=2).witness
    assert witness.given == "(1.2 = v0 -> 1.1 = v0) and (1.3 = v0 -> 1.1 = v0)"
    assert str(witness) == (
        f"If the attacker knows that 1.1 has v0 if 1.2 has v0, or if 1.3 has v0, "
        f"they are {witness.probability} certain that 1.1 has v0."
    )
    certain = gy.max_disclosure(groups, k=12).witness
    assert "more than 99.9% certain" in str(certain)  # never rounded up to certainty


def test_a_witness_is_data():
    witness = gy.max_disclosure(hospital(), k=1).witness
    assert (witness.target, witness.given) == ("Bob = Flu", 'Bob = "Lung Cancer" -> Bob = Flu')
    assert (witness.atom.person, witness.atom.value, witness.group) == ("Bob", "Flu", 0)
    assert [(a.person, a.value) for a in witness.antecedents] == [("Bob", "Lung Cancer")]
    assert gy.max_disclosure(hospital(), k=1, language="negations").witness.given == (
        'Bob != "Lung Cancer"'
    )


# Enumeration


@given(strategies.value_lists(max_groups=2, max_people=4), st.integers(0, 3), languages)
def test_the_worst_case_is_the_one_among_all_facts(values, k, language):
    groups = gy.Groups.from_lists(values)
    worst = {
        "implications": oracle.worst_of_implications,
        "negations": oracle.worst_of_negations,
    }[language]
    found = gy.max_disclosure(groups, k=k, language=language)
    assert found.probability == worst(values, k)
    assert reevaluated(groups, found) == found.probability
    assert len(found.witness.facts) <= k


@given(strategies.value_lists(max_groups=3, max_people=3, n_values=2), st.integers(0, 2))
def test_the_worst_case_over_three_groups(values, k):
    groups = gy.Groups.from_lists(values)
    found = gy.max_disclosure(groups, k=k)
    assert found.probability == oracle.worst_of_implications(values, k)
    assert reevaluated(groups, found) == found.probability


@given(strategies.value_lists(max_groups=2, max_people=3), st.integers(0, 1))
@settings(max_examples=30)
def test_no_other_implication_does_better(values, k):
    """Theorem 9 itself: consequents of any kind, all sets of k simple implications."""
    groups = gy.Groups.from_lists(values)
    assert gy.max_disclosure(groups, k=k).probability == oracle.worst_of_all_implications(values, k)


@given(strategies.value_lists(max_groups=2, max_people=2, n_values=3))
@settings(max_examples=20)
def test_no_other_pair_of_implications_does_better(values):
    groups = gy.Groups.from_lists(values)
    assert gy.max_disclosure(groups, k=2).probability == oracle.worst_of_all_implications(values, 2)


# Larger groups, where floats find and fractions decide

histograms = st.lists(
    st.lists(st.sampled_from([1, 1, 1, 2, 3, 5, 10, 40]), min_size=1, max_size=12),
    min_size=1,
    max_size=6,
)


@given(histograms, st.integers(0, 8))
def test_the_curve_is_that_of_the_repaired_recurrence(counts, k):
    groups = of_histograms(counts)
    assert gy.disclosure_curve(groups, k=k) == oracle.curve_by_convolution(counts, k)


@given(histograms, st.integers(0, 12), languages)
def test_the_witness_of_many_facts_evaluates_to_the_same_number(counts, k, language):
    groups = of_histograms(counts)
    found = gy.max_disclosure(groups, k=k, language=language)
    assert reevaluated(groups, found) == found.probability
    assert gy.disclosure_curve(groups, k=k, language=language)[k] == found.probability


def test_atoms_are_spread_over_groups_where_that_is_worse():
    """One group is the worst for the target, another for the rest: found among random tables."""
    rng = np.random.default_rng(3)
    n_spread = 0
    for _ in range(300):
        counts = [rng.choice([1, 2, 3, 5, 10, 30], size=rng.integers(3, 9)) for _ in range(3)]
        groups = of_histograms(counts)
        found = gy.max_disclosure(groups, k=5)
        people = {atom.person.split(".")[0] for atom in found.witness.antecedents}
        n_spread += len(people | {str(found.witness.group + 1)}) > 1 and found.probability < 1
        assert reevaluated(groups, found) == found.probability
    assert n_spread > 0


@given(
    st.lists(st.lists(st.integers(20, 24), min_size=8, max_size=8), min_size=40, max_size=120),
    st.integers(1, 6),
)
@settings(max_examples=15)
def test_many_groups_that_nearly_tie_are_settled_exactly(counts, k):
    assert gy.disclosure_curve(of_histograms(counts), k=k) == oracle.curve_by_convolution(counts, k)


def test_a_full_buffer_is_settled_and_the_scan_goes_on(monkeypatch):
    """With little room many rows are closer to each other than floats can tell."""
    counts = np.random.default_rng(0).integers(20, 24, size=(400, 8)).tolist()
    original, settled = minimize._settled, []
    monkeypatch.setattr(minimize, "_ROOM", 1)
    monkeypatch.setattr(minimize, "_settled", lambda *args: settled.append(1) or original(*args))
    distinct = {tuple(sorted(histogram, reverse=True)) for histogram in counts}
    curve = gy.disclosure_curve(of_histograms(counts), k=6)
    assert curve == oracle.curve_by_convolution(distinct, 6) and settled


def test_fractions_are_compared_without_overflow():
    big = 2**62
    assert is_less(big - 1, big, big, big + 1) and not is_less(big, big + 1, big - 1, big)
    assert not is_less(1, 3, 2, 6) and is_less(0, 5, 1, big) and not is_less(0, 5, 0, 7)


@given(*[st.integers(0, 30), st.integers(1, 30)] * 2)
def test_comparing_by_euclid_is_comparing(a, b, c, d):
    assert is_less(a, b, c, d) == (Fraction(a, b) < Fraction(c, d))


def test_groups_of_billions_of_people_are_exact():
    """Products of sizes beyond 2^63, shares that differ in the 20th digit."""
    big = 3 * 10**9
    for language in LANGUAGES:
        groups = gy.Groups.from_entries(
            sizes=np.array([3 * big + 1, 3 * big + 4]),
            group_of_entry=np.repeat([0, 1], 3),
            value_codes=np.tile(np.arange(3, dtype=np.int32), 2),
            value_counts=np.array([big + 1, big, big, big + 2, big + 1, big + 1]),
            values=["a", "b", "c"],
        )
        found = gy.disclosure_curve(groups, k=1, language=language)
        assert found[0] == max(Fraction(big + 1, 3 * big + 1), Fraction(big + 2, 3 * big + 4))
        assert found == gy.disclosure_curve(groups.take([1, 0]), k=1, language=language)


# Laws


@given(strategies.value_lists(max_groups=4, max_people=6, n_values=4), languages)
def test_more_facts_never_help_less_and_implications_do_at_least_as_much(values, language):
    groups = gy.Groups.from_lists(values)
    curve = gy.disclosure_curve(groups, k=6, language=language)
    assert curve == sorted(curve) and curve[0] > 0 and curve[-1] <= 1
    assert all(x >= y for x, y in zip(gy.disclosure_curve(groups, k=6), curve, strict=True))


@given(
    strategies.value_lists(min_groups=2, max_groups=4, max_people=6, n_values=4),
    st.integers(0, 5),
    languages,
)
def test_joining_groups_discloses_no_more(values, k, language):
    """[Martin2007, Theorem 14]."""
    fine, coarse = values, [values[0] + values[1], *values[2:]]
    curves = [
        gy.disclosure_curve(gy.Groups.from_lists(groups), k=k, language=language)
        for groups in (fine, coarse)
    ]
    assert all(before >= after for before, after in zip(*curves, strict=True))


# Boundaries


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("values", "curve"),
    [
        ([["a"]], [1, 1, 1]),  # one person
        ([["a", "a", "a"]], [1, 1, 1]),  # one value
        ([["a", "b"]], [Fraction(1, 2), 1, 1]),  # as many people as values, k beyond them
        ([["a", "b", "c"]], [Fraction(1, 3), Fraction(1, 2), 1]),  # equal frequencies
        ([["a", "a", "b", "b"]], [Fraction(1, 2), 1, 1]),
        ([["a", "b"], ["c"]], [1, 1, 1]),
    ],
)
def test_boundary_cases(values, curve, language):
    groups = gy.Groups.from_lists(values)
    assert gy.disclosure_curve(groups, k=2, language=language) == curve
    for k, probability in enumerate(curve):
        found = gy.max_disclosure(groups, k=k, language=language)
        assert found.probability == probability == reevaluated(groups, found)


def test_facts_that_are_enough_are_not_padded():
    found = gy.max_disclosure(gy.Groups.from_lists([["a", "b"]]), k=50)
    assert found.probability == 1 and len(found.witness.facts) == 1


def test_groups_without_people_change_nothing():
    with_empty = gy.Groups.from_entries(
        sizes=np.array([0, 3, 0]),
        group_of_entry=np.array([1, 1]),
        value_codes=np.array([0, 1], dtype=np.int32),
        value_counts=np.array([2, 1]),
        values=["a", "b"],
    )
    assert gy.disclosure_curve(with_empty, k=1) == [Fraction(2, 3), 1]
    assert gy.max_disclosure(with_empty, k=0).witness.target == "2.1 = a"


def test_no_groups_disclose_nothing():
    nobody = hospital().take([])
    assert gy.disclosure_curve(nobody, k=2) == [0, 0, 0]
    with pytest.raises(GroupsError, match="no groups"):
        gy.max_disclosure(nobody, k=1)


def test_values_that_are_numbers_and_names_with_signs_are_quoted_as_needed():
    groups = gy.Groups.from_lists([[1, 1, 2, 3.5]], members=[["O'Neil", "not", "Al B", 'x"y\\']])
    for k in range(3):
        found = gy.max_disclosure(groups, k=k)
        assert reevaluated(groups, found) == found.probability


def test_nonsense_is_refused():
    with pytest.raises(RuleError, match="'implications' or 'negations'"):
        gy.max_disclosure(hospital(), k=1, language="rumours")
    with pytest.raises(RuleError, match="k is -1"):
        gy.disclosure_curve(hospital(), k=-1)


def test_products_far_below_the_smallest_float_are_told_from_zero():
    """One value a million times, a hundred others once: 81 people, each without the first."""
    groups = of_histograms([(10**6, *[1] * 100), (30, *[1] * 99)])
    found = gy.max_disclosure(groups, k=80)
    odds = Fraction(10**6 + 100, 10**6)
    for i in range(81):
        odds *= Fraction(100 - i, 10**6 + 100 - i)
    assert odds < Fraction(1, 10**324) and found.probability == 1 / (1 + odds) < 1
    assert gy.judge(gy.Safety(1, k=80), groups).safe
    assert not gy.judge(gy.Safety(found.probability, k=80), groups).safe


def test_the_page_for_stewards_says_what_is_so():
    page = Path(__file__).parents[2] / "docs" / "attackers" / "implications.md"
    outcome = doctest.testfile(str(page), module_relative=False)
    assert outcome.attempted > 10
    assert outcome.failed == 0


# Real data


def adult_by_age(folder):
    """Adult with age in steps of 20 and all else suppressed, occupation sensitive (Figure 5)."""
    with gzip.open(folder / "adult.csv.gz", "rt") as lines:
        rows = [row for row in csv.DictReader(lines) if "?" not in row.values()]
    assert len(rows) == 45_222
    held = {}
    for row in rows:
        held.setdefault(int(row["age"]) // 20, Counter())[row["occupation"]] += 1
    return gy.Groups.from_lists([list(counts.elements()) for counts in held.values()])


def test_figure_5_implications_are_above_negations_and_both_end_at_one(real_data):
    groups = adult_by_age(real_data)
    curves = {name: gy.disclosure_curve(groups, k=13, language=name) for name in LANGUAGES}
    above = zip(curves["implications"], curves["negations"], strict=True)
    assert all(x >= y for x, y in above) and curves["implications"][0] == curves["negations"][0]
    for language, curve in curves.items():
        assert curve == sorted(curve) and curve[13] == 1
        assert all(x < y for x, y in itertools.pairwise(curve) if x < 1)
        for k in (0, 5, 12):
            found = gy.max_disclosure(groups, k=k, language=language)
            assert found.probability == curve[k] == reevaluated(groups, found)
    assert math.isclose(float(curves["implications"][0]), 0.25, abs_tol=0.1)
