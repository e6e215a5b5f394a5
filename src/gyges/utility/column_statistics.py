"""Means and correlations of number columns: of the original, and what a release shows of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.data.cells import Domain
from gyges.data.values import Kind, Value
from gyges.utility.grouping import Grouping
from gyges.utility.label_values import LabelValues, label_values


@dataclass(frozen=True, slots=True)
class MeanChange:
    """The mean of a column, and an interval from the release that certainly contains it.

    Every person's value is one that their label covers, so the mean is between those of the least
    and of the greatest values of the labels. A suppressed person may have any value of the column.
    Both ends are exact. They use the values of the table: a reader who knows only where a label
    begins and ends gets an interval at least as wide.
    """

    column: str
    before: Fraction
    lowest: Fraction
    highest: Fraction
    estimate: float  # of the spread table: everyone at the mean of what their label covers


@dataclass(frozen=True, slots=True)
class CorrelationChange:
    """Pearson's correlation of two columns; None where one of them does not vary.

    `after` is that of the spread table, in which people are spread evenly over what their labels
    cover, independently in each column. It is an estimate: a release does not bound it tightly.
    """

    columns: tuple[str, str]
    before: float | None
    after: float | None


def mean_changes(grouping: Grouping) -> tuple[MeanChange, ...]:
    """The mean of every quasi-identifier that is a number."""
    if grouping.n_people == 0:
        return ()
    return tuple(
        _mean_change(grouping, column)
        for column, domain in enumerate(grouping.cells.domains)
        if domain.kind == Kind.NUMBER
    )


def _mean_change(grouping: Grouping, column: int) -> MeanChange:
    cells, people, out = grouping.cells, grouping.sizes, grouping.n_left_out
    domain, labels = cells.domains[column], label_values(grouping, column)
    size, n = len(domain), grouping.n_people
    at_value = _people_at(cells.codes[:, column], cells.people, size)
    at_low, at_high = (_people_at(end[labels.of_group], people, size) for end in labels.extents())
    at_low[0] += out
    at_high[-1] += out
    middle = float(labels.means(domain.positions)[labels.of_group] @ people)
    return MeanChange(
        column=domain.name,
        before=_exact_sum(at_value, domain.values) / n,
        lowest=_exact_sum(at_low, domain.values) / n,
        highest=_exact_sum(at_high, domain.values) / n,
        estimate=middle / int(people.sum()) if len(people) else math.nan,
    )


def _people_at(codes: IntArray | CodeArray, people: IntArray, size: int) -> IntArray:
    return np.bincount(codes, weights=people, minlength=size).astype(np.int64)


def _exact_sum(counts: IntArray, values: Sequence[Value]) -> Fraction:
    """Σ count · value without rounding; a decimal number is taken by its shortest text."""
    used = np.flatnonzero(counts).tolist()
    return sum((int(counts[code]) * _exact(values[code]) for code in used), start=Fraction(0))


def _exact(value: Value) -> Fraction:
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


def correlation_changes(grouping: Grouping) -> tuple[CorrelationChange, ...]:
    """The correlation of every two number columns, the sensitive one too with one value each."""
    everyone, before = _original_numbers(grouping)
    published, after = _spread_numbers(grouping)
    return tuple(
        CorrelationChange(
            columns=(one, other),
            before=_correlation(everyone, before[one], before[other]),
            after=_correlation(published, after[one], after[other]),
        )
        for one, other in combinations(before, 2)
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Numbers:
    """A number column in units of people: its mean and variance in each unit."""

    mean: FloatArray
    within: FloatArray
    varies: bool  # decided by codes, not by sums that are rounded


def _correlation(people: IntArray, one: _Numbers, other: _Numbers) -> float | None:
    if not (one.varies and other.varies):
        return None
    n = float(people.sum())
    a, b = one.mean - one.mean @ people / n, other.mean - other.mean @ people / n
    spread = float((a * a + one.within) @ people) * float((b * b + other.within) @ people)
    return float((a * b) @ people) / spread**0.5 if spread > 0 else None


def _original_numbers(grouping: Grouping) -> tuple[IntArray, dict[str, _Numbers]]:
    """Every cell with each of its values is a unit, in which nothing varies."""
    cells, sensitive = grouping.cells, _sensitive(grouping)
    at = np.arange(len(cells)) if sensitive is None else cells.cell_of_entry
    numbers = {
        domain.name: _exact_numbers(domain, cells.codes[at, column])
        for column, domain in enumerate(cells.domains)
        if domain.kind == Kind.NUMBER
    }
    if sensitive is None:
        return cells.people, numbers
    return cells.value_counts, numbers | {
        sensitive.name: _exact_numbers(sensitive, cells.value_codes)
    }


def _spread_numbers(grouping: Grouping) -> tuple[IntArray, dict[str, _Numbers]]:
    """Every group with each of its values is a unit, in which people are spread evenly."""
    sensitive = _sensitive(grouping)
    groups = None if sensitive is None else grouping.groups
    at = np.arange(grouping.n_groups) if groups is None else groups.group_of_entry
    numbers = {
        domain.name: _label_numbers(domain, label_values(grouping, column), at)
        for column, domain in enumerate(grouping.cells.domains)
        if domain.kind == Kind.NUMBER
    }
    if sensitive is None or groups is None:
        return grouping.sizes, numbers
    return groups.value_counts, numbers | {
        sensitive.name: _exact_numbers(sensitive, groups.value_codes)
    }


def _exact_numbers(domain: Domain, codes: CodeArray) -> _Numbers:
    varies = bool(len(codes)) and bool(codes.min() != codes.max())
    return _Numbers(domain.positions[codes], np.zeros(len(codes)), varies)


def _label_numbers(domain: Domain, labels: LabelValues, group_of_unit: IntArray) -> _Numbers:
    """Numbers are taken from the middle of the covered values: one far away loses no digits."""
    label, (low, high) = labels.of_group[group_of_unit], labels.extents()
    covered = labels.covered(len(domain))
    middle = float(domain.positions[covered].mean()) if covered.any() else 0.0
    number = np.where(covered, domain.positions - middle, 0.0)
    mean, squares = labels.means(number), labels.means(number * number)
    within = np.where(labels.lengths == 1, 0.0, np.maximum(squares - mean * mean, 0.0))
    varies = bool(len(label)) and bool(low.min() != high.max())
    return _Numbers(mean[label], within[label], varies)


def _sensitive(grouping: Grouping) -> Domain | None:
    """The sensitive column, if it is a number and every person has one value."""
    sensitive = grouping.cells.sensitive
    is_number = grouping.has_one_value_each and sensitive.kind == Kind.NUMBER
    return sensitive if is_number and len(sensitive) else None
