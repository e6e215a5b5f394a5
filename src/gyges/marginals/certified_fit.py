"""The maximum entropy distribution of views that do not decompose, with a proven error.

It is p(x) = w(x) Π f_v(x_v) with one factor for each count of each view, positive wherever some
consistent table has people, and w(x) the number of values that a cell of labels stands for. The
factors are found by proportional fitting and Newton's method, in double precision. Then it is
*proven* that in every cell, however small, the true distribution is within a factor exp(±error) of
the fitted one:

1. Cells said to be impossible are so: a combination of the counts, in whole numbers, is 0 and has
   positive weight on them and none on the others (Farkas).
2. On the other cells write p = q·exp(u), u = Nᵀv for the independent sums N (row_space.py). With
   R near the inverse of H = N diag(q) Nᵀ, and F = N q - N-sums of the counts, the map
   v → v - R·(N (q exp(Nᵀv)) - N-sums) sends the set |Nᵀv| <= ρ into itself where

       |Nᵀ R F| + |Nᵀ(1 - R H)| ρ + κ (exp(ρ) - 1 - ρ) <= ρ,      κ = max Σ |Nᵀ R| |N| q.

   So it has a fixed point there (Brouwer), which is the distribution with the published counts and
   this form, hence the one of maximum entropy. Every product and sum above is bounded together
   with its rounding, γ_n = n·eps/(1 - n·eps) for n terms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gyges.arrays import FloatArray, IntArray, frozen
from gyges.errors import RuleError
from gyges.marginals.counts import ViewCounts
from gyges.marginals.fitting import refuse_large
from gyges.marginals.induced import Attribute, Resolution
from gyges.marginals.row_space import RowSpace, row_space
from gyges.marginals.support import (
    incidence,
    incidence_matrix,
    open_cells,
    prove_impossible,
    reachable,
)

MOST_WORK = 4_000_000_000  # counts² × cells: the time of the linear algebra
MOST_ENTRIES = 30_000_000  # counts × cells: its memory
SMALLEST = 1e-250  # people in a cell; smaller ones are not rounded relative to themselves
LARGEST_ERROR = 1e-3  # a larger one decides nothing
_ROUNDS = 300  # of proportional fitting before Newton's method
_STEPS = 60  # of Newton's method
_EPS = 2.0**-53


@dataclass(frozen=True, slots=True, eq=False)
class CertifiedFit:
    """Cells of the table and the people in each, true up to a factor exp(±error)."""

    finest: Resolution
    cells: IntArray  # cells × attributes, as labels of the finest published level
    people: FloatArray
    error: float | None  # None: no bound could be proven

    def __post_init__(self) -> None:
        frozen(self.people)


def certified_fit(attributes: Sequence[Attribute], views: Sequence[ViewCounts]) -> CertifiedFit:
    """Fit views that do not decompose and bound the error of the fit in every cell."""
    attributes = tuple(attributes)
    finest = tuple(map(max, zip(*(view.resolution for view in views), strict=True)))
    refuse_large(attributes, finest)
    cells = np.argwhere(open_cells(attributes, finest, views))
    _refuse_much_work(len(cells), sum(map(len, views)))
    reached = reachable(incidence(cells, attributes, finest, views))
    rows = incidence(cells[reached], attributes, finest, views)
    model = _Model.of(cells[reached], rows, attributes, finest)
    model.scale(_ROUNDS)
    excluded = incidence(cells[~reached], attributes, finest, views)
    is_proven = bool(reached.all()) or prove_impossible(rows, excluded)
    error = model.polish() if is_proven else None
    return CertifiedFit(finest, cells[reached], model.people(), error)


def _refuse_much_work(n_cells: int, n_counts: int) -> None:
    if n_counts**2 * n_cells > MOST_WORK or n_counts * n_cells > MOST_ENTRIES:
        raise RuleError(
            f"these views do not decompose, and they have {n_counts:,} counts of {n_cells:,} "
            f"combinations, too many to bound the error of fitting them: drop a view or coarsen a "
            f"column so that they decompose"
        )


@dataclass(slots=True, eq=False)
class _Model:
    """Factors by view, and the people that they give in each cell."""

    weights: FloatArray  # by cell
    places: list[IntArray]  # by view: the count that each cell belongs to
    counts: list[IntArray]  # by view
    factors: list[FloatArray]  # by view, one for each count

    @classmethod
    def of(
        cls,
        cells: IntArray,
        rows: list[tuple[IntArray, IntArray]],
        attributes: Sequence[Attribute],
        finest: Resolution,
    ) -> _Model:
        weights = np.ones(len(cells))
        for place, (attribute, r) in enumerate(zip(attributes, finest, strict=True)):
            weights *= attribute.leaves[r][cells[:, place]]
        factors = [np.ones(len(people)) for _, people in rows]
        model = cls(weights, [place for place, _ in rows], [people for _, people in rows], factors)
        factors[0] *= float(model.counts[0].sum()) / weights.sum()
        return model

    def people(self) -> FloatArray:
        """w(x) Π f_v(x_v): rounded once for each factor."""
        product = self.weights.copy()
        for place, factor in zip(self.places, self.factors, strict=True):
            product *= factor[place]
        return product

    @property
    def rounding(self) -> float:
        """How far a cell may be from the product of its factors, relative to itself."""
        return _gamma(len(self.factors) + 2)

    def scale(self, rounds: int) -> None:
        """Proportional fitting [Kifer2006, Sect. 5.1], a fixed number of rounds."""
        for _ in range(rounds):
            for place, count, factor in zip(self.places, self.counts, self.factors, strict=True):
                fitted = np.bincount(place, weights=self.people(), minlength=len(count))
                factor *= np.divide(count, fitted, out=np.ones(len(count)), where=fitted > 0)

    def polish(self) -> float | None:
        """Newton steps until the error that can be proven stops falling; that error."""
        rows = list(zip(self.places, self.counts, strict=True))
        matrix = incidence_matrix(rows).toarray().astype(np.float64)
        counts = np.concatenate(self.counts)
        best: float | None = None
        best_factors = [factor.copy() for factor in self.factors]
        for _ in range(_STEPS):
            people = self.people()
            if not (np.isfinite(people).all() and people.min() > SMALLEST):
                break
            space = row_space(matrix, counts, people)
            if space is None:
                break
            bound = _Bound.of(space, people, counts, self.rounding)
            if bound is None:
                break
            if bound.error is not None:
                if best is not None and bound.error > best / 2:
                    break
                best, best_factors = bound.error, [factor.copy() for factor in self.factors]
            self._move(space.taken.T @ bound.step)
        self.factors = best_factors
        return best

    def _move(self, step: FloatArray) -> None:
        """Multiply the factors by exp(step), a shorter step where cells would change too much."""
        starts = np.cumsum([len(count) for count in self.counts])[:-1]
        parts = np.split(step, starts)
        change = sum(part[place] for part, place in zip(parts, self.places, strict=True))
        length = min(1.0, 1.0 / max(float(np.abs(change).max()), 1e-300))
        for factor, part in zip(self.factors, parts, strict=True):
            factor *= np.exp(length * part)


@dataclass(frozen=True, slots=True, eq=False)
class _Bound:
    """One Newton step, and the error that is proven before it is taken (None: none is)."""

    step: FloatArray  # by independent sum
    error: float | None

    @classmethod
    def of(
        cls, space: RowSpace, people: FloatArray, counts: IntArray, rounding: float
    ) -> _Bound | None:
        sums, n = space.sums, len(people)
        hessian = (sums * people) @ sums.T
        scale = np.sqrt(np.diag(hessian))
        try:
            inverse = np.linalg.inv(hessian / np.outer(scale, scale)) / np.outer(scale, scale)
        except np.linalg.LinAlgError:
            return None
        rest = _residual(space, people, counts)
        step = -inverse @ rest
        m, absolute = len(sums), np.abs(sums)
        applied = sums.T @ inverse
        applied_most = np.abs(applied) + _gamma(m) * (absolute.T @ np.abs(inverse))
        inside = absolute @ people * (1 + _gamma(n) + rounding)  # Σ |N| q
        hessian_most = (absolute * people) @ absolute.T
        left = np.abs(sums.T - applied @ hessian).sum(axis=1)
        left += (_gamma(2 * m + n + 4) + 2 * rounding) * (applied_most @ hessian_most.sum(axis=1))
        left += _gamma(m) * (absolute.T @ np.abs(inverse)) @ hessian_most.sum(axis=1)
        contraction = 1.001 * float(left.max()) / space.factor
        first = np.abs(applied @ rest)
        first += _gamma(m + 2) * (applied_most @ np.abs(rest))
        first += applied_most @ (inside * (rounding + 4 * _EPS))
        kappa = 1.001 * float((applied_most @ inside).max())
        return cls(step, _smallest_radius(1.001 * float(first.max()), contraction, kappa, rounding))


def _smallest_radius(
    first: float, contraction: float, kappa: float, rounding: float
) -> float | None:
    """A ρ with first + contraction·ρ + κ (exp(ρ) - 1 - ρ) <= ρ, and the rounding of the cells.

    exp(ρ) - 1 - ρ <= ρ² for ρ <= 1.
    """
    if not (math.isfinite(first) and math.isfinite(kappa) and contraction < 0.5):
        return None
    radius = 1.5 * first / (1 - contraction)
    if radius > LARGEST_ERROR or first + contraction * radius + kappa * radius**2 > radius:
        return None
    return radius + 2 * rounding


def _residual(space: RowSpace, people: FloatArray, counts: IntArray) -> FloatArray:
    """N q - N-sums of the counts, each sum rounded once (the products by eps of themselves)."""
    stated = space.taken.astype(int).astype(object) @ counts.astype(object)
    products = space.sums * people
    return np.array(
        [
            math.fsum([*row[row != 0].tolist(), *_parts(-int(total))])
            for row, total in zip(products, stated, strict=True)
        ]
    )


def _parts(number: int) -> list[float]:
    """A whole number as doubles that add up to it exactly."""
    head = float(number)
    rest = number - int(head)
    return [head, float(rest)] if rest else [head]


def _gamma(n: int) -> float:
    return n * _EPS / (1 - n * _EPS)
