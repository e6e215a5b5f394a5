"""The ledger: exact, append-only, safe under several processes and after a crash."""

from __future__ import annotations

import csv
import json
import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from fractions import Fraction

import pytest

from gyges.errors import BudgetError, LedgerError, ReleaseError
from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE, write_whole
from gyges.release.undisturbed import UNDISTURBED
from gyges.workflow.ledger import Ledger
from gyges.workflow.ledger_export import export_ledger, ledger_data
from gyges.workflow.ledger_file import appending, folder_of
from gyges.workflow.recorded_releases import RecordedRelease, uncompared
from tests.workflow.entries import record

ANY = "add or remove one person"
FRESH = multiprocessing.get_context("forkserver")  # nothing of this process is inherited


@pytest.fixture
def ledger(tmp_path):
    return Ledger.at(tmp_path / "ledger.sqlite")


def test_releases_are_found_again_by_whom_they_are_about(ledger):
    record(ledger, about="patients", place="out/1", digest="aa", statement={"k": 5})
    record(ledger, about="staff", place="out/2", digest="bb")
    record(ledger, about="patients", place="out/3", digest="cc")

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
    with pytest.raises(BudgetError, match="limits epsilon"):
        ledger.spend("b", {"rho": "0.1"}, relation=ANY)
    with pytest.raises(BudgetError, match="no budget"):
        ledger.spend("c", {"epsilon": "0.1"}, relation=ANY)
    with pytest.raises(BudgetError, match="below 0"):
        ledger.spend("b", {"epsilon": -1}, relation=ANY)
    assert ledger.budget("b").spent == {"epsilon": 0}


@pytest.mark.parametrize("table", ["entries", "chain"])
def test_nothing_is_changed_deleted_or_replaced(ledger, table):
    record(ledger, about="patients", place="out", digest="aa")
    ledger.open_budget("b", {"epsilon": 1}, relation=ANY)
    rows = sqlite3.connect(ledger.path, isolation_level=None)
    before = rows.execute(f"SELECT * FROM {table}").fetchall()
    for statement in (
        f"DELETE FROM {table}",
        f"UPDATE {table} SET number = number + 10",
        f"INSERT OR REPLACE INTO {table} VALUES (?, ?)",
    ):
        with pytest.raises(sqlite3.IntegrityError, match="only grows"):
            rows.execute(statement, before[0] if "?" in statement else ())
    assert rows.execute(f"SELECT * FROM {table}").fetchall() == before
    rows.close()


def test_whoever_takes_the_triggers_away_is_noticed(ledger):
    record(ledger, about="patients", place="out", digest="aa")
    rows = sqlite3.connect(ledger.path, isolation_level=None)
    rows.execute("DROP TRIGGER entries_update")
    rows.close()
    with pytest.raises(LedgerError, match="not those of a ledger"):
        ledger.releases()


def test_a_payment_that_fails_half_way_leaves_nothing(ledger):
    """An amount that JSON cannot hold fails after the budget was checked."""
    ledger.open_budget("b", {"epsilon": 1}, relation=ANY)
    with pytest.raises(TypeError):
        ledger.spend("b", {"epsilon": "0.5"}, relation=ANY, note=object())
    assert ledger.spends() == [] and ledger.budget("b").spent == {"epsilon": 0}


def test_the_ledger_is_exported_with_exact_amounts(ledger, tmp_path):
    record(ledger, about="patients", place="out", digest="aa", statement={"claims": ["k = 5"]})
    ledger.open_budget("b", {"epsilon": "3/4", "delta": 0}, relation=ANY)
    ledger.spend("b", {"epsilon": "1/3", "delta": 0}, relation=ANY, note="spring")

    data = json.loads(export_ledger(ledger, tmp_path / "l.json").read_text())
    limit = {"numerator": 3, "denominator": 4, "value": 0.75}
    assert data["budgets"][0]["limits"]["epsilon"] == limit
    assert data["spends"][0]["amounts"]["epsilon"] == {
        "numerator": 1, "denominator": 3, "value": 1 / 3,
    }  # fmt: skip
    assert stat.S_IMODE((tmp_path / "l.json").stat().st_mode) == 0o600
    assert data["releases"][0]["statement"] == {"claims": ["k = 5"]}
    lines = list(csv.reader(export_ledger(ledger, tmp_path / "l.csv").read_text().splitlines()))
    assert [line[1] for line in lines] == ["entry", "release", "budget", "spend"]
    with pytest.raises(ReleaseError, match=r"\.json or \.csv"):
        export_ledger(ledger, tmp_path / "l.txt")


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
    with pytest.raises(ReleaseError, match="cannot be created"):
        Ledger.at(tmp_path / "missing" / "ledger.sqlite")


def _write_many(path, writer, entries):
    ledger = Ledger.at(path)
    for i in range(entries):
        record(ledger, about=f"w{writer}", place=f"{i}", digest="")


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
from gyges.workflow.ledger import Ledger
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


