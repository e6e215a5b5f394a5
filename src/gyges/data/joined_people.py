"""What the rows of each person have together, in one pass of the engine.

Each distinct value of a column gets a number, its place among them. For each person the engine
finds the least and the greatest number of a column, and the set of its numbers as the bits of a few
words. So one pass over the rows takes the place of a sort of (person, value) pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.data.arrow_arrays import arrow_numbers, numbers_of
from gyges.data.encoding import encoded, places_of
from gyges.data.source import COUNT, Join, JoinedRows, Source

if TYPE_CHECKING:
    import pyarrow as pa

WORD = 62  # bits of a word that are used
MOST_WORDS = 4  # of one column; with more values, pairs are counted


@dataclass(frozen=True, eq=False, repr=False)
class NumberedColumn:
    """A column whose distinct values have numbers."""

    place: int  # among the columns that are joined: makes the names of its numbers
    counts: pa.Table  # the distinct values and the number of rows of each
    numbers: IntArray  # of each of the distinct values
    n_numbers: int
    with_ends: bool = True
    with_set: bool = False

    @classmethod
    def of(
        cls,
        source: Source,
        name: str,
        place: int,
        *,
        with_ends: bool = True,
        with_set: bool = False,
    ) -> NumberedColumn:
        """Number the values of a column as the engine returns them."""
        counts = source.count([name])
        n = counts.num_rows
        return cls(place, counts, np.arange(n), n, with_ends, with_set)

    @property
    def name(self) -> str:
        """The column of the table."""
        return str(self.counts.column_names[0])

    @cached_property
    def values(self) -> pa.DictionaryArray:
        """The distinct values."""
        return encoded(self.counts.column(self.name), self.name)

    @property
    def least(self) -> str:
        """The name of the least number."""
        return f"gyges_least_{self.place}"

    @property
    def greatest(self) -> str:
        """The name of the greatest number."""
        return f"gyges_greatest_{self.place}"

    @property
    def words(self) -> dict[str, int]:
        """The names of the words of the set, and how many bits each has."""
        if not self.with_set:
            return {}
        return {
            f"gyges_word_{self.place}_{word}": min(WORD, self.n_numbers - start)
            for word, start in enumerate(range(0, self.n_numbers, WORD))
        }

    @property
    def how(self) -> dict[str, Join]:
        """How each of its numbers is joined."""
        ends: dict[str, Join] = {self.least: "least", self.greatest: "greatest"}
        return (ends if self.with_ends else {}) | dict.fromkeys(self.words, "any")

    @cached_property
    def mapping(self) -> pa.Table:
        """The distinct values, and the numbers that stand for each."""
        made = self.counts.select([self.name])
        if self.with_ends:
            for name in (self.least, self.greatest):
                made = made.append_column(name, arrow_numbers(self.numbers.astype(np.int64)))
        for word, name in enumerate(self.words):
            bit = self.numbers - word * WORD
            inside = (bit >= 0) & (bit < WORD)
            bits = np.where(inside, np.int64(1) << np.where(inside, bit, 0), 0)
            made = made.append_column(name, arrow_numbers(bits))
        return made

    def at(self, places: IntArray) -> pa.DictionaryArray:
        """The values at these places among the distinct ones."""
        import pyarrow as pa

        held = places_of(self.values)[places]
        values = self.values.dictionary
        return pa.DictionaryArray.from_arrays(arrow_numbers(held, held == len(values)), values)

    def held(self, joined: pa.Table) -> tuple[IntArray, pa.DictionaryArray]:
        """Who has which value of the set: rows of `joined` with each of their values."""
        who, held = [], []
        for word, name in enumerate(self.words):
            octets = np.asarray(numbers_of(joined.column(name))).astype("<i8").view(np.uint8)
            found = np.flatnonzero(np.unpackbits(octets, bitorder="little").view(bool))
            who.append(found // 64)
            held.append(found % 64 + WORD * word)
        return np.concatenate(who), self.at(np.concatenate(held))


def join_people(source: Source, person: str, columns: Sequence[NumberedColumn]) -> JoinedRows:
    """What the rows of each person have together in these columns."""
    how: dict[str, Join] = {}
    for column in columns:
        how |= column.how
    return source.join_rows(person, [column.mapping for column in columns], how)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CountedSets:
    """People by quasi-identifiers, and the values that they have: tables with a column COUNT."""

    people: pa.Table
    values: pa.Table
    row_of_value: IntArray  # the row of `people` that each row of `values` is about


def count_sets(
    source: Source, person: str, quasi: Sequence[str], sensitive: str
) -> CountedSets | None:
    """Count people with sets of values in one pass.

    None where someone's rows differ in a quasi-identifier, or there are too many sensitive values.
    """
    values = NumberedColumn.of(source, sensitive, len(quasi), with_ends=False, with_set=True)
    if len(values.words) > MOST_WORDS:
        return None
    columns = [NumberedColumn.of(source, name, place) for place, name in enumerate(quasi)]
    ends = [name for column in columns for name in (column.least, column.greatest)]
    counted = join_people(source, person, [*columns, values]).count(ends, values.words)
    numbers = {name: np.asarray(numbers_of(counted.column(name))) for name in counted.column_names}
    if any((numbers[c.least] != numbers[c.greatest]).any() for c in columns):
        return None
    bits = [f"{word} {bit}" for word, n in values.words.items() for bit in range(n)]
    by_value = np.stack([numbers[name] for name in bits])
    held, rows = np.nonzero(by_value)
    people = {c.name: c.at(numbers[c.least]) for c in columns}
    return CountedSets(
        counted_table(people, numbers[COUNT]),
        counted_table({sensitive: values.at(held)}, by_value[held, rows]),
        rows,
    )


def counted_table(columns: dict[str, pa.Array], counts: IntArray) -> pa.Table:
    """Columns with their counts, as `Source.count` returns them."""
    import pyarrow as pa

    return pa.table(columns | {COUNT: arrow_numbers(counts.astype(np.int64))})
