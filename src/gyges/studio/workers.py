"""Long and short work: a process that computes, and what the page shows while it does."""

from __future__ import annotations

import multiprocessing
import secrets
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Literal

from gyges.errors import GygesError
from gyges.studio.worker_process import serve_tasks

_SECONDS_TO_STOP = 0.7  # after which a process that has not said that it is stopping is killed
_SECONDS_TO_FINISH = 60.0  # of a step that must not be interrupted, such as an entry in the ledger
_FEWEST_SECONDS = 2.0  # of work before the remaining time is estimated

State = Literal["waiting", "running", "done", "refused", "cancelled"]


@dataclass(slots=True)
class Job:
    """One piece of work: what is being done, how far it is, and what came of it."""

    title: str
    task: str
    number: str = field(default_factory=lambda: secrets.token_hex(8))
    state: State = "waiting"
    stage: str = ""
    done: float = 0.0
    total: float = 0.0
    notes: list[str] = field(default_factory=list)
    result: Any = field(default=None, repr=False)
    error: str = ""
    begun: float = field(default_factory=time.monotonic)
    stage_begun: float = field(default_factory=time.monotonic)
    context: Mapping[str, Any] = field(default_factory=dict, repr=False)  # for its template
    finished: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self.begun

    @property
    def share(self) -> float | None:
        """How much of the current stage is done; None where that is not known."""
        return min(self.done / self.total, 1.0) if self.total else None

    @property
    def seconds_left(self) -> float | None:
        """How long the current stage will still take, if it goes on as before; None if unknown."""
        passed, share = time.monotonic() - self.stage_begun, self.share
        if share is None or share < 0.05 or passed < _FEWEST_SECONDS:
            return None
        return passed * (1 - share) / share

    def answer(self) -> Any:
        """The result of a finished job, or its refusal as an error."""
        if self.state != "done":
            raise GygesError(self.error or "the work was cancelled")
        return self.result


class Worker:
    """A process that computes, with a queue of one: it is started when it is first needed."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._lock = threading.Lock()  # one task at a time
        self._starting = threading.Lock()  # a process that is being started gets all it needs
        self._process: Any = None
        self._connection: Connection | None = None
        self._control: Connection | None = None
        self._job: Job | None = None
        self._is_closed = False

    def warm_up(self) -> None:
        """Start the process, so that the first task need not wait for it."""
        with self._lock, suppress(GygesError, OSError):  # who needs it will be told
            self._start()

    def run(self, job: Job, arguments: Mapping[str, Any]) -> None:
        """Do a job here and now, in the thread that calls; wait for an earlier one."""
        with self._lock:
            if job.state == "cancelled":
                job.finished.set()
                return
            try:
                self._start()
                job.state, self._job = "running", job
                job.begun = job.stage_begun = time.monotonic()
                self._listen(job, arguments)
            except (GygesError, OSError) as problem:  # no process could be started
                job.state, job.error = "refused", f"the work could not begin: {problem}"
            finally:
                self._job = None
                job.finished.set()

    def cancel(self, job: Job) -> None:
        """End the process if it works on this job; the next job starts another one."""
        if job.state == "waiting":
            job.state = "cancelled"
            job.finished.set()  # nobody waits until it would have had its turn
        elif self._job is job:
            job.state = "cancelled"
            self._end()

    def close(self) -> None:
        """End the process for good."""
        self._is_closed = True
        with self._starting:
            self._end()

    def _listen(self, job: Job, arguments: Mapping[str, Any]) -> None:
        connection = self._connection
        assert connection is not None
        try:
            connection.send((job.task, dict(arguments)))
            while job.state in ("running", "cancelled"):  # what was finished nevertheless is heard
                self._hear(job, connection.recv())
        except (EOFError, OSError):
            if self._connection is connection:
                self._process = None
            if job.state == "running":
                job.state = "refused"
                job.error = "the work ended unexpectedly, perhaps for lack of memory: try again"

    @staticmethod
    def _hear(job: Job, message: tuple[Any, ...]) -> None:
        kind, *said = message
        if kind == "stage":
            job.stage, job.done, job.total = said[0], 0.0, 0.0
            job.stage_begun = time.monotonic()
        elif kind == "step":
            job.stage, job.done, job.total = said
        elif kind == "note":
            job.notes.append(said[0])
        elif kind == "done":
            job.result = said[0]
            job.notes += said[1]
            job.state = "done"
        else:
            job.error, job.state = said[0], "refused"

    def _start(self) -> None:
        with self._starting:
            if self._is_closed:
                raise GygesError("the studio is closing")
            if self._process is not None and self._process.is_alive():
                return
            ours, theirs = self._context.Pipe()
            stopping, told = self._context.Pipe()
            process = self._context.Process(
                target=serve_tasks, args=(theirs, told), daemon=True, name="gyges-studio-worker"
            )
            process.start()
            theirs.close()
            told.close()
            self._process, self._connection, self._control = process, ours, stopping

    def _end(self) -> None:
        """End the process; what must not be interrupted, such as writing a release, is finished."""
        process, control, connection = self._process, self._control, self._connection
        if process is None or control is None:
            return
        self._process = None  # the next job starts another one
        if _says_stopping(control):
            process.join(_SECONDS_TO_FINISH)
        if process.is_alive():  # it computes and hears nothing, so it is not writing either
            process.kill()
            process.join(1.0)
        if not self._lock.locked() and connection is not None:
            connection.close()
        control.close()


def _says_stopping(control: Connection) -> bool:
    """Tell a process to stop; whether it hears that, and so will end by itself."""
    try:
        control.send("stop")
        return control.poll(_SECONDS_TO_STOP)
    except (OSError, EOFError):
        return False
