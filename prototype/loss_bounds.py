"""Lower bounds on the loss of any partition of people into groups of at least k.

Whoever is in a group loses at least what the cheapest label that covers them and at least k people
loses. The mean over people of that least loss is a bound ("each person's bound"). It holds for
people who share a cell but not a group, too. With y the persons' bounds, it is the value of a
feasible solution of the dual of set partitioning: Σ y(S) ≤ |S| loss(S) for every possible group S.
For a label of loss L only sizes matter: it is feasible iff, under every label that covers at least
k people, the k largest y have a mean of at most L. `raised` climbs in that dual.

All sums are rounded doubles: subtract 1e-9 before a bound is stated.
"""

from __future__ import annotations

import numpy as np

import least_loss as search
import loss_kernels as kernels
from loss_kernels import FAR, NONE, clear, compiled, count_at, cover, joined_loss


def by_nodes(problem: search.Problem) -> np.ndarray:
    """Each cell's bound where labels are nodes of hierarchies: exact, over the whole lattice."""
    lattice, people = problem.lattice, problem.columns.people
    assert lattice is not None
    nodes, bound = lattice.nodes(people, 1.0), np.full(len(people), FAR)
    kernels.bounds_by_node(
        lattice.above, lattice.radix, people, nodes, lattice.loss_above, problem.least, bound
    )
    return bound


def raised(problem: search.Problem, bound: np.ndarray, passes: int, share: float = 0.1) -> np.ndarray:
    """Raise a feasible y of the dual, a random share of the cells in each pass.

    If r people of a group are raised, each by at most slack / min(k, r), where slack is
    k L - (the sum of the k largest y), the group's constraint still holds.
    """
    lattice, people = problem.lattice, problem.columns.people
    assert lattice is not None
    rng, y = np.random.default_rng(0), bound.copy()
    nodes = lattice.nodes(people, 1.0)
    for _ in range(passes):
        chosen = rng.random(len(y)) < share
        order = np.argsort(-y, kind="stable")
        room = np.full(len(y), FAR)
        args = lattice.above, lattice.radix, people, nodes, lattice.loss_above, problem.least
        room_to_raise(*args, order, y, chosen, room)
        y[chosen] += np.maximum(room[chosen] * (1 - 1e-12) - 1e-12, 0)
    return y


@compiled
def room_to_raise(above, radix, people, nodes, loss_above, least, order, y, chosen, room):
    """For each chosen cell how much it may be raised together with all other chosen cells."""
    n = len(people)
    places = 2
    while places < 2 * n:
        places *= 2
    keys, counts = np.empty(places, np.int64), np.empty(places, np.int64)
    stamp, slot = np.full(places, NONE, np.int64), np.empty(n, np.int64)
    taken, total, raising = np.empty(places, np.int64), np.empty(places), np.empty(places, np.int64)
    for t in range(len(nodes)):
        count_at(nodes[t], above, radix, people, order, n, keys, counts, stamp, t, slot)
        for i in range(n):
            taken[slot[i]], total[slot[i]], raising[slot[i]] = 0, 0.0, 0
        for i in range(n):
            h, c = slot[i], order[i]
            part = min(people[c], least - taken[h])
            taken[h] += part
            total[h] += part * y[c]
            if chosen[c]:
                raising[h] += people[c]
        for i in range(n):
            h, c = slot[i], order[i]
            if chosen[c] and counts[h] >= least:
                loss = 0.0
                for j in range(len(radix)):
                    loss += loss_above[j, nodes[t, j], c]
                slack = least * loss - total[h]
                room[c] = min(room[c], slack / min(least, raising[h]))


