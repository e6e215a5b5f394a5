"""Values that may change within a class: what joining reveals about the values themselves."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.people_lookup import locate
from gyges.adversaries.values_within_classes import exposed_within_classes
from tests.cli.commands import gyges, write_csv

CLASS_OF = {"flu": "lung", "cold": "lung", "hiv": "blood", "aids": "blood"}
SIMILAR = {"lung": ["flu", "cold"], "blood": ["hiv", "aids"]}
VALUES = [*CLASS_OF, "gout"]


def class_of(value):
    return CLASS_OF.get(value, value)


@st.composite
def histories(draw):
    """Releases of some people each, who keep the class of their value: (person, value) by group."""
    n = draw(st.integers(2, 4))
    classes = draw(st.lists(st.sampled_from(["lung", "blood", "gout"]), min_size=n, max_size=n))
    releases = []
    for _ in range(draw(st.integers(2, 3))):
        group_of = draw(st.lists(st.integers(-1, 1), min_size=n, max_size=n))
        group_of[draw(st.integers(0, n - 1))] = 0
        value = [
            draw(st.sampled_from([v for v in VALUES if class_of(v) == one])) for one in classes
        ]
        used = sorted(set(group_of) - {-1})
        releases.append(
            [[(p, value[p]) for p in range(n) if group_of[p] == group] for group in used]
        )
    return releases


def worlds_of(release):
    """Every way to give the people of each group the values of the group."""
    ways = [
        [tuple(zip([p for p, _ in group], order, strict=True)) for order in permutations(held)]
        for group in release
        for held in [[value for _, value in group]]
    ]
    return [dict(sum(world, ())) for world in product(*ways)]


def joint_worlds(releases):
    """Every history of values in which everyone keeps the class."""
    for history in product(*map(worlds_of, releases)):
        classes = {}
        if all(
            classes.setdefault(p, class_of(value)) == class_of(value)
            for world in history
            for p, value in world.items()
        ):
            yield history


def shares_of(histories, person, j):
    seen = Counter(history[j][person] for history in histories)
    return {value: Fraction(n, seen.total()) for value, n in seen.items()}


def exposures(shares, confidence):
    """Whether these shares of a person's values make one certain, expose by number, by share."""
    n = len(shares)
    return [n == 1, n * confidence <= 1, max(shares.values()) >= confidence]


def is_newly_exposed(releases, together, person, confidence):
    """Whether all releases expose a person's value in some release, and none of them alone."""
    before, after = [False] * 3, [False] * 3
    for j, release in enumerate(releases):
        if person not in together[0][j]:
            continue
        alone = [[world] for world in worlds_of(release)]
        found = exposures(shares_of(alone, person, 0), confidence)
        before = [a or b for a, b in zip(before, found, strict=True)]
        found = exposures(shares_of(together, person, j), confidence)
        after = [a or b for a, b in zip(after, found, strict=True)]
    return any(now and not was for now, was in zip(after, before, strict=True))


@settings(max_examples=80)
@given(histories(), st.sampled_from([Fraction(1), Fraction(2, 3), Fraction(1, 2)]))
def test_whom_joining_exposes_within_a_class_is_what_every_history_says(releases, confidence):
    groups = [
        gy.Groups.from_lists(
            [[value for _, value in group] for group in release],
            members=[[str(p) for p, _ in group] for group in release],
        )
        for release in releases
    ]
    names = sorted({str(p) for release in releases for group in release for p, _ in group})
    found = gy.intersection_attack(groups, names, joint=True, similar=SIMILAR)
    own_values = locate(groups, names).releases
    proven, may_be = exposed_within_classes(found, own_values, CLASS_OF, confidence)
    together = list(joint_worlds(releases))
    expected = [is_newly_exposed(releases, together, int(name), confidence) for name in names]
    assert not may_be.any()  # so few worlds are all counted
    assert proven.tolist() == expected


def test_an_attack_does_not_say_yes_where_a_class_reveals_the_value(tmp_path):
    """Everyone's class is known from the first release; the second then shows each value."""
    people = {"age": [20, 21, 30, 31], "in": ["yes"] * 4}
    write_csv(tmp_path / "people.csv", people)
    first = {"age": ["20-21"] * 2 + ["30-31"] * 2, "ill": ["flu", "cold", "hiv", "aids"]}
    write_csv(tmp_path / "first.csv", first)
    labels = ['"{20, 30}"'] * 2 + ['"{21, 31}"'] * 2
    write_csv(tmp_path / "second.csv", {"age": labels, "ill": ["flu", "hiv", "cold", "aids"]})
    words = ["attack", "first.csv", "second.csv", "--people", "people.csv", "--present", "in,in"]
    words += ["--quasi", "age", "--sensitive", "ill", "--confidence", "1"]
    words += ["--similar", "lung=flu,cold", "--similar", "blood=hiv,aids"]
    code, out, _ = gyges(*words, folder=tmp_path)
    assert code == 1
    assert "joining exposes those of 4 rows in some release at confidence 1" in out
