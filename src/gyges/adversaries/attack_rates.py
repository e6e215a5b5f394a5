"""How often an attack succeeds, and how much of that is due to a release.

A rate is estimated from attempts by Wilson's interval. The same attack on people who are not in the
release (a control) shows what is learned from anyone's data: only the rest is due to the release
[Giomi2023].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from gyges.arguments import shown
from gyges.errors import RuleError


@dataclass(frozen=True, slots=True)
class AttackRate:
    """A probability: the middle of an interval, and how far it reaches to either side."""

    middle: float
    error: float

    @property
    def interval(self) -> tuple[float, float]:
        """The interval, within 0 and 1; an end that is 0 or 1 but for rounding is exact."""
        low, high = round(self.middle - self.error, 12), round(self.middle + self.error, 12)
        return max(low, 0.0), min(high, 1.0)


def attack_rate(
    n_successes: float,
    n_attempts: int,
    confidence: float = 0.95,
    n_independent: float | None = None,
) -> AttackRate:
    """Wilson's interval for the probability of success.

    Attempts that depend on each other count as fewer: as `n_independent` ones.

    >>> rate = attack_rate(850, 1000)
    >>> round(rate.middle, 3), round(rate.error, 3)
    (0.849, 0.022)
    """
    if not 0 <= n_successes <= n_attempts or n_attempts < 1:
        raise RuleError(
            f"{shown(n_successes)} of {shown(n_attempts)} attempts: give at least one attempt, and "
            f"no more successes than attempts"
        )
    if not 0 < confidence < 1:
        raise RuleError(f"confidence is {shown(confidence)}: give a number between 0 and 1")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    attempts = n_attempts if n_independent is None else n_independent
    share, n = n_successes / n_attempts, attempts + z * z
    spread = attempts * share * (1 - share) + z * z / 4
    return AttackRate((attempts * share + z * z / 2) / n, z / n * math.sqrt(spread))


def due_to_release(attack: AttackRate, control: AttackRate) -> AttackRate:
    """(a - c) / (1 - c): the share of what chance and the public leave open that the attack gains.

    Its error is that of a and c, propagated to first order.
    """
    left = 1 - control.middle
    risk = (attack.middle - control.middle) / left
    by_attack = attack.error / left
    by_control = (attack.middle - 1) / left**2 * control.error
    return AttackRate(max(risk, 0.0), math.hypot(by_attack, by_control))
