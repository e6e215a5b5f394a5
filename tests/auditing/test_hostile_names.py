"""Honest releases always hold, whatever their columns and values are called."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")

TEXTS = [
    "group", "count", "group_2", "data", "people", "sensitive", "value", "=1+1", "-", "@x", "'=y",
    "a,b", 'say "no"', "two\nlines", "tab\there", " padded ", "*", "{a, b}", "1-2", "(missing)",
    "ÄÖ", "‮abc", "NULL", "None", "true", "0", "01", "1e5", "\\N", "#", ";", "|", "a" * 300,
]  # fmt: skip
NAMES = st.lists(st.sampled_from(TEXTS), min_size=3, max_size=3, unique=True)
WAYS = [
    ("partition", {}),
    ("partition", {"relaxed": True}),
    ("partition", {"form": "bucketized"}),
    ("lattice", {}),
    ("lattice", {"suppression": "0.5"}),
    ("suppression", {}),
    ("buckets", {}),
    ("microaggregation", {}),
]


@st.composite
def tables(draw):
    names, n = draw(NAMES), draw(st.integers(4, 14))

    def drawn(values):
        return draw(st.lists(values, min_size=n, max_size=n))

    columns = {
        names[0]: drawn(st.sampled_from(TEXTS)),
        names[1]: drawn(st.integers(-3, 12)),
        names[2]: drawn(st.sampled_from(TEXTS[:6])),
    }
    schema = gy.Schema(
        quasi_identifiers=names[:2],
        sensitive=names[2],
        kinds={names[0]: "category", names[2]: "category"},
        hierarchies={names[0]: gy.Hierarchy.from_tree(TEXTS)},
    )
    return gy.read(columns, schema)


@settings(max_examples=300)
@given(tables(), st.sampled_from(WAYS), st.sampled_from(["csv", "parquet"]), st.booleans())
def test_a_release_of_hostile_names_and_values_holds(table, way, format, with_report):
    method, options = way
    try:
        release = gy.publish(
            table, [gy.KAnonymity(2), gy.TCloseness("1")], method=method, **options
        )
    except gy.GygesError:
        return  # nothing safe in so small a table: no release
    pages = gy.report_pages(release) if with_report else None
    with tempfile.TemporaryDirectory() as folder:
        release.save(Path(folder) / "out", format=format, pages=pages)
        found = gy.verify(Path(folder) / "out")
        assert found.holds, str(found)
        assert sorted(gy.load(Path(folder) / "out").groups.sizes) == sorted(release.groups.sizes)
