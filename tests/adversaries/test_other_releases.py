"""The attacker who holds other releases: against loops, the paper's table, and the errata."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.ambiguous_matches import with_united_groups
from gyges.adversaries.bayesian_composition import multiply
from gyges.adversaries.other_releases import NOWHERE, SEVERAL, Locatable
from gyges.adversaries.people_lookup import locate
from gyges.errors import GroupsError, RuleError
from gyges.kernels import bit_sets
from gyges.release.lookup import Candidates
from tests.oracles import composition

PEOPLE = [f"p{i}" for i in range(6)]


@st.composite
def releases(draw, max_releases=3, n_values=4, same_values=False):
    """Releases over the same few people; each holds some of them, in groups of any sizes."""
    letters = st.sampled_from("abcdefgh"[:n_values])
    fixed = {person: draw(letters) for person in PEOPLE}
    made = []
    for _ in range(draw(st.integers(1, max_releases))):
        there = draw(st.lists(st.sampled_from(PEOPLE), min_size=1, unique=True))
        group = [draw(st.integers(0, 2)) for _ in there]
        rows = [(name, fixed[name] if same_values else draw(letters)) for name in there]
        parts = [[row for row, g in zip(rows, group, strict=True) if g == k] for k in range(3)]
        made.append([part for part in parts if part])
    return made


def as_groups(release):
    return gy.Groups.from_lists(
        [[value for _, value in group] for group in release],
        members=[[person for person, _ in group] for group in release],
    )


def everybody(made):
    return sorted({person for release in made for group in release for person, _ in group})


@given(made=releases())
def test_the_attack_agrees_with_intersecting_sets_one_person_at_a_time(made):
    people = everybody(made)
    attack = gy.intersection_attack([as_groups(r) for r in made], people)

    for i, person in enumerate(people):
        by_release, common = composition.intersect(made, person)
        assert attack.prior[i].tolist() == [len(values) for values in by_release]
        assert attack.posterior[i] == len(common)
        assert attack.drop[i] == min(len(values) for values in by_release) - len(common)
        assert attack.vulnerable[i] == (attack.drop[i] > 0)
        assert attack.contradicted[i] == (not common)
        assert attack.possible(person) == attack.possible(i) == sorted(common)


@given(made=releases(), confidence=st.fractions(0, 1, max_denominator=6))
def test_the_exposed_share_agrees_with_counting(made, confidence):
    people = everybody(made)
    attack = gy.intersection_attack([as_groups(r) for r in made], people)

    assert attack.exposed(confidence) == composition.exposed(made, people, confidence)
    alone = np.array([[len(s) for s in composition.intersect(made, p)[0]] for p in people])
    before = sum(Fraction(1, int(n)) >= confidence for n in alone.min(axis=1))
    assert attack.exposed_before(confidence) == Fraction(before, len(people))


@given(made=releases())
def test_multiplying_shares_agrees_with_the_formula_in_fractions(made):
    people = everybody(made)
    attack = gy.intersection_attack([as_groups(r) for r in made], people).bayesian

    for i, person in enumerate(people):
        expected = composition.multiply(made, person)
        assert attack.posterior(person) == expected
        if expected:
            assert attack.confidence[i] == pytest.approx(float(max(expected.values())))
            best = attack.located.values[attack.guess[i]]
            assert expected[best] == max(expected.values())
        else:
            assert np.isnan(attack.confidence[i]) and attack.guess[i] == -1


@given(made=releases(), confidence=st.sampled_from([Fraction(1, n) for n in (1, 2, 3, 5)]))
def test_what_one_release_tells_by_shares_is_the_best_of_each_alone(made, confidence):
    people = everybody(made)
    attack = gy.intersection_attack([as_groups(r) for r in made], people).bayesian
    shares = [
        [max(composition.multiply([r], p).values(), default=0) for r in made if p in everybody([r])]
        for p in people
    ]
    alone = sum(max(found) >= confidence for found in shares)
    assert attack.exposed_before(confidence) >= Fraction(alone, len(people))
    absent = any(len(found) < len(made) for found in shares)
    if not absent:
        assert attack.exposed_before(confidence) == Fraction(alone, len(people))


@given(made=releases(), data=st.data())
def test_the_bayesian_threshold_is_exact(made, data):
    """At a person's own confidence that person is exposed; a hair above, no longer."""
    people = everybody(made)
    attack = gy.intersection_attack([as_groups(r) for r in made], people).bayesian
    expected = [max(composition.multiply(made, p).values(), default=Fraction(-1)) for p in people]

    own = data.draw(st.sampled_from([e for e in expected if e >= 0] or [Fraction(1, 2)]))
    for threshold in (own, min(own + Fraction(1, 10**30), Fraction(1))):
        assert attack.is_exposed(threshold).tolist() == [e >= threshold for e in expected]


