"""Answers with intervals: how many people have some labels, from the views of a noisy release.

An interval comes from one view that was measured, which is selected by how wide its intervals are
and never by its counts. So it covers the true number with at least the stated probability, by the
law of the noise alone. No view, no interval: what the fit says about columns that no view shows
together rests on the fit, whose error nobody can know.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gyges.arguments import items, mapping, shown
from gyges.arrays import IntArray
from gyges.dp.mechanisms import Noise
from gyges.dp.public_labels import Universe
from gyges.errors import RuleError
from gyges.exact import Number, counted, fraction, percent, readable_number


@dataclass(frozen=True, slots=True)
class NoisyAnswer:
    """How many people have some labels, as a noisy release shows it."""

    fitted: float  # by the distribution that was fitted, or by the synthetic people
    low: int | None  # the interval, where a view was measured that has the columns
    high: int | None
    confidence: Fraction
    unit: str = "person"  # or "row", where several rows of a person are counted

    def __str__(self) -> str:
        about = f"about {counted(round(self.fitted), self.unit)}"
        if self.low is None:
            return f"{about}; no interval, because no view was measured that has these columns"
        return (
            f"{about}; between {self.low:,} and {self.high:,} with a probability of at least "
            f"{percent(self.confidence)}"
        )


def interval_of(
    universe: Universe,
    views: Iterable[tuple[tuple[str, ...], IntArray, Noise]],
    wanted: Mapping[str, Sequence[int]],
    confidence: Fraction,
) -> tuple[int, int] | None:
    """The interval for the number of people with some labels; None where no view has the columns.

    Args:
        views: their columns, noisy counts and noise.
        wanted: the places of the labels, by column of the table; any of them is wanted.
    """
    found: list[tuple[int, int]] = []
    for columns, counts, noise in views:
        places = _places(universe, columns, wanted)
        if places is not None:
            cells = np.ix_(*places) if places else ()
            n_cells = math.prod(map(len, places))
            reach = reach_of_sum(noise, n_cells, float(1 - confidence))
            found.append((reach, int(counts[cells].sum())))
    if not found:
        return None
    reach, total = min(found, key=lambda one: one[0])
    return max(total - reach, 0), max(total + reach, 0)


def cell_intervals(
    columns: Sequence[str],
    views: Iterable[tuple[tuple[str, ...], IntArray, Noise]],
    confidence: Fraction,
) -> tuple[IntArray, IntArray] | None:
    """The ends of the interval of every cell of some columns; None where no view has them all.

    Every cell is a sum over the cells of one view, which is selected by how far its noise reaches.
    """
    found: list[tuple[int, IntArray]] = []
    for names, counts, noise in views:
        if set(columns) <= set(names):
            kept = [name for name in names if name in columns]
            others = tuple(place for place, name in enumerate(names) if name not in columns)
            n_cells = math.prod(counts.shape[place] for place in others)
            sums = counts.sum(axis=others) if others else counts
            turned = np.transpose(sums, [kept.index(name) for name in columns])
            found.append((reach_of_sum(noise, n_cells, float(1 - confidence)), turned))
    if not found:
        return None
    reach, totals = min(found, key=lambda one: one[0])
    return np.maximum(totals - reach, 0), np.maximum(totals + reach, 0)


def read_wanted(universe: Universe, given: object) -> dict[str, list[int]]:
    """Read {column: label or labels}, as places of labels."""
    wanted = {}
    for column, listed in mapping(given, "where", "{column: labels}").items():
        universe.check([str(column)])
        labels, name = universe.labels_of(str(column)), f"where: column {shown(column)}"
        texts = [listed] if isinstance(listed, (str, int)) else items(listed, name, "labels")
        unknown = [text for text in texts if str(text) not in labels]
        if unknown or not texts:
            what = f"{shown(unknown[0])} is not a label of it" if unknown else "no label is given"
            raise RuleError(f"{name}: {what}")
        wanted[str(column)] = sorted({labels.index(str(text)) for text in texts})
    return wanted


def read_confidence(given: Number) -> Fraction:
    """Read the probability with which an interval covers the true number."""
    confidence = fraction(given, "confidence")
    if not 0 < confidence < 1:
        raise RuleError(
            f"confidence is {readable_number(confidence)}: give one between 0 and 1, such as 0.95"
        )
    return confidence


def reach_of_sum(noise: Noise, n_cells: int, doubt: float) -> int:
    """How far the sum of the noise of some cells reaches, except with a probability of `doubt`.

    One cell: by its law. More: the discrete Gaussian is sub-Gaussian [Canonne2020], so a sum of k
    exceeds t with a probability of at most 2 exp(-t²/(2k scale²)); for the discrete Laplace with
    q = exp(-1/scale), by Chernoff: 2 min over x of exp(-xt) ((1-q)²/((1 - q e^x)(1 - q e^-x)))^k.
    """
    from scipy.optimize import minimize_scalar

    if n_cells == 0:
        return 0
    if n_cells == 1:
        return noise.reach(doubt)
    if noise.kind == "discrete Gaussian":
        return math.ceil(noise.scale * math.sqrt(2 * n_cells * math.log(2 / doubt)) * (1 + 1e-9))

    def needed(share: float) -> float:
        """The t at which Chernoff's bound with x = share/scale is the doubt."""
        x = share / noise.scale
        log_mgf = 2 * math.log(-math.expm1(-1 / noise.scale))
        log_mgf -= math.log(-math.expm1(x - 1 / noise.scale))
        log_mgf -= math.log(-math.expm1(-x - 1 / noise.scale))
        return (math.log(2 / doubt) + n_cells * log_mgf) / x

    best = minimize_scalar(needed, bounds=(1e-6, 1 - 1e-6), method="bounded")
    return math.ceil(float(best.fun) * (1 + 1e-9))


def _places(
    universe: Universe, columns: Sequence[str], wanted: Mapping[str, Sequence[int]]
) -> list[list[int]] | None:
    """The places of a view's labels that make up what is wanted; None where none do exactly."""
    if not set(wanted) <= {universe.base(column) for column in columns}:
        return None
    found = []
    for column in columns:
        n_labels = len(universe.labels_of(column))
        asked = wanted.get(universe.base(column))
        if asked is None:
            found.append(list(range(n_labels)))
            continue
        parts = universe.parts(column)
        met = sorted({int(parts[place]) for place in asked})
        if np.isin(parts, met).sum() != len(asked):
            return None
        found.append(met)
    return found
