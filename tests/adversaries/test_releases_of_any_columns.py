"""Releases with other columns, and views: joined on what they share, against every world."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.marginals.views_as_releases import releases_of_views
from tests.cli.commands import gyges, write_csv

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


@st.composite
def tables(draw, most=6):
    n = draw(st.integers(2, most))
    return [
        (
            draw(st.sampled_from([20, 21, 30])),
            draw(st.sampled_from("fm")),
            draw(st.sampled_from("xyz")),
        )
        for _ in range(n)
    ]


def table(rows):
    columns = dict(zip(("age", "sex", "ill"), map(list, zip(*rows, strict=True)), strict=True))
    hierarchies = {"age": gy.Hierarchy.intervals(10)}
    schema = gy.Schema(quasi_identifiers=["age", "sex"], sensitive="ill", hierarchies=hierarchies)
    return gy.read(columns, schema)


def worlds(rows, parts):
    """Assignments of the table's values to rows with the counts of every part of every release."""
    ills = [row[2] for row in rows]
    held = [(part, sorted(ills[i] for i in part)) for part in parts]
    return [
        world
        for world in set(permutations(ills))
        if all(sorted(world[i] for i in part) == values for part, values in held)
    ]


def parts_by(rows, key):
    found: dict[object, list[int]] = {}
    for i, row in enumerate(rows):
        found.setdefault(key(row), []).append(i)
    return list(found.values())


