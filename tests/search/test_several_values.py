"""People with several values, from files to a release that is safe under a skyline; and Adult."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import NothingSafeError
from gyges.search import mondrian
from gyges.utility.measure import partition_utility
from reproduction.chen_adult import ATTRIBUTE_CENTRIC, VALUE_CENTRIC
from tests.cli.commands import gyges as command

KINDS = pytest.mark.parametrize("kind", ["set", "multiset"])


def schema(kind, *quasi):
    return gy.Schema(
        quasi_identifiers=quasi,
        sensitive="value",
        person="person_id",
        values_per_person=kind,
        kinds={"value": "code"},
    )


def made_files(folder, n=300):
    """Who they are, and a true multiset of their diagnoses: some have none, some repeat one."""
    rng = np.random.default_rng(5)
    persons = pa.table(
        {"person_id": np.arange(n), "age": rng.integers(20, 60, n), "sex": rng.integers(0, 2, n)}
    )
    who = np.sort(rng.integers(0, n, 2 * n))
    codes = rng.choice(["250", "401", "428", "V27", "008"], 2 * n, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    for name, rows in (
        ("persons", persons),
        ("diagnoses", pa.table({"person_id": who, "value": codes})),
    ):
        pyarrow.csv.write_csv(rows, folder / f"{name}.csv")
    return folder / "persons.csv", folder / "diagnoses.csv"


def check(release, policy, table, folder):
    """Safe when judged afresh from its files, with everybody in it, and honest about minimality."""
    assert int(release.groups.sizes.sum()) == table.n_people and len(release.groups) > 1
    assert sum("may not be minimal" in notice for notice in release.notices) == 1
    release.save(folder / "out")
    found = gy.load(folder / "out").groups
    assert found.values_per_person == table.schema.values_per_person
    assert gy.skyline_check(found, policy).safe
    assert gy.verify(folder / "out").holds


@KINDS
def test_made_people_with_several_values_go_from_files_to_a_safe_release(kind, tmp_path):
    persons, diagnoses = made_files(tmp_path)
    table = gy.read(persons, schema(kind, "age", "sex"), values=diagnoses)
    policy = {"008": [(1, 2, 1, "0.9")], "*": [(0, 1, 1, "0.97")]}
    release = gy.publish(table, [gy.KAnonymity(4), gy.Skyline(policy)])
    check(release, policy, table, tmp_path)


@KINDS
def test_the_project_file_knows_the_second_table(kind, tmp_path):
    made_files(tmp_path)
    (tmp_path / "gyges.toml").write_text(
        f"""
