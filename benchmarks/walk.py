"""How far a reader walks: the functions, files and rooms that one publish and one verify pass.

    python -m benchmarks walk

Counts what runs in `src/gyges` for the demo-sized table below: distinct functions, distinct files,
and switches, that is calls from a function of one room to a function of another. Less is easier to
follow. Numba's compiled loops and comprehensions do not count.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import gyges as gy

ROOT = Path(gy.__file__).parent


def walk(task: Callable[[], object]) -> tuple[int, int, int]:
    """(functions, files, room switches) of a task."""
    functions: set[tuple[str, str]] = set()
    switches = 0

    def seen(frame: FrameType, event: str, _: object) -> None:
        nonlocal switches
        code = frame.f_code
        if event != "call" or not _is_ours(code.co_filename) or code.co_name.startswith("<"):
            return
        if _room(code.co_filename) == "kernels" and _stands_for_compiled(frame):
            return
        functions.add((code.co_filename, code.co_qualname))
        caller = frame.f_back
        while caller is not None and not _is_ours(caller.f_code.co_filename):
            caller = caller.f_back
        if caller is not None and _room(caller.f_code.co_filename) != _room(code.co_filename):
            switches += 1

    sys.setprofile(seen)
    try:
        task()
    finally:
        sys.setprofile(None)
    return len(functions), len({file for file, _ in functions}), switches


def _stands_for_compiled(frame: FrameType) -> bool:
    """Whether a kernel is called, or runs as it is written because its input is small."""
    caller: FrameType | None = frame
    while caller is not None and Path(caller.f_code.co_filename).name != "compiled.py":
        caller = caller.f_back
    return caller is not None


def _is_ours(file: str) -> bool:
    return file.startswith(str(ROOT))


def _room(file: str) -> str:
    return Path(file).relative_to(ROOT).parts[0]


def rows() -> Iterator[str]:
    """Walk once to load everything, then count."""
    chance = random.Random(1)
    columns = {
        "age": [chance.randrange(20, 80) for _ in range(500)],
        "town": [chance.choice(["north", "south", "east"]) for _ in range(500)],
        "disease": [chance.choice(["flu", "gout", "mumps", "cold"]) for _ in range(500)],
    }
    schema = gy.Schema(quasi_identifiers=["age", "town"], sensitive="disease")
    rules = [gy.KAnonymity(5), gy.Safety("0.8", 1)]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"

        def publish() -> None:
            release = gy.publish(gy.read(columns, schema), rules)
            release.save(out, overwrite=True, pages=gy.report_pages(release))

        for name, task in (("publish", publish), ("verify", lambda: gy.verify(out))):
            task()
            yield "{}: {} functions, {} files, {} room switches".format(name, *walk(task))
