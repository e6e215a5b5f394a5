"""Running a kernel that lets other threads run (`nogil`) on stretches of its arrays at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

_LONG = 1 << 18  # items below which threads cost more than they save


def n_workers() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_threads(work: Callable[[int, int], None], n_items: int) -> None:
    """Call `work(start, end)` on stretches that cover 0..n_items."""
    workers = n_workers() if n_items >= _LONG else 1
    ends = [n_items * (t + 1) // workers for t in range(workers)]
    each_in_threads(lambda t: work(ends[t] - _length(ends, t), ends[t]), range(workers))


def _length(ends: Sequence[int], t: int) -> int:
    return ends[t] - (ends[t - 1] if t else 0)


def each_in_threads(work: Callable[[int], None], jobs: Sequence[int]) -> None:
    """Call `work` on every job, as many at once as there are processors."""
    workers = min(n_workers(), len(jobs))
    if workers <= 1:
        for job in jobs:
            work(job)
        return
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, jobs))
