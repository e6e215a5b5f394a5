"""The attacker who uses all counts of all releases: against enumeration of every world."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries import joint_slices, joint_solution
from gyges.adversaries import joint_worlds as counting
from gyges.adversaries.joint_counts import joint_counts
from gyges.adversaries.joint_exchanges import agrees, shown_by_exchanges
from gyges.adversaries.known_world import world_of
from gyges.adversaries.people_lookup import locate
from gyges.errors import RuleError
from gyges.release.locating import NOWHERE
from gyges.release.lookup import Candidates
from tests.oracles import joint_worlds

PEOPLE = [f"p{i}" for i in range(5)]
MANY = settings(max_examples=1_000)


@st.composite
def releases(draw, max_releases=3, n_values=3):
    """Releases about the same few people, each with some of them; nobody's value changes."""
    truth = {person: draw(st.sampled_from("abcd"[:n_values])) for person in PEOPLE}
    made = []
    for _ in range(draw(st.integers(1, max_releases))):
        there = draw(st.lists(st.sampled_from(PEOPLE), min_size=1, unique=True))
        group_of = {person: draw(st.integers(0, 2)) for person in there}
        groups = [[(p, truth[p]) for p in there if group_of[p] == g] for g in range(3)]
        made.append([group for group in groups if group])
    return made


def as_groups(release):
    return gy.Groups.from_lists(
        [[value for _, value in group] for group in release],
        members=[[person for person, _ in group] for group in release],
    )


def everybody(made):
    return sorted({person for release in made for group in release for person, _ in group})


def attacked(made, people=None):
    return gy.intersection_attack(
        [as_groups(release) for release in made], people or everybody(made), joint=True
    )


@MANY
@given(made=releases())
def test_the_joint_attack_is_the_enumeration_of_worlds(made):
    """Small cases are counted: possible values, certainty and every probability are exact."""
    attack, found = attacked(made), joint_worlds.worlds(made)
    assert attack.is_exact and not attack.contradicted.any()
    for row, person in enumerate(everybody(made)):
        expected = joint_worlds.shares(found, person)
        assert attack.possible[row] == set(expected)
        assert attack.posterior[row] == attack.n_shown[row] == len(expected)
        assert attack.certain[row] == (len(expected) == 1)
        assert attack.exact_probability(person) == expected
        by_value = dict(zip(attack.located.values, attack.probability[row], strict=True))
        assert by_value == pytest.approx({v: float(expected.get(v, 0)) for v in by_value})
        for value, (least, most) in attack.bounds(person).items():
            assert least <= expected[value] <= most
    assert not attack.is_undecided(1).any() and not attack.is_undecided("0.5").any()


@MANY
@given(made=releases())
def test_without_counting_nothing_possible_is_excluded_and_nothing_impossible_is_shown(made):
    """Sums and slices only exclude what no world has, exchanges only show what some world has."""
    attack, found = attacked(made), joint_worlds.worlds(made)
    counts, people = attack.counts, everybody(made)
    code = {value: c for c, value in enumerate(attack.located.values)}
    truth = np.array([code[found[0][person]] for person in people])
    world = world_of(counts, counts.cohort_of_person, truth)
    assert world is not None and agrees(counts, world)
    for known in (None, world):
        low, high = counts.bounds()
        assert not counts.tighten(low, high).any()
        assert not joint_slices.fix_by_slices(counts, low, high, known).any()
        shown = shown_by_exchanges(counts, world, low < high)
        for row, person in enumerate(people):
            c = counts.cohort_of_person[row]
            own = slice(counts.starts[c], counts.starts[c + 1])
            possible = {code[value] for value in joint_worlds.shares(found, person)}
            assert set(counts.value[own][shown[own]].tolist()) <= possible
            assert possible <= set(counts.value[own][high[own] > 0].tolist())
            for v, least, most in zip(counts.value[own], low[own], high[own], strict=True):
                mates = [p for r, p in enumerate(people) if counts.cohort_of_person[r] == c]
                held = {sum(code[w[mate]] == v for mate in mates) for w in found}
                assert least <= min(held) and max(held) <= most


