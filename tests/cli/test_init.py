"""`gyges init` guesses well, and what it writes can be published."""

from __future__ import annotations

import csv
import datetime
import json
import random
import re
import tomllib
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.auditing.people_in_rows import may_be_same_people
from gyges.data.examples import hospital
from gyges.engines.read import open_source
from gyges.workflow import uniqueness as module
from gyges.workflow.policies import POLICIES
from gyges.workflow.uniqueness import uniqueness
from tests.cli.commands import gyges, write_csv

AWKWARD = ['a "quoted" name', "Größe, in cm", "x.y", "back\\slash", "tab\there"]


@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=12),
    st.sampled_from([2, 400]),
)
def test_uniqueness_agrees_with_comparing_rows(rows, most):
    """Few sets are allowed in one half of the runs: then those that are tried must still agree."""
    columns = {name: [row[i] for row in rows] for i, name in enumerate("wxyz")}
    source, _ = open_source(columns)
    before, module.MOST_SETS = module.MOST_SETS, most
    try:
        found = {one.columns: one.n_alone for one in uniqueness(source, list("wxyz"))}
    finally:
        module.MOST_SETS = before
    for names, alone in found.items():
        seen = [tuple(columns[name][i] for name in names) for i in range(len(rows))]
        assert alone == sum(seen.count(one) == 1 for one in seen)
    if most == 400:
        sizes = range(1, 5)
        assert set(found) == {s for n in sizes for s in combinations("wxyz", n)}


def test_each_policy_is_explained_in_two_sentences():
    for text, rules in POLICIES.values():
        assert text.count(". ") == 1 and text.endswith(".") and rules


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_can_be_published(tmp_path, policy):
    write_csv(tmp_path / "patients.csv", hospital(300))
    assert gyges("init", "patients.csv", "--policy", policy, folder=tmp_path)[0] == 0
    code, _, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, notes


def test_a_policy_that_the_table_cannot_satisfy_is_eased_and_says_so(tmp_path):
    """Two different values can never be three."""
    columns = {"age": list(range(40)), "salary": ["high", "low"] * 20}
    write_csv(tmp_path / "people.csv", columns)
    assert gyges("init", "people.csv", folder=tmp_path)[0] == 0
    text = (tmp_path / "gyges.toml").read_text()
    assert "no release of this table satisfies distinct diversity with l = 3" in text
    assert {"rule": "distinct diversity", "l": 2} in tomllib.loads(text)["require"]
    assert gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)[0] == 0


