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
from gyges.search.simulatable import most_concentrated
from tests.adversaries.test_chosen_release import by_definition, read, tiny_tables
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
        ({"choice": "blind"}, "choice"),
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


def test_verify_needs_the_original_to_check_the_choice(tmp_path):
    table, out = saved(tmp_path, choice="simulatable")
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