@given(made=releases(), data=st.data())
def test_the_other_members_take_part_in_the_worlds(made, data):
    """It does not matter how many of the people are asked for, or how often."""
    people = everybody(made)
    asked = data.draw(st.lists(st.sampled_from(people), min_size=1, max_size=4))
    some, whole = attacked(made, asked), attacked(made)
    for row, person in enumerate(asked):
        assert some.possible[row] == whole.possible[people.index(person)]
        assert some.exact_probability(person) == whole.exact_probability(person)


@given(made=releases(max_releases=1))
def test_one_release_gives_its_shares(made):
    attack = attacked(made)
    for group in made[0]:
        held = [value for _, value in group]
        for person, _ in group:
            assert attack.exact_probability(person) == {
                value: Fraction(held.count(value), len(held)) for value in held
            }


@given(made=releases())
def test_the_joint_attacker_is_never_weaker_than_intersection(made):
    joint = attacked(made)
    sets = gy.intersection_attack([as_groups(release) for release in made], everybody(made))
    assert (joint.posterior <= sets.posterior).all()
    assert (joint.prior == sets.prior).all() and (joint.by_intersection == sets.posterior).all()
    assert (joint.is_exposed("0.5") >= sets.is_exposed("0.5")).all()


@given(made=releases(), data=st.data())
def test_contradictions_are_noticed_and_nothing_is_called_certain_about_those_people(made, data):
    """One value is changed: either some world still agrees, or somebody is contradicted."""
    release = data.draw(st.sampled_from(made))
    group = data.draw(st.sampled_from(release))
    group[0] = (group[0][0], data.draw(st.sampled_from("abcd")))
    attack, found = attacked(made), joint_worlds.worlds(made)
    assert attack.contradicted.any() == (not found)
    assert not (attack.certain & attack.contradicted).any()
    assert (attack.is_undecided(1) >= attack.contradicted).all()
    if not found:
        assert not attack.is_exact
        with pytest.raises(RuleError):
            attack.exact_probability(int(attack.contradicted.argmax()))


def test_three_people_of_two_releases_are_all_certain():
    """{1, 2}: x, y and {1, 3}: x, z. Then 1 has x, so 2 has y and 3 has z."""
    made = [[[("1", "x"), ("2", "y")]], [[("1", "x"), ("3", "z")]]]
    attack = attacked(made)
    assert attack.certain.tolist() == [True, True, True]
    assert attack.possible == [{"x"}, {"y"}, {"z"}]
    sets = gy.intersection_attack([as_groups(r) for r in made], ["1", "2", "3"])
    assert sets.posterior.tolist() == [1, 2, 2]


def test_a_newcomer_is_the_difference_of_two_groups():
    first = [[("Ann", "flu"), ("Bob", "mumps"), ("Carl", "gout")]]
    second = [[*first[0], ("Dan", "gout")]]
    attack = attacked([first, second])
    assert attack.possible[3] == {"gout"} and attack.certain.tolist() == [False] * 3 + [True]
    assert "certain for 1 of them (25%, proven)" in str(attack)


def test_a_leaver_and_a_newcomer_are_both_certain():
    first = [[("Ann", "flu"), ("Bob", "mumps"), ("Carl", "gout")]]
    second = [[("Ann", "flu"), ("Bob", "mumps"), ("Dan", "cold")]]
    attack = attacked([first, second])
    assert attack.certain.tolist() == [False, False, True, True]


