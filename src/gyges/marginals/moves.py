"""Steps from one decomposable set of views to another, and what each gains.

Kifer and Gehrke add and remove single edges and nodes of the interaction graph [Kifer2006,
Sect. 6.2]. In resolutions: take two views E and F that can be neighbours in a junction tree, and
what they share, S; the edge between the next step of column A (which only E has) and the next step
of column B (which only F has) makes the new view S + A + B. Its gain is the conditional mutual
information I(A; B | S), a sum of four entropies.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gyges.errors import RuleError
from gyges.marginals.graph import JunctionTree, tree_of
from gyges.marginals.induced import Resolution, is_within, maximal, meet
from gyges.marginals.maxent import ClosedForm
from gyges.marginals.store import CountStore

Allowed: TypeAlias = Callable[[Resolution], bool]
ViewSet: TypeAlias = tuple[Resolution, ...]  # the maximal views of a decomposable set, sorted


@dataclass(frozen=True, slots=True)
class Addition:
    """One more view, and by how much it makes the KL divergence smaller."""

    view: Resolution
    gain: float


@dataclass(frozen=True, slots=True)
class Removal:
    """A set that says less, and by how much its KL divergence is larger."""

    views: ViewSet
    loss: float


def additions(
    views: ViewSet, store: CountStore, allowed: Allowed = lambda view: True
) -> Iterator[Addition]:
    """Every allowed view that makes one more edge or one more node; `extended` gives the set."""
    yield from _more_edges(views, store, allowed)
    yield from _more_nodes(views, store, allowed)


def extended(views: ViewSet, view: Resolution) -> ViewSet:
    """The set with one more view, without those that it contains."""
    return tuple(sorted([*(old for old in views if not is_within(old, view)), view]))


def _more_edges(views: ViewSet, store: CountStore, allowed: Allowed) -> Iterator[Addition]:
    seen = set()
    for one, other in _possible_neighbours(views):
        shared = meet(one, other)
        base = store.entropy(shared) if any(shared) else 0.0
        only_one = [p for p, (r, s) in enumerate(zip(one, shared, strict=True)) if r > s]
        only_other = [p for p, (r, s) in enumerate(zip(other, shared, strict=True)) if r > s]
        for a, b in itertools.product(only_one, only_other):
            with_a, with_b = stepped(shared, a), stepped(shared, b)
            with_both = stepped(with_a, b)
            if with_both in seen:
                continue
            seen.add(with_both)
            if not allowed(with_both):
                continue
            apart = store.entropy(with_a) + store.entropy(with_b) - base
            yield Addition(with_both, apart - store.entropy(with_both))


def _more_nodes(views: ViewSet, store: CountStore, allowed: Allowed) -> Iterator[Addition]:
    for place, r in enumerate(finest_of(views, store)):
        if r == store.attributes[place].height:
            continue
        alone = stepped(store.nothing, place, r)
        finer = stepped(store.nothing, place, r + 1)
        if allowed(finer):
            added = store.entropy(finer) - (store.entropy(alone) if r else 0.0)
            gain = store.spread(place, r) - store.spread(place, r + 1) - added
            yield Addition(finer, gain)


def removals(views: ViewSet, store: CountStore) -> Iterator[Removal]:
    """Every set with one edge or one node less.

    An edge can go if one maximal view alone holds it, and if it joins the last steps of both
    columns there. A node can go if it is the last step of its column.
    """
    for view in views:
        inside = [place for place, r in enumerate(view) if r]
        for a, b in itertools.combinations(inside, 2):
            if any(v != view and v[a] >= view[a] and v[b] >= view[b] for v in views):
                continue
            without_a, without_b = stepped(view, a, -1), stepped(view, b, -1)
            rest = tuple(v for v in views if v != view)
            fewer = tuple(maximal([*rest, without_a, without_b]))
            neither = store.entropy(stepped(without_a, b, -1))
            apart = store.entropy(without_a) + store.entropy(without_b) - neither
            yield Removal(fewer, apart - store.entropy(view))
    finest = finest_of(views, store)
    for place, r in enumerate(finest):
        if r:
            fewer = tuple(maximal(stepped(v, place, -1) if v[place] == r else v for v in views))
            kept = tuple(view for view in fewer if any(view))
            yield Removal(kept, divergence(kept, store) - divergence(views, store))


def divergence(views: ViewSet, store: CountStore) -> float:
    """H of the maximum entropy distribution of decomposable views: the KL divergence + H(table)."""
    return ClosedForm(store, _tree(views)).entropy()


def _tree(views: ViewSet) -> JunctionTree:
    tree = tree_of(views)
    if tree is None:
        raise RuleError("these views do not decompose: no step starts from them")
    return tree


def finest_of(views: Sequence[Resolution], store: CountStore) -> Resolution:
    """The largest resolution of each column in any view."""
    return tuple(map(max, zip(store.nothing, *views, strict=True)))


def stepped(view: Resolution, place: int, by: int = 1) -> Resolution:
    """The view with one column some steps finer."""
    return (*view[:place], view[place] + by, *view[place + 1 :])


def _possible_neighbours(views: ViewSet) -> Iterator[tuple[Resolution, Resolution]]:
    """Pairs that are neighbours in some junction tree: they share as much as their path does."""
    tree = _tree(views)
    narrowest = _narrowest(tree)
    for (i, one), (j, other) in itertools.combinations(enumerate(tree.cliques), 2):
        if sum(meet(one, other)) == narrowest[i][j]:
            yield one, other


def _narrowest(tree: JunctionTree) -> list[list[int]]:
    """The size of the smallest separator on the path between any two views."""
    size = len(tree.cliques)
    least = [[0] * size for _ in range(size)]
    for later in range(1, size):
        parent, width = tree.parents[later], sum(tree.separators[later])
        for earlier in range(later):
            here = width if earlier == parent else min(width, least[earlier][parent])
            least[earlier][later] = least[later][earlier] = here
    return least
