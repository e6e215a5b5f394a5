"""A forger alters releases in every way that comes to mind; `verify` agrees with the slow judge.

An honest release of every method, form and format is altered at random, its hashes are redone, and
the answer of `verify` must be that of `tests/oracles/releases.py`, which is written from the
definitions and reads the files row by row.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.rules import RULES
from gyges.errors import GygesError
from tests.auditing import forging, honest
from tests.oracles import release_files, releases, rules

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
N_SHORT, N_FOUND, N_LONG = 3_000, 1_000, 100_000
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # no disk has to forget the files

# What `verify` must say where the judge says so: no case may go either way. Only of a report that
# lies beside tables, and does not contradict them openly, the judge knows no definition but the
# report itself; there it is written anew (`is_report_of_these_tables`).
SAID = {
    releases.TRUE: "holds",
    releases.FALSE: "refuted",
    releases.MALFORMED: "refused",
    releases.UNCHECKED: "unchecked",
}
# What an alteration raises if an earlier one left nothing for it to alter.
NOTHING_LEFT = (
    KeyError, TypeError, AttributeError, IndexError, ValueError, release_files.MalformedError,
    release_files.AlteredError, OSError,
)  # fmt: skip


@pytest.fixture(scope="module")
def published():
    """Directories of honest releases."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield honest.publish(Path(folder))


def answer(directory):
    try:
        found = gy.verify(directory)
    except GygesError as problem:
        assert str(problem) and "\n" not in str(problem), "one sentence"
        return "refused"
    assert not any(ord(c) < 32 and c != "\n" for c in str(found)), "no control characters"
    assert str(found).count("\n") == len(found.checks) + len(found.statements) + bool(
        found.statements
    )
    return "holds" if found.holds else "refuted" if found.refuted else "unchecked"


class Drawn:
    """What the forger asks of a random generator, drawn by Hypothesis."""

    def __init__(self, data):
        self.draw = data.draw

    def randrange(self, first, end=None):
        first, end = (0, first) if end is None else (first, end)
        if end <= first:
            raise ValueError("there is nothing to draw from")
        return self.draw(st.integers(first, end - 1))

    def choice(self, listed):
        return listed[self.randrange(len(listed))]

    def random(self):
        return self.draw(st.integers(0, 99)) / 100

    def shuffle(self, listed):
        listed[:] = self.draw(st.permutations(listed))


def is_report_of_these_tables(directory):
    """Whether a report beside tables is the one that is written of these very tables."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        bare = Path(folder) / "bare"
        shutil.copytree(directory, bare)
        stated = forging.read_stated(bare)
        reports = {name: (bare / name).read_bytes() for name in stated["files"] if "report" in name}
        for name in reports:
            (bare / name).unlink()
            del stated["files"][name]
        forging.write_stated(bare, stated)
        anew = gy.report_pages(gy.load(bare))
    return all(anew[name].encode() == page for name, page in reports.items())


def forge(published, rng, seen=None):
    """Alter one release, and compare the two answers; return the judge's."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        directory = Path(folder) / "out"
        shutil.copytree(published[rng.choice(sorted(published))], directory)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            with suppress(*NOTHING_LEFT):
                rng.choice(forging.ALTERATIONS)(directory, rng)
        if rng.random() < 0.9:
            forging.rehash(directory)
        judged, asks_report = releases.judge(directory, gy.__version__, seen)
        is_false = asks_report and not is_report_of_these_tables(directory)
        said = answer(directory)
        expected = "refuted" if is_false else SAID[judged]
        assert said == expected, f"the judge says {judged}, verify {said}"
        return judged, asks_report


def test_honest_releases_hold_and_the_judge_agrees(published):
    for name, directory in published.items():
        judged, _ = releases.judge(directory, gy.__version__)
        assert answer(directory) == SAID[judged], name
        assert judged in (releases.TRUE, releases.UNCHECKED)


def test_every_rule_is_claimed_by_an_honest_release(published):
    seen = Counter()
    for directory in published.values():
        releases.judge(directory, gy.__version__, seen)
    assert {name for name, _ in seen} == {known.class_name for known in RULES} | {None}


def test_verify_agrees_with_the_slow_judge_on_forged_releases(published):
    """Every answer occurs, of every rule; few of them wait for a report to be written anew."""
    seen = Counter()
    answers = Counter(forge(published, random.Random(n), seen) for n in range(N_SHORT))
    shares = {judged: sum(answers[judged, asks] for asks in (True, False)) for judged in SAID}
    assert min(shares.values()) > N_SHORT / 20, shares
    assert sum(n for (_, asks_report), n in answers.items() if asks_report) < N_SHORT / 10
    for name in rules.JUDGES:
        assert min(seen[name, releases.TRUE], seen[name, releases.FALSE]) > N_SHORT / 100, name


@settings(max_examples=N_FOUND, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_hypothesis_finds_no_forgery_that_deceives_verify(published, data):
    """Hypothesis draws every choice of the forger, and shrinks what it finds."""
    forge(published, Drawn(data))


@pytest.mark.long
def test_verify_agrees_with_the_slow_judge_on_very_many(published):
    for n in range(N_SHORT, N_SHORT + N_LONG):
        forge(published, random.Random(n))
