"""The ledger through the real command: entered, warned of, paid from, shown, exported."""

from __future__ import annotations

import csv
import json
import re
import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest

from gyges.data.examples import hospital
from tests.cli.commands import PATIENTS, gyges, gyges_alone, write_csv

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
    code, out, notes = gyges("publish", "a.toml", "--out", "one", "--final", folder=folder)
    assert code == 0 and "warning" not in notes and "Final release" in out
    (folder / "one").rename(folder / "sent")  # the ledger keeps what it needs
    code, out, notes = gyges("publish", "b.toml", "--out", "two", "--json", folder=folder)
    assert code == 0, notes
    found = json.loads(out)["with_earlier_releases"]
    assert found["releases"] == ["one"] and found["vulnerable"] > 0
    assert "warning: Together with the earlier release" in notes
    code, out, _ = gyges("ledger", "--json", folder=folder)
    assert [r["place"] for r in json.loads(out)["releases"]] == ["one", "two"]
    assert [r["files"] for r in json.loads(out)["releases"]] == ["not there", "there"]
    assert [r["state"] for r in json.loads(out)["releases"]] == ["confirmed", "trial"]
    code, out, _ = gyges("ledger", "--export", "all.csv", folder=folder)
    assert "patients: one (not there), confirmed" in out and "no release" not in out
    with (folder / "all.csv").open(newline="") as file:
        assert [row["detail"] for row in csv.DictReader(file)] == [
            "one (confirmed)",
            "two (trial)",
        ]


def publish(folder, *words):
    code, out, notes = gyges("publish", *words, "--no-report", folder=folder)
    assert code == 0, notes
    return out, notes


def test_trials_do_not_count_and_are_confirmed_or_withdrawn(folder):
    (folder / "a.toml").write_text(PROJECT.format(k=3))
    (folder / "b.toml").write_text(PROJECT.format(k=4).replace('"age", "sex"', '"sex", "age"'))
    out, _ = publish(folder, "a.toml", "--out", "one")
    assert "Trial release" in out and "gyges ledger confirm one" in out
    _, notes = publish(folder, "b.toml", "--out", "two")
    assert "warning" not in notes, "a trial has told nobody anything"
    code, out, _ = gyges("ledger", "confirm", "one", folder=folder)
    assert code == 0 and "Release 1 (one) is confirmed" in out
    code, _, notes = gyges("ledger", "confirm", "two", folder=folder)
    assert code == 2 and "publish this one again" in notes
    _, notes = publish(folder, "b.toml", "--out", "two", "--overwrite")
    assert "warning: Together with the earlier release" in notes
    code, out, _ = gyges(
        "ledger", "withdraw", "one", "--reason", "never sent", "--json", folder=folder
    )
    assert code == 0 and json.loads(out)["state"] == "withdrawn"
    _, notes = publish(folder, "b.toml", "--out", "two", "--overwrite")
    assert "warning" not in notes
    code, out, _ = gyges("ledger", "confirm", 1, folder=folder)
    assert code == 0, "what was withdrawn by mistake is confirmed again"
    code, out, _ = gyges("ledger", folder / "ledger.sqlite", folder=folder)
    assert code == 0 and "one, confirmed" in out and "another one is there" in out


@pytest.mark.parametrize("first_state", [[], ["--final"]])
def test_a_withdrawn_release_of_which_a_copy_turns_up_is_confirmed_as_advised(folder, first_state):
    """ "Confirm it again" was refused: another release had left the building in the meantime."""
    (folder / "a.toml").write_text(PROJECT.format(k=3))
    publish(folder, "a.toml", "--out", "one", *first_state)
    code, out, _ = gyges("ledger", "withdraw", "one", "--reason", "never sent", folder=folder)
    advised = out.strip().rpartition("run: gyges ")[2].split()
    publish(folder, "a.toml", "--out", "two", "--final")
    code, _, notes = gyges("ledger", "confirm", 1, folder=folder)
    assert code == 2 and "--already-left" in notes
    code, out, notes = gyges(*advised, folder=folder)
    assert code == 0 and "Release 1 (one) is confirmed" in out, notes


