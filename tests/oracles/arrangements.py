"""Who has which value, given how often each value occurs: three programs that share nothing.

People of one kind have the same prior p[a, v], of which only proportions count; N[a] is how many
they are, and n[v] how often the value v occurs. x[a, v] of the kind a have the value v with the
probability, up to a factor, of

    Π_a N[a]! Π_v p[a, v]^x[a, v] / x[a, v]!      where  Σ_v x[a, v] = N[a],  Σ_a x[a, v] = n[v].

Each program gives P(a person of the kind a has v) = E x[a, v] / N[a], as a matrix. Never imports
gyges.
"""

from __future__ import annotations

import math

import numpy as np


def by_kinds(p, N, n):
    """Value after value; a state is how many of each kind have got theirs. For few kinds."""
    kinds, states = range(len(N)), [{(0,) * len(N): 1.0}]
    moves = [list(_moves(p[:, v], N, int(n[v]))) for v in range(len(n))]
    for at in moves:
        after = {}
        for used, weight in states[-1].items():
            for move, chance in at:
                to = tuple(used[a] + move[a] for a in kinds)
                if all(to[a] <= N[a] for a in kinds):
                    after[to] = after.get(to, 0.0) + weight * chance
        largest = max(after.values())
        states.append({to: weight / largest for to, weight in after.items()})
    expected = np.zeros(p.shape)
    ahead = {tuple(map(int, N)): 1.0}
    for v in reversed(range(len(n))):
        before, held = {}, np.zeros(len(N))
        for used, weight in states[v].items():
            for move, chance in moves[v]:
                rest = ahead.get(tuple(used[a] + move[a] for a in kinds), 0.0) * chance
                if rest:
                    before[used] = before.get(used, 0.0) + rest
                    held += np.array(move) * (weight * rest)
        expected[:, v] = held / sum(before[used] * states[v][used] for used in before)
        largest = max(before.values())
        ahead = {used: weight / largest for used, weight in before.items()}
    return expected / np.asarray(N)[:, None]


def _moves(p, N, n):
    """Every way to give a value to n people of the kinds, and its weight; the largest is 1."""
    found = [
        (move, sum(x * math.log(c) - math.lgamma(x + 1) for x, c in zip(move, p, strict=True) if x))
        for move in _spread(p, N, n)
    ]
    largest = max(weight for _, weight in found)
    return [(move, math.exp(weight - largest)) for move, weight in found]


def _spread(p, N, n):
    if len(N) == 1:
        if n <= N[0] and (n == 0 or p[0] > 0):
            yield (n,)
        return
    for x in range(min(int(N[0]), n) + 1 if p[0] > 0 else 1):
        for rest in _spread(p[1:], N[1:], n - x):
            yield (x, *rest)


def by_people(p, N, n, most):
    """Person after person; a state is how often each value was taken. None beyond `most` states.

    A state is kept if, of each value, as many people can still take it as are missing.
    """
    who = np.repeat(np.arange(len(N)), N)
    who = who[np.argsort((p[who] > 0).sum(axis=1), kind="stable")]
    can = p[who] > 0
    later = np.vstack([np.cumsum(can[::-1], axis=0)[::-1], np.zeros((1, len(n)), dtype=int)])
    least = (n - later).astype(np.int16)  # people × values: must be taken by then
    most_of_each = n.astype(np.int16)
    layers, n_states = [(np.zeros((1, len(n)), dtype=np.int16), np.ones(1))], 1
    for j, kind in enumerate(who):
        taken, weight = layers[-1]
        moved = [
            (taken + step, weight * p[kind, v]) for v, step in enumerate(_steps(n)) if can[j, v]
        ]
        to, ways = (np.concatenate(part) for part in zip(*moved, strict=True))
        keep = ((to <= most_of_each) & (to >= least[j + 1])).all(axis=1)
        keys = _keys(to[keep], n)
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        summed = np.bincount(place, ways[keep])
        layers.append((to[keep][first], summed / summed.max()))
        n_states += len(summed)
        if n_states + len(summed) * max(len(who) - 2 * (j + 1), 0) > most:
            return None  # layers grow up to the middle
    return _backwards(p, N, n, who, layers)


def _backwards(p, N, n, who, layers):
    expected, ahead = np.zeros(p.shape), np.ones(1)
    for j in reversed(range(len(who))):
        (taken, weight), keys = layers[j], _keys(layers[j + 1][0], n)
        chances = np.zeros((len(taken), len(n)))
        for v, step in enumerate(_steps(n)):
            to = _keys(taken + step, n)
            place = np.minimum(np.searchsorted(keys, to), len(keys) - 1)
            is_there = (keys[place] == to) & (taken[:, v] < n[v])
            chances[:, v] = np.where(is_there, ahead[place] * p[who[j], v], 0.0)
        held = weight @ chances
        expected[who[j]] += held / held.sum()
        ahead = chances.sum(axis=1)
        ahead /= ahead.max()
    return expected / np.asarray(N)[:, None]


def _steps(n):
    return np.eye(len(n), dtype=np.int16)


def _keys(taken, n):
    """A number for each vector of counts."""
    strides = np.append(1, np.cumprod(n[:-1].astype(object) + 1)).astype(np.int64)
    return taken.astype(np.int64) @ strides


def by_sampling(p, N, n, chains, sweeps, rng):
    """Chains that swap the values of two people: a matrix for each chain, chains × kinds × values.

    All pairs of a random matching are swapped at once, each with the probability that it has among
    the two ways; both ways count with their probability. A first half is not counted.
    """
    who = np.repeat(np.arange(len(N)), N)
    logs = np.log(np.where(p > 0, p, 1e-300))
    starts = [_possible(p, who, n, rng) for _ in range(8)]
    held = np.stack([starts[chain % 8] for chain in range(chains)])
    found, row = np.zeros((chains, *p.shape)), np.arange(chains)[:, None]
    for sweep in range(sweeps):
        order = rng.permuted(np.tile(np.arange(len(who)), (chains, 1)), axis=1)
        half = len(who) // 2
        i, j = order[:, :half], order[:, half : 2 * half]
        a, b, s, u = who[i], who[j], held[row, i], held[row, j]
        gain = logs[a, u] + logs[b, s] - logs[a, s] - logs[b, u]
        swaps = 1 / (1 + np.exp(np.clip(-gain, -700, 700)))
        if 2 * sweep >= sweeps:
            for kind, value, chance in (
                (a, s, 1 - swaps),
                (a, u, swaps),
                (b, u, 1 - swaps),
                (b, s, swaps),
            ):
                np.add.at(found, (row, kind, value), chance)
            if len(who) % 2:
                np.add.at(found, (row[:, 0], who[order[:, -1]], held[row[:, 0], order[:, -1]]), 1.0)
        is_swapped = rng.random(swaps.shape) < swaps
        held[row, i], held[row, j] = np.where(is_swapped, u, s), np.where(is_swapped, s, u)
    return found / found.sum(axis=2, keepdims=True)


def _possible(p, who, n, rng):
    """Some arrangement in which everybody has a value that they can have."""
    from scipy.optimize import linear_sum_assignment

    values = np.repeat(np.arange(len(n)), n)
    cost = np.where(p[who][:, values] > 0, rng.random((len(who), len(values))), 1e6)
    people, places = linear_sum_assignment(cost)
    return values[places[np.argsort(people)]]
