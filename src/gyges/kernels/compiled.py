"""One decorator for every kernel: compiled once on a machine, and again when any kernel changes.

Numba caches compiled code by the file of its function alone. A kernel that calls one of another
file would keep that kernel's old code after the other file changed, and crash on new arguments. So
the compiled code is kept in a folder that is named after the text of all kernels.

Earned by the first call of permanent.py in a process: 0.5 s from the folder, 8 s compiled anew (CPU
time).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba


def compiled(**options: object) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function with numba and these options, and keep the result on disk.

    No kernel holds the interpreter while it runs: another thread can answer Ctrl-C.
    """

    def compile_it(function: Callable[..., Any]) -> Any:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = _folder()
        try:
            return numba.njit(**{"cache": True, "nogil": True} | options)(function)
        finally:
            numba.config.CACHE_DIR = before

    return compile_it


def is_first_use() -> bool:
    """Whether nothing is compiled yet, so that the first calls take longer."""
    return not Path(_folder()).exists()


@cache
def _folder() -> str:
    """The folder of these kernels' compiled code: next to them, or in the home folder."""
    here = Path(__file__).parent
    text = b"".join(path.read_bytes() for path in sorted(here.glob("*.py")))
    digest = hashlib.sha256(text + numba.__version__.encode()).hexdigest()[:16]
    cache = here / "__pycache__"
    if os.access(here, os.W_OK):
        cache.mkdir(exist_ok=True)
    kept = cache if os.access(cache, os.W_OK) else Path.home() / ".cache" / "gyges"
    return str(kept / f"kernels-{digest}")
