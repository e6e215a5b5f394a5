"""A release beside its original: distributions, means, correlations, and the stated questions.

Exact figures of the original are for those who may see it: a release never carries them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gyges.arrays import IntArray
from gyges.data.cells import Domain
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.release.partition_of_cells import Partition
from gyges.utility.column_statistics import (
    CorrelationChange,
    MeanChange,
    correlation_changes,
    mean_changes,
)
from gyges.utility.grouping import Grouping, ShownAs
from gyges.utility.label_values import label_values
from gyges.utility.marginal_tables import (
    Axis,
    axes_of,
    estimated_shares,
    original_shares,
    variation,
)
from gyges.utility.prediction import PredictionChange, prediction_change
from gyges.utility.purpose import Purpose, Question

MOST_SHOWN = 10  # values or intervals of a distribution


@dataclass(frozen=True, slots=True)
class DistributionChange:
    """The shares of people by value, or by interval where a column has many numbers."""

    column: str
    values: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    distance: float  # the share of people that is counted under another value


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """How far the counts of a question are off.

    `error` is ½ Σ |p - p*| over the cells of its table, with p* from the spread table. `at_most`
    is a bound on it that holds for any data behind these labels: the mean over people of
    1 - Π 1/(values that a label covers), and 1 for a suppressed person. Spreading moves at most
    so much of each person into other cells.
    """

    columns: Question
    error: float
    at_most: float
    largest: float  # the largest error of one cell, as a share of people
    as_counted: tuple[str, ...]  # the columns, and which of them are counted in intervals


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """What became of a table's statistics in a release."""

    distributions: tuple[DistributionChange, ...]
    means: tuple[MeanChange, ...]
    correlations: tuple[CorrelationChange, ...]
    questions: tuple[QuestionChange, ...] = ()
    prediction: PredictionChange | None = None


def before_after(
    table: Table,
    group_of_row: IntArray,
    *,
    shown: ShownAs | None = None,
    purpose: Purpose | None = None,
) -> BeforeAfter:
    """Compare the rows of a table with their release in these groups; negative is suppressed."""
    grouping = Grouping.of_rows(table, group_of_row, shown)
    return grouping_before_after(grouping, table, lambda: group_of_row, purpose)


def grouping_before_after(
    grouping: Grouping,
    table: Table,
    group_of_row: Callable[[], IntArray],
    purpose: Purpose | None = None,
) -> BeforeAfter:
    """The same for people who are counted in their groups; only a prediction asks for the rows."""
    if purpose is None:
        return _compared(grouping, ())
    purpose.check(table)
    found = _compared(grouping, purpose.asked)
    if purpose.predict is None:
        return found
    return replace(found, prediction=prediction_change(table, group_of_row(), purpose.predict))


def partition_before_after(partition: Partition, questions: Sequence[Question]) -> BeforeAfter:
    """The same for a partition, from its counts alone; a question is a list of columns."""
    return _compared(Grouping.of_partition(partition), questions)


def _compared(grouping: Grouping, questions: Sequence[Question]) -> BeforeAfter:
    return BeforeAfter(
        distributions=_distributions(grouping),
        means=mean_changes(grouping),
        correlations=correlation_changes(grouping),
        questions=_questions(grouping, questions),
    )


def _distributions(grouping: Grouping) -> tuple[DistributionChange, ...]:
    axes, domains = axes_of(grouping, MOST_SHOWN), [*grouping.cells.domains]
    if len(axes) > len(domains):
        domains.append(grouping.cells.sensitive)
    return tuple(
        _distribution(grouping, axis, domain)
        for axis, domain in zip(axes.values(), domains, strict=True)
    )


def _distribution(grouping: Grouping, axis: Axis, domain: Domain) -> DistributionChange:
    before, after = original_shares(grouping, [axis]), estimated_shares(grouping, [axis])
    shown = np.flatnonzero((before > 0) | (after > 0))
    names, codes = [], np.flatnonzero(domain.present)
    for place in shown:
        inside = codes[axis.bin_of_code[codes] == place]
        inside = inside if len(inside) else np.flatnonzero(axis.bin_of_code == place)
        names.append(_bin_name(domain, inside))
    return DistributionChange(
        column=axis.name,
        values=tuple(names),
        before=tuple(before[shown].tolist()),
        after=tuple(after[shown].tolist()),
        distance=variation(before, after),
    )


def _bin_name(domain: Domain, codes: IntArray) -> str:
    if len(codes) == 1:
        return text_of(domain.values[codes[0]])
    if domain.is_ordered:
        return f"{text_of(domain.values[codes[0]])} to {text_of(domain.values[codes[-1]])}"
    return f"{len(codes):,} other values"


def _questions(grouping: Grouping, questions: Sequence[Question]) -> tuple[QuestionChange, ...]:
    axes, changes = axes_of(grouping), []
    for question in questions:
        about = [axes[name] for name in question]
        before, after = original_shares(grouping, about), estimated_shares(grouping, about)
        largest = float(np.abs(before - after).max(initial=0))
        at_most = _misplaced(grouping, [axis.column for axis in about if axis.column is not None])
        error, counted = variation(before, after), tuple(axis.as_counted for axis in about)
        changes.append(QuestionChange(question, error, at_most, largest, counted))
    return tuple(changes)


def _misplaced(grouping: Grouping, columns: list[int]) -> float:
    """How much of each person spreading puts into other cells, on average."""
    right = np.ones(grouping.n_groups)
    for column in columns:
        labels = label_values(grouping, column)
        right /= labels.lengths[labels.of_group]
    return 1 - float(right @ grouping.sizes) / max(grouping.n_people, 1)