def test_a_number_confirms_that_release_and_never_the_one_that_took_its_place(folder):
    """`confirm 1` confirmed release 2, whose files were in the same directory."""
    (folder / "a.toml").write_text(PROJECT.format(k=3))
    for _ in range(2):
        publish(folder, "a.toml", "--out", "one", "--overwrite")
    code, _, notes = gyges("ledger", "confirm", 1, "--already-left", folder=folder)
    assert code == 2 and "release 1 is no longer in 'one'" in notes
    assert gyges("ledger", "confirm", 2, folder=folder)[0] == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (('sensitive = "disease"', ""), "this release has no sensitive column"),
        (('"disease"', '"zip"'), "it has another sensitive column"),
    ],
)
def test_a_release_that_was_not_joined_is_not_noted_as_compared(folder, change, why):
    """Else `confirm` takes a comparison for granted that never happened."""
    (folder / "a.toml").write_text(PROJECT.format(k=3))
    (folder / "b.toml").write_text(PROJECT.format(k=4).replace(*change))
    publish(folder, "a.toml", "--out", "one", "--final")
    code, out, notes = gyges("publish", "b.toml", "--out", "two", "--json", folder=folder)
    assert code == 0 and f"warning: not compared with one: {why}" in notes, notes
    found = json.loads(out)["with_earlier_releases"]
    assert found["releases"] == [] and found["not_compared"][0]["release"] == "one"
    _, out, _ = gyges("ledger", "--json", folder=folder)
    entry = json.loads(out)["releases"][1]
    assert entry["compared_with"] == [] and why in entry["not_compared"]["1"]
    code, _, notes = gyges("ledger", "confirm", "two", folder=folder)
    assert code == 0 and f"warning: not compared with release 1 (one): {why}" in notes


def test_a_release_with_fewer_columns_is_compared_by_the_columns_of_the_earlier_one(folder):
    """Who knows a person's sex too finds them in the earlier release, whatever this one shows."""
    (folder / "a.toml").write_text(PROJECT.format(k=2))
    (folder / "b.toml").write_text(PROJECT.format(k=2).replace('"age", "sex"', '"age"'))
    publish(folder, "a.toml", "--out", "one", "--final")
    _, notes = publish(folder, "b.toml", "--out", "two")
    assert "not compared" not in notes and "Together with the earlier release" in notes


def test_a_release_that_could_not_be_compared_is_not_final_unless_that_is_said(folder):
    (folder / "a.toml").write_text(PROJECT.format(k=3))
    publish(folder, "a.toml", "--out", "one", "--final")
    data = next(folder.glob("*.csv"))
    with data.open(newline="") as file:
        rows = list(csv.reader(file))
    place = rows[0].index("sex")
    with data.open("w", newline="") as file:
        csv.writer(file).writerows([*row[:place], *row[place + 1 :]] for row in rows)
    (folder / "b.toml").write_text(PROJECT.format(k=3).replace('"age", "sex"', '"age"'))
    _, notes = publish(folder, "b.toml", "--out", "two")
    assert "Together with the earlier release" in notes and "(proven)" in notes  # by membership
    for record in folder.glob("*.kept/*.people"):
        record.unlink()
    publish(folder, "b.toml", "--out", "two", "--overwrite")
    code, _, notes = gyges("ledger", "confirm", "two", folder=folder)
    assert code == 1 and "--despite-exposure" in notes
    code, _, notes = gyges("publish", "b.toml", "--out", "three", "--final", folder=folder)
    assert code == 1 and "--despite-exposure" in notes and "'sex'" in notes
    assert not (folder / "three").exists()
    publish(folder, "b.toml", "--out", "three", "--final", "--despite-exposure")
    assert gyges("ledger", "confirm", "two", "--already-left", folder=folder)[0] == 0


def test_an_exported_ledger_runs_nothing_in_a_spreadsheet(folder):
    (folder / "a.toml").write_text(PROJECT.format(k=3))
    publish(folder, "a.toml", "--about", "=1+1")
    assert gyges("ledger", "--export", "all.csv", folder=folder)[0] == 0
    with (folder / "all.csv").open(newline="") as file:
        assert [row["subject"] for row in csv.DictReader(file)] == ["'=1+1"]