@given(made=releases(), confidence=st.fractions(0, 1, max_denominator=7))
def test_multiplying_is_never_weaker_than_intersecting(made, confidence):
    """The same values stay possible, and the largest belief is at least 1/|S|."""
    people = everybody(made)
    attack = gy.intersection_attack([as_groups(r) for r in made], people)

    assert (attack.bayesian.is_exposed(confidence) >= attack.is_exposed(confidence)).all()
    for person in people:
        assert set(attack.bayesian.posterior(person)) == set(attack.possible(person))


@given(made=releases(same_values=True))
def test_the_true_value_stays_possible_when_it_is_the_same_everywhere(made):
    people = everybody(made)
    attack = gy.intersection_attack([as_groups(r) for r in made], people)
    truth = {name: value for release in made for group in release for name, value in group}

    assert not attack.contradicted.any()
    assert all(truth[person] in attack.possible(person) for person in people)


@given(made=releases(max_releases=1))
def test_one_release_alone_gives_back_its_shares(made):
    groups = as_groups(made[0])
    attack = gy.intersection_attack([groups], everybody(made))

    assert (attack.drop == 0).all()
    for person in everybody(made):
        held = [value for _, value in composition.group_of(made[0], person)]
        shares = {v: Fraction(held.count(v), len(held)) for v in held}
        assert attack.bayesian.posterior(person) == shares


@given(
    sets=st.lists(st.sets(st.integers(0, 199)), min_size=1, max_size=5),
    data=st.data(),
)
def test_bit_sets_intersect_like_sets(sets, data):
    """Over 200 numbers, so that several words and the last, half-used one take part."""
    entries = [(i, n) for i, members in enumerate(sets) for n in sorted(members)]
    where, numbers = np.array(entries, dtype=np.int64).reshape(-1, 2).T
    words = bit_sets.pack(where, numbers, len(sets), 200)
    picked = st.lists(st.integers(-1, len(sets) - 1), min_size=2, max_size=2)
    chosen = data.draw(st.lists(picked, min_size=1))
    common = np.zeros(len(chosen), dtype=np.int64)
    bit_sets.add_common(words, np.array([0, 0]), np.array(chosen), common)

    full = [*sets, set(range(200))]
    assert bit_sets.cardinalities(words).tolist() == [len(s) for s in full]
    assert common.tolist() == [len(full[a] & full[b]) for a, b in chosen]


def test_more_values_than_one_block_are_intersected_block_by_block():
    rng = np.random.default_rng(7)
    values = [f"v{i:05d}" for i in range(9_000)]
    held = [[sorted(rng.choice(values, 40, replace=False)) for _ in range(20)] for _ in range(2)]
    for mine, others in zip(*held, strict=True):
        others[:3] = mine[:3]
    names = [[f"{g}.{i}" for i in range(40)] for g in range(20)]
    made = [gy.Groups.from_lists(groups, members=names) for groups in held]
    attack = gy.intersection_attack(made, ["0.0", "7.3", "19.39"])

    for i, g in enumerate((0, 7, 19)):
        common = set(held[0][g]) & set(held[1][g])
        assert attack.posterior[i] == len(common)
        assert attack.prior[i].tolist() == [len(set(held[0][g])), len(set(held[1][g]))]


