"""How many people have each combination of labels, for one view of the table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gyges.arrays import CodeArray, IntArray, frozen
from gyges.data.cells import distinct_rows, row_keys
from gyges.data.table import Table
from gyges.marginals.induced import Attribute, Resolution

ABSENT = -1  # the place of a combination that nobody has


@dataclass(frozen=True, eq=False, repr=False)
class ViewCounts:
    """T_E for one view E: the combinations that occur, in lexicographic order, with their counts.

    `codes` has a column for every attribute of the table; a suppressed one is 0 throughout.
    """

    resolution: Resolution
    codes: CodeArray  # combinations × attributes
    people: IntArray  # combinations

    def __post_init__(self) -> None:
        frozen(self.codes, self.people)

    def __len__(self) -> int:
        return len(self.people)

    @cached_property
    def total(self) -> int:
        """How many people are counted."""
        return int(self.people.sum())

    @cached_property
    def entropy(self) -> float:
        """The entropy of the counts as a distribution, in nats."""
        n = self.people.astype(np.float64)
        return math.log(self.total) - float((n * np.log(n)).sum()) / self.total if self.total else 0


def count_table(table: Table, attributes: Sequence[Attribute]) -> ViewCounts:
    """The table itself as counts: every column at its full resolution."""
    cells = table.cells
    full = tuple(attribute.height for attribute in attributes)
    if table.schema.sensitive is None:
        codes, people = cells.codes, cells.people
    else:
        codes = np.column_stack([cells.codes[cells.cell_of_entry], cells.value_codes])
        people = cells.value_counts
    leaves = ViewCounts(full, np.ascontiguousarray(codes, dtype=np.int32), people.copy())
    return leaves if _have_own_codes(attributes) else project(leaves, full, attributes)


def _have_own_codes(attributes: Sequence[Attribute]) -> bool:
    """Whether each value's label at full resolution is its own code."""
    return all(
        bool((attribute.codes[-1] == np.arange(len(attribute.values))).all())
        for attribute in attributes
    )


def project(
    counts: ViewCounts, resolution: Resolution, attributes: Sequence[Attribute]
) -> ViewCounts:
    """Sum counts up to a view that this one contains."""
    if resolution == counts.resolution:
        return counts
    codes = coarsened(counts.codes, counts.resolution, resolution, attributes)
    return sorted_counts(resolution, codes, counts.people, attributes)


def sorted_counts(
    resolution: Resolution, codes: CodeArray, people: IntArray, attributes: Sequence[Attribute]
) -> ViewCounts:
    """Counts in lexicographic order; a combination listed twice is added up."""
    distinct, where = distinct_rows(codes, widths(attributes, resolution))
    summed = np.bincount(where, weights=people, minlength=len(distinct)).astype(np.int64)
    return ViewCounts(resolution, distinct, summed)


def coarsened(
    codes: CodeArray, fine: Resolution, coarse: Resolution, attributes: Sequence[Attribute]
) -> CodeArray:
    """The same combinations at a coarser resolution."""
    made = np.zeros_like(codes)
    for place, attribute in enumerate(attributes):
        if coarse[place] == fine[place]:
            made[:, place] = codes[:, place]
        elif coarse[place] > 0:
            made[:, place] = attribute.coarsen(fine[place], coarse[place])[codes[:, place]]
    return made


def widths(attributes: Sequence[Attribute], resolution: Resolution) -> list[int]:
    """How many labels each attribute has at its resolution."""
    return [len(a.labels[r]) for a, r in zip(attributes, resolution, strict=True)]


def places_of(asked: CodeArray, known: CodeArray, sizes: Sequence[int]) -> IntArray:
    """The place of each asked combination among the known (sorted) ones; ABSENT if it has none."""
    if len(known) == 0:
        return np.full(len(asked), ABSENT, dtype=np.int64)
    keys = row_keys(np.concatenate([known, asked]), sizes)
    known_keys, asked_keys = keys[: len(known)], keys[len(known) :]
    place = np.minimum(np.searchsorted(known_keys, asked_keys), len(known) - 1)
    return np.where(known_keys[place] == asked_keys, place, ABSENT)
