"""Printing: results to standard output, notes to standard error, everything also as JSON.

A command that takes longer than two seconds says on a terminal what it is doing. There is one such
line, on standard error; nothing is drawn where nobody is watching, or where JSON was asked for.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from gyges.workflow.outputs import Outputs

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
_PATIENCE = 2.0  # seconds before something is drawn


class Terminal:
    """Notes, and one line that says what is being done, with a bar where the end is known.

    It is the `Progress` of every workflow that the command starts.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.timer: threading.Timer | None = None
        self.text = ""
        self.done: float = 0.0
        self.total: float | None = None
        self.drawn: tuple[Progress, TaskID] | None = None
        self.outputs = Outputs()

    @property
    def is_watched(self) -> bool:
        """Whether somebody looks at standard error and did not ask for JSON."""
        return sys.stderr.isatty() and "--json" not in sys.argv

    def begin(self, text: str) -> None:
        """Draw from the third second on what is being done, if somebody watches."""
        if not self.is_watched:
            return
        self.text = text
        self.timer = threading.Timer(_PATIENCE, self._draw)
        self.timer.daemon = True
        self.timer.start()

    def stage(self, text: str) -> None:
        """Say what is being done from here on."""
        self._say(text, 0.0, None)

    def step(self, text: str, done: float, total: float) -> None:
        """Say how much of it is done."""
        self._say(text, done, total)

    def _say(self, text: str, done: float, total: float | None) -> None:
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

    def warn(self, text: str) -> None:
        """Print a warning."""
        self.note(f"warning: {text}")

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


terminal = Terminal()  # of the process: what it shows and what it is about to write


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
    terminal.end()
    if as_json:
        from gyges.report.to_json import plain  # loads numpy

        text = json.dumps(plain(result), indent=2, ensure_ascii=False)
    put(str(result) if text is None else text, sys.stdout)
