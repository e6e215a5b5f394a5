"""From a real file to a defended release, through the real command."""

from __future__ import annotations

import csv
import gzip
import json

from tests.cli.commands import gyges

CERTAIN = {"numerator": 1, "denominator": 1, "value": 1.0}
QUASI = ["age", "marital-status", "race", "sex"]


def write_adult(real_data, path, columns):
    with gzip.open(real_data / "adult.csv.gz", "rt") as lines, path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for row in csv.DictReader(lines) if "?" not in row.values())


def test_adult_is_published_audited_and_verified(real_data, tmp_path):
    write_adult(real_data, tmp_path / "adult.csv", [*QUASI, "occupation"])
    lines = [f'{name} = {{ csv = "{real_data}/hierarchies/adult/{name}.csv" }}' for name in QUASI]
    (tmp_path / "gyges.toml").write_text(
        '[data]\nsource = "adult.csv"\n[columns]\n'
        f"quasi_identifiers = {json.dumps(QUASI)}\nsensitive = \"occupation\"\n"
        "[hierarchies]\n" + "\n".join(lines) + "\n"
        '[publish]\nmethod = "lattice"\n'
        '[[require]]\nrule = "k-anonymity"\nk = 6\n'
        '[[require]]\nrule = "entropy diversity"\nl = 6\n'
    )  # fmt: skip
    code, out, notes = gyges("publish", "gyges.toml", "--json", folder=tmp_path)
    assert code == 0, notes
    assert json.loads(out)["people"] == 45_222
    content = b"".join(path.read_bytes() for path in (tmp_path / "release").glob("*.json"))
    assert b"Married-civ-spouse" not in content  # the hierarchy's leaves stay inside
    words = ["--original", "adult.csv", "--project", "gyges.toml", "--json"]
    code, out, notes = gyges("verify", "release", *words, folder=tmp_path)
    found = json.loads(out)
    assert code == 0 and all(check["holds"] for check in found["checks"]), notes
    words = ["--population", "adult.csv", "--project", "gyges.toml", "--json"]
    code, out, _ = gyges("audit", "release", *words, folder=tmp_path)
    audit = json.loads(out)
    assert code == 0 and audit["population"]["presence"] == [CERTAIN] * 2
    assert audit["population"]["k_map"] == audit["classical"]["k"] >= 6