def test_awkward_names_and_marks_of_missing_values(tmp_path):
    with (tmp_path / "p.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*AWKWARD, "disease"])
        writer.writerows([[i % 3, i % 5, "?", i % 2, i % 4, "abc"[i % 3]] for i in range(30)])
        writer.writerows(
            [[i % 3, i % 5, "qr"[i % 2], i % 2, i % 4, "abc"[i % 3]] for i in range(30)]
        )
    code, out, notes = gyges("init", "p.csv", "--json", folder=tmp_path)
    assert code == 0, notes
    assert {one["name"] for one in json.loads(out)["columns"]} == {*AWKWARD, "disease"}
    text = (tmp_path / "gyges.toml").read_text(encoding="utf-8")
    assert set(tomllib.loads(text)["columns"]["quasi_identifiers"]) == set(AWKWARD)
    assert tomllib.loads(text)["data"]["missing_marks"] == ["?"]
    code, _, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, notes


def born(n, times, days=25_000):
    """People by day of birth, sex and town, each with several rows."""
    rng = random.Random(n)
    first = datetime.date(1940, 1, 1)
    rows = [
        (first + datetime.timedelta(rng.randrange(days)), rng.choice("FM"), rng.choice("abcde"))
        for _ in range(n)
    ] * times
    return dict(zip(("birth_date", "sex", "town"), zip(*rows, strict=True), strict=True))


@pytest.mark.parametrize(("n", "times"), [(200, 1), (5000, 1), (200, 2), (200, 3), (3000, 3)])
def test_rows_that_agree_on_a_day_of_birth_and_all_else_are_told_from_chance(n, times):
    source, _ = open_source({name: list(values) for name, values in born(n, times).items()})
    for others in (["sex", "town"], ["sex"]):
        found = may_be_same_people(source, "birth_date", others)
        assert found == n * times if times > 1 else found == 0


def test_init_says_what_is_not_protected(tmp_path):
    write_csv(tmp_path / "stays.csv", {name: list(map(str, v)) for name, v in born(60, 3).items()})
    code, out, notes = gyges("init", "stays.csv", folder=tmp_path)
    assert code == 0, notes
    assert "180 rows agree with another row on" in out and "do_not_identify" in out
    assert "no value is protected" in out
    text = (tmp_path / "gyges.toml").read_text().replace("\n# ", " ")
    assert "no value is protected" in text
    code, out, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 2 and "may identify people who have several rows" in notes
    said = (tmp_path / "gyges.toml").read_text()
    said = said.replace("[columns]\n", '[columns]\ndo_not_identify = ["birth_date"]\n')
    (tmp_path / "gyges.toml").write_text(said)
    code, out, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0 and "no value is protected" in notes
    assert "180 rows, each counted as one person, in" in out
    (tmp_path / "empty.csv").write_text("age,disease\n")
    code, _, notes = gyges("init", "empty.csv", "--overwrite", folder=tmp_path)
    assert code == 2 and "no rows" in notes
    code, _, notes = gyges("init", "nothere.csv", folder=tmp_path)
    assert code == 2 and "nothere.csv" in notes and "exists already" not in notes
    write_csv(tmp_path / "tiny.csv", {"age": [30, 31, 32], "disease": ["a", "b", "a"]})
    code, out, _ = gyges("init", "tiny.csv", "--overwrite", folder=tmp_path)
    assert (
        code == 0
        and "warning: Weaker than the policy: no release" in out
        and "k-anonymity with k = 5" in out
    )


def test_an_older_project_file_stays(tmp_path):
    write_csv(tmp_path / "patients.csv", hospital(30))
    (tmp_path / "gyges.toml").write_text("mine")
    code, _, notes = gyges("init", "patients.csv", folder=tmp_path)
    assert code == 2 and "--overwrite" in notes
    assert (tmp_path / "gyges.toml").read_text() == "mine"
    assert gyges("init", "patients.csv", "--out", "new/a.toml", folder=tmp_path)[0] == 0
    code, _, notes = gyges("publish", "new/a.toml", "--no-report", folder=tmp_path)
    assert code == 0 and (tmp_path / "new" / "release").is_dir(), notes


def test_lines_of_totals_are_not_people_unless_the_project_says_so(tmp_path):
    """Four lines of totals were published as four people."""
    rng = random.Random(3)
    rows = [[f"A{i}", rng.randint(20, 60), rng.choice("FM"), "A", rng.choice(["Flu", "Gout"])]
            for i in range(120)]  # fmt: skip
    for lines in ([], [["Summe", "", "", "", "120"], ["North sub-total", "", "", "A", "120"]]):
        with (tmp_path / "report.csv").open("w", newline="") as file:
            head = ["id", "age", "sex", "ward", "diagnosis"]
            csv.writer(file).writerows([head, *rows, *lines])
        code, out, notes = gyges("init", "report.csv", "--overwrite", folder=tmp_path)
        assert code == 0 and ("2 rows look like lines of totals" in out) == bool(lines), notes
        words = ("publish", "gyges.toml", "--no-report", "--overwrite")
        code, _, notes = gyges(*words, folder=tmp_path)
        assert (code, "totals_are_people = true" in notes) == ((2, True) if lines else (0, False))
    project = (tmp_path / "gyges.toml").read_text()
    stated = project.replace("[data]\n", "[data]\ntotals_are_people = true\n")
    (tmp_path / "gyges.toml").write_text(stated)
    code, _, notes = gyges(*words, folder=tmp_path)
    assert code == 0, notes


def test_numbers_that_may_stand_for_missing_values_are_asked_about(tmp_path):
    """An age of 999 widened everyone's intervals, and nobody asked."""
    rows = [
        [f"A{i}", 999 if i % 9 == 0 else 20 + i % 50, ["Flu", "Gout"][i % 2]] for i in range(99)
    ]
    with (tmp_path / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "age", "diagnosis"], *rows])
    code, out, _ = gyges("init", "people.csv", folder=tmp_path)
    assert (
        code == 0
        and "Do these stand for missing values: 999 (in age)? If so, write "
        'missing_marks = ["999"] under [data]. They then do in every column.'
        in out
    )
    project = tmp_path / "gyges.toml"
    stated = project.read_text().replace("# missing_marks", "missing_marks")
    project.write_text(stated.replace("[data]\n", '[data]\nmissing = "drop"\n'))
    code, out, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0 and "published 88 people" in out, notes


