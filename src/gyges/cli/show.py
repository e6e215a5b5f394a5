"""Printing: results to standard output, notes to standard error, everything also as JSON.

Whatever takes longer than two seconds says on a terminal what it is doing. There is one such line,
on standard error; nothing is drawn where nobody is watching, or where JSON was asked for.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from gyges.report.to_json import plain as plain

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from gyges.marginals.selection import Progress as SelectionProgress

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
_PATIENCE = 2.0  # seconds before something is drawn


class _Waiting:
    """The line that says what is being done: a text, the time, and a bar where the end is known."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.timer: threading.Timer | None = None
        self.text = ""
        self.done: float = 0.0
        self.total: float | None = None
        self.drawn: tuple[Progress, TaskID] | None = None

    def begin(self, text: str) -> None:
        """Draw in two seconds, unless the command is done by then."""
        self.text = text
        self.timer = threading.Timer(_PATIENCE, self._draw)
        self.timer.daemon = True
        self.timer.start()

    def say(self, text: str, done: float = 0.0, total: float | None = None) -> None:
        """What is being done now, and how much of it."""
        with self.lock:
            self.text, self.done, self.total = text, done, total
            if self.drawn is not None:
                bar, task = self.drawn
                bar.update(task, description=text, completed=done, total=total)

    def end(self) -> None:
        """Take the line away, for good."""
        with self.lock:
            if self.timer is not None:
                self.timer.cancel()
            self.timer = None
            if self.drawn is not None:
                self.drawn[0].stop()
            self.drawn = None

    def note(self, text: str) -> None:
        """Print a line above the one that is drawn."""
        with self.lock:
            if self.drawn is None:
                put(text, sys.stderr)
            else:
                console = self.drawn[0].console
                console.print(text, markup=False, highlight=False, emoji=False, soft_wrap=True)

    def _draw(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
        bar = Progress(
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


_waiting = _Waiting()


def is_watched() -> bool:
    """Whether somebody looks at standard error and did not ask for JSON."""
    return sys.stderr.isatty() and "--json" not in sys.argv


def begin_progress(text: str) -> None:
    """Say on the terminal, from the third second on, what is being done."""
    if is_watched():
        _waiting.begin(text)


def end_progress() -> None:
    """Nothing is being done any more."""
    _waiting.end()


def stage(text: str) -> None:
    """Say what is being done from here on."""
    _waiting.say(text)


def note(text: str) -> None:
    """Say something that is not the result."""
    _waiting.note(text)


def note_first_use() -> None:
    """Load what compiles the kernels, and say why the first run is slow."""
    from gyges.cli.spared_imports import spare_linear_algebra
    from gyges.kernels.compiled import is_first_use

    spare_linear_algebra()
    if is_first_use():
        note("compiling the kernels, once on this machine: about half a minute …")


def put(text: str, stream: TextIO) -> None:
    """Print a text; where nobody reads on (`| head`) it goes nowhere, and the command goes on.

    So the exit code says the same whether somebody reads or not.
    """
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def show(result: object, as_json: bool, text: str | None = None) -> None:
    """Print a result: as JSON, or as the text that people read."""
    end_progress()
    if as_json:
        text = json.dumps(plain(result), indent=2, ensure_ascii=False)
    put(str(result) if text is None else text, sys.stdout)


@contextmanager
def nodes_progress(wanted: bool) -> Iterator[Callable[[int, int, int], None] | None]:
    """A bar of nodes checked, pruned and left, drawn where somebody is watching."""

    def draw(checked: int, pruned: int, left: int) -> None:
        told = f"{checked:,} nodes checked, {pruned:,} pruned, {left:,} left"
        _waiting.say(told, checked + pruned, checked + pruned + left)

    yield draw if wanted and is_watched() else None


@contextmanager
def views_progress() -> Iterator[Callable[[SelectionProgress], None] | None]:
    """A bar of the time that a selection of views has used, drawn where somebody is watching."""

    def draw(now: SelectionProgress) -> None:
        told = f"{now.n_tried:,} sets tried, the best loses {now.kl_divergence:.4g}"
        _waiting.say(told, min(now.share, 1.0), 1.0)

    yield draw if is_watched() else None
