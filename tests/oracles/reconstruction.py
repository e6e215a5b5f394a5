"""All tables of small counts whose sums are near to published ones, one after the other."""

from __future__ import annotations

from itertools import product


def near_tables(parts, answers, reach, most):
    """Every table with counts up to `most` in which no sum is further away than its reach.

    parts[h][i] is the number of the sum of histogram h that count i is in.
    """
    return [
        table
        for table in product(range(most + 1), repeat=len(parts[0]))
        if all(
            abs(sum(n for n, own in zip(table, part, strict=True) if own == number) - answer) <= far
            for part, listed, far in zip(parts, answers, reach, strict=True)
            for number, answer in enumerate(listed)
        )
    ]


def misfit(table, parts, answers, reach):
    """Σ |sum - answer| / reach, where a reach of 0 counts as 1."""
    return sum(
        abs(sum(n for n, own in zip(table, part, strict=True) if own == number) - answer)
        / max(far, 1)
        for part, listed, far in zip(parts, answers, reach, strict=True)
        for number, answer in enumerate(listed)
    )
