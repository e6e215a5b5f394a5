"""Parquet files of up to 64 million rows: counted column by column by Arrow, without an engine.

An engine keeps every distinct row with its texts in a hash table, and returns texts. Here a column
is read once and kept as codes of one to four bytes; a row is one number, and numbers are added up
or sorted. For everything else, and for longer files, there is DuckDB, opened when first needed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.data.arrow_arrays import arrow_numbers, numbers_of, without_empty_texts
from gyges.data.cells import counted_keys, digits
from gyges.data.encoding import encoded, places_of
from gyges.data.source import COUNT, Best, Join
from gyges.engines.coded import IbisCells
from gyges.engines.file_sources import find_files, name_of, open_files, parquet_schemas
from gyges.engines.ibis import IbisSource
from gyges.engines.joined_rows import IbisJoinedRows
from gyges.engines.small_files import is_countable, read_parquet
from gyges.kernels.threads import each_in_threads

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_ROWS = 1 << 26
_ROWS_AT_ONCE = 1 << 22  # that are added up where few combinations are possible


@dataclass(frozen=True, eq=False, repr=False)
class ParquetSource:
    """Parquet files whose counts are made here; DuckDB reads them for everything else."""

    location: str
    paths: tuple[Path, ...]
    columns: tuple[str, ...]
    used: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.columns)} columns>"

    @property
    def name(self) -> str:
        """The files' name in a message."""
        return name_of(self.paths, self.location)

    @cached_property
    def engine(self) -> IbisSource:
        """The same files in DuckDB."""
        return open_files(self.location, self.used)

    def count(self, by: Sequence[str]) -> pa.Table:
        """Each distinct combination of these columns, and its number of rows."""
        import pyarrow as pa

        if not by:
            return self.engine.count(by)
        columns = each_in_threads(self._column, by)
        widths = [len(column.values) + 1 for column in columns]
        if math.prod(widths) >= 2**62:  # a row is no longer one number
            return self.engine.count(by)
        keys, counts = _counted(columns, widths)
        codes = digits(keys, widths)
        taken = [
            pa.DictionaryArray.from_arrays(
                arrow_numbers(codes[:, j], codes[:, j] == len(column.values)), column.values
            )
            for j, column in enumerate(columns)
        ]
        return pa.table([*taken, arrow_numbers(counts)], names=[*by, COUNT])

    def _column(self, name: str) -> _Column:
        """Read one column as codes of its sorted values."""
        import pyarrow.compute as pc

        rows = without_empty_texts(read_parquet(self.paths, [name], read_dictionary=[name]))
        column = encoded(rows.column(name), name)
        order = numbers_of(pc.array_sort_indices(column.dictionary))
        ranks = np.empty(len(order) + 1, dtype=np.min_scalar_type(len(order)))
        ranks[order] = np.arange(len(order))
        ranks[-1] = len(order)
        return _Column(column.dictionary.take(arrow_numbers(order)), ranks[places_of(column)])

    def count_distinct(self, columns: Sequence[str], by: Sequence[str]) -> pa.Table:
        """For each combination of `by` the number of distinct combinations of `columns`."""
        return self.engine.count_distinct(columns, by)

    def count_missing(self, columns: Sequence[str]) -> dict[str, int]:
        """How many rows have a null in each of these columns."""
        return self.engine.count_missing(columns)

    def count_respelled(self, column: str, marks: Collection[str] = ()) -> int:
        """How many different texts of a column more there are than plain spellings."""
        return self.engine.count_respelled(column, marks)

    def fetch(self, columns: Sequence[str]) -> pa.Table:
        """All rows of these columns, in file order."""
        return self.engine.fetch(columns)

    def recode(self, on: Sequence[str], mapping: pa.Table, keep: Sequence[str]) -> IbisSource:
        """The columns `keep` and what `mapping` has for each row's combination of `on`."""
        return self.engine.recode(on, mapping, keep)

    def type_of(self, column: str) -> pa.DataType:
        """The type of a column's values."""
        return self.engine.type_of(column)

    def keep_best(self, by: str, column: str, best: Best, keep: Sequence[str]) -> IbisSource:
        """The rows with the least or greatest value among those with their `by`."""
        return self.engine.keep_best(by, column, best, keep)

    def join_rows(
        self, by: str, mappings: Sequence[pa.Table], how: Mapping[str, Join]
    ) -> IbisJoinedRows:
        """For each value of `by` the numbers that its rows have together."""
        return self.engine.join_rows(by, mappings, how)

    def distinct(self, columns: Sequence[str]) -> IbisSource:
        """Each distinct combination of these columns as one row."""
        return self.engine.distinct(columns)

    def code(self, mappings: Sequence[pa.Table], *, own_memory: int) -> IbisCells:
        """Count distinct rows as codes, and keep them in DuckDB."""
        return self.engine.code(mappings, own_memory=own_memory)

    def write(self, target: str) -> None:
        """Write the rows to a file: .csv or .parquet."""
        self.engine.write(target)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Column:
    """A column's values in order, and each row's place among them; one beyond for a null."""

    values: pa.Array
    places: CodeArray  # of as few bytes as hold them


def _counted(columns: Sequence[_Column], widths: Sequence[int]) -> tuple[IntArray, IntArray]:
    """The distinct rows as numbers, ascending, and how often each occurs."""
    n_rows, n_possible = len(columns[0].places), math.prod(widths)
    if n_possible > _ROWS_AT_ONCE:
        return counted_keys(_keys(columns, widths, 0, n_rows), n_possible)
    every = np.zeros(n_possible, dtype=np.int64)
    for first in range(0, n_rows, _ROWS_AT_ONCE):
        keys = _keys(columns, widths, first, first + _ROWS_AT_ONCE)
        every += np.bincount(keys, minlength=n_possible)
    keys = np.flatnonzero(every)
    return keys, every[keys]


def _keys(columns: Sequence[_Column], widths: Sequence[int], first: int, last: int) -> IntArray:
    """The places of a row as the digits of one number."""
    keys = columns[0].places[first:last].astype(np.int64)
    for column, width in zip(columns[1:], widths[1:], strict=True):
        keys *= width
        keys += column.places[first:last]
    return keys


def open_parquet(location: str, wanted: Collection[str] | None = None) -> ParquetSource | None:
    """The Parquet files that a path or a glob matches; None where Arrow does not count them.

    That is where they have too many rows, or a column that an engine must first make countable.
    """
    import pyarrow.parquet

    paths = find_files(location)
    schemas = parquet_schemas(paths)
    names = tuple(schemas[0].names)
    used = tuple(one for one in names if wanted is None or one in wanted) or names
    if not is_countable(schemas, used):
        return None
    if sum(pyarrow.parquet.read_metadata(path).num_rows for path in paths) > _MOST_ROWS:
        return None
    return ParquetSource(location, tuple(paths), names, used)
