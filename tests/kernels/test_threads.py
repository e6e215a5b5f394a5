"""Jobs that several threads do: each once, their results in order, their errors told."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels import threads


@pytest.fixture(autouse=True)
def _three_processors(monkeypatch):
    monkeypatch.setattr(threads, "n_workers", lambda: 3)


@pytest.mark.parametrize("n_jobs", [0, 1, 2, 3, 50])
def test_results_come_in_order_and_each_job_is_done_once(n_jobs):
    done = []
    results = threads.each_in_threads(lambda job: (done.append(job), job * job)[1], range(n_jobs))
    assert results == [job * job for job in range(n_jobs)]
    assert sorted(done) == list(range(n_jobs))


def test_several_threads_are_at_work_at_once():
    meeting = threading.Barrier(3, timeout=20)
    assert len(set(threads.each_in_threads(lambda job: meeting.wait(), range(3)))) == 3


def test_a_job_may_ask_for_threads_itself():
    nested = threads.each_in_threads(
        lambda job: sum(threads.each_in_threads(lambda n: n * job, range(4))), range(6)
    )
    assert nested == [6 * job for job in range(6)]


@pytest.mark.parametrize("bad", range(5))
def test_an_error_in_any_thread_is_raised(bad):
    def work(job):
        if job == bad:
            raise ValueError(f"job {job}")
        return job

    with pytest.raises(ValueError, match=f"job {bad}"):
        threads.each_in_threads(work, range(5))
    assert threads.each_in_threads(lambda job: job, range(5)) == list(range(5))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 30))
def test_lots_cover_all_groups_in_order(costs, worth):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "n_workers", lambda: 3)
        batches = threads.batches_of(np.array(costs), worth)
    assert [n for batch in batches for n in range(batch.start, batch.stop)] == list(
        range(len(costs))
    )
    assert len(batches) <= 12 and all(batch.stop > batch.start for batch in batches)
