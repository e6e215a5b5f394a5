"""A simulatable choice of groups excludes no world, and every division it allows is safe."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import NothingSafeError
from gyges.release.statements import SIMULATABLE
from gyges.search.simulatable import most_concentrated
from tests.adversaries.test_chosen_release import by_definition, read, tiny_tables
from tests.cli.commands import gyges
from tests.oracles import choice

ALLOWED = [
    gy.ProbabilisticDiversity(2),
    gy.ProbabilisticDiversity("1.5"),
    gy.DistinctDiversity(2),
    gy.EntropyDiversity("1.5"),
    gy.RecursiveDiversity(2, 2),
]


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
@given(columns=tiny_tables(), rule=st.sampled_from(ALLOWED), k=st.sampled_from([None, 2]))
def test_every_world_with_the_same_groups_publishes_the_same_release(columns, rule, k):
    """The theorem by enumeration: each value's probability is its share in the group."""
    rules = [rule] if k is None else [rule, gy.KAnonymity(k)]
    try:
        release = gy.publish(read(columns), rules, choice="simulatable")
    except NothingSafeError:
        assume(False)
    group, ill = release.group_of_row.tolist(), columns["ill"]
    assume(choice.n_worlds(ill, group) <= 100)
    after = by_definition(columns, release, rules, choice="simulatable")
    for row, g in enumerate(group):
        held = Counter(v for v, one in zip(ill, group, strict=True) if one == g)
        assert after[row] == {v: Fraction(n, held.total()) for v, n in held.items()}
    assert gy.judge(rules, release.groups).safe


BLIND = [*ALLOWED, gy.TCloseness("0.4"), gy.Safety("0.9", 1), gy.Skyline({"*": [(0, 1, 0, "0.9")]})]


@pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
@given(columns=tiny_tables(), rule=st.sampled_from(BLIND), k=st.sampled_from([2, 3]))
def test_every_world_with_the_same_blind_groups_publishes_the_same_release(columns, rule, k):
    rules, table = [rule, gy.KAnonymity(k)], read(columns)
    by_size = gy.publish(table, gy.KAnonymity(k)) if len(columns["ill"]) >= k else None
    try:
        release = gy.publish(table, rules, choice="blind")
    except NothingSafeError:
        assert by_size is None or not gy.judge(rules, by_size.groups).safe
        return
    assert by_size is not None and gy.judge(rules, release.groups).safe and release.is_simulatable
    group, ill = release.group_of_row.tolist(), columns["ill"]
    assert group == by_size.group_of_row.tolist()  # which reads no sensitive value
    assume(choice.n_worlds(ill, group) <= 100)
    after = by_definition(columns, release, rules, choice="blind")
    for row, g in enumerate(group):
        held = Counter(v for v, one in zip(ill, group, strict=True) if one == g)
        assert after[row] == {v: Fraction(n, held.total()) for v, n in held.items()}


def test_a_blind_choice_refuses_what_it_would_have_to_change():
    rules = [gy.KAnonymity(2), gy.DistinctDiversity(2)]
    ages = {"age": [1, 2, 8, 9], "ill": list("uvww")}
    with pytest.raises(NothingSafeError, match="at least 2 people, cut by quasi-identifiers alone"):
        gy.publish(read(ages), rules, choice="blind")
    assert gy.publish(read(ages), rules).n_groups == 1  # where "w" occurs twice is shown by that
    fine = gy.publish(read(ages | {"ill": list("uvwx")}), rules, choice="blind")
    assert fine.n_groups == 2


def test_a_blind_choice_refuses_rules_that_read_more_than_the_groups():
    with pytest.raises(gy.GygesError, match="reads more than them"):
        gy.publish(read(SEVEN), gy.Beliefs("0.3", "0.2"), choice="blind")


PAIRS = {"age": list(range(8)), "ill": list("uvuvwxwx")}


def test_it_cuts_where_no_division_can_fail():
    """No half of all eight can fail for l = 2; a half of u, v, u, v can, though these do not."""
    release = gy.publish(read(PAIRS), gy.ProbabilisticDiversity(2), choice="simulatable")
    assert release.n_groups == 2 and release.is_simulatable
    finest = gy.publish(read(PAIRS), gy.ProbabilisticDiversity(2))
    assert finest.n_groups == 4 and not finest.is_simulatable


@given(
    values=st.lists(st.sampled_from("uvw"), min_size=2, max_size=7),
    size=st.integers(1, 6),
    rule=st.sampled_from([*ALLOWED, gy.KAnonymity(3)]),
)
def test_the_most_concentrated_part_fails_if_any_part_fails(values, size, rule):
    size = min(size, len(values))
    groups = gy.Groups.from_lists([values])
    worst = rule.holds_each(most_concentrated(groups, np.array([size])))[0]
    parts = {tuple(sorted(part)) for part in combinations(values, size)}
    judged = [rule.holds_each(gy.Groups.from_lists([list(part)]))[0] for part in parts]
    assert worst == all(judged)


