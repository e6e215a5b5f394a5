"""The ledger: exact, append-only, safe under several processes and after a crash."""

from __future__ import annotations

import csv
import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from fractions import Fraction

import pytest

from gyges.errors import BudgetError, ReleaseError
from gyges.release.ledger import Ledger

ANY = "add or remove one person"
FRESH = multiprocessing.get_context("forkserver")  # nothing of this process is inherited


@pytest.fixture
def ledger(tmp_path):
    return Ledger.at(tmp_path / "ledger.sqlite")


def test_releases_are_found_again_by_whom_they_are_about(ledger):
    ledger.record(about="patients", place="out/1", digest="aa", statement={"k": 5})
    ledger.record(about="staff", place="out/2", digest="bb")
    ledger.record(about="patients", place="out/3", digest="cc")

    again = Ledger.at(ledger.path)
    assert [r.place for r in again.releases("patients")] == ["out/1", "out/3"]
    assert [r.number for r in again.releases()] == [1, 2, 3]
    assert again.releases()[0].statement == {"k": 5}


def test_a_budget_is_spent_to_the_last_fraction_and_not_beyond(ledger):
    """Ten tenths are one: in floats they are not, and the tenth would be refused."""
    ledger.open_budget("patients", {"epsilon": 1, "delta": "1e-6"}, relation=ANY)
    for _ in range(10):
        ledger.spend("patients", {"epsilon": "0.1", "delta": "1e-7"}, relation=ANY)

    assert ledger.budget("patients").left == {"epsilon": 0, "delta": 0}
    with pytest.raises(BudgetError, match="nothing was spent"):
        ledger.spend("patients", {"epsilon": Fraction(1, 10**30), "delta": 0}, relation=ANY)
    assert len(ledger.spends("patients")) == 10


def test_each_unit_has_its_own_limit(ledger):
    ledger.open_budget("b", {"epsilon": 1, "delta": 0}, relation=ANY)
    with pytest.raises(BudgetError, match="delta"):
        ledger.spend("b", {"epsilon": "0.1", "delta": "1e-9"}, relation=ANY)
    assert ledger.spends() == []


def test_a_budget_is_never_changed_and_knows_its_neighbours(ledger):
    ledger.open_budget("b", {"epsilon": 1}, relation=ANY)
    assert ledger.open_budget("b", {"epsilon": "1.0"}, relation=ANY).limits == {"epsilon": 1}
    with pytest.raises(BudgetError, match="never changed"):
        ledger.open_budget("b", {"epsilon": 2}, relation=ANY)
    with pytest.raises(BudgetError, match="do not add up"):
        ledger.spend("b", {"epsilon": "0.1"}, relation="change one person")
    with pytest.raises(BudgetError, match="kept in epsilon"):
        ledger.spend("b", {"rho": "0.1"}, relation=ANY)
    with pytest.raises(BudgetError, match="no budget"):
        ledger.spend("c", {"epsilon": "0.1"}, relation=ANY)
    with pytest.raises(BudgetError, match="below 0"):
        ledger.spend("b", {"epsilon": -1}, relation=ANY)
    assert ledger.budget("b").spent == {"epsilon": 0}


@pytest.mark.parametrize("table", ["releases", "budgets", "limits", "spends", "amounts"])
def test_nothing_is_changed_deleted_or_replaced(ledger, table):
    ledger.record(about="patients", place="out", digest="aa")
    ledger.open_budget("b", {"epsilon": 1}, relation=ANY)
    ledger.spend("b", {"epsilon": "0.5"}, relation=ANY)
    rows = sqlite3.connect(ledger.path, isolation_level=None)
    before = rows.execute(f"SELECT * FROM {table}").fetchall()

    columns = [column[1] for column in rows.execute(f"PRAGMA table_info({table})")]
    marks = ", ".join("?" for _ in columns)
    for statement in (
        f"DELETE FROM {table}",
        f"UPDATE {table} SET {columns[-1]} = '0'",
        f"INSERT OR REPLACE INTO {table} VALUES ({marks})",
    ):
        with pytest.raises(sqlite3.IntegrityError, match="only grows"):
            rows.execute(statement, before[0] if "?" in statement else ())
    assert rows.execute(f"SELECT * FROM {table}").fetchall() == before
    rows.close()


def test_a_payment_that_fails_half_way_leaves_nothing(ledger):
    ledger.open_budget("b", {"epsilon": 1}, relation=ANY)
    rows = sqlite3.connect(ledger.path, isolation_level=None)
    rows.execute("CREATE TRIGGER full BEFORE INSERT ON amounts BEGIN SELECT RAISE(ABORT, 'x'); END")
    rows.close()

    with pytest.raises(ReleaseError, match="not written"):
        ledger.spend("b", {"epsilon": "0.5"}, relation=ANY)
    assert ledger.spends() == [] and ledger.budget("b").spent == {"epsilon": 0}


