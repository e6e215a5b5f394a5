"""Linking and inferring by the nearest rows of a released table.

Linkability: the attacker knows some columns of a person from one source and others from another,
and wants to know whether both are one person. If the released row nearest by the first columns is
the one nearest by the others, it links them. Inference: the attacker knows all columns of a person
but one, and takes its value from the nearest released row. Where several rows are equally near, one
is taken at random: the result is the probability of success [WP29], [Giomi2023]. Labels that
cover fewer values are nearer than others at the same distance (`NearestRows`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gyges.adversaries.compared_rows import ComparedRows, NearestRows
from gyges.adversaries.shown_labels import ShownLabels
from gyges.arrays import FloatArray, IntArray

CLOSE = 0.05  # a number counts as inferred within this share of its true value


def linked(
    released: ComparedRows, targets: ComparedRows, first: Sequence[int], second: Sequence[int]
) -> FloatArray:
    """For each target, the probability that the row nearest by each half is the same one."""
    halves = [NearestRows.of(released, half) for half in (first, second)]
    of_rows = np.stack([half.of_row for half in halves])
    pairs, n_pairs = np.unique(of_rows[:, (of_rows >= 0).all(axis=0)], axis=1, return_counts=True)
    starts = np.searchsorted(pairs[0], np.arange(len(halves[0]) + 1))
    wanted, of_target = targets.distinct([*first, *second])
    sides = (wanted[:, : len(first)], wanted[:, len(first) :])
    found, is_near = np.zeros(len(wanted)), np.zeros(len(halves[1]), dtype=bool)
    near = [half.to_each(side) for half, side in zip(halves, sides, strict=True)]
    for i, (by_first, by_second) in enumerate(zip(*near, strict=True)):
        is_near[by_second] = True
        both = 0
        for row in by_first.tolist():
            its = slice(starts[row], starts[row + 1])
            both += int(n_pairs[its][is_near[pairs[1][its]]].sum())
        is_near[by_second] = False
        n_first, n_second = halves[0].sizes[by_first].sum(), halves[1].sizes[by_second].sum()
        found[i] = both / (int(n_first) * int(n_second))
    return found[of_target]


def inferred(
    released: ComparedRows, targets: ComparedRows, known: Sequence[int], secret: int
) -> FloatArray:
    """For each target, the probability that the nearest row by `known` has their secret value.

    A number counts as found if it is within `CLOSE` of the true one. A label is a guess at random
    among the values that it covers.
    """
    rows = NearestRows.of(released, known)
    labels = released.columns[secret].labels
    if labels is not None:
        return _inferred_from_labels(rows, labels, targets, known, secret)
    n_values = len(released.columns[secret].values)
    says = rows.of_row >= 0
    values = rows.of_row[says] * n_values + released.codes[says, secret]
    values.sort()  # by row, then by value
    lows, highs = _close_values(released, secret)
    wanted, of_target = targets.distinct([*known, secret])
    found = np.zeros(len(wanted))
    for first, last, near, starts in rows.batches(wanted[:, :-1]):
        low, high = (
            np.repeat(ends[wanted[first:last, -1]], np.diff(starts)) for ends in (lows, highs)
        )
        hits = np.searchsorted(values, near * n_values + high)
        hits -= np.searchsorted(values, near * n_values + low)
        n_hits, n_near = (np.add.reduceat(n, starts[:-1]) for n in (hits, rows.sizes[near]))
        found[first:last] = n_hits / n_near
    return found[of_target]


def _inferred_from_labels(
    rows: NearestRows,
    labels: ShownLabels,
    targets: ComparedRows,
    known: Sequence[int],
    secret: int,
) -> FloatArray:
    """The same where the secret is shown by labels."""
    from scipy.sparse import csr_array

    lows, highs = _close_values(targets, secret)
    before = np.concatenate([np.zeros((len(labels.covers), 1)), labels.covers.cumsum(axis=1)], 1)
    chances = (before[:, highs] - before[:, lows]) / np.maximum(before[:, -1:], 1)
    says = rows.of_row >= 0
    shown = (np.ones(says.sum()), (rows.of_row[says], rows.rows.codes[says, secret]))
    times = csr_array(shown, shape=(len(rows), len(labels.covers)))  # that a row shows a label
    wanted, of_target = targets.distinct([*known, secret])
    found = np.zeros(len(wanted))
    for i, near in enumerate(rows.to_each(wanted[:, :-1])):
        shown_near = times[near].sum(axis=0)
        found[i] = shown_near @ chances[:, wanted[i, -1]] / rows.sizes[near].sum()
    return found[of_target]


def _close_values(released: ComparedRows, secret: int) -> tuple[IntArray, IntArray]:
    """For each value of a column, the codes that count as its value: from, and up to before."""
    column = released.columns[secret]
    codes = np.arange(len(column.values))
    lows, highs = codes.copy(), codes + 1
    known = column.values[: column.n_known]
    if column.is_ordered and all(isinstance(value, (int, float)) for value in known):
        values = np.array(known, dtype=np.float64)
        reach = CLOSE * np.abs(values)
        lows[:-1] = np.searchsorted(values, values - reach, side="left")
        highs[:-1] = np.searchsorted(values, values + reach, side="right")
    return lows, highs
