"""The attacker with three kinds of knowledge, against worlds counted one by one."""

from __future__ import annotations

import doctest
import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries import dimension_formulas
from gyges.adversaries.dimension_formulas import exact_statistic
from gyges.adversaries.skyline_frontier import explain_point
from gyges.kernels.log_ratios import TOGETHER
from tests.oracles import dimensions as oracle
from tests.oracles.worlds import probability, worlds
from tests.strategies import people_and_values

KINDS = ["one", "set", "multiset"]
kinds = pytest.mark.parametrize("kind", KINDS)


def made(values, people=None, kind="one"):
    people = people or [len(group) for group in values]
    return gy.Groups.from_lists(
        [list(group) for group in values], people=people, values_per_person=kind
    )


def table(values, people, kind, sigma, most):
    """All breaches for amounts up to `most`, by the dynamic program."""
    return {
        (l, k, m): p
        for l in range(most + 1)
        for (k, m), p in oracle.breaches_by_program(
            values, people, kind, sigma, l, most, most
        ).items()
    }


# --- what the errata list, and the paper's own example


@pytest.mark.parametrize(
    ("values", "people", "kind", "amounts", "expected"),
    [
        # A group without the value is no target, however small it is (C1).
        (["saba", "b"], None, "one", (0, 2, 0), "1/2"),
        (["aab", "sabcd"], None, "one", (1, 2, 0), "1/2"),
        (["a", "sbc"], None, "one", (1, 0, 0), "1/2"),
        (["", "s"], [1, 4], "set", (0, 2, 0), "1/2"),
        (["", "s"], [1, 4], "multiset", (0, 1, 1), "1/2"),
        (["a"], None, "one", (0, 2, 0), "0"),
        # Nor are its people relatives of any use (C2).
        (["a", "sbcd"], None, "one", (0, 0, 2), "1/2"),
        (["a", "sabcd"], None, "one", (0, 0, 3), "1/2"),
        # Nothing is divided by zero (C3); who does not fit is certain (C4, C5).
        (["s"], [1], "multiset", (0, 0, 0), "1"),
        (["sa"], None, "one", (0, 1, 1), "1"),
        (["s"], None, "one", (1, 0, 0), "1"),
        # Extra amounts are idle or decide (C6).
        (["sa"], [3], "set", (1, 0, 0), "3/7"),
        (["sa"], [3], "set", (9, 0, 0), "3/7"),
        (["sab"], None, "one", (2, 0, 0), "1"),
        (["sab"], None, "one", (0, 2, 0), "1"),
        # Occurrences are numbered (C7).
        (["ss"], [2], "multiset", (0, 0, 0), "3/4"),
        # Split and merged (C11).
        (["s", "aa"], [2, 1], "multiset", (1, 0, 0), "1/2"),
        (["saa"], [3], "multiset", (1, 0, 0), "9/17"),
        (["s", "ab"], [2, 1], "set", (2, 0, 0), "1/2"),
        (["sab"], [3], "set", (2, 0, 0), "9/17"),
    ],
)
def test_boundary_cases_follow_the_definition_and_not_the_print(
    values, people, kind, amounts, expected
):
    found = gy.breach(made(values, people, kind), "s", *amounts)
    assert found.probability == Fraction(expected)


def test_the_introduction_of_the_paper_comes_out_as_told():
    """Tom has AIDS: 1/4, then 1/3 (no cancer), 1/2 (Gary has flu), and 2/3 (Ann's husband)."""
    groups = gy.Groups.from_lists(
        [["AIDS", "Flu", "Flu", "AIDS"], ["Flu", "Cancer", "Flu", "AIDS"]],
        members=[["Ann", "Bob", "Cary", "Dick"], ["Ed", "Frank", "Gary", "Tom"]],
    )
    known = "Tom != Cancer"
    assert gy.probability(groups, "Tom = AIDS") == Fraction(1, 4)
    assert gy.probability(groups, "Tom = AIDS", given=known) == Fraction(1, 3)
    known += " and Gary = Flu"
    assert gy.probability(groups, "Tom = AIDS", given=known) == Fraction(1, 2)
    known += " and (Ann = AIDS -> Tom = AIDS)"
    assert gy.probability(groups, "Tom = AIDS", given=known) == Fraction(2, 3)
    assert gy.breach(groups, "AIDS", l=0, k=1, m=1).probability >= Fraction(2, 3)


