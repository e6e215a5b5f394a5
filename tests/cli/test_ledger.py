"""The ledger through the real command: entered, warned of, paid from, shown, exported."""

from __future__ import annotations

import csv
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from gyges.data.examples import hospital
from tests.cli.commands import PATIENTS, gyges, write_csv

PROJECT = (
    PATIENTS
    + """\
[publish]
method = "partition"
[[require]]
rule = "k-anonymity"
k = {k}
"""
)

NOISE = """
[data]
source = "patients.csv"
[columns]
quasi_identifiers = ["sex"]
sensitive = "disease"
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


@pytest.fixture
def folder(tmp_path):
    write_csv(tmp_path / "patients.csv", hospital(300))
    return tmp_path


def test_publish_enters_releases_and_warns_when_they_say_more_together(folder):
    (folder / "a.toml").write_text(PROJECT.format(k=3))
    (folder / "b.toml").write_text(PROJECT.format(k=4).replace('"age", "sex"', '"sex", "age"'))
    code, _, notes = gyges("publish", "a.toml", "--out", "one", folder=folder)
    assert code == 0 and "warning" not in notes
    code, out, notes = gyges("publish", "b.toml", "--out", "two", "--json", folder=folder)
    assert code == 0, notes
    found = json.loads(out)["with_earlier_releases"]
    assert found["releases"] == ["one"] and found["vulnerable"] > 0
    assert "warning: joined with the earlier release" in notes
    code, out, _ = gyges("ledger", "--json", folder=folder)
    assert [r["place"] for r in json.loads(out)["releases"]] == ["one", "two"]
    assert {r["state"] for r in json.loads(out)["releases"]} == {"there"}
    code, out, _ = gyges("ledger", "--export", "all.csv", folder=folder)
    assert "patients: one" in out and "no release" not in out
    with (folder / "all.csv").open(newline="") as file:
        assert [row["detail"] for row in csv.DictReader(file)] == ["one", "two"]


def test_a_project_may_keep_no_ledger(folder):
    (folder / "a.toml").write_text(PROJECT.format(k=3) + "\n[ledger]\nkeep = false\n")
    code, _, _ = gyges("publish", "a.toml", folder=folder)
    assert code == 0 and not (folder / "ledger.sqlite").exists()
    code, _, notes = gyges("ledger", folder=folder)
    assert code == 2 and "there is no ledger 'ledger.sqlite'" in notes


def test_a_budget_that_processes_race_for_is_never_overspent(folder):
    """Six at once want half of it each: two get it, four write nothing."""
    pytest.importorskip("opendp")
    pytest.importorskip("mbi")
    (folder / "noise.toml").write_text(NOISE)
    with ThreadPoolExecutor(3) as pool:
        done = list(
            pool.map(
                lambda i: gyges("publish", "noise.toml", "--out", f"out{i}", folder=folder),
                range(6),
            )
        )
    assert sorted(code for code, _, _ in done) == [0, 0, 2, 2, 2, 2]
    assert all("nothing was spent" in notes for code, _, notes in done if code == 2)
    assert len(list(folder.glob("out*"))) == 2
    _, out, _ = gyges("ledger", "--json", folder=folder)
    (budget,) = json.loads(out)["budgets"]
    assert budget["spent"]["epsilon"] in ("1", 1, 1.0) and len(json.loads(out)["releases"]) == 2
    code, out, _ = gyges("verify", next(folder.glob("out*")).name, folder=folder)
    assert code == 0 and "trust the run" in out


def test_what_is_no_ledger_is_refused_before_any_work(folder):
    (folder / "a.toml").write_text(PROJECT.format(k=3))
    (folder / "ledger.sqlite").write_text("shopping list")
    code, _, notes = gyges("publish", "a.toml", folder=folder)
    assert code == 2 and "ledger" in notes and not (folder / "release").exists()
    assert (folder / "ledger.sqlite").read_text() == "shopping list"


def test_noise_without_epsilon_or_public_values_is_refused(folder):
    (folder / "noise.toml").write_text(
        NOISE.replace("[dp.domains]", "[dp.levels]").replace('sex = ["F", "M"]', "sex = 0")
    )
    code, _, notes = gyges("publish", "noise.toml", folder=folder)
    assert code == 2 and "no public list of values" in notes
    (folder / "plain.toml").write_text(PROJECT.format(k=3))
    code, _, notes = gyges("publish", "plain.toml", "--method", "dp", folder=folder)
    assert code == 2 and "needs epsilon" in notes
    assert not (folder / "release").exists() and not (folder / "ledger.sqlite").exists()
