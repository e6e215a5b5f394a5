"""The real command, as a new user would type it."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import gyges as gy
from gyges.data.consistency import ROWS_ARE_PEOPLE
from gyges.data.examples import hospital
from tests.cli.commands import cpu_of_children, gyges, gyges_alone, write_csv


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table and a release of it."""
    made = tmp_path_factory.mktemp("steward")
    write_csv(made / "patients.csv", hospital(600))
    code, out, notes = gyges(
        "publish", "patients.csv", "--sensitive", "disease", "--quasi", "age,zip,sex",
        "--id", "patient", "--k", 5, "--l", 3, "--out", "release", "--mapping", "map.json",
        folder=made,
    )  # fmt: skip
    assert code == 0, notes
    assert "holds: every group has at least 5 people (worst case: 5)" in out
    return made


def test_help_answers_at_once(tmp_path):
    """Under half a second on a quiet machine; processor time, so that a busy one passes."""
    best = float("inf")
    for _ in range(3):
        start = cpu_of_children()
        code, out, _ = gyges_alone("--help", folder=tmp_path)
        best = min(best, cpu_of_children() - start)
    assert code == 0 and "publish" in out
    assert best < 1.2


def test_a_release_holds_only_what_is_published_and_verifies(folder):
    names = sorted(path.name for path in (folder / "release").iterdir())
    assert names == ["certificate.json", "data.csv", "report.html", "report.json"]
    code, out, _ = gyges("verify", "release", folder=folder)
    assert code == 0 and "All 9 checks passed." in out
    content = b"".join(path.read_bytes() for path in (folder / "release").iterdir())
    assert not [p for p in hospital(600)["patient"] if str(p).encode() in content]


def test_verify_exits_with_1_when_a_cell_was_changed(folder, tmp_path):
    import shutil

    shutil.copytree(folder / "release", tmp_path / "release")
    path = tmp_path / "release" / "data.csv"
    path.write_text(path.read_text().replace("Flu", "HIV", 1))
    code, out, _ = gyges("verify", "release", "--json", folder=tmp_path)
    assert code == 1 and json.loads(out)["holds"] is False


def test_ask_gives_an_exact_fraction(folder):
    code, out, _ = gyges(
        "ask", "release", "1.1 = Flu", "--given", "1.2 = Flu -> 1.1 = Flu", "--json", folder=folder
    )
    assert code == 0
    found = json.loads(out)["probability"]
    assert 0 <= found["numerator"] <= found["denominator"]
    assert found["value"] == found["numerator"] / found["denominator"]


def test_audit_shows_both_curves_and_the_skylines(folder):
    code, out, _ = gyges("audit", "release", folder=folder)
    assert code == 0
    for words in ("implications", "negations", "Worst case: ", "HIV", "relatives"):
        assert words in out
    code, out, _ = gyges("audit", "release", "--json", folder=folder)
    found = json.loads(out)
    assert len(found["curves"]["implications"]) == 13


def test_skyline_explains_each_point(folder):
    code, out, _ = gyges("skyline", "release", "--value", "Flu", folder=folder)
    assert code == 0 and "safe as long as the attacker knows" in out


def test_new_rows_are_published_under_the_same_scheme_and_judged_again(folder, tmp_path):
    mapping = folder / "map.json"
    same = folder / "patients.csv"
    options = ["--sensitive", "disease", "--id", "patient", "--out", "again"]
    code, out, notes = gyges("apply", mapping, same, *options, folder=tmp_path)
    assert code == 0, out + notes
    before, after = (p / "data.csv" for p in (folder / "release", tmp_path / "again"))
    assert sorted(before.read_text().splitlines()) == sorted(after.read_text().splitlines())
    few = {name: values[:40] for name, values in hospital(600).items()}
    write_csv(tmp_path / "few.csv", few)
    code, out, _ = gyges("apply", mapping, "few.csv", *options[:-1], "none", folder=tmp_path)
    assert code == 1 and "not safe" in out
    assert not (tmp_path / "none").exists()