HOSPITALS = (
    [
        ["AIDS", "Heart Disease", "Viral Infection", "Viral Infection"],
        ["Cancer", "Heart Disease", "Viral Infection", "Viral Infection"],
        ["Cancer", "Cancer", "Cancer", "Cancer"],
    ],
    [
        ["AIDS", "Tuberculosis", "Flu", "Tuberculosis", "Cancer", "Cancer"],
        ["Cancer", "Cancer", "Cancer", "Tuberculosis", "Viral Infection", "Viral Infection"],
    ],
)


@dataclass(frozen=True)
class ByAge:
    """A published table whose groups are ranges of ages, all in one zip area."""

    groups: gy.Groups
    ranges: list[tuple[int, int]]
    zips: str = "130"

    def locate(self, people):
        rows = people.fetch(["age", "zip"])
        found = []
        for age, code in zip(*(rows.column(c).to_pylist() for c in rows.column_names), strict=True):
            fits = [g for g, (low, high) in enumerate(self.ranges) if low <= age <= high]
            fits = fits if str(code).startswith(self.zips) else []
            found.append(fits[0] if len(fits) == 1 else SEVERAL if fits else NOWHERE)
        return np.array(found)


def hospitals():
    first, second = (gy.Groups.from_lists(groups) for groups in HOSPITALS)
    return [ByAge(first, [(0, 29), (40, 120), (30, 39)]), ByAge(second, [(0, 34), (35, 120)])]


def people(ages, codes):
    schema = gy.Schema(quasi_identifiers=["age", "zip"], kinds={"zip": "code"})
    return gy.read({"age": ages, "zip": codes}, schema)


def test_table_1_of_the_paper_tells_that_alice_has_aids():
    """[Ganta2008, Table 1]: 28 years old, zip code 13012, in both hospitals."""
    made = hospitals()
    assert isinstance(made[0], Locatable)
    attack = gy.intersection_attack(made, people([28], ["13012"]))

    assert attack.prior.tolist() == [[3, 4]] and attack.posterior.tolist() == [1]
    assert attack.possible(0) == ["AIDS"]
    assert attack.exposed("1") == 1 and attack.exposed_before("1") == 0
    assert attack.bayesian.posterior(0) == {"AIDS": Fraction(1)}


def test_people_in_their_thirties_were_disclosed_before_any_joining():
    """[Ganta2008, Table 1(a)], errata G3: all Cancer; no drop, yet certain."""
    attack = gy.intersection_attack(hospitals(), people([38, 28], ["13012", "13012"]))

    assert attack.already_disclosed.tolist() == [True, False]
    assert attack.vulnerable.tolist() == [False, True]
    assert attack.exposed(1) == 1 and attack.exposed_before(1) == Fraction(1, 2)


def test_people_who_cannot_be_located_are_counted_and_learn_nothing_from_that_release():
    made = hospitals()
    overlapping = ByAge(made[1].groups, [(0, 50), (35, 120)])
    attack = gy.intersection_attack(
        [made[0], overlapping], people([28, 38, 28], ["13012", "13012", "99999"])
    )

    assert attack.n_unlocated.tolist() == [1, 1] and attack.n_ambiguous.tolist() == [0, 1]
    everything = len(attack.located.values)
    assert attack.prior.tolist() == [[3, 4], [1, everything], [everything, everything]]
    assert attack.posterior.tolist() == [1, 1, everything]
    overall = attack.bayesian.posterior(2)
    assert sum(overall.values()) == 1 and overall["Cancer"] == Fraction(10, 24)
    assert attack.bayesian.confidence[2] == pytest.approx(10 / 24)
    assert "release 2: 1 fit one group, 1 fit several and 1 fit none" in str(attack)