VIEWS = {
    "age by ten": ({"age": 1, "ill": 0}, lambda row: row[0] // 10),
    "sex": ({"sex": 0, "ill": 0}, lambda row: row[1]),
    "both": ({"age": 0, "sex": 0, "ill": 0}, lambda row: row[:2]),
    "everyone": ({"ill": 0}, lambda row: None),
}


@settings(max_examples=150)
@given(rows=tables(), names=st.lists(st.sampled_from([*VIEWS]), min_size=1, unique=True))
def test_views_read_together_are_the_worlds_with_their_counts(rows, names):
    """Which values are possible and certain, and each probability: exactly."""
    people = table(rows)
    views = gy.Marginals.of(people, [VIEWS[name][0] for name in names] + [{"age": 0, "sex": 0}])
    attack = gy.intersection_attack(releases_of_views(views), people, joint=True)
    found = worlds(rows, [part for name in names for part in parts_by(rows, VIEWS[name][1])])
    for i in range(len(rows)):
        held = [world[i] for world in found]
        assert attack.possible[i] == set(held)
        assert attack.exact_probability(i) == {
            value: Fraction(held.count(value), len(held)) for value in set(held)
        }


def read_release(rows, quasi):
    """A published table in which everyone with the same labels is in one group."""
    columns = {"age": [row[0] for row in rows], "sex": [row[1] for row in rows]}
    columns = {name: columns[name] for name in quasi}
    schema = gy.Schema(quasi_identifiers=list(quasi), sensitive="ill")
    return gy.publish(
        gy.read({**columns, "ill": [row[2] for row in rows]}, schema),
        [gy.KAnonymity(1)],
    )


@settings(max_examples=150)
@given(rows=tables(), known=st.sampled_from([("age",), ("sex",), ("age", "sex")]))
def test_people_known_by_some_columns_are_found_in_what_these_leave_open(rows, known):
    """Groups that cannot be told apart are one: exact for an attacker with those columns."""
    releases = [read_release(rows, quasi) for quasi in (("age", "sex"), ("sex",), ("age",))]
    releases = [one for one in releases if set(one.roles.quasi_identifiers) & set(known)]
    columns = {"age": [row[0] for row in rows], "sex": [row[1] for row in rows]}
    people = gy.read(
        {name: columns[name] for name in known}, gy.Schema(quasi_identifiers=list(known))
    )
    attack = gy.intersection_attack(releases, people, joint=True)
    place = {"age": 0, "sex": 1}

    def seen(quasi):
        return lambda row: tuple(row[place[name]] for name in quasi if name in known)

    parts = [p for one in releases for p in parts_by(rows, seen(one.roles.quasi_identifiers))]
    found = worlds(rows, parts)
    for i in range(len(rows)):
        held = [world[i] for world in found]
        assert set(held) <= attack.possible[i]
        if attack.is_exact_for[i]:
            assert attack.exact_probability(i) == {
                value: Fraction(held.count(value), len(held)) for value in set(held)
            }
    assert attack.is_exact


def test_membership_alone_says_what_all_groups_together_say():
    """The people have no column of the second release: it is one group of everybody."""
    rows = [(20, "f", "x"), (21, "f", "y"), (30, "m", "y")]
    people = gy.read({"age": [20, 21, 30]}, gy.Schema(quasi_identifiers=["age"]))
    other = read_release(rows, ("sex",))
    attack = gy.intersection_attack([read_release(rows, ("age",)), other], people, joint=True)
    assert attack.certain.all()
    alone = gy.intersection_attack([other], people, joint=True)
    assert alone.exact_probability(0) == {"x": Fraction(1, 3), "y": Fraction(2, 3)}
    assert list(alone.n_ambiguous) == [3], "whoever knows more finds them in fewer groups"


def test_the_command_joins_on_shared_columns_and_says_by_which(tmp_path):
    write_csv(tmp_path / "a.csv", {"age": ["20-29"] * 2 + ["30"] * 2, "ill": list("xyxz")})
    write_csv(tmp_path / "b.csv", {"sex": list("ffmm"), "zip": list("1234"), "ill": list("xxyz")})
    people = {"age": [20, 21, 30, 30], "sex": list("fmfm")}
    write_csv(tmp_path / "people.csv", people)
    words = ("attack", "a.csv", "b.csv", "--people", "people.csv", "--sensitive", "ill")
    code, out, notes = gyges(*words, "--quasi", "age,sex,zip", folder=tmp_path)
    assert code == 1, (out, notes)
    assert "Release 2 was joined by 'sex' only" in out or "joined by sex only" in out


@pytest.mark.parametrize("kind", ["marginals", "dp"])
def test_views_are_joined_and_noise_is_not_and_never_exits_0(tmp_path, kind):
    """A reason is given for what is not joined; exit 0 would say that it was looked at."""
    rows = [(20 + i % 3, "fm"[i % 2], "xyz"[i % 3]) for i in range(30)]
    columns = dict(zip(("age", "sex", "ill"), map(list, zip(*rows, strict=True)), strict=True))
    write_csv(tmp_path / "data.csv", columns)
    people = gy.read(columns, gy.Schema(quasi_identifiers=["age", "sex"], sensitive="ill"))
    for name in ("one", "two"):
        gy.publish(people, [gy.KAnonymity(15)]).save(tmp_path / name)
    if kind == "marginals":
        other = gy.publish(people, [gy.KAnonymity(5)], method="marginals")
    else:
        domains = {"age": [20, 21, 22], "sex": ["f", "m"], "ill": ["x", "y", "z"]}
        other = gy.publish(
            people, method="dp", epsilon="1", views=[["age", "ill"]], domains=domains
        )
    other.save(tmp_path / "other")
    words = ("attack", "one", "two", "other", "--people", "data.csv")
    code, out, notes = gyges(*words, folder=tmp_path)
    if kind == "dp":
        assert code == 3 and "Not joined: release 3, other: it has noise" in out, (out, notes)
        assert "is within 0.4622 of what it would be" in out  # tanh(1/2), rounded up
        file = tmp_path / "other" / "certificate.json"
        file.write_text(file.read_text().replace('"epsilon": "1"', '"epsilon": "1/2"'))
        code, out, notes = gyges(*words, folder=tmp_path)
        assert code == 3 and "nothing limits what it adds" in out and "0.4622" not in out
    else:
        assert "30 rows in 3 releases" in out and "Not joined" not in out, (out, notes)
