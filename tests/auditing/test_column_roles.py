"""Guesses of roles against the truth: on real tables, and on messy ones that are made here.

Letters stand for roles: P says who is who, I identifies, Q is a quasi-identifier, S sensitive,
D dropped, W a survey weight, H a household. `I|D` means that either is right: the column must not
be published. An identifier that repeats is dropped, unless another column tells who is who.
"""

from __future__ import annotations

import json
import random
import string

import pytest

from gyges.auditing.column_roles import guess_roles
from gyges.auditing.column_values import propose_hierarchy
from gyges.data.column_names import meaning
from gyges.data.personal_patterns import are_long_numbers, personal_form
from gyges.data.values import Kind
from gyges.engines.read import open_source
from tests.cli.commands import gyges, write_csv

ROLES = {
    "P": "person",
    "I": "identifier",
    "Q": "quasi-identifier",
    "S": "sensitive",
    "D": "dropped",
    "W": "weight",
    "H": "household",
}
FIRST, LAST, WORDS = (
    text.split()
    for text in (
        "Anna Peter Maria John Laura David Sofia Thomas Julia Carlos Emma Paul Elena Jan",
        "Beispiel Muster Example Sample Ejemplo Esempio Voorbeeld Przyklad Exempel Modele",
        "the patient came again and said that nothing was better than before",
    )
)
N = 400


def chosen(values, seed=1, n=N):
    rng = random.Random(seed)
    return [rng.choice(values) for _ in range(n)]


def made(pattern, n_different, seed=2, n=N):
    """Texts by a pattern (# a digit, @ a letter), so many different ones, in random order."""
    rng = random.Random(seed)
    digits, letters = "0123456789", string.ascii_lowercase
    texts = [
        "".join(rng.choice({"#": digits, "@": letters}.get(c, c)) for c in pattern)
        for _ in range(n_different)
    ]
    return chosen(texts, seed, n)


