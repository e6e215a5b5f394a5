"""Columns that identify people are found whatever they are called: guesses against the truth.

Thirty-nine files are made here: names in several languages, whole numbers and texts, unique and
repeated, with and without anything else that stays the same for a person. None of the first kind
may be published, and none of those that repeat may pass for one row per person.
"""

from __future__ import annotations

import hashlib
import random
import re
import uuid

import numpy as np
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.auditing.column_roles import guess_roles
from gyges.auditing.people_source import refuse_unsaid
from gyges.data.check_digits import luhn, national_form
from gyges.data.repeated_people import CountedRows, identifies_people
from gyges.data.schema import Schema
from gyges.engines.read import open_source
from gyges.errors import SchemaError, SourceError
from tests.cli.commands import gyges, write_csv

NUMBER_OF_PEOPLE = re.compile(r"[0-9] people\b")
MAKERS = {
    "numbers": lambda n: n,
    "sequence": lambda n: n,
    "codes": lambda n: f"K{n}",
    "letters": lambda n: "".join(chr(97 + int(digit)) for digit in f"{n:09}"),
    "uuids": lambda n: str(uuid.UUID(int=n * 7919 + 2**80)),
    "hashes": lambda n: hashlib.sha256(str(n).encode()).hexdigest(),
    "emails": lambda n: f"x{n}@example.org",
    "ips": lambda n: f"10.{n % 200}.{n // 200 % 200}.{n // 40_000 + 7}",
    "phones": lambda n: f"+49 30 {n:08}",
    "urls": lambda n: f"https://example.org/{n}",
}
# (name of the column, what its values are, rows of each person, whether anything else is constant)
FILES = [
    ("pid", "numbers", (1, 2, 5), False), ("uid", "codes", (1, 2, 5), False),
    ("sid", "numbers", (1, 2, 5), True), ("patnr", "numbers", (2,), False),
    ("chart_no", "numbers", (1, 3), False), ("hash", "hashes", (1, 2, 5), False),
    ("token", "numbers", (1, 2), True), ("pseudonym", "letters", (1, 2, 5), False),
    ("respno", "sequence", (4,), False), ("seqn", "sequence", (1, 2), False),
    ("idnum", "numbers", (1, 2), False), ("study_no", "codes", (1, 2, 5), False),
    ("kvnr", "codes", (1, 2, 5), False), ("case_no", "numbers", (1, 2, 5), False),
    ("Kundennummer", "numbers", (1, 2, 3), False), ("Versicherten-Nr.", "codes", (2,), False),
    ("identifiant_patient", "numbers", (1, 4), False), ("numéro de dossier", "codes", (3,), False),
    ("codigo_paciente", "numbers", (1, 2), False), ("CodiceAssistito", "codes", (1, 2), False),
    ("klantnummer", "numbers", (1, 5), False), ("numer_pacjenta", "numbers", (2,), True),
    ("personnummer", "codes", (1, 2), False), ("identificador", "numbers", (2, 3), False),
    ("x", "numbers", (1, 2, 5), True), ("q7", "codes", (1, 2, 5), True),
    ("feld_1", "letters", (2, 3), True), ("v", "sequence", (1, 9), True),
    ("x", "numbers", (1, 2, 5), False), ("q7", "codes", (1, 2, 5), False),
    ("feld_1", "letters", (2, 3), False), ("a", "uuids", (1, 2), False),
    ("b", "hashes", (3,), False), ("c", "emails", (1, 2), False), ("d", "ips", (2,), False),
    ("e", "phones", (1, 2), False), ("f", "urls", (2,), False),
    ("pid", "numbers", (1,), False), ("x", "codes", (1,), False),
]  # fmt: skip


def people(name, kind, times, constant, n=300, seed=1):
    """A table of people with several rows each, in random order, and its persons."""
    rng = random.Random(f"{name} {kind} {seed}")
    numbers = range(2000, 2000 + n) if kind == "sequence" else rng.sample(range(10**5, 10**6), n)
    rows = []
    for who in numbers:
        fixed = (rng.choice("FM"), rng.randrange(18, 90), rng.choice(["13053", "14850", "10001"]))
        for _ in range(rng.choice(times)):
            moving = (rng.choice("FM"), rng.randrange(18, 90), rng.choice(["13053", "14850"]))
            ill = rng.choice(["Flu", "Gout", "HIV", "Asthma"])
            rows.append((MAKERS[kind](who), *(fixed if constant else moving), ill))
    rng.shuffle(rows)
    columns = zip(*rows, strict=True)
    return dict(zip([name, "sex", "age", "zip", "disease"], map(list, columns), strict=True))


