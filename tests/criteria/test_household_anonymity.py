"""k counted in households is what a loop over the members of each group counts."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GygesError, NothingSafeError, RuleError
from tests.cli.commands import gyges, write_csv

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
TREE = gy.Hierarchy.from_tree({"x": ["a", "b"], "y": ["c", "d"]})


@st.composite
def families(draw, most=14):
    """People with an age, a town, an illness and a household."""
    person = st.tuples(
        st.integers(0, 3), st.sampled_from("abcd"), st.sampled_from("uvw"), st.integers(0, 5)
    )
    people = draw(st.lists(person, min_size=1, max_size=most))
    names = ("age", "town", "ill", "home")
    return dict(zip(names, map(list, zip(*people, strict=True)), strict=True))


def read(columns, **more):
    roles = {"quasi_identifiers": ["age", "town"], "sensitive": "ill", "household": "home"}
    return gy.read(columns, gy.Schema(**{**roles, "hierarchies": {"town": TREE}, **more}))


@pytest.mark.parametrize("method", ["partition", "lattice", "suppression"])
@settings(max_examples=60)
@given(columns=families(), k=st.integers(1, 4))
def test_every_group_has_people_of_k_households(method, columns, k):
    table = read(columns)
    try:
        release = gy.publish(table, gy.HouseholdAnonymity(k), method=method)
    except NothingSafeError:
        assert len(set(columns["home"])) < k
        return
    homes = defaultdict(set)
    for group, home in zip(release.group_of_row.tolist(), columns["home"], strict=True):
        homes[group].add(home)
    homes.pop(-1, None)
    assert min(map(len, homes.values())) >= k
    assert release.claims[0].risk == str(min(map(len, homes.values())))


@settings(max_examples=40)
@given(columns=families(), k=st.integers(1, 4))
def test_lattice_finds_exactly_the_minimal_generalizations(columns, k):
    """Against every node of the lattice, by hand: merging groups never loses a household."""
    levels = {"age": 2, "town": 3}
    up = {"age": lambda age, level: age if level == 0 else "*",
          "town": lambda town, level: [town, "xxyy"["abcd".index(town)], "*"][level]}  # fmt: skip
    safe = []
    for age in range(levels["age"]):
        for town in range(levels["town"]):
            homes = defaultdict(set)
            for a, t, h in zip(columns["age"], columns["town"], columns["home"], strict=True):
                homes[up["age"](a, age), up["town"](t, town)].add(h)
            if min(map(len, homes.values())) >= k:
                safe.append((age, town))
    minimal = [n for n in safe if not any(m != n and m[0] <= n[0] and m[1] <= n[1] for m in safe)]
    found = gy.minimal_generalizations(read(columns), [gy.HouseholdAnonymity(k)])
    assert [(node["age"], node["town"]) for node in found] == sorted(minimal)


def test_people_who_are_dropped_bring_no_household():
    columns = {"age": [1, 1, 1], "town": [*"aaa"], "ill": ["u", "v", None], "home": [1, 1, 2]}
    roles = {"quasi_identifiers": ["age", "town"], "sensitive": "ill", "household": "home"}
    table = gy.read(columns, gy.Schema(**roles), missing="drop")
    with pytest.raises(NothingSafeError):
        gy.publish(table, gy.HouseholdAnonymity(2))


def test_without_a_column_of_households_the_rule_says_what_to_write():
    columns = {"age": [1, 1], "town": ["a", "a"], "ill": ["u", "v"], "home": [1, 2]}
    with pytest.raises(RuleError, match="household='…'"):
        gy.publish(read(columns, household=None), gy.HouseholdAnonymity(2))
    with pytest.raises(GygesError, match="k is 0"):
        gy.HouseholdAnonymity(0)


def test_only_the_original_confirms_it(tmp_path):
    columns = {"age": [1, 1, 2, 2], "town": [*"aabb"], "ill": [*"uvuv"], "home": [1, 1, 2, 3]}
    write_csv(tmp_path / "people.csv", columns)
    (tmp_path / "gyges.toml").write_text("""
[data]
source = "people.csv"
[columns]
quasi_identifiers = ["age", "town"]
sensitive = "ill"
household = "home"
[[require]]
rule = "household anonymity"
k = 2
""")
    code, out, notes = gyges("publish", "gyges.toml", folder=tmp_path)
    assert code == 0 and "in 1 group" in out, notes  # the family of two does not stay alone
    assert gyges("verify", "release", folder=tmp_path)[0] == 3
    words = ("verify", "release", "--original", "people.csv", "--project", "gyges.toml")
    code, out, notes = gyges(*words, folder=tmp_path)
    assert code == 0 and "people of at least 2 households (worst case: 3)" in out, out + notes
    write_csv(tmp_path / "people.csv", {**columns, "home": [1, 1, 1, 1]})
    assert gyges(*words, folder=tmp_path)[0] == 1


def test_the_households_of_sdcmicro(real_data):
    keys = ["urbrur", "water", "sex", "age"]
    schema = gy.Schema(quasi_identifiers=keys, household="ori_hid", weight="sampling_weight")
    table = gy.read(real_data / "sdcmicro_households.csv.gz", schema, missing="value")
    release = gy.publish(table, [gy.HouseholdAnonymity(5)])
    homes = defaultdict(set)
    column = table.fetch(["ori_hid"]).column(0).to_pylist()
    for group, home in zip(release.group_of_row.tolist(), column, strict=True):
        homes[group].add(home)
    assert min(map(len, homes.values())) == 5
    people = gy.publish(table, [gy.KAnonymity(5)])
    assert len(release.groups) < len(people.groups)  # some groups of five were relatives