def test_people_in_both_releases_whose_sets_all_stay_the_same():
    """Every group has both values, so sets say nothing; in all six worlds the fourth has a."""
    first = [[("0", "a"), ("1", "c"), ("2", "c")], [("3", "a"), ("4", "a"), ("5", "c")]]
    second = [[("0", "a"), ("1", "c"), ("2", "c"), ("3", "a")], [("4", "a"), ("5", "c")]]
    attack = attacked([first, second])
    assert len(joint_worlds.worlds([first, second])) == 6
    assert attack.certain.tolist() == [False] * 3 + [True] + [False] * 2
    assert not attack.vulnerable[:3].any() and attack.exposed(1) == Fraction(1, 6)


@dataclass(frozen=True)
class Located:
    """A release that says of each row of a table which group it is in."""

    groups: gy.Groups
    found: tuple[int, ...]

    def locate(self, people):
        return np.array(self.found)


def rows(n, **columns):
    sensitive = "ill" if "ill" in columns else None
    schema = gy.Schema(quasi_identifiers=["age"], sensitive=sensitive)
    return gy.read({"age": list(range(n)), **columns}, schema)


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
@settings(max_examples=150)
@given(data=st.data())
def test_people_of_a_group_who_were_not_looked_up_may_be_anybody(data):
    """Strangers of two releases may be two people or one; two leave the most worlds."""
    n = data.draw(st.integers(1, 4))
    truth = [data.draw(st.sampled_from("ab")) for _ in range(n)]
    made, located = [], []
    for j in range(2):
        found = [data.draw(st.integers(-1, 1)) for _ in range(n)]
        strangers = [data.draw(st.lists(st.sampled_from("abc"), max_size=2)) for _ in range(2)]
        groups = [
            [(f"{i}", truth[i]) for i in range(n) if found[i] == g]
            + [(f"s{j}{g}{k}", value) for k, value in enumerate(strangers[g])]
            for g in range(2)
        ]
        place = np.cumsum([bool(group) for group in groups]) - 1
        if not any(found[i] >= 0 for i in range(n)):
            return
        made.append([group for group in groups if group])
        lists = gy.Groups.from_lists([[v for _, v in group] for group in made[-1]])
        located.append(Located(lists, tuple(int(place[g]) if g >= 0 else NOWHERE for g in found)))
    found = joint_worlds.worlds(made)
    for people in (rows(n), rows(n, ill=truth)):
        attack = gy.intersection_attack(located, people, joint=True)
        assert attack.is_exact
        for i in range(n):
            if attack.located.is_anywhere[i]:
                assert attack.exact_probability(i) == joint_worlds.shares(found, f"{i}")
            else:
                assert attack.possible[i] == set(attack.located.values)


def test_more_people_than_a_group_holds_are_not_placed_and_nobody_is_called_safe():
    """Somebody is new and nobody says who: whoever knows it knows a value."""
    first = Located(gy.Groups.from_lists([["flu", "gout", "mumps"]]), (0, 0, 0, 0))
    second = Located(gy.Groups.from_lists([["flu", "gout", "gout", "mumps"]]), (0, 0, 0, 0))
    people = rows(4)
    attack = gy.intersection_attack([first, second], people, joint=True)
    assert attack.counts.n_unplaced == (4, 0)
    assert not attack.certain.any() and attack.is_undecided(1).all() and not attack.is_exact
    present = [[True, True], [True, True], [True, True], [False, True]]
    attack = gy.intersection_attack([first, second], people, joint=True, present=present)
    assert attack.certain.tolist() == [False] * 3 + [True] and attack.possible[3] == {"gout"}
    assert attack.is_exact and not attack.is_undecided(1).any()
    with pytest.raises(RuleError, match="for each of 4 people and 2 releases"):
        gy.intersection_attack([first, second], people, joint=True, present=[[True]])


