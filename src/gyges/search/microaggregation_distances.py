"""Distances between people: numbers standardized, categories compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.data.cells import Cells, Domain


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Space:
    """How the columns contribute to the distance between two people.

    Numbers and dates: the difference over the standard deviation. Categories: 1 where they
    differ; with a hierarchy, the height of the lowest common ancestor over the height of the
    hierarchy. The squares of the former and the latter add up to the squared distance. A column
    with one value contributes nothing.
    """

    domains: tuple[Domain, ...]
    scales: FloatArray  # columns: the standard deviation of an ordered column, else 1

    @classmethod
    def of(cls, cells: Cells) -> Space:
        """The space of a table: deviations over its people."""
        scales = np.ones(len(cells.domains))
        for j, domain in enumerate(cells.domains):
            if domain.is_ordered:
                there = domain.positions[cells.codes[:, j]]
                mean = np.average(there, weights=cells.people)
                spread = np.sqrt(np.average((there - mean) ** 2, weights=cells.people))
                scales[j] = spread if spread > 0 else 1.0
        return cls(cells.domains, scales)

    @property
    def ordered(self) -> list[int]:
        """The columns of numbers and dates."""
        return [j for j, domain in enumerate(self.domains) if domain.is_ordered]

    @property
    def marked(self) -> list[int]:
        """The columns of categories."""
        return [j for j, domain in enumerate(self.domains) if not domain.is_ordered]

    @property
    def mark_weights(self) -> FloatArray:
        """How much each row of marks counts; a column's rows add up to 1."""
        heights = [len(_ancestors(self.domains[j])) for j in self.marked]
        return np.concatenate([np.full(h, 1 / h) for h in heights] or [np.zeros(0)])

    def numbers(self, places: FloatArray) -> FloatArray:
        """Standardized numbers, ordered columns × points, from places on each column's line."""
        rows = [places[:, j] / self.scales[j] for j in self.ordered]
        return np.array(rows).reshape(len(rows), len(places))

    def marks(self, codes: IntArray | CodeArray) -> CodeArray:
        """A row for each level of each category below its top, × points, from codes."""
        rows = [level[codes[:, j]] for j in self.marked for level in _ancestors(self.domains[j])]
        return np.array(rows, dtype=np.int32).reshape(len(rows), len(codes))

    def places(self, codes: IntArray | CodeArray) -> FloatArray:
        """The positions of codes on the lines of their columns; for categories the codes."""
        columns = [domain.positions[codes[:, j]] for j, domain in enumerate(self.domains)]
        return np.stack(columns, axis=1) if columns else np.zeros((len(codes), 0))


def _ancestors(domain: Domain) -> Sequence[IntArray]:
    """Each code's ancestors, level by level up to below the top."""
    if domain.ladder is None or domain.ladder.height == 0:
        return [np.arange(len(domain))]
    return list(domain.ladder.ancestors[:-1])
