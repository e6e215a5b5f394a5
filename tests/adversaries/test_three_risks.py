"""Attacks on tables of any maker against plain loops, and figures that were published."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gyges.adversaries import compared_rows
from gyges.adversaries.attack_rates import AttackRate, attack_rate, due_to_release
from gyges.adversaries.compared_rows import NearestRows, compared
from gyges.adversaries.nearest_row_attacks import inferred, linked
from gyges.adversaries.singling_predicates import (
    Predicate,
    SortedColumns,
    about_one_column,
    about_several_columns,
    singled_out,
)
from gyges.errors import GygesError, RuleError
from tests.oracles import three_risks as oracle

NAMES, KINDS = ("age", "sex", "pay"), ("line", "equal", "line")
ROW = st.tuples(
    st.sampled_from([20, 21, 40, None]),
    st.sampled_from(["f", "m", "x", None]),
    st.sampled_from([-100, 0, 95, 96, 100, 105, None]),
)
TABLE = st.lists(ROW, min_size=1, max_size=7)


def arrow(rows):
    types = (pa.int64(), pa.string(), pa.int64())
    columns = zip(*rows, strict=True)
    arrays = [pa.array(own, kind) for own, kind in zip(columns, types, strict=True)]
    return pa.table(dict(zip(NAMES, arrays, strict=True)))


@st.composite
def tables(draw):
    """A released table and people; every released value of sex is somebody's."""
    released, people = draw(TABLE), draw(TABLE)
    assume({row[1] for row in released} <= {row[1] for row in people} | {None})
    for place in (0, 2):  # a column without any number is not a line
        assume(any(row[place] is not None for row in people))
    return released, people


def test_the_published_figures_of_the_rates():
    """The two examples that the reference implementation of [Giomi2023] is tested with."""
    rate = attack_rate(850, 1000)
    assert (round(rate.middle, 3), round(rate.error, 3)) == (0.849, 0.022)
    quarter = attack_rate(1, 4)
    assert quarter.middle == pytest.approx(0.3725, abs=5e-5)
    assert quarter.interval == pytest.approx((0.045587, 0.699358), abs=5e-7)


@given(n=st.integers(1, 60), share=st.floats(0, 1), confidence=st.sampled_from([0.5, 0.95, 0.999]))
def test_a_rate_is_wilsons_interval(n, share, confidence):
    """Its ends are the p at which (successes/n - p)² = z² p (1 - p) / n."""
    found = attack_rate(share * n, n, confidence)
    z = attack_rate(0, 1, confidence).middle  # z²/2 / (1 + z²)
    z2 = 2 * z / (1 - 2 * z)
    for p in (found.middle - found.error, found.middle + found.error):
        assert (share - p) ** 2 == pytest.approx(z2 * p * (1 - p) / n, abs=1e-7)


@pytest.mark.parametrize("given_", [(-1, 4), (5, 4), (0, 0), (1, 4, 0), (1, 4, 1.0)])
def test_no_rate_of_impossible_attempts(given_):
    with pytest.raises(RuleError):
        attack_rate(*given_)


def test_only_what_a_control_leaves_open_is_due_to_a_release():
    attack, control = AttackRate(0.75, 0.03), AttackRate(0.5, 0.04)
    due = due_to_release(attack, control)
    assert due.middle == 0.5
    assert due.error == pytest.approx(((0.03 / 0.5) ** 2 + (0.25 / 0.25 * 0.04) ** 2) ** 0.5)
    less = due_to_release(control, attack)
    assert less.middle == 0.0 and less.interval[0] == 0.0 < less.interval[1]


@given(both=tables(), columns=st.sampled_from([(0,), (1,), (0, 1), (2, 1), (0, 1, 2)]))
def test_the_nearest_rows_are_those_by_hand(both, columns):
    released, people = both
    made = compared(arrow(released), arrow(people), names=NAMES)
    spans = oracle.spans_of(both, KINDS)
    rows = NearestRows.of(made.released, columns)
    near = list(rows.to_each(made.original.codes[:, list(columns)]))
    assert len(near) == len(people)
    for target, some in zip(people, near, strict=True):
        expected = oracle.nearest(target, released, columns, KINDS, spans)
        assert np.flatnonzero(np.isin(rows.of_row, some)).tolist() == expected


@given(both=tables())
def test_nearest_rows_are_found_in_batches_too(both):
    released, people = both
    made = compared(arrow(released), arrow(people), names=NAMES)
    rows, targets = NearestRows.of(made.released, (0, 1)), made.original.codes[:, :2]
    at_once = [some.tolist() for some in rows.to_each(targets)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compared_rows, "_ROOM", 0)
        assert [some.tolist() for some in rows.to_each(targets)] == at_once


@given(both=tables(), first=st.sampled_from([(0,), (1, 2), (2, 0), (1,)]))
def test_linking_agrees_with_every_pair_of_nearest_rows(both, first):
    released, people = both
    second = tuple(place for place in range(3) if place not in first)
    made = compared(arrow(released), arrow(people), names=NAMES)
    spans = oracle.spans_of(both, KINDS)
    found = linked(made.released, made.original, first, second)
    expected = [oracle.linked(one, released, first, second, KINDS, spans) for one in people]
    assert found == pytest.approx([float(share) for share in expected])