@pytest.mark.parametrize("number", [999, 999.0])
def test_a_mark_may_be_a_number_in_every_source(number):
    """Marks were texts only: in a frame of numbers nobody was without an age."""
    rows = {"age": [30, 31, number, number], "s": list("abab")}
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="s")
    assert gy.read(rows, schema, missing="drop", missing_marks=["999"]).n_people == 2


def test_missing_marks_are_one_value_where_unique_people_are_counted(tmp_path):
    """NA, ? and nothing were three values, so people were unique who are not."""
    write_csv(tmp_path / "a.csv", {"age": ["NA", "?", "30", "31"], "sex": ["F", "F", "M", "M"]})
    source, _ = open_source(tmp_path / "a.csv")
    alone = {one.columns: one.n_alone for one in uniqueness(source, ["age", "sex"], marks={"?"})}
    assert alone["age",] == 4 and alone["age", "sex"] == 4  # one mark only: nothing is joined
    marks = {"?", "NA"}
    alone = {one.columns: one.n_alone for one in uniqueness(source, ["age", "sex"], marks=marks)}
    assert alone["age",] == 2 and alone["age", "sex"] == 2


def test_several_sensitive_values_in_one_cell_are_noticed(tmp_path):
    """Combinations of diagnoses counted as diagnoses, and nobody said so."""
    rng = random.Random(5)
    ill = ["HIV", "Flu", "Gout", "Asthma", "Cancer", "Mumps"]
    people = {"id": range(200), "age": [rng.randint(20, 60) for _ in range(200)]}
    for separator in ("|", None):
        cells = [
            (separator or "|").join(rng.sample(ill, rng.choice([1, 2, 3]))) for _ in range(200)
        ]
        told = cells if separator else [cell.split("|")[0] for cell in cells]
        write_csv(tmp_path / "a.csv", {**people, "diagnoses": told})
        code, out, notes = gyges("init", "a.csv", "--overwrite", folder=tmp_path)
        assert code == 0 and ("several values in one cell" in out) == bool(separator), notes
        project = (tmp_path / "gyges.toml").read_text()
        assert ('# separator = "|"' in project) == bool(separator)


def test_headers_inside_the_data_are_no_people(tmp_path):
    """Three files with a header each were put together, and two headers were two people."""
    head, rows = (
        "id,age,sex,s",
        [f"p{i},{20 + i % 50},{'fm'[i % 2]},{'ab'[i % 2]}" for i in range(90)],
    )
    rows += [f"q{i},{20 + i % 50},{'fm'[i % 2]},{'ab'[i % 2]}" for i in range(300)]
    lines = [head, *rows[:130], head, *rows[130:260], head, *rows[260:]]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    code, out, _ = gyges("init", "people.csv", folder=tmp_path)
    assert code == 0 and "2 rows repeat the names of the columns" in out
    (tmp_path / "people.csv").write_text("\n".join([head, *rows]) + "\n")
    code, out, _ = gyges("init", "people.csv", "--overwrite", folder=tmp_path)
    assert code == 0 and "repeat the names" not in out
    (tmp_path / "people.csv").write_text("\n".join([head, rows[0], head, *rows[1:]]) + "\n")
    code, _, notes = gyges("init", "people.csv", "--overwrite", folder=tmp_path)
    assert code == 2 and "a header that comes again below, remove it there" in notes


