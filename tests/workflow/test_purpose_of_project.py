"""A purpose in the project file, in the command's options and in Python."""

from __future__ import annotations

import json

import pytest

import gyges as gy
from gyges.data.examples import hospital
from gyges.report.page import report_pages
from tests.cli.commands import PATIENTS, gyges, write_csv

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")

RULES = '[[require]]\nrule = "k-anonymity"\nk = 4\n'
PURPOSE = '[purpose]\nquestions = [["age", "disease"]]\nweights = { age = 3 }\npredict = "sex"\n'
OPTIONS = ["--question", "age,disease", "--weights", "age=3", "--predict", "sex"]


@pytest.fixture
def folder(tmp_path):
    write_csv(tmp_path / "patients.csv", hospital(160))
    (tmp_path / "gyges.toml").write_text(PATIENTS + RULES + "[publish]\nseed = 1\n" + PURPOSE)
    (tmp_path / "plain.toml").write_text(PATIENTS + RULES + "[publish]\nseed = 1\n")
    return tmp_path


def rows(folder, name):
    return (folder / name / "data.csv").read_text(encoding="utf-8")


def test_file_options_and_python_publish_the_same(folder):
    assert gyges("publish", "gyges.toml", "--out", "file", folder=folder)[0] == 0
    assert gyges("publish", "plain.toml", *OPTIONS, "--out", "options", folder=folder)[0] == 0
    assert gyges("publish", "plain.toml", "--out", "plain", folder=folder)[0] == 0
    project = gy.Project(folder / "plain.toml")
    purpose = gy.Purpose(weights={"age": 3}, questions=[["age", "disease"]], predict="sex")
    project.publish(trial=True, out=folder / "python", purpose=purpose)
    assert rows(folder, "file") == rows(folder, "options") == rows(folder, "python")
    assert rows(folder, "file") != rows(folder, "plain")
    assert gy.verify(folder / "file").holds


def test_only_the_report_that_stays_inside_shows_the_original(folder):
    words = ["publish", "gyges.toml", "--out", "out", "--inside", "inside"]
    assert gyges(*words, folder=folder)[0] == 0
    inside = (folder / "inside" / "report.html").read_text(encoding="utf-8")
    for shown in (
        "Before and after",
        "age (in 20 intervals) × disease",
        "certainly between",
        "must stay inside",
    ):
        assert shown in inside
    found = json.loads((folder / "inside" / "report.json").read_text())["audit"]["before_after"]
    [age] = found["means"]
    mean = age["before"]["value"]
    assert age["lowest"]["value"] <= mean <= age["highest"]["value"]
    assert [one["columns"] for one in found["questions"]] == [["age", "disease"]]
    for path in (folder / "out").iterdir():
        text = path.read_text(encoding="utf-8")
        assert "Before and after" not in text and f"{mean:.6g}" not in text


def test_a_report_that_leaves_compares_nothing(folder):
    release = gy.Project(folder / "gyges.toml").publish(trial=True)
    assert release.table is not None
    pages = report_pages(release)
    assert json.loads(pages["report.json"])["audit"]["before_after"] is None
    assert "Before and after" not in pages["report.html"]


def test_an_audit_answers_questions_about_the_original(folder):
    gyges("publish", "gyges.toml", "--out", "out", "--mapping", "map.json", folder=folder)
    words = ["audit", "out", "--original", "patients.csv", "--mapping", "map.json"]
    code, text, _ = gyges(*words, "--question", "age,sex", "--predict", "disease", folder=folder)
    assert code == 3 and "Not computed: what the choice of the groups reveals" in text
    assert "age (in 20 intervals) × sex" in text and "wrong after" in text
    code, _, notes = gyges("audit", "out", "--question", "age", folder=folder)
    assert code == 2 and "give the original" in notes


@pytest.mark.parametrize(
    ("purpose", "said"),
    [
        ("[purpose]\n", "a purpose states nothing"),
        ('[purpose]\nquestion = [["age"]]\n', "there is no key 'purpose.question'"),
        ('[purpose]\nquestions = ["age"]\n', "purpose.questions.0 must be"),
        ("[purpose]\nweights = { age = -1 }\n", "is -1.0: give a number, at least 0"),
        ("[purpose]\nweights = { zip = 1 }\n", "'zip', which is not a quasi-identifier"),
        ('[purpose]\npredict = "patient"\n', "predict names 'patient'"),
        ('[publish]\nmethod = "marginals"\n[purpose]\npredict = "sex"\n', "does not apply"),
    ],
)
def test_a_wrong_purpose_is_refused_and_nothing_is_written(folder, purpose, said):
    (folder / "wrong.toml").write_text(PATIENTS + RULES + purpose)
    before = sorted(path.name for path in folder.iterdir())
    code, _, notes = gyges("publish", "wrong.toml", "--out", "out", folder=folder)
    assert code == 2 and said in notes
    assert sorted(path.name for path in folder.iterdir()) == before


def test_wrong_options_are_refused(folder):
    for words in (["--weights", "age"], ["--weights", "age=two"], ["--question", "age,,"]):
        code, _, notes = gyges("publish", "plain.toml", *words, "--out", "out", folder=folder)
        assert code == 2 and "Traceback" not in notes
    assert not (folder / "out").exists()
