"""Finding many people in many groups: by labels through a trie, by exact values through keys.

Gives the same answers as comparing every person with every group, at a cost that hardly grows with
the number of groups.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import BoolArray, CodeArray, IntArray, frozen
from gyges.data.cells import Domain, WithCells, row_keys
from gyges.data.counting import Missing
from gyges.data.encoding import dictionary
from gyges.data.table import Table
from gyges.data.values import MISSING, Value, text_of
from gyges.kernels.label_trie import find_groups, run_ends
from gyges.ragged import Ragged, starts_of
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import entries_by_text, groups_of_cells
from gyges.release.label_reading import covered_codes
from gyges.release.locating import NOWHERE, SEVERAL
from gyges.release.missing_labels import known_part

if TYPE_CHECKING:
    import pyarrow as pa


_MOST_COVERS = 20_000_000  # labels × values of a column that are looked up in a table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Candidates:
    """The groups that people can be in, for each cell of a table of people.

    Those of cell c are `groups[starts[c]:starts[c+1]]`. In each of them, `rows` published rows
    look like the person sought: any of these may be theirs [Ganta2008, Def. 6].
    """

    starts: IntArray  # cells + 1
    groups: IntArray
    rows: IntArray

    def __post_init__(self) -> None:
        frozen(self.starts, self.groups, self.rows)

    def take(self, cells: IntArray) -> Candidates:
        """Those of some of the cells, in this order."""
        groups = Ragged(self.groups, self.starts).take(cells)
        rows = Ragged(self.rows, self.starts).take(cells)
        return Candidates(groups.starts, groups.values, rows.values)

    @property
    def only(self) -> IntArray:
        """The one group of each cell; NOWHERE where there is none, SEVERAL where there are more."""
        n = np.diff(self.starts)
        padded = np.append(self.groups, NOWHERE)
        return np.where(n == 1, padded[self.starts[:-1]], np.where(n == 0, NOWHERE, SEVERAL))


def candidates_by_labels(
    labels: Sequence[Sequence[str]],
    people: WithCells,
    sizes: IntArray,
    theirs: Collection[str] = (),
    missing: Missing = "value",
) -> Candidates:
    """The groups whose labels all cover a person's values; all rows of a group look the same.

    `labels` has a list for each quasi-identifier of `people`, in its order, with a label for each
    group. `theirs` names the columns whose labels may be general terms of a hierarchy: there a
    label that is no value and cannot be read is refused, instead of counting as another value.
    If `missing` is "any", the attacker does not know who lacks a value in the release.
    """
    codes = people.cells.codes
    if not labels:
        one_each, nobody = np.arange(len(codes) + 1), np.zeros(len(codes), dtype=np.int64)
        return Candidates(one_each, nobody, sizes[nobody])
    columns = [
        _column(column, domain, domain.name in theirs, missing)
        for column, domain in zip(labels, people.cells.domains, strict=True)
    ]
    order = _most_selective_first(columns, codes)
    columns = [columns[j] for j in order]
    coded = np.stack([column.label_of_group for column in columns], axis=1)
    sorted_groups = np.lexsort(coded.T[::-1])
    trie = _trie(columns, np.asfortranarray(coded[sorted_groups]))
    rows = np.ascontiguousarray(codes[:, order])
    first = np.full(len(rows), NOWHERE, dtype=np.int64)
    n_found = find_groups(rows, *trie, np.arange(len(rows) + 1), first)
    starts = starts_of(n_found)
    groups = np.zeros(starts[-1], dtype=np.int64)
    groups[starts[:-1][n_found > 0]] = first[n_found > 0]
    several = np.flatnonzero(n_found > 1)  # a second walk, for these alone
    places = Ragged.ranges(starts[several], starts[several + 1])
    more = np.zeros(len(places.values), dtype=np.int64)
    find_groups(rows[several], *trie, places.starts, more)
    groups[places.values] = more
    groups = sorted_groups[groups]
    return Candidates(starts, groups, sizes[groups])


def candidates_exactly(published: pa.Table, group_column: str, people: WithCells) -> Candidates:
    """The groups with people who have exactly these values, and how many people do."""
    domains = people.cells.domains
    codes = np.stack(
        [_codes_of_text(published.column(domain.name), domain.values) for domain in domains], axis=1
    )
    known = (codes >= 0).all(axis=1)  # the others have a value that none of `people` has
    group = np.asarray(published.column(group_column).cast("int64").to_numpy()[known] - 1)
    keys = row_keys(
        np.concatenate([codes[known], people.cells.codes]), [len(domain) for domain in domains]
    )
    asked, cell = np.unique(keys[len(group) :], return_index=True)
    at = np.searchsorted(asked, keys[: len(group)])
    there = at < len(asked)
    there[there] = asked[at[there]] == keys[: len(group)][there]
    n_groups = int(group.max(initial=0)) + 1
    pairs, rows = np.unique(cell[at[there]] * n_groups + group[there], return_counts=True)
    starts = np.searchsorted(pairs, np.arange(len(people.cells) + 1) * n_groups)
    return Candidates(starts.astype(np.int64), pairs % n_groups, rows.astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _ColumnLabels:
    """One column's labels: which group has which, and which values each covers."""

    label_of_group: CodeArray
    covers: BoolArray | None  # labels × values, unless these are too many
    n_covering: IntArray  # values: how many labels cover each
    covering: CodeArray  # which ones, value after value
    n_fitting: IntArray  # values: how many groups cover each


