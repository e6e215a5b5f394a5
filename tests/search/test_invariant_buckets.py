"""Publishing again under m-invariance: random sequences, attacked by enumerating joint worlds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.m_invariance import m_invariance
from gyges.errors import GygesError, NothingSafeError, RuleError
from tests.oracles import composition, joint_worlds

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


def table(values):
    """A table of people by name."""
    columns = {"name": [*values], "age": [*range(len(values))], "ill": [*values.values()]}
    schema = gy.Schema(identifiers=["name"], quasi_identifiers=["age"], sensitive="ill")
    return gy.read(columns, schema)


def listed(release, number):
    """A release as lists of (name, value); a counterfeit is a member of no other release."""
    names = release.table.fetch(["name"]).column(0).to_pylist()
    ill = [release.table.sensitive_values[c] for c in release.table.value_of_row]
    groups = [[] for _ in range(len(release.groups))]
    for name, value, group in zip(names, ill, release.group_of_row, strict=True):
        groups[group].append((name, value))
    for g, group in enumerate(groups):
        held = release.groups.value_counts_in(g)
        lacking = {release.groups.values[c]: n for c, n in held.items()}
        for _, value in group:
            lacking[value] -= 1
        forged = [value for value, n in lacking.items() for _ in range(n)]
        assert len(forged) == dict(release.counterfeits).get(g + 1, 0)
        group += [(f"nobody {number}.{g}.{i}", value) for i, value in enumerate(forged)]
    return groups


@st.composite
def months(draw):
    """Who is in the table in each month: people come, leave and come back; values stay."""
    people = [f"p{i}" for i in range(draw(st.integers(4, 7)))]
    truth = {name: draw(st.sampled_from("abcd"[: draw(st.integers(2, 4))])) for name in people}
    first = draw(st.lists(st.sampled_from(people), min_size=4, unique=True))
    later = draw(st.lists(st.lists(st.sampled_from(people), min_size=1, unique=True), max_size=3))
    return [{name: truth[name] for name in sorted(one)} for one in [first, *later]]


@settings(max_examples=300)
@given(tables=months(), m=st.integers(2, 3), seed=st.integers(0, 2**20))
def test_with_all_releases_every_value_of_a_person_s_group_stays_equally_likely(tables, m, seed):
    """By enumeration of all worlds: exactly 1/|S|, so at most 1/m, and nothing is certain."""
    made = []
    for values in tables:
        rule = gy.MInvariance(m, earlier=made)
        try:
            made.append(gy.publish(table(values), [rule], method="buckets", seed=seed))
        except NothingSafeError:
            assume(len(made) > 0)  # the first release adds no counterfeits: too few values
            known = {v for one in made for v in one.groups.values} | set(values.values())
            assert len(known) < m
            return
        assert made[-1].n_people == len(values) and made[-1].n_left_out == 0
        sequence = [listed(release, number) for number, release in enumerate(made)]
        assert composition.is_m_invariant(sequence, m) and m_invariance(made, m).safe
        found = joint_worlds.worlds_by_group(sequence)
        for group in (group for release in sequence for group in release):
            share = Fraction(1, len(group))
            assert share <= Fraction(1, m)
            for name, _ in group:
                if not name.startswith("nobody"):
                    expected = {value: share for _, value in group}
                    assert joint_worlds.shares(found, name) == expected


def test_two_ways_to_list_worlds_agree():
    first = [[("1", "x"), ("2", "y")], [("3", "x")]]
    second = [[("1", "x"), ("3", "x")], [("2", "y"), ("4", "z")]]
    for made in ([first], [first, second]):
        one, other = joint_worlds.worlds(made), joint_worlds.worlds_by_group(made)
        key = sorted(tuple(sorted(world.items())) for world in one)
        assert key == sorted(tuple(sorted(world.items())) for world in other)


def test_counterfeits_are_counted_and_are_not_people(tmp_path):
    """A leaves, B stays: B's group needs the value of A. The files say so and are read back."""
    first = gy.publish(table({"A": "flu", "B": "gout"}), [gy.MInvariance(2)], method="buckets")
    rule = gy.MInvariance(2, earlier=[first])
    second = gy.publish(table({"B": "gout"}), [rule], method="buckets")
    assert second.counterfeits == ((1, 1),) and second.n_people == 1
    assert second.groups.values == ["flu", "gout"], "also a value that nobody has now"
    assert any("belong to nobody" in notice for notice in second.notices)
    second.save(tmp_path / "out")
    loaded = gy.load(tmp_path / "out")
    assert loaded.counterfeits == ((1, 1),) and loaded.n_people == 1
    assert loaded.groups.sizes.tolist() == [2]
    found = gy.verify(tmp_path / "out")
    assert not found.refuted and len(found.unchecked) == 1  # it needs the earlier release
    assert "belong to nobody" in str(found)
    audited = gy.audit(loaded)
    assert "belong to nobody" in str(audited)
    said = " ".join(finding.sentence for finding in audited.findings)
    assert " 2 members" in said and " 2 people" not in said, "one of the two is nobody"