@dataclass(frozen=True)
class Overlapping:
    """A release in whose groups people fit by a list of candidates each."""

    groups: gy.Groups
    fits: tuple[tuple[int, ...], ...]

    def locate(self, people):
        return self.candidates(people).only

    def candidates(self, people):
        starts = np.cumsum([0, *(len(one) for one in self.fits)])
        groups = np.array([g for one in self.fits for g in one], dtype=np.int64)
        return Candidates(starts, groups, self.groups.sizes[groups])


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
@settings(max_examples=150)
@given(data=st.data())
def test_nothing_possible_is_excluded_for_people_who_fit_several_groups(data):
    n = data.draw(st.integers(2, 4))
    truth = [data.draw(st.sampled_from("abc")) for _ in range(n)]
    overlapping, made = [], []
    for _ in range(2):
        own = [data.draw(st.integers(0, 1)) for _ in range(n)]
        groups = [[truth[i] for i in range(n) if own[i] == g] for g in range(2)]
        if not all(groups):
            return
        fits = [{own[i], *data.draw(st.sets(st.integers(0, 1)))} for i in range(n)]
        lists = gy.Groups.from_lists(groups)
        overlapping.append(Overlapping(lists, tuple(tuple(sorted(one)) for one in fits)))
        made.append((groups, fits))
    found = joint_worlds.worlds_of_candidates(made, n)
    for people in (rows(n), rows(n, ill=truth)):
        attack = gy.intersection_attack(overlapping, people, joint=True)
        for i in range(n):
            possible = {world[i] for world in found}
            assert possible <= attack.possible[i]
            assert attack.n_shown[i] <= len(possible)
            assert attack.certain[i] <= (len(possible) == 1)
            if attack.is_exact_for[i]:
                assert possible == attack.possible[i]


def test_what_was_not_counted_is_undecided_and_bounds_are_said(monkeypatch):
    """A system that propagation leaves open: without counting, nothing is claimed to be exact."""
    names = ["0", "1", "2", "3"]
    first = [[("0", "a"), ("1", "b")], [("2", "a"), ("3", "b")]]
    second = [[("0", "a"), ("3", "b")], [("1", "b"), ("2", "a")]]
    exact = attacked([first, second])
    assert exact.is_exact
    monkeypatch.setattr(counting, "_MOST_REMAINDERS", 1)
    attack = attacked([first, second])
    assert not attack.is_exact
    assert (attack.posterior >= exact.posterior).all() and (attack.n_shown <= exact.n_shown).all()
    assert attack.probability.sum(axis=1) == pytest.approx(1)
    for person in names:
        for value, (least, most) in attack.bounds(person).items():
            assert least <= exact.exact_probability(person).get(value, 0) <= most
        with pytest.raises(RuleError, match="not counted"):
            attack.exact_probability(person)


def test_a_table_with_values_is_the_world_that_shows_what_is_possible(monkeypatch):
    """With counting switched off, exchanges from the table's own values settle what they can."""
    monkeypatch.setattr(counting, "_MOST_REMAINDERS", 1)
    monkeypatch.setattr(joint_solution, "_MOST_OF_PROGRAM", 0)
    first = Located(gy.Groups.from_lists([list("ab"), list("ab")]), (0, 0, 1, 1))
    second = Located(gy.Groups.from_lists([list("ab"), list("ab")]), (0, 1, 1, 0))
    blind = gy.intersection_attack([first, second], rows(4), joint=True)
    assert blind.is_undecided(1).all()
    known = gy.intersection_attack([first, second], rows(4, ill=list("abab")), joint=True)
    assert not known.is_undecided(1).any() and (known.n_shown == 2).all()
    wrong = gy.intersection_attack([first, second], rows(4, ill=list("aabb")), joint=True)
    assert wrong.is_undecided(1).all(), "values that do not agree with the releases show nothing"


def test_several_values_per_person_are_refused():
    several = gy.Groups.from_lists([["a"]], members=[["Ann"]], values_per_person="set")
    with pytest.raises(RuleError, match="several sensitive values"):
        gy.intersection_attack([several], ["Ann"], joint=True)