def test_without_a_ledger_it_is_said_loudly_that_nothing_is_recorded(folder):
    words = ["patients.csv", "--sensitive", "disease", "--quasi", "age,sex", "--k", 3]
    out, notes = publish(folder, *words, "--mapping", "map.json")
    assert "warning: Not recorded" in notes and "Trial" not in out
    assert not (folder / "ledger.sqlite").exists()
    apply = ["apply", "map.json", "patients.csv", "--sensitive", "disease", "--id", "patient"]
    code, _, notes = gyges(*apply, "--out", "next", folder=folder)
    assert code == 0 and "warning: Not recorded" in notes
    code, _, notes = gyges(*apply, "--out", "final", "--final", folder=folder)
    assert code == 2 and "--ledger" in notes and not (folder / "final").exists()
    publish(folder, *words, "--out", "again", "--ledger", "l.sqlite", "--final")
    code, out, notes = gyges(
        *apply, "--out", "more", "--ledger", "l.sqlite", "--final", folder=folder
    )
    assert code == 0 and "Not recorded" not in notes and "Final release" in out
    _, out, _ = gyges("ledger", "l.sqlite", "--json", folder=folder)
    assert [(r["place"], r["state"]) for r in json.loads(out)["releases"]] == [
        ("again", "confirmed"),
        ("more", "confirmed"),
    ]


def test_another_name_for_the_same_data_is_noticed(folder):
    """Under another name there would be no comparison, and a budget of its own."""
    (folder / "a.toml").write_text(PROJECT.format(k=3))
    publish(folder, "a.toml", "--out", "one")
    code, _, notes = gyges("publish", "a.toml", "--out", "two", "--about", "x", folder=folder)
    assert (
        code == 2
        and "The ledger says this data is about 'patients'" in notes
        and not (folder / "two").exists()
    )
    (folder / "copy.csv").write_bytes((folder / "patients.csv").read_bytes())
    (folder / "b.toml").write_text(PROJECT.format(k=3).replace("patients.csv", "copy.csv"))
    code, _, notes = gyges("publish", "b.toml", "--out", "two", folder=folder)
    assert code == 2 and "The ledger says this data is about 'patients'" in notes
    publish(folder, "a.toml", "--out", "two", "--about", "x", "--other-people")
    publish(folder, "a.toml", "--out", "three", "--about", "x")


def test_the_ledger_is_neither_lost_nor_begun_anew(folder):
    (folder / "a.toml").write_text(PROJECT.format(k=3))
    publish(folder, "a.toml", "--out", "one")
    whole = (folder / "ledger.sqlite").read_bytes()
    for content in (b"", whole[:5000], whole[:-4096], None):
        if content is None:
            (folder / "ledger.sqlite").unlink()
        else:
            (folder / "ledger.sqlite").write_bytes(content)
        for words in (
            ["publish", "a.toml", "--out", "two"],
            ["ledger"],
            ["ledger", "confirm", "one"],
        ):
            code, _, notes = gyges(*words, folder=folder)
            assert code == 2 and "ledger" in notes, notes
            assert not (folder / "two").exists()
            there = folder / "ledger.sqlite"
            assert (there.read_bytes() if there.exists() else None) == content


def test_a_project_may_keep_no_ledger(folder):
    (folder / "a.toml").write_text(PROJECT.format(k=3) + "\n[ledger]\nkeep = false\n")
    code, _, _ = gyges("publish", "a.toml", folder=folder)
    assert code == 0 and not (folder / "ledger.sqlite").exists()
    code, _, notes = gyges("ledger", folder=folder)
    assert code == 2 and "there is no ledger 'ledger.sqlite'" in notes


