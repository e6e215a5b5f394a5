"""Kinds are guessed from distinct values; values of any kind have one sorted order."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.data.values import MISSING, Kind, as_kind, guess_kind, positions, sort_key, text_of
from gyges.errors import GygesError

VALUES = st.one_of(
    st.integers(),
    st.floats(allow_nan=False),
    st.booleans(),
    st.text(max_size=4),
    st.dates(),
    st.datetimes(),
    st.just(MISSING),
)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "3.5", "1e5", ".5", "+7"], Kind.NUMBER),
        (["1", "007"], Kind.CODE),
        (["14850", "02139"], Kind.CODE),
        (["1", "x"], Kind.CATEGORY),
        (["1", "007", "x"], Kind.CATEGORY),
        (["2020-01-31", "1999-12-31"], Kind.DATE),
        (["2020-01-31 10:11:12", "2020-01-31T10:11", "2020-01-31 10:11:12.123456"], Kind.DATE),
        (["2020-01-31 10:11:12+02:00", "2020-01-31T10:11:00Z"], Kind.DATE),
        (["2020-02-31"], Kind.CATEGORY),
        (["2020-01-31", "soon"], Kind.CATEGORY),
        (["2020-01-31 25:00"], Kind.CATEGORY),
        ([1, 2.5], Kind.NUMBER),
        ([True, False], Kind.CATEGORY),
        (["True", "False"], Kind.CATEGORY),
        ([datetime.date(2020, 1, 1)], Kind.DATE),
        ([], Kind.CATEGORY),
        (["1.", "1,5"], Kind.CATEGORY),
        (["nan", "1"], Kind.NUMBER),
        (["0x10", "1_000"], Kind.CATEGORY),
    ],
)
def test_a_kind_is_guessed_from_all_values_together(values, kind):
    assert guess_kind(values) is kind


@given(values=st.lists(VALUES, max_size=8))
def test_values_of_any_kind_can_be_sorted_and_the_order_does_not_depend_on_how_they_came(values):
    once, backwards = sorted(values, key=sort_key), values[::-1]
    assert [sort_key(v) for v in once] == [sort_key(v) for v in sorted(backwards, key=sort_key)]
    assert all(v == MISSING for v in once[len(once) - values.count(MISSING) :])


@given(values=st.lists(st.integers(-(2**80), 2**80), min_size=1, max_size=6, unique=True))
def test_integers_stay_what_they_are_however_large(values):
    assert as_kind([str(v) for v in values], Kind.NUMBER, "x") == values
    assert sorted(values, key=sort_key) == sorted(values)


@given(values=st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=6))
def test_numbers_come_back_from_their_text(values):
    assert as_kind([repr(v) for v in values], Kind.NUMBER, "x") == as_kind(values, Kind.NUMBER, "x")
    assert as_kind(values, Kind.NUMBER, "x") == values


@given(days=st.lists(st.dates(), min_size=1, max_size=5))
def test_dates_come_back_from_their_text_and_whole_days_are_dates(days):
    assert as_kind([d.isoformat() for d in days], Kind.DATE, "x") == days
    midnights = [datetime.datetime.combine(d, datetime.time()) for d in days]
    assert as_kind(midnights, Kind.DATE, "x") == days


@given(moments=st.lists(st.datetimes(), min_size=1, max_size=5))
def test_moments_come_back_from_their_text_and_stand_in_order_on_the_line(moments):
    texts = [m.isoformat(sep=" ") for m in moments]
    assert as_kind(texts, Kind.DATE, "x") == as_kind(moments, Kind.DATE, "x")
    ordered = sorted(set(moments), key=sort_key)
    assert ordered == sorted(set(moments))
    assert (np.diff(positions(ordered, Kind.DATE)) >= 0).all()


def test_one_number_has_one_text():
    assert text_of(45) == text_of(45.0) == text_of("45") == "45"
    assert text_of(datetime.datetime(2020, 1, 1)) == text_of(datetime.date(2020, 1, 1))
    assert text_of(None) == MISSING


@given(text=st.text(max_size=8))
def test_no_text_breaks_the_guess(text):
    try:
        [value] = as_kind([text], guess_kind([text]), "x")
    except GygesError:
        assert text.lower().lstrip("+-") in ("nan", "inf", "infinity") or "e" in text.lower()
    else:
        assert text_of(value) == text or guess_kind([text]) is not Kind.CATEGORY
