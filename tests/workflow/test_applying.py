"""New rows are read as the earlier table was: `apply` follows what the project said, or refuses."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest

import gyges as gy
from gyges.errors import ReleaseError
from gyges.release.mapping import load_mapping, mapping_schema, save_mapping
from gyges.release.mapping_reading import _ELSEWHERE, FOLLOWED
from gyges.search.republish import republish
from tests.cli.commands import gyges, write_csv

DATA = '[data]\nsource = "old.csv"\n'


def project(folder, columns, rule, *, data="", publish="", more=""):
    """A project about old.csv that is published once with its mapping."""
    sections = f"{DATA}{data}[columns]\n{columns}{more}[publish]\n{publish}"
    (folder / "gyges.toml").write_text(f"{sections}[[require]]\n{rule}")
    words = ["publish", "gyges.toml", "--mapping", "map.json", "--out", "first"]
    code, out, notes = gyges(*words, folder=folder)
    assert code == 0, out + notes


def applied(folder, *words):
    """Apply the mapping to new.csv; the exit code, output and notes."""
    code, out, notes = gyges("apply", "map.json", "new.csv", *words, "--out", "next", folder=folder)
    assert (folder / "next").exists() == (code == 0), out + notes
    return code, out, notes


def rows(**columns):
    n = len(next(iter(columns.values())))
    return {"id": [f"p{i}" for i in range(n)], **columns}


AGES = [20 + i for i in range(8)]
COLUMNS = 'identifiers = ["id"]\nquasi_identifiers = ["age"]\nsensitive = "s"\n'
SHARES = 'rule = "probabilistic diversity"\nl = 2\n'
TWO = 'rule = "distinct diversity"\nl = 2\n'


@pytest.mark.parametrize("named", [[], ["--sensitive", "s", "--id", "id"]])
def test_sets_in_one_cell_stay_sets(tmp_path, named):
    """Everyone had hiv, and `apply` said that each value had a share of at most 1/2."""
    write_csv(tmp_path / "old.csv", rows(age=AGES, s=["a;b", "c;d"] * 4))
    project(tmp_path, COLUMNS + 'values_per_person = "set"\nseparator = ";"\n', SHARES)
    write_csv(tmp_path / "new.csv", rows(age=AGES, s=["hiv;b", "hiv;d"] * 4))
    code, out, _ = applied(tmp_path, *named)
    assert code == 1 and "worst case: 1," in out
    write_csv(tmp_path / "new.csv", rows(age=AGES, s=["e;b", "c;f"] * 4))
    assert applied(tmp_path, *named)[0] == 0


def test_several_rows_of_a_person_stay_one_person(tmp_path):
    people = [f"p{i // 2}" for i in range(16)]
    ages = [20 + i // 2 for i in range(16)]
    write_csv(tmp_path / "old.csv", {"id": people, "age": ages, "s": [*"abcd"] * 4})
    project(tmp_path, COLUMNS + 'values_per_person = "set"\n', SHARES)
    write_csv(tmp_path / "new.csv", {"id": people, "age": ages, "s": [*"abac"] * 4})
    assert applied(tmp_path)[0] == 1
    write_csv(tmp_path / "new.csv", {"id": people, "age": ages, "s": [*"efgh"] * 4})
    code, out, _ = applied(tmp_path)
    assert code == 0 and "published 8 people" in out


def test_a_mark_of_a_missing_value_is_no_value(tmp_path):
    write_csv(tmp_path / "old.csv", rows(age=AGES, s=[*"ab"] * 4))
    project(tmp_path, COLUMNS, TWO, data='missing_marks = ["?"]\n')
    write_csv(tmp_path / "new.csv", rows(age=AGES, s=[*"a?"] * 4))
    code, _, notes = applied(tmp_path)
    assert code == 2 and "missing values: 4" in notes


@pytest.mark.parametrize(("missing", "n"), [("drop", 6), ("value", 8)])
def test_missing_values_are_treated_alike(tmp_path, missing, n):
    write_csv(tmp_path / "old.csv", rows(age=[20] * 8, s=[*"ab"] * 4))
    project(tmp_path, COLUMNS, 'rule = "k-anonymity"\nk = 2\n', data=f'missing = "{missing}"\n')
    write_csv(tmp_path / "new.csv", rows(age=[20] * 8, s=["", "", *"ababab"]))
    code, out, notes = applied(tmp_path)
    assert code == 0 and f"published {n} people" in out, notes


def test_dates_are_read_in_their_format(tmp_path):
    """02/11 and 11/02 were refused, or would have been the other day."""
    days = ["01/20/2024", "01/25/2024", "02/20/2024", "02/21/2024", "11/17/2024", "11/18/2024"]
    write_csv(tmp_path / "old.csv", rows(age=days, s=[*"ab"] * 3))
    project(tmp_path, COLUMNS, TWO, more='[columns.formats]\nage = "mm/dd/yyyy"\n')
    new = ["02/11/2024", "02/10/2024", "11/02/2024", "11/01/2024"]
    write_csv(tmp_path / "new.csv", rows(age=new, s=[*"abab"]))
    code, _, notes = applied(tmp_path)
    assert code == 0, notes
    labels = {line.split(",")[0] for line in (tmp_path / "next/data.csv").read_text().split()[1:]}
    assert all(label.startswith("2024-") for label in labels) and len(labels) == 2


def test_one_row_of_each_person_is_kept(tmp_path):
    visits = {"id": [f"p{i // 2}" for i in range(16)], "visit": [1, 2] * 8,
              "age": [20 + i // 2 for i in range(16)], "s": [*"aabb"] * 4}  # fmt: skip
    write_csv(tmp_path / "old.csv", visits)
    kept = 'person = "id"\nkeep_row = "last"\nkeep_row_by = "visit"\n'
    project(tmp_path, COLUMNS.replace('identifiers = ["id"]\n', kept), TWO)
    firsts = [*"abab"] * 4  # all first rows have the value a, all last rows b
    write_csv(tmp_path / "new.csv", {**visits, "s": firsts})
    assert applied(tmp_path)[0] == 1
    write_csv(tmp_path / "new.csv", visits)
    code, out, notes = applied(tmp_path)
    assert code == 0 and "published 8 people" in out, notes


def test_a_second_table_of_values_is_refused(tmp_path):
    write_csv(tmp_path / "old.csv", rows(age=AGES))
    values = {"id": [f"p{i}" for i in range(8)] * 2, "s": [*"abcdabcd"] * 2}
    write_csv(tmp_path / "v.csv", values)
    columns = 'person = "id"\nquasi_identifiers = ["age"]\nsensitive = "s"\n'
    several = 'values_per_person = "set"\n'
    rule = 'rule = "k-anonymity"\nk = 2\n'
    project(tmp_path, columns + several, rule, data='values = "v.csv"\n')
    write_csv(tmp_path / "new.csv", rows(age=AGES))
    code, _, notes = applied(tmp_path)
    assert code == 2 and "second table" in notes and len(notes.splitlines()) == 1


def test_all_rows_of_each_person_are_refused(tmp_path):
    visits = {"id": [f"p{i // 2}" for i in range(16)], "age": [20] * 16, "s": [*"ab"] * 8}
    write_csv(tmp_path / "old.csv", visits)
    columns = 'person = "id"\nrows_per_person = "all"\nquasi_identifiers = ["age"]\n'
    project(tmp_path, columns, 'rule = "k-anonymity"\nk = 2\n')
    write_csv(tmp_path / "new.csv", visits)
    code, _, notes = applied(tmp_path)
    assert code == 2 and "rows_per_person" in notes and len(notes.splitlines()) == 1


def test_a_rule_about_a_value_that_nobody_had_is_kept(tmp_path):
    """The certificate leaves it out, and so did the mapping: then everyone had it."""
    write_csv(tmp_path / "old.csv", rows(age=AGES, s=[*"ab"] * 4))
    points = '{ hiv = [[0, 0, 0, "0.5"]], a = [[0, 0, 0, "0.9"]] }'
    project(tmp_path, COLUMNS, f'rule = "skyline"\npoints = {points}\n')
    write_csv(tmp_path / "new.csv", rows(age=AGES, s=["hiv"] * 8))
    assert applied(tmp_path)[0] == 1


def test_columns_published_unchanged_are_judged_again(tmp_path):
    write_csv(tmp_path / "old.csv", rows(age=AGES, job=["x"] * 8, s=[*"ab"] * 4))
    project(tmp_path, COLUMNS + 'published = ["job"]\n', TWO)
    write_csv(tmp_path / "new.csv", rows(age=AGES, job=["x"] * 8, s=[*"ba"] * 4))
    assert applied(tmp_path)[0] == 0
    assert "x" in (tmp_path / "next/data.csv").read_text()
    write_csv(tmp_path / "other.csv", rows(age=AGES, job=[*"xy"] * 4, s=[*"ba"] * 4))
    code, _, notes = gyges("apply", "map.json", "other.csv", "--out", "no", folder=tmp_path)
    assert code == 2 and "single people out" in notes


def test_another_sensitive_column_and_a_column_that_names_people_are_refused(tmp_path):
    write_csv(tmp_path / "old.csv", {"age": AGES, "s": [*"ab"] * 4})
    project(tmp_path, COLUMNS.replace('identifiers = ["id"]\n', ""), TWO)
    write_csv(tmp_path / "new.csv", {"age": AGES, "s": [*"ab"] * 4, "t": [*"cd"] * 4})
    code, _, notes = applied(tmp_path, "--sensitive", "t")
    assert code == 2 and "is 's', not 't'" in notes
    twice = {"patient_id": [f"p{i % 4}" for i in range(8)], "age": AGES, "s": [*"ab"] * 4}
    write_csv(tmp_path / "new.csv", twice)
    code, _, notes = applied(tmp_path)
    assert code == 2 and "patient_id" in notes


def mapping_of(folder, **more):
    table = gy.read(rows(age=AGES, s=[*"ab"] * 4), schema(**more))
    save_mapping(gy.publish(table, [gy.KAnonymity(2)]), folder / "map.json")
    return table, json.loads((folder / "map.json").read_text())


def schema(**more):
    return gy.Schema(identifiers=["id"], quasi_identifiers=["age"], sensitive="s", **more)


def test_an_older_mapping_is_refused_and_not_guessed(tmp_path):
    table, stated = mapping_of(tmp_path)
    older = {key: x for key, x in stated.items() if key not in ("reading", "allows_singling_out")}
    (tmp_path / "old.json").write_text(json.dumps({**older, "format": 1}))
    known = load_mapping(tmp_path / "old.json")  # `verify` needs no more
    for act in (lambda: mapping_schema(known), lambda: republish(known, table)):
        with pytest.raises(ReleaseError, match="does not say how its table was read"):
            act()
    (tmp_path / "old.json").write_text(json.dumps(older))
    with pytest.raises(ReleaseError, match="no 'reading'"):
        load_mapping(tmp_path / "old.json")


def test_what_apply_does_not_know_is_refused_by_name(tmp_path):
    """A field that a later schema has, or several sensitive columns, must not be ignored."""
    _, stated = mapping_of(tmp_path)
    reading = stated["reading"]
    for change, said in (({"rows_per_person": "all"}, "rows_per_person"),
                         ({"sensitive": ["s", "t"]}, "one sensitive column")):  # fmt: skip
        changed = {**reading, "schema": {**reading["schema"], **change}}
        (tmp_path / "new.json").write_text(json.dumps({**stated, "reading": changed}))
        with pytest.raises(ReleaseError, match=said):
            mapping_schema(load_mapping(tmp_path / "new.json"))


def test_every_field_of_the_schema_comes_back(tmp_path):
    given = {"household": "h", "weight": "w", "dropped": ["x"], "do_not_identify": ["x"],
             "kinds": {"s": "code"}}  # fmt: skip
    extra = {"h": [1, 1, 2, 2, 3, 3, 4, 4], "w": [2] * 8, "x": [0] * 8}
    stated = schema(**given)
    table = gy.read({**rows(age=AGES, s=[*"ab"] * 4), **extra}, stated)
    save_mapping(gy.publish(table, [gy.KAnonymity(2)]), tmp_path / "map.json")
    back = mapping_schema(load_mapping(tmp_path / "map.json"))
    assert replace(back, kinds=stated.kinds) == stated
    assert {one.name for one in fields(gy.Schema)} >= FOLLOWED | _ELSEWHERE


def test_a_release_with_nobody_in_it_is_not_written(tmp_path):
    """It was published as safe with no people, and `verify` called it malformed."""
    write_csv(tmp_path / "old.csv", rows(age=AGES, s=["a", "b"] * 4))
    project(tmp_path, COLUMNS, TWO)
    write_csv(tmp_path / "new.csv", rows(age=[age + 50 for age in AGES], s=["a", "b"] * 4))
    code, _, notes = applied(tmp_path)
    assert code == 1 and "no group of the scheme fits any of 8 people" in notes, notes
