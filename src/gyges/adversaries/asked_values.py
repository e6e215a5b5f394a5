"""What an attacker asks about a group: one of some values, each by itself, or an interval."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from gyges.data.values import Value
from gyges.errors import RuleError
from gyges.exact import Number, exactly, fraction


class Asked(Protocol):
    """What the attacker asks in each group."""

    def in_group(self, counts: Mapping[int, int]) -> list[list[int]]:
        """The classes of values, by code, that may be the worst; `counts` by the value's code."""
        ...


@dataclass(frozen=True, slots=True)
class OneOf:
    """Whether a person has one of some values."""

    codes: frozenset[int]

    def in_group(self, counts: Mapping[int, int]) -> list[list[int]]:
        """Those that occur."""
        found = [code for code in counts if code in self.codes]
        return [found] if found else []


@dataclass(frozen=True, slots=True)
class Each:
    """Whether a person has one value or another, each by itself."""

    codes: frozenset[int]

    def in_group(self, counts: Mapping[int, int]) -> list[list[int]]:
        """The most frequent one: no other has less odds against it."""
        found = [code for code in counts if code in self.codes]
        return [[max(found, key=counts.__getitem__)]] if found else []


@dataclass(frozen=True, slots=True)
class Interval:
    """Whether a person's number is in some interval of a width, ends included."""

    numbers: Mapping[int, Fraction]  # by code, of the values that are numbers
    last: Mapping[int, Fraction]  # by code: where an interval ends that starts there

    @classmethod
    def of(cls, values: Sequence[Value], width: Number) -> Interval:
        """The intervals of a width among some values; those that are no numbers are in none."""
        wide = width_of(width)
        numbers: dict[int, Fraction] = {}
        for code, value in enumerate(values):
            with suppress(ValueError, TypeError, ZeroDivisionError):
                numbers[code] = exactly(value)
        return cls(numbers, {code: number + wide for code, number in numbers.items()})

    def in_group(self, counts: Mapping[int, int]) -> list[list[int]]:
        """The longest runs of the group's numbers that an interval covers."""
        held = sorted((code for code in counts if code in self.numbers), key=self.numbers.get)  # type: ignore[arg-type]
        numbers = [self.numbers[code] for code in held]
        runs, reached = [], 0
        for start, code in enumerate(held):
            stop = bisect_right(numbers, self.last[code])
            if stop > reached:
                runs.append(held[start:stop])
                reached = stop
        return runs


def width_of(width: Number) -> Fraction:
    """The width of an interval: a number that is not negative."""
    wide = fraction(width, "width")
    if wide < 0:
        raise RuleError("width is negative: give how far apart the ends of an interval are")
    return wide