@pytest.mark.parametrize("file", FILES, ids=lambda file: " ".join(map(str, file)))
def test_a_column_that_identifies_people_is_not_published_and_rows_do_not_pass_for_them(file):
    """`pid` was a quasi-identifier: 8,001 "people" in groups that held one person."""
    columns = people(*file)
    source, _ = open_source(columns)
    guess = guess_roles(source)[0]
    assert guess.role in ("person", "identifier", "dropped") and guess.reason
    others = {one.name: one.role for one in guess_roles(source)[1:]}
    assert others == {**dict.fromkeys(("sex", "age", "zip"), "quasi-identifier"),
                      "disease": "sensitive"}  # fmt: skip
    schema = Schema(quasi_identifiers=["sex", "age", "zip"], sensitive="disease", dropped=[file[0]])
    if guess.repeats and guess.identifies not in ("name", "contact"):
        with pytest.raises(SourceError, match="do_not_identify"):
            refuse_unsaid(source, schema)
    shown = Schema(quasi_identifiers=[file[0], "sex"], sensitive="disease")
    if guess.identifies not in ("", "maybe"):
        with pytest.raises(SchemaError, match="would be published"):
            refuse_unsaid(source, shown)
    refuse_unsaid(source, Schema(quasi_identifiers=["sex"], do_not_identify=[file[0]]))


@pytest.mark.parametrize("file", FILES, ids=lambda file: " ".join(map(str, file)))
def test_an_untouched_project_is_refused_while_people_have_several_rows(file, tmp_path):
    write_csv(tmp_path / "data.csv", people(*file))
    assert gyges("init", "data.csv", folder=tmp_path)[0] == 0
    code, _, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    if file[2] == (1,):
        assert code == 0, notes
        return
    assert code == 2 and "do_not_identify" in notes and not (tmp_path / "release").exists()
    assert len(notes.splitlines()) <= 2


@pytest.mark.parametrize("name", ["pid", "x"])
def test_the_project_can_say_in_so_many_words_that_a_column_identifies_nobody(name, tmp_path):
    write_csv(tmp_path / "data.csv", people(name, "numbers", (1, 2, 5), False))
    gyges("init", "data.csv", folder=tmp_path)
    project = tmp_path / "gyges.toml"
    text = project.read_text().replace(f'person = "{name}"\n', "")
    project.write_text(text.replace("[columns]\n", f'[columns]\ndo_not_identify = ["{name}"]\n'))
    code, out, notes = gyges("publish", "gyges.toml", folder=tmp_path)
    assert code == 0, notes
    assert " rows, each counted as one person, in " in out and not NUMBER_OF_PEOPLE.search(out)
    assert "holds: every group has at least 5 rows" in out
    code, out, _ = gyges("verify", "release", folder=tmp_path)
    assert code == 0 and "rows are published" in out and "Each row was counted as one" in out
    assert "at least 5 rows" in out and not NUMBER_OF_PEOPLE.search(out)
    code, out, _ = gyges("audit", "release", folder=tmp_path)
    assert code in (0, 3) and "rows, each counted as one person, in" in out.splitlines()[0]
    assert not NUMBER_OF_PEOPLE.search(out), out
    assert "at least 5 rows" in (tmp_path / "release" / "certificate.json").read_text()
    page = (tmp_path / "release" / "report.html").read_text()
    assert "Rows, each counted as one person" in page and not NUMBER_OF_PEOPLE.search(page)
    code, out, _ = gyges("ledger", "--json", folder=tmp_path)
    assert "rows, each counted as one person, in" in out


def test_a_column_in_doubt_is_asked_about_and_explained(tmp_path):
    write_csv(tmp_path / "data.csv", people("x", "numbers", (1, 2, 5), False))
    _, out, _ = gyges("init", "data.csv", folder=tmp_path)
    text = (tmp_path / "gyges.toml").read_text().replace("\n# ", " ")
    for said in (out, text):
        assert "x: may be people's numbers" in said and "do_not_identify = ['x']" in said
    assert "unique" not in out