@given(both=tables(), secret=st.integers(0, 2))
def test_inferring_agrees_with_every_nearest_row(both, secret):
    released, people = both
    known = tuple(place for place in range(3) if place != secret)
    made = compared(arrow(released), arrow(people), names=NAMES)
    spans = oracle.spans_of(both, KINDS)
    found = inferred(made.released, made.original, known, secret)
    expected = [oracle.inferred(one, released, known, secret, KINDS, spans) for one in people]
    assert found == pytest.approx([float(share) for share in expected])


def test_a_number_is_inferred_within_five_percent():
    """100 and 105 differ by 5% of 100 and by less of 105; 95 is 5% below 100, 106 too far."""
    people = arrow([(20, "f", 100), (40, "m", 105)])
    for shown, right in ((95, 1), (94, 0), (105, 1), (106, 0)):
        made = compared(arrow([(20, "f", shown), (40, "m", shown)]), people, names=NAMES)
        assert inferred(made.released, made.original, (0, 1), 2)[0] == right


def conditions_of(predicate, columns):
    return [
        (column, sign, None if value == "(missing)" else value)
        for column, sign, code in predicate.conditions
        for value in [columns[column].values[code]]
    ]


@given(both=tables())
def test_all_predicates_about_one_column_are_found(both):
    """Those that select one released row: a value of any column, and the ends of a line."""
    released, people = both
    made = compared(arrow(released), arrow(people), names=NAMES)
    found = {
        tuple(conditions_of(one, made.released.columns)) for one in about_one_column(made.released)
    }
    expected = set()
    for column, kind in enumerate(KINDS):
        values = {row[column] for row in released}
        numbers = [value for value in values if value is not None]
        tried = [(column, "is", value) for value in values]
        if kind == "line" and numbers:
            tried += [(column, "at most", min(numbers)), (column, "at least", max(numbers))]
        expected |= {
            (one,) for one in tried if sum(oracle.meets(row, [one]) for row in released) == 1
        }
    assert found == expected


@given(both=tables(), n_columns=st.integers(1, 3), seed=st.integers(0, 9))
def test_predicates_about_several_columns_select_one_released_row(both, n_columns, seed):
    released, people = both
    made = compared(arrow(released), arrow(people), names=NAMES)
    rows = SortedColumns.of(made.released)
    drawn = about_several_columns(rows, n_columns, 50, np.random.default_rng(seed))
    assert len(set(drawn)) == len(drawn)
    for one in drawn:
        conditions = conditions_of(one, made.released.columns)
        assert len({column for column, _, _ in conditions}) == len(conditions) >= n_columns
        assert sum(oracle.meets(row, conditions) for row in released) == 1


def test_more_columns_are_taken_where_few_do_not_select_one_row():
    rows = [(20, "f", 1), (20, "f", 2), (20, "m", 1), (20, "m", 2)]
    made = compared(arrow(rows), arrow(rows), names=NAMES)
    drawn = about_several_columns(SortedColumns.of(made.released), 1, 50, np.random.default_rng(1))
    assert {len(one.conditions) for one in drawn} == {2, 3}


SIGNS = st.sampled_from(["is", "at most", "at least"])


@given(both=tables(), data=st.data())
def test_singling_out_agrees_with_all_subsets(both, data):
    """Any conditions, on as many people as are drawn: each subset of that size is tried."""
    released, people = both
    made = compared(arrow(released), arrow(people), names=NAMES)
    columns = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True))
    conditions = []
    for column in columns:
        values = made.released.columns[column].values
        ordered = made.released.columns[column].is_ordered
        sign = data.draw(SIGNS) if ordered else "is"
        last = len(values) - (1 if sign == "is" else 2)  # no number is at most a missing one
        conditions.append((column, sign, data.draw(st.integers(0, last))))
    predicate = Predicate(tuple(conditions))
    plain = conditions_of(predicate, made.released.columns)
    size = data.draw(st.integers(1, len(people)))
    [found] = singled_out([predicate], SortedColumns.of(made.original), size).chances
    assert found == pytest.approx(float(oracle.singled_out(people, plain, size)))


@pytest.mark.parametrize("label", ["about twenty", "20-29-30", "twenty*"])
def test_a_label_that_cannot_be_read_is_not_compared(label):
    people = pa.table({"age": [21, 25, 38]})
    with pytest.raises(GygesError, match="column 'age' of the release") as refused:
        compared(pa.table({"age": ["21", label, "38"]}), people, names=["age"])
    assert repr(label) in str(refused.value)


def test_a_number_between_those_of_the_original_is_a_value():
    made = compared(pa.table({"age": [21.5, 30]}), pa.table({"age": ["21", "38"]}), names=["age"])
    assert made.released.columns[0].values == (21, 21.5, 30, 38, "(missing)")


def test_dates_lie_on_a_line_and_texts_do_not():
    rows = pa.table({"born": ["1980-01-31", "1990-06-01"], "town": ["b", "a"]})
    made = compared(rows, rows, names=["born", "town"])
    assert [column.is_ordered for column in made.released.columns] == [True, False]
    assert made.released.columns[0].places[:2].tolist() == [0.0, 1.0]


def test_rows_with_more_combinations_than_a_word_are_told_apart():
    rng = np.random.default_rng(3)
    rows = pa.table({f"c{i}": rng.integers(0, 2**20, 60) for i in range(6)})
    made = compared(rows, rows, names=rows.column_names).released
    found, of_row = made.distinct(range(6))
    assert len(found) == 60 and (found[of_row] == made.codes).all()
    assert found.tolist() == sorted(found.tolist())