def fill(ledger):
    """Some of every kind of entry."""
    ledger.bind("patients", ["a file", "its hash"])
    for number in range(6):
        record(
            ledger, about="patients", place=f"out/{number}", digest=f"{number}" * 64,
            statement={"text": "5 people " * 60}, trial=number % 2 == 0,
        )  # fmt: skip
    ledger.withdraw(2, reason="a mistake")
    ledger.open_budget("b", {"epsilon": 1, "delta": "1e-6"}, relation=ANY)
    for _ in range(20):
        ledger.spend("b", {"epsilon": "1/50", "delta": 0}, relation=ANY, note="spring")


def damage(content, rng):
    """A file with bytes flipped, cut off, appended, moved or zeroed."""
    content = bytearray(content)
    kind = rng.choice(["flip", "flip", "flip", "flips", "cut", "append", "zero", "swap", "page"])
    if kind == "flip":
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    elif kind == "flips":
        for _ in range(rng.randrange(2, 30)):
            content[rng.randrange(len(content))] = rng.randrange(256)
    elif kind == "cut":
        del content[rng.choice([0, 1, 99, 100, 4096, rng.randrange(len(content))]) :]
    elif kind == "append":
        content += rng.randbytes(rng.randrange(1, 9000))
    elif kind == "zero":
        start = rng.randrange(len(content))
        end = min(len(content), start + rng.randrange(1, 5000))
        content[start:end] = bytes(end - start)
    elif kind == "swap":
        pages = len(content) // 4096
        one, other = (4096 * rng.randrange(pages) for _ in range(2))
        content[one : one + 4096], content[other : other + 4096] = (
            content[other : other + 4096], content[one : one + 4096],
        )  # fmt: skip
    else:
        del content[4096 * rng.randrange(len(content) // 4096) :][:4096]
    return bytes(content)


def try_damage(ledger, place, times, seed):
    """Damage copies of a ledger: each is read as it was, or refused by name. Return how many."""
    fill(ledger)
    whole, said, rng = ledger.path.read_bytes(), ledger_data(ledger), random.Random(seed)
    refused = 0
    for number in range(times):
        path = place / f"{number}.sqlite"
        path.write_bytes(damage(whole, rng))
        try:
            found = ledger_data(Ledger.at(path))
        except LedgerError:
            refused += 1
        else:
            assert found == said
            paid = Ledger(path).spend("b", {"epsilon": "1/50", "delta": 0}, relation=ANY)
            assert paid.number == 21 and len(Ledger(path).spends()) == 21
            shutil.rmtree(folder_of(path))
        for left in place.glob(f"{number}.sqlite*"):
            left.unlink()
    return refused


def test_a_damaged_ledger_is_refused_or_read_as_it_was(ledger, tmp_path):
    (tmp_path / "damaged").mkdir()
    assert try_damage(ledger, tmp_path / "damaged", 400, seed=3) > 200


@pytest.mark.long
def test_ten_thousand_damaged_ledgers_are_refused_or_read_as_they_were(ledger, tmp_path):
    (tmp_path / "damaged").mkdir()
    assert try_damage(ledger, tmp_path / "damaged", 10_000, seed=4) > 5_000


def test_an_emptied_deleted_or_older_ledger_is_never_begun_anew(ledger):
    fill(ledger)
    whole = ledger.path.read_bytes()
    record(ledger, about="patients", place="late", digest="ff")
    ledger.path.write_bytes(b"")
    with pytest.raises(LedgerError, match="it is empty"):
        Ledger.at(ledger.path)
    ledger.path.unlink()
    with pytest.raises(LedgerError, match="is gone"):
        Ledger.at(ledger.path)
    ledger.path.write_bytes(whole)
    with pytest.raises(LedgerError, match="lacks entries"):
        Ledger.at(ledger.path)
    shutil.rmtree(folder_of(ledger.path))  # in so many words: another ledger from here on
    assert len(Ledger.at(ledger.path).releases()) == 6


def test_only_the_owner_may_read_a_ledger(ledger):
    fill(ledger)
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder_of(ledger.path).stat().st_mode) == 0o700
    assert stat.S_IMODE((folder_of(ledger.path) / "head").stat().st_mode) == 0o600


def test_a_release_counts_when_it_is_confirmed_and_until_it_is_withdrawn(ledger, tmp_path):
    made = certified(tmp_path / "out", "one")
    trial = record(
        ledger,
        about="them",
        place="out",
        digest=sha256(made / CERTIFICATE),
        trial=True,
        compared_with=[],
    )
    assert trial.state == "trial" and ledger.confirmed("them") == []
    ledger.confirm(made, trial.digest)
    assert [entry.number for entry in ledger.confirmed("them")] == [1]
    kept = folder_of(ledger.path) / trial.digest
    assert (kept / "data.csv").read_text() == "one"
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in kept.iterdir())
    gone = ledger.withdraw(1, reason="never sent")
    assert (gone.state, gone.reason) == ("withdrawn", "never sent")
    assert ledger.confirmed("them") == []
    with pytest.raises(LedgerError, match="already withdrawn"):
        ledger.withdraw(1, reason="again")
    with pytest.raises(LedgerError, match="no release 2"):
        ledger.withdraw(2, reason="again")


