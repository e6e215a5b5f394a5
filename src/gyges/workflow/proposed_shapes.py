"""Top coding that a table may need: ages over 89, and amounts that few people have."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.auditing.column_guess import ColumnGuess
from gyges.data.arrow_arrays import numbers_of
from gyges.data.column_names import is_age
from gyges.data.encoding import is_missing
from gyges.data.local_formats import in_plain_format
from gyges.data.source import COUNT, Source
from gyges.data.values import Kind

OLDEST = 90  # HIPAA: ages over 89 are one
_FAR = 4  # times the number that 99 of 100 people are below: a larger one stands out


def top_codes(source: Source, guesses: Sequence[ColumnGuess]) -> dict[str, int]:
    """By column the number that stands for it and all larger ones."""
    found = {}
    for guess in guesses:
        if guess.role == "quasi-identifier" and guess.kind is Kind.NUMBER:
            counted = source.count([guess.name])
            raw: list[Hashable] = counted.column(guess.name).to_pylist()
            numbers, people = _known(raw, numbers_of(counted.column(COUNT)), guess)
            top = highest_shown(numbers, people, are_ages=is_age(guess.name))
            if top is not None:
                found[guess.name] = top
    return found


def highest_shown(numbers: FloatArray, people: IntArray, *, are_ages: bool) -> int | None:
    """Where to end a column of numbers; None if it needs no end.

    >>> one = np.ones(1000, dtype=np.int64)
    >>> highest_shown(np.arange(1000) % 95.0, one, are_ages=True)
    90
    >>> incomes = np.where(np.arange(1000) < 995, 30_150.0, 900_000.0)
    >>> highest_shown(incomes, one, are_ages=False), highest_shown(incomes / 30, one, are_ages=True)
    (31000, None)
    """
    if not len(numbers):
        return None
    largest = float(numbers.max())
    if are_ages:
        return OLDEST if OLDEST <= largest < 2 * OLDEST else None
    order = np.argsort(numbers)
    share = np.cumsum(people[order]) / people.sum()
    usual = float(numbers[order][np.searchsorted(share, 0.99)])
    if usual < 1 or largest <= _FAR * usual:
        return None
    step = 10 ** max(0, len(str(int(usual))) - 2)  # two digits are kept
    return int(-(-usual // step) * step)


def _known(
    raw: Sequence[Hashable], people: IntArray, guess: ColumnGuess
) -> tuple[FloatArray, IntArray]:
    """The numbers of a column, and how many rows have each, without missing values."""
    kept = np.array([not is_missing(value, guess.marks) for value in raw], dtype=bool)
    known = [value for value, is_kept in zip(raw, kept, strict=True) if is_kept]
    if guess.local_format is not None:
        known = list(in_plain_format(known, guess.local_format, guess.name))  # type: ignore[arg-type]
    return np.array([float(str(value)) for value in known], dtype=np.float64), people[kept]