SEVEN = {"q": ["a"] * 2 + ["b"] * 5, "ill": ["HIV", "HIV", "Flu", "Gout", "Mumps", "Flu", "Cold"]}


@pytest.mark.parametrize(
    "rule", [gy.TCloseness("0.3"), gy.Safety("0.8", 1), gy.Beliefs("0.3", "0.2")], ids=repr
)
def test_rules_whose_worst_part_is_not_known_are_refused(rule):
    with pytest.raises(gy.GygesError, match="does not know the worst part"):
        gy.publish(read(SEVEN), rule, choice="simulatable")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"choice": "any"}, "choice"),
        ({"choice": "blind", "order": "gain"}, "omit `order`"),
        ({"choice": "simulatable", "order": "gain"}, "omit `order`"),
        ({"choice": "simulatable", "relaxed": True}, "omit `order`"),
        ({"choice": "simulatable", "method": "lattice"}, "no option 'choice'"),
    ],
)
def test_other_options_are_refused(options, said):
    with pytest.raises(gy.GygesError, match=said):
        gy.publish(read(SEVEN), gy.ProbabilisticDiversity(2), **options)


def saved(tmp_path, **options):
    table = read(PAIRS)
    release = gy.publish(table, gy.ProbabilisticDiversity(2), **options)
    release.save(tmp_path / "out")
    return table, tmp_path / "out"


@pytest.mark.parametrize("choice", ["simulatable", "blind"])
def test_verify_needs_the_original_to_check_the_choice(tmp_path, choice):
    table = read(PAIRS)
    rules = [gy.KAnonymity(2), gy.ProbabilisticDiversity(2)]
    gy.publish(table, rules, choice=choice).save(tmp_path / "out")
    out = tmp_path / "out"
    alone, with_original = gy.verify(out), gy.verify(out, original=table)
    assert [check.holds for check in alone.checks].count(None) == 1
    assert not alone.holds and with_original.holds
    assert "choice of the groups" in str(alone) and gy.load(out).is_simulatable


def test_verify_finds_a_choice_that_is_only_called_simulatable(tmp_path):
    table = read(PAIRS)
    release = gy.publish(table, gy.ProbabilisticDiversity(2))
    replace(release, is_simulatable=True).save(tmp_path / "out")
    checks = gy.verify(tmp_path / "out", original=table).checks
    assert [check.holds for check in checks].count(False) == 1


def test_an_ordinary_release_promises_nothing_about_its_choice(tmp_path):
    _, out = saved(tmp_path)
    assert gy.verify(out).holds and not gy.load(out).is_simulatable


@pytest.mark.parametrize("by", ["option", "project file"])
def test_the_command_and_the_project_file_know_the_choice(tmp_path, by):
    rows = "\n".join(f"{age},{ill}" for age, ill in zip(*PAIRS.values(), strict=True))
    (tmp_path / "people.csv").write_text(f"age,ill\n{rows}\n")
    sections = (
        '[data]\nsource = "people.csv"\n'
        '[columns]\nquasi_identifiers = ["age"]\nsensitive = "ill"\n'
        '[[require]]\nrule = "probabilistic diversity"\nl = 2\n[ledger]\nkeep = false\n'
    )
    written = '[publish]\nchoice = "simulatable"\n' if by == "project file" else ""
    (tmp_path / "gyges.toml").write_text(sections + written)
    typed = ["--choice", "simulatable"] if by == "option" else []
    code, out, _ = gyges("publish", "gyges.toml", *typed, folder=tmp_path)
    assert code == 0 and SIMULATABLE in out
    assert gy.load(tmp_path / "release").is_simulatable
    page = (tmp_path / "release" / "report.html").read_text()
    assert SIMULATABLE[1:] in page and "alone do not show it" in page
    assert gyges("verify", "release", folder=tmp_path)[0] == 3
    code, _, _ = gyges(
        "verify", "release", "--original", "people.csv", "--project", "gyges.toml", folder=tmp_path
    )
    assert code == 0
    code, out, _ = gyges("audit", "release", folder=tmp_path)
    assert code == 0 and "The certificate states that" in out


def test_the_audit_says_that_such_a_choice_reveals_nothing():
    release = gy.publish(read(PAIRS), gy.ProbabilisticDiversity(2), choice="simulatable")
    found = [one for one in gy.audit(release).findings if one.attacker == "minimality"]
    assert [one.number for one in found] == [0] and "reveals nothing" in found[0].sentence