@given(
    groups=st.lists(
        st.lists(st.sampled_from("abc"), min_size=1, max_size=5), min_size=2, max_size=4
    ),
    data=st.data(),
)
def test_somebody_who_fits_several_groups_has_the_shares_of_all_rows_that_may_be_theirs(
    groups, data
):
    """One row of a group that looks like the person is drawn; its value is any of the group's."""
    made = gy.Groups.from_lists(groups)
    lists = data.draw(
        st.lists(st.lists(st.sampled_from(range(len(groups))), unique=True), min_size=1, max_size=4)
    )
    rows = [[data.draw(st.integers(1, len(groups[g]))) for g in fits] for fits in lists]
    starts = np.cumsum([0, *(len(fits) for fits in lists)])
    flat = [
        np.array([x for part in parts for x in part], dtype=np.int64) for parts in (lists, rows)
    ]
    joined, group_of_cell = with_united_groups(made, Candidates(starts, *flat))

    for fits, alike, group in zip(lists, rows, group_of_cell, strict=True):
        if not fits:
            assert group == NOWHERE
            continue
        for code, value in enumerate(made.values):
            share = sum(
                Fraction(r, sum(alike)) * Fraction(groups[g].count(value), len(groups[g]))
                for g, r in zip(fits, alike, strict=True)
            )
            assert Fraction(int(joined.counts[group, code]), int(joined.sizes[group])) == share


def test_a_common_denominator_that_is_too_large_falls_back_to_sizes():
    """Groups of 1009, 1013, … people have no small common denominator: their sizes decide."""
    primes = [1009, 1013, 1019, 1021, 1031]
    groups = gy.Groups.from_lists([["a"] + ["b"] * (p - 1) for p in primes])
    candidates = Candidates(np.array([0, 5]), np.arange(5), np.full(5, 2))
    joined, group_of_cell = with_united_groups(groups, candidates)

    assert joined.sizes[group_of_cell[0]] == sum(primes)
    assert joined.counts[group_of_cell[0]].tolist() == [5, sum(primes) - 5]


def test_releases_of_gyges_are_attacked_in_every_form():
    """One table in two forms; overlapping labels and equal people make several groups fit."""
    rng = np.random.default_rng(6)
    columns = {
        "age": rng.integers(20, 40, 60).tolist(),
        "sex": rng.choice(["F", "M"], 60).tolist(),
        "ill": rng.choice(["Cold", "Flu", "Gout"], 60).tolist(),
    }
    schema = gy.Schema(quasi_identifiers=["age", "sex"], sensitive="ill")
    table = gy.read(columns, schema)
    forms = ["generalized", "bucketized"]
    releases = [
        gy.publish(table, [gy.KAnonymity(k)], form=f) for k, f in zip((4, 7), forms, strict=True)
    ]
    attack = gy.intersection_attack(releases, table)

    assert not attack.contradicted.any() and not attack.n_unlocated.any()
    for row, truth in enumerate(columns["ill"]):
        assert truth in attack.possible(row)
        for j, release in enumerate(releases):
            own = release.group_of_row[row]
            if attack.located.found[row, j] != SEVERAL:
                assert attack.located.found[row, j] == own


def test_a_value_that_changed_leaves_nothing_possible():
    """Errata G2, {a,b} and {c}: flagged, in the vulnerable population, never in VP_C."""
    one = gy.Groups.from_lists([["a", "b"]], members=[["Ann", "Bob"]])
    two = gy.Groups.from_lists([["c"]], members=[["Ann"]])
    attack = gy.intersection_attack([one, two], ["Ann"])

    assert attack.contradicted.all() and attack.vulnerable.all()
    assert attack.exposed(0) == attack.exposed(1) == 0
    assert attack.bayesian.exposed(0) == 0 and attack.bayesian.posterior("Ann") == {}
    assert "contradict" in str(attack)


def test_the_two_average_drops_differ_and_have_their_own_names():
    """Errata G4: {abc},{abc},{a} and {a},{abc},{abc}."""
    one = gy.Groups.from_lists(
        [["a", "b", "c"], ["a", "b", "c"], ["a"]], members=[["x", 1, 2], ["y", 3, 4], ["z"]]
    )
    two = gy.Groups.from_lists(
        [["a"], ["a", "b", "c"], ["a", "b", "c"]], members=[["x"], ["y", 5, 6], ["z", 7, 8]]
    )
    attack = gy.intersection_attack([one, two], ["x", "y", "z"])

    assert attack.average_drop == 0
    assert attack.average_drop_by_release == [Fraction(2, 3), Fraction(2, 3)]


