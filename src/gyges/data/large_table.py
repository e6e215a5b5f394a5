"""A table whose cells do not fit into memory: they are counted and stay where the rows live."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.data.cells import Cells, Domain
from gyges.data.consistency import refuse_inconsistent_people, refuse_wrong_columns
from gyges.data.counting import (
    Missing,
    code_column_alone,
    no_domain,
    refuse_empty,
    refuse_missing,
    refuse_nobody_left,
)
from gyges.data.description import DescribedTable
from gyges.data.encoding import NO_CODE, Coder
from gyges.data.memory_limit import MemoryBudget, MemoryLimit
from gyges.data.schema import Schema
from gyges.data.source import COUNT, VALUE_CODE, CodedCells, Source, code_column
from gyges.data.table import FrameKind, Table, notices_of
from gyges.data.tree_order import line_or_tree_ranks
from gyges.errors import SchemaError

if TYPE_CHECKING:
    import pyarrow as pa

# Bytes at the peak of a search for each distinct row (combination with value): the engine's answer,
# the cells, the packed items, and the groups. A cautious guess, not a measurement: what is measured
# is the peak of the whole process (benchmarks/memory.py, tests/search).
BYTES_OF_ENTRY, BYTES_OF_CODE = 220, 24
_NO_STAND_INS = (
    "with a memory limit a missing value cannot match anything: omit the limit, or choose "
    "missing='value'"
)
BYTES_OF_TEXT = 64  # for each text of a published row, while it is written


@dataclass(frozen=True, eq=False, repr=False)
class CodedColumns:
    """What the codes mean in which an engine keeps the rows of a large table."""

    domains: tuple[Domain, ...]  # of the quasi-identifiers, in the schema's order
    sensitive: Domain
    has_values: bool  # whether there is a sensitive column

    def cells(self, entries: pa.Table) -> Cells:
        """Some distinct rows of codes as sorted cells."""
        codes = np.empty((entries.num_rows, len(self.domains)), dtype=np.int32, order="F")
        for j, domain in enumerate(self.domains):
            places = entries.column(code_column(j)).to_numpy()
            codes[:, j] = np.argsort(line_or_tree_ranks(domain))[places]
        counts = entries.column(COUNT).to_numpy().astype(np.int64)
        values = entries.column(VALUE_CODE).to_numpy().astype(np.int32)
        n_held = len(counts) if self.has_values else 0
        return Cells.from_entries(
            domains=self.domains,
            codes=codes,
            people=counts,
            sensitive=self.sensitive,
            entry_codes=codes if self.has_values else codes[:0],
            value_codes=values[:n_held],
            value_counts=counts[:n_held],
            values_per_person="one" if self.has_values else "set",
        )


@dataclass(frozen=True, eq=False, repr=False)
class LargeTable(DescribedTable):
    """Rows and cells that stay in an engine; only counts are in memory.

    The engine stores each quasi-identifier by places: a code's place along its tree, or the code
    itself on a line.
    """

    schema: Schema
    source: Source
    coded: CodedCells
    coders: Mapping[str, Coder]
    table_counts: IntArray  # how often each sensitive value occurs
    n_people: int
    budget: MemoryBudget
    frame_kind: FrameKind = "arrow"
    notices: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()

    @cached_property
    def columns(self) -> CodedColumns:
        """What the codes of the columns mean."""
        name = self.schema.sensitive
        return CodedColumns(
            tuple(self.coders[one].domain for one in self.schema.quasi_identifiers),
            self.coders[name].domain if name else no_domain(),
            has_values=name is not None,
        )

    @property
    def domains(self) -> tuple[Domain, ...]:
        """The domains of the quasi-identifiers, in the schema's order."""
        return self.columns.domains

    @property
    def sensitive(self) -> Domain:
        """The domain of the sensitive column; without values where there is none."""
        return self.columns.sensitive

    @property
    def most_entries(self) -> int:
        """How many distinct rows can be in memory at once."""
        return most_entries(self.budget, len(self.domains))


def read_within(
    source: Source,
    schema: Schema,
    limit: MemoryLimit | MemoryBudget,
    *,
    missing: Missing = "error",
    marks: Collection[str] = (),
    frame_kind: FrameKind = "arrow",
    notices: Sequence[str] = (),
) -> Table | LargeTable:
    """Count a table under a memory limit: an ordinary one if its cells fit, else a large one."""
    _refuse_several_rows(schema)
    if missing == "any":
        raise SchemaError(_NO_STAND_INS)
    if schema.shapes:
        raise SchemaError("a table larger than memory is read as it is: omit the shapes")
    if schema.also_sensitive:
        raise SchemaError("a table larger than memory has one sensitive column: name one")
    refuse_wrong_columns(source, schema)
    budget = MemoryBudget.of(limit)
    columns = _columns(source, schema)
    coders = {
        name: code_column_alone(counted, name, schema, missing, marks)
        for name, counted in columns.items()
    }
    n_rows = _refuse_bad_rows(source, coders, columns, missing)
    refuse_inconsistent_people(source, schema, n_rows, marks)
    large = _counted(source, schema, budget, coders, columns)
    n_values = len(large.sensitive)
    said = (*notices, *notices_of(source, schema, n_values, marks))
    large = replace(large, frame_kind=frame_kind, notices=said, marks=tuple(sorted(marks)))
    if not _fits(budget, len(coders), large.coded.n_entries, large.n_people):
        return large
    cells = large.columns.cells(large.coded.take(None))
    return Table(schema, source, cells, coders, frame_kind, said, marks=large.marks)


