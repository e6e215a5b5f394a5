"""Ctrl-C: answered at once, saying what was and was not written.

A kernel, DuckDB or Arrow may keep the main thread busy for many seconds, during which Python does
not handle signals. So a separate thread waits for the signal. It lets a step that must not be
interrupted finish, says what is on the disk, removes the folders of this process and ends it.

On a terminal, the first Ctrl-C while better groups are sought ends this search alone: the best so
far is published. The second one ends the command.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import NoReturn

from gyges.cli.output import terminal
from gyges.data.held_folders import remove_held
from gyges.release.undisturbed import UNDISTURBED

STOPPED = 128 + signal.SIGINT  # the exit code of a command that Ctrl-C ended
_is_stopping = threading.Event()


def answer_interrupts(say: Callable[[str, dict[str, object]], None]) -> None:
    """Start the thread that answers Ctrl-C; `say` receives a sentence and the same as data."""
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    signal.signal(signal.SIGINT, lambda *_: None)  # the thread below does the work
    signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reading, writing, say), daemon=True).start()


def wait_if_stopping() -> None:
    """Wait forever if the thread that answers Ctrl-C is about to end the process."""
    if _is_stopping.is_set():
        threading.Event().wait()


def ignore_interrupts() -> None:
    """Ignore Ctrl-C once the command is done, so that it cannot change the exit code."""
    wait_if_stopping()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wait_if_stopping()


def _watch(
    reading: socket.socket, _: socket.socket, say: Callable[[str, dict[str, object]], None]
) -> None:
    while reading.recv(1) != bytes([signal.SIGINT]) or terminal.end_search():
        pass
    _is_stopping.set()
    _stop(say)


def _stop(say: Callable[[str, dict[str, object]], None]) -> NoReturn:
    with UNDISTURBED:
        there, lacking = terminal.outputs.written(), terminal.outputs.missing()
        found: dict[str, object] = {"stopped": True, "written": there, "not_written": lacking}
        say(stopped_text(there, lacking), found)
        sys.stdout.flush()
        remove_held()
        os._exit(STOPPED)  # before another thread can begin to write again


def stopped_text(there: list[str], lacking: list[str]) -> str:
    """The message of a stopped command."""
    if not there:
        return "stopped; nothing was written"
    rest = f"; not written: {', '.join(lacking)}" if lacking else ""
    return f"stopped; written: {', '.join(there)}{rest}"