def by_labels(problem: search.Problem, n_near: int = 0, most: int = 400) -> np.ndarray:
    """Each cell's bound for labels of any kind, from its nearest cells.

    A best-first search over labels, each the hull of some of the nearest cells; a label that
    covers a cell farther than those costs at least the distance of the farthest of them. It ends
    after `most` labels with the least bound of those not yet opened.
    """
    near, far = search.neighbours(problem.columns, n_near or max(48, 2 * problem.least))
    order = np.argsort(far, axis=1, kind="stable")
    near, far = np.take_along_axis(near, order, 1), np.take_along_axis(far, order, 1)
    bound = np.empty(len(near))
    has_all = near.shape[1] == len(near) - 1
    bound_each(problem.columns, near, far, problem.least, most, has_all, bound)
    return bound


@compiled
def bound_each(columns, near, far, least, most, has_all, bound):
    """Fill in the bound of each cell."""
    n, d = columns.codes.shape
    k, words = near.shape[1], max(columns.word[-1], 1)
    room = most * 8
    low, high = np.empty((room, d), np.int64), np.empty((room, d), np.int64)
    bits, last = np.empty((room, words), np.uint64), np.empty(room, np.int64)
    cost, least_cost = np.empty(room), np.empty(room)
    joined = np.empty(k)
    for c in range(n):
        clear(columns, low[0], high[0], bits[0])
        cover(columns, low[0], high[0], bits[0], c)
        last[0], cost[0], least_cost[0], n_open = -1, 0.0, 0.0, 1
        beyond = FAR if has_all else far[c, k - 1]
        for turn in range(most):
            at = 0
            for i in range(1, n_open):
                if least_cost[i] < least_cost[at]:
                    at = i
            if n_open == 0 or least_cost[at] >= beyond:
                bound[c] = beyond
                break
            bound[c] = least_cost[at]
            # the people inside, and what each cell that may still join would make it cost
            people, last_at = columns.people[c], last[at]
            for i in range(k):
                joined[i] = joined_loss(columns, cost[at], low[at], high[at], bits[at], near[c, i])
                if joined[i] <= cost[at] + 1e-12:
                    people += columns.people[near[c, i]]
                    joined[i] = -1.0
            if people >= least and least_cost[at] <= cost[at]:
                bound[c] = cost[at]
                break
            if people >= least or n_open + k >= room or turn == most - 1:
                if people >= least:
                    least_cost[at] = cost[at]
                    continue
                break
            # open it: the next cell to join is i, cells before it are joined no more
            parent = least_cost[at]
            plow, phigh, pbits = low[at].copy(), high[at].copy(), bits[at].copy()
            n_open -= 1
            low[at], high[at], bits[at] = low[n_open], high[n_open], bits[n_open]
            last[at], cost[at], least_cost[at] = last[n_open], cost[n_open], least_cost[n_open]
            for i in range(last_at + 1, k):
                if joined[i] < 0 or joined[i] >= beyond:
                    continue
                new = n_open
                low[new], high[new], bits[new] = plow, phigh, pbits
                cover(columns, low[new], high[new], bits[new], near[c, i])
                last[new], cost[new] = i, joined[i]
                x = needed(columns, near, c, joined, i, last_at, people, least, beyond)
                least_cost[new] = max(parent, max(joined[i], x))
                if least_cost[new] < beyond:
                    n_open += 1


@compiled
def needed(columns, near, c, joined, first, last_at, people, least, beyond):
    """A bound on the cost once `least` people are inside: cells from `first` on join by turns.

    Cells that are joined no more may still be covered; so they count with their costs, too.
    """
    k = len(joined)
    total, done = people, -1.0
    while total < least:
        best = FAR
        for i in range(k):
            if joined[i] > done and joined[i] < best:
                best = joined[i]
        if best == FAR:
            return beyond
        for i in range(k):
            if joined[i] == best:
                total += columns.people[near[c, i]]
        done = best
    return done


def mean(problem: search.Problem, bound: np.ndarray) -> float:
    """The bound on the loss: over all people and columns."""
    people = problem.columns.people
    return float(bound @ people) / (people.sum() * len(problem.cells.domains)) - 1e-9
