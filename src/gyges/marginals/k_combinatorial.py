"""k-combinatorial anonymity: nobody can prove that a combination has 1 to k-1 people.

For a combination t of non-sensitive values let U(t) be the most people that any table with these
counts can have there. The definition [Kifer2006, Def. 4.2] asks U(t) = 0 or U(t) >= k. For
decomposable views

    U(t) = min( min_{E without S} T_E(t_E),  Σ_s min_{E with S} T_E(t_E, s) ).

The paper's Eq. (7) bounds cells with a sensitive value; projecting S out first would overlook
that few values are possible in all views at once.

If the views are k-link anonymous the first minimum is 0 or at least k. And any t of the views
with S whose sum is positive can be completed in the others: its separators have people. It remains
to find 0 < Σ_s min_E T_E(t_E, s) < k in the sensitive tree.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.criteria.verdict import Verdict
from gyges.errors import RuleError
from gyges.marginals.elimination import eliminate
from gyges.marginals.induced import Resolution
from gyges.marginals.k_link import judge_k_link
from gyges.marginals.least_diverse import PIECE, SMALL_JOIN, TooLargeError
from gyges.marginals.pruning import minimal_for_each_value
from gyges.marginals.sensitive_tree import SensitiveTree, sensitive_tree
from gyges.marginals.store import CountStore
from gyges.marginals.view_rules import KCombinatorial, broken, broken_too, passed

MOST_WORK = 100_000_000  # entries examined before pruning from the leaves up is tried


def judge_k_combinatorial(store: CountStore, cliques: Collection[Resolution], k: int) -> Verdict:
    """Judge decomposable views, exactly."""
    rule = KCombinatorial(k)
    linked = judge_k_link(store, list(cliques), rule.k)
    if not linked.safe:
        # The people of a small count are in the table, so this many are possible there.
        return broken_too(rule, linked)
    tree = sensitive_tree(store, cliques)
    [least] = linked.risks.values()
    if tree is None:
        return passed(rule, least)
    groups, room = _least_room(tree, rule.k, int(least))
    if room >= rule.k or groups is None:
        return passed(rule, room)
    return broken(rule, room, tree.combination(groups))


def _least_room(tree: SensitiveTree, k: int, linked: int) -> tuple[tuple[int, ...] | None, int]:
    """The combination with the least room and that room, no more than `linked`.

    Where that takes too long, one with room for fewer than k, or none and k itself.
    """
    found, room = None, linked
    with suppress(TooLargeError):
        while True:
            groups, tighter = _find(tree, room)
            if groups is None:
                return found, room
            found, room = groups, tighter
    groups, tight = find_tight(tree, k)
    return groups, min(tight, linked)


def find_tight(tree: SensitiveTree, k: int) -> tuple[tuple[int, ...] | None, int]:
    """A combination with 0 < Σ_s min_E T_E < k and that sum; or None and a bound of at least k."""
    try:
        return _find(tree, k)
    except TooLargeError:
        return _find_from_leaves(tree, k)


def _find(tree: SensitiveTree, k: int) -> tuple[tuple[int, ...] | None, int]:
    if tree.join_size() * tree.nodes[0].counts.shape[1] <= SMALL_JOIN:
        groups, room = _tightest(tree)
        return (groups if room < k else None), room
    search = _TightSearch(tree, k)
    search.run()
    return search.found, search.least


def _tightest(tree: SensitiveTree) -> tuple[tuple[int, ...], int]:
    """Of all combinations with room for anyone the one with the least, by joining all nodes."""
    bounds = tree.nodes[0].counts
    groups = np.arange(len(bounds))[:, None]
    for place in range(1, len(tree.nodes)):
        came_from, added = tree.expand(place, groups)
        bounds = np.minimum(bounds[came_from], tree.nodes[place].counts[added])
        groups = np.column_stack([groups[came_from], added])
    room = bounds.sum(axis=1)
    least = int(np.argmin(np.where(room > 0, room, np.iinfo(np.int64).max)))
    return tuple(int(group) for group in groups[least]), int(room[least])


@dataclass(slots=True, eq=False)
class _TightSearch:
    """Join from the root; drop what keeps room for k in any case; stop at the first failure."""

    tree: SensitiveTree
    k: int
    found: tuple[int, ...] | None = None
    least: int = 0
    work: int = 0
    counts: list[IntArray] = field(default_factory=list)
    floors: list[IntArray] = field(default_factory=list)

    def run(self) -> None:
        self.least = self.k
        self.counts = [np.minimum(node.counts, self.k) for node in self.tree.nodes]
        self.floors = _block_floors(self.tree, self.counts)
        stack = [(np.arange(len(self.counts[0]))[:, None], self.counts[0])]
        while stack and self.found is None:
            groups, bounds = stack.pop()
            groups, bounds = self._risky(groups, bounds)
            if self.found is None and len(groups) and groups.shape[1] < len(self.tree.nodes):
                stack += self._pieces(groups, bounds)

    def _risky(self, groups: IntArray, bounds: IntArray) -> tuple[IntArray, IntArray]:
        room = bounds.sum(axis=1)
        tight = np.flatnonzero((room > 0) & (room < self.k))
        if len(tight):
            self._complete(groups[tight[:1]], bounds[tight[:1]])
        surely = bounds
        for place in range(groups.shape[1], len(self.tree.nodes)):
            node = self.tree.nodes[place]
            if node.parent < groups.shape[1]:
                block = node.block_of_parent[groups[:, node.parent]]
                surely = np.minimum(surely, self.floors[place][block])
        kept = (surely.sum(axis=1) < self.k) & (room > 0)
        return groups[kept], bounds[kept]

    def _pieces(self, groups: IntArray, bounds: IntArray) -> list[tuple[IntArray, IntArray]]:
        halves = self.tree.halves(groups, PIECE)
        if len(halves) > 1:
            return [(groups[half], bounds[half]) for half in halves]
        return [self._joined(groups, bounds)]

    def _joined(self, groups: IntArray, bounds: IntArray) -> tuple[IntArray, IntArray]:
        place = groups.shape[1]
        came_from, added = self.tree.expand(place, groups)
        joined = np.minimum(bounds[came_from], self.counts[place][added])
        self.work += joined.size
        if self.work > MOST_WORK:
            raise TooLargeError
        return np.column_stack([groups[came_from], added]), joined

    def _complete(self, groups: IntArray, bounds: IntArray) -> None:
        """Follow one failure to a whole combination that can still have people."""
        while groups.shape[1] < len(self.tree.nodes):
            groups, bounds = self._joined(groups, bounds)
            room = bounds.sum(axis=1)
            first = [int(np.argmin(np.where(room > 0, room, self.k)))]
            groups, bounds = groups[first], bounds[first]
        self.found = tuple(int(group) for group in groups[0])
        self.least = int(bounds.sum())


def _block_floors(tree: SensitiveTree, counts: list[IntArray]) -> list[IntArray]:
    """For each node and block, the least count of each sensitive value in the whole subtree."""
    floors = [np.zeros((0, 0), dtype=np.int64)] * len(tree.nodes)
    for place in reversed(range(len(tree.nodes))):
        node, least = tree.nodes[place], counts[place]
        for child in node.children:
            least = np.minimum(least, floors[child][tree.nodes[child].block_of_parent])
        floors[place] = node.groups.of(least).minima()
    return floors


def _find_from_leaves(tree: SensitiveTree, k: int) -> tuple[tuple[int, ...] | None, int]:
    """As `_find`, by pruning from the leaves up, where joining from the root grows too large."""

    def smaller(one: FloatArray, other: FloatArray) -> FloatArray:
        return np.minimum(one, other)

    counts = [np.minimum(node.counts, k).astype(np.float64) for node in tree.nodes]
    try:
        left = eliminate(tree, counts, smaller, minimal_for_each_value)
    except TooLargeError:
        raise RuleError(
            "these views have too many combinations to check k-combinatorial anonymity: publish "
            "fewer views with the sensitive column, or coarsen them"
        ) from None
    room = left.vectors.sum(axis=1)
    tight = np.flatnonzero((room > 0) & (room < k))
    if len(tight) == 0:
        return None, k
    return tuple(int(group) for group in left.groups[tight[0]]), int(room[tight[0]])
