"""Columns of numbers and dates hold labels of numbers and dates: no name hides among them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.data.values import Kind
from gyges.errors import HierarchyError, ReleaseError
from gyges.release.written_labels import refuse_other_labels
from tests.auditing.forging import rehash
from tests.oracles.written_labels import is_label

PEOPLE = {
    "age": [20, 23, 27, 31, 38, 44] * 2,
    "born": [date(2020, 1, 5) + timedelta(days=37 * i) for i in range(6)] * 2,
    "ill": ["flu", "gout", "flu", "gout", "cold", "flu"] * 2,
}
OTHER = {"age": "born", "born": "age"}
TREES = {"age": gy.Hierarchy.intervals(5, 20), "born": gy.Hierarchy.calendar("month", "year")}


def saved(tmp_path, column, **options):
    schema = gy.Schema(quasi_identifiers=[column], sensitive="ill", dropped=[OTHER[column]])
    release = gy.publish(gy.read(PEOPLE, schema), [gy.KAnonymity(4)], **options)
    return release.save(tmp_path / "out")


@pytest.mark.parametrize("column", ["age", "born"])
@pytest.mark.parametrize(
    "name",
    ["Ann Lee to Bob", "Ann", "[Ann, Bob]", "Ann..Bob", "{Ann, Bob}", "<Ann", "20 <= Ann < 30"],
)
def test_a_name_in_place_of_a_range_is_refused(column, name, tmp_path):
    """Such a release was confirmed: nobody reads labels without the original."""
    directory = saved(tmp_path, column)
    assert gy.verify(directory).holds
    path = directory / "data.csv"
    label = path.read_text().splitlines()[1].rsplit(",", 1)[0]
    quoted = f'"{name}"' if "," in name else name
    path.write_text(path.read_text().replace(label, quoted))
    rehash(directory)
    with pytest.raises(ReleaseError, match=f"{column!r} holds .*, and gyges writes only"):
        gy.verify(directory)


def test_ranges_are_no_averages(tmp_path):
    """A generalized release that is called microaggregated was confirmed as one of averages."""
    directory = saved(tmp_path, "age")
    path = directory / "certificate.json"
    path.write_text(path.read_text().replace('"generalized"', '"microaggregated"'))
    with pytest.raises(ReleaseError, match="writes only numbers there"):
        gy.verify(directory)


@pytest.mark.parametrize(
    "label", ["020-29", "2.50", "[1.0, 2)", "1e3", "\uff11\uff17", "twenty", "5-"]
)
def test_each_number_has_one_spelling(label):
    with pytest.raises(ReleaseError):
        refuse_other_labels("age", Kind.NUMBER, [label], tree={}, are_values=False)


# kind, hierarchy, what gyges never writes then; each of these was confirmed.
NEVER = [
    ("number", {}, ["39-20", "[30, 20)", "[20, 20)", "20-20", "[-1, -5]", "[(missing), 5)"]),
    ("number", {}, ["<30", ">=30", "<(missing)", "2*", "****", "555 1234*", "12:30*", "T*"]),
    ("number", {}, ["{5}", "{5, 5}", "{7, 5}", '{""}', '{"", 5}', "{(missing), 5}"]),
    ("number", {"rule": "cuts", "parameters": [18, 65]}, ["<65", ">=18", "<18.0", "<9", "2*"]),
    ("number", {"rule": "intervals", "parameters": [10]}, ["<10", "2*", "[5, 5)", "29-20"]),
    ("number", {"rule": "prefixes", "parameters": []}, ["<30", "Ann*", "**", "9-1"]),
    ("date", {}, ["2024", "2024-01", "2024-Q1", "2020s", "2024-W05", "2024-1*", "T T*"]),
    ("date", {}, ["2024-02-01..2024-01-01", "2024-01-01..2024-01-01", "(missing)..2024-01-01"]),
    ("date", {"rule": "calendar", "parameters": ["month"]}, ["2024-13", "2024-00", "2024"]),
    ("date", {"rule": "calendar", "parameters": ["week"]}, ["2024-W00", "2023-W53", "2024-01"]),
    ("date", {"rule": "calendar", "parameters": ["decade"]}, ["2023s", "0000", "2024"]),
    ("month", {}, ["Ann Lee", "2024-13", "2024-Q1", "2024", "2024-01-05", "2024-01..2024-03"]),
]  # fmt: skip
WRITTEN = [
    ("number", {}, ["20-39", "[-5, -1]", "[0.5, 20)", "{5, 7, (missing)}", "(missing)", "*", "7"]),
    ("number", {"rule": "cuts", "parameters": [18, 65]}, ["<18", "18-64", ">=65", "20-30"]),
    ("number", {"rule": "intervals", "parameters": [1, 10]}, ["5-5", "0-9", "[-10, 0)", "*"]),
    ("number", {"rule": "prefixes", "parameters": []}, ["13***", "-1*", "2.*"]),
    ("date", {}, ["2024-01-01..2024-01-31", "{2024-01-01, 2024-02-01}", "2024-01-01T10:00:00"]),
    ("date", {"rule": "calendar", "parameters": ["month", "year", "decade"]},
     ["2024-12", "2024", "2000s", "990s", "0s", "2024-01-05"]),
    ("date", {"rule": "calendar", "parameters": ["week"]}, ["2020-W53", "2024-W01"]),
    ("month", {"rule": "calendar", "parameters": ["quarter"]}, ["2024-01", "2024-Q1", "*"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "tree", "label"), [(k, tree, one) for k, tree, listed in NEVER for one in listed]
)
def test_what_no_group_can_be_called_is_refused(kind, tree, label):
    """Ends exchanged, open ends without such a hierarchy, digits before a star, words."""
    with pytest.raises(ReleaseError, match="gyges writes only"):
        refuse_other_labels("x", Kind(kind), [label], tree=tree, are_values=False)
    assert not is_label(label, kind, tree, False, False, "(missing)")


@pytest.mark.parametrize(
    ("kind", "tree", "label"), [(k, tree, one) for k, tree, listed in WRITTEN for one in listed]
)
def test_what_gyges_writes_for_a_hierarchy_is_accepted(kind, tree, label):
    refuse_other_labels("x", Kind(kind), [label], tree=tree, are_values=False)
    assert is_label(label, kind, tree, False, False, "(missing)")


PIECES = [
    "20", "39", "5", "-1", "2.5", "(missing)", "2024", "2024-01-05", "-01", "-Q1", "-W05", "s",
    "..", "{", ", ", "}", "[", ")", "]", "<", ">=", "*", "-", "0",
]  # fmt: skip
texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=6).map("".join),
    st.text("0123456789-.,[]{}()<>=*TWQs :abc", max_size=12),
)
trees = st.sampled_from([{}, *(tree for _, tree, _ in [*NEVER, *WRITTEN])])


@settings(max_examples=1_000)
@given(st.sampled_from(["number", "date", "month"]), trees, texts, st.booleans())
def test_labels_are_read_as_by_the_slow_judge(kind, tree, label, is_averaged):
    try:
        refuse_other_labels("x", Kind(kind), [label], tree=tree, are_values=is_averaged)
        is_accepted = True
    except ReleaseError:
        is_accepted = False
    assert is_accepted == is_label(label, kind, tree, is_averaged, False, "(missing)")


def test_intervals_narrower_than_doubles_tell_apart_are_refused():
    """Such a label covered nobody: [-100000000000000000, -100000000000000000)."""
    for hierarchy in (gy.Hierarchy.intervals(1),):
        schema = gy.Schema(quasi_identifiers=["x"], hierarchies={"x": hierarchy})
        with pytest.raises(HierarchyError, match="too narrow"):
            gy.read({"x": [-(10**17), 5]}, schema)
    with pytest.raises(HierarchyError, match="numbers that grow"):
        gy.Hierarchy.cuts(2**53, 2**53 + 1)


values = st.one_of(
    st.lists(st.integers(-99, 10**17), min_size=12, max_size=12),
    st.lists(st.floats(-1e9, 1e9, allow_nan=False).map(lambda x: round(x, 2)), min_size=12,
             max_size=12),
    st.lists(st.dates(), min_size=12, max_size=12),
    st.lists(st.datetimes(), min_size=12, max_size=12),
)  # fmt: skip


@settings(max_examples=25)
@given(
    values,
    st.sampled_from(
        [{}, {"labels": "sets"}, {"form": "bucketized"}, {"method": "microaggregation"}]
    ),
)
def test_what_gyges_writes_is_accepted(held, options):
    table = gy.read(
        {"x": held, "ill": ["flu", "gout"] * 6}, gy.Schema(quasi_identifiers=["x"], sensitive="ill")
    )
    release = gy.publish(table, [gy.KAnonymity(3)], **options)
    kind = Kind(release.roles.kinds["x"])
    shown = release.labels["x"]
    if kind in (Kind.NUMBER, Kind.DATE, Kind.MONTH) and not release.group_form.is_exact:
        is_averaged = release.group_form.is_averaged
        refuse_other_labels("x", kind, shown, tree={}, are_values=is_averaged)


@pytest.mark.parametrize("column", TREES)
def test_the_labels_of_hierarchies_of_rules_are_accepted(column, tmp_path):
    schema = gy.Schema(
        quasi_identifiers=[column],
        sensitive="ill",
        dropped=[OTHER[column]],
        hierarchies={column: TREES[column]},
    )
    for method in ("lattice", "partition"):
        release = gy.publish(gy.read(PEOPLE, schema), [gy.KAnonymity(2)], method=method)
        assert gy.verify(release.save(tmp_path / method)).holds


def test_booleans_that_are_published_are_described_as_they_are_written(tmp_path):
    """Honest releases were refuted: the codebook said True, and the CSV true."""
    schema = gy.Schema(
        quasi_identifiers=["age"], sensitive="ill", dropped=["born"], published=["flag"]
    )
    table = gy.read(PEOPLE | {"flag": [True, False] * 6}, schema)
    release = gy.publish(table, [gy.KAnonymity(4)], allow_singling_out=True)
    for format in ("csv", "parquet"):
        pages = gy.description_pages(release, format)
        place = release.save(tmp_path / format, format=format, pages=pages)
        assert not gy.verify(place).refuted
    assert "True" in (tmp_path / "csv" / "data.csv").read_text()


@pytest.mark.parametrize(("made_for", "saved_as"), [("csv", "parquet"), ("parquet", "csv")])
def test_descriptions_of_other_files_are_refused(made_for, saved_as, tmp_path):
    """The release was written, and `verify` refuted it."""
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="ill", dropped=["born"])
    release = gy.publish(gy.read(PEOPLE, schema), [gy.KAnonymity(4)])
    pages = gy.description_pages(release, made_for)
    with pytest.raises(ReleaseError, match="does not describe 'data"):
        release.save(tmp_path / "out", format=saved_as, pages=pages)
    assert not (tmp_path / "out").exists()
