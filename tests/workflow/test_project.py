"""`gy.Project` does from Python what `gyges publish gyges.toml` does: files, entries, refusals."""

from __future__ import annotations

import json
import warnings

import pytest

import gyges as gy
from gyges.data.examples import hospital
from gyges.data.memory_limit import MemoryBudget
from gyges.errors import ExposureError, GygesWarning, LedgerError, ReleaseError, RuleError
from gyges.workflow.ledger import Ledger
from gyges.workflow.progress import Progress
from tests.cli.commands import PATIENTS, gyges, write_csv

TABLE = PATIENTS + 'dropped = ["zip"]\n'
RULES = '[[require]]\nrule = "k-anonymity"\nk = 3\n'
NOISE = """
[data]
source = "patients.csv"
[columns]
quasi_identifiers = ["sex"]
sensitive = "disease"
dropped = ["patient", "age", "zip"]
[publish]
method = "dp"
[dp]
epsilon = "0.5"
views = [["sex"]]
[dp.domains]
sex = ["F", "M"]
[dp.budget]
epsilon = 1
"""


def steward(folder, text=TABLE + RULES):
    """A folder with a table and a project file."""
    folder.mkdir()
    write_csv(folder / "patients.csv", hospital(200))
    (folder / "gyges.toml").write_text(text)
    return folder


def certificate(directory):
    """What is certified, but for hashes: rows are published in a random order."""
    stated = json.loads((directory / "certificate.json").read_text())
    return {key: value for key, value in stated.items() if key != "files"}, set(stated["files"])


def entries(folder):
    """What the ledger says, but for times and hashes."""
    return [
        (r.number, r.about, r.place, r.statement, r.state, r.compared_with, dict(r.not_compared))
        for r in Ledger.at(folder / "ledger.sqlite").releases()
    ]


@pytest.mark.parametrize("method", ["partition", "buckets", "marginals"])
def test_python_and_the_command_write_the_same_files_and_entries(tmp_path, method):
    """A trial, then a final release, then another one that is compared with it."""
    text = TABLE + f'[publish]\nmethod = "{method}"\n' + RULES
    typed, called = steward(tmp_path / "typed", text), steward(tmp_path / "called", text)
    settings = {"seconds": 1} if method == "marginals" else {"seed": 5}
    more = [word for key, number in settings.items() for word in (f"--{key}", number)]
    runs = [("one", []), ("two", ["--final"]), ("three", ["--final", "--despite-exposure"])]
    for out, words in runs:
        code, _, notes = gyges("publish", "gyges.toml", "--out", out, *words, *more, folder=typed)
        assert code == 0, notes
    project = gy.Project(called / "gyges.toml")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GygesWarning)  # views are compared with nothing
        project.publish(trial=True, out=called / "one", **settings)
        project.publish(out=called / "two", **settings)
        project.publish(out=called / "three", despite_exposure=True, **settings)
    assert entries(called) == entries(typed)
    assert [r.state for r in project.releases] == ["trial", "confirmed", "confirmed"]
    kept = [len(list((folder / "ledger.sqlite.kept").iterdir())) for folder in (typed, called)]
    assert kept[0] == kept[1] >= 2  # a copy at least, and how far the chain has come
    for out, _ in runs:
        names = [{path.name for path in (folder / out).iterdir()} for folder in (typed, called)]
        assert names[0] == names[1]
        if method != "marginals":  # whose search is stopped by the clock
            assert certificate(typed / out) == certificate(called / out)
            assert gy.verify(called / out).holds


