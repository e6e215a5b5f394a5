"""Ragged arrays against lists of lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.ragged import Ragged, starts_of

lists = st.lists(st.lists(st.integers(-9, 9), max_size=4), max_size=8)
types = st.sampled_from([np.int32, np.int64, np.float64])


def made(segments, kind=np.int64):
    flat = [value for segment in segments for value in segment]
    return Ragged.from_lengths(np.array(flat, dtype=kind), [len(segment) for segment in segments])


def listed(ragged):
    assert ragged.starts[0] == 0 and ragged.starts[-1] == len(ragged.values)
    return [ragged[s].tolist() for s in range(len(ragged))]


@given(lists)
def test_segments_lengths_and_owners(segments):
    ragged = made(segments)
    assert listed(ragged) == segments
    assert ragged.lengths.tolist() == [len(segment) for segment in segments]
    owners = [s for s, segment in enumerate(segments) for _ in segment]
    assert ragged.segment_of_value.tolist() == owners
    places = [place for segment in segments for place in range(len(segment))]
    assert ragged.place_in_segment.tolist() == places


@given(lists, st.data())
def test_taken_segments_come_in_the_order_asked_for(segments, data):
    places = st.integers(0, len(segments) - 1) if segments else st.nothing()
    chosen = data.draw(st.lists(places, max_size=6)) if segments else []
    taken = made(segments).take(np.array(chosen, dtype=np.int64))
    assert listed(taken) == [segments[s] for s in chosen]


@given(lists, types)
def test_sums_and_extremes_of_segments_of_which_any_may_be_empty(segments, kind):
    ragged = made(segments, kind)
    assert ragged.sums().tolist() == [sum(segment) for segment in segments]
    assert ragged.maxima().tolist() == [max(segment, default=0) for segment in segments]
    assert ragged.minima().tolist() == [min(segment, default=0) for segment in segments]


@given(st.lists(st.lists(st.booleans(), max_size=3), max_size=6))
def test_truths_are_counted_and_joined(segments):
    ragged = made(segments, bool)
    assert ragged.sums().tolist() == [sum(segment) for segment in segments]
    assert ragged.maxima().tolist() == [any(segment) for segment in segments]
    assert ragged.reduced(np.logical_and, True).tolist() == [all(segment) for segment in segments]


@given(st.lists(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), max_size=3)))
def test_rows_of_numbers_are_reduced_column_by_column(segments):
    flat = np.array([row for segment in segments for row in segment], dtype=np.int64)
    ragged = Ragged.from_lengths(flat.reshape(-1, 2), [len(segment) for segment in segments])
    expected = [
        [max(column) for column in zip(*segment, strict=True)] if segment else [0, 0]
        for segment in segments
    ]
    assert ragged.maxima().tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=8))
def test_ranges_follow_each_other(pairs):
    begins = np.array([begin for begin, _ in pairs], dtype=np.int64)
    ends = np.array([begin + length for begin, length in pairs], dtype=np.int64)
    expected = [list(range(begin, begin + length)) for begin, length in pairs]
    assert listed(Ragged.ranges(begins, ends)) == expected


@given(st.lists(st.integers(-1, 4), max_size=20), st.integers(0, 6))
def test_places_are_grouped_by_their_codes(codes, n):
    grouped = Ragged.group_by(np.array(codes, dtype=np.int64), n)
    assert listed(grouped) == [[i for i, c in enumerate(codes) if c == code] for code in range(n)]
    letters = np.array([*"abcdefghijklmnopqrst"][: len(codes)])
    assert listed(grouped.of(letters)) == [
        [letters[i] for i, c in enumerate(codes) if c == code] for code in range(n)
    ]


@given(lists)
def test_parts_become_segments(segments):
    parts = [np.array(segment, dtype=np.int64) for segment in segments]
    assert listed(Ragged.from_parts(parts)) == segments


def test_starts_count_what_came_before():
    assert starts_of([2, 0, 3]).tolist() == [0, 2, 2, 5]
    assert starts_of(np.array([True, False])).tolist() == [0, 1, 1]
    assert starts_of([]).tolist() == [0]


def test_a_ragged_array_does_not_change():
    with pytest.raises(AttributeError):
        made([[1]]).values = np.zeros(1)
