"""Views chosen one after another, each where the fit so far is worst: AIM [McKenna2022].

1. Every column alone is measured.
2. In each round the view is chosen, with noise, whose fitted counts are furthest from the true
   ones, beyond the error that measuring it would leave; views that answer more of the workload
   count more. Candidates are the workload's views, parts of them, and the same with columns shown
   coarsely, as long as the model stays small.
3. The chosen view is measured and the fit renewed. Where the fit moved less than the noise, later
   rounds buy four times (with pure epsilon: twice) the precision.
4. The last round spends what is left.

A choice costs a fixed share of its round, which a verifier checks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gyges.arrays import IntArray
from gyges.dp.elimination_tree import model_cells
from gyges.dp.measurements import NoisyMarginal, Step, measure, total_of
from gyges.dp.mechanisms import Change, Measure, Noise, Price, choose_best
from gyges.dp.public_labels import Universe
from gyges.dp.universe import Histogram
from gyges.dp.view_fit import FittedViews, Terms, fit_views

# A choice is paid this share of its round; the rest buys the noise of the chosen view.
CHOICE_SHARE: dict[Measure, Fraction] = {"rho": Fraction(1, 10), "epsilon": Fraction(1, 4)}
_ROUNDS: dict[Measure, int] = {"rho": 3, "epsilon": 2}  # for each column, unless precision grows
_PRECISER: dict[Measure, int] = {"rho": 4, "epsilon": 2}  # price of half the noise
MOST_MODEL_CELLS = 1_000_000
MOST_VIEW_CELLS = 200_000
_FINE = 1000  # scores are counted in thousandths of a person
_SWEEPS = 60  # of the fit in each round; the published fit takes more
_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False, repr=False)
class _Candidate:
    columns: tuple[str, ...]
    weight: int  # how many columns it shares with the views of the workload, added up
    exact: IntArray


def first_price(price: Price) -> Price:
    """What measuring every column alone costs."""
    share = 1 - CHOICE_SHARE[price.measure]
    return Price(price.measure, price.amount * share / _ROUNDS[price.measure])


def round_price(price: Price, n_columns: int) -> Price:
    """What the first round costs; no later one costs less."""
    left = price.amount - first_price(price).amount
    return Price(price.measure, left / ((_ROUNDS[price.measure] - 1) * n_columns))


def choose_adaptively(
    histogram: Histogram,
    price: Price,
    *,
    change: Change,
    n_people: int | None,
    workload: Sequence[tuple[str, ...]],
) -> tuple[list[NoisyMarginal], list[Step]]:
    """Measure every column alone, then views of the workload where the fit is worst."""
    universe = histogram.universe
    alone = first_price(price)
    views = [(column,) for column in universe.columns]
    measured = measure(histogram, views, alone, change)
    steps = [Step.of(alone, measured)]
    candidates = _candidates(histogram, workload)
    left = price.amount - alone.amount
    spend = round_price(price, len(views)).amount
    found = _fit(universe, measured, n_people, {})
    while left:
        if left < 2 * spend:
            spend = left
        left -= spend
        chosen = _chosen(
            candidates,
            found,
            measured,
            universe,
            Price(price.measure, spend),
            change,
            allowed=1 - float(left / price.amount),
        )
        steps.append(Step(Price(price.measure, spend * CHOICE_SHARE[price.measure]), ()))
        rest = Price(price.measure, spend * (1 - CHOICE_SHARE[price.measure]))
        [new] = measure(histogram, [chosen.columns], rest, change)
        measured, before = [*measured, new], _counts(found, chosen)
        steps.append(Step.of(rest, [new]))
        found = _fit(universe, measured, n_people, found.terms)
        moved = float(np.abs(_counts(found, chosen) - before).sum())
        if moved <= _mean_error(new.noise) * new.counts.size:
            spend *= _PRECISER[price.measure]
    return measured, steps


def _mean_error(noise: Noise) -> float:
    """About the mean absolute noise of a count."""
    return noise.deviation * math.sqrt(2 / math.pi)


def _fit(
    universe: Universe, measured: Sequence[NoisyMarginal], n_people: int | None, start: Terms
) -> FittedViews:
    columns = [*universe.columns, *(one.name for one in universe.coarser)]
    return fit_views(
        universe.sizes(columns),
        [one.to_fit for one in measured],
        total_of(measured[: len(universe.columns)], n_people),
        masks=universe.masks(columns),
        start=start,
        sweeps=_SWEEPS,
        tolerance=_TOLERANCE,
    )


def _counts(found: FittedViews, candidate: _Candidate) -> np.ndarray:
    return found.model.marginal(candidate.columns) * found.total


def _candidates(histogram: Histogram, workload: Sequence[tuple[str, ...]]) -> list[_Candidate]:
    """Every part of a view of the workload, at every coarseness, that is not too large."""
    universe = histogram.universe
    parts = {
        part
        for view in workload
        for size in range(1, len(view) + 1)
        for part in itertools.combinations(view, size)
    }
    found = []
    for part in sorted(parts, key=lambda part: (len(part), [*map(universe.columns.index, part)])):
        weight = sum(len(set(part) & set(view)) for view in workload)
        chains = [universe.chain(column) if len(part) > 1 else [column] for column in part]
        found += [
            _Candidate(columns, weight, histogram.of(columns))
            for columns in itertools.product(*chains)
            if math.prod(universe.shape(columns)) <= MOST_VIEW_CELLS
        ]
    return found


def _chosen(
    candidates: Sequence[_Candidate],
    found: FittedViews,
    measured: Sequence[NoisyMarginal],
    universe: Universe,
    price: Price,
    change: Change,
    *,
    allowed: float,
) -> _Candidate:
    """The candidate with about the largest error, in a model that stays small."""
    share = CHOICE_SHARE[price.measure]
    known = {one.columns for one in measured}
    columns = [*universe.columns, *(one.name for one in universe.coarser)]
    together = [*known, *(names for names, _ in universe.masks(columns))]
    sizes = universe.sizes(columns)
    open_to = [
        one
        for one in candidates
        if one.columns in known
        or model_cells(sizes, [*together, one.columns]) <= allowed * MOST_MODEL_CELLS
    ]
    error = _expected_error(Price(price.measure, price.amount * (1 - share)), change)
    scores = [_score(one, found, error) for one in open_to]
    heaviest = max(one.weight for one in open_to)
    best = choose_best(
        scores,
        Price(price.measure, price.amount * share),
        most_changed=_FINE * heaviest * change.total,
    )
    return open_to[best]


def _score(candidate: _Candidate, found: FittedViews, error: float) -> int:
    """weight · (Σ |count - fitted| - cells · error), in thousandths, as a whole number.

    The fitted counts and the error are public, so one person moves the score by at most
    1000 · weight · (how much they change the counts).
    """
    fitted = np.rint(_counts(found, candidate) * _FINE).astype(np.int64)
    beyond = int(np.abs(candidate.exact * _FINE - fitted).sum())
    return candidate.weight * (beyond - round(candidate.exact.size * error * _FINE))


def _expected_error(price: Price, change: Change) -> float:
    """About the mean absolute noise of a count that a view gets for a price."""
    if price.measure == "epsilon":
        return change.in_l1(1) / float(price.amount)
    return math.sqrt(change.in_l2_squared(1) / (2 * float(price.amount))) * math.sqrt(2 / math.pi)