def test_cohorts_are_the_people_with_the_same_groups():
    one = as_groups([[("a", "x"), ("b", "y"), ("c", "x")]])
    two = as_groups([[("a", "x"), ("b", "y")]])
    names = ["a", "b", "c"]
    counts = joint_counts(locate([one, two], names), np.arange(3))
    assert counts.people.tolist() == [1, 2] and not counts.is_stranger.any()


@given(made=releases(), data=st.data())
def test_values_that_may_change_into_each_other_count_as_one(made, data):
    """b and c may change into each other: the worlds are those of the classes a and "b or c"."""
    changed = [
        [[(p, data.draw(st.sampled_from("bc")) if v in "bc" else v) for p, v in g] for g in release]
        for release in made
    ]
    people = everybody(made)
    groups = [as_groups(release) for release in changed]
    attack = gy.intersection_attack(groups, people, joint=True, similar={"b or c": ["b", "c"]})
    classes = [
        [[(p, "b or c" if v in "bc" else v) for p, v in g] for g in release] for release in changed
    ]
    found = joint_worlds.worlds(classes)
    assert not attack.contradicted.any()
    for row, person in enumerate(people):
        assert attack.possible[row] == set(joint_worlds.shares(found, person))
        assert attack.exact_probability(person) == joint_worlds.shares(found, person)
    sets = gy.intersection_attack(groups, people, similar={"b or c": ["b", "c"]})
    assert (attack.posterior <= sets.posterior).all()


def test_classes_of_values_that_cannot_be_are_refused():
    groups = [gy.Groups.from_lists([["a", "b"]], members=[["1", "2"]])] * 2
    for wrong in ({"x": ["a"], "y": ["a"]}, {"b": ["a"], "y": ["b"]}):
        with pytest.raises(RuleError, match="similar"):
            gy.intersection_attack(groups, ["1"], similar=wrong)


def test_counts_of_billions_end_and_decide_what_small_ones_do(n=3_000_000_000):
    """Ways to choose were numbers of millions of digits; a list had an entry per person."""
    lists = [
        [{"a": n, "b": n // 2, "c": 1}, {"a": 2, "b": 5}],
        [{"a": n, "b": 3}, {"b": n, "c": 2}],
    ]
    located = [
        Located(counted_groups(groups), place)
        for groups, place in zip(lists, ((0, 0, 1), (0, 1, 1)), strict=True)
    ]
    attack = gy.intersection_attack(located, rows(3), joint=True)
    assert attack.possible == [{"a", "b"}, {"b", "c"}, {"b"}]
    assert attack.certain.tolist() == [False, False, True]
    assert attack.bayesian.is_proven("0.5").tolist() == [False, False, True]
    assert attack.bayesian.may_be_exposed("0.5").tolist() == [True, True, False]
    too_many = Located(counted_groups([{"a": 2**60, "b": 2**60}]), (0, 0, 0))
    with pytest.raises(RuleError, match="states more than"):
        gy.intersection_attack([too_many, located[0]], rows(3), joint=True)


def counted_groups(groups):
    """Groups of so many people that they cannot be listed."""
    entries = [(g, "abc".index(v), n) for g, held in enumerate(groups) for v, n in held.items()]
    group, code, count = (np.array(one) for one in zip(*entries, strict=True))
    return gy.Groups.from_entries(
        sizes=np.array([sum(held.values()) for held in groups]),
        group_of_entry=group,
        value_codes=code.astype(np.int32),
        value_counts=count,
        values=["a", "b", "c"],
    )


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
def test_a_table_that_is_not_the_truth_shows_nothing_of_people_who_fit_several_groups():
    """Both groups are known but for one person each; the table said what no world has."""
    releases = [
        Overlapping(gy.Groups.from_lists([["a"], ["b"]]), ((0,), (0, 1))),
        Overlapping(gy.Groups.from_lists([["a", "a", "b"]]), ((0,), (0,))),
    ]
    attack = gy.intersection_attack(releases, rows(2, ill=["a", "a"]), joint=True)
    assert attack.n_shown[1] <= 1 and attack.is_undecided(1)[1]
