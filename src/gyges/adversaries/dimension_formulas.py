"""The statistics of the attacker with three kinds of knowledge, exactly.

kernels/log_ratios.py has the same formulas in logarithms: they find the minima, these decide close
calls. A signature is (n people, s occurrences of the value, the counts of the l most frequent
other values, or their sum where only the sum matters).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from gyges.kernels import log_ratios as kernel
from gyges.long_fraction import LONG, power, product

_DIGITS = 60
_CLEAR = Decimal("1e-40")  # far above the rounding of logarithms with so many digits


@dataclass(frozen=True, slots=True, eq=False)
class Quotient:
    """Π base^exponent / Π (b^s - a^s), exact and not reduced; no number is negative.

    With 70,000 people in one group its numbers have millions of bits. Two of that length are
    compared by logarithms with many digits, and multiplied out only if these agree; a probability
    of that length is a LongFraction.
    """

    powers: tuple[tuple[int, int], ...]  # (base, exponent), negative below the line
    differences: tuple[tuple[int, int, int], ...] = ()  # (b, a, s) for 1 / (b^s - a^s)

    @classmethod
    def of(cls, number: Fraction) -> Quotient:
        """The same number."""
        return cls(((number.numerator, 1), (number.denominator, -1)))

    def __mul__(self, other: Quotient) -> Quotient:
        return Quotient(self.powers + other.powers, self.differences + other.differences)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quotient) and self._sign(other) == 0

    def __lt__(self, other: Quotient) -> bool:
        return self._sign(other) < 0

    def __le__(self, other: Quotient) -> bool:
        return self._sign(other) <= 0

    def breach(self) -> Fraction:
        """The probability whose negated ratio this is, 1 / (1 + ratio) [Chen2009, Lemma 1]."""
        if self._n_bits() > LONG and not self._is_zero():
            divided = (power(b, s) - power(a, s) for b, a, s in self.differences)
            return 1 / (1 + product(self.powers) / math.prod(divided, start=Fraction(1)))
        top, bottom = self._multiplied()
        return Fraction(bottom, top + bottom)

    def _sign(self, other: Quotient) -> int:
        """-1, 0 or 1: less than the other, equal, more."""
        if (self.powers, self.differences) == (other.powers, other.differences):
            return 0
        is_long = self._n_bits() + other._n_bits() > LONG
        if is_long and not self._is_zero() and not other._is_zero():
            with localcontext() as context:
                context.prec = _DIGITS
                difference = self._log() - other._log()
            if abs(difference) > _CLEAR:
                return 1 if difference > 0 else -1
        (top, bottom), (other_top, other_bottom) = self._multiplied(), other._multiplied()
        here, there = top * other_bottom, other_top * bottom
        return (here > there) - (here < there)

    def _is_zero(self) -> bool:
        return any(base == 0 for base, _ in self.powers)

    def _n_bits(self) -> int:
        return sum(base.bit_length() * abs(exponent) for base, exponent in self.powers) + sum(
            b.bit_length() * s for b, _, s in self.differences
        )

    def _log(self) -> Decimal:
        total = sum((Decimal(base).ln() * exponent for base, exponent in self.powers), Decimal(0))
        for b, a, s in self.differences:
            total -= Decimal(b).ln() * s + (1 - ((Decimal(a) / b).ln() * s).exp()).ln()
        return total

    def _multiplied(self) -> tuple[int, int]:
        top = math.prod(base**exponent for base, exponent in self.powers if exponent > 0)
        bottom = math.prod(base**-exponent for base, exponent in self.powers if exponent < 0)
        return top, bottom * math.prod(b**s - a**s for b, a, s in self.differences)


ZERO, UNITY = Quotient(((0, 1),)), Quotient(())


def exact_statistic(kind: int, which: int, holder: Sequence[int], k: int, m: int) -> Quotient:
    """One of the five statistics of a signature (people, occurrences, tops…)."""
    n, s, *tops = holder
    if which == kernel.TARGET:
        return target(kind, n, s, tops, 0)
    if which == kernel.TARGET_KNOWN:
        return target(kind, n, s, tops, k)
    if which == kernel.TOGETHER:
        return target(kind, n, s, tops, k) * relatives(kind, n, s, m, k + 1)
    return relatives(kind, n, s, m, k if which == kernel.RELATIVES_KNOWN else 0)


def target(kind: int, n: int, s: int, tops: Sequence[int], k: int) -> Quotient:
    """T: the odds of the target lacking the value to having it [Chen2009, Sect. 7.1]."""
    if kind == kernel.MULTISET:
        if k >= n - 1:
            return ZERO
        lacking = ((n - 1, sum(tops)), (n, -sum(tops)))
        return Quotient(((n - k - 1, s), *lacking), ((n - k, n - k - 1, s),))
    rest = n - s - k - (sum(tops) if kind == kernel.ONE else 0)
    held = [top for top in tops if top] if kind == kernel.SET else []
    lacking = ((math.prod(n - top for top in held), 1), (n, -len(held)))
    return Quotient(((rest, 1), (s, -1), *lacking)) if rest > 0 else ZERO


def relatives(kind: int, n: int, s: int, m: int, k: int) -> Quotient:
    """V: the probability that m people lack the value when k others do [Chen2009, Sect. 7.1].

    Departs from the printed formula where that divides by zero: with m = 0 it is 1, and it is 0
    where fewer than k + m people lack the value.
    """
    if m == 0:
        return UNITY
    if kind == kernel.MULTISET:
        return Quotient(((n - k - m, s), (n - k, -s))) if k + m < n else ZERO
    if k + m > n - s:
        return ZERO
    less, more = min(m, s), max(m, s)
    return Quotient(((math.perm(n - k - more, less), 1), (math.perm(n - k, less), -1)))