[data]
source = "persons.csv"
values = "diagnoses.csv"
[columns]
quasi_identifiers = ["age", "sex"]
sensitive = "value"
person = "person_id"
values_per_person = "{kind}"
kinds = {{ value = "code" }}
[publish]
out = "out"
[[require]]
rule = "skyline"
points = {{ "008" = [[1, 2, 1, "0.9"]], "*" = [[0, 1, 1, "0.97"]] }}
"""
    )
    code, text, notes = command("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, notes
    assert "300 people" in text and "may not be minimal" in text
    assert gy.load(tmp_path / "out").groups.values_per_person == kind
    code, text, _ = command("skyline", "out", "--value", "008", folder=tmp_path)
    assert code == 0 and "who do not have the value" in text


@KINDS
def test_diabetes_patients_go_from_files_to_a_safe_release(kind, real_data, tmp_path):
    """71,518 people with 915 diagnosis codes, a true multiset."""
    table = gy.read(
        real_data / "diabetes130_persons.csv.gz",
        schema(kind, "race", "gender", "age"),
        values=real_data / "diabetes130_diagnoses.csv.gz",
    )
    assert table.n_people == 71_518 and len(table.sensitive_values) == 915
    policy = {"250": [(1, 3, 1, "0.8")], "V27": [(1, 5, 2, "0.5")], "*": [(1, 2, 1, "0.9")]}
    release = gy.publish(table, [gy.KAnonymity(5), gy.Skyline(policy)])
    assert len(release.groups) > 50
    check(release, policy, table, tmp_path)


def adult(folder):
    rows = pyarrow.csv.read_csv(folder / "adult.csv.gz").drop_columns(["split", "fnlwgt"])
    marks = {"missing": "drop", "missing_marks": ["?"]}
    quasi = [name for name in rows.column_names if name != "occupation"]
    return gy.read(rows, gy.Schema(quasi_identifiers=quasi, sensitive="occupation"), **marks)


def test_the_policy_of_table_3_is_one_dictionary(real_data):
    """[Chen2009, Table 3]: 79.45 and 1.280 by value, 1585 and 1.869 for all alike.

    Ours are coarser (docs/attackers/dimensions.md says why); these bounds keep what is reached.
    """
    table, found = adult(real_data), {}
    for name, policy in (("value", VALUE_CENTRIC), ("attribute", ATTRIBUTE_CENTRIC)):
        made = mondrian.search(table.cells, gy.Skyline(policy), order="gain")
        assert gy.skyline_check(made.groups, policy).safe
        found[name] = partition_utility(made)
    assert found["value"]["average_group_size"] < 125
    assert found["value"]["kl_divergence"] < 1.47
    assert found["attribute"]["average_group_size"] < 3100
    assert found["attribute"]["kl_divergence"] < 1.9


def test_a_diverse_release_of_adult_has_a_skyline_like_table_2(real_data):
    """[Chen2009, Table 2]: six of its seven points, and one beside."""
    table = adult(real_data)
    rule = gy.Skyline({"*": [(4, 0, 0, "0.75")]})  # (3, 6)-diversity
    groups = mondrian.search(table.cells, rule, order="gain").groups
    assert gy.judge(gy.RecursiveDiversity("3", 6), groups).safe
    stated = {(0, 4, 0), (1, 3, 1), (2, 2, 2), (3, 1, 2), (2, 1, 3), (4, 0, 3), (3, 0, 4)}
    found = set(gy.skyline_find(groups, "Exec-managerial", "0.95"))
    assert len(found & stated) >= 6 and len(found) <= 8


def test_an_unsafe_whole_says_that_a_finer_release_may_be_safe(tmp_path):
    """[Chen2009] is not monotone for multisets: two people with an s beside one with a and a."""
    persons = {"person_id": [1, 2, 3], "age": [30, 30, 60]}
    values = {"person_id": [1, 3, 3], "value": ["s", "a", "a"]}
    table = gy.read(persons, schema("multiset", "age"), values=values)
    with pytest.raises(NothingSafeError, match="a finer release may be safe"):
        gy.publish(table, [gy.Skyline({"s": [(1, 0, 0, "10/19")]})])


@pytest.mark.parametrize("kind", ["one", "set", "multiset"])
def test_the_rule_that_is_advised_against_revealed_values_prevents_them(kind):
    """A release with distinct diversity was told that "a diversity rule prevents that"."""
    n = 12
    people = [i // (1 if kind == "one" else 2) for i in range(n)]
    values = ["a"] * (n - 4) + [*"bcbc"] if kind == "one" else [*"abacadaeafag"]
    rows = {"person_id": people, "age": people, "value": values}
    table = gy.read(rows, schema(kind, "age"))
    first = gy.KAnonymity(2) if kind == "one" else gy.DistinctDiversity(2)
    release = gy.publish(table, [first])
    warnings = [notice for notice in release.notices if "reveals a value" in notice]
    assert len(warnings) == 1
    advised = {"distinct": gy.DistinctDiversity(2), "probabilistic": gy.ProbabilisticDiversity(2)}
    found = [rule for word, rule in advised.items() if f"The rule {word} diversity" in warnings[0]]
    assert len(found) == 1 and type(found[0]) is not type(first)
    rows["value"] = [f"{value}{i // 3}" for i, value in enumerate(values)]  # so that it can hold
    followed = gy.publish(gy.read(rows, schema(kind, "age")), found)
    assert not any("reveals a value" in notice for notice in followed.notices)


@KINDS
@given(st.lists(st.lists(st.lists(st.sampled_from("abc"), max_size=2), min_size=1, max_size=3),
                min_size=1, max_size=3))  # fmt: skip
def test_probabilistic_diversity_leaves_no_value_certain(kind, groups):
    """Whoever the occurrences belong to: a value is certain if every person of the group has it."""
    listed = [[v for p in group for v in (set(p) if kind == "set" else p)] for group in groups]
    people = [len(group) for group in groups]
    found = gy.Groups.from_lists(listed, people=people, values_per_person=kind)
    if gy.judge(gy.ProbabilisticDiversity(2), found).safe:
        assert not found.reveals_a_value.any()