def within(table: Table, limit: MemoryLimit | MemoryBudget) -> Table | LargeTable:
    """A table under a memory limit: the same if it fits, else a large one."""
    _refuse_several_rows(table.schema)
    budget = MemoryBudget.of(limit)
    if _fits(budget, len(table.coders), len(table.cells.value_codes), table.n_people):
        return table
    if table.stand_ins is not None:
        raise SchemaError(_NO_STAND_INS)
    columns = _columns(table.source, table.schema)
    large = _counted(table.source, table.schema, budget, table.coders, columns)
    return replace(large, frame_kind=table.frame_kind, notices=table.notices)


def _fits(budget: MemoryBudget, n_columns: int, n_entries: int, n_people: int) -> bool:
    """Whether both the cells and the published rows fit."""
    is_short = n_people * n_columns * BYTES_OF_TEXT <= budget.part
    return is_short and n_entries <= most_entries(budget, n_columns)


def most_entries(budget: MemoryBudget, n_columns: int) -> int:
    """How many distinct rows can be in memory at once."""
    return budget.part // (BYTES_OF_ENTRY + BYTES_OF_CODE * n_columns)


def _columns(source: Source, schema: Schema) -> dict[str, pa.Table]:
    """Each column's values with their counts, the quasi-identifiers first."""
    names = [*schema.quasi_identifiers, *([schema.sensitive] if schema.sensitive else [])]
    return {name: source.count([name]) for name in names}


def _refuse_bad_rows(
    source: Source, coders: Mapping[str, Coder], columns: Mapping[str, pa.Table], missing: Missing
) -> int:
    """The number of rows; refuse a table without any, or with missing values not allowed for."""
    holes, n_rows = {}, 0
    for name, counted in columns.items():
        codes = coders[name].encode(counted.column(name))
        counts = counted.column(COUNT).to_numpy()
        n_rows = int(counts.sum())
        if (codes == NO_CODE).any():
            holes[name] = int(counts[codes == NO_CODE].sum())
    refuse_empty(n_rows, source.name)
    if holes and missing == "error":
        refuse_missing(holes, source.name)
    return n_rows


def _counted(
    source: Source,
    schema: Schema,
    budget: MemoryBudget,
    coders: Mapping[str, Coder],
    columns: Mapping[str, pa.Table],
) -> LargeTable:
    """Let the engine count the cells as codes and keep them."""
    mappings = [
        _mapping(schema, coders[name], name, place, counted)
        for place, (name, counted) in enumerate(columns.items())
    ]
    coded = source.code(mappings, own_memory=budget.engine)
    counted = coded.count_values()
    if counted.num_rows == 0:
        refuse_nobody_left(source.name)
    n_values = len(coders[schema.sensitive].domain) if schema.sensitive else 0
    table_counts = np.zeros(max(n_values, 1), dtype=np.int64)
    table_counts[counted.column(VALUE_CODE).to_numpy()] = counted.column(COUNT).to_numpy()
    n_people = int(table_counts.sum())
    return LargeTable(schema, source, coded, coders, table_counts[:n_values], n_people, budget)


def _mapping(schema: Schema, coder: Coder, name: str, place: int, counted: pa.Table) -> pa.Table:
    """The raw values of a column, and the place or value code that each has in the engine."""
    import pyarrow as pa

    codes = coder.encode(counted.column(name))
    to = VALUE_CODE
    if place < len(schema.quasi_identifiers):
        codes = np.append(line_or_tree_ranks(coder.domain), NO_CODE)[codes]
        to = code_column(place)
    mapping = pa.table({name: counted.column(name), to: pa.array(codes, pa.int32())})
    return mapping.filter(pa.array(codes != NO_CODE))


def _refuse_several_rows(schema: Schema) -> None:
    if schema.keep_row or schema.rows_per_person == "all":
        raise SchemaError(
            "with a memory limit each person must have one row: select it in the database, or "
            "remove the limit"
        )
    if schema.person_columns:
        raise SchemaError(
            "with a memory limit one column must identify people: remove the limit, or make one "
            "column of those that do so together"
        )
    if schema.shared_columns or schema.values_per_person != "one":
        raise SchemaError(
            "with a memory limit each row must be one person with one value: remove the limit for "
            "people with several rows or values"
        )
    if schema.pseudonyms or schema.publish_weight:
        raise SchemaError(
            "with a memory limit neither pseudonyms nor weights are published: remove the limit, "
            "or do not publish them"
        )
    if schema.published:
        raise SchemaError(
            f"with a memory limit no column can be published unchanged: remove the limit, or do "
            f"not publish {', '.join(schema.published)}"
        )
