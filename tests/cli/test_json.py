"""What every command prints with --json is valid JSON of the shape that docs/json.md states."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

import gyges as gy
from gyges.data.examples import hospital
from gyges.report.to_json import json_value
from tests.cli.commands import PATIENTS, gyges, gyges_alone, write_csv

jsonschema = pytest.importorskip("jsonschema", reason="validates what the commands print")

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schemas" / "commands.json"
COLUMNS = ["--quasi", "age,sex", "--sensitive", "disease"]
NOISE = """
[data]
source = "patients.csv"
[columns]
quasi_identifiers = ["sex"]
[dp]
people = 300
domains = { sex = ["F", "M"] }
"""
RULES = '[[require]]\nrule = "k-anonymity"\nk = 5\n[publish]\nout = "views"\n'
# command, words, exit code, definition in the schema
CASES = [
    ("init", ["patients.csv", "--out", "new.toml"], 0, "init"),
    ("audit", ["release"], 0, "audit"),
    ("audit", ["release", "--original", "patients.csv", "--project", "gyges.toml"], 0, "audit"),
    ("skyline", ["release", "--value", "Flu"], 0, "skyline"),
    ("ask", ["release", "1.1 = Flu", "--given", "1.2 = Flu"], 0, "ask"),
    ("ask", ["release", "1.1 = Flu", "--given", "with 0.5: 1.2 = Flu"], 0, "ask"),
    ("show", ["release", "--group", "1"], 0, "show"),
    ("attack", ["release", "release", "--people", "patients.csv", *COLUMNS], None, "attack"),
    ("compare", ["release", "patients.csv", "--original", "patients.csv"], 3, "compare"),
    ("verify", ["release"], 0, "verify"),
    ("ledger", ["ledger.sqlite"], 0, "ledger"),
    ("apply", ["map.json", "patients.csv", "--id", "patient", *COLUMNS[2:]], None, "apply"),
    ("marginals", ["gyges.toml", "--out", "views", "--seconds", "1"], 0, "marginals"),
    ("noise", ["noise.toml", "--error", "5%"], 0, "noise"),
    ("noise", ["noise.toml", "--error", "7%", "--people", "0"], 2, "error"),
    ("publish", ["patients.csv", *COLUMNS, "--k", "9999", "--out", "no"], 1, "nothing_safe"),
    ("publish", ["patients.csv", *COLUMNS, "--t", "1e400", "--out", "no"], 2, "error"),
    ("publish", ["nothing.csv", *COLUMNS, "--k", "2", "--out", "no"], 2, "error"),
    ("reproduce", [], 0, "reproduce"),
]


def valid(text: str, definition: str) -> object:
    """The document, if it is JSON and has the shape that the schema states."""

    def refuse(constant: str) -> object:
        raise AssertionError(f"{constant} is no JSON")

    found = json.loads(text, parse_constant=refuse)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert definition in schema["$defs"]
    jsonschema.validate(found, schema | {"$ref": f"#/$defs/{definition}"})
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("json")
    write_csv(made / "patients.csv", hospital(300))
    (made / "gyges.toml").write_text(PATIENTS + RULES)
    (made / "noise.toml").write_text(NOISE)
    code, out, notes = gyges(
        "publish", "patients.csv", *COLUMNS, "--id", "patient", "--k", 5, "--out", "release",
        "--mapping", "map.json", "--ledger", "ledger.sqlite", "--json", folder=made,
    )  # fmt: skip
    assert code == 0, notes
    assert valid(out, "publish")["people"] == 300
    return made


@pytest.mark.parametrize(("command", "words", "expected", "definition"), CASES)
def test_a_command_prints_what_the_schema_says(folder, command, words, expected, definition):
    if command == "apply":
        words = [*words, "--out", "applied"]
    code, out, notes = gyges_alone(command, *words, "--json", folder=folder)
    assert code == expected or (expected is None and code in (0, 1)), notes
    valid(out, definition)


def test_risks_are_numbers_and_exact_fractions(folder):
    words = ["patients.csv", *COLUMNS, "--id", "patient", "--k", 5, "--safety", "0.9,0"]
    code, out, notes = gyges("publish", *words, "--out", "safe", "--json", folder=folder)
    assert code == 0, notes
    size, share = (claim["risk"] for claim in valid(out, "publish")["claims"])
    release = gy.load(folder / "safe")
    assert size == int(release.groups.sizes.min())
    expected = gy.max_disclosure(release.groups, k=0).probability
    assert share == json_value(expected) and set(share) == {"numerator", "denominator", "value"}
    _, out, _ = gyges("verify", "safe", "--json", folder=folder)
    checks = {check["claim"]: check for check in valid(out, "verify")["checks"]}
    assert checks["300 people are published"]["found"] == 300
    for claim in release.claims:
        check = checks[claim.text]
        assert check["found"] == check["stated"] == (share if "/" in claim.risk else size)
    stated = json.loads((folder / "safe" / "report.json").read_text())["claims"]
    assert [claim["risk"] for claim in stated] == [size, share]


def test_every_definition_of_a_command_is_tried():
    stated = set(json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"])
    parts = {"whole", "fraction", "number", "measure", "claim", "check", "comparison", "group"}
    assert stated - parts == {case[3] for case in CASES} | {"publish", "demo"}


def test_numbers_that_json_does_not_have():
    assert json_value([math.inf, -math.inf, math.nan]) == ["infinity", "-infinity", None]
    huge = json_value(Fraction(10**5000 + 1, 10**5000))
    assert int(huge["numerator"], 16) == 10**5000 + 1 and huge["value"] == 1.0
    assert json_value(Fraction(10**400))["value"] == "infinity"
    json.dumps([json_value(10**5000), huge])
