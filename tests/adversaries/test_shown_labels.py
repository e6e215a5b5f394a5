"""Attacks on tables with generalized labels against loops over what each label covers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.compared_rows import NearestRows, compared
from gyges.adversaries.distance_linkage import gower_distances
from gyges.adversaries.nearest_row_attacks import inferred, linked
from gyges.adversaries.singling_predicates import (
    SortedColumns,
    about_one_column,
    about_several_columns,
    singled_out,
)
from gyges.errors import GygesError
from tests.oracles import three_risks as oracle

NAMES, KINDS = ("age", "sex", "pay"), ("line", "equal", "line")
AGES = {
    "20-29": lambda v: v is not None and 20 <= v < 30,
    "*": lambda _: True,
    "<40": lambda v: v is not None and v < 40,
    "{20, 40}": lambda v: v in (20, 40),
    "[21, 40)": lambda v: v is not None and 21 <= v < 40,
    "≥40": lambda v: v is not None and v >= 40,
    "70+": lambda v: v is not None and v >= 70,  # covers nobody
    "21": lambda v: v == 21,
    "NA": lambda _: True,
}
SEXES = {
    "{f, m}": lambda v: v in ("f", "m"),
    "f|x": lambda v: v in ("f", "x"),
    "*": lambda _: True,
    "f": lambda v: v == "f",
    "m": lambda v: v == "m",
}
PAYS = {text: (lambda v, n=int(text): v == n) for text in ("0", "95", "100", "105")}
LABELS = (AGES, SEXES, PAYS)
SHOWN = st.lists(st.tuples(*map(st.sampled_from, map(list, LABELS))), min_size=1, max_size=6)
PERSON = st.tuples(
    st.sampled_from([20, 21, 35, 40, None]),
    st.sampled_from(["f", "m", "x"]),
    st.sampled_from([0, 95, 100, 105]),
)
PEOPLE = [(20, "f", 0), (40, "m", 105), (21, "x", 100)]  # so that all values are somebody's


def arrow(rows, types):
    columns = zip(*rows, strict=True)
    arrays = [pa.array(own, kind) for own, kind in zip(columns, types, strict=True)]
    return pa.table(dict(zip(NAMES, arrays, strict=True)))


@st.composite
def tables(draw):
    """A table with labels in at least one column, people, and what both are to the oracle."""
    shown, people = draw(SHOWN), [*draw(st.lists(PERSON, max_size=4)), *PEOPLE]
    held = [{str(row[c]) for row in people} for c in range(3)]
    strange = [{row[c] for row in shown} - held[c] for c in range(3)]
    assume(strange[0] - {"NA"} or strange[1])
    both = compared(
        arrow(shown, [pa.string()] * 3),
        arrow(people, (pa.int64(), pa.string(), pa.int64())),
        names=NAMES,
    )
    rows = [tuple(LABELS[c][row[c]] for c in range(3)) for row in shown]
    values = [sorted({row[c] for row in people}, key=str) for c in range(3)]
    for c in (0, 2):  # a number that only the table shows is a value of a column of numbers
        if not strange[c] or all(one.isdigit() for one in strange[c]):
            values[c] = sorted({*values[c], *(int(r[c]) for r in shown if r[c].isdigit())}, key=str)
    spans = oracle.spans_of([people], KINDS)
    return both, shown, rows, people, values, spans


@given(tables(), st.sampled_from([(0,), (1,), (0, 1), (2, 1), (0, 1, 2)]))
def test_the_nearest_rows_are_those_by_hand(made, columns):
    both, _, rows, people, values, spans = made
    nearest = NearestRows.of(both.released, columns)
    near = list(nearest.to_each(both.original.codes[:, list(columns)]))
    for person, some in zip(people, near, strict=True):
        expected = oracle.nearest_labels(person, rows, columns, values, KINDS, spans)
        assert np.flatnonzero(np.isin(nearest.of_row, some)).tolist() == expected


@given(tables(), st.sampled_from([(0,), (1, 2), (2, 0)]))
def test_linking_agrees_with_every_pair_of_nearest_rows(made, first):
    both, _, rows, people, values, spans = made
    second = tuple(place for place in range(3) if place not in first)
    found = linked(both.released, both.original, first, second)
    expected = [
        oracle.linked_by_labels(one, rows, first, second, values, KINDS, spans) for one in people
    ]
    assert found == pytest.approx([float(share) for share in expected])


@given(tables(), st.integers(0, 2))
def test_inferring_guesses_a_value_that_the_nearest_labels_cover(made, secret):
    both, _, rows, people, values, spans = made
    known = tuple(place for place in range(3) if place != secret)
    found = inferred(both.released, both.original, known, secret)
    expected = [
        oracle.inferred_from_labels(one, rows, known, secret, values, KINDS, spans)
        for one in people
    ]
    assert found == pytest.approx([float(share) for share in expected])


@given(tables(), st.integers(0, 5))
def test_conditions_on_labels_hold_for_whom_they_cover(made, seed):
    both, shown, _, people, _, _ = made
    released = SortedColumns.of(both.released)
    there = SortedColumns.of(both.original, both.released.columns)
    drawn = about_several_columns(released, 2, 20, np.random.default_rng(seed))
    for predicate in [*about_one_column(both.released), *drawn]:

        def covers(person, predicate=predicate):
            for column, sign, code in predicate.conditions:
                text, value = both.released.columns[column].values[code], person[column]
                if both.released.columns[column].labels is not None:
                    label = LABELS[column][str(text)]
                    if not label(value):
                        return False
                elif not oracle.meets(person, [(column, sign, text)]):
                    return False
            return True

        n = sum(map(covers, people))
        assert len(there.select(predicate)) == n
        assert singled_out([predicate], there, len(people)).chances[0] == pytest.approx(
            float(n == 1)
        )
        alike = [
            row
            for row in shown
            if all(
                sign != "is" or row[column] == str(both.released.columns[column].values[code])
                for column, sign, code in predicate.conditions
            )
        ]
        assert alike


@given(tables())
def test_distances_from_labels_are_those_by_hand(made):
    both, _, rows, people, values, spans = made
    expected = [
        [
            float(
                sum(
                    oracle.label_far(row[c], values[c], person[c], KINDS[c], spans[c])
                    for c in range(3)
                )
            )
            for row in rows
        ]
        for person in people
    ]
    assert gower_distances(both.original, both.released) == pytest.approx(np.array(expected))


def test_an_empty_cell_is_suppressed_where_nobody_has_a_missing_value():
    people = pa.table({"age": [21, 25, 38]})
    shown = pa.table({"age": ["20-29", None, "38"]})
    labels = compared(shown, people, names=["age"]).released.columns[0].labels
    assert labels.covers[:, :3].sum(axis=1).tolist() == [2, 1, 3]
    some = pa.table({"age": [21, None, 38]})
    labels = compared(shown, some, names=["age"]).released.columns[0].labels
    assert labels.covers.tolist() == [
        [True, False, False], [False, True, False], [False, False, True]
    ]  # fmt: skip


def test_a_label_of_a_hierarchy_covers_what_is_below_it():
    tree = gy.Hierarchy.from_tree({"south": ["a", "b"], "north": ["c"]})
    people = pa.table({"town": ["a", "b", "c"]})
    shown = pa.table({"town": ["south", "c"]})
    both = compared(shown, people, names=["town"], hierarchies={"town": tree})
    labels = both.released.columns[0].labels.covers[:, :3]
    assert labels[:2].sum(axis=1).tolist() == [2, 1]
    with pytest.raises(GygesError, match="'south'"):
        compared(shown, people, names=["town"])


def test_too_many_labels_and_values_are_not_compared(monkeypatch):
    from gyges.adversaries import shown_labels

    monkeypatch.setattr(shown_labels, "_MOST", 5)
    with pytest.raises(GygesError, match="column 'age' has 3 labels and 3 values, too many"):
        compared(pa.table({"age": ["20-29", "30-39"]}), pa.table({"age": [21, 38]}), names=["age"])
