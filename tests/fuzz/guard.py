"""One call under guard: it answers, or refuses in words that name the argument, in time."""

from __future__ import annotations

import faulthandler
import io
import os
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from gyges.errors import GygesError

# A call that takes longer hangs: one that is the first to use a kernel compiles it, which takes
# half a minute on a busy machine and must not be interrupted.
SECONDS = 120.0
MEMORY = 3 * 2**30  # bytes that a call may take beside what the process has already


class TooLongError(BaseException):
    """Not an Exception: nothing that is fuzzed may catch it."""


@dataclass(frozen=True)
class Fault:
    """What a call did that it must not do."""

    call: str
    what: str
    where: str
    arguments: str

    @property
    def kind(self) -> tuple[str, str, str]:
        return self.call, self.what.partition(":")[0], self.where

    def __str__(self) -> str:
        return f"{self.call}({self.arguments}) → {self.what} at {self.where}"


def n_cases(in_ci: int) -> int:
    """How many cases to try: GYGES_FUZZ, or so many."""
    return int(os.environ.get("GYGES_FUZZ", in_ci))


@contextmanager
def limits() -> Iterator[None]:
    """No more memory than MEMORY beside what is taken; as it was before, afterwards."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@contextmanager
def deadline(seconds: float = SECONDS) -> Iterator[None]:
    """Raise TooLongError in the block when the time is over.

    A loop in C hears no signal: after twice the time the process ends, and shows where it was.
    """

    def stop(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    faulthandler.dump_traceback_later(2 * seconds, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def refusal(call: Callable[[], object]) -> str | Exception | None:
    """None if a call answers, its words if it refuses, and the exception if it does neither."""
    try:
        with (
            deadline(),
            warnings.catch_warnings(),
            redirect_stdout(io.StringIO()),
        ):
            warnings.simplefilter("ignore")
            str(call())
    except GygesError as problem:
        return str(problem)
    except TooLongError as problem:
        return RuntimeError(f"took more than {SECONDS:.0f} s at {where(problem)}")
    except Exception as problem:
        return problem
    return None


def where(problem: BaseException) -> str:
    """The last line of ours that an exception came through."""
    ours = [
        frame
        for frame in traceback.extract_tb(problem.__traceback__)
        if f"{os.sep}gyges{os.sep}" in frame.filename
    ]
    if not ours:
        return "outside gyges"
    return f"{Path(ours[-1].filename).parent.name}/{Path(ours[-1].filename).name}:{ours[-1].lineno}"
