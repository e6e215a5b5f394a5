"""What several noisy releases cost together: epsilon and delta add up, or something tighter."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from gyges.arguments import items
from gyges.dp.opendp import enabled, refusals
from gyges.errors import RuleError
from gyges.exact import Number, fraction


def compose(guarantees: Iterable[tuple[Number, Number]]) -> tuple[Fraction, Fraction]:
    """(Σε, Σδ): what releases promise together that promise (ε_i, δ_i) each [Ganta2008, Lemma 12].

    It holds for any releases, also if one depends on the others. The sum of deltas may exceed 1;
    then it promises nothing.

    >>> compose([("0.5", "1e-6"), ("0.25", 0)])
    (Fraction(3, 4), Fraction(1, 1000000))
    """
    epsilon = delta = Fraction(0)
    for number, one in enumerate(items(guarantees, "guarantees", "pairs (epsilon, delta)"), 1):
        pair = items(one, f"guarantees: number {number}", "two numbers, (epsilon, delta)")
        if len(pair) != 2:
            raise RuleError(
                f"guarantees: number {number} has {len(pair)} parts: give (epsilon, delta)"
            )
        e, d = parameters(*pair)  # type: ignore[arg-type]
        epsilon, delta = epsilon + e, delta + d
    return epsilon, delta


def parameters(epsilon: Number, delta: Number) -> tuple[Fraction, Fraction]:
    """Read epsilon and delta exactly; neither is negative."""
    e, d = fraction(epsilon, "epsilon"), fraction(delta, "delta")
    for name, value in (("epsilon", e), ("delta", d)):
        if value < 0:
            raise RuleError(f"{name} is {value}: give a number that is not negative")
    return e, d


def compose_tightly(guarantees: Iterable[tuple[Number, Number]], delta: Number) -> Fraction:
    """The least epsilon known to hold for all releases together at this total delta.

    The smaller of two bounds: the sums; or, for the releases with δ_i = 0, their losses as
    concentrated differential privacy (ρ_i = ε_i²/2, which adds up) converted to epsilon at the
    remaining delta [Bun2016], by OpenDP. The second is smaller for many small releases. The list
    must be fixed beforehand; for releases one after another see `Account`.
    """
    listed = [parameters(*one) for one in guarantees]
    sums = compose(listed)
    _, total = parameters(0, delta)
    if sums[1] > total:
        raise RuleError(
            f"the deltas of the releases add up to {float(sums[1]):.3g}, more than the total "
            f"delta {float(total):.3g}: give a larger one"
        )
    rho = sum((rho_of_epsilon(e) for e, d in listed if d == 0), start=Fraction(0))
    others = sum((e for e, d in listed if d > 0), start=Fraction(0))
    left = total - sums[1]
    return min(sums[0], others + epsilon_of_rho(rho, left)) if left > 0 else sums[0]


def rho_of_epsilon(epsilon: Fraction) -> Fraction:
    """The ρ of concentrated differential privacy that a release with (ε, 0) has: ε²/2 [Bun2016].

    Given by OpenDP, rounded up.
    """
    with refusals() as dp:
        pure = _constant(dp.max_divergence(), upper(epsilon))
        return Fraction(dp.c.make_pureDP_to_zCDP(pure).map(1))


def epsilon_of_rho(rho: Fraction, delta: Fraction) -> Fraction:
    """The epsilon that ρ means at a delta above 0, by OpenDP's conversion, rounded up."""
    with refusals() as dp:
        curve = dp.c.make_zCDP_to_approxDP(
            _constant(dp.zero_concentrated_divergence(), upper(rho))
        ).map(1)
        epsilon = curve.epsilon(lower(delta))
    if not math.isfinite(epsilon):
        raise RuleError(f"no finite epsilon holds at delta {float(delta):.3g}: give a larger delta")
    return Fraction(epsilon)


@lru_cache(maxsize=64)
def largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest ρ (up to rounding) that still means at most (ε, δ); δ is above 0."""
    if delta <= 0 or epsilon <= 0:
        raise RuleError("concentrated accounting needs an epsilon and a delta above 0")
    low, high = 0.0, 1.0
    while high < 1e12 and epsilon_of_rho(Fraction(high), delta) <= epsilon:
        low, high = high, high * 2
    for _ in range(60):  # each step halves the gap: far below what a double resolves
        middle = (low + high) / 2
        if epsilon_of_rho(Fraction(middle), delta) <= epsilon:
            low = middle
        else:
            high = middle
    if low == 0.0:
        raise RuleError(f"epsilon is {float(epsilon):.3g}: too small to be accounted for")
    return Fraction(low)


def upper(number: Fraction) -> float:
    """The least double that is not below the number."""
    near = float(number)
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)


def lower(number: Fraction) -> float:
    """The greatest double that is not above the number."""
    near = float(number)
    return near if Fraction(near) <= number else math.nextafter(near, -math.inf)


def _constant(measure: object, loss: float) -> object:
    """An OpenDP measurement with this known loss, for OpenDP to convert."""
    dp = enabled("honest-but-curious")
    return dp.m.make_user_measurement(
        dp.atom_domain(T=bool),
        dp.discrete_distance(),
        measure,
        lambda _: 0,
        lambda _: loss,
    )