def test_a_budget_that_processes_race_for_is_never_overspent(folder):
    """Six at once want half of it each: two get it, four write nothing."""
    pytest.importorskip("opendp")
    (folder / "noise.toml").write_text(NOISE)
    with ThreadPoolExecutor(3) as pool:
        done = list(
            pool.map(
                lambda i: gyges_alone("publish", "noise.toml", "--out", f"out{i}", folder=folder),
                range(6),
            )
        )
    assert sorted(code for code, _, _ in done) == [0, 0, 1, 1, 1, 1]
    assert all("nothing was spent" in notes for code, _, notes in done if code == 1)
    assert all("Its budget is spent" in out for code, out, _ in done if code == 0)
    assert len(list(folder.glob("out*"))) == 2
    _, out, _ = gyges("ledger", "--json", folder=folder)
    (budget,) = json.loads(out)["budgets"]
    assert budget["spent"]["epsilon"] == {"numerator": 1, "denominator": 1, "value": 1.0}
    assert len(json.loads(out)["releases"]) == 2
    code, out, _ = gyges("verify", next(folder.glob("out*")).name, folder=folder)
    assert code == 3 and "trust the publisher" in out


def test_what_is_no_ledger_is_refused_before_any_work(folder):
    (folder / "a.toml").write_text(PROJECT.format(k=3))
    (folder / "ledger.sqlite").write_text("shopping list")
    code, _, notes = gyges("publish", "a.toml", folder=folder)
    assert code == 2 and "ledger" in notes and not (folder / "release").exists()
    assert (folder / "ledger.sqlite").read_text() == "shopping list"


def test_advice_to_publish_with_noise_succeeds_when_it_is_followed_once(folder):
    """Each attempt named one more demand, in Python's syntax: five refusals until a release."""
    project = PROJECT.format(k=3).replace("[[require]]", "labels = 'sets'\n[[require]]")
    (folder / "a.toml").write_text(project.replace('"partition"', '"dp"'))
    code, _, notes = gyges("publish", "a.toml", folder=folder)
    assert code == 2 and "remove the key labels of [publish]" in notes, notes
    assert "remove the [[require]] sections" in notes
    added = textwrap.dedent("\n".join(re.findall(r"^    (.*)$", notes, re.MULTILINE)))
    rows = hospital(300)
    for name in ("sex", "zip", "disease"):
        values = json.dumps(sorted(set(map(str, rows[name]))))
        added = added.replace(f'"{name}" = ["…", "…"]', f'"{name}" = {values}')
    for age in ('["…", "…"]', "{ from = …, to = … }"):
        added = added.replace(f'"age" = {age}', '"age" = { from = 0, to = 120 }')
    assert "…" not in added and "[dp]" in added
    kept = project.partition("labels")[0].replace('"partition"', '"dp"')
    (folder / "a.toml").write_text(kept + added + "\n")
    publish(folder, "a.toml")


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


DAY = """\
[data]
source = "patients.csv"
[columns]
identifiers = ["name"]
quasi_identifiers = ["age"]
sensitive = "disease"
[publish]
method = "partition"
[[require]]
rule = "distinct diversity"
l = 3
"""
FIRST_DAY = {"name": ["Ann", "Bob", "Carl"], "age": [31] * 3, "disease": ["flu", "mumps", "gout"]}


@pytest.mark.parametrize("leaves", [False, True])
def test_a_newcomer_is_compared_with_the_people_of_the_earlier_release(tmp_path, leaves):
    """It said "0 of 4 people": sets stay the same. Who leaves makes room, so sizes do too."""
    write_csv(tmp_path / "patients.csv", FIRST_DAY)
    (tmp_path / "day.toml").write_text(DAY)
    code, _, notes = gyges("publish", "day.toml", "--out", "one", "--final", folder=tmp_path)
    assert code == 0, notes
    stays = slice(1 if leaves else 0, None)
    second = {"name": "Dan", "age": 31, "disease": "cold" if leaves else "gout"}
    later = {name: [*held[stays], second[name]] for name, held in FIRST_DAY.items()}
    write_csv(tmp_path / "patients.csv", later)
    code, _, notes = gyges("publish", "day.toml", "--out", "two", "--final", folder=tmp_path)
    assert code == 1 and "value of 1 of" in notes and "(proven)" in notes, notes
    assert ("the value of 1 of them certain" in notes) == leaves
    assert not (tmp_path / "two").exists()
    kept = list((tmp_path / "ledger.sqlite.kept").glob("*.people"))
    assert len(kept) == 1 and "Ann" not in kept[0].read_text()
    assert kept[0].stat().st_mode & 0o077 == 0
    kept[0].unlink()
    code, _, notes = gyges("publish", "day.toml", "--out", "two", "--final", folder=tmp_path)
    assert code == 1, notes
    if not leaves:
        assert "who was in one was not recorded: it has 3 people, and 4 of this table" in notes
    kept[0].write_text("not a record")
    code, _, notes = gyges("publish", "day.toml", "--out", "two", "--final", folder=tmp_path)
    assert code == 2 and "cannot be read" in notes


