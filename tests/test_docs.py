"""The pages for people: what they show is what happens."""

from __future__ import annotations

import ast
import csv
import doctest
import gzip
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import gyges as gy
from gyges.data.examples import hospital
from gyges.errors import GygesWarning

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
TUTORIAL = ROOT / "docs" / "tutorial.md"  # its Python is run after its commands
WITH_PYTHON = [
    page for page in PAGES if ">>> " in page.read_text(encoding="utf-8") and page != TUTORIAL
]
PLAIN_PYTHON = ["adding_a_rule", "differential_privacy", "marginals", "pipelines", "questions"]
ELIDED = "…"


def blocks(page, kind):
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def commands(block):
    """(command, the lines it is said to print) of a console block."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line.rstrip())
    return found


def agrees(said, printed):
    """Whether the lines are printed in this order; … stands for any lines, or any end of one."""
    pattern = r"\n".join(
        r"(?:.*\n)*?.*" if line == ELIDED else r".*".join(map(re.escape, line.split(ELIDED)))
        for line in said
    )
    return re.fullmatch(rf"{pattern}\n*", printed) is not None


def test_every_test_that_the_threat_model_names_is_there():
    said = (ROOT / "docs" / "threat_model.md").read_text()
    attacks = re.findall(r"^\|.*\|$", said[said.index("## Attacks on the people") :], re.MULTILINE)
    rows = [line for line in attacks if "---" not in line and not line.endswith("| test |")]
    assert len(rows) > 45 and [line for line in rows if "`tests/" not in line] == []
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", said)
    assert len({file for file, _ in named}) > 20
    assert len(named) == said.count("`tests/"), "a line names a test, not only its file"
    tests = {
        file: {
            one.name
            for one in ast.walk(ast.parse((ROOT / file).read_text()))
            if isinstance(one, ast.FunctionDef)
        }
        for file, _ in named
    }
    assert [f"{file}::{name}" for file, name in named if name not in tests[file]] == []


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.stem)
def test_the_python_of_a_page_does_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = doctest.testfile(str(page), module_relative=False)
    assert outcome.attempted and outcome.failed == 0


SIGN_OF_LIFE = re.compile(r" … \(\d+ s\)$")  # of a command that takes long here


def type_commands(page, folder):
    """Type a page's commands one after the other; return the folder in which they end."""
    bin = folder / "bin"
    bin.mkdir()
    command = bin / "gyges"
    command.write_text(
        f'#!/bin/sh\nexec {sys.executable} -c "from gyges.cli.start import run; run()" "$@"\n'
    )
    command.chmod(0o755)
    path, code = f"{bin}{os.pathsep}{os.environ['PATH']}", 0
    for block in blocks(page, "console"):
        for typed, said in commands(block):
            if typed.startswith("cd "):
                folder = folder / typed[3:]
                continue
            done = subprocess.run(
                ["bash", "-c", f"(exit {code}); {typed}"],
                cwd=folder,
                env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            code = done.returncode
            lines = (line.rstrip() for line in done.stdout.splitlines())
            printed = "\n".join(line for line in lines if not SIGN_OF_LIFE.search(line))
            assert agrees(said, printed), f"$ {typed}\n{printed}"
    return folder


def test_the_tutorial_does_what_it_says(tmp_path, monkeypatch):
    """Its commands are typed, then its Python is run in the same folder."""
    monkeypatch.chdir(type_commands(TUTORIAL, tmp_path))
    outcome = doctest.testfile(str(TUTORIAL), module_relative=False)
    assert outcome.attempted and outcome.failed == 0


def test_the_first_page_does_what_it_says(tmp_path):
    write_patients(tmp_path)
    type_commands(ROOT / "README.md", tmp_path)


TYPED = ["index.md", "signatures.md", "pipelines.md"]  # the other pages with commands: above
RUN = ["README.md", *(f"docs/{name}.md" for name in PLAIN_PYTHON)]
ON_A_CLUSTER = ["docs/scale.md"]  # tests/engines/test_cluster.py makes its calls on a real one


def write_patients(folder):
    people = hospital()
    with (folder / "patients.csv").open("w", newline="") as file:
        csv.writer(file).writerows([list(people), *zip(*people.values(), strict=True)])


@pytest.mark.parametrize("name", TYPED)
def test_the_commands_of_a_page_print_what_it_says(name, tmp_path, run):
    """In a folder with the patients and the project that `init` proposes."""
    write_patients(tmp_path)
    if name == "signatures.md":
        pytest.importorskip("cryptography", reason="signatures need the extra `sign`")
        assert shutil.which("ssh-keygen"), "the page makes a key with it"
        assert run("init", tmp_path / "patients.csv", "--out", tmp_path / "gyges.toml")[0] == 0
    type_commands(ROOT / "docs" / name, tmp_path)


@pytest.mark.parametrize("name", RUN)
def test_the_plain_python_of_a_page_runs(name, tmp_path, monkeypatch, run, request):
    """All blocks of a page in one namespace, next to the patients and their project."""
    write_patients(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run("init", "patients.csv")[0] == 0
    names = {"schema": schema_of_public_values()}
    if name == "docs/marginals.md":
        adult_in(request.getfixturevalue("real_data"), tmp_path)
        names["rng"] = np.random.default_rng(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GygesWarning)
        plain = [one for one in blocks(ROOT / name, "python") if ">>> " not in one]
        for block in plain:
            exec(compile(block, name, "exec"), names)


def schema_of_public_values():
    """Noise needs a list of values that was not taken from the people."""
    decades = {f"{d}-{d + 9}": list(range(d, d + 10)) for d in range(0, 120, 10)}
    diseases = sorted(set(map(str, hospital()["disease"])))
    trees = {"age": {**decades, "120": [120]}, "sex": ["F", "M"], "disease": diseases}
    return gy.Schema(
        identifiers=["patient"],
        quasi_identifiers=["age", "sex"],
        sensitive="disease",
        hierarchies={name: gy.Hierarchy.from_tree(tree) for name, tree in trees.items()},
    )


def adult_in(data, folder):
    """The Adult table and its hierarchies, as a page names them."""
    (folder / "adult.csv").write_bytes(gzip.decompress((data / "adult.csv.gz").read_bytes()))
    (folder / "hierarchies").symlink_to(data / "hierarchies" / "adult")


def test_every_code_block_is_run():
    """A block of Python or commands is in a page that one of these tests runs."""
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]:
        name = str(page.relative_to(ROOT))
        if blocks(page, "console"):
            typed = page == TUTORIAL or page.name in [*TYPED, "README.md"]
            assert typed or name == "docs/attackers/other_releases.md", name
        if blocks(page, "python"):
            assert page in WITH_PYTHON or page == TUTORIAL or name in RUN + ON_A_CLUSTER, name


def test_the_reference_has_every_public_name():
    page = (ROOT / "docs" / "reference.md").read_text()
    assert sorted(re.findall(r"^::: gyges\.(\w+)$", page, re.MULTILINE)) == sorted(
        {*gy.__all__} - {"__version__"}
    )


@pytest.mark.slow
def test_the_site_is_built_and_needs_no_network(tmp_path):
    """With strict links; no page, script or style asks another machine for anything."""
    pytest.importorskip("mkdocs", reason="the site needs the extra `docs`")
    pytest.importorskip("mkdocstrings", reason="the site needs the extra `docs`")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", tmp_path / "site"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 40
    loads = re.compile(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=.?(?:https?:)?//[^>]*")
    for page in pages:
        asked = [one for one in loads.findall(page.read_text()) if 'rel="canonical"' not in one]
        assert asked == [], page


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
