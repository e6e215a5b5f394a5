"""Cells kept in an engine as codes, for a table whose cells do not fit into memory.

The distinct rows are counted once and stay where they are. Only counts of a few groups of them, or
one group's cells, come back.
"""

from __future__ import annotations

import uuid
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gyges.data.placement import Fork, Placement
from gyges.data.source import COUNT, GROUP_OF_ROW, VALUE_CODE, Work, code_column
from gyges.engines.spark_workers import SparkRows, each_in_spark, forget
from gyges.engines.transfer import engine_errors, to_arrow

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa
    from ibis.backends import BaseBackend

    from gyges.engines.ibis import IbisSource

_LONG_RUN = 8  # from here on consecutive codes are written as first and last


@dataclass(frozen=True, eq=False, repr=False)
class IbisCells:
    """Distinct rows of codes with their counts, kept in an engine for the length of a search."""

    rows: ibis.Table  # the codes of every column, the value's code, COUNT, perhaps the group
    name: str
    n_columns: int

    @cached_property
    def n_entries(self) -> int:
        """How many distinct rows there are."""
        counted = self.rows.aggregate(self.rows.count().name(COUNT))
        return int(to_arrow(counted, self.name).column(COUNT)[0].as_py())

    def count_values(self) -> pa.Table:
        """People (COUNT) by the code of their value."""
        return _as_integers(to_arrow(_summed(self.rows, [VALUE_CODE]), self.name))

    def count_groups(self, placement: Placement) -> pa.Table:
        """For each group its distinct rows ("entries"), people (COUNT) and bounds of codes.

        Columns "low 0", …, "high 0", …: the least and the greatest code of each column.
        """
        placed = self._placed(placement)
        columns = [placed[code_column(j)] for j in range(self.n_columns)]
        counted = placed.group_by(GROUP_OF_ROW).aggregate(
            [
                placed.count().name("entries"),
                placed[COUNT].sum().name(COUNT),
                *(column.min().name(f"low {j}") for j, column in enumerate(columns)),
                *(column.max().name(f"high {j}") for j, column in enumerate(columns)),
            ]
        )
        return _as_integers(to_arrow(counted, self.name))

    def count_codes(
        self, placement: Placement, groups: Sequence[int], column: int, *, with_values: bool
    ) -> pa.Table:
        """People (COUNT) of some groups by a column's code and, if asked, by the value's."""
        placed = self._placed(placement)
        chosen = placed.filter(placed[GROUP_OF_ROW].isin(list(groups)))
        by = [GROUP_OF_ROW, code_column(column), *([VALUE_CODE] if with_values else [])]
        return _as_integers(to_arrow(_summed(chosen, by), self.name))

    def sorted_out(self, placement: Placement) -> IbisCells:
        """The same rows with the number of their group, sorted by it."""
        placed = self._placed(placement)
        placed = placed.filter(placed[GROUP_OF_ROW] >= 0).order_by(GROUP_OF_ROW)
        kept = kept_there(placed, self.name)
        _index(kept, GROUP_OF_ROW)
        return IbisCells(kept, self.name, self.n_columns)

    def take(self, group: int | None) -> pa.Table:
        """The distinct rows of one group that was sorted out; all rows for None."""
        rows = self.rows if group is None else self.rows.filter(self.rows[GROUP_OF_ROW] == group)
        names = [*map(code_column, range(self.n_columns)), VALUE_CODE, COUNT]
        return to_arrow(rows.select(names), self.name)

    @property
    def has_workers(self) -> bool:
        """Whether the engine runs Python where the rows live: Spark does."""
        return bool(self.rows.get_backend().name == "pyspark")

    def each_group(
        self, placement: Placement, work: Work, schema: pa.Schema, more: pa.Table
    ) -> SparkRows:
        """What `work` makes of the distinct rows of each group, kept there, and some more rows."""
        placed = self._placed(placement)
        placed = placed.filter(placed[GROUP_OF_ROW] >= 0)
        return each_in_spark(placed, GROUP_OF_ROW, work, schema, more, self.name)

    def _placed(self, placement: Placement) -> ibis.Table:
        return self.rows.mutate(_place(self.rows, placement).name(GROUP_OF_ROW))


