"""Hierarchies: valid ones are accepted, others refused; rules nest and cover their values."""

from __future__ import annotations

import datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.hierarchy_rules import TOP
from gyges.errors import HierarchyError

LABELS = "abcdefghij"


@st.composite
def trees(draw, depth=3):
    """A list of leaves or a dict of label → subtree; every label once."""
    names = iter(f"{letter}{i}" for i in range(99) for letter in LABELS)

    def grow(height):
        n_children = draw(st.integers(1, 3))
        if height == 0 or draw(st.booleans()):
            return [next(names) for _ in range(n_children)]
        return {next(names): grow(height - 1) for _ in range(n_children)}

    return grow(depth)


def leaves_of(tree):
    if isinstance(tree, dict):
        return [leaf for below in tree.values() for leaf in leaves_of(below)]
    return list(tree)


def paths_of(tree, above=()):
    """Every leaf with the labels on its way up."""
    if isinstance(tree, dict):
        return {
            leaf: path
            for label, below in tree.items()
            for leaf, path in paths_of(below, (label, *above)).items()
        }
    return dict.fromkeys(tree, above)


def is_hierarchy(rows):
    """The definition: one parent a level, levels only get coarser, one top, each leaf once."""
    if (
        not rows
        or len({len(row) for row in rows}) != 1
        or len({row[0] for row in rows}) < len(rows)
    ):
        return False
    for one in rows:
        for other in rows:
            for level in range(len(one) - 1):
                if one[level] == other[level] and one[level + 1] != other[level + 1]:
                    return False
    return len({row[-1] for row in rows}) == 1


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from("pqrs"), st.sampled_from("ab"), st.sampled_from("xy"), st.just("*")
        ).flatmap(lambda row: st.sampled_from([row, row[:3], row[1:]])),
        max_size=4,
    )
)
def test_exactly_the_tables_that_are_hierarchies_are_accepted(rows):
    if is_hierarchy(rows):
        assert gy.Hierarchy(tuple(rows)).leaves == tuple(row[0] for row in rows)
    else:
        with pytest.raises(HierarchyError):
            gy.Hierarchy(tuple(rows))


@given(tree=trees())
def test_a_tree_keeps_every_label_on_the_way_of_its_leaves(tree):
    hierarchy = gy.Hierarchy.from_tree(tree)
    assert is_hierarchy(hierarchy.rows)
    assert sorted(hierarchy.leaves) == sorted(leaves_of(tree))
    for row in hierarchy.rows:
        way = [label for i, label in enumerate(row[1:]) if label != row[i]]  # without the padding
        path = list(paths_of(tree)[row[0]])
        has_own_top = isinstance(tree, dict) and len(tree) == 1
        assert way == path if has_own_top else way == [*path, TOP]


@given(tree=trees(), separator=st.sampled_from(",;\t|"))
def test_a_csv_file_says_the_same_as_the_tree(tree, separator, tmp_path_factory):
    hierarchy = gy.Hierarchy.from_tree(tree)
    path = tmp_path_factory.mktemp("h") / "h.csv"
    text = "".join(separator.join(row) + "\n" for row in hierarchy.rows)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert gy.Hierarchy.from_csv(path) == hierarchy
    assert gy.Hierarchy.from_data(hierarchy.to_data()) == hierarchy


@given(tree=trees(), data=st.data())
def test_a_ladder_has_one_ancestor_a_level_and_only_gets_coarser(tree, data):
    hierarchy = gy.Hierarchy.from_tree(tree)
    values = data.draw(st.permutations(hierarchy.leaves))
    values = values[: data.draw(st.integers(1, len(values)))]
    ladder = hierarchy.bind(values)
    assert [ladder.labels[0][code] for code in ladder.ancestors[0]] == list(values)
    for level in range(ladder.height):
        parents = {}
        for below, above in zip(ladder.ancestors[level], ladder.ancestors[level + 1], strict=True):
            assert parents.setdefault(below, above) == above
    assert len(ladder.labels[-1]) == 1
    for level in range(ladder.height + 1):
        assert ladder.leaves_under(level).sum() == len(values)
        by_name = [row[level] for value in values for row in hierarchy.rows if row[0] == value]
        assert [ladder.labels[level][code] for code in ladder.ancestors[level]] == by_name


NUMBERS = st.one_of(
    st.integers(-(10**6), 10**6),
    st.integers(-(10**6), 10**6).map(lambda n: n / 10),
    st.floats(-1e6, 1e6),
)
WIDTHS = st.sampled_from([(5, 10, 20, 40), (0.1, 0.2, 1), (3,), (0.25, 0.5), (7, 21), (0.1, 0.3)])


def bounds(label):
    """The interval behind a label: 15-19 of whole numbers, or [0.1, 0.2)."""
    if label.startswith("["):
        start, end = label[1:-1].split(", ")
        return Fraction(start), Fraction(end)
    start, end = label.split("-")
    return Fraction(start), Fraction(end) + 1