def test_a_microaggregated_release_is_compared_by_the_groups_that_were_recorded(folder):
    """Labels of centroids do not say who is in which group; the record does."""
    project = PROJECT.format(k=5).replace("partition", "microaggregation")
    (folder / "a.toml").write_text(project)
    publish(folder, "a.toml", "--out", "one", "--final")
    _, notes = publish(folder, "a.toml", "--out", "two")
    assert "(proven)" in notes and "guess" not in notes
    for record in folder.glob("*.kept/*.people"):
        record.unlink()
    code, _, notes = gyges("publish", "a.toml", "--out", "three", "--final", folder=folder)
    assert code == 1 and "nearest centroid, which is a guess" in notes


def test_people_with_several_values_are_not_compared_and_that_is_said(tmp_path):
    rows = {"name": list("AABBCC"), "age": [31] * 6, "disease": list("xyyzzx")}
    write_csv(tmp_path / "patients.csv", rows)
    (tmp_path / "day.toml").write_text(
        DAY.replace('sensitive = "disease"', 'sensitive = "disease"\nvalues_per_person = "set"')
        .replace("distinct diversity", "k-anonymity")
        .replace("l = 3", "k = 3")
    )
    assert gyges("publish", "day.toml", "--out", "one", "--final", folder=tmp_path)[0] == 0
    code, _, notes = gyges("publish", "day.toml", "--out", "two", "--final", folder=tmp_path)
    assert code == 1 and "several sensitive values" in notes and "unknown" in notes, notes


def test_a_release_that_exposes_someone_who_left_is_not_final(tmp_path):
    """Whoever left is the difference of two groups: nobody may call that release proven safe."""
    (tmp_path / "day.toml").write_text(DAY)
    eve = {"name": "Eve", "age": 31, "disease": "gout"}
    write_csv(tmp_path / "patients.csv", {n: [*held, eve[n]] for n, held in FIRST_DAY.items()})
    assert gyges("publish", "day.toml", "--out", "one", "--final", folder=tmp_path)[0] == 0
    write_csv(tmp_path / "patients.csv", FIRST_DAY)
    code, _, notes = gyges("publish", "day.toml", "--out", "two", "--final", folder=tmp_path)
    assert code == 1 and "1 person of earlier releases is not in this table" in notes
    assert "their absence makes the value of 1 of them certain" in notes
    assert not (tmp_path / "two").exists()


def test_a_project_without_a_budget_pays_from_the_one_in_the_ledger(folder):
    """It drew noise with epsilon 50 about people for whom 0.1 of 1 was left."""
    about = '[ledger]\nabout = "patients"\n'
    (folder / "a.toml").write_text(NOISE.replace('"0.5"', '"0.9"') + about)
    without = NOISE.partition("[dp.budget]")[0]
    (folder / "b.toml").write_text(without.replace('"0.5"', '"50"') + about)
    (folder / "c.toml").write_text(without.replace('"0.5"', '"0.1"') + about)
    code, _, notes = gyges("publish", "a.toml", "--out", "one", folder=folder)
    assert code == 0, notes
    code, _, notes = gyges("publish", "b.toml", "--out", "two", folder=folder)
    assert code == 1 and "no budget is set" not in notes and not (folder / "two").exists(), notes
    code, _, notes = gyges("publish", "c.toml", "--out", "three", folder=folder)
    assert code == 0, notes
    code, out, _ = gyges("ledger", folder=folder)
    assert "1 of 1 spent" in out, out