@pytest.mark.parametrize("columns", [
    {"ward_no": [i % 12 for i in range(600)]},
    {"score": [i * 37 % 101 for i in range(600)]},
    {"amount": [1000 + 10 * (i * 7 % 90) for i in range(600)]},
    {"income": [i * 7919 % 9973 for i in range(600)]},
    {"zip": [13000 + i * 7 % 60 for i in range(600)], "town": [f"t{i * 7 % 60 // 4}" for i in
     range(600)], "state": [f"s{i * 7 % 60 // 20}" for i in range(600)]},
    {"x": [i * 13 % 60 for i in range(600)], "part_of_x": [i * 13 % 60 // 10 for i in range(600)]},
])  # fmt: skip
def test_amounts_codes_and_places_are_not_taken_for_people(columns):
    rng = random.Random(3)
    rows = {**columns, "sex": [rng.choice("FM") for _ in range(600)],
            "disease": [rng.choice(["Flu", "HIV"]) for _ in range(600)]}  # fmt: skip
    source, _ = open_source(rows)
    assert not [guess.name for guess in guess_roles(source) if guess.counts_people]


def test_the_members_of_a_household_are_not_rows_of_one_person(real_data):
    source, _ = open_source(real_data / "sdcmicro_households.csv.gz")
    found = {guess.name: guess for guess in guess_roles(source)}
    assert found["ori_hid"].role == "household" and not found["ori_hid"].counts_people


@pytest.mark.parametrize("name", ["x1", "q", "spalte"])
def test_the_patients_of_diabetes130_are_found_by_what_stays_the_same(name, real_data):
    rows = pyarrow.csv.read_csv(real_data / "diabetes130.csv.gz")
    renamed = [name if column == "patient_nbr" else column for column in rows.column_names]
    found = {
        guess.name: guess for guess in guess_roles(open_source(rows.rename_columns(renamed))[0])
    }
    assert found[name].role == "person" and "agree on gender, race" in found[name].reason


def slow_share(rows, value):
    """How many of the repeated values of the first column have one value of another one."""
    held = {}
    for row in rows:
        held.setdefault(row[0], []).append(row[value])
    several = [values for values in held.values() if len(values) > 1]
    return sum(len(set(values)) == 1 for values in several), len(several)


@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from("FM"), st.integers(0, 3)),
                min_size=40, max_size=200), st.booleans())  # fmt: skip
def test_a_column_is_said_to_identify_people_only_if_its_rows_agree(rows, fixed):
    """The slow twin counts row by row; a trait that is not constant speaks against people."""
    if fixed:
        rows = [(who, "FM"[who % 2], other) for who, _, other in rows]
    codes = [np.array([ord(row[1]) for row in rows]) - 70, np.array([row[2] for row in rows])]
    counted = CountedRows(np.array([row[0] for row in rows]), codes, np.ones(len(rows), dtype=int))
    found = identifies_people(counted, [True, False])
    same, several = slow_share(rows, 1)
    if found:
        assert same >= 0.8 * several and several >= 8
    if fixed and several >= 25 and len({row[1] for row in rows}) == 2:
        shares = [sum(row[1] == sex for row in rows) / len(rows) for sex in "FM"]
        assert 0 in found or max(shares) > 0.6


@pytest.mark.parametrize(("text", "form"), [
    ("9434765919", "NHS numbers"), ("111222333", "Dutch citizen numbers"),
    ("44051401359", "PESEL numbers"), ("12345678Z", "Spanish identity numbers"),
    ("RSSMRA85T10A562S", "Italian tax codes"), ("4111111111111111", "payment card numbers"),
    ("756.9217.0769.85", "Swiss insurance numbers"), ("52998224725", "Brazilian tax numbers"),
    ("81128412010", None), ("1234567890", None),
])  # fmt: skip
def test_numbers_with_check_digits(text, form):
    """Published examples of each kind, repeated: the form is that of the values, not of one."""
    assert national_form([text] * 20) == form
    assert national_form([text] * 3) is None


def test_random_numbers_have_no_check_digits():
    rng = random.Random(1)
    for length in (8, 9, 10, 11, 13, 15, 16):
        texts = [str(rng.randrange(10 ** (length - 1), 10**length)) for _ in range(200)]
        assert national_form(texts) is None
        assert national_form([t for t in texts for n in range(10) if luhn(t[:-1] + str(n))]) is None


@pytest.mark.parametrize("name", ["pid", "x"])
def test_a_list_of_people_with_several_rows_is_refused_wherever_it_is_looked_up(name, tmp_path):
    """A population with a repeating column that nobody named was counted in rows."""
    columns = people(name, "numbers", (2, 3, 5), True)
    write_csv(tmp_path / "visits.csv", columns)
    write_csv(tmp_path / "data.csv", {one: columns[one] for one in ("age", "sex", "disease")})
    roles = ["--quasi", "age,sex", "--sensitive", "disease"]
    for words in (
        ["audit", "data.csv", *roles, "--population", "visits.csv"],
        ["attack", "data.csv", "data.csv", *roles, "--people", "visits.csv"],
    ):
        code, out, notes = gyges(*words, folder=tmp_path)
        assert code == 2 and not out and repr(name) in notes and "do_not_identify" in notes
