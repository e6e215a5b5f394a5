"""The real command and the files that it is given, for the tests that type it."""

from __future__ import annotations

import io
import resource
import subprocess
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from unittest import mock

import typer

from gyges.cli import main
from gyges.errors import GygesWarning

# The first sections of a project file, for the hospital that does not exist.
PATIENTS = """
[data]
source = "patients.csv"
[columns]
identifiers = ["patient"]
quasi_identifiers = ["age", "sex"]
sensitive = "disease"
"""


@cache
def command():
    """The command line, put together once: that takes longer than most commands."""
    return typer.main.get_command(main.app)


def gyges(*words, folder):
    """Type a command in a folder; return its exit code, output and notes.

    It runs in this process, which has loaded everything already; `gyges_alone` starts another.
    """
    out, notes = io.StringIO(), io.StringIO()
    with (
        chdir(folder),
        mock.patch.object(sys, "argv", ["gyges", *map(str, words)]),
        warnings.catch_warnings(),
        redirect_stdout(out),
        redirect_stderr(notes),
    ):
        warnings.showwarning = main._show_warning
        warnings.simplefilter("always", GygesWarning)
        code = main._run(command())
    return code, out.getvalue(), notes.getvalue()


def gyges_alone(*words, folder):
    """The same in a process of its own, which takes a second."""
    done = subprocess.run(
        [sys.executable, "-m", "gyges", *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def cpu_of_children():
    """Seconds of processor time of all processes that ended; a busy machine adds little to it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_csv(path, columns):
    lines = [",".join(columns)]
    lines += [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