# --- breach against worlds and against the dynamic program


@kinds
@given(data=st.data())
def test_breach_agrees_with_counting_worlds_for_all_small_amounts(kind, data):
    values, people, _ = data.draw(people_and_values(kind, max_groups=2))
    groups = made(values, people, kind)
    for amounts, expected in oracle.breaches(values, people, kind, "a", 3, 2, 2).items():
        assert gy.breach(groups, "a", *amounts).probability == expected


@kinds
@given(data=st.data())
def test_the_dynamic_program_agrees_with_counting_worlds(kind, data):
    """The twin of the larger tests is itself held against the definition."""
    values, people, _ = data.draw(people_and_values(kind, max_groups=3, max_people=2))
    expected = oracle.breaches(values, people, kind, "a", 2, 2, 2)
    found = table(values, people, kind, "a", 2)
    assert found == expected


@kinds
@given(data=st.data())
def test_breach_agrees_with_the_dynamic_program_on_larger_groups(kind, data):
    values, people, _ = data.draw(
        people_and_values(kind, max_groups=4, max_people=12, max_values=14, n_values=5)
    )
    l, k, m = (data.draw(st.integers(0, 5)) for _ in range(3))
    groups = made(values, people, kind)
    for sigma in "abx":
        expected = oracle.breaches_by_program(values, people, kind, sigma, l, k, m)[k, m]
        assert gy.breach(groups, sigma, l, k, m).probability == expected


@kinds
@given(data=st.data())
def test_more_knowledge_never_helps_less(kind, data):
    values, people, _ = data.draw(people_and_values(kind, max_people=6, max_values=8))
    groups = made(values, people, kind)
    l, k, m = (data.draw(st.integers(0, 4)) for _ in range(3))
    here = gy.breach(groups, "a", l, k, m).probability
    for more in ((l + 1, k, m), (l, k + 1, m), (l, k, m + 1)):
        assert here <= gy.breach(groups, "a", *more).probability


@kinds
def test_many_groups_of_all_sizes_agree_with_the_closed_forms(kind):
    """Thousands of entries take the dense table, large groups the hash table beside it."""
    random = np.random.default_rng(7)
    sizes = [*random.integers(2, 9, 1200).tolist(), *random.integers(40, 400, 30).tolist()]
    values = [random.choice(list("abcdefgh"), size=n, p=[0.3] + [0.1] * 7).tolist() for n in sizes]
    people = [2 * n if kind != "one" else n for n in sizes]
    groups = made(values, people, kind)
    assert len(groups.value_codes) > 4096
    for amounts in [(0, 0, 0), (1, 0, 2), (2, 1, 0), (3, 2, 2), (1, 30, 1)]:
        expected = oracle.breach_by_minima(values, people, kind, "a", *amounts)
        assert gy.breach(groups, "a", *amounts).probability == expected


# --- witnesses


@kinds
@given(data=st.data())
def test_the_witness_attains_the_probability_with_at_most_the_amounts_asked_for(kind, data):
    values, people, _ = data.draw(people_and_values(kind, max_groups=2))
    l, k, m = (data.draw(st.integers(0, 3)) for _ in range(3))
    found = gy.breach(made(values, people, kind), "a", l, k, m)
    witness = found.witness
    assert str(found)
    if witness.group is None:
        assert found.probability == 0
        return
    known = [person for person, _ in witness.known]
    assert len(witness.excluded) <= l
    assert len(known) <= k
    assert len(witness.relatives) <= m
    assert len({witness.person, *known, *witness.relatives}) == 1 + len(known) + len(
        witness.relatives
    )
    share = probability(
        worlds(values, people, kind),
        lambda world: _holds(world, witness.person, "a"),
        lambda world: _is_known(world, witness, kind),
    )
    assert share == found.probability


