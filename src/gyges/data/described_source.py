"""Rows of an engine, with the description of their person in place of their own values.

What is counted by person comes from the descriptions, which are in memory: one for each person. All
else comes from the rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gyges.data.arrow_arrays import arrow_numbers
from gyges.data.changed_source import ChangedSource
from gyges.data.joined_people import CountedSets, NumberedColumn, counted_table
from gyges.data.source import COUNT, Join, JoinedRows, Source

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False, repr=False)
class DescribedSource(ChangedSource):
    """A source of rows, with other columns in place of those that change within people."""

    refusal = "this is not done with descriptions of people"

    keep: Sequence[str]  # columns of the rows
    person: str
    joined: pa.Table  # what the rows of each person have together: `JoinedRows.fetch`
    described: Mapping[str, pa.Array]  # each of these people's description, by column
    new: Sequence[str]  # the columns of the descriptions that the rows do not have
    values: NumberedColumn | None  # the sensitive column, where its sets were joined as well

    @property
    def columns(self) -> Sequence[str]:
        """The columns that are kept, and those of the descriptions."""
        return [*self.keep, *self.new] if self.new else self.rows.columns

    @cached_property
    def recoded(self) -> Source:
        """The rows with these columns, in the engine."""
        import pyarrow as pa

        if not self.new:
            return self.rows
        people = {self.person: self.joined.column(self.person)}
        mapping = pa.table(people | {name: self.described[name] for name in self.new})
        return self.rows.recode([self.person], mapping, self.keep)

    def count(self, by: Sequence[str]) -> pa.Table:
        """As the engine counts the rows."""
        return self.recoded.count(by)

    def count_distinct(self, columns: Sequence[str], by: Sequence[str]) -> pa.Table:
        """By person: one row for each; combinations that several have come several times."""
        import pyarrow as pa

        n = self.joined.num_rows
        if list(columns) != [self.person]:
            return self.recoded.count_distinct(columns, by)
        if not by:
            return pa.table({COUNT: arrow_numbers(np.array([n]))})
        if not set(by) <= set(self.described):
            return self.recoded.count_distinct(columns, by)
        return counted_table({name: self.described[name] for name in by}, np.ones(n, np.int64))

    def count_sets(self) -> CountedSets | None:
        """People by their descriptions, and their values; None where the sets were not joined."""
        if self.values is None:
            return None
        people = self.count_distinct([self.person], by=list(self.described))
        who, held = self.values.held(self.joined)
        values = counted_table({self.values.name: held}, np.ones(len(who), np.int64))
        return CountedSets(people, values, who)

    def count_missing(self, columns: Sequence[str]) -> dict[str, int]:
        """As the engine counts them."""
        source = self.rows if set(columns) <= set(self.keep) else self.recoded
        return source.count_missing(columns)

    def count_respelled(self, column: str, marks: Collection[str] = ()) -> int:
        """As the engine counts them."""
        source = self.rows if column in self.keep else self.recoded
        return source.count_respelled(column, marks)

    def fetch(self, columns: Sequence[str]) -> pa.Table:
        """All rows of these columns."""
        return self.recoded.fetch(columns)

    def recode(self, on: Sequence[str], mapping: pa.Table, keep: Sequence[str]) -> Source:
        """As the engine does it."""
        return self.recoded.recode(on, mapping, keep)

    def type_of(self, column: str) -> pa.DataType:
        """As the engine has it."""
        return self.recoded.type_of(column)

    def join_rows(
        self, by: str, mappings: Sequence[pa.Table], how: Mapping[str, Join]
    ) -> JoinedRows:
        """As the engine does it."""
        return self.recoded.join_rows(by, mappings, how)

    def distinct(self, columns: Sequence[str]) -> Source:
        """As the engine does it."""
        return self.recoded.distinct(columns)

    def write(self, target: str) -> None:
        """Write the rows with these columns."""
        self.recoded.write(target)
