"""Run a kernel on several parts of its arrays at once, in threads (`nogil`).

Threads save elapsed time and no CPU time. `threads` in benchmarks/kernels.py compares a search on
all processors with one on a single processor; run it on an idle machine.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import TypeVar, cast

import numpy as np

from gyges.arrays import IntArray

_WORTH_A_THREAD = 1 << 17  # items

_here = threading.local()

Job = TypeVar("Job")
Result = TypeVar("Result")


def n_workers() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def each_in_threads(work: Callable[[Job], Result], jobs: Iterable[Job]) -> list[Result]:
    """The result of every job in order; as many jobs run at once as there are processors.

    A job that calls this function again runs its own jobs one by one.
    """
    listed = list(jobs)
    helpers = min(n_workers(), len(listed)) - 1
    if helpers < 1 or getattr(_here, "is_worker", False):
        return [work(job) for job in listed]
    results: list[Result | None] = [None] * len(listed)
    numbers = iter(range(len(listed)))  # next() on it is one step: no two threads get one number

    def take_turns() -> None:
        for number in numbers:
            results[number] = work(listed[number])

    pool = _pool(n_workers() - 1)
    helping = [pool.submit(take_turns) for _ in range(helpers)]
    try:
        take_turns()  # waking a thread takes as long as a small job: this one is awake
    finally:
        for helper in helping:
            helper.result()
    return cast("list[Result]", results)


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """Threads that stay: a search has hundreds of batches, each worth milliseconds."""
    return ThreadPoolExecutor(workers, "gyges", initializer=_begin)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork


def _begin() -> None:
    _here.is_worker = True


def stretches_of(n_items: int) -> list[slice]:
    """Divide 0..n_items into one stretch for each processor; few items are a single one."""
    n = n_workers() if n_items >= 2 * _WORTH_A_THREAD else 1
    ends = [n_items * (t + 1) // n for t in range(n)]
    return [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def batches_of(costs: IntArray, worth: int | None = None) -> list[slice]:
    """Divide groups of these costs into batches of about equal cost, a few for each processor.

    A batch that costs `worth` is worth a thread; by default costs are numbers of items.
    """
    total, least = int(costs.sum()), _WORTH_A_THREAD if worth is None else worth
    n = min(4 * n_workers(), max(n_workers(), total // least)) if total >= 2 * least else 1
    if n == 1 or len(costs) < 2:
        return [slice(0, len(costs))]
    goals = total * np.arange(1, n) // n
    ends = np.searchsorted(np.cumsum(costs), goals) + 1
    bounds = sorted({0, *np.minimum(ends, len(costs)).tolist(), len(costs)})
    return [slice(start, end) for start, end in pairwise(bounds)]