def _holds(world, name, value):
    group, person = name.split(".")
    return world[int(group) - 1, int(person) - 1][value] > 0


def _is_known(world, witness, kind):
    """What the witness says in data, read off a world."""
    aim = _holds(world, witness.person, "a")
    return (
        all(
            not _holds(world, witness.person, x) or (kind != "one" and aim)
            for x in witness.excluded
        )
        and all(
            not _holds(world, u, "a") if y is None else _holds(world, u, y)
            for u, y in witness.known
        )
        and all(not _holds(world, v, "a") or aim for v in witness.relatives)
    )


@kinds
@given(data=st.data())
def test_the_sentences_of_the_witness_have_the_same_probability(kind, data):
    values, people, _ = data.draw(
        people_and_values(kind, max_groups=3, max_people=6, max_values=8, n_values=4)
    )
    groups = made(values, people, kind)
    l, k, m = (data.draw(st.integers(0, 4)) for _ in range(3))
    found = gy.breach(groups, data.draw(st.sampled_from("abz")), l, k, m)
    if found.witness.target is None:
        assert not groups.values
    else:
        asked = gy.probability(groups, found.witness.target, given=found.witness.given)
        assert asked == found.probability


def test_names_and_values_with_signs_are_quoted_in_sentences():
    groups = gy.Groups.from_lists(
        [["lung cancer", "not", 45, 45], ["lung cancer", "Flu", "Flu", "Flu"]],
        members=[["Ann Lee", "O'Neil", "x = y", "and"], ["E", "F", "G", 'H"']],
    )
    for value, amounts in itertools.product(groups.values, [(0, 0, 0), (1, 1, 1), (0, 2, 1)]):
        found = gy.breach(groups, value, *amounts)
        witness = found.witness
        assert gy.probability(groups, witness.target, given=witness.given) == found.probability


def test_the_witness_reads_as_english():
    groups = made(["bbbb", "saabcd"])
    words = str(gy.breach(groups, "s", l=1, k=1, m=1))
    assert words == (
        "The target is 2.1, of group 2. The attacker knows that 2.1 does not have a; that 2.2 has "
        "b; that if 2.3 has s, 2.1 has it too. Then 2.1 has s with probability 2/5 (0.4)."
    )
    assert "Nobody has Gout" in str(gy.breach(groups, "Gout", 1, 1, 1))


def test_relatives_in_another_group_are_named_with_it():
    """One s among two hides well; the relatives are best sought where s is common."""
    groups = made(["sab" + "c" * 9, "sssssssssaa"])
    found = gy.breach(groups, "s", l=0, k=0, m=2)
    expected = oracle.breaches_by_program(
        ["sab" + "c" * 9, "sssssssssaa"], [12, 11], "one", "s", 0, 0, 2
    )
    assert found.probability == expected[0, 2]


# --- the knowledge skyline


@kinds
@given(data=st.data())
def test_the_skyline_is_that_of_a_loop_over_all_amounts(kind, data):
    values, people, _ = data.draw(
        people_and_values(kind, max_groups=2, max_people=3, max_values=5, n_values=4)
    )
    groups = made(values, people, kind)
    breaches = {
        amounts: oracle.breach_by_minima(values, people, kind, "a", *amounts)
        for amounts in itertools.product(range(5), repeat=3)
    }
    thresholds = sorted({p for p in breaches.values() if p > 0})  # each is met exactly
    c = data.draw(
        st.sampled_from(
            [*thresholds, Fraction(1, 2), Fraction(19, 20), Fraction(1), Fraction(1, 9)]
        )
    )
    assert gy.skyline_find(groups, "a", c) == oracle.skyline(breaches, c)


