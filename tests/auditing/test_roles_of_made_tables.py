"""More tables that are made here, and the truth about each column; letters as in test_column_roles.

What identifies people must be found in several languages, by name and by content, however often its
values repeat; numbers that stand for categories must not become intervals.
"""

from __future__ import annotations

import tomllib

import pytest

from gyges.data.hipaa import OTHER
from gyges.engines.read import open_source
from tests.auditing.test_column_roles import (
    AGE,
    FIRST,
    FULL,
    ILL,
    LAST,
    MESSY,
    ROLES,
    SEX,
    WORDS,
    N,
    chosen,
    guessed,
    made,
)
from tests.cli.commands import gyges, write_csv

MORE = {
    "dutch": {
        "achternaam": (chosen(LAST), "I|D"),
        "voornaam": (chosen(FIRST), "I|D"),
        "bsn": (made("1########", 200), "P|I|D"),
        "geslacht": (SEX, "Q"),
        "leeftijd": (AGE, "Q"),
        "postcode": (made("10## AB", 12), "Q"),
        "opmerkingen": ([" ".join(chosen(WORDS, i, 6)) for i in range(N)], "D"),
        "diagnose": (ILL, "S"),
    },
    "polish": {
        "imię": (chosen(FIRST), "I|D"),
        "nazwisko": (chosen(LAST), "I|D"),
        "PESEL": (made("8##########", 300), "P|I|D"),
        "płeć": (chosen(["K", "M"]), "Q"),
        "wiek": (AGE, "Q"),
        "uwagi": ([" ".join(chosen(WORDS, i, 5)) for i in range(N)], "D"),
        "województwo": (chosen(["mazowieckie", "śląskie", "lubelskie"]), "Q"),
    },
    "portuguese": {
        "nome": (FULL, "I|D"),
        "cpf": (made("###.###.###-##", 300), "P|I|D"),
        "telemóvel": (made("+351 9########", 200), "I|D"),
        "sexo": (SEX, "Q"),
        "idade": (AGE, "Q"),
        "morada": (made("Rua @@@@ ##", 200), "I|D"),
    },
    "swedish": {
        "personnummer": (made("19######-####", 300), "P|I|D"),
        "förnamn": (chosen(FIRST), "I|D"),
        "efternamn": (chosen(LAST), "I|D"),
        "kön": (SEX, "Q"),
        "ålder": (AGE, "Q"),
        "anteckningar": ([" ".join(chosen(WORDS, i, 6)) for i in range(N)], "D"),
    },
    "czech and hungarian": {
        "jméno": (chosen(FIRST), "I|D"),
        "příjmení": (chosen(LAST), "I|D"),
        "rodné číslo": (made("######/####", 300), "P|I|D"),
        "pohlaví": (SEX, "Q"),
        "vezetéknév": (chosen(LAST, 7), "I|D"),
    },
    "HIPAA, the eighteen": {
        "name": (FULL, "I|D"),
        "street": (made("## @@@@ St", 300), "I|D"),
        "date_of_birth": ([f"19{30 + i % 60}-0{i % 9 + 1}-{i % 28 + 1:02}" for i in range(N)], "D"),
        "telephone": (made("(555) 555-####", 300), "I|D"),
        "fax": (made("(555) 556-####", 300), "I|D"),
        "email": ([f"{x}@example.com" for x in made("@@@@@", 300)], "I|D"),
        "ssn": (made("###-##-####", 300), "P|I|D"),
        "mrn": (made("MRN######", 300), "P|I|D"),
        "beneficiary_id": (made("1EG#-TE#-MK##", 300), "P|I|D"),
        "account_number": (made("########", 300), "P|I|D"),
        "driver_license": (made("D#######", 300), "P|I|D"),
        "license_plate": (made("ABC####", 300), "I|D"),
        "device_id": (made("dev-######", 300), "P|I|D"),
        "url": ([f"https://example.org/u/{i}" for i in range(N)], "I|D"),
        "ip_address": (made("192.0.2.#", 9), "I|D"),
        "fingerprint": (made("@@@@@@@@@@@@", 300), "I|D"),
        "photo": (made("img####.jpg", 300), "I|D"),
        "study_code": (made("S-#####", 300), "P|I|D"),
    },
    "identifiers that repeat often": {
        "x1": ([f"{x}@example.org" for x in made("@@@", 8)], "I|D"),
        "x2": (made("+44 20 7946 0###", 6), "I|D"),
        "x3": (chosen(["DE89370400440532013000", "GB29NWBK60161331926819"]), "I|D"),
        "x4": (chosen(["Anna Muster", "Peter Beispiel", "Maria Example"]), "I|D"),
        "x5": (made("########-####-4###-8###-############", 5), "P|I|D"),
        "x6": (chosen(["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:2"]), "I|D"),
    },
    "codes are no amounts": {
        "sex": (chosen([1, 2]), "Q"),
        "state": ([1 + i % 50 for i in range(N)], "Q"),
        "race": (chosen([1, 2, 3, 9]), "Q"),
        "marital_status": (chosen([1, 2, 3, 4, 5]), "Q"),
        "q17": (chosen([0, 1, 8, 9]), "Q"),
        "age": (AGE, "Q"),
        "children": (chosen([0, 1, 2, 3, 4]), "Q"),
    },
    "a survey": {
        "respondent_id": (list(range(10_000, 10_000 + N)), "I|P"),
        "hhid": ([i // 2 for i in range(N)], "H"),
        "pweight": ([1.5 + i % 97 / 10 for i in range(N)], "W"),
        "gender": (chosen([1, 2]), "Q"),
        "income": ([1000 + 37 * (i % 90) for i in range(N)], "S"),
        "region": (chosen(["N", "S", "W"]), "Q"),
    },
    "a school": {
        "student_no": (list(range(20_000, 20_000 + N)), "I|P"),
        "pupil": (FULL, "I|D"),
        "grade": (chosen([1, 2, 3, 4, 5, 6]), "Q"),
        "teacher": ([f"Mrs. {x}" for x in chosen(LAST)], "I|D"),
        "born": ([f"{i % 28 + 1:02}.{i % 12 + 1:02}.{2008 + i % 6}" for i in range(N)], "D"),
    },
    "employees": {
        "emp_no": (list(range(7_000, 7_000 + N)), "I|P"),
        "email_work": ([f"{x}@example.com" for x in made("@@.@@@@", 350)], "I|D"),
        "department": (chosen(["sales", "it", "hr"]), "Q"),
        "salary": ([2000 + 50 * (i % 60) for i in range(N)], "S"),
        "manager": (
            [f"{f} {x}" for f, x in zip(chosen(FIRST, 8), chosen(LAST, 9), strict=True)],
            "I|D",
        ),
        "hired": ([f"20{10 + i % 14}-0{i % 9 + 1}-15" for i in range(N)], "Q"),
    },
    "a bank": {
        "IBAN": (made("DE####################", 300), "I|D|P"),
        "kontonummer": (made("##########", 300), "I|D|P"),
        "card_number": (made("4###############", 300), "I|D|P"),
        "balance": ([f"{i * 7919 % 100_000},{i % 90 + 10}" for i in range(N)], "D|Q"),
        "alter": (AGE, "Q"),
    },
    "a web log": {
        "user_id": (made("u######", 80), "P"),
        "ip": (made("10.1.#.##", 60), "I|D"),
        "session": (made("################", 350), "P|I|D"),
        "referrer": ([f"https://example.org/{x}" for x in made("@@", 40)], "I|D"),
        "age": (AGE, "Q"),
    },
    "a laboratory": {
        "specimen_id": (list(range(N)), "D"),
        "patient": (made("P#####", 150), "P"),
        "physician": ([f"Dr. {x}" for x in chosen(LAST)], "I|D"),
        "result": (chosen(["positive", "negative"]), "S"),
        "collected": ([f"2024-0{i % 9 + 1}-{i % 28 + 1:02}" for i in range(N)], "Q"),
    },
    "coordinates and devices": {
        "lat": ([f"52.{i * 7919 % 100000:05}" for i in range(N)], "D"),
        "lon": ([f"13.{i * 7907 % 100000:05}" for i in range(N)], "D"),
        "mac": (made("00:1b:##:##:##:##", 80), "I|D"),
        "imei": (made("35#############", 200), "P|I|D"),
        "sex": (SEX, "Q"),
    },
    "greek letters of a trial": {
        "subject": (made("S-0###", 120), "P"),
        "arm": (chosen(["A", "B"]), "Q"),
        "dob": ([f"19{40 + i % 50}-01-{i % 28 + 1:02}" for i in range(N)], "D"),
        "adverse_event": (chosen(["nausea", "headache", "none"]), "S|Q"),
        "visit": (chosen([1, 2, 3, 4]), "Q"),
    },
}


def test_there_are_thirty_of_them():
    assert len({**MESSY, **MORE}) >= 30


@pytest.mark.parametrize("case", MORE)
def test_guesses_agree_with_the_truth(case):
    found = guessed(open_source({name: values for name, (values, _) in MORE[case].items()})[0])
    wrong = {
        name: (found[name].role, found[name].reason)
        for name, (_, letters) in MORE[case].items()
        if found[name].role not in [ROLES[letter] for letter in letters.split("|")]
    }
    assert wrong == {}
    assert all(guess.reason for guess in found.values())


HIPAA = {
    "name": "names", "street": "places smaller than a state", "date_of_birth": "dates",
    "telephone": "phone numbers", "fax": "fax numbers", "email": "e-mail addresses",
    "ssn": "social security numbers", "mrn": "medical record numbers",
    "beneficiary_id": "health plan beneficiary numbers", "account_number": "account numbers",
    "driver_license": "certificate and license numbers", "license_plate": "vehicle identifiers",
    "device_id": "device identifiers", "url": "web addresses", "ip_address": "IP addresses",
    "fingerprint": "biometric identifiers", "photo": "photographs", "study_code": OTHER,
}  # fmt: skip


def test_the_eighteen_identifiers_of_hipaa_are_named_as_such():
    case = MORE["HIPAA, the eighteen"]
    found = guessed(open_source({name: values for name, (values, _) in case.items()})[0])
    assert {name: f"HIPAA: {what}" in found[name].reason for name, what in HIPAA.items()} == (
        dict.fromkeys(HIPAA, True)
    )


def test_codes_get_no_intervals(tmp_path):
    """A sex coded 1 and 2 has no half, and states 20 to 23 are no neighbours."""
    case = MORE["codes are no amounts"]
    write_csv(tmp_path / "data.csv", {name: values for name, (values, _) in case.items()})
    assert gyges("init", "data.csv", folder=tmp_path)[0] == 0
    project = tomllib.loads((tmp_path / "gyges.toml").read_text(encoding="utf-8"))
    assert list(project["hierarchies"]) == ["age"]
    assert project["columns"]["kinds"] == dict.fromkeys({*case} - {"age"}, "category")
    assert gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)[0] == 0
    lines = (tmp_path / "release" / "data.csv").read_text(encoding="utf-8").splitlines()
    place = lines[0].split(",").index("sex")
    assert {line.split(",")[place] for line in lines[1:]} <= {"1", "2", '"{1', "*"}


def test_an_age_with_zeros_in_front_is_a_number(tmp_path):
    found = guessed(open_source({"age": [f"{age:03}" for age in AGE], "sex": SEX})[0])
    assert (found["age"].kind, found["age"].stated_kind) == ("number", "number")


def test_weights_households_and_the_row_to_keep_are_proposed(tmp_path):
    """One survey weight, of people rather than of households; neither has a missing value."""
    n = 300
    columns = {
        "patient": [f"P{i % 100:05}" for i in range(n)],
        "hhid": [i % 100 // 2 for i in range(n)],
        "hhwt": [100 + i % 100 for i in range(n)],
        "pweight": [2.5 + i % 100 for i in range(n)],
        "admitted": [f"20{10 + i // 100}-01-{i % 28 + 1:02}" for i in range(n)],
        "sex": [("f", "m")[i % 100 % 2] for i in range(n)],
        "disease": [("Flu", "Gout", "HIV")[i % 7 % 3] for i in range(n)],
    }
    write_csv(tmp_path / "data.csv", columns)
    assert gyges("init", "data.csv", folder=tmp_path)[0] == 0
    text = (tmp_path / "gyges.toml").read_text(encoding="utf-8")
    stated = tomllib.loads(text)["columns"]
    assert (stated["weight"], stated["household"], stated["person"]) == (
        "pweight",
        "hhid",
        "patient",
    )
    assert "hhwt" in stated["dropped"]
    assert '# keep_row = "last"\n# keep_row_by = "admitted"' in text
    chosen = text.replace("# keep_row", "keep_row")
    (tmp_path / "gyges.toml").write_text(chosen, encoding="utf-8")
    code, out, err = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, out + err


@pytest.mark.parametrize("make", ["K{:05}".format, lambda i: f"{chr(97 + i % 26) * 3} {i}b {i}"])
def test_what_identifies_people_and_does_not_repeat_is_asked_about(make):
    """After one row of each person is kept, the number of people is different in every row."""
    found = guessed(open_source({"x": [make(i) for i in range(N)], "age": AGE})[0])["x"]
    assert found.role in ("identifier", "dropped") and "people" in found.reason


def test_a_reason_does_not_repeat_its_counts(tmp_path):
    columns = {"x": [10_000 + 37 * (i % 43) for i in range(299)], "age": AGE[:299]}
    write_csv(tmp_path / "data.csv", columns)
    _, out, _ = gyges("init", "data.csv", folder=tmp_path)
    for line in [*out.splitlines(), (tmp_path / "gyges.toml").read_text(encoding="utf-8")]:
        assert " ".join(line.replace("#", "").split()).count("43 different values in 299") <= 1
