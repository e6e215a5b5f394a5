"""A table about people: its schema, the cells that were counted, and how to reach its rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from gyges.arguments import choice, instance, items, shown
from gyges.arrays import BoolArray, CodeArray, FloatArray, IntArray
from gyges.data.all_rows import describe_people
from gyges.data.arrow_arrays import arrow_numbers, numbers_of
from gyges.data.cells import Cells, locate
from gyges.data.consistency import as_weights, people_notices
from gyges.data.counting import Missing, count_cells, encode_rows, lacks_value
from gyges.data.description import DescribedTable
from gyges.data.doubtful_people import doubts_about_rows
from gyges.data.encoding import NO_CODE, Coder, encoded, places_of
from gyges.data.joint_source import join_sensitive
from gyges.data.one_row import keep_one_row
from gyges.data.pseudonyms import with_pseudonyms
from gyges.data.schema import Schema
from gyges.data.shapes import shape_columns
from gyges.data.source import Source
from gyges.data.stand_ins import StandIns, stand_ins_of
from gyges.data.values import MISSING, Value
from gyges.errors import MissingColumnsError, SchemaError, SourceError
from gyges.exact import counted

if TYPE_CHECKING:
    import pyarrow as pa

FrameKind: TypeAlias = Literal["arrow", "pandas", "polars"]


@dataclass(frozen=True, eq=False, repr=False)
class Table(DescribedTable):
    """Rows in an engine, counted once; privacy is reasoned about on `cells` alone.

    Made by `gy.read`, which checks what it is given; the constructor does not.
    """

    schema: Schema
    source: Source
    cells: Cells
    coders: Mapping[str, Coder]  # of the quasi-identifiers and the sensitive column
    frame_kind: FrameKind = "arrow"  # the kind of frame that the caller works with
    notices: tuple[str, ...] = ()  # what a user should know about reading it
    read_again: Callable[[Schema], Table] | None = None  # the same rows, by other columns
    labelled: tuple[str, ...] = ()  # columns of codes with labels, in a file of SPSS, Stata or SAS
    missing: Missing = "error"  # what `gy.read` was told, for those who read further rows alike
    marks: tuple[str, ...] = ()
    has_value_table: bool = False

    @property
    def n_people(self) -> int:
        """How many people the table is about."""
        return self.cells.n_people

    def __len__(self) -> int:
        return self.n_rows

    @property
    def n_rows(self) -> int:
        """How many rows are used; fewer than the source has where missing values were dropped."""
        return len(self.cell_of_row)

    @cached_property
    def stand_ins(self) -> StandIns | None:
        """What a search sees of missing values that match anything; None where there are none."""
        return stand_ins_of(self.cells, self.schema) if self.missing == "any" else None

    @property
    def searched_cells(self) -> Cells:
        """The cells that a search sees."""
        return self.cells if self.stand_ins is None else self.stand_ins.cells

    @property
    def searched_cell_of_row(self) -> IntArray:
        """The cell of each used row among `searched_cells`, in table order."""
        cell = self.cell_of_row
        return cell if self.stand_ins is None else self.stand_ins.place[cell]

    @property
    def sensitive_values(self) -> list[Value]:
        """The sensitive values that occur, sorted."""
        return list(self.cells.sensitive.values)

    @property
    def quasi_coders(self) -> list[Coder]:
        """The coders of the quasi-identifiers, in the schema's order."""
        return [self.coders[name] for name in self.schema.quasi_identifiers]

    @cached_property
    def _row_codes(self) -> tuple[CodeArray, CodeArray | None, BoolArray]:
        """Codes of all rows of the source, and which rows are used."""
        schema, wanted = self.schema, [*self.schema.quasi_identifiers]
        wanted += [schema.sensitive] if schema.sensitive else []
        rows = self.source.fetch(wanted or schema.columns[:1])
        codes = encode_rows(rows, self.quasi_coders)
        used = np.asarray((codes != NO_CODE).all(axis=1))
        if schema.sensitive is None:
            return codes, None, used
        column, coder = rows.column(schema.sensitive), self.coders[schema.sensitive]
        if not schema.shared_columns:
            used &= ~lacks_value(column, coder, schema)
        return codes, None if schema.separator else coder.encode(column), used

    @property
    def is_used(self) -> BoolArray:
        """For each row of the source, whether it is used or was dropped for a missing value."""
        return self._row_codes[2]

    @cached_property
    def cell_of_row(self) -> IntArray:
        """The cell of each used row, in table order."""
        codes, _, used = self._row_codes
        return locate(codes[used], self.cells)

    @cached_property
    def value_of_row(self) -> CodeArray:
        """The sensitive value's code of each used row, in table order."""
        _, values, used = self._row_codes
        if values is None:
            raise SchemaError("the rows of this table do not have one sensitive value each")
        return values[used]

    @cached_property
    def weight_of_row(self) -> FloatArray:
        """The survey weight of each used row; the schema names its column."""
        [name] = filter(None, [self.schema.weight])
        column = encoded(self.fetch([name]).column(name), name)
        values = np.array(as_weights(column.dictionary.to_pylist(), self.schema))
        return np.asarray(values[places_of(column)], dtype=np.float64)

    @cached_property
    def is_first_row(self) -> BoolArray:
        """Which used rows are the first of their person; all, where each row is a person."""
        is_first = np.ones(self.n_rows, dtype=bool)
        if self.schema.shared_columns and self.n_rows != self.n_people:
            person = self.fetch(self.schema.shared_columns)
            person = person.append_column("row", arrow_numbers(np.arange(self.n_rows)))
            first = person.group_by(self.schema.shared_columns).aggregate([("row", "min")])
            is_first[:] = False
            is_first[numbers_of(first.column("row_min"))] = True
        return is_first

    def fetch(self, columns: Sequence[str]) -> pa.Table:
        """The used rows of some columns as Arrow, in table order."""
        wanted, names = items(columns, "columns", "column names", SchemaError), self.source.columns
        strange = [name for name in wanted if not isinstance(name, str) or name not in names]
        if strange:
            raise MissingColumnsError(
                [name if isinstance(name, str) else shown(name) for name in strange],
                self.source.columns,
            )
        rows = self.source.fetch(wanted)  # type: ignore[arg-type]
        used = self.is_used
        return rows if used.all() else rows.filter(arrow_numbers(used))