def test_init_writes_a_file_that_publish_understands(folder, tmp_path):
    write_csv(tmp_path / "patients.csv", hospital(600))
    code, out, _ = gyges("init", "patients.csv", folder=tmp_path)
    assert code == 0 and "identifier" in out
    text = (tmp_path / "gyges.toml").read_text()
    assert 'sensitive = "disease"' in text and 'identifiers = ["patient"]' in text
    code, out, notes = gyges("publish", "gyges.toml", "--json", folder=tmp_path)
    assert code == 0, notes
    assert json.loads(out)["people"] == 600


def test_the_demo_runs_and_verifies(tmp_path):
    code, out, _ = gyges("demo", "--json", folder=tmp_path)
    found = json.loads(out)
    assert code == 0 and found["verified"] and found["verified_several"]
    assert found["unique_before"] > 100
    code, out, _ = gyges("demo", folder=tmp_path)
    assert code == 0 and "WHAT THE WORST ATTACKER LEARNS" in out


HEAD = "patient,age,zip,sex,disease\n"
AGED = "".join(f"{i},{20 + i},3,F,Flu\n" for i in range(1, 20))  # too many ages for categories
GOOD = ["--sensitive", "disease", "--quasi", "age,zip,sex", "--id", "patient", "--k", 5]


@pytest.mark.parametrize(
    ("name", "text", "words", "said"),
    [
        ("none.csv", None, GOOD, "no file"),
        ("empty.csv", "", GOOD, "empty"),
        ("header.csv", "patient,age,zip,sex,disease\n", GOOD, "no rows"),
        ("twice.csv", "age,age,zip,sex,disease\n1,1,1,F,Flu\n", GOOD, "age"),
        ("ragged.csv", HEAD + "1,2,3,F,Flu\n1,2,3\n", GOOD, "3"),
        ("hole.csv", HEAD + "1,,3,F,Flu\n2,1,3,F,Flu\n", GOOD, "missing"),
        ("nan.csv", HEAD + "0,nan,3,F,Flu\n" + AGED, GOOD, "NaN"),
        ("inf.csv", HEAD + "1,inf,3,F,Flu\n2,1,3,F,Flu\n", GOOD, "infinite"),
        ("two.csv", HEAD + "1,2,3,F,Flu\n1,2,3,F,HIV\n", GOOD, "only 1 value in 2 rows"),
        ("typo.csv", "patient,age,zip,sex,diseese\n1,2,3,F,Flu\n", GOOD, "did you mean 'diseese'"),
        ("roles.csv", HEAD + "1,2,3,F,Flu\n", [*GOOD, "--id", "age"], "two roles"),

        ("rule.csv", HEAD + "1,2,3,F,Flu\n", [*GOOD, "--t", "much"], "much"),
        ("norule.csv", HEAD + "1,2,3,F,Flu\n", GOOD[:-2], "--k 5"),
        ("method.csv", HEAD + "1,2,3,F,Flu\n", [*GOOD, "--method", "x"], "method"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_exit_code_2_and_nothing_is_written(
    tmp_path, name, text, words, said
):
    if isinstance(text, bytes):
        (tmp_path / name).write_bytes(text)
    elif text is not None:
        (tmp_path / name).write_text(text)
    code, out, notes = gyges("publish", name, *words, "--out", "out", folder=tmp_path)
    assert code == 2, out + notes
    assert said in notes, notes
    assert len(notes.strip().splitlines()) <= 4
    assert not (tmp_path / "out").exists()
    assert {path.name for path in tmp_path.iterdir()} <= {name}


START = '[data]\nsource = "p.csv"\n[columns]\nquasi_identifiers = ["age"]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[data\n", ["TOML", "line 1"]),
        ('[data]\nsource = "p.csv"\n[columns]\nquasi_identifier = ["age"]\n',
         ["line 4", "columns.quasi_identifier", "did you mean 'quasi_identifiers'"]),
        ('[columns]\nquasi_identifiers = ["age"]\n', ["'data' is missing"]),
        ('[data]\nsource = "p.csv"\nmissing = "maybe"\n[columns]\n',
         ["line 3", "data.missing must be", "'drop'", "not 'maybe'"]),
        ('[data]\nsource = 5\n[columns]\n', ["line 2", "data.source must be a text, not 5"]),
        (START + '[publish]\nmethod = "mondrian"\n', ["line 6", "publish.method", "'partition'"]),
        (START + '[[require]]\nrule = "k-anonimity"\nk = 3\n',
         ["line 5", "did you mean 'k-anonymity'"]),
        (START + '[[require]]\nrule = "k-anonymity"\nk = "five"\n', ["line 7", "k is 'five'"]),
        (START + '[[require]]\nrule = "k-anonymity"\nl = 3\n', ["line 5", "no key 'l'", "takes k"]),
        (START + '[[require]]\nrule = "safety"\nk = 3\n', ["line 5", "needs the key 'confidence'"]),
        (START + '[[require]]\nrule = "k-anonymity"\nk = 2\n[[require]]\nrule = "skyline"\n'
         'HIV = [[1, 1, 1, "0.5"]]\n', ["line 8", "points"]),
        (START + '[hierarchies]\nage = { intervals = [10, 15] }\n[[require]]\n'
         'rule = "k-anonymity"\nk = 2\n', ["line 6", "multiple"]),
        (START + '[hierarchies]\nage = { interval = [10] }\n',
         ["line 6", "did you mean 'intervals'"]),
        (START.replace('"age"', '"age", "zpi"') + '[[require]]\nrule = "k-anonymity"\nk = 2\n',
         ["line 4", "no column 'zpi'", "did you mean 'zip'"]),
        ('folder = "x"\n' + START, ["line 1", "no key 'folder'"]),
    ],
)  # fmt: skip
def test_a_wrong_project_file_is_named_with_key_and_line(tmp_path, text, said):
    (tmp_path / "gyges.toml").write_text(text)
    (tmp_path / "p.csv").write_text("age,zip,disease\n1,1,Flu\n2,2,Flu\n")
    code, _, notes = gyges("publish", "gyges.toml", folder=tmp_path)
    assert code == 2
    assert [words for words in said if words not in notes] == [], notes
    assert not (tmp_path / "release").exists()


def test_where_nothing_is_safe_it_is_said_what_would_pass(tmp_path):
    write_csv(tmp_path / "p.csv", hospital(300))
    words = ["publish", "p.csv", *GOOD[:-1], 1000, "--out", "out"]
    code, _, notes = gyges(*words, folder=tmp_path)
    assert code == 1 and "worst case: 300" in notes and "k = 300" in notes
    code, out, _ = gyges(*words, "--json", folder=tmp_path)
    found = json.loads(out)
    assert code == 1 and found["safe"] is False and found["nearest"][0]["would_pass"] == "k = 300"
    assert not (tmp_path / "out").exists()


def test_an_existing_release_stays_as_it_is(folder):
    before = (folder / "release" / "data.csv").read_bytes()
    code, _, notes = gyges("publish", "patients.csv", *GOOD, "--out", "release", folder=folder)
    assert code == 2 and "already exists" in notes
    assert (folder / "release" / "data.csv").read_bytes() == before


def test_a_constant_sensitive_column_is_a_note_and_not_an_error(tmp_path):
    write_csv(tmp_path / "p.csv", {"age": list(range(20)), "disease": ["Flu"] * 20})
    words = ["--sensitive", "disease", "--quasi", "age", "--k", 5, "--out", "out"]
    code, _, notes = gyges("publish", "p.csv", *words, folder=tmp_path)
    assert code == 0 and "same value" in notes
    assert Path(tmp_path / "out").exists()


def test_small_tables_are_published_and_verified(folder, tmp_path):
    write_csv(tmp_path / "patients.csv", hospital(600))
    gyges("init", "patients.csv", folder=tmp_path)
    words = ["--seconds", 5, "--ledger", "other.sqlite"]
    code, out, notes = gyges("marginals", "gyges.toml", *words, folder=tmp_path)
    assert code == 0, notes
    assert (tmp_path / "other.sqlite").exists() and "--ledger other.sqlite" in out
    assert "KL divergence" in out and "not claimed" in out
    code, out, _ = gyges("verify", "marginals", folder=tmp_path)
    assert code == 0, out
    project = tmp_path / "gyges.toml"
    project.write_text(project.read_text().replace('"partition"', '"marginals"'))
    code, out, notes = gyges("publish", "gyges.toml", "--out", "views", folder=tmp_path)
    assert code == 0 and "views of 600 people" in out, notes


def test_joining_two_releases_is_an_attack_with_a_verdict(folder, tmp_path):
    words = ["--sensitive", "disease", "--id", "patient", "--k", 3, "--no-report"]
    source = folder / "patients.csv"
    for name, columns in (("one", "age,zip,sex"), ("two", "sex,zip,age")):
        code, _, notes = gyges(
            "publish", source, "--quasi", columns, "--method",
            "partition" if name == "one" else "lattice", *words, "--out", name, folder=tmp_path,
        )  # fmt: skip
        assert code == 0, notes
    words = ["attack", "one", "two", "--people", source]
    code, out, _ = gyges(*words, "--json", "--picture", "p.html", folder=tmp_path)
    found = json.loads(out)
    assert found["people"] == 600 and len(found["by_confidence"]) == 6
    grows = found["exposed"] != found["exposed_by_one_release"]
    grows |= found["bayesian_exposed"] != found["bayesian_exposed_by_one_release"]
    assert code == (1 if grows else 0)
    assert stat.S_IMODE((tmp_path / "p.html").stat().st_mode) == 0o600
    page = (tmp_path / "p.html").read_text()
    assert "What the releases reveal together" in page and "src=" not in page.split("<script")[0]
    files = ["attack", "one/data.csv", "two", "--people", source]
    code, _, notes = gyges(*files, folder=tmp_path)
    assert code == 2 and "--quasi" in notes
    roles = ["--quasi", "age,zip,sex", "--sensitive", "disease"]
    code, again, notes = gyges(*files, *roles, "--json", folder=tmp_path)
    assert code == (1 if grows else 0), notes
    assert json.loads(again)["exposed"] == found["exposed"]
    code, _, notes = gyges("attack", "one", "--people", source, folder=tmp_path)
    assert code == 2 and "at least two releases" in notes


def test_a_file_that_somebody_else_published_can_be_audited(folder):
    path = folder / "release" / "data.csv"
    words = ["--quasi", "age,zip,sex", "--sensitive", "disease"]
    code, ours, notes = gyges("audit", "release", "--json", folder=folder)
    assert code == 0, notes
    code, theirs, notes = gyges("audit", path, *words, "--json", folder=folder)
    assert code == 0, notes
    figures = ("classical", "curves", "worst_cases", "skylines")
    assert all(json.loads(ours)[name] == json.loads(theirs)[name] for name in figures)
    assert "rows, each counted as one person" in json.loads(theirs)["subject"]
    code, _, notes = gyges("audit", path, folder=folder)
    assert code == 0 and "guessed: an attacker may know age, zip, sex" in notes


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["publish", "x.toml"], 2, "x.toml"),
        (["publish", "p.csv", *GOOD, "--out", "mine.txt", "--overwrite"], 2, "not a directory"),
        (["publish", "p.csv", *GOOD, "--out", "folder", "--overwrite"], 2, "not a release"),
        (["publish", "p.csv", *GOOD, "--out", "mine.txt/in"], 2, "is a file"),
        (["publish", "p.csv", *GOOD, "--out", "o", "--inside", "o/in"], 2, "separate directory"),
        (["verify", "folder"], 2, "certificate"),
        (["verify", "mine.txt"], 2, "is a file"),
        (["audit", "nowhere"], 2, "no release"),
        (["audit", "p.csv"], 3, "guessed: an attacker may know"),
        (["audit", "p.csv", "--quasi", "age", "--sensitive", "nothing"], 2, "'nothing'"),
        (["audit", "empty.csv", "--quasi", "age"], 2, "empty"),
        (["init", "folder"], 2, "folder"),
        (["init", "empty.csv"], 2, "empty"),
        (["init", "p.csv", "--policy", "lax"], 2, "researchers"),
    ],
)  # fmt: skip
def test_whatever_stands_in_the_way_stays_and_is_named(tmp_path, words, code, said):
    write_csv(tmp_path / "p.csv", hospital(60))
    (tmp_path / "x.toml").mkdir()
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "empty.csv").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.txt").write_text("mine")
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    found, _, notes = gyges(*words, folder=tmp_path)
    assert found == code and said in notes, notes
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_mapping_without_the_original_is_refused_and_not_ignored(folder):
    for verb, ask in (("verify", gy.verify), ("audit", gy.audit)):
        for mapping in ("map.json", "nothing.json"):
            code, _, notes = gyges(verb, "release", "--mapping", mapping, folder=folder)
            assert code == 2 and "give the original too" in notes
            with pytest.raises(gy.GygesError, match="give the original too"):
                ask(folder / "release", mapping=folder / mapping)


