"""How well a table in groups answers COUNT queries [Li2009, Sect. V.E].

"How many people have … and a value in …": the groups answer as if everybody were spread evenly
over what their labels cover. A query asks for d quasi-identifiers and the sensitive value; each
predicate takes the share s^(1/(d+1)) of its column's values [Xiao2006, Sect. 6], neighbours where
they are numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import gyges as gy
from reproduction.arrays import FloatArray, IntArray

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one column as codes, and what each group's label covers."""

    codes: IntArray  # of each row
    n_values: int
    is_number: bool
    covered: BoolArray  # groups × values

    def predicate(self, share: float, rng: np.random.Generator) -> BoolArray:
        """A random part of the values: neighbours where they are numbers."""
        if not self.is_number:
            return _subset(self.n_values, share, rng)
        length = max(1, round(share * self.n_values))
        start = int(rng.integers(0, self.n_values - length + 1))
        chosen = np.zeros(self.n_values, dtype=bool)
        chosen[start : start + length] = True
        return chosen

    def chance(self, wanted: BoolArray) -> FloatArray:
        """How likely a person of each group has a wanted value, by the label alone."""
        return np.asarray(self.covered[:, wanted].sum(axis=1) / self.covered.sum(axis=1))


def query_errors(
    table: gy.Table,
    columns: Sequence[Column],
    groups: gy.Groups,
    *,
    dimension: int,
    selectivity: float,
    n_queries: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the relative errors of random queries whose true answer is above zero."""
    share = selectivity ** (1 / (dimension + 1))
    errors = []
    for _ in range(n_queries):
        chosen = [columns[c] for c in rng.choice(len(columns), dimension, replace=False)]
        wanted = [column.predicate(share, rng) for column in chosen]
        values = _subset(len(table.sensitive_values), share, rng)
        pairs = list(zip(chosen, wanted, strict=True))
        truth = (
            np.all([want[one.codes] for one, want in pairs], axis=0) & values[table.value_of_row]
        )
        if truth.any():
            chance = np.prod([one.chance(want) for one, want in pairs], axis=0)
            answer = float((groups.counts @ values) @ chance)
            errors.append(abs(answer - truth.sum()) / truth.sum())
    return np.array(errors)


def _subset(n: int, share: float, rng: np.random.Generator) -> BoolArray:
    chosen = np.zeros(n, dtype=bool)
    chosen[rng.choice(n, max(1, round(share * n)), replace=False)] = True
    return chosen


def columns_in_groups(
    table: gy.Table, group_of_row: IntArray, hierarchies: Mapping[str, gy.Hierarchy]
) -> list[Column]:
    """The quasi-identifiers; a column without a hierarchy is published as ranges of numbers."""
    return [
        _column(table, name, group_of_row, hierarchies.get(name))
        for name in table.schema.quasi_identifiers
    ]


def _column(
    table: gy.Table, name: str, group_of_row: IntArray, tree: gy.Hierarchy | None
) -> Column:
    values = np.array(table.fetch([name]).column(0).to_pylist())
    paths = [] if tree is None else sorted(tree.rows)
    domain = np.unique(values) if tree is None else np.array([path[0] for path in paths])
    codes = np.searchsorted(domain, values)
    held = np.zeros((int(group_of_row.max()) + 1, len(domain)), dtype=bool)
    held[group_of_row, codes] = True
    covered = _ranges(held) if tree is None else _subtrees(held, paths)
    return Column(codes, len(domain), tree is None, covered)


def _ranges(held: BoolArray) -> BoolArray:
    """All values from the least to the greatest of each group."""
    upward = np.logical_or.accumulate(held, axis=1)
    downward = np.logical_or.accumulate(held[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(upward & downward)


def _subtrees(held: BoolArray, paths: Sequence[Sequence[str]]) -> BoolArray:
    """All leaves under the lowest label that covers each group; a path is a leaf's ancestors."""
    covered = np.ones_like(held)
    is_open = np.ones(len(held), dtype=bool)
    for labels in zip(*paths, strict=True):
        nodes = np.array(labels)[None, :] == np.unique(labels)[:, None]  # labels × leaves
        touched = held @ nodes.T
        done = is_open & (touched.sum(axis=1) == 1)
        covered[done] = nodes[touched[done].argmax(axis=1)]
        is_open &= ~done
    return covered
