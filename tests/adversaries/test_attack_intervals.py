"""Intervals of singling out: conditions that hold for the same people are not independent."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.adversaries.attack_rates import attack_rate, due_to_release
from gyges.adversaries.compared_rows import compared
from gyges.adversaries.singling_predicates import (
    Predicate,
    SortedColumns,
    about_several_columns,
    singled_out,
)

PEOPLE = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6)
CONDITIONS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 3)),
    min_size=1,
    max_size=2,
    unique_by=lambda c: c[0],
)


def table(rows):
    return pa.table({"a": [str(a) for a, _ in rows], "b": [str(b) for _, b in rows]})


@given(PEOPLE, st.lists(CONDITIONS, min_size=1, max_size=5))
def test_the_design_effect_is_that_of_leaving_out_each_person(people, asked):
    """All rows are drawn, so a predicate succeeds where it holds for one person."""
    every = [(a, b) for a in range(4) for b in range(4)]
    made = compared(table(every), table(people), names=["a", "b"])
    code = [{str(v): i for i, v in enumerate(c.values)} for c in made.original.columns]
    tried = [Predicate(tuple((c, "is", code[c][str(v)]) for c, v in one)) for one in asked]
    found = singled_out(tried, SortedColumns.of(made.original), len(people))

    def succeeds(conditions, rows):
        return sum(all(row[c] == v for c, v in conditions) for row in rows) == 1

    changes = [
        [succeeds(one, people[:i] + people[i + 1 :]) - succeeds(one, people) for one in asked]
        for i in range(len(people))
    ]
    together = sum(sum(of_person) ** 2 for of_person in changes)
    alone = sum(one**2 for of_person in changes for one in of_person)
    effect = max(Fraction(together, alone), Fraction(1)) if alone else 1
    assert found.chances.tolist() == [float(succeeds(one, people)) for one in asked]
    assert found.n_independent == pytest.approx(max(len(asked) / effect, 1))


def test_tables_of_other_people_rarely_seem_to_hold_the_original():
    """One in six did, at 95%: hundreds of conditions held for the same few people."""
    alarms, n_runs, size = {True: 0, False: 0}, 150, 60
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)
        drawn = [
            pa.table({name: rng.integers(0, most, size) for name, most in
                      {"age": 70, "town": 8, "sex": 2, "pay": 80}.items()})
            for _ in range(3)
        ]  # fmt: skip
        made = compared(*drawn, names=drawn[0].column_names)
        tried = about_several_columns(SortedColumns.of(made.released), 3, 400, rng)
        both = [singled_out(tried, SortedColumns.of(one), size)
                for one in (made.original, made.control)]  # fmt: skip
        for counts_dependence in alarms:
            rates = [
                attack_rate(
                    one.chances.sum(),
                    len(tried),
                    n_independent=one.n_independent if counts_dependence else None,
                )
                for one in both
            ]
            alarms[counts_dependence] += due_to_release(*rates).interval[0] > 0
    assert alarms[True] <= n_runs * 0.08  # 2.5% on average, if the estimate were perfect
    assert alarms[False] > alarms[True] + 5  # so the test can fail


def test_a_copy_of_the_original_is_still_seen():
    rng = np.random.default_rng(1)
    rows, others = (pa.table({name: rng.integers(0, 90, 200) for name in "abc"}) for _ in range(2))
    made = compared(rows, rows, others, names=["a", "b", "c"])
    tried = about_several_columns(SortedColumns.of(made.released), 3, 400, rng)
    rates = []
    for people in (made.original, made.control):
        found = singled_out(tried, SortedColumns.of(people), 200)
        rates.append(
            attack_rate(found.chances.sum(), len(tried), n_independent=found.n_independent)
        )
    assert due_to_release(*rates).interval[0] > 0.9


def test_fewer_independent_attempts_give_a_wider_interval_around_the_same_share():
    assert attack_rate(50, 100, n_independent=100) == attack_rate(50, 100)
    wide, narrow = attack_rate(50, 100, n_independent=10), attack_rate(50, 100)
    assert wide.middle == narrow.middle == 0.5
    assert wide.error == attack_rate(5, 10).error > 2 * narrow.error
