"""What kernels compute, as plain loops and NumPy: tests compare with it, benchmarks time it."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np


def arrangements(p, totals):
    """Every way to give each row of p one value, so often as `totals` say, that p allows."""
    values = [s for s, n in enumerate(totals) for _ in range(n)]
    for taken in set(itertools.permutations(values)):
        if all(p[j][s] > 0 for j, s in enumerate(taken)):
            yield taken


def given_totals(p, repeats, totals):
    """P(one of j's choosers takes s | totals), over all arrangements; None if impossible."""
    rows = [j for j, n in enumerate(repeats) for _ in range(n)]
    spread = [p[j] for j in rows]
    found, total = np.zeros((len(rows), len(totals))), 0.0
    for taken in arrangements(spread, totals):
        weight = math.prod(spread[i][s] for i, s in enumerate(taken))
        total += weight
        for i, s in enumerate(taken):
            found[i, s] += weight
    if total == 0:
        return None
    first = [rows.index(j) for j in range(len(repeats))]
    return found[first] / total


def conditional_passes(p, totals):
    """The same for any number of choosers, one by one: a dictionary of count vectors each step."""
    start, end = (0,) * len(totals), tuple(totals)
    layers = [{start: 1.0}]
    for row in p:
        layer = Counter()
        for counts, ways in layers[-1].items():
            for s in range(len(totals)):
                if counts[s] < totals[s] and row[s] > 0:
                    layer[(*counts[:s], counts[s] + 1, *counts[s + 1 :])] += ways * row[s]
        layers.append(layer)
    after, found = {end: 1.0}, np.zeros((len(p), len(totals)))
    for j in range(len(p) - 1, -1, -1):
        before = Counter()
        for counts, ways in layers[j].items():
            for s in range(len(totals)):
                more = (*counts[:s], counts[s] + 1, *counts[s + 1 :])
                if p[j][s] > 0 and more in after:
                    before[counts] += p[j][s] * after[more]
                    found[j, s] += ways * p[j][s] * after[more]
        after = before
    return found / found.sum(axis=1, keepdims=True)


def scaled(p, repeats, totals, rounds=2000):
    """Rows and columns of p scaled in turn until rows add up to 1 and columns to the totals."""
    q = p.copy()
    for _ in range(rounds):
        q *= totals / (repeats @ q)
        q /= q.sum(axis=1, keepdims=True)
        if np.abs(repeats @ q / totals - 1).max() < 1e-10:
            break
    return q


def atom_costs(n, counts, most):
    """L(j) for j = 0..most: the largest Σ_i -log (n - i - S_{k_i})⁺/(n - i), over all k_0 >= …"""
    sums = np.cumsum([0, *sorted(counts, reverse=True)])

    def factor(i, c):
        left = n - i - (sums[c] if c < len(sums) else n)
        return math.log((n - i) / left) if left > 0 else math.inf

    def placed(j, i, largest):
        if j == 0:
            return 0.0
        if i == n:
            return -math.inf
        return max(
            (factor(i, c) + placed(j - c, i + 1, c) for c in range(1, min(j, largest) + 1)),
            default=-math.inf,
        )

    best = [0.0]
    for j in range(1, most + 1):
        best.append(max(best[-1], placed(j, 0, j)))
    return best


def closures(groups, most):
    """star(0..most) and aim(0..most) of groups (n, counts): see kernels/pruning_bounds.py."""
    costs = [atom_costs(n, counts, most) for n, counts in groups]
    first = [math.log(max(counts) / n) for n, counts in groups]
    star, aim = [0.0], [-math.inf]
    for j in range(1, most + 1):
        apart = [star[a] + star[j - a] for a in range(1, j)]
        star.append(max([c[j] for c in costs] + apart, default=0.0))
        aimed = zip(first, costs, strict=True)
        aim.append(max(f + c[a] + star[j - a] for f, c in aimed for a in range(1, j + 1)))
    return star, aim


def jensen_shannon(p, q):
    """The divergence of each pair of rows, in nats."""
    middle = (p + q) / 2

    def part(one):
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(one > 0, one * np.log(one / middle), 0.0).sum(axis=1)

    return (part(p) + part(q)) / 2


def tally(columns, widths, values, counts, n_values):
    """Codes and total of each combination that occurs, its starts, values and counts."""
    keys = np.zeros(columns.shape[1], dtype=np.int64)
    for column, width in zip(columns, widths, strict=True):
        keys = keys * width + column
    both, where = np.unique(keys * n_values + values, return_inverse=True)
    summed = np.bincount(where, weights=counts).astype(np.int64)
    cell, first = np.unique(both // n_values, return_index=True)
    codes = np.empty((len(cell), len(widths)), dtype=np.int32)
    rest = cell
    for j in reversed(range(len(widths))):
        rest, codes[:, j] = np.divmod(rest, widths[j])
    starts = np.append(first, len(both))
    return codes, np.add.reduceat(summed, first), starts, both % n_values, summed


def joined_groups(first, sizes, codes, labels, at, widths, levels):
    """Place, first cell and size of the groups once their labels are equal: one sort."""
    key = np.zeros(len(first), dtype=np.int64)
    for c in range(codes.shape[1]):
        key = key * widths[c, levels[c]] + labels[at[c, levels[c]] + codes[first, c]]
    _, begin, where = np.unique(key, return_index=True, return_inverse=True)
    rank = np.empty(len(begin), dtype=np.int64)
    rank[np.argsort(begin)] = np.arange(len(begin))
    place = rank[where]
    return place, first[np.sort(begin)], np.bincount(place, weights=sizes).astype(np.int64)


def common(words, first, chosen):
    """How many numbers each choice of sets shares."""
    bits = np.broadcast_to(words[-1], (len(chosen), words.shape[1])).copy()
    for j in range(chosen.shape[1]):
        named = chosen[:, j] >= 0
        bits[named] &= words[first[j] + chosen[named, j]]
    return np.bitwise_count(bits).sum(axis=1)


def squared(numbers, marks, mark_weights, center, center_marks, scale=1.0):
    """Squared distances from a center, times scale²."""
    apart = ((scale * numbers - center[:, None]) ** 2).sum(axis=0)
    return apart + scale**2 * (mark_weights[:, None] * (marks != center_marks[:, None])).sum(axis=0)


def undominated(found):
    """The rows to which no earlier kept row is at least as large from the third column on."""
    kept = np.empty_like(found)
    n = 0
    for row in found:
        if not (kept[:n, 2:] >= row[2:]).all(axis=1).any():
            kept[n] = row
            n += 1
    return kept[:n]


def best_products(combinations, starts, codes, lifts, log_prior):
    """Largest normalized product, its code and how many are positive, by dense vectors."""
    n_values = len(log_prior)
    dense = np.full((len(starts), n_values), -np.inf)
    for s in range(len(starts) - 1):
        dense[s, codes[starts[s] : starts[s + 1]]] = lifts[starts[s] : starts[s + 1]]
    dense[-1] = 0.0
    logs = log_prior + dense[combinations].sum(axis=1)
    top = logs.max(axis=1)
    with np.errstate(invalid="ignore"):
        shares = np.exp(logs - top[:, None])
    return 1 / shares.sum(axis=1), logs.argmax(axis=1), (logs > -np.inf).sum(axis=1)


def covering(rows, covers, labels):
    """The groups that cover each row: all labels looked up for every row."""
    held = np.stack([c[labels[:, j]] for j, c in enumerate(covers)])
    return [
        np.flatnonzero(
            np.logical_and.reduce([held[j][:, code] for j, code in enumerate(row)])
        ).tolist()
        for row in rows
    ]


def least_odds(sizes, starts, counts, most):
    """min_g (n - S_c)/s_1 for c = 1..most, as floats, by sorting all counts."""
    group = np.repeat(np.arange(len(sizes)), np.diff(starts))
    order = np.lexsort((-counts, group))
    rank = np.arange(len(counts)) - starts[:-1][group]
    descending, first = counts[order], counts[order][starts[:-1]]
    return [
        ((sizes - np.bincount(group, np.where(rank < c, descending, 0))) / first).min()
        for c in range(1, most + 1)
    ]


def value_counts(group, values, counts, n_groups, n_values):
    """How often each value occurs in each group: starts, values, counts."""
    keys, where = np.unique(group * n_values + values, return_inverse=True)
    summed = np.bincount(where, weights=counts).astype(np.int64)
    starts = np.searchsorted(keys, np.arange(n_groups + 1) * n_values)
    return starts, keys % n_values, summed


def cut(codes, weights, column, least):
    """The two sides of a cut beside the weighted median of a column, or None."""
    own = codes[:, column]
    order = np.argsort(own, kind="stable")
    summed = np.cumsum(weights[order])
    m = own[order[np.searchsorted(2 * summed, summed[-1])]]
    for threshold in (m, m - 1):
        is_left = own <= threshold
        left = weights[is_left].sum()
        if min(left, summed[-1] - left) >= least:
            return codes[is_left], weights[is_left], codes[~is_left], weights[~is_left]
    return None


def cut_down(codes, weights, least):
    """Cut the widest column that can be cut, again and again: the groups that are left."""
    waiting, done = [(codes, weights)], []
    while waiting:
        own, held = waiting.pop()
        widths = np.ptp(own, axis=0)
        for j in np.argsort(-widths, kind="stable"):
            parts = cut(own, held, j, least) if widths[j] > 0 and held.sum() >= 2 * least else None
            if parts is not None:
                waiting += [parts[:2], parts[2:]]
                break
        else:
            done.append((own, held))
    return done


def signatures(sizes, starts, codes, counts):
    """The distinct (value, size, count, largest other count), of equal first three the largest."""
    group = np.repeat(np.arange(len(sizes)), np.diff(starts))
    order = np.lexsort((-counts, group))
    descending, is_alone = counts[order], np.diff(starts) == 1
    top = descending[starts[:-1]]
    second = np.where(is_alone, 0, descending[np.minimum(starts[:-1] + 1, len(counts) - 1)])
    other = np.where(counts == top[group], second[group], top[group])
    most = int(counts.max()) + 1
    keys = (codes * (int(sizes.max()) + 1) + sizes[group]) * most + counts
    found, where = np.unique(keys, return_inverse=True)
    largest = np.zeros(len(found), dtype=np.int64)
    np.maximum.at(largest, where, other)
    return found, largest


def least_statistics(found, row_k, row_m):
    """The least of each of the five statistics for one value a member, for each (k, m)."""
    n, s, top = found[:, 1], found[:, 2], found[:, 3]
    least = []
    with np.errstate(divide="ignore"):
        for k, m in zip(row_k, row_m, strict=True):

            def target(known):
                return np.log(np.maximum(n - s - top - known, 0) / s)

            def relatives(known, m=m):
                steps = np.arange(m)[:, None]
                return np.log(
                    np.maximum(n - s - known - steps, 0) / np.maximum(n - known - steps, 1)
                ).sum(axis=0)

            together = target(k) + relatives(k + 1)
            statistics = together, target(0), target(k), relatives(0), relatives(k)
            least.append([one.min() for one in statistics])
    return least


def bounds_of_sums(members, totals, n, most=2):
    """Bounds of n unknowns of at most `most`, by passes over all sums until nothing changes."""
    low, high = [0] * n, [most] * n
    while True:
        before = (list(low), list(high))
        for unknowns, total in zip(members, totals, strict=True):
            for u in unknowns if total >= 0 else ():
                others = [w for w in unknowns if w != u]
                high[u] = min(high[u], int(total) - sum(low[w] for w in others))
                low[u] = max(low[u], int(total) - sum(high[w] for w in others))
        if before == (low, high):
            return low, high
