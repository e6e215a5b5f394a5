"""Mondrian as plain loops: the definitions read aloud, on lists of cells. Never imports gyges.

A cell is a tuple of codes. A group is a list of cells. A column is `("line", places)` or
`("tree", paths)`, where `paths[code]` lists the code's ancestors from itself up to the root.
`people[cell]` says how many people a cell holds. `is_fine(group)` says whether a group may stand.
"""

from __future__ import annotations

from math import log


def descend(cells, people, columns, is_fine, rank, least=1):
    """Cut until nothing can be cut; `rank(group)` lists the columns to be tried, the best first."""
    finished, waiting = [], [sorted(cells)]
    while waiting:
        group = waiting.pop()
        parts = next(
            (
                parts
                for column in rank(group)
                if (parts := cut(group, column, people, columns, is_fine, least)) is not None
            ),
            None,
        )
        if parts is None:
            finished.append(group)
        else:
            waiting += parts
    return sorted(sorted(group) for group in finished)


def by_width(group, columns):
    """The columns with more than one value, from the widest down."""
    varied = [j for j in range(len(columns)) if len({cell[j] for cell in group}) > 1]
    return sorted(varied, key=lambda j: (-width({cell[j] for cell in group}, columns[j]), j))


def width(codes, column):
    kind, what = column
    if kind == "line":
        return (max(what[c] for c in codes) - min(what[c] for c in codes)) / (max(what) - min(what))
    top = lowest_common(codes, what)
    under = sum(1 for path in what if top in path)
    return (under - 1) / (len(what) - 1)


def lowest_common(codes, paths):
    """The lowest node that covers all codes; a node is (level, name)."""
    first, *others = [paths[code] for code in codes]
    return next(node for node in first if all(node in path for path in others))


def cut(group, j, people, columns, is_fine, least=1):
    """The parts of the cut in column j, or None where it is not allowed."""
    codes = sorted({cell[j] for cell in group})
    if len(codes) < 2:
        return None
    kind, what = columns[j]
    if kind == "line":
        return line_cut(group, j, codes, people, is_fine, least)
    return tree_cut(group, j, codes, what, people, is_fine)


def size(group, people):
    return sum(people[cell] for cell in group)


def median(group, j, codes, people):
    """The least value up to which at least half of the people are."""
    total = size(group, people)
    return next(
        v for v in codes if 2 * size([cell for cell in group if cell[j] <= v], people) >= total
    )


def line_cut(group, j, codes, people, is_fine, least):
    """ "Up to the median" on the left; where a side is too small, "below the median"."""
    m = median(group, j, codes, people)
    for is_left in (lambda cell: cell[j] <= m, lambda cell: cell[j] < m):
        parts = [[c for c in group if is_left(c)], [c for c in group if not is_left(c)]]
        if all(size(part, people) >= least for part in parts):
            return parts if all(map(is_fine, parts)) else None
    return None


def tree_cut(group, j, codes, paths, people, is_fine):
    """Children that may stand alone; the others together, with the smallest until they may."""
    top = lowest_common(codes, paths)
    children = {}
    for cell in group:
        path = paths[cell[j]]
        children.setdefault(path[path.index(top) - 1], []).append(cell)
    parts = [children[node] for node in sorted(children, key=lambda n: min(_along(n, paths)))]
    while len(parts) > 1:
        bad = [part for part in parts if not is_fine(part)]
        if not bad:
            return parts
        good = [part for part in parts if is_fine(part)]
        if len(bad) == 1:
            if not good:
                return None
            smallest = min(good, key=lambda part: size(part, people))
            good = [part for part in good if part is not smallest]
            bad.append(smallest)
        parts = [*good, [cell for part in bad for cell in part]]
    return None


def _along(node, paths):
    """The places of a node's leaves when leaves are sorted along the tree."""
    order = sorted(range(len(paths)), key=lambda code: paths[code][::-1])
    return [place for place, code in enumerate(order) if node in paths[code]]


def by_gain(group, people, target, columns, is_fine, least):
    """The columns that can be cut, from the most informative cut about the target down.

    `target[cell]` counts the target's values in a cell. Equally informative: the wider first.
    """
    ranked = []
    for j in range(len(columns)):
        parts = cut(group, j, people, columns, is_fine, least)
        if parts is not None:
            told = _entropy(group, target) - sum(_entropy(part, target) for part in parts)
            wide = width({cell[j] for cell in group}, columns[j])
            ranked.append((-round(max(told, 0.0), 9), -wide, j))
    return [j for _, _, j in sorted(ranked)]


def _entropy(group, target):
    """N times the entropy of the target."""
    counts = {}
    for cell in group:
        for value, n in target[cell].items():
            counts[value] = counts.get(value, 0) + n
    total = sum(counts.values())
    return sum(n * log(total / n) for n in counts.values() if n)
