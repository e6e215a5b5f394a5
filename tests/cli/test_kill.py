"""`gyges publish` is killed at any moment: never half a release, never a lost ledger line."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

import gyges as gy
from gyges.data.examples import hospital
from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE
from gyges.workflow.ledger import Ledger
from tests.cli.commands import gyges_alone, write_csv

PROJECT = """
[data]
source = "patients.csv"
[columns]
identifiers = ["patient"]
quasi_identifiers = ["age", "zip", "sex"]
sensitive = "disease"
[[require]]
rule = "k-anonymity"
k = 5
"""
COMMAND = [sys.executable, "-c", "from gyges.cli.start import run; run()"]
HIDDEN = ".release.gyges-"


@pytest.fixture
def folder(tmp_path):
    write_csv(tmp_path / "patients.csv", hospital(200))
    (tmp_path / "gyges.toml").write_text(PROJECT)
    return tmp_path


def start(folder, *words):
    return subprocess.Popen(
        [*COMMAND, "publish", "gyges.toml", *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def hidden(folder):
    return [path for path in folder.iterdir() if path.name.startswith(HIDDEN)]


def stamp(folder):
    """What changes when the ledger is being written."""
    paths = [folder / "ledger.sqlite", folder / "ledger.sqlite-journal"]
    return [path.stat().st_mtime_ns if path.exists() else None for path in paths]


def wait_until(process, has_come):
    while process.poll() is None and not has_come():
        time.sleep(0.0003)


def kill_somewhere(process, folder, rng, usual):
    """At any moment; or while the release is written; or while it is entered and put in place."""
    moment = rng.choice(["any", "writing", "entering"])
    before, entered = set(hidden(folder)), stamp(folder)
    if moment == "any":
        time.sleep(rng.uniform(0, usual))
    elif moment == "writing":
        wait_until(process, lambda: set(hidden(folder)) - before)
        time.sleep(rng.uniform(0, 0.15))
    else:
        wait_until(process, lambda: set(hidden(folder)) - before)
        wait_until(process, lambda: stamp(folder) != entered)
        time.sleep(rng.choice([0, rng.uniform(0, 0.003), rng.uniform(0, 0.03)]))
    process.send_signal(signal.SIGKILL)
    process.wait()


def look(folder, lines):
    """What is there is whole, and entered; the ledger has lost nothing. Return its lines."""
    release, path = folder / "release", folder / "ledger.sqlite"
    entered = Ledger.at(path).releases() if path.exists() else []
    assert entered[: len(lines)] == lines
    if path.exists():
        with sqlite3.connect(path) as rows:
            assert rows.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows.close()
    if release.exists():
        assert gy.verify(release).holds
        assert sha256(release / CERTIFICATE) in {entry.digest for entry in entered}
    return entered


def kill_many(folder, times, seed):
    """Publish and kill; sometimes over an older release, sometimes where there is none.

    Runs that end before they are killed are made up for by others, until half of `times` were.
    """
    rng = random.Random(seed)
    began = time.perf_counter()
    assert gyges_alone("publish", "gyges.toml", "--no-report", folder=folder)[0] == 0
    usual = time.perf_counter() - began
    lines, replaced, killed = look(folder, []), 0, 0
    for run in range(4 * times):
        if run >= times and killed >= times // 2:
            break
        if rng.random() < 0.3 and (folder / "release").exists():
            shutil.rmtree(folder / "release")  # where there is none, it must appear whole
        was_there = (folder / "release").exists()
        before = sha256(folder / "release" / CERTIFICATE) if was_there else None
        report = "--report" if rng.random() < 0.25 else "--no-report"
        process = start(folder, "--overwrite", report)
        kill_somewhere(process, folder, rng, usual)
        killed += process.returncode == -signal.SIGKILL
        lines = look(folder, lines)
        if was_there:
            assert (folder / "release").exists(), "an older release was lost"
            replaced += sha256(folder / "release" / CERTIFICATE) != before
    assert gyges_alone("publish", "gyges.toml", "--overwrite", "--no-report", folder=folder)[0] == 0
    look(folder, lines)
    assert not [path for path in hidden(folder) if any(path.iterdir())]
    return {"times": times, "killed": killed, "replaced": replaced, "lines": len(lines)}


def test_a_killed_publish_leaves_a_whole_release_or_none(folder):
    found = kill_many(folder, times=10, seed=9)
    assert found["killed"] >= 5


SPILLING = """
import sys, time
from pathlib import Path
from gyges.data.held_folders import held_folder, spill_folder
from gyges.release.directory import hidden_prefix
(spill_folder() / "rows").write_text("Alice,HIV")
with held_folder(Path.cwd(), hidden_prefix(Path("other"))) as workshop:
    (workshop / "new").mkdir()
    print("written", flush=True)
    time.sleep(600)
"""


def test_rows_that_a_killed_run_left_are_removed_by_the_next_command(folder, monkeypatch):
    """Of a small file, which needs no engine, and into a directory of another name."""
    place = folder / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))

    def spill():
        command = [sys.executable, "-c", SPILLING]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE)
        assert process.stdout is not None and process.stdout.readline() == b"written\n"
        return process

    living, killed = spill(), spill()
    try:
        killed.kill()
        killed.communicate()  # waits, and closes the pipe
        assert len(list(place.iterdir())) == len(list(folder.glob(".other.gyges-*"))) == 2
        (folder / ".other.gyges-mine").mkdir()  # not made by gyges: its name ends otherwise
        assert gyges_alone("publish", "gyges.toml", "--no-report", folder=folder)[0] == 0
        assert len(list(place.iterdir())) == 1, "the living process keeps its rows"
        assert len(list(folder.glob(".other.gyges-????????"))) == 1
        assert (folder / ".other.gyges-mine").exists()
    finally:
        living.kill()
        living.communicate()
    assert gyges_alone("verify", "release", folder=folder)[0] == 0
    assert not list(place.iterdir())


@pytest.mark.long
def test_two_hundred_killed_publishes_leave_whole_releases_or_none(folder):
    times = int(os.environ.get("GYGES_KILLS", "200"))
    found = kill_many(folder, times=times, seed=int(os.environ.get("GYGES_SEED", "1")))
    print(found)
    assert found["killed"] >= times // 2