@given(values=st.lists(NUMBERS, min_size=1, max_size=8, unique=True), widths=WIDTHS)
def test_every_number_lies_in_its_interval_and_intervals_nest(values, widths):
    ladder = gy.Hierarchy.intervals(*widths).bind(values)
    assert ladder.labels[-1] == (TOP,) and ladder.height == len(widths) + 1
    for level, width in enumerate(widths, start=1):
        starts = [bounds(label)[0] for label in ladder.labels[level]]
        assert starts == sorted(starts)
        parents = {}
        for place, value in enumerate(values):
            start, end = bounds(ladder.labels[level][ladder.ancestors[level, place]])
            exact = Fraction(str(value))
            assert start <= exact < end or abs(float(start)) > 1e5  # labels are rounded far out
            assert abs(float(end - start) - width) < 1e-6
            below, above = ladder.ancestors[level, place], ladder.ancestors[level + 1, place]
            assert parents.setdefault(below, above) == above


def test_a_tenth_begins_where_it_is_written():
    """In floats 0.3 // 0.1 is 2, which would put 0.3 below 0.3."""
    ladder = gy.Hierarchy.intervals(0.1).bind([0.3, 0.7])
    assert [ladder.labels[1][code] for code in ladder.ancestors[1]] == ["[0.3, 0.4)", "[0.7, 0.8)"]


@pytest.mark.parametrize(
    "widths", [(), (0,), (-5,), (5, 7), (10, 5), (5, 5), (float("nan"),), (float("inf"),), ("5",)]
)
def test_widths_that_do_not_nest_are_refused(widths):
    with pytest.raises(HierarchyError):
        gy.Hierarchy.intervals(*widths)


@given(codes=st.lists(st.text("0123*", max_size=4), min_size=1, max_size=8, unique=True))
def test_prefixes_of_codes_nest(codes):
    ladder = gy.Hierarchy.prefixes().bind(codes)
    length = max(map(len, codes), default=1) or 1
    assert ladder.height == length
    for level in range(1, ladder.height):
        for place, code in enumerate(codes):
            label = ladder.labels[level][ladder.ancestors[level, place]]
            assert label == code[: length - level] + "*" * level


@given(days=st.lists(st.dates(), min_size=1, max_size=8, unique=True))
def test_units_of_the_calendar_nest(days):
    ladder = gy.Hierarchy.calendar("month", "quarter", "year", "decade").bind(days)
    for level in range(ladder.height):
        parents = {}
        for below, above in zip(ladder.ancestors[level], ladder.ancestors[level + 1], strict=True):
            assert parents.setdefault(below, above) == above
    label = ladder.labels[1][ladder.ancestors[1, 0]]
    assert label == f"{days[0].year:04d}-{days[0].month:02d}"


@pytest.mark.parametrize("units", [("year", "month"), ("hour",), ("week", "month"), ("Year",)])
def test_units_that_do_not_nest_are_refused(units):
    with pytest.raises(HierarchyError):
        gy.Hierarchy.calendar(*units)


def test_moments_fall_into_the_calendar_too():
    moment = datetime.datetime(2020, 5, 17, 12, 30)
    ladder = gy.Hierarchy.calendar("month", "year").bind([moment])
    assert ladder.labels == (("2020-05-17T12:30:00",), ("2020-05",), ("2020",), (TOP,))


@pytest.mark.parametrize(
    "hierarchy",
    [
        gy.Hierarchy.intervals(5, 10),
        gy.Hierarchy.prefixes(),
        gy.Hierarchy.calendar(),
        gy.Hierarchy.from_tree({"x": ["1"], "y": ["2020-01-01"]}),
    ],
)
def test_a_missing_value_stands_apart_up_to_the_top(hierarchy):
    value = "2020-01-01" if hierarchy.rule == "calendar" else "1"
    ladder = hierarchy.bind([value, "(missing)"])
    for level in range(ladder.height):
        assert ladder.ancestors[level, 0] != ladder.ancestors[level, 1]
    assert ladder.labels[-1] == (TOP,)


def test_no_values_have_a_ladder_too():
    assert gy.Hierarchy.intervals(5).bind([]).height == 1


def test_trees_that_are_none_are_refused():
    for tree in ({}, [], {"a": []}, {"a": "leaf"}, {"a": ["x"], "b": ["x"]}):
        with pytest.raises(HierarchyError):
            gy.Hierarchy.from_tree(tree)


def test_real_hierarchies_hold_every_value_of_adult(real_data):
    folder = real_data / "hierarchies" / "adult"
    for path in sorted(folder.glob("*.csv")):
        assert gy.Hierarchy.from_csv(path).rows[0][-1] == TOP
    heights = [
        gy.Hierarchy.from_csv(folder / f"{n}.csv") for n in ("age", "marital-status", "race")
    ]
    assert [len(h.rows[0]) for h in heights] == [6, 3, 2]