def test_the_release_is_returned_and_settings_can_be_changed(tmp_path):
    folder = steward(tmp_path / "a")
    project = gy.Project(str(folder / "gyges.toml"))
    release = project.publish(
        trial=True, rules=gy.KAnonymity(20), method="buckets", inside=folder / "in", report=False
    )
    assert release.form == "bucketized" and release.groups.sizes.min() >= 20
    assert [claim.text for claim in release.claims] == [
        "every group has at least 3 people",
        "every group has at least 20 people",
    ]
    assert (folder / "release" / "people.csv").is_file() and (folder / "in").is_dir()
    assert not (folder / "release" / "report.html").exists()
    assert project.schema.sensitive == "disease" and project.rules == [gy.KAnonymity(3)]


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"method": "mondrian"}, RuleError, "not 'mondrian'"),
        ({"metod": "lattice"}, RuleError, "no key 'metod'"),
        ({"order": "gain", "method": "lattice"}, RuleError, "order does not apply"),
        ({"rules": "k = 5"}, gy.GygesError, "criteria"),
        ({"out": 5}, gy.GygesError, "out is 5"),
        ({"trial": "no"}, gy.GygesError, "trial is 'no'"),
        ({"epsilon": "1"}, RuleError, "--epsilon does not apply to the method partition"),
        ({"method": "marginals", "mapping": "m.json"}, RuleError, "--mapping does not apply"),
        ({"method": "marginals", "memory": "1GB"}, RuleError, "memory does not apply"),
        ({"method": "dp", "rules": (), "form": "bucketized"}, RuleError, "remove the key form"),
        ({"about": "x"}, LedgerError, "is about 'patients'"),
        ({}, ReleaseError, "already exists"),
    ],
)
def test_what_the_command_refuses_python_refuses_too(tmp_path, settings, error, said):
    folder = steward(tmp_path / "a")
    project = gy.Project(folder / "gyges.toml")
    project.publish(trial=True, report=False)
    with pytest.raises(error, match=said):
        project.publish(
            **{"trial": True, **({"out": folder / "next"} if settings else {})} | settings
        )
    assert len(project.releases) == 1 and not (folder / "next").exists()


def test_a_final_release_that_exposes_people_is_refused_unless_it_is_said(tmp_path):
    """{10, 20} and {30, 40}, then {10, 30} and {20, 40}: together they say who has what."""
    rows = {"age": [10, 20, 30, 40], "zip": [1, 2, 1, 2], "disease": ["a", "b", "c", "d"]}
    first = '[data]\nsource = "p.csv"\n[columns]\nquasi_identifiers = ["age", "zip"]\n'
    first += 'sensitive = "disease"\n[hierarchies]\nage = { tree = { young = ["10", "20"], '
    first += 'old = ["30", "40"] } }\nzip = { tree = ["1", "2"] }\n'
    first += '[[require]]\nrule = "k-anonymity"\nk = 2\n[publish]\nmethod = "lattice"\n'
    write_csv(tmp_path / "p.csv", rows)
    (tmp_path / "gyges.toml").write_text(first + "weights = { age = 9.0 }\n")
    (tmp_path / "other.toml").write_text(first + "weights = { zip = 9.0 }\n")
    gy.Project(tmp_path / "gyges.toml").publish(out=tmp_path / "one", report=False)
    project = gy.Project(tmp_path / "other.toml")
    with (
        pytest.raises(ExposureError, match="despite_exposure=True"),
        pytest.warns(GygesWarning, match="4 of 4 rows certain"),
    ):
        project.publish(out=tmp_path / "two", report=False)
    assert len(project.releases) == 1 and not (tmp_path / "two").exists()
    with pytest.warns(GygesWarning, match="4 of 4 rows certain"):
        project.publish(out=tmp_path / "two", report=False, despite_exposure=True)
    assert project.releases[1].statement["newly_certain"] == 4


def test_a_project_without_a_ledger_makes_trials_only(tmp_path):
    folder = steward(tmp_path / "a", TABLE + RULES + "[ledger]\nkeep = false\n")
    project = gy.Project(folder / "gyges.toml")
    assert project.ledger is None
    with pytest.raises(LedgerError, match="keeps no ledger"):
        _ = project.releases
    with pytest.raises(gy.GygesError, match="trial=True"):
        project.publish()
    with pytest.warns(GygesWarning, match="Not recorded"):
        project.publish(trial=True, report=False)
    assert not (folder / "ledger.sqlite").exists() and (folder / "release").is_dir()


