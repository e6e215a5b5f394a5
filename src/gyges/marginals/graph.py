"""The interaction graph of a set of views, and the junction tree of a decomposable one."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

import networkx as nx

from gyges.marginals.induced import Resolution, maximal, meet

ROOT = -1  # the parent of the tree's root


@dataclass(frozen=True, slots=True)
class JunctionTree:
    """Views in a perfect sequence, each with its parent and what it shares with it.

    Views that share an induced attribute are joined by a path of views that all hold it
    [Kifer2006, Def. 7.1]; a view's separator is all that it shares with the views before it
    [Kifer2006, Def. 5.7]. The root's separator is the empty view.
    """

    cliques: tuple[Resolution, ...]
    parents: tuple[int, ...]  # place of the parent, always before the child
    separators: tuple[Resolution, ...]

    def children(self, place: int) -> list[int]:
        """The views that hang from one view."""
        return [child for child, parent in enumerate(self.parents) if parent == place]


def interaction_graph(resolutions: Collection[Resolution]) -> nx.Graph:
    """Induced attributes (column, i), joined where one view has both [Kifer2006, Sect. 5.1]."""
    graph = nx.Graph()
    for resolution in resolutions:
        inside = vertices(resolution)
        graph.add_nodes_from(inside)
        graph.add_edges_from(itertools.combinations(inside, 2))
    return graph


def vertices(resolution: Resolution) -> list[tuple[int, int]]:
    """The induced attributes of one view: column `place` down to its resolution."""
    return [(place, i) for place, r in enumerate(resolution) for i in range(1, r + 1)]


def is_triangulated(resolutions: Collection[Resolution]) -> bool:
    """Whether every cycle of four or more has a shortcut [Kifer2006, Def. 5.1]."""
    return bool(nx.is_chordal(interaction_graph(resolutions)))


def is_graphical(resolutions: Collection[Resolution]) -> bool:
    """Whether every maximal clique of the graph is a view [Kifer2006, Def. 5.5].

    Views inside other views are allowed. {ABC, BD, CD} is not graphical: nothing is published
    about the clique BCD.
    """
    graph = interaction_graph(resolutions)
    views = {frozenset(vertices(resolution)) for resolution in resolutions}
    if nx.is_chordal(graph):
        return all(clique in views for clique in nx.chordal_graph_cliques(graph))
    return all(frozenset(clique) in views for clique in nx.find_cliques(graph))


def junction_tree(resolutions: Collection[Resolution]) -> JunctionTree | None:
    """A junction tree of the maximal views, or None where there is none.

    Take a spanning tree of the views whose edges share as many induced attributes as possible. A
    vertex held by n views is in at most n - 1 of the separators, and in exactly n - 1 when these
    views hang together. So it is a junction tree when Σ|separators| = Σ|views| - |vertices|.
    """
    return tree_of(tuple(maximal(resolutions)))


@lru_cache(maxsize=4096)  # pure, of a few small integers: a search returns to the same sets
def tree_of(cliques: tuple[Resolution, ...]) -> JunctionTree | None:
    """As `junction_tree`, for views that are known to be maximal and sorted."""
    if len(cliques) == 1:
        return JunctionTree((cliques[0],), (ROOT,), ((0,) * len(cliques[0]),))
    if not cliques:
        return JunctionTree((), (), ())
    graph = nx.Graph()
    for one, other in itertools.combinations(range(len(cliques)), 2):
        graph.add_edge(one, other, weight=sum(meet(cliques[one], cliques[other])))
    tree = nx.maximum_spanning_tree(graph)
    made = _rooted(cliques, tree)
    n_vertices = sum(map(max, zip(*cliques, strict=True)))
    shared = sum(sum(separator) for separator in made.separators)
    return made if shared == sum(map(sum, cliques)) - n_vertices else None


def _rooted(cliques: Sequence[Resolution], tree: nx.Graph) -> JunctionTree:
    """Order a tree of views, parents first, from the view with the most neighbours."""
    root = max(tree.nodes, key=lambda node: (tree.degree(node), -node))
    order, parent_of = [root], {root: ROOT}
    for above, below in nx.bfs_edges(tree, root):
        parent_of[below] = order.index(above)
        order.append(below)
    nothing = (0,) * len(cliques[0])
    return JunctionTree(
        cliques=tuple(cliques[node] for node in order),
        parents=tuple(parent_of[node] for node in order),
        separators=tuple(
            nothing
            if parent_of[node] == ROOT
            else meet(cliques[node], cliques[order[parent_of[node]]])
            for node in order
        ),
    )