def test_safe_means_strictly_below_the_confidence():
    """Figure 5 of the paper goes on at the confidence itself (C8)."""
    assert gy.skyline_find(made(["sa"]), "s", "0.5") == []
    assert gy.skyline_find(made(["sa"]), "s", Fraction(1, 2) + Fraction(1, 10**30)) == [(0, 0, 0)]
    assert gy.skyline_find(made(["sab"]), "s", 1) == [(0, 1, 0), (1, 0, 1)]


def test_values_beyond_all_others_are_idle_in_sets_and_the_search_ends():
    """Figure 5 of the paper never would (C9)."""
    for kind in ("set", "multiset"):
        groups = made(["sa"], [3], kind)
        assert gy.skyline_find(groups, "s", "0.5") == [(math.inf, 0, 0)]
    assert gy.skyline_find(made(["ab"]), "s", "0.5") == [(math.inf, math.inf, math.inf)]


@kinds
def test_every_point_of_a_larger_skyline_is_safe_and_every_step_beyond_is_not(kind):
    random = np.random.default_rng(3)
    values = [[*random.choice(list("abcdefghij"), size=60).tolist(), "a", "b"] for _ in range(300)]
    groups = made(values, [62] * 300, kind)
    found = gy.skyline_find(groups, "a", "0.9")
    assert len(found) > 20
    assert found == sorted(found)
    for l, k, m in found:
        assert gy.breach(groups, "a", l, k, m).probability < Fraction(9, 10)
        for step in ((l + 1, k, m), (l, k + 1, m), (l, k, m + 1)):
            if step != (l, k, m):  # one more than infinity is infinity
                assert gy.breach(groups, "a", *step).probability >= Fraction(9, 10)


def test_unlimited_amounts_are_amounts():
    groups = made(["sabc", "sddd"])
    assert gy.breach(groups, "s", l=math.inf).probability == 1
    assert gy.breach(groups, "s", k=math.inf).probability == 1
    assert gy.breach(groups, "s", m=math.inf).probability == 1
    several = made(["sabc"], [4], "set")
    assert (
        gy.breach(several, "s", l=math.inf).probability == gy.breach(several, "s", l=3).probability
    )


@pytest.mark.parametrize(
    ("point", "kind", "sentence"),
    [
        ((0, 0, 0), "one", "safe as long as the attacker knows nothing but the release"),
        (
            (1, 3, 0),
            "one",
            "safe as long as the attacker knows at most 1 value that the target does not have and "
            "the values of at most 3 other people",
        ),
        (
            (math.inf, 1, 1),
            "set",
            "safe as long as the attacker knows any values that imply this one for the target, at "
            "most 1 other person who does not have the value and at most 1 relative of the target",
        ),
        (
            (math.inf,) * 3,
            "one",
            "safe whatever the attacker knows: nobody has the value",
        ),
    ],
)
def test_each_point_is_explained_in_one_sentence(point, kind, sentence):
    assert explain_point(point, kind) == sentence


# --- exact comparison