def test_the_ledger_is_exported_with_exact_amounts(ledger, tmp_path):
    ledger.record(about="patients", place="out", digest="aa", statement={"claims": ["k = 5"]})
    ledger.open_budget("b", {"epsilon": "3/4", "delta": 0}, relation=ANY)
    ledger.spend("b", {"epsilon": "1/3", "delta": 0}, relation=ANY, note="spring")

    data = json.loads(ledger.export(tmp_path / "l.json").read_text())
    assert data["budgets"][0]["limits"] == {"epsilon": "3/4", "delta": "0"}
    assert data["spends"][0]["amounts"] == {"epsilon": "1/3", "delta": "0"}
    assert data["releases"][0]["statement"] == {"claims": ["k = 5"]}
    lines = list(csv.reader(ledger.export(tmp_path / "l.csv").read_text().splitlines()))
    assert [line[1] for line in lines] == ["entry", "release", "budget", "spend"]
    with pytest.raises(ReleaseError, match=r"\.json or \.csv"):
        ledger.export(tmp_path / "l.txt")


def test_what_is_no_ledger_is_refused(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("dear diary, " * 100)
    with pytest.raises(ReleaseError, match="cannot serve"):
        Ledger.at(text)
    other = tmp_path / "other.sqlite"
    rows = sqlite3.connect(other)
    rows.execute("CREATE TABLE t (x)")
    rows.commit()
    rows.close()
    with pytest.raises(ReleaseError, match="another program"):
        Ledger.at(other)
    rows = sqlite3.connect(Ledger.at(tmp_path / "future.sqlite").path)
    rows.execute("PRAGMA user_version = 99")
    rows.close()
    with pytest.raises(ReleaseError, match="format is 99"):
        Ledger.at(tmp_path / "future.sqlite")
    with pytest.raises(ReleaseError, match="no ledger"):
        Ledger(tmp_path / "nothing.sqlite").releases()
    with pytest.raises(ReleaseError, match="cannot be opened"):
        Ledger.at(tmp_path / "missing" / "ledger.sqlite")


def _write_many(path, writer, entries):
    ledger = Ledger.at(path)
    for i in range(entries):
        ledger.record(about=f"w{writer}", place=f"{i}", digest="")


def test_ten_processes_write_at_once_and_nothing_is_lost(tmp_path):
    """They also race to make the file, which exists once all are there."""
    path, entries = tmp_path / "ledger.sqlite", 5
    writers = [FRESH.Process(target=_write_many, args=(path, w, entries)) for w in range(10)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert [writer.exitcode for writer in writers] == [0] * 10
    found = Ledger.at(path).releases()
    assert [r.number for r in found] == list(range(1, 51))
    for w in range(10):
        mine = [r.place for r in found if r.about == f"w{w}"]
        assert mine == [str(i) for i in range(entries)]


def _spend_until_refused(path, paid):
    ledger, times = Ledger.at(path), 0
    try:
        while True:
            ledger.spend("b", {"epsilon": "1/7"}, relation=ANY)
            times += 1
    except BudgetError:
        paid.put(times)


def test_processes_that_race_for_a_budget_never_overspend(ledger):
    """5 = 35/7: exactly 35 payments go through, whoever makes them."""
    ledger.open_budget("b", {"epsilon": 5}, relation=ANY)
    paid = FRESH.Queue()
    racers = [FRESH.Process(target=_spend_until_refused, args=(ledger.path, paid)) for _ in "ab"]
    for racer in racers:
        racer.start()
    times = [paid.get(timeout=120) for _ in racers]
    for racer in racers:
        racer.join()

    assert sum(times) == 35 == len(ledger.spends("b"))
    assert ledger.budget("b").left == {"epsilon": 0}


WRITER = """
import sys
from gyges.release.ledger import Ledger
ledger = Ledger.at(sys.argv[1])
for i in range(100_000):
    ledger.spend("b", {"epsilon": "1/1000000"}, relation="add or remove one person", note=str(i))
    print(i, flush=True)
"""


def test_a_process_killed_while_it_writes_leaves_a_consistent_file(ledger):
    """kill -9 at several moments: what was reported is there, and every payment is whole."""
    ledger.open_budget("b", {"epsilon": 1}, relation=ANY)
    reported = 0
    for pause in (0.0, 0.011, 0.023, 0.037):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(ledger.path)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None and writer.stdout.readline() == "0\n"
        time.sleep(pause)
        os.kill(writer.pid, signal.SIGKILL)
        rest = writer.stdout.read().splitlines()
        writer.wait()
        writer.stdout.close()
        reported += 1 + len(rest)

        spends = ledger.spends("b")
        assert reported <= len(spends)
        reported = len(spends)  # one payment may have been made and not yet reported
        assert all(s.amounts == {"epsilon": Fraction(1, 10**6)} for s in spends)
        assert ledger.budget("b").spent["epsilon"] == Fraction(len(spends), 10**6)
        with sqlite3.connect(ledger.path) as rows:
            assert rows.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows.close()
