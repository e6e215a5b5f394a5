"""Marginals by definition: count, reconstruct and enumerate everything. Never imports gyges.

A table is a list of rows (tuples of values). `paths[column][value]` is the value with its
ancestors: (value, label at level 1, …, top). A view is {column number: level}.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from decimal import Context, Decimal, localcontext
from fractions import Fraction


def project(row, paths, view):
    """The labels that a view shows of one row."""
    return tuple(paths[column][row[column]][level] for column, level in sorted(view.items()))


def count(rows, paths, view):
    """The view itself: how many rows have each combination of labels."""
    return Counter(project(row, paths, view) for row in rows)


def domain(paths):
    """Every combination of values of all columns."""
    return list(itertools.product(*(sorted(column) for column in paths)))


def reconstruct(rows, paths, views, rounds=60):
    """The maximum entropy distribution by proportional fitting in fractions, over real values.

    Fitting comes to rest after finitely many rounds where views decompose; None where it did not.
    """
    cells = domain(paths)
    share = {cell: Fraction(1, len(cells)) for cell in cells}
    for _ in range(rounds):
        before = dict(share)
        _scale(share, rows, paths, views)
        if share == before:
            return share
    return None


def fit(rows, paths, views, rounds=3000, tolerance=1e-12):
    """The same in floating point, for views that do not decompose."""
    cells = domain(paths)
    share = {cell: 1 / len(cells) for cell in cells}
    for _ in range(rounds):
        before = dict(share)
        _scale(share, rows, paths, views)
        if max(abs(share[cell] - before[cell]) for cell in cells) < tolerance:
            break
    return share


def _scale(share, rows, paths, views):
    is_exact = isinstance(next(iter(share.values())), Fraction)
    for view in views:
        wanted = count(rows, paths, view)
        fitted = Counter()
        for cell in share:
            fitted[project(cell, paths, view)] += share[cell]
        for cell in share:
            label = project(cell, paths, view)
            target = Fraction(wanted[label], len(rows))
            if not is_exact:
                target = float(target)
            share[cell] = share[cell] * target / fitted[label] if fitted[label] else 0 * target


def kl_divergence(rows, share):
    """Σ p log(p/q) over the rows that occur."""
    n = len(rows)
    return sum(
        times / n * math.log(times / n / float(share[row])) for row, times in Counter(rows).items()
    )


def is_recursive(vector, c, l, strict):
    """r₁ <= c (r_l + … + r_m), or < where strict; nothing is asked of a group without people."""
    if sum(vector) == 0:
        return True
    ordered = sorted(vector, reverse=True)
    tail = sum(ordered[l - 1 :])
    return ordered[0] < c * tail if strict else ordered[0] <= c * tail


def exp_entropy(vector):
    """exp(-Σ p log p)."""
    total = sum(vector)
    shares = [float(Fraction(entry) / total) for entry in vector if entry]
    return math.exp(-sum(p * math.log(p) for p in shares))


def groups_of(share, sensitive):
    """For each combination of the other columns, the shares of the sensitive values."""
    groups = {}
    for cell, p in share.items():
        rest = cell[:sensitive] + cell[sensitive + 1 :]
        groups.setdefault(rest, []).append(p)
    return groups


def consistent_tables(rows, paths, views):
    """Every table of whole numbers over all combinations of values with the same views."""
    return tables_with(paths, views, [count(rows, paths, view) for view in views])


def tables_with(paths, views, counts):
    """Every table of whole numbers over all combinations of values with these counts."""
    cells = domain(paths)
    left = [Counter(one) for one in counts]
    labels = [[project(cell, paths, view) for view in views] for cell in cells]
    people = [0] * len(cells)

    def fill(place):
        if place == len(cells):
            if all(not any(counter.values()) for counter in left):
                yield dict(zip(cells, people, strict=True))
            return
        room = min(counter[label] for counter, label in zip(left, labels[place], strict=True))
        for n in range(room + 1):
            people[place] = n
            for counter, label in zip(left, labels[place], strict=True):
                counter[label] -= n
            yield from fill(place + 1)
            for counter, label in zip(left, labels[place], strict=True):
                counter[label] += n
        people[place] = 0

    yield from fill(0)


def most_people(rows, paths, views, sensitive):
    """For each combination of the other columns, the most people in any consistent table."""
    most = Counter()
    for table in consistent_tables(rows, paths, views):
        held = Counter()
        for cell, n in table.items():
            held[cell[:sensitive] + cell[sensitive + 1 :]] += n
        for rest, n in held.items():
            most[rest] = max(most[rest], n)
    return most


def is_k_combinatorial(rows, paths, views, sensitive, k):
    """Every combination: nobody in all consistent tables, or at least k in one of them."""
    return all(n == 0 or n >= k for n in most_people(rows, paths, views, sensitive).values())


def is_k_link(rows, paths, views, sensitive, k):
    """Every combination of non-sensitive labels of every view: nobody or at least k."""
    for view in views:
        rest = {column: level for column, level in view.items() if column != sensitive}
        if any(n < k for n in count(rows, paths, rest).values()):
            return False
    return True


def is_decomposable(views, heights):
    """Whether the induced attributes can be peeled off one by one [Graham's reduction].

    Vertices are (column, step); a set of views decomposes exactly when repeatedly removing
    vertices that are in one view only, and views inside others, leaves nothing.
    """
    edges = [
        {(column, i) for column, level in view.items() for i in range(heights[column] - level)}
        for view in views
    ]
    while True:
        seen = Counter(vertex for edge in edges for vertex in edge)
        smaller = [{vertex for vertex in edge if seen[vertex] > 1} for edge in edges]
        kept = []
        for place, edge in enumerate(smaller):
            others = smaller[place + 1 :] + kept
            if edge and not any(edge <= other for other in others):
                kept.append(edge)
        if kept == edges:
            return not edges
        edges = kept


def maxent(rows, paths, views, possible=None, digits=60, rounds=3000):
    """The maximum entropy distribution by proportional fitting over the whole domain, in decimals.

    `possible` are the cells that some consistent table can fill: elsewhere fitting would come to 0
    only in the limit. None where it has not come to rest to half of the digits in so many rounds.
    """
    with localcontext(Context(prec=digits)):
        cells = [cell for cell in domain(paths) if possible is None or cell in possible]
        share = dict.fromkeys(cells, Decimal(1))
        parts = []
        for view in views:
            members = {}
            for cell in cells:
                members.setdefault(project(cell, paths, view), []).append(cell)
            wanted = count(rows, paths, view)
            parts.append([(Decimal(wanted[label]), members[label]) for label in members])
        for _ in range(rounds):
            furthest = Decimal(0)
            for wanted, members in itertools.chain(*parts):
                fitted = sum(share[cell] for cell in members)
                factor = wanted / fitted if fitted else Decimal(0)
                furthest = max(furthest, abs(factor - 1) if wanted else Decimal(0))
                for cell in members:
                    share[cell] *= factor
            if furthest < Decimal(10) ** (-digits // 2):
                return share
    return None


def possible_cells(rows, paths, views):
    """The cells that some consistent table can fill, by enumeration.

    Tables with fractions count too: each row is taken twice, enough for a vertex with halves.
    """
    return {
        cell
        for table in consistent_tables([*rows, *rows], paths, views)
        for cell, n in table.items()
        if n
    }
