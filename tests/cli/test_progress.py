"""Signs of life: what a command that takes long says while it runs."""

from __future__ import annotations

import io
import time
from types import SimpleNamespace

import pytest

from gyges.cli import output


@pytest.fixture
def notes(monkeypatch):
    """What is written where no terminal is, with seconds that pass a hundred times as fast."""
    written = io.StringIO()
    surroundings = SimpleNamespace(stderr=written, argv=["gyges", "audit"])
    monkeypatch.setattr(output, "sys", surroundings)
    monkeypatch.setattr(output, "_SECONDS_BEFORE_DRAWING", 0.02)
    monkeypatch.setattr(output, "_SECONDS_BETWEEN_LINES", 0.1)
    monkeypatch.setattr(output, "_SECONDS_BETWEEN_LOOKS", 0.01)
    return written


def lines_after(notes, n):
    """The lines written, as soon as there are so many."""
    until = time.monotonic() + 20
    while time.monotonic() < until and notes.getvalue().count("\n") < n:
        time.sleep(0.01)
    return notes.getvalue().splitlines()


def test_in_a_pipe_each_long_stage_gets_a_line_and_then_one_from_time_to_time(notes):
    terminal = output.Terminal()
    terminal.begin("gyges audit")
    assert not notes.getvalue()
    terminal.stage("reading people.csv")
    lines_after(notes, 1)
    terminal.stage("asking the attackers")
    terminal.step("asking the attackers: prior beliefs", 1, 4)
    found = lines_after(notes, 4)
    terminal.end()
    assert found[0].startswith("reading people.csv … (")
    assert found[-1].startswith("asking the attackers: prior beliefs, 25% … (")
    terminal.stage("nobody waits any more")
    time.sleep(0.1)
    assert "any more" not in notes.getvalue()


def test_a_command_that_ends_soon_says_nothing(notes, monkeypatch):
    monkeypatch.setattr(output, "_SECONDS_BEFORE_DRAWING", 5.0)
    terminal = output.Terminal()
    terminal.begin("gyges audit")
    terminal.stage("reading people.csv")
    time.sleep(0.1)
    terminal.end()
    assert notes.getvalue() == ""


def test_with_json_nothing_is_said(notes, monkeypatch):
    monkeypatch.setattr(output.sys, "argv", ["gyges", "audit", "--json"])
    terminal = output.Terminal()
    terminal.begin("gyges audit")
    terminal.stage("reading people.csv")
    time.sleep(0.2)
    assert notes.getvalue() == "" and terminal.timer is None


def test_only_the_first_ctrl_c_ends_a_search_and_only_while_it_is_under_way(notes):
    terminal = output.Terminal()
    terminal.stage("searching")
    assert not terminal.end_search()  # nothing safe is found yet
    assert not terminal.search_step("loss 0.2", 0.1, 1.0)
    assert terminal.end_search() and not terminal.end_search()
    assert terminal.search_step("loss 0.1", 0.2, 1.0)
    assert "the search ends with the best release so far" in notes.getvalue()
    terminal.stage("checking and writing the release")
    assert not terminal.end_search()
