"""The process that computes: it keeps the table, answers one task at a time, and can be stopped.

The server stays free to answer while this process works, and ending it is what cancelling means.
A step that must not be interrupted, such as an entry in the ledger, is finished first.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from gyges.data.held_folders import remove_held
from gyges.errors import GygesError, GygesWarning
from gyges.release.undisturbed import UNDISTURBED
from gyges.studio.task_memory import Memory
from gyges.studio.tasks import TASKS
from gyges.workflow.progress import Progress
from gyges.workflow.source_files import without_passwords

STOPPED = 130
_SECONDS_BETWEEN_STEPS = 0.05


class SentProgress(Progress):
    """Progress that is sent to the server."""

    def __init__(self, connection: Connection) -> None:
        super().__init__()
        self._connection = connection
        self._sent = 0.0

    @property
    def is_watched(self) -> bool:
        """Somebody sees the steps."""
        return True

    def stage(self, text: str) -> None:
        """Say what is being done from now on."""
        self._connection.send(("stage", without_passwords(text)))

    def step(self, text: str, done: float, total: float) -> None:
        """Say how much of it is done, not too often."""
        now = time.monotonic()
        if now - self._sent >= _SECONDS_BETWEEN_STEPS:
            self._sent = now
            self._connection.send(("step", without_passwords(text), float(done), float(total)))

    def note(self, text: str) -> None:
        """Say something that is not the result."""
        self._connection.send(("note", without_passwords(text.strip())))

    def warn(self, text: str) -> None:
        """Say something that the user should act on."""
        self.note(text)


def serve_tasks(connection: Connection, control: Connection) -> None:
    """Answer tasks until the server closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server answers Ctrl-C, and ends this process
    threading.Thread(target=_stop_when_told, args=(control,), daemon=True).start()
    memory, progress = Memory(), SentProgress(connection)
    while True:
        try:
            task, arguments = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(_answer(TASKS[task], memory, progress, arguments))


def _answer(task: Any, memory: Any, progress: SentProgress, arguments: dict[str, Any]) -> Any:
    """What a task returns, or why it was refused; no message of Python leaves this process."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            found = task(memory, progress, **arguments)
        except GygesError as problem:
            return ("refused", without_passwords(str(problem)))
        except OSError as problem:
            name = f"{problem.filename}: " if problem.filename else ""
            said = f"{name}{problem.strerror or type(problem).__name__}"
            return ("refused", without_passwords(said))
        except MemoryError:
            return ("refused", "the table does not fit into memory: set memory in [publish]")
        except Exception as problem:
            print(f"gyges studio: {place_of(problem)}", file=sys.stderr)
            return ("refused", f"an error in Gyges itself ({place_of(problem)}): please report it")
    notes = [str(one.message) for one in heard if issubclass(one.category, GygesWarning)]
    return ("done", found, list(map(without_passwords, dict.fromkeys(notes))))


def place_of(problem: Exception) -> str:
    """The kind and the place of an error, without its message: that may hold a value."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else f" at {trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"
    return f"{type(problem).__name__}{place}"


def _stop_when_told(control: Connection) -> None:
    """End this process when the server says so, or has ended; a step like a commit comes first."""
    with suppress(EOFError, OSError):
        control.recv()
        control.send("stopping")  # from here on it ends by itself
    with UNDISTURBED:
        remove_held()
        os._exit(STOPPED)
