"""A third lot of made tables and the truth about each column; letters as in test_column_roles.

Here the contents are the point: numbers with true check digits, identifiers under names that say
nothing, values that repeat, and harmless columns that look like them.
"""

from __future__ import annotations

import random

import pytest

from gyges.engines.read import open_source
from tests.auditing.test_column_roles import (
    AGE,
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
from tests.auditing.test_roles_of_made_tables import MORE
from tests.cli.commands import gyges, write_csv

OUT = "I|P|D"  # not published


def checked(n_digits, weights, modulus, *, start="", n=200):
    """Numbers whose last digit is a check digit: the weighted sum is 0 by the modulus."""
    found = []
    for text in made(start + "#" * (n_digits - 1 - len(start)), 4 * n, n=8 * n):
        total = sum(int(digit) * weight for digit, weight in zip(text, weights, strict=False))
        last = [d for d in range(10) if (total + d * weights[n_digits - 1]) % modulus == 0]
        found += [f"{text}{d}" for d in last]
    return chosen(found[:n], 11)


def spanish(n=200):
    letters = "TRWAGMYFPDXBNJZSQVHLCKE"
    return [f"{x}{letters[int(x) % 23]}" for x in made("########", n)]


def french(n=200):
    return [f"{x}{97 - int(x) % 97:02}" for x in made("1############", n)]


def iban(country, n=60):
    """German or other IBANs of 22 characters by ISO 13616."""
    found = []
    for number in made("#" * 18, n):
        as_digits = number + "".join(str(int(c, 36)) for c in country) + "00"
        found.append(f"{country}{98 - int(as_digits) % 97:02}{number}")
    return found


def decimals(least, most, places, seed=6):
    rng = random.Random(seed)
    return [round(rng.uniform(least, most), places) for _ in range(N)]


def skewed(middle, places=6):
    rng = random.Random(8)
    return [round(middle * rng.lognormvariate(0, 0.6), places) for _ in range(N)]


def padded(values, width):
    return [f"{value:0{width}}" for value in values]


INCOME = [100 * (5 + i * 7919 % 83) for i in range(N)]
HEX = made("#a#b#c#d" * 4, 50)

# name of the table: {column: (values, truth)}
BY_CONTENT = {
    "numbers with check digits": {
        "a": (checked(10, tuple(range(10, 0, -1)), 11, start="9"), OUT),  # NHS
        "b": (checked(11, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10), OUT),  # PESEL
        "c": (spanish(), OUT),
        "d": (french(), OUT),
        "e": (checked(13, (1, 3) * 6 + (1,), 10, start="756"), OUT),  # Swiss
        "f": (made("4###############", 300), OUT),
    },
    "money": {
        "iban": (iban("DE"), OUT),
        "x": (iban("GB"), OUT),
        "amount": ([f"{i % 90},50 €" for i in range(N)], "Q|D|S"),
        "rate": ([f"{i % 40} %" for i in range(N)], "Q|D|S"),
        "iban_country": (chosen(["DE", "FR", "NL"]), "Q"),
    },
    "web": {
        "u": (made("########-####-4###-9###-############", 40), OUT),
        "v": ([f"www.example.org/{x}" for x in made("@@", 20)], OUT),
        "w": (["2001:db8::" + x for x in made("##", 30)], OUT),
        "h": (HEX, OUT),
        "browser": (chosen(["Firefox 120.1", "Safari 17.0", "Chrome 119.0"]), "Q"),
        "version": (chosen(["1.2.3", "1.2.4", "2.0.0"]), "Q"),
        "has_email": (chosen(["yes", "no"]), "Q"),
    },
    "telephones": {
        "a": (made("0171 #######", 90), OUT),
        "b": (made("+33 6 ## ## ## ##", 90), OUT),
        "c": (made("(0)30-#######", 90), OUT),
        "phone_type": (chosen(["mobile", "landline"]), "Q"),
        "hours": (chosen(["08:00-16:00", "09:00-17:00"]), "Q"),
    },
    "births": {
        "a": ([f"{i % 28 + 1:02}.{i % 12 + 1:02}.{1930 + i * 7 % 80}" for i in range(N)], "D"),
        "fecha_nacimiento": ([f"{i % 28 + 1:02}/05/{1940 + i % 60}" for i in range(N)], "D"),
        "date_naissance": ([f"{1940 + i % 60}-05-{i % 28 + 1:02}" for i in range(N)], "D"),
        "birth_year": ([1940 + i % 60 for i in range(N)], "Q"),
        "birth_country": (chosen(["Spain", "Italy"]), "Q"),
        "birth_weight": (decimals(2, 5, 1), "Q"),
    },
    "turkish and greek": {
        "ad": (chosen(["Ayşe", "Mehmet", "Fatma", "Mustafa", "Emine"]), OUT),
        "soyad": (chosen(["Örnek", "Numune", "Deneme"]), OUT),
        "cinsiyet": (chosen(["K", "E"]), "Q"),
        "yaş": (AGE, "Q"),
        "TCKN": (made("1##########", 300), OUT),
        "επώνυμο": (chosen(["Παράδειγμα", "Δείγμα", "Υπόδειγμα"]), OUT),
        "ηλικία": (AGE, "Q"),
    },
    "romanian and croatian": {
        "nume": (chosen(LAST), OUT),
        "prenume": (chosen(["Ion", "Maria", "Elena", "Andrei"]), OUT),
        "CNP": (made("1############", 300), OUT),
        "vârsta": (AGE, "Q"),
        "ime": (chosen(["Ivan", "Marija", "Ana"]), OUT),
        "prezime": (chosen(["Primjer", "Uzorak", "Proba"]), OUT),
        "OIB": (made("###########", 300), OUT),
        "spol": (chosen(["M", "Ž"]), "Q"),
    },
    "danish, norwegian, finnish": {
        "fornavn": (chosen(["Anne", "Peter", "Mette", "Lars"]), OUT),
        "efternavn": (chosen(["Eksempel", "Prøve", "Mønster"]), OUT),
        "cpr": (made("01019#-####", 300), OUT),
        "fødselsnummer": (made("010190#####", 300), OUT),
        "hetu": (made("010190-###A", 300), OUT),
        "køn": (SEX, "Q"),
        "ikä": (AGE, "Q"),
        "sukunimi": (chosen(["Esimerkki", "Malli", "Näyte"]), OUT),
    },
    "russian and ukrainian": {
        "имя": (chosen(["Анна", "Иван", "Мария", "Пётр"]), OUT),
        "фамилия": (chosen(["Примеров", "Образцова", "Пробный"]), OUT),
        "пол": (chosen(["м", "ж"]), "Q"),
        "возраст": (AGE, "Q"),
        "телефон": (made("+7 9## ###-##-##", 200), OUT),
        "диагноз": (chosen(["грипп", "астма", "подагра"]), "S|Q"),
    },
    "weights of a survey": {
        "wgt": (skewed(55.0), "W"),
        "sex": (SEX, "Q"),
        "age": (AGE, "Q"),
        "income": (padded(INCOME, 6), "S"),
    },
    "another survey": {"weight": (skewed(2.0), "W"), "region": (chosen(["N", "S"]), "Q")},
    "a third survey": {
        "sampling_weight": (skewed(900.0, 3), "W"),
        "poids": (decimals(45, 110, 1), "Q"),
        "taille": ([150 + i % 45 for i in range(N)], "Q"),
        "revenu": (padded(INCOME, 8), "S"),
    },
    "weights that are 1 on average": {
        "gewicht": ([0.8, 0.9, 1.0, 1.1, 1.2] * (N // 5), "W"),
        "alter": (AGE, "Q"),
    },
    "bodies": {
        "weight": (decimals(45, 110, 1), "Q"),
        "height": ([150 + i % 45 for i in range(N)], "Q"),
        "bmi": (decimals(18, 40, 1), "Q"),
        "verdienst": (padded(INCOME, 6), "S|Q"),
        "einkommen": ([f"{value / 8:09.2f}" for value in INCOME], "S|Q"),
        "capital_gain": ([f"{value - 5000:07}" for value in INCOME], "S|Q"),
    },
    "lookalikes of numbers": {
        "icd10": (chosen(["E11.9", "I10.0", "J45.0", "M10.9"]), "S"),
        "isbn": (made("978########", 12), "D|Q"),
        "zip4": (made("14850-00##", 20), "Q|D"),
        "period": (chosen(["2019-2020", "2020-2021"]), "Q"),
        "age_group": (chosen(["20-29", "30-39", "40-49"]), "Q"),
        "blood_pressure": (chosen(["120/80", "130/85", "140/90"]), "Q"),
        "time": (chosen(["08:30", "09:15", "14:00"]), "Q"),
        "section": (chosen(["A.1", "A.2", "B.1"]), "Q"),
    },
    "lookalikes of names": {
        "species": (chosen(["Canis lupus", "Felis catus", "Bos taurus"]), "Q|S"),
        "employer_type": (chosen(["State government", "Private company"]), "Q"),
        "city": (chosen(["Berlin", "Paris", "Madrid", "Rome"]), "Q"),
        "month": (chosen(["June", "April", "August", "May"]), "Q"),
        "colour": (chosen(["Rose", "Violet", "Olive", "Amber"]), "Q"),
        "drug_name": (chosen(["Metformin", "Insulin", "Glipizide"]), "Q|S"),
        "ward": (chosen(["St. Mary", "St. Anna"]), "Q|D"),
        "username": (made("@@@@##", 80), OUT),
    },
    "texts": {
        "befund": ([" ".join(chosen(WORDS, i, 7)) for i in range(N)], "D"),
        "anamnese": ([" ".join(chosen(WORDS, i % 40, 4)) for i in range(N)], "D"),
        "note": ([f"{name} called" for name in FULL], "D"),
        "satisfaction": (chosen(["very good", "good", "bad", "very bad"]), "Q"),
        "diagnosis": (ILL, "S"),
    },
}  # fmt: skip


def test_there_are_more_than_thirty_tables():
    names = [*MESSY, *MORE, *BY_CONTENT]
    assert len(set(names)) == len(names) >= 45


@pytest.mark.parametrize("case", BY_CONTENT)
def test_guesses_agree_with_the_truth_by_content(case):
    columns = {name: values for name, (values, _) in BY_CONTENT[case].items()}
    found = guessed(open_source(columns)[0])
    wrong = {
        name: (found[name].role, found[name].reason)
        for name, (_, letters) in BY_CONTENT[case].items()
        if found[name].role not in [ROLES[letter] for letter in letters.split("|")]
    }
    assert wrong == {}


PADDED = {
    "income": padded(INCOME, 6),
    "verdienst": padded(INCOME, 9),
    "capital_gain": padded([value - 5000 for value in INCOME], 7),
    "salary": [f"{value / 8:09.2f}" for value in INCOME],
}


@pytest.mark.parametrize("name", PADDED)
def test_amounts_with_zeros_in_front_are_numbers(name, tmp_path):
    """Dropped as 83 texts, or published as codes: 0012**."""
    guess = guessed(open_source({name: PADDED[name], "region": chosen(["N", "S"])})[0])[name]
    assert guess.kind == guess.stated_kind == "number" and guess.role != "dropped"
    write_csv(tmp_path / "data.csv", {name: PADDED[name], "region": chosen(["N", "S"])})
    assert gyges("init", "data.csv", folder=tmp_path)[0] == 0
    code, out, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, out + notes


def test_the_weight_of_bodies_is_no_weight_of_a_survey():
    for name, values in (("weight", decimals(2, 5, 1)), ("wt", decimals(45, 110, 1))):
        assert guessed(open_source({name: values, "sex": SEX})[0])[name].role == ROLES["Q"]


def test_a_proposed_weight_is_used(tmp_path):
    """Weights that hardly repeat were dropped without a word about what they are."""
    columns = {"wgt": skewed(55.0), "sex": SEX, "disease": ILL}
    write_csv(tmp_path / "data.csv", columns)
    code, out, _ = gyges("init", "data.csv", folder=tmp_path)
    assert code == 0 and "weight of a survey" in out
    assert 'weight = "wgt"' in (tmp_path / "gyges.toml").read_text()
    code, out, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, out + notes
