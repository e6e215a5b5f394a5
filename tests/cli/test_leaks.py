"""Nothing that stays inside goes out, and exit code 2 means that nothing was written."""

from __future__ import annotations

import csv
import json
import stat

import pytest

import gyges as gy
from gyges.auditing import effort
from gyges.auditing.notes import MINIMALITY
from gyges.data.examples import hospital
from gyges.errors import GygesError
from gyges.release.mapping import load_mapping
from gyges.search.republish import republish
from gyges.workflow import inside_report
from gyges.workflow.ledger import Ledger
from gyges.workflow.progress import Progress
from tests.cli.commands import PATIENTS, gyges, write_csv

SCHEMA = gy.Schema(
    identifiers=["patient"], dropped=["zip"], quasi_identifiers=["age", "sex"], sensitive="disease"
)
PROJECT = PATIENTS + '[[require]]\nrule = "k-anonymity"\nk = 3\n'


@pytest.fixture
def folder(tmp_path):
    write_csv(tmp_path / "patients.csv", hospital(100))
    (tmp_path / "gyges.toml").write_text(PROJECT)
    (tmp_path / "release").mkdir()
    (tmp_path / "link").symlink_to("release")
    (tmp_path / "real").mkdir()
    (tmp_path / "up").symlink_to("real")
    Ledger.at(tmp_path / "older.sqlite").open_budget("b", {"epsilon": 1}, relation="change")
    return tmp_path


