"""The pages for people: what they show is what happens."""

from __future__ import annotations

import ast
import csv
import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gyges.data.examples import hospital

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
TUTORIAL = ROOT / "docs" / "tutorial.md"  # its Python is run after its commands
WITH_PYTHON = [
    page for page in PAGES if ">>> " in page.read_text(encoding="utf-8") and page != TUTORIAL
]
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
    people = hospital()
    with (tmp_path / "patients.csv").open("w", newline="") as file:
        csv.writer(file).writerows([list(people), *zip(*people.values(), strict=True)])
    type_commands(ROOT / "README.md", tmp_path)


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
