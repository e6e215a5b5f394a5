"""`gyges ask` and `gyges show` on a release on disk."""

from __future__ import annotations

import json

import pytest

import gyges as gy
from gyges.data.examples import hospital
from tests.cli.commands import gyges, write_csv


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A release, and the files that stay inside."""
    made = tmp_path_factory.mktemp("ask")
    write_csv(made / "patients.csv", hospital(200))
    code, _, notes = gyges(
        "publish", "patients.csv", "--sensitive", "disease", "--quasi", "age,zip,sex", "--id",
        "patient", "--k", 5, "--out", "release", "--inside", "inside", folder=made,
    )  # fmt: skip
    assert code == 0, notes
    return made


def test_people_have_names_for_whoever_has_the_inside_files(folder):
    rows = hospital(200)
    lines = (folder / "inside" / "groups.csv").read_text().splitlines()[1:]
    name, group = lines[0].split(",")[1:]
    held = gy.load(folder / "release").groups
    value = held.values[0]
    expected = gy.probability(held, f"{group}.1 = '{value}'")
    words = ("ask", "release", f"'{name}' = '{value}'", "--inside", "inside", "--json")
    code, out, _ = gyges(*words, folder=folder)
    found = json.loads(out)["probability"]
    assert code == 0 and found["numerator"] * expected.denominator == (
        expected.numerator * found["denominator"]
    )
    assert str(rows["patient"][0]) == name


def test_files_of_another_release_are_refused(folder, tmp_path):
    text = (folder / "inside" / "groups.csv").read_text().splitlines()
    for lines in (text[:-1], ["a,b"], ["row,group", "1,1"], []):
        (tmp_path / "groups.csv").write_text("\n".join(lines))
        code, _, notes = gyges("ask", "release", "x = y", "--inside", tmp_path, folder=folder)
        assert code == 2 and "groups.csv" in notes
    code, _, notes = gyges("ask", "release", "x = y", "--inside", "nowhere", folder=folder)
    assert code == 2 and "publish --inside" in notes


def test_worlds_are_sampled_where_they_are_too_many_and_it_says_so(tmp_path):
    """A tangle of implications over many values; the exact answer is out of reach."""
    rows = {"age": [1] * 400, "ill": [f"v{i % 20}" for i in range(400)]}
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="ill")
    gy.publish(gy.read(rows, schema), [gy.KAnonymity(400)]).save(tmp_path / "release")
    tangle = " and ".join(
        f"(1.{1 + i % 23} = v{i % 19} -> 1.{1 + (7 * i) % 26} = v{(5 * i) % 17})" for i in range(40)
    )
    code, out, _ = gyges("ask", "release", "1.1 = v1", "--given", tangle, folder=tmp_path)
    assert code == 0 and "it was sampled because the worlds are too many" in out
    assert "with confidence 0.95" in out


def test_doubtful_facts_and_several_of_them(folder):
    code, out, _ = gyges(
        "ask", "release", "1.1 = Flu", "--given", "1.2 = Flu", "--given", "with 0.5: 1.1 = Flu",
        "--given", "with 0.25 to 0.5: 1.3 = Flu", "--json", folder=folder,
    )  # fmt: skip
    found = json.loads(out)
    assert code == 0 and abs(found["probability"]["value"] - 0.5) < 1e-9
    assert found["is_exact"] is (found["facts_off_by"] == 0)


def test_show_lists_a_group_as_the_release_shows_it(folder):
    release = gy.load(folder / "release")
    code, out, _ = gyges("show", "release", "--group", 3, "--json", folder=folder)
    [shown] = json.loads(out)["groups"]
    assert code == 0 and shown["group"] == 3
    assert shown["labels"] == {name: labels[2] for name, labels in release.labels.items()}
    assert shown["people"] == sum(shown["values"].values()) == release.groups.sizes[2]
    code, out, _ = gyges("show", "release", "--group", 3, folder=folder)
    assert out.startswith(f"group 3: {shown['people']} people")
    for wrong in (0, len(release.groups) + 1):
        code, _, notes = gyges("show", "release", "--group", wrong, folder=folder)
        assert code == 2 and "the release has" in notes
