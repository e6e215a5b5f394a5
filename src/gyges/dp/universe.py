"""Which rows a table could have, and how many people have each.

A noisy table lists a count for every row that could occur, not only for those that do: the list of
rows that occur would reveal people. So every column needs public values (public_columns.py). Values
found in the data are never used.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gyges.arrays import CodeArray, IntArray, frozen
from gyges.data.rows_of_people import RowsOfPeople
from gyges.data.table import Table
from gyges.data.values import Value
from gyges.dp.public_columns import public_columns
from gyges.dp.public_labels import Universe
from gyges.errors import RuleError


@dataclass(frozen=True, eq=False, repr=False)
class Histogram:
    """How many people have each combination of labels; only combinations that occur are stored."""

    universe: Universe
    codes: CodeArray  # entries × columns
    counts: IntArray  # entries

    def __post_init__(self) -> None:
        frozen(self.codes, self.counts)

    def of(self, view: Sequence[str]) -> IntArray:
        """The counts of a view, one axis per column, with zeros."""
        shape = self.universe.shape(view)
        places = [self._places(column) for column in view]
        flat = np.ravel_multi_index(places, shape) if places else np.zeros(len(self.counts), int)
        summed = np.bincount(flat, weights=self.counts, minlength=math.prod(shape))
        return np.asarray(summed.astype(np.int64).reshape(shape))

    def _places(self, column: str) -> IntArray:
        """The place of each entry's label in a column, also in a coarser one."""
        codes = self.codes[:, self.universe.columns.index(self.universe.base(column))]
        return self.universe.parts(column)[codes]


def count(
    table: Table | RowsOfPeople,
    columns: Collection[str] | None = None,
    domains: Mapping[str, Sequence[Value]] | None = None,
    levels: Mapping[str, int] | None = None,
    impossible: Sequence[Mapping[str, object]] = (),
    *,
    with_coarser: bool = False,
) -> Histogram:
    """Count a table over the public values of some columns, or of all.

    Args:
        domains: for a column without a hierarchy that lists its values, the values it may have.
        levels: how far to generalize a column by its hierarchy; 0, the value itself, by default.
        impossible: combinations that nobody can have, each as labels by column.
        with_coarser: also describe columns that show these ones coarsely.
    """
    public = public_columns(
        table.schema, columns, domains, levels, impossible, with_coarser=with_coarser
    )
    cells = (table.counted if isinstance(table, RowsOfPeople) else table).cells
    sensitive = table.schema.sensitive
    known = {domain.name: domain for domain in cells.domains}
    codes = dict(zip(known, cells.codes.T, strict=True))
    counts = cells.people
    if sensitive and cells.values_per_person == "one":
        known[sensitive] = cells.sensitive
        codes = {name: column[cells.cell_of_entry] for name, column in codes.items()}
        codes[sensitive] = cells.value_codes
        counts = cells.value_counts
    recoded = [
        one.places(known[name])[codes[name]].astype(np.int32)
        for name, one in public.columns.items()
    ]
    stacked = np.stack(recoded, axis=1) if recoded else np.zeros((len(counts), 0), np.int32)
    found = Histogram(public.universe, stacked, counts)
    _refuse_impossible(found)
    return found


def _refuse_impossible(found: Histogram) -> None:
    """Refuse a table where somebody has a combination that is stated to be impossible."""
    for zero in found.universe.impossible:
        mask = np.ones(len(found.counts), dtype=bool)
        for column, places in zip(zero.columns, zero.places, strict=True):
            mask &= np.isin(found.codes[:, found.universe.columns.index(column)], places)
        if found.counts[mask].any():
            raise RuleError(
                f"somebody has a combination of {', '.join(zero.columns)} that `impossible` "
                f"excludes: correct the table or the statement"
            )