def everything(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--mapping", "release/map.json"], "lies in the release"),
        (["--mapping", "link/map.json"], "lies in the release"),
        (["--mapping", "real/../release/map.json"], "lies in the release"),
        (["--mapping", "nowhere/map.json"], "no folder 'nowhere'"),
        (["--mapping", "real"], "is a directory"),
        (["--mapping", "patients.csv"], "another file and would be lost"),
        (["--mapping", "gyges.toml"], "another file and would be lost"),
        (["--mapping", "older.sqlite", "--ledger", "older.sqlite"], "another file"),
        (["--out", "older.sqlite.kept", "--ledger", "older.sqlite"], "already exists"),
        (["--out", "older.sqlite.kept/mine", "--ledger", "older.sqlite"], "the ledger's folder"),
        (["--inside", "older.sqlite.kept", "--ledger", "older.sqlite"], "the ledger's folder"),
        (["--inside", "release"], "a separate directory"),
        (["--inside", "link"], "a separate directory"),
        (["--inside", "link/deeper"], "a separate directory"),
        (["--inside", "up", "--out", "real/release"], "a separate directory"),
        (["--inside", "patients.csv"], "must be a directory"),
        (["--inside", "patients.csv/deeper"], "cannot be written"),
        (["--ledger", "release/ledger.sqlite"], "lies in the release"),
        (["--ledger", "link/ledger.sqlite"], "lies in the release"),
        (["--ledger", "nowhere/ledger.sqlite"], "its folder does not exist"),
        (["--to-table", "people"], "database"),
        (["--seed", "-1"], "seed"),
        (["--t", "1e400"], "1e400"),
        (["--t", "1e999999999"], "1e999999999"),
        (["--k", "9" * 30], "k is 999"),
        (["--l", "9" * 30], "l is 999"),
        (["--safety", "0.5," + "9" * 30], "999"),
        (["--memory", "9" * 400 + "GB"], "memory"),
        (["--memory", "99999999TB"], "memory"),
        (["--suppression", "1e400", "--method", "lattice"], "1e400"),
        (["--seconds", "nan", "--method", "lattice"], "seconds"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_before_anything_is_written(folder, words, said):
    before = everything(folder)
    code, _, notes = gyges("publish", "gyges.toml", *words, folder=folder)
    assert code == 2 and said in notes, (code, notes)
    assert everything(folder) == before


@pytest.mark.parametrize("target", ["patients.csv", "gyges.toml", "older.sqlite", "one/data.csv"])
def test_no_picture_and_no_export_replaces_another_file(folder, target):
    """A name that is mistyped must not cost the ledger, the data or a release."""
    for out in ("one", "two"):
        assert gyges("publish", "gyges.toml", "--out", out, folder=folder)[0] == 0
    before = everything(folder)
    attack = ["attack", "one", "two", "--people", "patients.csv", "--picture", target]
    export = ["ledger", "--ledger", "older.sqlite", "--export", target]
    for words in (attack, export):
        code, _, notes = gyges(*words, folder=folder)
        assert code == 2 and target in notes, (words, notes)
    assert everything(folder) == before


@pytest.mark.parametrize("epsilon", ["1e400", "1e999999999", "-1", "much"])
def test_a_senseless_epsilon_is_refused_by_name(folder, epsilon):
    pytest.importorskip("opendp")
    text = PATIENTS.replace('"age", "sex"', '"sex"') + '[dp]\nepsilon = 1\nviews = [["sex"]]\n'
    (folder / "gyges.toml").write_text(text + '[dp.domains]\nsex = ["F", "M"]\n')
    before = everything(folder)
    words = ["--method", "dp", "--epsilon", epsilon]
    code, _, notes = gyges("publish", "gyges.toml", *words, folder=folder)
    assert code == 2 and "epsilon" in notes and epsilon in notes, notes
    assert everything(folder) == before


def test_inside_files_are_for_their_owner_alone(folder):
    words = ["--inside", "deep/inside", "--mapping", "map.json", "--ledger", "l.sqlite", "--final"]
    code, _, notes = gyges("publish", "gyges.toml", *words, folder=folder)
    assert code == 0, notes
    inside = [folder / "map.json", folder / "l.sqlite", *(folder / "deep" / "inside").iterdir()]
    inside += [path for path in (folder / "l.sqlite.kept").rglob("*") if path.is_file()]
    assert len(inside) >= 9
    assert {stat.S_IMODE(path.stat().st_mode) for path in inside} == {0o600}
    for place in ("deep/inside", "l.sqlite.kept"):
        assert stat.S_IMODE((folder / place).stat().st_mode) == 0o700


def test_who_is_in_which_group_is_told_by_person_and_runs_nothing_in_a_spreadsheet(folder):
    people = hospital(100)
    people["name"] = ["=1+1", *["Lee"] * 99]
    write_csv(folder / "people.csv", people)
    code, _, notes = gyges(
        "publish", "people.csv", "--person", "patient", "--id", "name", "--quasi", "age,sex",
        "--sensitive", "disease", "--k", 3, "--out", "one", "--inside", "in", folder=folder,
    )  # fmt: skip
    assert code == 0, notes
    with (folder / "in" / "groups.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["patient"] for row in rows] == people["patient"]
    assert [row["name"] for row in rows] == ["'=1+1", *["Lee"] * 99]


def test_an_inside_report_that_leaves_something_out_keeps_every_note(folder, monkeypatch):
    table = gy.read(folder / "patients.csv", SCHEMA)
    release = gy.publish(table, gy.KAnonymity(3))
    usual = gy.audit(release).notes
    monkeypatch.setattr(effort, "MOST_SECONDS", 0.0)
    inside_report.write_inside(release, folder / "real", Progress())
    report = json.loads((folder / "real" / "report.json").read_text())
    assert MINIMALITY in usual and MINIMALITY in report["audit"]["notes"]
    assert set(usual) == set(report["audit"]["notes"])
    said = [one["sentence"] for one in report["audit"]["findings"]]
    assert any("Not computed" in one and effort.HOW_TO_ASK in one for one in said)
    assert "it rules out every table" in (folder / "real" / "report.html").read_text()


def test_what_fails_after_the_release_is_out_is_told_with_another_exit_code(folder):
    """The directory appears in the mapping's place while the release is being written."""
    code, out, notes = gyges(
        "publish", "gyges.toml", "--mapping", "map.json", "--inside", "dangling", "--json",
        folder=blocked(folder),
    )  # fmt: skip
    assert code == 4, notes
    said = json.loads(out)
    assert "the release release" in said["written"] and (folder / "release").is_dir()
    assert said["not_written"] and "written before that" in notes


def blocked(folder):
    """An inside directory in which one file cannot be replaced, because it is a folder."""
    (folder / "dangling").mkdir()
    (folder / "dangling" / "groups.csv").mkdir()
    (folder / "dangling" / "groups.csv" / "mine.txt").write_text("mine")
    return folder


def test_a_mapping_that_is_damaged_is_refused_in_one_sentence(folder):
    code, _, notes = gyges(
        "publish", "gyges.toml", "--mapping", "map.json", "--out", "one", folder=folder
    )
    assert code == 0, notes
    (folder / "bad.json").write_text((folder / "map.json").read_text()[:-40])
    words = ["patients.csv", "--sensitive", "disease", "--id", "patient", "--out", "next"]
    code, _, notes = gyges("apply", "bad.json", *words, folder=folder)
    assert code == 2 and len(notes.splitlines()) == 1, notes
    assert not (folder / "next").exists()
    table = gy.read(folder / "patients.csv", SCHEMA)
    for damaged in damaged_mappings(json.loads((folder / "map.json").read_text())):
        (folder / "bad.json").write_text(damaged)
        with pytest.raises(GygesError):
            republish(load_mapping(folder / "bad.json"), table)
    good = json.loads((folder / "map.json").read_text())
    for kinds in (0.5, None, "x", [[1]]):
        good["reading"]["schema"]["kinds"] = kinds
        (folder / "bad.json").write_text(json.dumps(good))
        code, _, notes = gyges("apply", "bad.json", *words, folder=folder)
        assert code == 2 and len(notes.splitlines()) == 1, notes


def damaged_mappings(good):
    yield from ("", "[" * 100_000, "[]", "5", '{"format": 1}')
    for key in good.keys() - {"values"}:
        yield json.dumps({name: x for name, x in good.items() if name != key})
    changes = {
        "columns": [[], ["age"], ["age", "age"], 5, ["nothing", "sex"]],
        "groups": [[], [["*"]], [5], [["*", "*", "*"]]],
        "rules": [5, [{}], [{"name": "KAnonymity", "k": "x"}], [{"name": "Nothing"}]],
        "combinations": [[["30"]], [["30", "F", 10**6]], [["30", "F", -3]], [["30", "F", "x"]]],
        "kinds": [{"age": "nothing"}, {"nothing": "number"}, []],
        "hierarchies": [{"age": {"rule": "nothing"}}, {"age": 5}, {"nothing": {"rows": []}}],
    }  # fmt: skip
    for key, values in changes.items():
        for value in values:
            yield json.dumps({**good, key: value})
