"""Time two things in turn, several times, and compare their best times."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Ratio:
    """How long ours takes against the other, in one process, both warm."""

    name: str
    ours: float  # seconds
    other: float  # seconds
    goal: str  # in words: "≤ 1.3", "≥ 100× faster"

    def __str__(self) -> str:
        return (
            f"{self.name:<72} {self.ours / self.other:10.4f} of the other "
            f"({self.ours:.4f} s : {self.other:.4f} s), goal {self.goal}"
        )


def side_by_side(
    name: str,
    ours: Callable[[], object],
    other: Callable[[], object],
    goal: str,
    times: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> Ratio:
    """Run both once to warm up, then alternate and keep the best time of each."""
    best = [float("inf"), float("inf")]
    for turn in range(times + 1):
        for which, run in enumerate((ours, other)):
            gc.collect()
            start = clock()
            run()
            if turn:
                best[which] = min(best[which], clock() - start)
    return Ratio(name, best[0], best[1], goal)


def against(
    name: str, ours: Callable[[], object], measured: float, goal: str, times: int = 5
) -> Ratio:
    """Compare CPU seconds with a peer's figure, measured on a machine of the same kind."""
    best = float("inf")
    for turn in range(times + 1):
        gc.collect()
        start = time.process_time()
        ours()
        if turn:
            best = min(best, time.process_time() - start)
    return Ratio(f"{name} (peer's figure from an earlier run)", best, measured, goal)


def real_data() -> Path | None:
    """The folder with the real data sets, or None where they are not."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("GYGES_DATA", beside))
    return folder if (folder / "adult.csv.gz").exists() else None