def test_before_the_first_release_there_is_nothing_to_list(tmp_path):
    project = gy.Project(steward(tmp_path / "a") / "gyges.toml")
    assert project.releases == [] and not project.ledger.path.exists()
    with pytest.raises(gy.GygesError, match="no project file"):
        gy.Project(tmp_path / "nothing.toml")
    with pytest.raises(gy.GygesError, match="path is 5"):
        gy.Project(5)


def test_a_ledger_that_is_lost_is_not_an_empty_one(tmp_path):
    """Its folder of copies shows that there was one: no release would be a false answer."""
    folder = steward(tmp_path / "a")
    project = gy.Project(folder / "gyges.toml")
    project.publish(report=False)
    (folder / "ledger.sqlite").unlink()
    with pytest.raises(LedgerError, match="is gone"):
        _ = project.releases


def test_under_a_memory_limit_groups_are_the_same_and_nothing_is_said_that_is_not_known(
    tmp_path, monkeypatch
):
    """Part by part there is nothing to compare by: a second final release must be asked for."""
    folder = steward(tmp_path / "a")
    project = gy.Project(folder / "gyges.toml")
    whole = project.publish(trial=True, out=folder / "whole", seed=1)
    monkeypatch.setattr(
        MemoryBudget, "of", lambda limit: MemoryBudget(2**30, engine=2**28, part=4096)
    )
    release = project.publish(memory="1GB", seed=1)
    assert release.n_parts > 1 and release.n_people == 200
    assert release.n_groups == len(whole.groups) and release.claims == whole.claims
    assert [r.state for r in project.releases] == ["trial", "confirmed"]
    assert gy.verify(folder / "release").holds
    with pytest.raises(gy.GygesError, match="--inside needs them all"):
        project.publish(memory="1GB", out=folder / "next", inside=folder / "in")
    with (
        pytest.raises(ExposureError, match="unknown what it reveals together with release"),
        pytest.warns(GygesWarning, match="not compared with release"),
    ):
        project.publish(memory="1GB", out=folder / "next")
    assert len(project.releases) == 2 and not (folder / "next").exists()


def test_a_budget_is_paid_from_python_as_from_the_command(tmp_path):
    pytest.importorskip("opendp")
    folder = steward(tmp_path / "a", NOISE)
    project = gy.Project(folder / "gyges.toml")
    release = project.publish(out=folder / "one")
    assert release.noisy.statement()["epsilon"] is not None
    project.publish(trial=True, out=folder / "two", epsilon="0.25")
    assert project.ledger.budget("patients").left["epsilon"] == gy.compose([("0.25", 0)])[0]
    with pytest.raises(gy.GygesError, match="nothing was spent"):
        project.publish(out=folder / "three")
    assert len(project.releases) == 2 and not (folder / "three").exists()
    typed = steward(tmp_path / "b", NOISE)
    for words in (["--out", "one", "--final"], ["--out", "two", "--epsilon", "0.25"]):
        assert gyges("publish", "gyges.toml", *words, folder=typed)[0] == 0
    assert entries(typed) == entries(folder)
    assert [(s.budget, s.note, s.amounts) for s in Ledger.at(typed / "ledger.sqlite").spends()] == [
        (s.budget, s.note, s.amounts) for s in project.ledger.spends()
    ]


def test_a_progress_of_ones_own_is_told_what_happens(tmp_path):
    class Listening(Progress):
        is_watched = True

        def __init__(self):
            super().__init__()
            self.stages, self.steps = [], []

        def stage(self, text):
            self.stages.append(text)

        def step(self, text, done, total):
            self.steps.append((done, total))

    folder, listening = steward(tmp_path / "a"), Listening()
    gy.Project(folder / "gyges.toml").publish(trial=True, method="lattice", progress=listening)
    assert "searching" in listening.stages and listening.steps
    assert all(0 <= done <= total for done, total in listening.steps)
    written = listening.outputs.written()
    assert listening.outputs.missing() == []
    assert [what.split()[1] for what in written] == ["release", "ledger", "entry"]
