"""A codebook, a data package and croissant.json: what the tables say, and nothing else."""

from __future__ import annotations

import csv
import hashlib
import json

import pytest

import gyges as gy
from gyges.release.certificate import DESCRIPTIONS
from tests.cli.commands import gyges, write_csv

PEOPLE = {
    "patient": [f"P{i:04}" for i in range(60)],
    "age": [20 + i % 40 for i in range(60)],
    "sex": ["f", "m"] * 30,
    "disease": [("Flu", "<b>Gout</b>", "HIV")[i % 3] for i in range(60)],
    "wage": [1000.5 + i % 4 for i in range(60)],
}
PROJECT = """
[data]
source = "people.csv"
[columns]
identifiers = ["patient"]
quasi_identifiers = ["age", "sex"]
sensitive = "disease"
published = ["wage"]
[publish]
describe = true
allow_singling_out = true
[[require]]
rule = "k-anonymity"
k = 3
"""


def described(folder, *words):
    write_csv(folder / "people.csv", PEOPLE)
    (folder / "gyges.toml").write_text(PROJECT)
    code, out, err = gyges("publish", "gyges.toml", "--no-report", *words, folder=folder)
    assert code == 0, out + err
    return folder / "release"


def test_the_codebook_counts_what_the_table_holds(tmp_path):
    release = described(tmp_path)
    with (release / "data.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    book = json.loads((release / "codebook.json").read_text(encoding="utf-8"))["codeBook"]
    [file] = book["fileDscr"]
    assert file == {"fileName": "data.csv", "caseQnty": len(rows), "varQnty": len(rows[0])}
    [described_file] = book["dataDscr"]
    assert [one["@name"] for one in described_file["var"]] == list(rows[0])
    for one in described_file["var"]:
        values = [row[one["@name"]] for row in rows]
        counted = {each["catValu"]: each["catStat"] for each in one["catgry"]}
        assert counted == {value: values.count(value) for value in set(values)}
    kinds = {one["@name"]: one["varFormat"] for one in described_file["var"]}
    assert (kinds["wage"], kinds["disease"]) == ("number", "string")
    page = (release / "codebook.html").read_text(encoding="utf-8")
    assert "<b>" not in page and "&lt;b&gt;Gout" in page


def test_the_packages_name_the_files_and_their_columns(tmp_path):
    for format in ("csv", "parquet"):
        (tmp_path / format).mkdir()
        release = described(tmp_path / format, "--format", format)
        package = json.loads((release / "datapackage.json").read_text(encoding="utf-8"))
        croissant = json.loads((release / "croissant.json").read_text(encoding="utf-8"))
        columns = gy.load(release).frame().column_names
        [resource], [records] = package["resources"], croissant["recordSet"]
        assert resource["path"] == f"data.{format}" == croissant["distribution"][0]["contentUrl"]
        assert (release / resource["path"]).is_file()
        assert [one["name"] for one in resource["schema"]["fields"]] == columns
        assert [one["name"] for one in records["field"]] == columns
        assert gyges("verify", "release", folder=tmp_path / format)[0] == 3  # unchanged columns


@pytest.mark.parametrize("form", ["generalized", "bucketized"])
def test_descriptions_are_certified_and_made_again_by_verify(tmp_path, form):
    people = {name: PEOPLE[name] for name in ("age", "sex", "disease")}
    table = gy.read(people, gy.Schema(quasi_identifiers=["age", "sex"], sensitive="disease"))
    release = gy.publish(table, [gy.DistinctDiversity(2)], form=form)
    release.save(tmp_path / "release", pages=gy.description_pages(release))
    assert gy.verify(tmp_path / "release").holds
    for name in DESCRIPTIONS:
        path = tmp_path / "release" / name
        honest, stated = path.read_bytes(), tmp_path / "release" / "certificate.json"
        certified = stated.read_text(encoding="utf-8")
        path.write_bytes(honest.replace(b"age", b"AGE", 1))
        forged = json.loads(certified)
        forged["files"][name] = hashlib.sha256(path.read_bytes()).hexdigest()
        stated.write_text(json.dumps(forged), encoding="utf-8")
        [refuted] = gy.verify(tmp_path / "release").refuted
        assert name in refuted.claim
        path.write_bytes(honest)
        stated.write_text(certified, encoding="utf-8")


def test_a_release_without_groups_is_not_described(tmp_path):
    write_csv(tmp_path / "people.csv", PEOPLE)
    (tmp_path / "gyges.toml").write_text(PROJECT)
    words = ("publish", "gyges.toml", "--method", "marginals")
    code, _, notes = gyges(*words, folder=tmp_path)
    assert code == 2 and "describe does not apply to the method marginals" in notes
    assert not (tmp_path / "release").exists()
