"""A steward who follows `gyges init` and every advice to the letter lets nothing identifying out.

The files are made here. Columns whose names start with the letters of `SECRET` must not leave; no
cell of a release may be an exact day.
"""

from __future__ import annotations

import ast
import csv
import random
import re
import tomllib

import pytest

from tests.cli.commands import gyges

N = 300
LAST = ["Adler", "Brandner", "Castellano", "Dupuis", "Egger", "Gruber", "Haller", "Ibsen", "Jansen",
        "Kowalski"]  # fmt: skip
FIRST = ["Anna", "Boris", "Carla", "David", "Elena", "Felix", "Greta", "Hugo", "Ines", "Jonas",
         "Karla", "Leon", "Mia", "Nora", "Otto"]  # fmt: skip
ILL = ["HIV", "Cancer", "Flu", "Asthma", "Diabetes"]
REMARKS = ["called Mrs. Haller again", "see Dr. Gruber", "sister works here", "wants it by mail",
           "moved to the coast last year"]  # fmt: skip
NOT_REFUTED = (0, 3)  # labels may overlap: then not every claim can be confirmed
EXACT_DAY = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[./-]\w{1,9}[./-]\d{2,4}|(19|20)\d{6}")


def pick(seed, values, n=N):
    rng = random.Random(seed)
    return [rng.choice(values) for _ in range(n)]


def numbers(seed, low, high, n=N):
    rng = random.Random(seed)
    return [rng.randint(low, high) for _ in range(n)]


def days(seed, form, n=N, most_days=28):
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    rng = random.Random(seed)
    made = []
    for _ in range(n):
        day, month, year = rng.randint(1, most_days), rng.randint(1, 12), rng.choice([2023, 2024])
        made.append(form.format(d=day, m=month, y=year, b=months[month - 1], s=year % 100))
    return made


def base(seed=0):
    return {"age": numbers(seed, 18, 90), "sex": pick(seed + 1, "FM")}


def surnames(seed):
    return [name.upper() for name in pick(seed, LAST)]


def full(seed, form="{} {}"):
    return [form.format(a, b) for a, b in zip(pick(seed, FIRST), pick(seed + 1, LAST), strict=True)]