def _column(labels: Sequence[str], domain: Domain, theirs: bool, missing: Missing) -> _ColumnLabels:
    covered = covered_codes(labels, domain, theirs=theirs)
    if missing == "any":
        covered = _matching_anything(covered, domain)
    place = {label: code for code, label in enumerate(covered)}
    coded = np.array([place[label] for label in labels], dtype=np.int32)
    value = np.concatenate(list(covered.values()))
    label = np.repeat(np.arange(len(covered)), [len(codes) for codes in covered.values()])
    covers = None
    if len(covered) * len(domain) <= _MOST_COVERS:
        covers = np.zeros((len(covered), len(domain)), dtype=bool)
        covers[label, value] = True
    by_value = np.argsort(value, kind="stable")
    n_groups = np.bincount(coded, minlength=len(covered))
    fitting = np.bincount(value, weights=n_groups[label], minlength=len(domain))
    return _ColumnLabels(
        coded,
        covers,
        np.bincount(value, minlength=len(domain)),
        label[by_value].astype(np.int32),
        fitting.astype(np.int64),
    )


def _matching_anything(covered: Mapping[str, IntArray], domain: Domain) -> dict[str, IntArray]:
    """The same, where missing values match anything: in labels, and of people who lack one."""
    lacks = [code for code, value in enumerate(domain.values) if value == MISSING]
    return {
        label: np.arange(len(domain)) if MISSING in label else np.union1d(codes, lacks).astype(int)
        for label, codes in covered.items()
    }


def settled_by_stand_ins(
    found: Candidates, labels: Sequence[Sequence[str]], original: Table, stated: Groups
) -> Candidates:
    """The candidates of an original's cells; of several groups, the one of the stand-ins.

    A division of the people among groups that fit them, in which each group has the people and
    values that it states, shows that the groups can be theirs. Where this division is none, another
    may be one: then nothing is settled.
    """
    stand_ins = original.stand_ins
    if stand_ins is None:
        return found
    known = [[known_part(text) or text for text in column] for column in labels]
    sought = candidates_by_labels(known, stand_ins, stated.sizes).only[stand_ins.place]
    cell = Ragged(found.groups, found.starts).segment_of_value
    is_sought = found.groups == sought[cell]
    has_one = np.bincount(cell, weights=is_sought, minlength=len(sought)) > 0
    kept = is_sought | ~has_one[cell]
    starts = starts_of(np.bincount(cell[kept], minlength=len(sought)))
    settled = Candidates(starts, found.groups[kept], found.rows[kept])
    return settled if _gives(settled.only, original, stated) else found


def _gives(group_of_cell: IntArray, original: Table, stated: Groups) -> bool:
    """Whether a division of an original gives each group the people and values that it states."""
    cells, n = original.cells, len(stated)
    is_in = group_of_cell >= 0
    sizes = np.bincount(group_of_cell[is_in], weights=cells.people[is_in], minlength=n)
    if (group_of_cell == SEVERAL).any() or (sizes != stated.sizes).any():
        return False
    made = groups_of_cells(cells, group_of_cell, n)
    return entries_by_text(made) == entries_by_text(stated)


def _most_selective_first(columns: list[_ColumnLabels], codes: CodeArray) -> IntArray:
    """The columns by how few groups a person of the table fits on average."""
    means = [column.n_fitting[codes[:, j]].mean() for j, column in enumerate(columns)]
    return np.argsort(means, kind="stable")


def _trie(
    columns: list[_ColumnLabels], coded: CodeArray
) -> tuple[CodeArray, IntArray, BoolArray, IntArray, IntArray, IntArray, IntArray, CodeArray]:
    """The arguments of `find_groups` about the sorted groups."""
    n_codes = [len(column.n_covering) for column in columns]
    dense = [np.zeros((0, 0), bool) if c.covers is None else c.covers for c in columns]
    lengths = np.concatenate([column.n_covering for column in columns])
    return (
        coded,
        run_ends(coded),
        np.concatenate([covers.ravel() for covers in dense]),
        np.cumsum([0, *(covers.size for covers in dense[:-1])]),
        np.array([covers.shape[1] for covers in dense]),
        np.cumsum([0, *n_codes[:-1]]),
        starts_of(lengths),
        np.concatenate([column.covering for column in columns]),
    )


def _codes_of_text(column: pa.ChunkedArray, values: Sequence[Value]) -> CodeArray:
    raw, places = dictionary(column)
    place = {text_of(value): code for code, value in enumerate(values)}
    codes = np.array([place.get(str(text), -1) for text in raw] + [-1], dtype=np.int32)
    return codes[places]
