"""Noise from OpenDP: the discrete Laplace and Gaussian mechanisms, and the noisy best of several.

Each takes whole numbers and the most that one person can change them, finds the smallest scale of
noise within the price, and checks by OpenDP's privacy map that the price is not exceeded.
Randomness comes from the operating system, through OpenDP.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from gyges.arguments import choice
from gyges.arrays import IntArray
from gyges.data.rows_of_people import MOST_ROWS_OF_A_PERSON
from gyges.dp.accounting import lower, parameters
from gyges.dp.opendp import enabled, refusals
from gyges.errors import RuleError
from gyges.exact import upper_text, whole

Neighbours: TypeAlias = Literal["add or remove one person", "change one person"]
Measure: TypeAlias = Literal["epsilon", "rho"]
_ADD: Neighbours = "add or remove one person"
_SUMMED = 10_000.0  # the largest scale of which a mean is added up
LEAST_EPSILON, MOST_EPSILON = Fraction(1, 10**6), Fraction(10**6)
NoiseKind: TypeAlias = Literal["discrete Laplace", "discrete Gaussian"]


@dataclass(frozen=True, slots=True)
class Price:
    """What a mechanism may cost: ε of pure, or ρ of concentrated differential privacy."""

    measure: Measure
    amount: Fraction

    def share(self, parts: int, of: int) -> Price:
        """`parts` of `of` equal parts; prices of one measure add up."""
        return Price(self.measure, self.amount * parts / of)


@dataclass(frozen=True, slots=True)
class Change:
    """How much one person can change the counts of a histogram.

    Their m rows are added to counts or removed: by m in all (`total`), and one count by at most m
    (`of_a_count`). Changing a person does both: 2m in all, and still at most m for one count.
    """

    total: int
    of_a_count: int = 1

    def in_l1(self, views: int) -> int:
        """The change of `views` histograms together, as a sum of absolute changes."""
        return views * self.total

    def in_l2_squared(self, views: int) -> int:
        """The same as a sum of squares: at most their sum times the largest."""
        return views * self.total * self.of_a_count


@dataclass(frozen=True, slots=True)
class Guarantee:
    """(ε, δ)-differential privacy of a release [Ganta2008, Def. 11], and between which tables.

    `rho` is the concentrated loss, where that is what was spent. `rows` is how many rows of one
    person are counted at most: the promise is about people, not rows.
    """

    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    rho: Fraction | None = None
    rows: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", parameters(self.epsilon, 0)[0])
        object.__setattr__(self, "delta", parameters(0, self.delta)[1])
        choice(self.neighbours, get_args(Neighbours), "neighbours")
        whole(self.rows, "the rows of a person that are counted", 1, MOST_ROWS_OF_A_PERSON)
        if self.epsilon == 0:
            raise RuleError("epsilon is 0: nothing about the data could be published")
        if not LEAST_EPSILON <= self.epsilon <= MOST_EPSILON:
            raise RuleError(
                f"epsilon is {float(self.epsilon):.3g}: give one between 1e-6, where noise hides "
                f"everything, and 1e6, where it hides nothing"
            )
        if self.delta >= 1:
            raise RuleError(
                f"delta is {float(self.delta):.3g}: a delta of 1 or more promises nothing"
            )

    @property
    def change(self) -> Change:
        """How much one person can change a histogram."""
        return Change(self.rows if self.neighbours == _ADD else 2 * self.rows, self.rows)

    def __str__(self) -> str:
        delta = f", delta = {upper_text(self.delta)}" if self.delta else ""
        rows = f" with up to {self.rows:,} rows" if self.rows > 1 else ""
        return (
            f"differentially private with epsilon = {upper_text(self.epsilon, 6)}{delta} "
            f"(neighbouring tables: {self.neighbours}{rows})"
        )


@dataclass(frozen=True, slots=True)
class Noise:
    """The distribution that was added: P(x) ∝ exp(-|x|/scale), or exp(-x²/(2 scale²))."""

    kind: NoiseKind
    scale: float

    @property
    def deviation(self) -> float:
        """The standard deviation; of the Gaussian its scale, which is never below it."""
        if self.kind == "discrete Gaussian":
            return self.scale
        return math.sqrt(2 * math.exp(-1 / self.scale)) / -math.expm1(-1 / self.scale)

    @property
    def mean_absolute(self) -> float:
        """The mean of |x|: 1/sinh(1/scale) for the discrete Laplace; a sum for the Gaussian."""
        if self.kind == "discrete Laplace":
            q = math.exp(-1 / self.scale)
            return 2 * q / -math.expm1(-2 / self.scale)
        if self.scale > _SUMMED:
            return self.scale * math.sqrt(2 / math.pi)  # to 1/(12 scale²)
        x = np.arange(1, math.ceil(40 * self.scale) + 2)
        weights = np.exp(-((x / self.scale) ** 2) / 2)
        return float(2 * (x * weights).sum() / (1 + 2 * weights.sum()))

    def reach(self, doubt: float) -> int:
        """How far a count is moved at most, except with a probability of at most `doubt`.

        P(|x| > t) is 2 q^(t+1) / (1+q) with q = exp(-1/scale) for the discrete Laplace, and at most
        2 exp(-(t+1)²/(2 scale²)) for the discrete Gaussian [Canonne2020].
        """
        if self.kind == "discrete Gaussian":
            far = self.scale * math.sqrt(2 * math.log(2 / doubt))
        else:
            far = self.scale * math.log(2 / (doubt * (1 + math.exp(-1 / self.scale))))
        return max(math.ceil(far * (1 + 1e-9)) - 1, 0)


def add_noise(
    counts: IntArray, price: Price, *, change: Change, views: int = 1
) -> tuple[IntArray, Noise]:
    """Add noise for the given price to the concatenated counts of `views` histograms.

    One person changes each histogram's counts by `change`.
    """
    mechanism, noise = _noise_for(price, change, views)
    noisy = mechanism(np.ascontiguousarray(counts, dtype=np.int64).ravel().tolist())
    return np.array(noisy, dtype=np.int64), noise


def noise_for(price: Price, *, change: Change, views: int = 1) -> Noise:
    """The noise that `add_noise` adds for a price: known before anything is drawn."""
    return _noise_for(price, change, views)[1]


def _noise_for(price: Price, change: Change, views: int) -> tuple[Any, Noise]:
    kind: NoiseKind
    if price.measure == "epsilon":
        kind, start = "discrete Laplace", change.in_l1(views) / price.amount
    else:
        kind = "discrete Gaussian"
        start = Fraction(math.sqrt(change.in_l2_squared(views) / (2 * price.amount)))
    mechanism, scale = _smallest(
        lambda scale: _mechanism(Noise(kind, scale)),
        start,
        _moved(kind, change, views),
        price.amount,
    )
    return mechanism, Noise(kind, scale)


def loss_of(noise: Noise, *, change: Change, views: int = 1) -> Price:
    """What noise on `views` histograms costs, by OpenDP's own privacy map."""
    with refusals():
        loss = Fraction(_mechanism(noise).map(_moved(noise.kind, change, views)))
    return Price("epsilon" if noise.kind == "discrete Laplace" else "rho", loss)


