"""Rows of people, at most so many of each: what a release with noise may count.

A table of visits becomes a table of counted visits. Each person has at most `most` rows in it, so
that what one person changes has a limit, and noise can hide it. Of a person with more rows some are
drawn at random, which does not depend on anybody else. Rules about groups say nothing here: these
are not people. So this is no `Table`, and only noise takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import BoolArray
from gyges.data.arrow_arrays import arrow_numbers
from gyges.data.consistency import (
    refuse_nameless_rows,
    refuse_respelled,
    refuse_wrong_columns,
)
from gyges.data.counting import Missing, count_cells
from gyges.data.encoding import encoded, places_of
from gyges.data.schema import Schema
from gyges.data.shapes import shape_columns
from gyges.data.source import Source
from gyges.data.table import FrameKind, Table
from gyges.errors import SchemaError
from gyges.exact import counted

if TYPE_CHECKING:
    import pyarrow as pa


MOST_ROWS_OF_A_PERSON = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class RowsOfPeople:
    """Counted rows, of which each person has at most `most`. Made by `gy.read_rows`."""

    schema: Schema
    counted: Table  # each row by itself; its schema names no person
    most: int
    n_people: int
    notices: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """How many rows are counted."""
        return self.counted.n_people

    def __repr__(self) -> str:
        return (
            f"<RowsOfPeople: {counted(self.n_rows, 'row')} of {counted(self.n_people, 'person')}, "
            f"at most {self.most:,} of each>"
        )


def rows_of_people(
    source: Source,
    schema: Schema,
    most: int,
    in_memory: Callable[[pa.Table, str], Source],
    *,
    missing: Missing = "error",
    marks: Collection[str] = (),
    frame_kind: FrameKind = "arrow",
    notices: Sequence[str] = (),
) -> RowsOfPeople:
    """Count at most so many rows of each person; refuse what contradicts the schema.

    `in_memory` makes a source of Arrow rows. The columns that are counted come into memory.
    """
    person = _person_of(schema)
    refuse_wrong_columns(source, schema)
    refuse_nameless_rows(source, person, marks)
    refuse_respelled(source, schema, marks)
    wanted = list(dict.fromkeys([*schema.quasi_identifiers, *filter(None, [schema.sensitive])]))
    rows = source.fetch([person, *(name for name in wanted if name != person)])
    kept, n_people = drawn_rows(rows.column(person), most)
    by_row = replace(
        schema, identifiers=(), person=None, person_columns=(), household=None, weight=None,
        dropped=(), published=(), do_not_identify=(), exact_spelling=False,
    )  # fmt: skip
    chosen = in_memory(rows.select(wanted).filter(arrow_numbers(kept)), source.name)
    chosen, by_row = shape_columns(chosen, by_row, marks)
    cells, coders = count_cells(chosen, by_row, missing, marks, has_value_table=False)
    left = len(kept) - cells.n_people
    said = (
        f"{counted(cells.n_people, 'row')} of {counted(n_people, 'person')} are counted, at most "
        f"{most:,} of each; {counted(left, 'row is', 'rows are')} left out"
    )
    table = Table(by_row, chosen, cells, coders, frame_kind, marks=tuple(sorted(marks)))
    return RowsOfPeople(schema, table, most, n_people, (*notices, said))


def drawn_rows(person: pa.ChunkedArray, most: int) -> tuple[BoolArray, int]:
    """Which rows are counted, and how many people there are: of each person `most`, at random."""
    column = encoded(person, "person")
    places = places_of(column)
    shuffled = np.random.default_rng().permutation(len(places))
    by_person = shuffled[np.argsort(places[shuffled], kind="stable")]
    starts = np.flatnonzero(np.r_[True, np.diff(places[by_person]) != 0][: len(places)])
    sizes = np.diff(np.r_[starts, len(places)])
    rank = np.arange(len(places)) - np.repeat(starts, sizes)
    kept = np.zeros(len(places), dtype=bool)
    kept[by_person[rank < most]] = True
    return kept, len(starts)


def _person_of(schema: Schema) -> str:
    """The column that identifies people; refuse a schema that says otherwise what is counted."""
    if schema.person is None:
        raise SchemaError(
            "counting several rows per person needs `person`, the column that the rows of one "
            "person share: without it nobody can tell whose row is whose"
        )
    if schema.keep_row is not None or schema.rows_per_person == "all":
        raise SchemaError(
            "counting several rows of each person, and keep_row or rows_per_person = 'all', say "
            "different things about a person's rows: choose one"
        )
    if schema.values_per_person != "one" or schema.also_sensitive or schema.pseudonyms:
        raise SchemaError(
            "rows are counted with one value of one sensitive column, and without pseudonyms: omit "
            "values_per_person, also_sensitive and pseudonyms"
        )
    return schema.person
