"""Columns whose values repeat as people do: several rows of one person share them.

If a value stands for a person, the rows that share it agree on what does not change about a
person: sex, date of birth. A column *determines* another one if the other is constant within
nearly all of its repeated values, far beyond chance. A household also determines some columns,
such as the region, but not its members' sex. A zip code determines a town and a state, and the
town determines the state too. So a column is taken to identify people if it determines sex, or two
columns of which neither determines the other; where the table has traits (sex, birth), one of the
two is a trait.

All of this is counting, and a guess: it proposes roles and asks, and never proves anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gyges.arrays import FloatArray, IntArray, distinct_pairs

LEAST_VALUES = 8  # repeated values of a column, before agreement says anything
MOST_ROWS_EACH = 500  # rows per value on average; with more, a column classifies
_MOST_ROWS_WITHOUT_TRAITS = 50  # the same, where no column is known to be a trait
_CONSTANT = 0.8  # the share of values with one trait only, beyond those that have it by chance
_VARIES = 0.9  # a column that agrees more often by chance shows nothing
_LARGEST_QUANTITY = 150  # whole numbers up to here are often ages, percents or scores
_MOST_ROUND = 0.3  # the share of multiples of 10; among amounts it is larger
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_MOST_SEXES = 5  # values of a trait that is not a date or a year: sex
_SURPRISE = 14.0  # of all columns together: chance explains less than one in a million


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CountedRows:
    """Distinct rows of codes with their counts: a column, and others it may determine."""

    who: IntArray  # the codes of the column
    others: Sequence[IntArray]  # the codes of the other columns
    counts: IntArray  # rows of each combination

    def repeated(self) -> CountedRows:
        """Only the values that have several rows."""
        kept = np.bincount(self.who, weights=self.counts)[self.who] > 1
        others = [_dense(codes[kept]) for codes in self.others]
        return CountedRows(_dense(self.who[kept]), others, self.counts[kept])


def identifies_people(rows: CountedRows, is_trait: Sequence[bool]) -> list[int]:
    """The columns that show that values of `who` stand for people; none if they do not.

    `is_trait` tells which of the others never change for a person.
    """
    n_rows = np.bincount(rows.who, weights=rows.counts).astype(np.float64)
    n_rows = n_rows[n_rows > 1]
    if len(n_rows) < LEAST_VALUES or n_rows.mean() > MOST_ROWS_EACH:
        return []
    is_frequent = n_rows.mean() > _MOST_ROWS_WITHOUT_TRAITS
    if is_frequent and not any(is_trait):
        return []
    rows = rows.repeated()
    found = [_agreement(rows, codes, n_rows) for codes in rows.others]
    determined = [i for i, one in enumerate(found) if one.is_constant]
    if sum(found[i].surprise for i in determined) < _SURPRISE:
        return []
    traits = [i for i, one in enumerate(found) if is_trait[i] and one.varies]
    if traits:
        constant = [i for i in traits if i in determined]
        pairs = [(i, j) for i in constant for j in determined]
        is_sex = any(rows.others[i].max() < _MOST_SEXES for i in constant)
        return determined if is_sex or _any_apart(rows, pairs) else []
    if is_frequent:
        return []
    return determined if _any_apart(rows, combinations(determined, 2)) else []


def _any_apart(rows: CountedRows, pairs: Iterable[tuple[int, int]]) -> bool:
    return any(_are_apart(rows.others[i], rows.others[j]) for i, j in pairs)


@dataclass(frozen=True, slots=True)
class _Agreement:
    """How many of the repeated values have one value of another column, and how many by chance."""

    share: float
    chance: float
    n_values: int

    @property
    def varies(self) -> bool:
        """Whether the rows of a value would often disagree by chance."""
        return self.chance <= _VARIES

    @property
    def is_constant(self) -> bool:
        return self.varies and self.share - self.chance >= _CONSTANT * (1 - self.chance)

    @property
    def surprise(self) -> float:
        """n·KL(share ‖ chance): chance explains the agreement with probability exp(-surprise)."""
        p, q = self.share, max(self.chance, 1e-12)
        rest = (1 - p) * np.log((1 - p) / (1 - q)) if p < 1 else 0.0
        return float(self.n_values * (p * np.log(p / q) + rest))


def _agreement(rows: CountedRows, codes: IntArray, n_rows: FloatArray) -> _Agreement:
    """By chance the m rows of a value agree with probability Σ_y p_y^m."""
    is_constant = np.bincount(distinct_pairs(rows.who, codes)[0]) == 1
    shares = np.bincount(codes, weights=rows.counts) / rows.counts.sum()
    sizes, places = np.unique(n_rows, return_inverse=True)
    by_size = np.array([(shares**size).sum() for size in sizes])
    chance = float(by_size[np.asarray(places).ravel()].mean())
    return _Agreement(float(is_constant.mean()), chance, len(n_rows))


def _are_apart(one: IntArray, other: IntArray) -> bool:
    """Whether neither column determines the other: they are two facts, not one and its part."""
    n_pairs = len(distinct_pairs(one, other)[0])
    return bool(n_pairs > 1.05 * max(one.max() + 1, other.max() + 1))


def looks_numbered(values: Sequence[object], counts: IntArray) -> bool:
    """Whether a column may hold numbers of people, although nothing else says so.

    Whole numbers, or codes with digits, with fewer than 20 rows each; no value stands out, as 0
    does among amounts, and round numbers are not preferred.
    """
    n, n_rows = len(counts), int(counts.sum())
    if n < 20 or n_rows >= 20 * n or n == n_rows:
        return False
    if counts.max() > max(n_rows / 50, 4 * n_rows / n + 4):
        return False
    whole = _whole_numbers(values)
    if whole is None:
        return _are_codes([value for value in values if isinstance(value, str)], n)
    is_short = whole.max() <= _LARGEST_QUANTITY or whole.min() < 0
    return not is_short and float((whole % 10 == 0).mean()) <= _MOST_ROUND


def _whole_numbers(values: Sequence[object]) -> FloatArray | None:
    """The values as whole numbers; None if one of them is none."""
    if set(map(type, values)) <= {int, float}:
        found = np.array(values, dtype=np.float64)
    elif all(isinstance(value, str) and _WHOLE.fullmatch(value) for value in values):
        found = np.array([float(str(value)) for value in values])
    else:
        return None
    return found if bool((found % 1 == 0).all()) else None


def _are_codes(texts: Sequence[str], n: int) -> bool:
    """Whether nearly all values are short codes: letters and digits, or letters of one length."""
    if len(texts) < n:
        return False
    plain = [t for t in texts if t.replace("-", "").replace("_", "").isalnum() and len(t) <= 40]
    with_digits = [t for t in plain if any(map(str.isdigit, t)) and _is_long(t)]
    of_one_length = len(set(map(len, plain))) == 1 and min(map(len, plain)) >= 5
    return 10 * len(with_digits) >= 9 * n or (len(plain) == n and of_one_length)


def _is_long(text: str) -> bool:
    """Whether a code has room for many people, unlike "30-39" or "A12"."""
    return len(text) >= 4 and not text.replace("-", "").isdigit()


def _dense(codes: IntArray) -> IntArray:
    """The codes, renumbered from 0 without gaps."""
    occurs = np.zeros(int(codes.max(initial=-1)) + 1, dtype=bool)
    occurs[codes] = True
    return (np.cumsum(occurs) - 1)[codes]