AGE, SEX = [20 + i % 60 for i in range(N)], ["F", "M"] * (N // 2)
ZIP, ILL = chosen(["13053", "14850", "14853"]), chosen(["Flu", "Gout", "HIV", "Asthma"])
FULL = [f"{first} {last}" for first, last in zip(chosen(FIRST), chosen(LAST, 3), strict=True)]

MESSY = {
    "names repeat": {
        "Name": (FULL, "I"),
        "Age": (AGE, "Q"),
        "Sex": (SEX, "Q"),
        "Disease": (ILL, "S"),
    },
    "first and last names, a unique number": {
        "patient_id": (list(range(N)), "P"),
        "first_name": (chosen(FIRST), "I"),
        "last_name": (chosen(LAST), "I"),
        "zip": (ZIP, "Q"),
        "diagnosis": (ILL, "S"),
    },
    "german": {
        "Patientennummer": (made("9######", 150), "P"),
        "Nachname": (chosen(LAST), "I"),
        "Straße": (made("@@@@weg", 90), "D"),
        "PLZ": (ZIP, "Q"),
        "Geschlecht": (SEX, "Q"),
        "Telefonnummer": (made("030/#######", 90), "I"),
        "Diagnose": (ILL, "S"),
    },
    "french": {
        "prénom": (chosen(FIRST), "I"),
        "nom": (chosen(LAST), "I"),
        "âge": (AGE, "Q"),
        "courriel": ([f"{text}@example.fr" for text in made("@@.@@@", 99)], "I"),
        "adresse": (made("## rue @@@@", 99), "D"),
        "numero_securite_sociale": (made("1############", 250), "P"),
    },
    "spanish and italian": {
        "apellidos": (chosen(LAST), "I"),
        "dni": (made("########@", 300), "P"),
        "correo": ([f"{text}@example.es" for text in made("@@@@", 80)], "I"),
        "cognome": (chosen(LAST, 5), "I"),
        "sexo": (SEX, "Q"),
        "edad": (AGE, "Q"),
    },
    "contents without names": {
        "a": ([f"{text}@example.org" for text in made("@@@@.@@@", 50)], "I"),
        "b": (made("###-##-####", 40), "I"),
        "c": (made("+49 30 #######", 60), "I"),
        "d": (made("10.0.#.##", 70), "I"),
        "e": (FULL, "I"),
        "f": (AGE, "Q"),
        "g": (SEX, "Q"),
        "h": ([f"https://example.org/{i % 60}" for i in range(N)], "I"),
    },
    "numbers of things": {
        "encounter_id": (list(range(N)), "D"),
        "patient_nbr": (made("8####", 120), "P"),
        "admission_type_id": ([i % 8 for i in range(N)], "Q"),
        "household": (chosen("abcde"), "Q"),
        "ward_name": (chosen(["north", "south"]), "Q"),
        "hospital_id": ([i % 90 for i in range(N)], "D"),
        "country_name": (chosen(["Spain", "Italy"]), "Q"),
        "drug": (ILL, "S"),
    },
    "free text": {
        "notes": ([" ".join(chosen(WORDS, i, 9)) for i in range(N)], "D"),
        "remark": ([" ".join(chosen(WORDS, i % 50, 3)) for i in range(N)], "D"),
        "condition": ([" ".join(chosen(WORDS, i, 12)) for i in range(N)], "D"),
        "age": (AGE, "Q"),
    },
    "codes and amounts": {
        "zipcode": (ZIP, "Q"),
        "income": ([1000 + 37 * (i % 90) for i in range(N)], "Q"),
        "education": (chosen(["BA", "MA", "none"]), "Q"),
        "icd": (made("@##", 30), "S"),
        "occupation": (chosen(["Software engineer", "Heavy machinery", "Shop assistant"]), "Q"),
        "card": (made("4###############", 300), "D"),
        "birth": ([f"19{i % 90 + 10}-01-02" for i in range(N)], "D"),
        "marital": (chosen(["Never married", "Married", "Divorced"]), "Q"),
        "token": (made("################", 300), "P"),
    },
    "one person, many rows": {
        "subject_id": ([7] * N, "P"),
        "day": ([f"2024-01-{i % 28 + 1:02}" for i in range(N)], "Q"),
        "result": (chosen(["high", "low"]), "S"),
    },
    "cities": {
        "city": (made("@@@@@@", 200), "D"),
        "region": (chosen(["north", "south", "west"]), "Q"),
        "uuid": (made("########-####-####-####-############", 80), "I|P|D"),
        "sex": (SEX, "Q"),
    },
    "a list of a ward": {
        "physician": (chosen(["Dr. Beispiel", "Dr. Muster", "Dr. Exempel"]), "I|D"),
        "treating": ([f"{i % 26 + 65:c}. {name}" for i, name in enumerate(chosen(LAST))], "I|D"),
        "family": ([name.upper() for name in chosen(LAST)], "I"),
        "salutation": ([f"Frau {name}" for name in chosen(LAST)], "I"),
        "memo": (chosen(["call again", "wants result by phone", "refer to GP"]), "D"),
        "home": ([f"Lake Av {i % 5}" for i in range(N)], "I|D"),
        "policy": (made("4711-00##", 80), "P"),
        "discharged": ([f"{i % 28 + 1:02}-Jan-2024" for i in range(N)], "Q"),
        "dx": (ILL, "S"),
        "illness_before": (chosen(["Cancer", "Flu", "Asthma", "Gout", "none"], 9), "D"),
    },
    "initials and marks": {
        "pat": ([text.upper() for text in made("@.@.", 90)], "I"),
        "initials": ([text.upper() for text in made("@@", 99)], "I"),
        "plate": (made("M-@@ ###", 99), "I"),
        "lat": ([f"48.{i * 7919 % 100000:05}" for i in range(N)], "D"),
        "age": ([f"{20 + i % 60}.0" if i % 50 else "NA" for i in range(N)], "Q"),
        "seen": ([f"{i % 12 + 1}/{i % 11 + 1}/2024" for i in range(N)], "D"),
        "admitted": ([f"{i % 28 + 1:02}.03.2024" for i in range(N)], "Q"),
        "sampling_weight": ([100 + i % 37 for i in range(N)], "W"),
        "number_diagnoses": ([i % 9 for i in range(N)], "Q"),
        "Befund": (ILL, "S"),
    },
    "illness by its words": {
        "q1": (ILL, "S"),
        "q2": (AGE, "Q"),
        "q3": (chosen(["see Dr. Muster", "none", "ask Mrs. Beispiel"]), "D"),
        "q4": (chosen(["moved away last year", "lives with her son now"]), "D"),
        "q5": ([name.upper() for name in chosen(["Huber", "Nowak", "Rossi", "Xyzabc"])], "I|D"),
        "household_id": ([i // 3 for i in range(N)], "H"),
        "mother_education": (chosen(["BA", "MA"]), "Q"),
    },
    "a telephone that is a yes or no": {
        "telephone": (chosen(["yes", "no"]), "Q"),
        "mobile": (chosen(["none", "some"]), "Q"),
        "account_status": (chosen(["A11", "A12", "A13"]), "Q"),
        "credit_amount": (AGE, "Q"),
        "person_no": ([i % 6 for i in range(N)], "Q"),
    },
}


def guessed(source):
    return {guess.name: guess for guess in guess_roles(source)}


@pytest.mark.parametrize("case", MESSY)
def test_guesses_agree_with_the_truth_on_messy_tables(case):
    columns = {name: values for name, (values, _) in MESSY[case].items()}
    found = guessed(open_source(columns)[0])
    wrong = {
        name: (found[name].role, found[name].reason)
        for name, (_, truth) in MESSY[case].items()
        if not is_right(found[name], truth)
    }
    assert not wrong


def is_right(guess, truth):
    allowed = [ROLES[letter] for letter in truth.split("|")]
    return guess.role in allowed or (truth == "I" and guess.role == "dropped" and guess.repeats)


REAL = {
    "adult": {"fnlwgt": "W", "salary": "S"},
    "nist_acs2019": {"PWGTP": "W", "WGTP": "D"},
    "diabetes130": {"encounter_id": "D", "patient_nbr": "P", "diag_1": "S", "diag_2": "D",
                    "diag_3": "D", "examide": "D", "citoglipton": "D"},
    "ipums_la_97": {"year": "D", "incwage": "S"},
    "sdcmicro_households": {"expend": "D", "income": "S", "savings": "D", "ori_hid": "H",
                            "sampling_weight": "W", "household_weights": "D"},
    "fars_int": {},
    "nursery": {},
    "casc_census": {"AFNLWGT": "W", "AGI": "D", "EMCONTRB": "D", "FEDTAX": "D", "PTOTVAL": "D",
                    "STATETAX": "D", "TAXINC": "D"},
    "casc_eia": {"UTILITYID": "P", "RESSALES": "D", "COMSALES": "D", "INDSALES": "D",
                 "TOTREVENUE": "D", "TOTSALES": "D"},
    "casc_tarragona": {"FIXED.ASSETS": "D", "CURRENT.ASSETS": "D", "TREASURY": "D",
                       "UNCOMMITTED.FUNDS": "D", "SHORT.TERM.DEBT": "D", "SALES": "D",
                       "LABOR.COSTS": "D", "DEPRECIATION": "D", "OPERATING.PROFIT": "D",
                       "FINANCIAL.OUTCOME": "D", "GROSS.PROFIT": "D", "NET.PROFIT": "D"},
    "diabetes130_diagnoses": {"person_id": "P", "value": "D"},
    "diabetes130_persons": {"person_id": "I"},
    "ipums_la_98": {"year": "D", "incwage": "S"},
    "ipums_la_99": {"year": "D", "incwage": "S"},
    "ipums_la_labels": {"description": "D", "code": "P", "label": "D"},
    "msweb_pages": {"value": "D", "title": "D", "url": "I"},
    "msweb_visits": {"person_id": "P"},
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_ordinary_columns_of_real_tables_stay_quasi_identifiers(name, real_data):
    """All columns that are not listed."""
    [path] = real_data.glob(f"{name}.csv*")
    found = guessed(open_source(path)[0])
    others = {column: guess.role for column, guess in found.items() if guess.role != ROLES["Q"]}
    assert others == {column: ROLES[letter] for column, letter in REAL[name].items()}


@pytest.mark.parametrize("case", MESSY)
def test_an_untouched_project_publishes_no_name_and_no_number_of_a_person(case, tmp_path):
    """Names that repeat were published as sets: "{name, name, …}"."""
    columns = {name: values for name, (values, _) in MESSY[case].items()}
    write_csv(
        tmp_path / "data.csv", {name: [str(v) for v in held] for name, held in columns.items()}
    )
    assert gyges("init", "data.csv", "--policy", "inside", folder=tmp_path)[0] == 0
    code, _, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    secret = {
        str(value)
        for name, (values, truth) in MESSY[case].items()
        if truth not in "QS" and len(set(values)) > 1
        for value in values
        if len(str(value)) > 4
    }
    assert not any(value in notes for value in secret)
    if code == 0:
        text = (tmp_path / "release" / "data.csv").read_text()
        assert not [value for value in secret if value in text]
    else:
        assert code == 2 and ("people share a value" in notes or "do_not_identify" in notes)


def test_init_names_the_column_that_identifies_people(tmp_path):
    columns = {"patient_nbr": [i % 90 for i in range(N)], "age": AGE, "disease": ILL}
    write_csv(tmp_path / "stays.csv", columns)
    code, out, _ = gyges("init", "stays.csv", folder=tmp_path)
    assert code == 0 and "90 different values in 400 rows" in out and "alone" not in out
    text = (tmp_path / "gyges.toml").read_text().replace("\n# ", " ")
    assert 'person = "patient_nbr"' in text and "one row of each person" in text
    code, _, notes = gyges("publish", "gyges.toml", folder=tmp_path)
    assert code == 2 and "90 different values in 400 rows" in notes
    assert not (tmp_path / "release").exists()


def test_what_names_mean():
    said = {
        "person": ["PatientID", "KundenNr", "ssn", "person_id", "CodiceFiscale", "Medical Record"],
        "name": ["Name", "full name", "Vorname", "apellido", "Achternaam", "surname"],
        "contact": ["E-Mail", "phoneNumber", "Telefon", "IBAN", "user_name", "ip_address"],
        "address": ["Street", "Adresse", "home_address"],
        "number": ["pid", "uid", "hash", "token", "case_no", "chart_no", "seqn", "idnum"],
        "thing": ["visit_id", "order no", "household_id", "hospital_code"],
        "": ["age", "zip", "sex", "country", "product_name", "num_medications", "covid", "paid",
             "occupation", "race", "native-country", "hours-per-week", "weight", "casino"],
    }  # fmt: skip
    for what, names in said.items():
        assert {name: meaning(name) for name in names} == dict.fromkeys(names, what)


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"], "IBANs"),
        (["DE00 3704 0044 0532 0130 00", "GB00WEST12345698765432"], None),
        (["8f14e45f-ceea-467f-a0e6-1b6d2b2d4c11"], "UUIDs"),
        (["(555) 010-9999", "555-010-1234"], "phone numbers"),
        (["10000-20000", "20000-30000"], None),
        (["2024-01-31", "31.12.2023", "1/2/2024"], None),
        (["12345-6789", "14850-0001"], None),
        (["Software Engineer", "Shop Assistant", "Nurse"], None),
        (["New York", "West Virginia", "Rhode Island"], None),
        (["Exec-managerial", "Married-civ-spouse"], None),
        ([], None),
    ],
)
def test_forms_of_texts(texts, form):
    assert personal_form(texts) == form


def test_days_and_amounts_are_no_long_numbers():
    assert are_long_numbers(["4111111111111111", "4222222222222222"])
    assert not are_long_numbers(["20240131", "19991231"])
    assert not are_long_numbers(["123", "45678", "1234567"]) and not are_long_numbers([])


@pytest.mark.parametrize(
    "lines",
    [
        "Anna Muster,34,F,Flu\nPeter Beispiel,41,M,Gout\nJan Exempel,50,F,Flu\n",
        "F,Flu,Spain\nM,Gout,Italy\nF,Flu,Spain\n",
        "x@example.org,Flu\ny@example.org,Gout\n",
        "1,2,3\n4,5,6\n",
        "1980-01-02,north\n1980-01-03,south\n1981-01-02,north\n",
    ],
)
@pytest.mark.parametrize(
    "words", [("init", "data.csv"), ("publish", "data.csv", "--quasi", "age", "--k", 3)]
)
def test_a_person_in_place_of_a_header_is_not_quoted(lines, words, tmp_path):
    (tmp_path / "data.csv").write_text(lines)
    code, out, notes = gyges(*words, folder=tmp_path)
    assert code == 2 and not out and "seems to have no header" in notes
    cells = {cell for cell in lines.splitlines()[0].split(",") if len(cell) > 2}
    assert not [cell for cell in cells if cell in notes]
    assert not (tmp_path / "gyges.toml").exists()


def test_an_ordinary_header_is_one(tmp_path):
    for names in ("age,sex,disease", "id,Max Heart Rate,2019,target", "q1,q2,q3", "A,B,C"):
        width = names.count(",") + 1
        rows = "\n".join(
            ",".join([str(i % 7)] * (width - 1) + ["u" if i % 2 else "v"]) for i in range(30)
        )
        (tmp_path / "data.csv").write_text(f"{names}\n{rows}\n")
        code, out, notes = gyges("init", "data.csv", "--overwrite", "--json", folder=tmp_path)
        assert code == 0, notes
        assert [column["name"] for column in json.loads(out)["columns"]] == names.split(",")


@pytest.mark.parametrize("most", [2, 9, 40, 3000])
def test_whole_numbers_get_intervals_of_whole_numbers(most):
    """A sex coded 1 and 2 got intervals of 0.05."""
    widths = propose_hierarchy(list(range(1, most + 1)), Kind.NUMBER, "sex").parameters
    assert all(width == int(width) >= 1 for width in widths)
