"""Ragged arrays: segments of different lengths, one after another in one flat array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gyges.arrays import IntArray

_SHORT = 32  # values of a segment; up to here whole numbers are summed sooner all at once


def starts_of(lengths: Sequence[int] | NDArray[np.integer | np.bool_]) -> IntArray:
    """Return where segments of these lengths start, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Segment s is `values[starts[s]:starts[s + 1]]`; the first starts at 0, any may be empty.

    Several arrays may share one `starts`, as the codes and counts of a group do. A kernel takes
    the two arrays.
    """

    values: NDArray[Any]
    starts: IntArray  # segments + 1

    @classmethod
    def from_lengths(
        cls, values: NDArray[Any], lengths: Sequence[int] | NDArray[np.integer | np.bool_]
    ) -> Ragged:
        """Divide values into segments of these lengths."""
        return cls(values, starts_of(lengths))

    @classmethod
    def from_parts(cls, parts: Sequence[NDArray[Any]]) -> Ragged:
        """Make each array a segment; without any, there are no values (int64)."""
        values = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
        return cls.from_lengths(values, [len(part) for part in parts])

    @classmethod
    def ranges(cls, begins: IntArray, ends: IntArray) -> Ragged:
        """Return the numbers `begins[s], …, ends[s] - 1` as segment s: concatenated ranges."""
        lengths = ends - begins
        starts = starts_of(lengths)
        return cls(np.arange(starts[-1]) + np.repeat(begins - starts[:-1], lengths), starts)

    @classmethod
    def group_by(cls, codes: NDArray[np.integer], n: int) -> Ragged:
        """Return the places of each code 0..n-1, ascending; other codes are left out."""
        bits = max(len(codes) - 1, 0).bit_length()
        # A code with its place is one number: numbers are sorted in a third of the time.
        both = (codes.astype(np.int64) << bits) | np.arange(len(codes))
        both.sort()
        order = both & ((1 << bits) - 1)
        first = int(np.count_nonzero(codes < 0))
        counts = np.bincount(codes[(codes >= 0) & (codes < n)], minlength=n)
        starts = starts_of(counts)
        return cls(order[first : first + starts[-1]], starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, segment: int) -> NDArray[Any]:
        return self.values[self.starts[segment] : self.starts[segment + 1]]

    @property
    def lengths(self) -> IntArray:
        """How many values each segment has."""
        return self.starts[1:] - self.starts[:-1]

    @property
    def segment_of_value(self) -> IntArray:
        """The segment that each value belongs to."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def place_in_segment(self) -> IntArray:
        """How many values of its segment precede each value."""
        return np.arange(len(self.values)) - np.repeat(self.starts[:-1], self.lengths)

    def take(self, segments: NDArray[np.integer]) -> Ragged:
        """Return some of the segments, in this order."""
        return Ragged.ranges(self.starts[segments], self.starts[segments + 1]).of(self.values)

    def of(self, array: NDArray[Any]) -> Ragged:
        """Return what an array holds at the places that these values are."""
        return Ragged(array[self.values], self.starts)

    def sums(self) -> NDArray[Any]:
        """The sum of each segment."""
        is_whole = self.values.dtype.kind == "i" and self.values.ndim == 1
        if not is_whole or len(self.values) > _SHORT * len(self):
            return self.reduced(np.add, 0)
        total = np.zeros(len(self.values) + 1, dtype=np.int64)
        np.cumsum(self.values, out=total[1:])
        return np.diff(total[self.starts])

    def maxima(self) -> NDArray[Any]:
        """The largest value of each segment; 0 where it is empty."""
        return self.reduced(np.maximum, 0)

    def minima(self) -> NDArray[Any]:
        """The least value of each segment; 0 where it is empty."""
        return self.reduced(np.minimum, 0)

    def reduced(self, function: np.ufunc, of_none: object) -> NDArray[Any]:
        """The values of each segment reduced by a function; `of_none` where it is empty.

        `reduceat` returns the value behind an empty segment, so empty ones are left out of it.
        """
        is_filled = self.starts[1:] > self.starts[:-1]
        begins = self.starts[:-1] if is_filled.all() else self.starts[:-1][is_filled]
        found = function.reduceat(self.values, begins)
        if len(begins) == len(self):
            return found
        out = np.full((len(self), *found.shape[1:]), of_none, dtype=found.dtype)
        out[is_filled] = found
        return out