def test_confidence_is_compared_in_whole_numbers():
    """Errata G5: a set of three counts at 0.33 and 1/3, not at 0.34 or a hair above 1/3."""
    groups = gy.Groups.from_lists([["a", "b", "c"]], members=[["Ann", "Bob", "Eve"]])
    attack = gy.intersection_attack([groups, groups], ["Ann"])

    assert attack.exposed("0.33") == attack.exposed("1/3") == 1
    assert attack.exposed("0.34") == attack.exposed(Fraction(1, 3) + Fraction(1, 10**30)) == 0


def test_values_that_read_the_same_are_one_value():
    one = gy.Groups.from_lists([[1, 2]], members=[["Ann", "Bob"]])
    two = gy.Groups.from_lists([["2", "3"]], members=[["Ann", "Bob"]])

    assert gy.intersection_attack([one, two], ["Ann"]).possible("Ann") == [2]


def test_a_hundred_releases_stay_in_range():
    """Products of a hundred small shares leave the range of a double; their ratio does not."""
    values = ["a"] + ["b"] * 999
    groups = gy.Groups.from_lists([values], members=[[f"p{i}" for i in range(1000)]])
    attack = gy.intersection_attack([groups] * 120, ["p0"]).bayesian

    expected = attack.posterior("p0")
    assert (
        attack.confidence[0] == pytest.approx(float(expected["b"])) and sum(expected.values()) == 1
    )


def test_a_table_of_people_is_found_by_its_identifier_in_groups_with_members():
    groups = gy.Groups.from_lists([["a", "b"]], members=[["7", "8"]])
    schema = gy.Schema(identifiers=["id"], quasi_identifiers=["age"])
    table = gy.read({"id": [8, 9], "age": [30, 40]}, schema)

    attack = gy.intersection_attack([groups], table)
    assert attack.located.found.tolist() == [[0], [NOWHERE]]


def test_a_prior_of_ones_own_replaces_the_overall_shares():
    one = gy.Groups.from_lists([["a", "b"]], members=[["Ann", "Bob"]])
    two = gy.Groups.from_lists([["a", "b", "b"]], members=[["Ann", "Bob", "Eve"]])
    located = locate([one, two], ["Ann"])

    even = multiply(located, {"a": "1/2", "b": "1/2"})
    assert even.posterior("Ann") == {"a": Fraction(1, 3), "b": Fraction(2, 3)}
    never = multiply(located, {"a": 1, "b": 0})
    assert never.posterior("Ann") == {"a": 1} and never.confidence[0] == 1
    for wrong in ({"a": 1}, {"a": "0.5", "b": "0.6"}, {"a": 2, "b": -1}):
        with pytest.raises(RuleError):
            multiply(located, wrong)


def test_bad_input_is_refused_in_words():
    named = gy.Groups.from_lists([["a", "b"]], members=[["Ann", "Bob"]])
    nameless = gy.Groups.from_lists([["a", "b"]])
    several = gy.Groups.from_lists([["a"]], members=[["Ann"]], values_per_person="set")
    table = people([28], ["13012"])
    refused = [
        ([], ["Ann"], "at least one release"),
        ([named], [], "at least one person"),
        ([named], "Ann", "list of names"),
        ([named], ["Zoe"], "in none of the releases"),
        ([several], ["Ann"], "several sensitive values"),
        ([named], table, "identifier"),
        ([42], ["Ann"], "is not a release"),
        (hospitals(), ["Ann"], "does not name its people"),
    ]
    for made, who, why in refused:
        with pytest.raises(RuleError, match=why):
            gy.intersection_attack(made, who)
    with pytest.raises(GroupsError, match="groups without members"):
        gy.intersection_attack([nameless], ["Ann"])
    attack = gy.intersection_attack([named], ["Ann"])
    for nobody in ("Zoe", 1, -1):
        with pytest.raises(RuleError):
            attack.possible(nobody)
    with pytest.raises(RuleError):
        attack.exposed("1.5")


def test_a_release_that_locates_people_in_groups_it_lacks_is_refused():
    broken = ByAge(gy.Groups.from_lists([["a"]]), [(90, 99), (0, 50)])
    with pytest.raises(GroupsError, match="do not exist"):
        gy.intersection_attack([broken], people([28], ["13012"]))