def _mechanism(noise: Noise) -> Any:
    dp = enabled()
    cells = dp.vector_domain(dp.atom_domain(T="i64"))
    if noise.kind == "discrete Laplace":
        return dp.m.make_laplace(cells, dp.l1_distance(T="i64"), scale=noise.scale)
    return dp.m.make_gaussian(cells, dp.l2_distance(T="f64"), scale=noise.scale)


def _moved(kind: NoiseKind, change: Change, views: int) -> float:
    """How far one person moves the counts: in L1, or in L2 (rounded up) for Gaussian noise."""
    if kind == "discrete Laplace":
        return change.in_l1(views)
    return math.nextafter(math.sqrt(change.in_l2_squared(views)), math.inf)


def choose_best(scores: Sequence[int], price: Price, *, most_changed: int) -> int:
    """The place of a high score, chosen with noise.

    One person changes each score by at most `most_changed`.
    """
    dp = enabled()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    if price.measure == "epsilon":
        measure, start = dp.max_divergence(), 2 * most_changed / price.amount
    else:
        measure = dp.zero_concentrated_divergence()
        start = Fraction(math.sqrt(most_changed**2 / (2 * price.amount)))

    def make(scale: float) -> Any:
        return dp.m.make_noisy_max(*space, measure, scale=scale)

    mechanism, _ = _smallest(make, start, most_changed, price.amount)
    return int(mechanism([int(score) for score in scores]))


def _smallest(
    make: Callable[[float], Any], start: Fraction, d_in: float, amount: Fraction
) -> tuple[Any, float]:
    """The mechanism with the least scale from `start` on whose loss is within the price.

    `start` is the scale by the formula; OpenDP rounds losses up, so slightly more is needed.
    """
    least = lower(start)
    for steps in (0, *(2**i for i in range(20))):
        scale = least * (1 + steps * sys.float_info.epsilon)
        with refusals():
            mechanism = make(scale)
            if Fraction(mechanism.map(d_in)) <= amount:
                return mechanism, scale
    raise RuleError(f"no scale of noise was found for the price {float(amount):.3g}")