def test_identifiers_that_differ_in_spelling_are_asked_about(tmp_path):
    """17 and 00017 were two people, so groups of "at least 5" held 3."""
    ids = [f"{i}" for i in range(1, 61)] + [f"{i:05d}" for i in range(1, 61)]
    ages, ills = [20 + i % 40 for i in range(60)] * 2, ["Flu", "Gout", "Cold"] * 40
    write_csv(tmp_path / "people.csv", {"patient_id": ids, "age": ages, "diagnosis": ills})
    code, out, _ = gyges("init", "people.csv", folder=tmp_path)
    assert code == 0 and "60 values of 'patient_id' differ from another one only in" in out


def test_a_number_among_words_may_be_a_missing_value(tmp_path):
    """A sex of 99 was published as a third sex, and the question never said in which column."""
    rows = {"age": [20 + i % 50 for i in range(99)], "sex": ["f", "m", "99"] * 33}
    ills = {"diagnosis": ["Flu", "none", "Gout", "HIV"] * 24 + ["Flu"] * 3}
    write_csv(tmp_path / "people.csv", rows | ills)
    code, out, notes = gyges("init", "people.csv", folder=tmp_path)
    assert code == 0 and "99 (in sex); none (in diagnosis)?" in out, notes
    code, out, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, notes


def test_a_sum_in_a_pivot_table_is_no_person(tmp_path):
    """Four regions and their sum were published as five people in one group."""
    table = {
        "Region": ["North", "South", "East", "West", "Total"],
        "men": [120, 130, 90, 80, 420],
        "women": [121.5, 133.5, 91, 85, 431],
    }
    write_csv(tmp_path / "pivot.csv", table)
    code, out, notes = gyges("init", "pivot.csv", folder=tmp_path)
    assert code == 0 and "1 row looks like a line of totals" in out and "if it is a person" in out
    code, _, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 2 and "totals_are_people = true" in notes
    honest = table | {"men": [120, 130, 90, 80, 421], "women": [1, 2, 3, 4, 5]}
    write_csv(tmp_path / "pivot.csv", honest)
    code, out, notes = gyges("init", "pivot.csv", "--overwrite", folder=tmp_path)
    assert code == 0 and "totals" not in out, notes


def test_a_table_of_frequencies_is_no_table_of_people(tmp_path):
    """Eight cells with 3 to 22 people were eight people."""
    cells = {"age": [30, 40] * 4, "sex": list("mmff") * 2, "region": list("NNNNSSSS")}
    write_csv(tmp_path / "cells.csv", cells | {"count": [12, 7, 3, 9, 11, 22, 4, 8]})
    code, out, _ = gyges("init", "cells.csv", folder=tmp_path)
    assert code == 0 and "count seems to say how many people each row stands for" in out
    people = {name: values * 2 for name, values in cells.items()}
    write_csv(tmp_path / "people.csv", people | {"count": [12, 7, 3, 9, 11, 22, 4, 8] * 2})
    code, out, _ = gyges("init", "people.csv", "--overwrite", folder=tmp_path)
    assert code == 0 and "how many people each row stands for" not in out


def test_one_person_cannot_be_hidden(tmp_path):
    """For a table of one row init proposed k = 1, which protects nobody."""
    write_csv(tmp_path / "one.csv", {"age": [30], "disease": ["Flu"]})
    code, out, notes = gyges("init", "one.csv", folder=tmp_path)
    assert code == 0 and "The table has one row: no release hides that person." in out, notes
    assert "\nk = 5\n" in (tmp_path / "gyges.toml").read_text()


