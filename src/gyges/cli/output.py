"""Printing: results to standard output, notes to standard error, everything also as JSON.

A command that takes longer than two seconds shows what it is doing on standard error: on a terminal
as one line with a bar, elsewhere (a pipe, a log) as a line about each stage that takes that long,
then one every ten seconds. With --json, neither is shown.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import typer

from gyges.workflow.progress import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
_SECONDS_BEFORE_DRAWING = 2.0  # seconds before something is drawn or a stage gets its line
_SECONDS_BETWEEN_LINES = 10.0  # about one stage
_SECONDS_BETWEEN_LOOKS = 1.0  # whether there is something to say


class Terminal(Progress):
    """The progress of a command: notes, and what it is doing, with a bar on a terminal."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.RLock()
        self.timer: threading.Timer | None = None
        self.text = ""
        self.done: float = 0.0
        self.total: float | None = None
        self.drawn: tuple[Bar, TaskID] | None = None
        self.search: Literal["none", "may end", "ends"] = "none"
        self.begun = self.stage_begun = self.written = 0.0  # when; `written`: the last line

    @property
    def is_watched(self) -> bool:
        """Whether standard error is a terminal and --json is not given."""
        return sys.stderr.isatty() and "--json" not in sys.argv

    def begin(self, text: str) -> None:
        """Show from now on what takes longer than two seconds."""
        if "--json" in sys.argv:
            return
        self.begun = time.monotonic()
        self.stage(text)
        self._wait(_SECONDS_BEFORE_DRAWING, self._draw if self.is_watched else self._write)

    def _wait(self, seconds: float, then: Callable[[], None]) -> None:
        self.timer = threading.Timer(seconds, then)
        self.timer.daemon = True
        self.timer.start()

    def stage(self, text: str) -> None:
        """Say what is being done from now on."""
        with self.lock:
            self.stage_begun, self.search = time.monotonic(), "none"
            self._say(text, 0.0, None)

    def step(self, text: str, done: float, total: float) -> None:
        """Say how much of it is done."""
        self._say(text, done, total)

    def search_step(self, text: str, done: float, total: float) -> bool:
        """Say how far a search is that Ctrl-C may end; whether it is to end here."""
        with self.lock:
            if self.search == "none":
                self.search = "may end"
            self._say(text, done, total)
            return self.search == "ends"

    def end_search(self) -> bool:
        """Let a search end with the best that it has found; False if none is under way."""
        with self.lock:
            if self.search != "may end":
                return False
            self.search = "ends"
            self.note(
                "the search ends with the best release so far, which is checked and written; "
                "press Ctrl-C again to stop before it is written"
            )
            return True

    def _say(self, text: str, done: float, total: float | None) -> None:
        with self.lock:
            self.text, self.done, self.total = text, done, total
            if self.drawn is not None:
                bar, task = self.drawn
                bar.update(task, description=text, completed=done, total=total)

    def end(self) -> None:
        """Remove the line for good."""
        with self.lock:
            if self.timer is not None:
                self.timer.cancel()
            self.timer = None
            if self.drawn is not None:
                self.drawn[0].stop()
            self.drawn = None

    def warn(self, text: str) -> None:
        """Print a warning."""
        self.note(f"warning: {text}")

    def note(self, text: str) -> None:
        """Print a line above the drawn one."""
        with self.lock:
            if self.drawn is None:
                put(text, sys.stderr)
            else:
                console = self.drawn[0].console
                console.print(text, markup=False, highlight=False, emoji=False, soft_wrap=True)

    def _write(self) -> None:
        """Print what is being done, if it has a line to get, and look again in a second."""
        with self.lock:
            if self.timer is None:
                return
            now = time.monotonic()
            is_new = self.written < self.stage_begun <= now - _SECONDS_BEFORE_DRAWING
            if is_new or (self.written and now - self.written >= _SECONDS_BETWEEN_LINES):
                share = f", {self.done / self.total:.0%}" if self.total else ""
                put(f"{self.text}{share} … ({now - self.begun:.0f} s)", sys.stderr)
                self.written = now
            self._wait(_SECONDS_BETWEEN_LOOKS, self._write)

    def _draw(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
        bar = Bar(
            *columns,
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        with self.lock:
            if self.timer is None:
                return
            self.drawn = bar, bar.add_task(self.text, completed=int(self.done), total=self.total)
            bar.start()


terminal = Terminal()  # one per process


def put(text: str, stream: TextIO) -> None:
    """Print a text; if the reader has gone (`| head`), discard it and go on.

    The exit code does not depend on the reader.
    """
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def show(result: object, as_json: bool, text: str | None = None) -> None:
    """Print a result as JSON or as text."""
    terminal.end()
    if as_json:
        from gyges.report.to_json import json_value  # loads numpy

        text = json.dumps(json_value(result), indent=2, ensure_ascii=False)
    put(str(result) if text is None else text, sys.stdout)