@kinds
@given(data=st.data(), is_long=st.booleans())
def test_statistics_are_compared_exactly_by_products_and_by_logarithms(kind, data, is_long):
    """Long numbers go by logarithms first; here short ones are made to."""
    code = KINDS.index(kind)
    numbers, fractions = [], []
    for _ in range(2):
        n, s = data.draw(st.integers(2, 9)), data.draw(st.integers(1, 4))
        tops = data.draw(st.lists(st.integers(1, 3), max_size=2))
        k, m = data.draw(st.integers(0, 3)), data.draw(st.integers(0, 3))
        if kind != "multiset" and (s > n or any(top > n for top in tops)):
            s, tops = 1, []
        numbers.append(exact_statistic(code, TOGETHER, (n, s, *tops), k, m))
        group = ["s"] * s + [x for x, top in zip("ab", tops, strict=False) for _ in range(top)]
        ratio = oracle.target_ratio(group, n, kind, "s", 2, k)
        fractions.append(ratio * oracle.relatives_ratio(group, n, kind, "s", m, k + 1))
    with pytest.MonkeyPatch.context() as patch:
        if is_long:
            patch.setattr(dimension_formulas, "LONG", 0)
        one, other = numbers
        assert (one < other) == (fractions[0] < fractions[1])
        assert (one <= other) == (fractions[0] <= fractions[1])
        assert (one == other) == (fractions[0] == fractions[1])
        assert one.breach() == 1 / (1 + fractions[0])


def test_a_group_of_seventy_thousand_is_settled_in_a_moment():
    """Two numbers of millions of bits that differ in the eleventh digit."""
    amounts = [exact_statistic(2, TOGETHER, (71518, 18101, 277553), k, 0) for k in (0, 1, 0)]
    assert amounts[1] < amounts[0] == amounts[2]


# --- values, bad input, size


def test_a_value_is_found_by_its_text():
    groups = gy.Groups.from_lists([[250, 401, 401]])
    assert gy.breach(groups, "250", 0, 0, 0) == gy.breach(groups, 250, 0, 0, 0)
    assert gy.skyline_find(groups, "250", "0.5") == gy.skyline_find(groups, 250, "0.5")


@pytest.mark.parametrize("amounts", [(-1, 0, 0), (0, 1.5, 0), (0, 0, "two"), (True, 0, 0)])
def test_amounts_are_whole_numbers(amounts):
    with pytest.raises(gy.GygesError, match="whole number"):
        gy.breach(made(["sa"]), "s", *amounts)


@pytest.mark.parametrize("confidence", ["0", "1.5", -1, "half"])
def test_a_confidence_is_a_probability_above_zero(confidence):
    with pytest.raises(gy.GygesError, match="confidence"):
        gy.skyline_find(made(["sa"]), "s", confidence)


def test_no_groups_hold_nobody():
    groups = made(["sa"]).take([])
    assert gy.breach(groups, "s", 1, 1, 1).probability == 0
    assert gy.breach(groups, "s", 1, 1, 1).witness.target is None
    assert gy.skyline_find(groups, "s", "0.5") == [(math.inf, math.inf, math.inf)]


@pytest.mark.parametrize("m", [3, 400, 2000])
def test_products_far_below_the_smallest_float_are_told_from_zero(m):
    """At confidence 1 a probability of 10^-400 that the target lacks the value still counts."""
    groups = made(["s" * 3000 + "a" * (m + 1)])
    assert gy.breach(groups, "s", m=m).probability < 1
    assert gy.breach(groups, "s", m=m + 1).probability == 1
    assert gy.skyline_find(groups, "s", 1)[0] == (0, 0, m)


def test_the_page_for_stewards_says_what_is_so():
    page = Path(__file__).parents[2] / "docs" / "attackers" / "dimensions.md"
    outcome = doctest.testfile(str(page), module_relative=False)
    assert outcome.attempted > 10
    assert outcome.failed == 0


def test_a_result_with_a_very_long_fraction_shows_itself():
    """Python writes no integer of more than 4,300 digits."""
    values = [["a"] * 20_000 + ["b"] * 20_000]
    groups = gy.Groups.from_lists(values, people=[50], values_per_person="multiset")
    found = gy.breach(groups, "a", 1, 3, 3)
    verdict = gy.judge([gy.Skyline({"a": [(1, 3, 3, "0.9")]})], groups)
    assert repr(found).startswith("<Breach: ") and "BreachWitness" in repr(found.witness)
    assert repr(verdict).startswith("<Verdict: not safe")
    assert repr(verdict.failures[0]).startswith("<Failure: ")
