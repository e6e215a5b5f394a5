"""Stand-ins: what a search sees of a missing value that matches anything.

A search compares and orders values, so each missing one has a stand-in while groups are sought:
what most people have who agree in all that is known. Stand-ins depend on quasi-identifiers alone,
never on sensitive values. They decide who shares a group; the label of a group says that a value
may be missing, and rules count people.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gyges.arrays import BoolArray, CodeArray, IntArray, distinct_pairs, frozen
from gyges.data.cells import Cells, Domain, locate, row_keys
from gyges.data.encoding import make_coder
from gyges.data.schema import Schema
from gyges.data.values import MISSING, Kind
from gyges.errors import MissingValuesError
from gyges.ragged import Ragged, starts_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StandIns:
    """The people of a table in cells without missing values; `place` is that of each of its own."""

    cells: Cells
    place: IntArray

    def __post_init__(self) -> None:
        frozen(self.place)


def missing_cells(cells: Cells) -> BoolArray:
    """Cells × quasi-identifiers: where a value is missing."""
    found = np.zeros(cells.codes.shape, dtype=bool)
    for column, domain in enumerate(cells.domains):
        if MISSING in domain.values:
            found[:, column] = cells.codes[:, column] == domain.values.index(MISSING)
    return found


def stand_ins_of(cells: Cells, schema: Schema) -> StandIns | None:
    """The cells with stand-ins in place of missing values; None where nothing is missing."""
    lacks = missing_cells(cells)
    if not lacks.any():
        return None
    domains, columns = [], []
    for column, domain in enumerate(cells.domains):
        if not lacks[:, column].any():
            domains.append(domain)
            columns.append(cells.codes[:, column])
            continue
        known, code_of = _without_missing(domain, schema)
        domains.append(known)
        columns.append(code_of[cells.codes[:, column]])
    codes = _filled(np.stack(columns, axis=1), lacks, cells.people, [*map(len, domains)])
    made = Cells.from_entries(
        domains=domains,
        codes=codes,
        people=cells.people,
        sensitive=cells.sensitive,
        entry_codes=codes,
        entry_rows=cells.cell_of_entry,
        value_codes=cells.value_codes,
        value_counts=cells.value_counts,
        values_per_person=cells.values_per_person,
    )
    place = locate(codes, made)
    return StandIns(_with_households(made, cells, place), place)


def _without_missing(domain: Domain, schema: Schema) -> tuple[Domain, CodeArray]:
    """The domain of the values that are known, and the new code of each old one."""
    pairs = zip(domain.values, domain.present, strict=True)
    known = [value for value, is_there in pairs if is_there and value != MISSING]
    if not known:
        raise MissingValuesError(
            f"nobody has a value in column {domain.name!r}: drop it, or choose missing='value'"
        )
    stated = schema.kinds.get(domain.name)
    coder = make_coder(
        domain.name,
        known,
        kind=Kind(stated) if stated else None,
        hierarchy=schema.hierarchies.get(domain.name),
    )
    codes = [coder.code_of_raw.get(value, 0) for value in domain.values]
    return coder.domain, np.array(codes, dtype=np.int32)


def _filled(codes: CodeArray, lacks: BoolArray, people: IntArray, widths: list[int]) -> CodeArray:
    """The codes with, for what a row lacks, what most complete rows have that agree in the rest.

    Where none agrees, each value is the one that most people have in its column.
    """
    usual = [
        np.bincount(codes[~lacks[:, j], j], weights=people[~lacks[:, j]]).argmax()
        for j in range(codes.shape[1])
    ]
    filled = np.where(lacks, np.array(usual, dtype=np.int32), codes)
    whole = np.flatnonzero(~lacks.any(axis=1))
    whole = whole[np.argsort(-people[whole], kind="stable")]  # the most frequent first
    patterns, pattern_of_row = np.unique(lacks, axis=0, return_inverse=True)
    by_pattern = Ragged.group_by(pattern_of_row.ravel(), len(patterns))
    for number, lacking in enumerate(patterns):
        if not lacking.any():
            continue
        rows = by_pattern.values[by_pattern.starts[number] : by_pattern.starts[number + 1]]
        both = np.concatenate([whole, rows])
        keys = row_keys(codes[both][:, ~lacking], np.array(widths)[~lacking].tolist())
        agreeing, first = np.unique(keys[: len(whole)], return_index=True)
        asked = keys[len(whole) :]
        at = np.minimum(np.searchsorted(agreeing, asked), len(agreeing) - 1)
        if not len(agreeing):
            continue
        is_found = agreeing[at] == asked
        giving = whole[first[at[is_found]]]
        filled[np.ix_(rows[is_found], np.flatnonzero(lacking))] = codes[giving][:, lacking]
    return filled


def _with_households(made: Cells, cells: Cells, place: IntArray) -> Cells:
    """The same cells with the households of their people, where these are known."""
    if cells.households is None:
        return made
    cell, home = distinct_pairs(place[cells.households.segment_of_value], cells.households.values)
    return replace(made, households=Ragged(home, starts_of(np.bincount(cell, minlength=len(made)))))
