"""The published rows of a partition in a random order: of whom each is, and what is shown of them.

People of one cell with one value in one group are published alike. So the cells say which rows
there are: the table is not read again, and nobody is looked up. Only columns that are published
unchanged, and people who are followed from release to release, need the table's own rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.data.arrow_arrays import arrow_numbers
from gyges.data.table import Table
from gyges.release.partition_of_cells import LEFT_OUT, Partition

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Alike:
    """Rows that are published alike, each once: their cell, group and value's code, if asked.

    `row` is the row of the table where each is one.
    """

    cell: IntArray
    group: IntArray
    value: CodeArray | None = None
    row: IntArray | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShuffledRows:
    """The published rows in their order: each is as some place among those that are alike."""

    alike: Alike
    place: IntArray | CodeArray

    @property
    def cell(self) -> IntArray:
        """The cell of each row."""
        return self.alike.cell[self.place]

    @property
    def group(self) -> IntArray:
        """The group of each row."""
        return self.alike.group[self.place]

    @property
    def value(self) -> CodeArray | None:
        """The code of each row's value, if rows have one."""
        return None if self.alike.value is None else self.alike.value[self.place]

    @property
    def row(self) -> IntArray | None:
        """The row of the table that each row is, where only that says what is published."""
        return None if self.alike.row is None else self.alike.row[self.place]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Order:
    """A random order of rows; a seeded one depends on what is published of them and on it alone.

    A database has no order of rows, and another source has one that must not show.
    """

    rng: np.random.Generator
    is_seeded: bool

    def rows(self, table: Table, partition: Partition, *, with_values: bool) -> ShuffledRows:
        """A row for each person who is published; for each value, where rows hold one."""
        if table.schema.published or partition.followed is not None:
            alike = _rows_of_table(table, partition, with_values)
            return ShuffledRows(alike, self.rng.permutation(self._known(table, alike)))
        alike, people = _alike(partition, with_values)
        known = self._known(table, alike)
        small = np.int32 if len(known) < 2**31 else np.int64  # moved in half the time
        places = np.repeat(known.astype(small), people[known])
        self.rng.shuffle(places)
        return ShuffledRows(alike, places)

    def _known(self, table: Table, alike: Alike) -> IntArray:
        """An order that every source has, for a seeded shuffle to begin with."""
        if not self.is_seeded:
            return np.arange(len(alike.cell))
        keys: dict[str, IntArray | CodeArray] = {"group": alike.group, "cell": alike.cell}
        if alike.value is not None:
            keys["value"] = alike.value
        shown = published_columns(table, ShuffledRows(alike, np.arange(len(alike.cell))))
        if not shown:
            return np.lexsort([*keys.values()])
        import pyarrow as pa
        import pyarrow.compute as pc

        columns = {name: arrow_numbers(codes) for name, codes in keys.items()}
        columns |= {f"published {name}": one for name, one in shown.items()}
        by = [(name, "ascending") for name in columns]
        return np.asarray(pc.sort_indices(pa.table(columns), sort_keys=by).to_numpy())


def _rows_of_table(table: Table, partition: Partition, with_values: bool) -> Alike:
    """The rows of the table that are published, in its order."""
    group = partition.group_of_row(table)
    rows = np.flatnonzero(group != LEFT_OUT)
    if table.schema.shared_columns and not with_values:
        rows = rows[table.is_first_row[rows]]
    values = table.value_of_row[rows] if with_values else None
    return Alike(table.cell_of_row[rows], group[rows], values, rows)


def _alike(partition: Partition, with_values: bool) -> tuple[Alike, IntArray]:
    """Rows that differ, and how many people are published as each."""
    if not with_values:
        cell, group, people = partition.members()
        return Alike(cell, group), people
    cells, pieces = partition.cells, partition.pieces
    if pieces is not None:
        cell, value = cells.cell_of_entry[pieces.entry], cells.value_codes[pieces.entry]
        group, people = pieces.group, pieces.count
    else:
        cell, value, people = cells.cell_of_entry, cells.value_codes, cells.value_counts
        group = partition.group_of_cell[cell]
    return Alike(cell, group, value), np.where(group == LEFT_OUT, 0, people)


def published_columns(table: Table, rows: ShuffledRows) -> dict[str, pa.Array]:
    """The columns that are published unchanged."""
    row = rows.row
    if row is None:
        return {}
    shown, names = {}, list(table.schema.published)
    if names:
        taken = table.fetch(names).take(arrow_numbers(row))
        shown = {name: _decoded(taken.column(name).combine_chunks()) for name in names}
    return shown


def _decoded(column: pa.Array) -> pa.Array:
    """A published column's values; an empty text and NaN become null, so that each looks the same.

    Without a dictionary, which may hold values of people who are suppressed.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type):
        return pc.if_else(pc.is_nan(column), None, column)  # the bits of a NaN can differ
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    return pc.if_else(pc.equal(column, ""), None, column)
