"""The maximum entropy distribution of decomposable views, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.marginals.counts import ABSENT, ViewCounts, coarsened, places_of, widths
from gyges.marginals.graph import ROOT, JunctionTree
from gyges.marginals.induced import Attribute, Resolution
from gyges.marginals.store import CountStore


class Distribution(Protocol):
    """A distribution over all combinations of values of all columns."""

    def probability(self, codes: CodeArray) -> FloatArray:
        """The probability of each row of value codes (rows × attributes)."""
        ...

    def entropy(self) -> float:
        """Its entropy, in nats."""
        ...

    def sample(self, n: int, rng: np.random.Generator) -> CodeArray:
        """Rows of value codes drawn from it, independently."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class ClosedForm:
    """p(t) = (1/|T|) Π T_E(t_E) / Π T_S(t_S) · Π 1/child(t, L_max)      [Kifer2006, Eq. 6]

    over the views E and separators S of a junction tree; `child` is how many values the finest
    published label of a column covers (all of them where the column is in no view). Where a
    separator is 0, so is its view: 0/0 is 0.
    """

    store: CountStore
    tree: JunctionTree

    @property
    def finest(self) -> Resolution:
        """The largest resolution of each column in any view."""
        return tuple(map(max, zip(self.store.nothing, *self.tree.cliques, strict=True)))

    def probability(self, codes: CodeArray) -> FloatArray:
        """Multiply the conditional share of each view given its separator."""
        share = np.ones(len(codes))
        for clique, separator in zip(self.tree.cliques, self.tree.separators, strict=True):
            above = self._people(separator, codes)
            here = self._people(clique, codes)
            share *= np.divide(here, above, out=np.zeros(len(codes)), where=above > 0)
        return share / leaves_under(codes, self.finest, self.store.attributes)

    def _people(self, resolution: Resolution, codes: CodeArray) -> IntArray:
        counts = self.store.counts(resolution)
        place = locate(counts, codes, self.store.attributes)
        return np.where(place == ABSENT, 0, counts.people[place])

    def entropy(self) -> float:
        """Σ H(E) - Σ H(S) + Σ E[log child]: a sum over views, the joint is never built."""
        views = sum(self.store.entropy(clique) for clique in self.tree.cliques)
        shared = sum(self.store.entropy(s) for s in self.tree.separators if any(s))
        return views - shared + sum(self.store.spread(p, r) for p, r in enumerate(self.finest))

    def sample(self, n: int, rng: np.random.Generator) -> CodeArray:
        """Draw the views in their perfect sequence, each given its separator, then the values."""
        drawn: list[IntArray] = []
        codes = np.zeros((n, len(self.store.attributes)), dtype=np.int32)
        for place, clique in enumerate(self.tree.cliques):
            counts = self.store.counts(clique)
            block_of_row, block = self._blocks(place, counts, drawn)
            drawn.append(_draw(counts.people, block_of_row, block, n, rng))
            here = counts.codes[drawn[-1]]
            newer = np.array(clique) >= np.array(self._seen(place))
            codes[:, newer] = here[:, newer]
        return values_under(codes, self.finest, self.store.attributes, rng)

    def _seen(self, place: int) -> Resolution:
        """The largest resolution of each column in the views before one."""
        before = self.tree.cliques[:place]
        return tuple(map(max, zip(self.store.nothing, *before, strict=True)))

    def _blocks(
        self, place: int, counts: ViewCounts, drawn: list[IntArray]
    ) -> tuple[IntArray, IntArray | None]:
        """The block (by separator) of each combination of a view, and each drawn row's block."""
        parent, separator = self.tree.parents[place], self.tree.separators[place]
        if parent == ROOT or not any(separator):
            return np.zeros(len(counts), dtype=np.int64), None
        attributes, shared = self.store.attributes, self.store.counts(separator)
        sizes = widths(attributes, separator)
        mine = coarsened(counts.codes, counts.resolution, separator, attributes)
        above = self.store.counts(self.tree.cliques[parent])
        theirs = coarsened(above.codes, above.resolution, separator, attributes)
        block_of_parent = places_of(theirs, shared.codes, sizes)
        return places_of(mine, shared.codes, sizes), block_of_parent[drawn[parent]]


def _draw(
    people: IntArray,
    block_of_row: IntArray,
    block: IntArray | None,
    n: int,
    rng: np.random.Generator,
) -> IntArray:
    """For each draw a combination of its block, as likely as it has people."""
    order = np.argsort(block_of_row, kind="stable")
    ends = np.cumsum(people[order])
    block_ends = ends[
        np.searchsorted(block_of_row[order], np.arange(block_of_row.max() + 1), "right") - 1
    ]
    block_starts = np.concatenate([[0], block_ends[:-1]])
    wanted = np.zeros(n, dtype=np.int64) if block is None else block
    ticket = rng.integers(block_starts[wanted], block_ends[wanted])
    return order[np.searchsorted(ends, ticket, side="right")]


def locate(counts: ViewCounts, codes: CodeArray, attributes: tuple[Attribute, ...]) -> IntArray:
    """The place of rows of value codes in a view; ABSENT where nobody is counted."""
    labels = np.column_stack(
        [
            a.codes[r][codes[:, p]]
            for p, (a, r) in enumerate(zip(attributes, counts.resolution, strict=True))
        ]
    ).astype(np.int32)
    return places_of(labels, counts.codes, widths(attributes, counts.resolution))


def leaves_under(
    codes: CodeArray, resolution: Resolution, attributes: tuple[Attribute, ...]
) -> FloatArray:
    """For each row of value codes, how many rows of values share its labels: Π child."""
    product = np.ones(len(codes))
    for place, (attribute, r) in enumerate(zip(attributes, resolution, strict=True)):
        product *= attribute.leaves[r][attribute.codes[r][codes[:, place]]]
    return product


def values_under(
    labels: CodeArray,
    resolution: Resolution,
    attributes: tuple[Attribute, ...],
    rng: np.random.Generator,
) -> CodeArray:
    """For each row of label codes a row of values under them, all equally likely."""
    values = np.empty_like(labels)
    for place, (attribute, r) in enumerate(zip(attributes, resolution, strict=True)):
        order = np.argsort(attribute.codes[r], kind="stable")
        leaves = attribute.leaves[r]
        first = np.cumsum(leaves) - leaves
        chosen = rng.integers(0, leaves[labels[:, place]])
        values[:, place] = order[first[labels[:, place]] + chosen]
    return values