def test_a_certificate_with_other_counterfeits_is_refused(tmp_path):
    first = gy.publish(table({"A": "flu", "B": "gout"}), [gy.MInvariance(2)], method="buckets")
    rule = gy.MInvariance(2, earlier=[first])
    gy.publish(table({"B": "gout"}), [rule], method="buckets").save(tmp_path / "out")
    path = tmp_path / "out" / "certificate.json"
    text = path.read_text()
    assert '"counterfeits": [\n    [\n      1,\n      1\n    ]\n  ]' in text
    for wrong in ("[]", "[[1, 2]]", "[[2, 1]]", "[[1, 0]]", "[[1, 1], [1, 1]]", "[[0, 1]]"):
        before = '"counterfeits": [\n    [\n      1,\n      1\n    ]\n  ]'
        path.write_text(text.replace(before, f'"counterfeits": {wrong}'))
        with pytest.raises(GygesError):
            gy.verify(tmp_path / "out")


def test_what_cannot_be_followed_is_refused_in_words(tmp_path):
    values = {"A": "flu", "B": "gout", "C": "flu", "D": "gout"}
    first = gy.publish(table(values), [gy.MInvariance(2)], method="buckets")
    again = gy.MInvariance(2, earlier=[first])
    with pytest.raises(NothingSafeError, match="1 person has a value that their earlier group"):
        gy.publish(table({**values, "A": "cold"}), [again], method="buckets")
    with pytest.raises(NothingSafeError, match="1 counterfeit, which the other rules would count"):
        gy.publish(table({"B": "gout"}), [again, gy.KAnonymity(2)], method="buckets")
    with pytest.raises(RuleError, match='publish with method="buckets"'):
        gy.publish(table(values), [again], method="partition")
    with pytest.raises(RuleError, match="the option l does not apply"):
        gy.publish(table(values), [again], method="buckets", l=2)
    nameless = gy.read(
        {"age": [1, 2], "ill": ["flu", "gout"]},
        gy.Schema(quasi_identifiers=["age"], sensitive="ill"),
    )
    with pytest.raises(RuleError, match="a column that identifies them"):
        gy.publish(nameless, [again], method="buckets")
    first.save(tmp_path / "first")
    with pytest.raises(RuleError, match="do not say who is in which group"):
        gy.MInvariance(2, earlier=[gy.load(tmp_path / "first")])
    with pytest.raises(NothingSafeError, match="only 2 different values"):
        gy.publish(table({"E": "flu"}), [gy.MInvariance(3, earlier=[first])], method="buckets")
    other = gy.Groups.from_lists([["flu", "cold"]], members=[["A", "Z"]])
    with pytest.raises(RuleError, match="different sets of values in the earlier releases"):
        gy.publish(table(values), [gy.MInvariance(2, earlier=[first, other])], method="buckets")


def test_a_year_of_a_thousand_people():
    """Twelve months with people coming and going: it stays invariant with few counterfeits."""
    rng = np.random.default_rng(0)
    ill = rng.choice(list("aabbccddefgh"), 2_000).tolist()
    truth = {f"p{i}": value for i, value in enumerate(ill)}
    made = []
    for month in range(6):
        there = {name: truth[name] for name in list(truth)[100 * month : 100 * month + 1_000]}
        rule = gy.MInvariance(4, earlier=made)
        made.append(gy.publish(table(there), [rule], method="buckets"))
        n_forged = sum(n for _, n in made[-1].counterfeits)
        assert n_forged < 0.2 * len(there)
        assert month == 0 or any("the attack was run" in one for one in made[-1].notices)
    assert m_invariance(made, 4).safe
