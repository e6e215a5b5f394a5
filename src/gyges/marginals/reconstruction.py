"""Rows reconstructed from views, ranked by confidence [Dick2023].

The attacker has the published counts alone. They make many tables that have all of these counts,
each one extreme in a random direction, and rank combinations of values by how many of the tables
hold them. A combination that every table holds is a row of the original for certain. For those that
are in all tables made, that is decided by integer programs: is there a table without it?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.errors import RuleError
from gyges.marginals.counts import ViewCounts
from gyges.marginals.fitting import refuse_large
from gyges.marginals.induced import Attribute, Resolution
from gyges.marginals.support import incidence, open_cells
from gyges.marginals.tables_with_counts import TablesWithCounts

N_TABLES = 20  # that are made
MOST_CELLS = 1_000  # of an integer program, of which up to MOST_PROVEN + N_TABLES are solved
MOST_PROVEN = 100
_SECONDS = 20.0  # of one integer program, usually a tenth of one; what takes longer is not proven


@dataclass(frozen=True, slots=True, eq=False)
class Reconstruction:
    """Combinations of labels, the most confident first."""

    attributes: tuple[Attribute, ...]
    finest: Resolution  # of the published labels
    cells: IntArray  # combinations × attributes, codes at these labels
    times: IntArray  # in how many of the tables each one is
    is_certain: BoolArray  # whether every table with these counts holds it
    n_tables: int
    is_complete: bool  # whether every combination was decided

    def labels(self, place: int) -> dict[str, str]:
        """The columns of a combination and their labels, without those that no view shows."""
        codes = self.cells[place].tolist()
        columns = zip(self.attributes, self.finest, codes, strict=True)
        return {one.name: one.labels[level][code] for one, level, code in columns if level > 0}


def reconstruct(
    attributes: tuple[Attribute, ...], views: Sequence[ViewCounts], rng: np.random.Generator
) -> Reconstruction:
    """Make tables in random directions, rank combinations, and decide which are certain."""
    finest = tuple(map(max, zip(*(view.resolution for view in views), strict=True)))
    refuse_large(attributes, finest)
    cells = np.argwhere(open_cells(attributes, finest, views))
    if len(cells) > MOST_CELLS:
        raise RuleError(
            f"reconstruction would need integer programs of {len(cells):,} cells (at most "
            f"{MOST_CELLS:,})"
        )
    tables = TablesWithCounts(incidence(cells, attributes, finest, views), len(cells))
    times, n_tables = np.zeros(len(cells), dtype=np.int64), 0
    for direction in rng.standard_normal((N_TABLES, len(cells))):
        table = tables.least(direction, seconds=_SECONDS)
        if table is not None:
            times, n_tables = times + (table > 0), n_tables + 1
    if not n_tables:
        raise RuleError("no table with all counts was found in time")
    certain, is_complete = _certain(tables, times == n_tables)
    order = np.lexsort((np.arange(len(cells)), -times, ~certain))
    ranked = (cells[order], times[order], certain[order])
    return Reconstruction(attributes, finest, *ranked, n_tables, is_complete)


def _certain(tables: TablesWithCounts, candidates: BoolArray) -> tuple[BoolArray, bool]:
    """Which candidates are in every table, and whether all of them were decided."""
    left = candidates.copy()
    while left.any():  # a table with few people in them excludes many at once
        table = tables.least(left.astype(np.float64), seconds=_SECONDS)
        if table is None or (table[left] > 0).all():
            break
        left &= table > 0
    certain, is_complete = np.zeros(len(left), dtype=bool), int(left.sum()) <= MOST_PROVEN
    for cell in np.flatnonzero(left)[:MOST_PROVEN].tolist():
        without = tables.without(cell, seconds=_SECONDS)
        is_complete &= without.table is not None or without.is_impossible
        certain[cell] = without.is_impossible
    return certain, is_complete
