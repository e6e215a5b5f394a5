"""Linking and inferring by the nearest rows of a released table.

Linkability: the attacker knows some columns of a person from one source and others from another,
and wants to know whether both are one person. If the released row nearest by the first columns is
the one nearest by the others, it links them. Inference: the attacker knows all columns of a person
but one, and takes its value from the nearest released row. Where several rows are equally near, one
is taken at random: the result is the probability of success (WP29, Opinion 05/2014; [Giomi2023]).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gyges.adversaries.compared_rows import ComparedRows
from gyges.arrays import FloatArray

CLOSE = 0.05  # a number counts as inferred within this share of its true value


def linked(
    released: ComparedRows, targets: ComparedRows, first: Sequence[int], second: Sequence[int]
) -> FloatArray:
    """For each target, the probability that the row nearest by each half is the same one."""
    rows, of_row = zip(*(released.distinct(half) for half in (first, second)), strict=True)
    pairs, n_pairs = np.unique(np.stack(of_row), axis=1, return_counts=True)
    sizes = [np.bincount(of) for of in of_row]
    wanted, of_target = targets.distinct([*first, *second])
    found = np.zeros(len(wanted))
    for i, codes in enumerate(wanted):
        near = [
            released.nearest(half_codes, half, of)
            for half_codes, half, of in zip(
                (codes[: len(first)], codes[len(first) :]), (first, second), rows, strict=True
            )
        ]
        both = int(n_pairs[near[0][pairs[0]] & near[1][pairs[1]]].sum())
        n_first, n_second = (int(n[is_near].sum()) for n, is_near in zip(sizes, near, strict=True))
        found[i] = both / (n_first * n_second)
    return found[of_target]


def inferred(
    released: ComparedRows, targets: ComparedRows, known: Sequence[int], secret: int
) -> FloatArray:
    """For each target, the probability that the nearest row by `known` has their secret value.

    A number counts as found if it is within `CLOSE` of the true one.
    """
    rows, of_row = released.distinct(known)
    secrets, n_values = released.codes[:, secret], len(released.columns[secret].values)
    wanted, of_target = targets.distinct([*known, secret])
    close = _close_values(released, secret)
    found, before, counts = np.zeros(len(wanted)), None, np.zeros(n_values, dtype=np.int64)
    for i, codes in enumerate(wanted):
        if before is None or (codes[:-1] != before).any():  # targets who differ in the secret only
            before = codes[:-1]
            near = released.nearest(before, known, rows)
            counts = np.bincount(secrets[near[of_row]], minlength=n_values)
        low, high = close[int(codes[-1])]
        found[i] = counts[low:high].sum() / counts.sum()
    return found[of_target]


def _close_values(released: ComparedRows, secret: int) -> list[tuple[int, int]]:
    """For each value of a column, the codes that count as its value: from, and up to before."""
    column = released.columns[secret]
    if column.places is None or not all(isinstance(v, (int, float)) for v in column.values[:-1]):
        return [(code, code + 1) for code in range(len(column.values))]
    values = np.array(column.values[:-1], dtype=np.float64)
    reach = CLOSE * np.abs(values)
    lows = np.searchsorted(values, values - reach, side="left")
    highs = np.searchsorted(values, values + reach, side="right")
    last = len(values)
    return [*zip(lows.tolist(), highs.tolist(), strict=True), (last, last + 1)]
