"""Whether each row is a person, where the schema names no column that identifies people.

A column among the quasi-identifiers or the dropped ones may number people who have several rows.
Then counts of rows are not counts of people, and reading the table warns. Only names are looked
at, and the cells that were counted anyway: this is cheap, and finds less than `gyges init` does.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gyges.arrays import BoolArray
from gyges.data.arrow_arrays import numbers_of
from gyges.data.cells import Cells
from gyges.data.column_names import is_quantity, is_strong, is_trait, meaning
from gyges.data.consistency import in_rows
from gyges.data.repeated_people import LEAST_VALUES, CountedRows, identifies_people
from gyges.data.schema import Schema
from gyges.data.source import COUNT, Source
from gyges.data.values import Kind

_LEAST_VARIED = (
    20  # different values; below, a number may be one of a person's, such as a place in line
)
_MOST_VALUES = 500  # of a column that are compared with other columns
_MOST_CELLS = 20_000


def doubts_about_rows(source: Source, schema: Schema, cells: Cells | None = None) -> list[str]:
    """For each column that may identify people with several rows, a sentence; without cells, by
    name alone.
    """
    if schema.identifies_people:
        return []
    quasi = [] if cells is None else _numbering(schema, cells)
    named = [*schema.dropped, *(schema.quasi_identifiers if cells is None else ())]
    return [
        f"column {name!r} may identify people who have several rows ({values}), and each row "
        f"counts as one person: write person={name!r} and keep one row per person, or "
        f"do_not_identify=[{name!r}] if it does not identify people"
        for name, values in [*quasi, *_repeated(source, named)]
        if name not in schema.do_not_identify
    ]


def _repeated(source: Source, names: list[str]) -> Iterator[tuple[str, str]]:
    """The columns whose name suggests a person's number and whose values repeat."""
    wanted = [name for name in names if meaning(name) in ("person", "number")]
    if not wanted:
        return
    n_rows = int(numbers_of(source.count([]).column(COUNT))[0])
    missing = source.count_missing(wanted)
    for name in wanted:
        n = int(numbers_of(source.count_distinct([name], by=[]).column(COUNT))[0])
        n_known, n = n_rows - missing[name], n - (missing[name] > 0)
        is_certain = meaning(name) == "person" and is_strong(name)
        if 0 < n < n_known and (n >= _LEAST_VARIED or is_certain):
            yield name, in_rows(n, n_known)


def _numbering(schema: Schema, cells: Cells) -> list[tuple[str, str]]:
    """The quasi-identifiers that may number people, by their names and by how values repeat."""
    found = []
    traits = [is_trait(name) for name in schema.quasi_identifiers]
    for place, name in enumerate(schema.quasi_identifiers):
        domain = cells.domains[place]
        if domain.kind is Kind.DATE or len(domain) < LEAST_VALUES or is_quantity(name):
            continue
        rows = np.bincount(cells.codes[:, place], weights=cells.people, minlength=len(domain))
        n, n_rows = int((rows > 0).sum()), int(rows.sum())
        if not LEAST_VALUES <= n < n_rows:
            continue
        is_named = meaning(name) in ("person", "number") and n >= _LEAST_VARIED and n_rows < 20 * n
        if is_named or _is_one_person_each(cells, place, rows > 0, traits):
            found.append((name, in_rows(n, n_rows)))
    return found


def _is_one_person_each(cells: Cells, place: int, occurs: BoolArray, traits: list[bool]) -> bool:
    """Whether the cells with the same value, if it occurs, agree as the rows of one person do."""
    others = [i for i in range(len(cells.domains)) if i != place]
    codes, values = cells.codes[:, place], np.flatnonzero(occurs)
    is_compared = np.zeros(len(occurs), dtype=bool)
    is_compared[values[:: max(1, len(values) // _MOST_VALUES)]] = True
    kept = is_compared[codes]
    if kept.sum() > _MOST_CELLS:
        return False
    chosen = [cells.codes[kept, i].astype(np.int64) for i in others]
    rows = CountedRows(codes[kept].astype(np.int64), chosen, cells.people[kept])
    return bool(identifies_people(rows, [traits[i] for i in others]))