SECRET = "x_"  # in front of a column that must not leave; taken away before it is written
CASES = {
    "a ward's list": {
        **base(),
        "x_physician": [f"Dr. {name}" for name in pick(3, LAST[:4])],
        "x_treating": [f"{name}, {first[0]}." for name, first in
                       zip(pick(4, LAST), pick(5, FIRST), strict=True)],
        "x_family": surnames(6),
        "x_salutation": [f"Mr {name}" for name in pick(6, LAST)],
        "x_memo": pick(7, REMARKS),
        "x_home": [f"{street} {n}" for street, n in
                   zip(pick(8, ["Main St", "Lake Ave"]), numbers(9, 1, 4), strict=True)],
        "x_policy": [f"4711-{n:04}" for n in numbers(10, 1, 60)],
        "discharged": days(11, "{d:02}-{b}-{y}"),
        "dx": pick(12, ILL),
    },
    "a log of visits": {
        "x_pat": [f"{a[0]}.{b[0]}." for a, b in zip(pick(1, FIRST), pick(2, LAST), strict=True)],
        "ts": days(3, "{y}-{m:02}-{d:02} 04:23"),
        "x_initials": [a[0] + b[0] for a, b in zip(pick(4, FIRST), pick(5, LAST), strict=True)],
        "x_plate": [f"M-ZA {n}" for n in numbers(6, 100, 170)],
        "x_ip": [f"10.0.2.{n}" for n in numbers(7, 1, 60)],
        "employer": pick(8, ["Mill", "Bank", "Farm"]),
        "x_comment": pick(9, REMARKS),
        "result": pick(10, ILL),
    },
    "contacts": {
        "nr": list(range(N)),
        "x_birth": days(1, "{d:02}/{m:02}/{y}"),
        "sex": pick(2, "FM"),
        "x_contact_person": full(3)[:1] * N,
        "x_referred_by": pick(4, full(5)[:6]),
        "village": pick(6, ["Upper", "Lower", "Middle"]),
        "diag": pick(7, ILL),
    },
    "admissions": {
        "admitted": days(1, "{d:02}.{m:02}.{y}"),
        "age": [f"{n}.5" for n in numbers(2, 20, 80)],
        "zip": [f"021{n:02}" for n in numbers(3, 8, 29)],
        "Befund": pick(4, ILL),
    },
    "american days with times": {
        **base(), "seen": days(1, "{m}/{d}/{s} 4:05 PM"), "illness": pick(2, ILL),
    },
    "days that can be exchanged": {
        **base(), "x_seen": days(1, "{m}/{d}/{y}", most_days=12), "dx": pick(2, ILL),
    },
    "days of two formats": {
        **base(),
        "x_seen": days(1, "{d:02}.{m:02}.{y}", n=N // 2) + days(2, "{y}-{m:02}-{d:02}", n=N // 2),
        "dx": pick(2, ILL),
    },
    "a compact day": {**base(), "tag": days(1, "{y}{m:02}{d:02}"), "dx": pick(2, ILL)},
    "cryptic names": {
        "v1": numbers(1, 18, 90), "v2": pick(2, "FM"), "x_v3": surnames(3), "x_v4": full(4),
        "x_v5": pick(5, REMARKS), "v6": pick(6, ILL),
        "x_v7": [f"{n} rue Centrale" for n in numbers(7, 1, 5)],
    },
    "spanish": {
        "edad": numbers(1, 18, 90), "sexo": pick(2, "HM"), "x_apellidos": pick(3, LAST),
        "x_observaciones": pick(4, ["llamar", "nada", "ver nota"]), "x_medico": pick(5, LAST[:5]),
        "enfermedad": pick(6, ILL),
    },
    "polish, swedish, dutch and italian": {
        "wiek": numbers(1, 18, 90), "x_uwagi": pick(2, ["brak zmian", "dzwonić"]),
        "x_anteckningar": pick(3, ["ring", "vänta"]), "x_opmerking": pick(4, ["bellen", "niets"]),
        "x_note": pick(5, ["chiamare", "niente"]), "choroba": pick(6, ILL),
    },
    "a survey of households": {
        "x_hh_id": [i // 3 for i in range(N)],
        **base(),
        "x_weight": [round(n + 0.5, 1) for n in numbers(3, 800, 9000)],
        "income": pick(4, ["low", "mid", "high", "none"]),
    },
    "names in lower case": {
        **base(), "x_who": full(3, "{} {}"), "x_short": [t.lower() for t in full(4)],
        "Diagnose": pick(5, ILL),
    },
    "social security numbers that repeat": {
        "x_ssn": [f"{500 + n}-13-81{n:02}" for n in [i % 90 for i in range(N)]],
        "sex": ["FM"[i % 90 % 2] for i in range(N)],
        "icd10": pick(3, ["J45", "E11.9", "B20", "C50.9"]),
    },
}  # fmt: skip


def written(columns, path, separator=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow([name.removeprefix(SECRET) for name in columns])
        writer.writerows(zip(*columns.values(), strict=True))


def follow(path, notes):
    """Do what the notes say: the last `do_not_identify = […]`, in place of other roles."""
    advice = re.findall(r"do_not_identify = (\[[^]]*\])", notes)
    assert advice, notes
    names = ast.literal_eval(advice[-1])
    kept = []
    for line in path.read_text().splitlines():
        key = line.partition(" = ")[0]
        if key in ("do_not_identify", "person"):
            continue
        if key == "identifiers":
            stated = [one for one in tomllib.loads(line)["identifiers"] if one not in names]
            line = f"identifiers = {stated}"
        kept.append(line)
        if line == "[columns]":
            kept.append(f"do_not_identify = {names}")
    path.write_text("\n".join(kept) + "\n")


def members(cell):
    """The values that a label shows: `{a, b}` shows two."""
    return {cell, *(part.strip() for part in cell.strip("{}").split(","))}


@pytest.mark.parametrize("case", CASES)
def test_advice_that_is_followed_to_the_letter_ends_in_a_release_that_identifies_nobody(
    case, tmp_path
):
    columns = CASES[case]
    written(columns, tmp_path / "data.csv")
    code, said, notes = gyges("init", "data.csv", folder=tmp_path)
    assert code == 0, notes
    for _ in range(4):
        code, _, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
        if code == 0:
            break
        assert code == 2 and not (tmp_path / "release").exists(), notes
        assert "do_not_identify" in said.replace("\n", " "), "init did not say so at once"
        follow(tmp_path / "gyges.toml", notes)
    assert code == 0, notes
    with (tmp_path / "release" / "data.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    secret = [name.removeprefix(SECRET) for name in columns if name.startswith(SECRET)]
    assert not set(secret) & set(header)
    shown = {part for row in rows for cell in row for part in members(cell)}
    assert not [part for part in shown if EXACT_DAY.search(part)]
    hidden = {str(v) for name in columns if name.startswith(SECRET) for v in columns[name]}
    assert not {part for part in shown if part in hidden and not part.isdigit()}
    settled = tomllib.loads((tmp_path / "gyges.toml").read_text())["columns"]
    illness = {"dx", "diag", "Befund", "illness", "v6", "enfermedad", "choroba", "Diagnose",
               "icd10", "result", "income"}  # fmt: skip
    assert settled["sensitive"] in illness
    code, _, notes = gyges("verify", "release", "--original", "data.csv", "--project",
                           "gyges.toml", folder=tmp_path)  # fmt: skip
    assert code in NOT_REFUTED, notes


def test_a_file_with_semicolons_and_decimal_commas_gives_the_release_of_its_clean_twin(tmp_path):
    plain = {
        "admitted": days(1, "{y}-{m:02}-{d:02}"),
        "height": [f"{n / 10:.1f}" for n in numbers(2, 1500, 2000)],
        "sex": pick(3, "FM"),
        "diagnosis": pick(4, ILL),
    }
    local = {
        **plain,
        "admitted": [".".join(reversed(day.split("-"))) for day in plain["admitted"]],
        "height": [text.replace(".", ",") for text in plain["height"]],
    }
    released = []
    for columns, separator, name in ((plain, ",", "plain"), (local, ";", "local")):
        folder = tmp_path / name
        folder.mkdir()
        written(columns, folder / "data.csv", separator)
        assert gyges("init", "data.csv", folder=folder)[0] == 0
        code, _, notes = gyges("publish", "gyges.toml", "--seed", 1, "--no-report", folder=folder)
        assert code == 0, notes
        released.append((folder / "release" / "data.csv").read_text())
    assert released[0] == released[1]
    stated = (tmp_path / "local" / "gyges.toml").read_text()
    assert tomllib.loads(stated)["columns"]["formats"] == {
        "admitted": "dd.mm.yyyy",
        "height": "1.234,5",
    }
    assert "Cells are separated by ';'" in stated
    code, _, notes = gyges("verify", "release", "--original", "data.csv", folder=tmp_path / "local")
    assert code in NOT_REFUTED, notes


def test_missing_marks_are_proposed_and_ages_stay_numbers(tmp_path):
    """One "NA" made ages texts, and labels were lists of them."""
    marks = ["NA", "N/A", "?", ".", "-", "NULL", "none", ""]
    ages = [f"{n}.0" for n in numbers(1, 18, 90)]
    for place, mark in enumerate(marks):
        ages[7 * place] = mark
    written({"age": ages, "dx": pick(2, ILL)}, tmp_path / "data.csv")
    assert gyges("init", "data.csv", folder=tmp_path)[0] == 0
    stated = tomllib.loads((tmp_path / "gyges.toml").read_text())
    assert set(stated["data"]["missing_marks"]) == set(marks) - {""}
    assert "intervals" in stated["hierarchies"]["age"]
    code, _, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, notes
    assert ".0" not in (tmp_path / "release" / "data.csv").read_text()


def test_cells_that_excel_protects_lose_their_formula(tmp_path):
    lines = ["id,zip,dx", *(f'="{i:05}","=""{2100 + i % 30:05}""",{ILL[i % 5]}' for i in range(N))]
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    assert gyges("init", "data.csv", folder=tmp_path)[0] == 0
    code, _, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, notes
    text = (tmp_path / "release" / "data.csv").read_text()
    assert "=" not in text and "021" in text
