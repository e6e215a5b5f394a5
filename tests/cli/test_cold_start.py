"""A cold command loads no more than it needs; nothing is hidden from anybody to reach that."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gyges.data.examples import hospital
from tests.cli.commands import PATIENTS, write_csv

RUN = """
import atexit, sys
names = lambda: sorted(name for name in sys.modules if "." not in name)
atexit.register(lambda: print("LOADED", *names(), flush=True))
from gyges.cli.start import run
run()
"""
RULES = 'dropped = ["zip"]\n[[require]]\nrule = "k-anonymity"\nk = 3\n'


def loaded(folder, *words):
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("LOADED")[2].split())


@pytest.mark.parametrize(
    ("words", "spared"),
    [
        (["--help"], {"numpy", "pyarrow", "pydantic", "numba", "pandas", "scipy"}),
        (["init", "patients.csv", "--overwrite"], {"pandas", "numba", "ibis"}),
        (["publish", "gyges.toml"], {"pandas", "ibis", "networkx", "opendp", "numba", "scipy"}),
        (["publish", "gyges.toml", "--method", "buckets"], {"pandas", "ibis"}),
    ],
    ids=lambda names: " ".join(sorted(names)) if isinstance(names, set) else " ".join(names),
)
def test_a_cold_command_loads_no_more_than_it_needs(tmp_path, words, spared):
    """pandas alone takes a third of a second, of a command that takes one."""
    write_csv(tmp_path / "patients.csv", hospital(200))
    (tmp_path / "gyges.toml").write_text(PATIENTS + RULES)
    found = loaded(tmp_path, *words)
    assert "typer" in found and found & spared == set()
