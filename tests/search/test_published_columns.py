"""Columns published as they are count in what an attacker sees."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import GygesWarning, NothingSafeError, SchemaError
from gyges.release.refined_groups import refine
from gyges.release.tables import as_text
from gyges.search.published_columns import shown_columns
from tests.cli.commands import PATIENTS, write_csv
from tests.cli.commands import gyges as command

FORMS = st.sampled_from(["generalized", "bucketized", "microaggregated"])
a_person = st.tuples(st.integers(0, 3), st.sampled_from("abc"), st.sampled_from(["u", "v", None]))


def table_of(people, kind="one"):
    columns = {
        "who": list(range(len(people))),
        "age": [person[0] for person in people],
        "d": [person[1] for person in people],
        "ward": [person[2] for person in people],
    }
    schema = gy.Schema(
        person="who",
        quasi_identifiers=["age"],
        sensitive="d",
        published=["ward"],
        values_per_person=kind,
    )
    rows = pa.table({**columns, "ward": pa.array(columns["ward"], pa.string())})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GygesWarning)  # everybody may have the same value
        return gy.read(rows, schema)


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["u", "v", None])), min_size=1))
def test_refined_groups_are_the_rows_of_a_group_that_look_alike(rows):
    group = np.array([one[0] for one in rows])
    shown = pa.table({"ward": pa.array([one[1] for one in rows], pa.string())})
    refined, parent = refine(group, shown)
    for i, one in enumerate(rows):
        assert parent[refined[i]] == one[0]
        assert [refined[i] == number for number in refined] == [one == other for other in rows]
    assert set(refined) == set(range(len(parent)))


@settings(max_examples=150)
@given(st.lists(a_person, min_size=2, max_size=14), FORMS, st.integers(1, 4), st.integers(1, 3))
def test_what_is_refused_is_what_the_published_rows_show(people, form, k, l):
    """The judge reads the published tables: who looks like whom, and which values they have."""
    table = table_of(people)
    rules = [gy.KAnonymity(k), gy.DistinctDiversity(l)]
    try:
        release = gy.publish(table, rules, form=form, allow_singling_out=True)
    except NothingSafeError:
        return
    rows = next(iter(release.tables.values())).to_pylist()
    looks = [(row["age"], row["ward"], row.get("group") if form != "bucketized" else None)
             for row in rows]  # fmt: skip
    sizes = Counter(looks)
    held = {look: {row.get("d") for row, at in zip(rows, looks, strict=True) if at == look}
            for look in sizes}  # fmt: skip
    is_safe = min(sizes.values()) >= max(k, 2)
    if form != "bucketized":
        is_safe &= all(len(values) >= l for values in held.values())
    tables = {name: as_text(rows) for name, rows in release.tables.items()}
    found = shown_columns(tables, release.roles, release.form, rules)
    assert found.n_alone == sum(n == 1 for n in sizes.values())
    by_ward = Counter(row["ward"] for row in rows)
    assert found.n_alone_by_columns == sum(n == 1 for n in by_ward.values())
    assert found.smallest == min(sizes.values()) and found.n_people == len(people)
    assert _about_columns(release)[0].startswith("Published unchanged: ward.")
    if is_safe:
        assert _about_columns(gy.publish(table, rules, form=form)) == [str(found)]
    else:
        with pytest.raises(SchemaError, match=r"single people out|break a rule"):
            gy.publish(table, rules, form=form)


def _about_columns(release):
    return [one for one in release.notices if not one.startswith("Warning: the release alone")]


@pytest.mark.parametrize(
    ("rule", "fails"),
    [
        (gy.KAnonymity(3), True),
        (gy.DistinctDiversity(2), True),
        (gy.EntropyDiversity("1.5"), True),
        (gy.ProbabilisticDiversity("1.5"), True),
        (gy.RecursiveDiversity("2", 2), True),
        (gy.TCloseness("0.4"), True),
        (gy.Safety("0.9", k=0), True),
        (gy.Skyline({"*": [(0, 0, 0, "0.9")]}), True),
        (gy.Beliefs(0.5, "0.9"), True),
        (gy.KAnonymity(2), False),
    ],
)
def test_every_rule_must_hold_for_an_attacker_who_knows_the_published_columns(rule, fails):
    """Two wards of two people each: in one ward both have the same value."""
    people = [(1, "a", "u"), (1, "a", "u"), (1, "b", "v"), (1, "c", "v")]
    table = table_of(people)
    if not fails:
        warning, shown = gy.publish(table, [rule]).notices
        assert shown == "Published unchanged: ward. Each row is the same for at least 2 people."
        assert warning.startswith("Warning: no rule protects the values of 'd'")
        return
    with pytest.raises(SchemaError, match="allow_singling_out") as caught:
        gy.publish(table, [rule])
    assert str(rule) in str(caught.value)
    notices = gy.publish(table, [rule], allow_singling_out=True).notices
    assert any(str(rule) in notice and "fails" in notice for notice in notices)


def test_values_in_a_table_of_their_own_are_not_divided_by_published_columns():
    """With several values per person nothing links a value to a part of its group."""
    people = [(1, "a", "u"), (1, "a", "u"), (1, "b", "v"), (1, "c", "v")]
    rules = [gy.KAnonymity(2), gy.DistinctDiversity(2)]
    release = gy.publish(table_of(people, "set"), rules)
    assert set(release.tables) == {"people", "sensitive"}
    with pytest.raises(SchemaError, match=r"at least 3 people \(worst case: 2\)"):
        gy.publish(table_of(people, "set"), [gy.KAnonymity(3)])


def test_the_project_file_says_it_in_so_many_words(tmp_path):
    n = 40
    columns = {
        "patient": list(range(n)),
        "age": [30 + i % 2 for i in range(n)],
        "sex": ["F"] * n,
        "ward": [f"w{i}" for i in range(n)],
        "disease": ["abcd"[i % 4] for i in range(n)],
    }
    write_csv(tmp_path / "patients.csv", columns)
    project = PATIENTS + 'published = ["ward"]\n[publish]\nmethod = "partition"\n'
    rules = '[[require]]\nrule = "k-anonymity"\nk = 5\n'
    (tmp_path / "gyges.toml").write_text(project + rules)
    code, out, notes = command("publish", "gyges.toml", folder=tmp_path)
    assert code == 2 and not out and "40 of 40 people have a row that no one else has" in notes
    assert "w1" not in notes and not (tmp_path / "release").exists()
    (tmp_path / "gyges.toml").write_text(project + "allow_singling_out = true\n" + rules)
    code, out, notes = command("publish", "gyges.toml", folder=tmp_path)
    assert code == 0 and "40 of 40 people have a row that no one else has" in out, notes