def test_apply_says_what_its_counts_rest_on(folder, tmp_path):
    shutil.copy(folder / "patients.csv", tmp_path)
    publish = ["publish", "patients.csv", "--quasi", "age,zip,sex", "--sensitive", "disease"]
    more = ["--k", 5, "--out", "first", "--mapping", "map.json"]
    code, _, notes = gyges(*publish, *more, folder=tmp_path)
    assert code == 0, notes
    words = ["apply", "map.json", "patients.csv"]
    code, out, notes = gyges(*words, "--out", "rows", folder=tmp_path)
    assert code == 0 and ROWS_ARE_PEOPLE in out, notes
    code, out, notes = gyges(*words, "--person", "patient", "--out", "people", folder=tmp_path)
    assert code == 0 and ROWS_ARE_PEOPLE not in out, notes


@pytest.mark.parametrize(
    ("words", "expected"), [(["verify", "release"], 0), (["verify", "forged"], 1)]
)
def test_nobody_reading_on_does_not_change_the_exit_code(folder, tmp_path, words, expected):
    """A closed pipe was exit code 1, which says that something is false."""
    for name in ("release", "forged"):
        shutil.copytree(folder / "release", tmp_path / name)
    table = tmp_path / "forged" / "data.csv"
    table.write_text(table.read_text().replace("Flu", "Plague"))
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-c", "from gyges.cli.start import run; run()", *words]
    done = subprocess.run(
        command, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    signs_of_life = re.sub(r".* … \(\d+ s\)\n", "", done.stderr)
    assert (done.returncode, signs_of_life) == (expected, "")


def test_cells_are_suppressed_by_the_weights_of_their_columns(tmp_path):
    write_csv(tmp_path / "patients.csv", hospital(200))
    options = ["--id", "patient", "--quasi", "age,sex", "--sensitive", "disease", "--k", "2"]
    options += ["--method", "suppression", "--out"]
    weights = ["--weights", "age=0.1,sex=5"]
    code, out, notes = gyges("publish", "patients.csv", *options, "out", *weights, folder=tmp_path)
    assert code == 0, out + notes
    assert "cells" in out + notes and "are suppressed: age" in out + notes
    assert gyges("verify", "out", folder=tmp_path)[0] == 0
    for wrong in ("age", "age=much", "size=2"):
        found = gyges(
            "publish", "patients.csv", *options, "none", "--weights", wrong, folder=tmp_path
        )
        assert found[0] == 2 and "eights" in found[1] + found[2], found
    assert not (tmp_path / "none").exists()


def test_a_lack_of_memory_is_one_sentence(folder, monkeypatch):
    """It ended in a traceback."""

    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(gy, "verify", fail)
    code, out, notes = gyges("verify", "release", folder=folder)
    assert code == 2 and not out and "not enough memory" in notes and "Traceback" not in notes


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 20_000, "k = " + "9" * 5_000, "[" + "a." * 5_000 + "a]\nk = 1\n"],
    ids=["lists", "digits", "tables"],
)
def test_a_project_file_without_end_is_one_sentence(tmp_path, text):
    """They ended in tracebacks of tomllib, with exit code 1."""
    (tmp_path / "gyges.toml").write_text(text)
    code, out, notes = gyges("publish", "gyges.toml", folder=tmp_path)
    assert code == 2 and not out and "gyges.toml" in notes and notes.count("\n") == 1


def test_a_person_with_thousands_of_digits_is_unknown(folder):
    code, out, notes = gyges("ask", "release", f"1.1 = Flu or {'9' * 5_000}.1 = Flu", folder=folder)
    assert code == 2 and not out and "Traceback" not in notes


@pytest.mark.parametrize("option", [
    ("--hierarchy", "age=none.csv"), ("--project", "none.toml"), ("--missing", "drop"),
])  # fmt: skip
def test_options_about_a_table_that_is_not_there_are_refused(tmp_path, option):
    (tmp_path / "a.csv").write_text("age,ill\n20-29,flu\n20-29,gout\n")
    code, _, said = gyges("audit", "a.csv", *option, folder=tmp_path)
    assert code == 2 and "give --original, --control, --population or --other" in said
