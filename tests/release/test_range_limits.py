"""Published ranges cover everyone in the group, also where calendars and doubles end."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.release.label_reading import covers_all
from gyges.release.make_release import make_release
from gyges.release.partition_of_cells import Partition

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
FIRST, LAST = datetime.date.min.toordinal(), datetime.date.max.toordinal()
near_the_ends = st.one_of(
    st.integers(FIRST, FIRST + 3), st.integers(LAST - 3, LAST), st.integers(FIRST, LAST)
).map(datetime.date.fromordinal)
near_powers_of_two = st.builds(
    lambda e, steps, sign: sign * np.nextafter(math.ldexp(1.0, e), math.inf if steps else 0.0),
    st.integers(-40, 40),
    st.booleans(),
    st.sampled_from([-1.0, 1.0]),
)
doubles = st.one_of(
    near_powers_of_two, st.integers(-8, 8).map(lambda e: math.ldexp(1.0, e)), st.floats(-100, 100)
)


def check_ranges(values, kind, data):
    """Any division of the values into groups: every label covers the values of its group."""
    schema = gy.Schema(quasi_identifiers=["q"], sensitive="ill", kinds={"q": kind})
    table = gy.read({"q": values, "ill": ["x"] * len(values)}, schema)
    n = len(table.cells)
    drawn = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    _, group = np.unique(drawn, return_inverse=True)
    partition = Partition(table.cells, group.astype(np.int64), int(group.max()) + 1)
    release = make_release(table, partition, "generalized", rng=np.random.default_rng(1))
    [domain] = table.cells.domains
    covers = covers_all(release.labels["q"], domain)
    for row, g in enumerate(release.group_of_row.tolist()):
        label = release.labels["q"][g]
        assert covers[label][table.cells.codes[table.cell_of_row[row], 0]], (label, values)


@given(st.lists(near_the_ends, min_size=2, max_size=6), st.data())
def test_ranges_of_days_end_with_the_calendar(days, data):
    check_ranges([day.isoformat() for day in days], "date", data)


@given(st.lists(near_the_ends, min_size=2, max_size=5), st.data())
def test_ranges_of_moments_end_with_the_calendar(days, data):
    times = st.sampled_from(
        ["00:00:00", "00:00:00.000001", "12:30:00", "23:59:59", "23:59:59.999999"]
    )
    moments = [f"{day.isoformat()}T{data.draw(times)}" for day in days]
    check_ranges(moments, "date", data)


@given(st.lists(doubles, min_size=2, max_size=6), st.data())
def test_ranges_of_numbers_contain_the_largest(numbers, data):
    check_ranges([float(number) + 0.0 for number in numbers], "number", data)


def test_a_moment_outside_the_calendar_is_refused():
    schema = gy.Schema(quasi_identifiers=["q"], kinds={"q": "date"}, sensitive="ill")
    for moment in ("0001-01-01T00:00:00+05:00", "9999-12-31T23:00:00-05:00"):
        with pytest.raises(gy.GygesError):
            gy.read({"q": [moment, "2020-01-01T00:00:00"], "ill": ["a", "b"]}, schema)
        aware = datetime.datetime.fromisoformat(moment)
        with pytest.raises(gy.GygesError):
            gy.read({"q": [aware, aware], "ill": ["a", "b"]}, schema)


def test_an_average_of_the_last_moments_stays_in_the_calendar():
    table = gy.read(
        {"q": ["9999-12-31T23:59:59"] * 4, "ill": list("abab")},
        gy.Schema(quasi_identifiers=["q"], kinds={"q": "date"}, sensitive="ill"),
    )
    release = gy.publish(table, [gy.KAnonymity(2)], method="microaggregation")
    assert release.labels["q"] == ["9999-12-31"] * len(release.labels["q"])
