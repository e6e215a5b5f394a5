"""Every call of a kernel in these tests runs both ways, as written and compiled: the same bits."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from gyges.kernels import compiled
from gyges.kernels.compiled import Kernel

called_both_ways: set[str] = set()


@pytest.fixture(autouse=True)
def _runs_both_ways(monkeypatch):
    usual = Kernel.__call__

    def both_ways(kernel, *given):
        if getattr(compiled._here, "deadline", None) is not None:
            return usual(kernel, *given)  # a kernel that another one calls
        arrays = kernel._few_items(given)
        if arrays is None:
            return kernel.dispatcher(*given)
        mine = copy.deepcopy(given)
        mutable = list(compiled._arrays_in(mine))
        for one, original in zip(mutable, arrays, strict=True):
            one.flags.writeable = original.flags.writeable
        kernel._spent = 0.0
        try:
            as_written = kernel._as_written(mine, mutable)
        except compiled._TooSlowError:
            return kernel.dispatcher(*given)
        found = kernel.dispatcher(*given)
        assert_same_bits(as_written, found, kernel)
        for one, original in zip(mutable, arrays, strict=True):
            assert_same_bits(one, original, kernel)
        called_both_ways.add(f"{kernel.__module__}.{kernel.__name__}")
        return found

    monkeypatch.setattr(Kernel, "__call__", both_ways)


def assert_same_bits(one, other, kernel) -> None:
    if isinstance(other, tuple):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            assert_same_bits(mine, theirs, kernel)
    elif isinstance(other, np.ndarray):
        assert one.dtype == other.dtype and one.shape == other.shape, kernel
        assert one.tobytes() == other.tobytes(), kernel
    else:
        assert type(one) is type(other), kernel
        assert np.array(one).tobytes() == np.array(other).tobytes(), kernel
