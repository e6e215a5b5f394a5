"""Whether the rows that share a value of a column are rows of one person, counted in the engine.

A sample of the repeated values is counted together with the other columns. Rows stay in the engine;
at most `_MOST_ROWS` of them are counted for each column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.data.arrow_arrays import arrow_numbers, numbers_of
from gyges.data.column_names import is_quantity, is_trait
from gyges.data.encoding import dictionary, encoded, places_of
from gyges.data.repeated_people import (
    LEAST_VALUES,
    MOST_ROWS_EACH,
    CountedRows,
    identifies_people,
)
from gyges.data.source import COUNT, VALUE_CODE, Source
from gyges.data.values import Kind

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_VALUES = 1000  # of a column that are looked at
_MOST_ROWS = 20_000  # of these values
_MOST_OTHERS = 40  # columns that are compared
_LEAST_PAIRS = 10  # of rows that agree, before chance is ruled out


def agreeing_columns(source: Source, name: str, kind: Kind, others: Sequence[str]) -> list[str]:
    """The columns on which the rows with the same value of `name` agree as rows of a person do."""
    if kind is Kind.DATE or is_quantity(name):
        return []
    counted = source.count([name])
    column = encoded(counted.column(name), name)
    is_known = places_of(column) < len(column.dictionary)
    chosen = _chosen(numbers_of(counted.column(COUNT)), is_known)
    if len(chosen) < LEAST_VALUES or not _are_whole(column.dictionary):
        return []
    telling = sorted(others, key=lambda other: not is_trait(other))[:_MOST_OTHERS]
    rows = _counted_together(source, name, column, chosen, telling)
    found = identifies_people(rows, [is_trait(other) for other in telling])
    return [telling[i] for i in found]


def _chosen(counts: IntArray, is_known: BoolArray) -> IntArray:
    """The places of some values that have several rows, evenly spread."""
    repeated = np.flatnonzero((counts > 1) & is_known)
    if not len(repeated) or counts[is_known].mean() > MOST_ROWS_EACH:
        return repeated[:0]
    spread = repeated[:: max(1, len(repeated) // _MOST_VALUES)]
    return spread[np.cumsum(counts[spread]) <= _MOST_ROWS]


def _counted_together(
    source: Source, name: str, column: pa.DictionaryArray, chosen: IntArray, others: Sequence[str]
) -> CountedRows:
    """The rows with the chosen values, counted by value and all other columns."""
    import pyarrow as pa

    taken = column.take(arrow_numbers(chosen)).dictionary_decode()
    mapping = pa.table({name: taken, VALUE_CODE: arrow_numbers(np.arange(len(chosen)))})
    rows = source.recode([name], mapping, list(others)).count([VALUE_CODE, *others])
    who, *codes = (_codes(rows, one) for one in (VALUE_CODE, *others))
    return CountedRows(who, codes, numbers_of(rows.column(COUNT)))


def _codes(rows: pa.Table, name: str) -> IntArray:
    return places_of(encoded(rows.column(name), name)).astype(np.int64)


def _are_whole(values: pa.Array) -> bool:
    """Whether the values are texts or whole numbers: amounts with decimals number nobody."""
    import pyarrow as pa

    if not pa.types.is_floating(values.type):
        return not pa.types.is_decimal(values.type)
    return bool((numbers_of(values) % 1 == 0).all())


def may_be_same_people(source: Source, date: str, others: Sequence[str]) -> int:
    """The number of rows that agree with another row on all columns; 0 if chance explains it.

    Two different people born on the same day agree on the other, independent columns with
    probability Π Σ_v p_v². Rows beyond that belong to the same person, or to twins: the share must
    be above the midpoint between chance and certainty, and five standard deviations above chance.
    """
    counted = source.count([date, *others])
    people = np.asarray(numbers_of(counted.column(COUNT)), dtype=np.float64)
    held = {
        name: np.bincount(dictionary(counted.column(name), name)[1], weights=people).astype(
            np.float64
        )
        for name in (date, *others)
    }
    same_day, same_all = _pairs(held[date]), _pairs(people)
    chance = float(np.prod([((held[name] / people.sum()) ** 2).sum() for name in others]))
    spread = float(np.sqrt(same_day * chance * (1 - chance)))
    is_more = same_all > same_day * (1 + chance) / 2 and same_all - same_day * chance > 5 * spread
    return int(people[people > 1].sum()) if is_more and same_all >= _LEAST_PAIRS else 0


def _pairs(people: FloatArray) -> float:
    """The number of pairs of people who agree."""
    return float((people * (people - 1) / 2).sum())