def check_table(table: object, name: str = "table") -> Table:
    """Refuse anything but a table that was read."""
    return instance(table, Table, name, "read one with gy.read(source, schema)", SourceError)


def make_table(
    source: Source,
    schema: Schema,
    *,
    missing: Missing = "error",
    marks: Collection[str] = (),
    frame_kind: FrameKind = "arrow",
    notices: Sequence[str] = (),
    has_value_table: bool = False,
    pseudonym_key: bytes | None = None,
) -> Table:
    """Count a source under a schema; refuse what contradicts it."""
    choice(missing, get_args(Missing), "missing", SchemaError)
    kept, kept_notice = keep_one_row(source, schema, marks)
    kept, schema, described = describe_people(kept, schema, marks)
    kept, schema = shape_columns(kept, schema, marks)
    kept, schema, coders_of_parts = join_sensitive(kept, schema, missing, marks)
    cells, coders = count_cells(kept, schema, missing, marks, has_value_table)
    kept, schema, named = with_pseudonyms(kept, schema, marks, pseudonym_key)
    about_table = notices_of(kept, schema, len(cells.sensitive), marks, cells)
    noted = (*notices, *kept_notice, *described, *named, *about_table)
    all_coders, all_marks = {**coders_of_parts, **coders}, tuple(sorted(marks))
    made = Table(schema, kept, cells, all_coders, frame_kind, noted, missing=missing)
    return replace(made, marks=all_marks, has_value_table=has_value_table)


def _n_without_any_value(cells: Cells) -> int:
    """How many people have no value in any quasi-identifier, if there are several of these."""
    missing = [domain.values.index(MISSING) for domain in cells.domains if MISSING in domain.values]
    if len(missing) < max(len(cells.domains), 2):
        return 0
    return int(cells.people[(cells.codes == missing).all(axis=1)].sum())


def notices_of(
    source: Source,
    schema: Schema,
    n_values: int,
    marks: Collection[str] = (),
    cells: Cells | None = None,
) -> list[str]:
    """What a user should know about a table with `n_values` sensitive values."""
    notices = people_notices(source, schema, marks) if schema.identifies_people else []
    notices += doubts_about_rows(source, schema, cells)
    n_empty = 0 if cells is None else _n_without_any_value(cells)
    if n_empty:
        rows = counted(n_empty, "row has", "rows have")
        notices.append(
            f"{rows} no value in any quasi-identifier: are they people? A line of totals is not"
        )
    idle = [name for name in source.columns if name not in schema.columns]
    if idle:
        notices.append(f"columns without a role are ignored: {', '.join(idle)}")
    if schema.sensitive and n_values == 1:
        notices.append(
            f"everyone has the same value of {schema.sensitive!r}: every release reveals it"
        )
    return notices