def certified(directory, text):
    """A directory with a file and a certificate of its hash."""
    directory.mkdir()
    (directory / "data.csv").write_text(text)
    (directory / CERTIFICATE).write_text(
        json.dumps({"files": {"data.csv": sha256(directory / "data.csv")}})
    )
    return directory


def test_an_interruption_waits_neither_for_the_lock_nor_for_the_copy(ledger, tmp_path):
    """It waits for the commit and the rename: until then nothing is there that must be told of."""
    digest = sha256(certified(tmp_path / "like", "rows") / CERTIFICATE)

    def fill(made):
        for path in (tmp_path / "like").iterdir():
            shutil.copyfile(path, made / path.name)

    def entering(made):
        new = RecordedRelease(about="them", place="out", digest=digest)
        return ledger.entering(new, files=made)

    out, kept = tmp_path / "out", folder_of(ledger.path) / digest
    writing = threading.Thread(target=write_whole, args=(out, fill, entering))
    with appending(ledger.path):
        writing.start()
        while not list(folder_of(ledger.path).glob(f".{digest[:16]}.*/copy/data.csv")):
            time.sleep(0.01)
        time.sleep(0.2)
        assert writing.is_alive() and UNDISTURBED.acquire(timeout=1)
        assert not out.exists() and not kept.exists()
        UNDISTURBED.release()
    writing.join()
    assert out.is_dir() and kept.is_dir() and ledger.releases()[0].digest == digest


def test_a_rename_that_fails_is_not_blamed_on_the_copy(ledger, tmp_path):
    made = certified(tmp_path / "out", "rows")
    new = RecordedRelease(about="x", place="out", digest=sha256(made / CERTIFICATE))
    entering = ledger.entering(new, files=made)
    with pytest.raises(OSError, match="full"), entering:
        raise OSError(28, "full")
    assert (
        ledger.releases() == []
        and not (folder_of(ledger.path) / sha256(made / CERTIFICATE)).exists()
    )


def test_what_was_not_joined_is_told_with_its_reason(ledger, tmp_path):
    made = [certified(tmp_path / name, name) for name in ("one", "two", "three")]
    digests = [sha256(one / CERTIFICATE) for one in made]
    record(ledger, about="them", place="one", digest=digests[0], compared_with=[])
    record(
        ledger, about="them", place="two", digest=digests[1], trial=True, not_compared={1: "views"},
        compared_with=[],
    )  # fmt: skip
    record(ledger, about="them", place="three", digest=digests[2], trial=True)
    assert ledger.confirm(made[1], digests[1]).not_compared == {1: "views"}
    known = ledger.releases()
    assert [(one.number, why) for one, why in uncompared(known, known[1])] == [(1, "views")]
    assert [one.number for one, _ in uncompared(known, known[2])] == [1, 2]
    with pytest.raises(LedgerError, match="no release 9"):
        ledger.withdraw(9, reason="never sent")


def test_two_trials_cannot_both_leave_without_having_been_compared(ledger, tmp_path):
    """Each was compared with nothing, because neither had left; together they may tell all."""
    made = [certified(tmp_path / name, name) for name in ("one", "two")]
    digests = [sha256(one / CERTIFICATE) for one in made]
    for one, digest in zip(made, digests, strict=True):
        record(ledger, about="them", place=one, digest=digest, trial=True, compared_with=[])
    ledger.confirm(made[0], digests[0])
    with pytest.raises(LedgerError, match="publish this one again"):
        ledger.confirm(made[1], digests[1])
    with pytest.raises(LedgerError, match="publish this one again"):
        record(ledger, about="them", place="x", digest=digests[1], compared_with=[])
    assert ledger.confirm(made[1], digests[1], already_left=True).state == "confirmed"


def test_a_release_that_was_changed_is_not_confirmed(ledger, tmp_path):
    made = certified(tmp_path / "out", "one")
    digest = sha256(made / CERTIFICATE)
    record(ledger, about="them", place="out", digest=digest, trial=True, compared_with=[])
    (made / "data.csv").write_text("two")
    with pytest.raises(ReleaseError, match=r"'data\.csv' was changed"):
        ledger.confirm(made, digest)
    assert ledger.confirmed("them") == []
    with pytest.raises(LedgerError, match="does not know"):
        ledger.confirm(made, "0" * 64)


def test_data_keeps_its_name_unless_it_is_said_to_be_about_other_people(ledger):
    ledger.bind("patients", ["place", "hash"])
    ledger.bind("patients", ["place", "another month's hash"])
    with pytest.raises(LedgerError, match="The ledger says this data is about 'patients'"):
        ledger.bind("x", ["elsewhere", "hash"])
    ledger.bind("x", ["place", "other people's hash"], other_people=True)
    ledger.bind("x", ["place", "other people's hash"])
    ledger.bind("patients", ["place"])
