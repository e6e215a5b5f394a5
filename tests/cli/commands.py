"""The real command and the files that it is given, for the tests that type it."""

from __future__ import annotations

import subprocess
import sys

# The first sections of a project file, for the hospital that does not exist.
PATIENTS = """
[data]
source = "patients.csv"
[columns]
identifiers = ["patient"]
quasi_identifiers = ["age", "sex"]
sensitive = "disease"
"""


def gyges(*words, folder):
    """Run the command in a folder; return its exit code, output and notes."""
    done = subprocess.run(
        [sys.executable, "-c", "from gyges.cli.start import run; run()", *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def write_csv(path, columns):
    lines = [",".join(columns)]
    lines += [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
