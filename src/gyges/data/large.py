"""A table whose cells do not fit into memory: they are counted, and stay where the rows live."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.data.along_trees import line_or_tree_ranks
from gyges.data.cells import Cells, Domain
from gyges.data.consistency import refuse_inconsistent_people, refuse_wrong_columns
from gyges.data.counting import (
    Missing,
    code_column_alone,
    no_domain,
    refuse_missing,
    refuse_nobody_left,
)
from gyges.data.encoding import NO_CODE, Coder
from gyges.data.memory import Budget, MemoryLimit
from gyges.data.schema import Schema
from gyges.data.source import COUNT, VALUE_CODE, CodedCells, Source, code_column
from gyges.data.table import FrameKind, Table, notices_of
from gyges.errors import SchemaError, SourceError

if TYPE_CHECKING:
    import pyarrow as pa

# Bytes at the height of a search for each distinct row (combination with value): what an engine
# hands over, the cells, the packed items, and the groups; see benchmarks/memory.py.
BYTES_OF_ENTRY, BYTES_OF_CODE = 220, 24


@dataclass(frozen=True, eq=False)
class LargeTable:
    """Rows in an engine with their cells beside them; only counts are in memory.

    The engine knows each quasi-identifier by places: a code's place along its tree, or the code
    itself on a line.
    """

    schema: Schema
    source: Source
    coded: CodedCells
    coders: Mapping[str, Coder]
    table_counts: IntArray  # how often each sensitive value occurs
    n_people: int
    budget: Budget
    frame_kind: FrameKind = "arrow"
    notices: tuple[str, ...] = ()

    @cached_property
    def domains(self) -> list[Domain]:
        """The domains of the quasi-identifiers, in the schema's order."""
        return [self.coders[name].domain for name in self.schema.quasi_identifiers]

    @cached_property
    def sensitive(self) -> Domain:
        """The domain of the sensitive column; without values where there is none."""
        name = self.schema.sensitive
        return self.coders[name].domain if name else no_domain()

    @property
    def most_entries(self) -> int:
        """How many distinct rows can be at work at once."""
        return self.budget.part // (BYTES_OF_ENTRY + BYTES_OF_CODE * len(self.domains))

    def cells(self, entries: pa.Table) -> Cells:
        """Some distinct rows of codes as cells, in order."""
        codes = np.empty((entries.num_rows, len(self.domains)), dtype=np.int32, order="F")
        for j, domain in enumerate(self.domains):
            places = entries.column(code_column(j)).to_numpy()
            codes[:, j] = np.argsort(line_or_tree_ranks(domain))[places]
        counts = entries.column(COUNT).to_numpy().astype(np.int64)
        values = entries.column(VALUE_CODE).to_numpy().astype(np.int32)
        n_held = len(counts) if self.schema.sensitive else 0
        return Cells.from_entries(
            domains=self.domains,
            codes=codes,
            people=counts,
            sensitive=self.sensitive,
            entry_codes=codes if self.schema.sensitive else codes[:0],
            value_codes=values[:n_held],
            value_counts=counts[:n_held],
            values_per_person="one" if self.schema.sensitive else "set",
        )


def read_within(
    source: Source,
    schema: Schema,
    limit: MemoryLimit,
    *,
    missing: Missing = "error",
    marks: Collection[str] = (),
    frame_kind: FrameKind = "arrow",
    notices: Sequence[str] = (),
) -> Table | LargeTable:
    """Count a table under a memory limit: an ordinary one if its cells fit, else a large one."""
    _refuse_several_rows(schema)
    refuse_wrong_columns(source, schema)
    budget = Budget.of(limit)
    coders, mappings, holes, n_rows = _coded_columns(source, schema, missing, marks)
    if n_rows == 0:
        raise SourceError(f"{source.name} has no rows: there is nobody to publish anything about")
    if holes and missing == "error":
        refuse_missing(holes, source.name)
    refuse_inconsistent_people(source, schema, n_counted=n_rows)
    coded = source.code(mappings, own_memory=budget.engine)
    counted = coded.count_values()
    if counted.num_rows == 0:
        refuse_nobody_left(source.name)
    counts = counted.column(COUNT).to_numpy()
    n_values = len(coders[schema.sensitive].domain) if schema.sensitive else 0
    table_counts = np.zeros(max(n_values, 1), dtype=np.int64)
    table_counts[counted.column(VALUE_CODE).to_numpy()] = counts
    large = LargeTable(
        schema=schema,
        source=source,
        coded=coded,
        coders=coders,
        table_counts=table_counts[:n_values],
        n_people=int(counts.sum()),
        budget=budget,
        frame_kind=frame_kind,
        notices=(*notices, *notices_of(source, schema, n_values)),
    )
    if coded.n_entries > large.most_entries:
        return large
    cells = large.cells(coded.take(None))
    return Table(schema, source, cells, coders, frame_kind, large.notices)


def _coded_columns(
    source: Source, schema: Schema, missing: Missing, marks: Collection[str]
) -> tuple[dict[str, Coder], list[pa.Table], dict[str, int], int]:
    """Each column's coder and mapping, how many rows lack a value in it, and how many there are."""
    import pyarrow as pa

    names = [*schema.quasi_identifiers, *([schema.sensitive] if schema.sensitive else [])]
    coders: dict[str, Coder] = {}
    mappings, holes, n_rows = [], {}, 0
    for place, name in enumerate(names):
        counted = source.count([name])
        coders[name] = code_column_alone(counted, name, schema, missing, marks)
        codes = coders[name].encode(counted.column(name))
        counts = counted.column(COUNT).to_numpy()
        n_rows = int(counts.sum())
        if (codes == NO_CODE).any():
            holes[name] = int(counts[codes == NO_CODE].sum())
        is_quasi = place < len(schema.quasi_identifiers)
        if is_quasi:
            codes = np.append(line_or_tree_ranks(coders[name].domain), NO_CODE)[codes]
        to = code_column(place) if is_quasi else VALUE_CODE
        mapping = pa.table({name: counted.column(name), to: pa.array(codes, pa.int32())})
        mappings.append(mapping.filter(pa.array(codes != NO_CODE)))
    return coders, mappings, holes, n_rows


def _refuse_several_rows(schema: Schema) -> None:
    if schema.person_columns or schema.values_per_person != "one":
        raise SchemaError(
            "under a memory limit each row is a person with one value: leave the limit out for "
            "people with several rows or values"
        )
    if schema.published:
        raise SchemaError(
            f"under a memory limit no column is published as it is: leave out the limit, or "
            f"{', '.join(schema.published)}"
        )