def test_other_sensitive_columns_are_offered_as_such(tmp_path):
    """init said that one column only can be protected, which is not so."""
    rng = random.Random(8)
    people = {
        "age": [rng.randint(20, 60) for _ in range(300)],
        "sex": [rng.choice("fm") for _ in range(300)],
        "diagnosis": [rng.choice(["Flu", "Gout", "HIV", "Asthma"]) for _ in range(300)],
        "religion": [rng.choice(["A", "B", "C", "D"]) for _ in range(300)],
    }
    write_csv(tmp_path / "people.csv", people)
    code, out, notes = gyges("init", "people.csv", folder=tmp_path)
    assert code == 0 and "to protect it as well as diagnosis, write also_sensitive" in out, notes
    project = tmp_path / "gyges.toml"
    text = project.read_text().replace(
        '# also_sensitive = ["religion"]', 'also_sensitive = ["religion"]'
    )
    assert '\nalso_sensitive = ["religion"]' in text
    project.write_text(text.replace(', "religion"]\n#', "]\n#"))
    code, out, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, notes


@pytest.mark.parametrize("choice", ["keep_row", "rows_per_person", "do_not_identify"])
def test_every_choice_for_several_rows_can_be_made_as_it_is_written(tmp_path, choice):
    """A steward who followed the comment got an error: a line of prose looked like a key."""
    rng = random.Random(9)
    visits = [
        (
            p,
            20 + p % 50,
            "fm"[p % 2],
            f"2024-{1 + v:02d}-{rng.randint(1, 28):02d}",
            rng.choice("ABCD"),
        )
        for p in range(150)
        for v in range(rng.randint(1, 4))
    ]
    names = ("patient", "age", "sex", "date", "diagnosis")
    columns = dict(zip(names, map(list, zip(*visits, strict=True)), strict=True))
    write_csv(tmp_path / "visits.csv", columns)
    assert gyges("init", "visits.csv", folder=tmp_path)[0] == 0
    project = tmp_path / "gyges.toml"
    lines = project.read_text().split("\n")
    keys = {
        "keep_row": ["keep_row =", "keep_row_by ="],
        "rows_per_person": ["rows_per_person =", "values_per_person ="],
        "do_not_identify": ["do_not_identify ="],
    }[choice]
    for key in keys:
        [place] = [i for i, line in enumerate(lines) if line.startswith(f"# {key}")]
        lines[place] = lines[place].removeprefix("# ")
    text = "\n".join(lines)
    if choice == "rows_per_person":
        assert 'replace this rule by\n# rule = "probabilistic diversity", l = 2' in text
        text = text.replace('"distinct diversity"\nl = 3', '"probabilistic diversity"\nl = "1.2"')
    if choice == "do_not_identify":
        text = text.replace('person = "patient"\n', "", 1)
    project.write_text(text)
    code, out, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, notes
    counted = "rows, each counted as one person" if choice == "do_not_identify" else "150 people"
    assert counted in out


def test_top_coding_is_offered_and_can_be_used(tmp_path):
    """Ages up to 104 were published in intervals that nobody else was in."""
    rng = random.Random(4)
    rows = {
        "age": [rng.randint(18, 104) for _ in range(300)],
        "income": [rng.randint(10, 60) * 500 for _ in range(298)] + [900_000, 950_000],
        "stays": [rng.randint(0, 30) for _ in range(300)],
        "diagnosis": [rng.choice(["Flu", "Gout", "HIV", "Asthma"]) for _ in range(300)],
    }
    write_csv(tmp_path / "people.csv", rows)
    assert gyges("init", "people.csv", folder=tmp_path)[0] == 0
    project = tmp_path / "gyges.toml"
    text = project.read_text()
    assert '# shapes = { "age" = { top = 90 }, "income" = { top = 30000 } }' in text
    project.write_text(text.replace("# shapes = ", "shapes = "))
    code, _, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, notes
    with (tmp_path / "release" / "data.csv").open(newline="") as file:
        published = list(csv.DictReader(file))
    largest = {
        name: max(float(re.findall(r"[0-9.]+", row[name])[-1]) for row in published)
        for name in ("age", "income")
    }
    assert largest["age"] < 95 and largest["income"] < 40_000  # ranges end beyond the last value
