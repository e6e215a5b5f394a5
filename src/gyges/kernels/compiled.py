"""One decorator for every kernel: run as written on few items, else compiled, once on a machine.

Compiling takes seconds a kernel, and loading numba with what it compiled takes half a second. A
small table is done sooner without. So a kernel may state how many items are few: on that many it
runs as the Python that it is, until it has spent `_PATIENCE`; then it is compiled, and the call
begins again. Both ways do the same steps in the same order and return the same bits, which
tests/kernels/conftest.py asserts on every call of the kernels' tests. A kernel whose arithmetic the
compiler may reorder (`fastmath`) is always compiled.

Numba caches compiled code by the file of its function alone. A kernel that calls one of another
file would keep that kernel's old code after the other file changed, and crash on new arguments. So
the compiled code is kept in a folder that is named after the text of all kernels.

Earned by `gyges verify` on 3,000 rows: 1 s of CPU time at once, against 14 s with compiling and
1.4 s later.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import cache, cached_property, update_wrapper
from importlib.metadata import version
from pathlib import Path
from time import thread_time
from typing import Any

import numpy as np

FEW = 20_000  # items in the arrays of one call, for a kernel that takes a step or so for each
_PATIENCE = 0.5  # seconds of CPU time that a kernel may take as written, in all …
_PATIENCE_WHERE_KEPT = 0.05  # … where its compiled code is on disk …
_PATIENCE_WHERE_LOADED = 0.005  # … and numba is loaded: about what loading that code takes


class _Here(threading.local):
    """What this thread does: until when it may run a kernel as written, if it runs one so."""

    deadline: float | None = None


_here = _Here()


class _TooSlowError(Exception):
    """A kernel took longer as written than it may."""


class Kernel:
    """A function on arrays and numbers that runs as written or compiled, whichever is sooner."""

    def __init__(self, function: Callable[..., Any], few: int, options: dict[str, object]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._few = few
        self._options = options
        self._spent = 0.0

    def __call__(self, *given: Any) -> Any:
        """Call the function."""
        if _here.deadline is None:
            there = self.__dict__.get("dispatcher")
            return self._first(given) if there is None else there(*given)
        if "fastmath" in self._options:
            return self.dispatcher(*given)
        if thread_time() > _here.deadline:
            raise _TooSlowError
        return self.py_func(*given)

    def _first(self, given: tuple[Any, ...]) -> Any:
        """Call a function that is not compiled in this process yet."""
        if self._spent < self._patience and (arrays := self._few_items(given)) is not None:
            try:
                return self._as_written(given, arrays)
            except _TooSlowError:
                pass  # what it wrote is undone: begin again
        return self.dispatcher(*given)

    @cached_property
    def dispatcher(self) -> Any:
        """The function as numba compiles it, when it is first called."""
        numba = _numba()
        before, folder = numba.config.CACHE_DIR, _folder()
        options = {"cache": folder is not None, "nogil": True} | self._options
        numba.config.CACHE_DIR = str(folder or before)
        try:
            return numba.njit(**options)(self.py_func)
        finally:
            numba.config.CACHE_DIR = before

    @property
    def _patience(self) -> float:
        """How long the function may take as written, in all: less where it need not be compiled."""
        if not self._is_kept:
            return _PATIENCE
        return _PATIENCE_WHERE_LOADED if "numba" in sys.modules else _PATIENCE_WHERE_KEPT

    @cached_property
    def _is_kept(self) -> bool:
        """Whether compiled code was on disk when the function was first called."""
        *_, file = self.py_func.__module__.split(".")
        folder = _folder()
        pattern = f"*/{file}.{self.py_func.__name__}-*.nbi"
        return folder is not None and any(folder.glob(pattern))

    def _few_items(self, given: tuple[Any, ...]) -> list[Any] | None:
        """The arrays of a call; None where they have too many items."""
        if not self._few:
            return None
        arrays = list(_arrays_in(given))
        return arrays if sum(array.size for array in arrays) <= self._few else None

    def _as_written(self, given: tuple[Any, ...], arrays: list[Any]) -> Any:
        """Call the plain function; where it takes too long, restore its arrays and say so."""
        before = [(array, array.copy()) for array in arrays if array.flags.writeable]
        started = thread_time()
        _here.deadline = started + self._patience - self._spent
        try:
            with np.errstate(all="ignore"):  # compiled code says nothing either
                return _unboxed(self.py_func(*given))
        except _TooSlowError:
            for array, items in before:
                array[...] = items
            raise
        finally:
            _here.deadline = None
            self._spent += thread_time() - started


def compiled(*, few: int = 0, **options: object) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a function a kernel that numba compiles with these options.

    No kernel holds the interpreter while it runs compiled: another thread can answer Ctrl-C.

    Args:
        few: the most items on which it may run as written; 0 for a kernel of which no test has
            shown that the result is the same, and for one that others call.
    """

    def compile_it(function: Callable[..., Any]) -> Kernel:
        return Kernel(function, few, options)

    return compile_it


def _arrays_in(given: Any) -> Iterator[Any]:
    """All arrays of a call, also those in tuples."""
    for one in given:
        if isinstance(one, np.ndarray):
            yield one
        elif isinstance(one, tuple):
            yield from _arrays_in(one)


def _unboxed(found: Any) -> Any:
    """A result with Python's own numbers, as compiled code returns them."""
    if isinstance(found, tuple):
        return tuple(_unboxed(one) for one in found)
    return found.item() if isinstance(found, np.generic) else found


@cache
def _numba() -> Any:
    """Numba, which knows from now on that a kernel in a kernel is a function to call."""
    import numba
    from numba.extending import typeof_impl

    @typeof_impl.register(Kernel)
    def _(kernel: Kernel, context: object) -> object:
        return numba.typeof(kernel.dispatcher)

    return numba


def is_first_use() -> bool:
    """Whether nothing is compiled yet, so that the first calls on many items take longer."""
    folder = _folder()
    return folder is None or not folder.exists()


@cache
def _folder() -> Path | None:
    """The folder of these kernels' compiled code: next to them, or in the home folder.

    None where neither can be written to: then each process compiles what it needs. Folders that all
    users share are never used, because code that another user left there would be run.
    """
    here = Path(__file__).parent
    text = b"".join(path.read_bytes() for path in sorted(here.glob("*.py")))
    digest = hashlib.sha256(text + version("numba").encode()).hexdigest()[:16]
    for folder in (here / "__pycache__", _of_this_user()):
        if folder is not None and _can_write(folder):
            return folder / f"kernels-{digest}"
    return None


def _of_this_user() -> Path | None:
    """The folder in the home folder; None for a user without one."""
    try:
        return Path.home() / ".cache" / "gyges"
    except RuntimeError:
        return None


def _can_write(folder: Path) -> bool:
    """Whether files can be written there; tried, as neither rights nor mounts tell for certain."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
