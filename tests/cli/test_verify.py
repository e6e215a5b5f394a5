"""An auditor types `gyges verify`: whatever was changed is caught, with exit code 1."""

from __future__ import annotations

import csv
import io
import json
import shutil

import pytest

from gyges.auditing.against_original import PEOPLE
from gyges.data.examples import hospital
from gyges.release.certificate import sha256
from tests.cli.commands import PATIENTS, gyges, write_csv

pytestmark = pytest.mark.xdist_group("verify")

PROJECT = (
    PATIENTS
    + """\
[hierarchies]
age = { intervals = [10, 20, 40] }
[publish]
method = "lattice"
[[require]]
rule = "k-anonymity"
k = 5
[[require]]
rule = "distinct diversity"
l = 2
[[require]]
rule = "beliefs"
bandwidth = "0.3"
t = "1"
"""
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("auditor")
    write_csv(folder / "patients.csv", hospital(300))
    (folder / "gyges.toml").write_text(PROJECT)
    code, _, notes = gyges("publish", "gyges.toml", folder=folder)
    assert code == 0, notes
    return folder


@pytest.fixture
def release(made, tmp_path):
    shutil.copytree(made / "release", tmp_path / "release")
    return tmp_path / "release"


def rows_of(release):
    return list(csv.reader(io.StringIO((release / "data.csv").read_text())))


def write_rows(release, rows, *, rehash):
    with (release / "data.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    if rehash:
        restate(release, lambda s: s["files"].update({"data.csv": sha256(release / "data.csv")}))


def restate(release, change):
    path = release / "certificate.json"
    stated = json.loads(path.read_text())
    change(stated)
    path.write_text(json.dumps(stated))


def change_one_cell(release, rehash):
    """Give one person of the least group a value that nobody there has."""
    rows = rows_of(release)
    rows[1][-1] = "Plague"
    write_rows(release, rows, rehash=rehash)


def change_one_label(release, rehash):
    rows = rows_of(release)
    rows[1][0] = "0-9"
    write_rows(release, rows, rehash=rehash)


def remove_one_row(release, rehash):
    write_rows(release, rows_of(release)[:-1], rehash=rehash)


def double_one_row(release, rehash):
    rows = rows_of(release)
    write_rows(release, [*rows, rows[1]], rehash=rehash)


def refuted(release):
    code, out, _ = gyges("verify", "release", "--json", folder=release.parent)
    return code, [c["claim"] for c in json.loads(out)["checks"] if c["holds"] is False]


def test_the_untouched_release_holds_and_names_what_needs_the_original(release):
    code, out, _ = gyges("verify", "release", folder=release.parent)
    assert code == 3
    assert (
        "1 of" in out
        and "not checked: an attacker who knows how the value depends" in out
        and "needs the original" in out
    )


@pytest.mark.parametrize(
    "change", [change_one_cell, change_one_label, remove_one_row, double_one_row]
)
def test_a_changed_file_is_caught_by_its_hash(release, change):
    change(release, rehash=False)
    code, claims = refuted(release)
    assert code == 1 and "data.csv is the file that was certified" in claims


@pytest.mark.parametrize("change", [change_one_label, remove_one_row, double_one_row])
def test_a_changed_file_with_a_new_hash_is_caught_by_its_claims(release, change):
    change(release, rehash=True)
    code, claims = refuted(release)
    assert code == 1 and claims


def test_a_changed_value_with_a_new_hash_is_caught_against_the_original(made, release):
    """No claim need break by it; only the original knows better."""
    change_one_cell(release, rehash=True)
    words = ["verify", release, "--original", "patients.csv", "--project", "gyges.toml", "--json"]
    code, out, _ = gyges(*words, folder=made)
    false = [c["claim"] for c in json.loads(out)["checks"] if c["holds"] is False]
    assert code == 1 and PEOPLE in false


def test_a_changed_hash_is_caught(release):
    restate(release, lambda s: s["files"].update({"data.csv": "f" * 64}))
    assert refuted(release) == (1, ["data.csv is the file that was certified"])


@pytest.mark.parametrize("page", ["report.html", "report.json"])
@pytest.mark.parametrize("rehash", [False, True])
def test_a_changed_report_is_caught(release, page, rehash):
    (release / page).write_text((release / page).read_text().replace("people", "heroes", 1))
    if rehash:
        restate(release, lambda s: s["files"].update({page: sha256(release / page)}))
    what = "agrees with the published files" if rehash else "is the file that was certified"
    assert refuted(release) == (1, [f"{page} {what}"])


def test_a_report_of_another_version_is_not_checked(made, release):
    """Whatever it says: this version cannot make it again, and does not call it true."""
    page = release / "report.html"
    page.write_text(page.read_text().replace("people", "heroes"))
    restate(release, lambda s: s.update(gyges="0.0.1"))
    restate(release, lambda s: s["files"].update({page.name: sha256(page)}))
    code, out, _ = gyges("verify", release, folder=made)
    assert code == 3 and "not checked: report.html agrees with the published files" in out
    assert "written by gyges 0.0.1" in out and "checks passed" not in out


@pytest.mark.parametrize(
    "inflate",
    [
        lambda s: s["claims"][0].update(risk=str(int(s["claims"][0]["risk"]) + 1)),
        lambda s: s["claims"][0]["rule"].update(k=10_000),
        lambda s: s["claims"][1].update(text="every group has at least 9 different values"),
        lambda s: s.update(n_people=s["n_people"] + 1),
        lambda s: s.update(n_groups=1),
    ],
)
def test_an_inflated_claim_is_caught(release, inflate):
    restate(release, inflate)
    code, claims = refuted(release)
    assert code == 1 and len(claims) == 1


def test_with_the_original_every_claim_is_recomputed(made):
    words = ["verify", "release", "--original", "patients.csv", "--project", "gyges.toml"]
    code, out, notes = gyges(*words, "--json", folder=made)
    assert code == 0, notes
    checks = json.loads(out)["checks"]
    assert all(check["holds"] for check in checks)
    assert any("bandwidth 0.3" in check["claim"] for check in checks)


def test_an_inflated_belief_is_caught_with_the_original(made, release):
    restate(release, lambda s: s["claims"][2].update(risk="0.001"))
    pages = ("report.html", "report.json")
    assert refuted(release) == (1, [f"{page} agrees with the published files" for page in pages])
    for page in pages:
        (release / page).unlink()
    restate(release, lambda s: [s["files"].pop(page) for page in pages])
    assert refuted(release) == (3, [])
    words = ["verify", release, "--original", "patients.csv", "--json"]
    code, out, _ = gyges(*words, folder=made)
    assert code == 1, out