def code_cells(
    source: IbisSource, mappings: Sequence[pa.Table], *, own_memory: int | None
) -> IbisCells:
    """Count the distinct rows of codes; see `Source.code`."""
    engine = source.rows.get_backend()
    if own_memory is not None and engine.name == "duckdb":
        engine.raw_sql(f"SET memory_limit = '{own_memory} B'")
    names = [mapping.column_names for mapping in mappings]
    coded = source
    for place, (raw, _) in enumerate(names):
        keep = [code for _, code in names[:place]] + [name for name, _ in names[place + 1 :]]
        coded = coded.recode([raw], mappings[place], keep)
    rows = coded.rows
    if VALUE_CODE not in rows.columns:
        import ibis

        rows = rows.mutate(ibis.literal(0, type="int32").name(VALUE_CODE))
    by = [*map(code_column, range(sum(code != VALUE_CODE for _, code in names))), VALUE_CODE]
    counted = rows.group_by(by).aggregate(rows.count().name(COUNT))
    return IbisCells(kept_there(counted, source.name), source.name, len(by) - 1)


def _as_integers(counted: pa.Table) -> pa.Table:
    """Sums as 64-bit integers: DuckDB adds integers up to 128 bits, PostgreSQL to decimals."""
    import pyarrow as pa

    place = counted.column_names.index(COUNT)
    return counted.set_column(place, COUNT, counted.column(place).cast(pa.int64()))


def _summed(rows: ibis.Table, by: Sequence[str]) -> ibis.Table:
    return rows.group_by(list(by)).aggregate(rows[COUNT].sum().name(COUNT))


def _place(rows: ibis.Table, placement: Placement) -> ibis.Value:
    """The number of each row's group as one expression; -1 where no branch takes it."""
    import ibis

    if not isinstance(placement, Fork):
        return ibis.literal(placement, type="int64")
    column = rows[code_column(placement.column)]
    branches = [
        (_among(column, codes), _place(rows, branch))
        for codes, branch in zip(placement.codes, placement.branches, strict=True)
    ]
    return ibis.cases(*branches, else_=ibis.literal(-1, type="int64"))


def _among(column: ibis.Column, codes: Sequence[int]) -> ibis.BooleanValue:
    first, last = int(codes[0]), int(codes[-1])
    if last - first + 1 == len(codes) and len(codes) >= _LONG_RUN:
        return column.between(first, last)
    return column.isin([int(code) for code in codes])


def kept_there(rows: ibis.Table, source: str) -> ibis.Table:
    """Run an expression and keep its answer in the engine while it is referenced."""
    engine, name = rows.get_backend(), f"gyges_{uuid.uuid4().hex}"
    with engine_errors(engine, source):
        if engine.name == "pyspark":
            return _kept_by_spark(engine, rows, name)
        kept = engine.create_table(name, rows, temp=True)
    weakref.finalize(kept, _drop, engine, name)
    return kept


def _kept_by_spark(engine: BaseBackend, rows: ibis.Table, name: str) -> ibis.Table:
    from pyspark import StorageLevel

    frame = engine.raw_sql(engine.compile(rows)).persist(StorageLevel.DISK_ONLY)
    frame.createOrReplaceTempView(name)
    kept = engine.table(name)
    weakref.finalize(kept, forget, frame)
    return kept


def _index(kept: ibis.Table, column: str) -> None:
    """Let PostgreSQL find the rows of one value; others read sorted rows in blocks."""
    engine = kept.get_backend()
    if engine.name == "postgres":
        engine.raw_sql(f'CREATE INDEX ON "{kept.get_name()}" ("{column}")').close()


def _drop(engine: BaseBackend, name: str) -> None:
    with suppress(Exception):  # the connection may be closed by now
        engine.drop_table(name, force=True)
