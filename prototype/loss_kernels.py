"""Numbers in, numbers out: labels of groups of cells, and the moves that lower their loss.

A label is kept column by column. On a line (numbers, dates) and in a tree (leaves in tree order,
so that a node is a run of leaves) it is the least and the greatest code, `low` and `high`, and
costs `cost[low, high]`; a set of values is kept as bits and costs `step` for each value but one.
The loss of a group is the sum over columns; what is minimised is the sum over people.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np

SET, LINE, TREE = 0, 1, 2
NONE, FAR = -1, 1e18
NOTHING = 1 << 40
ONE = np.uint64(1)
compiled = nb.njit(cache=True, nogil=True, error_model="numpy")
inlined = nb.njit(cache=True, nogil=True, error_model="numpy", forceinline=True)


class Columns(NamedTuple):
    """What a label costs in each column; columns are in the order of their least step, falling."""

    codes: np.ndarray  # cells × columns
    people: np.ndarray  # cells
    kind: np.ndarray  # SET, LINE or TREE
    step: np.ndarray  # the loss of one more value
    word: np.ndarray  # where the column's bits begin; columns + 1
    place: np.ndarray  # where the tree's table begins in `cost`
    size: np.ndarray  # values of the domain
    cost: np.ndarray  # of every (low, high) of a tree, one table after another


class State(NamedTuple):
    """Groups as linked lists of cells, with their labels; an empty group has head NONE."""

    group: np.ndarray  # of each cell
    head: np.ndarray
    after: np.ndarray  # the next cell of the same group
    before: np.ndarray
    total: np.ndarray  # people of each group
    loss: np.ndarray  # of each group's label, the sum over columns
    without: np.ndarray  # for each cell, the loss of its group's label without it
    low: np.ndarray  # groups × columns
    high: np.ndarray
    bits: np.ndarray  # groups × words
    tally: np.ndarray  # room to count values in
    locked: np.ndarray  # groups that wait for a verdict


class Log(NamedTuple):
    """What was moved, to be undone where a rule refuses it: (cell, group before, number of move)."""

    rows: np.ndarray
    length: np.ndarray  # [rows written, moves made]


@inlined
def ones(x):
    """How many bits are set."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inlined
def span(columns, j, low, high):
    """The loss of a range or node from `low` to `high`; of nothing, 0."""
    if high < low:
        return 0.0
    if columns.kind[j] == LINE:
        return (high - low) * columns.step[j]
    return columns.cost[columns.place[j] + low * columns.size[j] + high]


@inlined
def has(columns, bits, j, value):
    """Whether a set holds a value."""
    return (bits[columns.word[j] + (value >> 6)] >> np.uint64(value & 63)) & ONE != 0


@inlined
def clear(columns, low, high, bits):
    """Make a label that covers nothing."""
    low[:], high[:], bits[:] = NOTHING, NONE, 0


@inlined
def cover(columns, low, high, bits, cell):
    """Widen a label so that it covers a cell."""
    for j in range(len(columns.kind)):
        value = columns.codes[cell, j]
        if columns.kind[j] == SET:
            bits[columns.word[j] + (value >> 6)] |= ONE << np.uint64(value & 63)
        else:
            low[j], high[j] = min(low[j], value), max(high[j], value)


@inlined
def label_loss(columns, low, high, bits):
    """The loss of a label."""
    x = 0.0
    for j in range(len(columns.kind)):
        if columns.kind[j] == SET:
            n = 0
            for w in range(columns.word[j], columns.word[j + 1]):
                n += ones(bits[w])
            x += max(n - 1, 0) * columns.step[j]
        else:
            x += span(columns, j, low[j], high[j])
    return x


@inlined
def joined_loss(columns, loss, low, high, bits, cell):
    """The loss of a label of loss `loss` after it was widened to cover a cell."""
    x = loss
    for j in range(len(columns.kind)):
        value = columns.codes[cell, j]
        if columns.kind[j] == SET:
            if not has(columns, bits, j, value):
                x += columns.step[j]
        elif value < low[j] or value > high[j]:
            x += span(columns, j, min(value, low[j]), max(value, high[j]))
            x -= span(columns, j, low[j], high[j])
    return x


@inlined
def pair_loss(columns, state, a, b):
    """The loss of one label for two groups."""
    x = 0.0
    for j in range(len(columns.kind)):
        if columns.kind[j] == SET:
            n = 0
            for w in range(columns.word[j], columns.word[j + 1]):
                n += ones(state.bits[a, w] | state.bits[b, w])
            x += (n - 1) * columns.step[j]
        else:
            low = min(state.low[a, j], state.low[b, j])
            x += span(columns, j, low, max(state.high[a, j], state.high[b, j]))
    return x


@inlined
def distance(columns, a, b, first, last, stop):
    """The loss of one label for two cells, over columns first:last; no less than it from `stop`."""
    x = 0.0
    for j in range(first, last):
        u, v = columns.codes[a, j], columns.codes[b, j]
        if u != v:
            x += columns.step[j] if columns.kind[j] == SET else span(columns, j, min(u, v), max(u, v))
            if x >= stop:
                return x
    return x


@inlined
def farthest(far, cell):
    """The place of the greatest distance in a row."""
    last = 0
    for i in range(1, far.shape[1]):
        if far[cell, i] > far[cell, last]:
            last = i
    return last


@compiled
def nearest_cells(columns, heavy, starts, near, far):
    """The cells nearest to each cell, exactly: `near[c]` at `far[c]`, in no order.

    Cells are sorted by their first `heavy` columns; blocks `starts[b]:starts[b+1]` agree on them
    and are visited from the nearest on, until a block is farther than all that was found.
    """
    d, n_blocks, n_near = columns.codes.shape[1], len(starts) - 1, near.shape[1]
    between = np.empty(n_blocks)
    for b in range(n_blocks):
        for e in range(n_blocks):
            between[e] = distance(columns, starts[b], starts[e], 0, heavy, FAR)
        order = np.argsort(between, kind="mergesort")
        for cell in range(starts[b], starts[b + 1]):
            found, worst, last = 0, FAR, 0
            for e in order:
                if between[e] >= worst:
                    break
                for other in range(starts[e], starts[e + 1]):
                    room = worst - between[e]
                    x = between[e] + distance(columns, cell, other, heavy, d, room)
                    if other == cell or x >= worst:
                        continue
                    last = found if found < n_near else last
                    near[cell, last], far[cell, last] = other, x
                    found = min(found + 1, n_near)
                    if found == n_near:
                        last = farthest(far, cell)
                        worst = far[cell, last]


@inlined
def unlink(state, cell):
    """Take a cell out of its group's list."""
    if state.before[cell] >= 0:
        state.after[state.before[cell]] = state.after[cell]
    else:
        state.head[state.group[cell]] = state.after[cell]
    if state.after[cell] >= 0:
        state.before[state.after[cell]] = state.before[cell]


@inlined
def link(state, cell, group):
    """Put a cell into a group's list."""
    first = state.head[group]
    state.after[cell], state.before[cell], state.head[group] = first, NONE, cell
    state.group[cell] = group
    if first >= 0:
        state.before[first] = cell


@compiled
def refresh(columns, state, g):
    """Compute a group's people, label and loss, and its loss without each of its cells."""
    clear(columns, state.low[g], state.high[g], state.bits[g])
    state.total[g], state.loss[g] = 0, 0.0
    cell = state.head[g]
    while cell >= 0:
        state.total[g] += columns.people[cell]
        state.without[cell] = 0.0
        cover(columns, state.low[g], state.high[g], state.bits[g], cell)
        cell = state.after[cell]
    if state.head[g] >= 0:
        for j in range(len(columns.kind)):
            if columns.kind[j] == SET:
                state.loss[g] += refresh_set(columns, state, g, j)
            else:
                state.loss[g] += refresh_span(columns, state, g, j)


@inlined
def refresh_set(columns, state, g, j):
    """Add what the set of column j costs without each cell; returns what it costs with all."""
    distinct, cell = 0, state.head[g]
    while cell >= 0:
        value = columns.codes[cell, j]
        distinct += state.tally[value] == 0
        state.tally[value] += 1
        cell = state.after[cell]
    full, less = (distinct - 1) * columns.step[j], max(distinct - 2, 0) * columns.step[j]
    cell = state.head[g]
    while cell >= 0:
        state.without[cell] += less if state.tally[columns.codes[cell, j]] == 1 else full
        cell = state.after[cell]
    cell = state.head[g]
    while cell >= 0:
        state.tally[columns.codes[cell, j]] = 0
        cell = state.after[cell]
    return full


@inlined
def refresh_span(columns, state, g, j):
    """The same of a range or node: only its outermost cells hold it open."""
    low, second_low, high, second_high = NOTHING, NOTHING, NONE, NONE
    cell = state.head[g]
    while cell >= 0:
        value = columns.codes[cell, j]
        second_low = low if value < low else min(second_low, value)
        low = min(low, value)
        second_high = high if value > high else max(second_high, value)
        high = max(high, value)
        cell = state.after[cell]
    full = span(columns, j, low, high)
    cell = state.head[g]
    while cell >= 0:
        value, less = columns.codes[cell, j], full
        if value == low or value == high:
            left = second_low if value == low else low
            less = span(columns, j, left, second_high if value == high else high)
        state.without[cell] += less
        cell = state.after[cell]
    return full


@compiled
def fill(columns, state):
    """Link all cells into the groups that `state.group` names, and refresh every group."""
    state.head[:] = NONE
    for cell in range(len(state.group)):
        link(state, cell, state.group[cell])
    for g in range(len(state.head)):
        refresh(columns, state, g)


@inlined
def worth(state, g):
    """What the people of a group lose together."""
    return state.loss[g] * state.total[g]


@compiled
def put(columns, state, log, cell, group):
    """Move a cell to another group, and note where it was."""
    old, row = state.group[cell], log.length[0]
    log.rows[row, 0], log.rows[row, 1], log.rows[row, 2] = cell, old, log.length[1]
    log.length[0] += 1
    unlink(state, cell)
    link(state, cell, group)
    refresh(columns, state, old)
    refresh(columns, state, group)


@compiled
def undo(columns, state, log, first, last):
    """Put the cells of log rows first:last back, the last one first."""
    for row in range(last - 1, first - 1, -1):
        cell, new = log.rows[row, 0], state.group[log.rows[row, 0]]
        unlink(state, cell)
        link(state, cell, log.rows[row, 1])
        refresh(columns, state, new)
        refresh(columns, state, log.rows[row, 1])


@compiled
def settle(state, log, first, keeps_log):
    """A move is made: lock its groups until a rule has judged them, or forget how to undo it."""
    if not keeps_log:
        log.length[0] = first
        return
    for row in range(first, log.length[0]):
        state.locked[log.rows[row, 1]] = True
        state.locked[state.group[log.rows[row, 0]]] = True
    log.length[1] += 1


@inlined
def gain_of_joining(columns, state, g, cell):
    """How much more is lost when a cell joins a group, without what it lost before."""
    loss = joined_loss(columns, state.loss[g], state.low[g], state.high[g], state.bits[g], cell)
    return loss * (state.total[g] + columns.people[cell]) - worth(state, g)


@compiled
def relocate(columns, state, log, cell, g, limit):
    """Move a cell to group g if that costs at most `limit`; returns what it costs, FAR if not."""
    old = state.group[cell]
    rest = state.total[old] - columns.people[cell]
    delta = gain_of_joining(columns, state, g, cell) + state.without[cell] * rest - worth(state, old)
    if delta > limit:
        return FAR
    put(columns, state, log, cell, g)
    return delta


@compiled
def cover_all_but(columns, state, g, cell, low, high, bits):
    """The label of a group without one of its cells."""
    clear(columns, low, high, bits)
    member = state.head[g]
    while member >= 0:
        if member != cell:
            cover(columns, low, high, bits, member)
        member = state.after[member]


@compiled
def best_exchange(columns, state, cell, g, least, low, high, bits):
    """(cell of g, cost) of the swap that costs least by a bound: exact here, optimistic in g."""
    old, p = state.group[cell], columns.people[cell]
    joined = joined_loss(columns, state.loss[g], state.low[g], state.high[g], state.bits[g], cell)
    wider = joined - state.loss[g]
    best, chosen, other = FAR, NONE, state.head[g]
    while other >= 0:
        q = columns.people[other]
        one, two = state.total[old] - p + q, state.total[g] - q + p
        if one >= least and two >= least:
            here = joined_loss(columns, state.without[cell], low, high, bits, other) * one
            there = (state.without[other] + wider) * two
            if here + there < best:
                best, chosen = here + there, other
        other = state.after[other]
    return chosen, best


@compiled
def exchange(columns, state, log, cell, g, least, limit, low, high, bits):
    """Swap a cell with a cell of group g; returns what it costs, FAR if more than `limit`."""
    old, p = state.group[cell], columns.people[cell]
    base = worth(state, old) + worth(state, g)
    if state.without[cell] * state.total[old] - base > limit:
        return FAR
    cover_all_but(columns, state, old, cell, low, high, bits)
    other, bound = best_exchange(columns, state, cell, g, least, low, high, bits)
    if other < 0 or bound - base > limit:
        return FAR
    q = columns.people[other]
    cover(columns, low, high, bits, other)
    delta = label_loss(columns, low, high, bits) * (state.total[old] - p + q) - base
    cover_all_but(columns, state, g, other, low, high, bits)
    cover(columns, low, high, bits, cell)
    delta += label_loss(columns, low, high, bits) * (state.total[g] - q + p)
    if delta > limit:
        return FAR
    put(columns, state, log, cell, g)
    put(columns, state, log, other, old)
    return delta


@compiled
def gather(columns, state, near, cell, least, pool, seen, mark):
    """The cells that might join a new group around a cell: of groups nearby that can spare some."""
    n = 0
    for i in range(-1, near.shape[1]):
        g = state.group[cell if i < 0 else near[cell, i]]
        if seen[g] == mark or state.locked[g] or state.total[g] <= least:
            continue
        seen[g] = mark
        member = state.head[g]
        while member >= 0 and n < len(pool):
            if member != cell:
                pool[n] = member
                n += 1
            member = state.after[member]
    return n


@compiled
def cheapest(columns, state, pool, n, new, least):
    """(place in the pool, cost per person) of the cell that joins a new group most cheaply."""
    best, chosen = FAR, NONE
    for i in range(n):
        if pool[i] < 0:
            continue
        old, p = state.group[pool[i]], columns.people[pool[i]]
        rest = state.total[old] - p
        if rest < least:
            continue
        x = gain_of_joining(columns, state, new, pool[i]) - worth(state, old)
        x = (x + state.without[pool[i]] * rest) / p
        if x < best:
            best, chosen = x, i
    return chosen, best


@compiled
def found(columns, state, log, near, cell, new, least, limit, pool, seen, mark):
    """Found a group around a cell with what groups nearby can spare; FAR if it does not pay."""
    first, rest = log.length[0], state.total[state.group[cell]] - columns.people[cell]
    if (rest < least and rest > 0) or state.locked[state.group[cell]]:
        return FAR
    n, total = gather(columns, state, near, cell, least, pool, seen, mark), 0.0
    while True:
        old = state.group[cell]
        total -= worth(state, old) + worth(state, new)
        put(columns, state, log, cell, new)
        total += worth(state, old) + worth(state, new)
        chosen, cost = cheapest(columns, state, pool, n, new, least)
        if chosen < 0 or (state.total[new] >= least and cost >= 0):
            break
        cell = pool[chosen]
        pool[chosen] = NONE
    if state.total[new] >= least and total <= limit:
        return total
    undo(columns, state, log, first, log.length[0])
    log.length[0] = first
    return FAR


@compiled
def dissolve(columns, state, log, near, g, limit):
    """Give each cell of a group to the best group nearby; FAR if that costs more than `limit`."""
    first, total = log.length[0], -worth(state, g)
    while state.head[g] >= 0 and total <= limit:
        cell, best, chosen = state.head[g], FAR, NONE
        for other in near[cell]:
            h = state.group[other]
            if h != g and not state.locked[h]:
                x = gain_of_joining(columns, state, h, cell)
                if x < best:
                    best, chosen = x, h
        if chosen < 0:
            break
        total += best
        put(columns, state, log, cell, chosen)
    if state.head[g] < 0 and total <= limit:
        return total
    undo(columns, state, log, first, log.length[0])
    log.length[0] = first
    return FAR


@compiled
def walk(columns, state, log, near, least, n_moves, hot, cold, seed, rare, keeps_log, best):
    """Try moves at random and make those that cost at most a random limit [Kirkpatrick1983].

    The limit is exponential with a mean that falls from `hot` to `cold`. A share `rare` of the
    tries founds a group, as large a share dissolves one; all others move one cell, or swap two
    where a group has nobody to spare. With `keeps_log` the groups of a move are locked, so that
    moves can be undone one by one, and the walk ends when half of all groups are. Returns how
    many moves were tried, and the change of the loss; without a log, the least loss on the way
    is that of `best`.
    """
    np.random.seed(seed)
    n, d = columns.codes.shape
    low, high = np.empty(d, np.int64), np.empty(d, np.int64)
    bits = np.empty(state.bits.shape[1], np.uint64)
    pool, seen = np.empty(2048, np.int64), np.full(len(state.head), NONE, np.int64)
    empty, free = np.flatnonzero(state.head == NONE), np.empty(len(state.head), np.int64)
    free[: len(empty)] = empty[::-1]
    n_free, n_used, n_locked = len(empty), len(state.head) - len(empty), 0
    change, lowest = 0.0, 0.0
    for t in range(n_moves):
        limit = -hot * (cold / hot) ** (t / n_moves) * np.log(np.random.random() + 1e-300)
        cell, kind = np.random.randint(n), np.random.random()
        g, first = state.group[cell], log.length[0]
        if state.locked[g]:
            continue
        delta = FAR
        if kind < rare:
            if n_free and state.loss[g] > 0:
                new = free[n_free - 1]
                delta = found(columns, state, log, near, cell, new, least, limit, pool, seen, t)
                n_free -= state.head[new] >= 0
        elif kind < 2 * rare:
            if state.loss[g] > 0:
                delta = dissolve(columns, state, log, near, g, limit)
        else:
            h = state.group[near[cell, np.random.randint(near.shape[1])]]
            if h != g and not state.locked[h]:
                rest = state.total[g] - columns.people[cell]
                if rest >= least or rest == 0:
                    delta = relocate(columns, state, log, cell, h, limit)
                else:
                    delta = exchange(columns, state, log, cell, h, least, limit, low, high, bits)
        if delta == FAR:
            continue
        if state.head[g] < 0 and not keeps_log:
            free[n_free] = g
            n_free += 1
        change += delta
        n_locked += log.length[0] - first + 1
        settle(state, log, first, keeps_log)
        if keeps_log and (2 * n_locked > n_used or 2 * log.length[0] > len(log.rows)):
            return t + 1, change
        if not keeps_log and change < lowest - 1e-9 and t % 256 == 0:
            lowest, best[:] = change, state.group
    if not keeps_log and change < lowest:
        lowest, best[:] = change, state.group
    return n_moves, change if keeps_log else lowest


@compiled
def best_partners(columns, state, near, is_open, cap, partner, cost):
    """For each open group the group nearby that it joins most cheaply; else among all groups.

    Closed groups that would grow beyond `cap` people are left alone where there is a choice.
    """
    seen = np.full(len(state.head), NONE, np.int64)
    for a in range(len(state.head)):
        partner[a], cost[a] = NONE, FAR
        cell = state.head[a] if is_open[a] else NONE
        while cell >= 0:
            for other in near[cell]:
                b = state.group[other]
                if b == a or seen[b] == a:
                    continue
                seen[b] = a
                if is_open[b] or state.total[a] + state.total[b] < cap:
                    consider(columns, state, a, b, partner, cost)
            cell = state.after[cell]
        if is_open[a] and state.head[a] >= 0 and partner[a] < 0:
            for b in range(len(state.head)):
                if b != a and state.head[b] >= 0:
                    consider(columns, state, a, b, partner, cost)


@inlined
def consider(columns, state, a, b, partner, cost):
    """Note b as the partner of a if it is the cheapest so far."""
    x = pair_loss(columns, state, a, b) * (state.total[a] + state.total[b])
    x -= worth(state, a) + worth(state, b)
    if x < cost[a]:
        partner[a], cost[a] = b, x


@compiled
def join_pairs(columns, state, order, partner, share):
    """Join groups with their partners, the cheapest first, each group once; a share of them."""
    touched, joined = np.zeros(len(state.head), np.bool_), 0
    for a in order:
        b = partner[a]
        if b < 0 or joined >= share:
            break
        if touched[a] or touched[b]:
            continue
        touched[a], touched[b], joined = True, True, joined + 1
        while state.head[a] >= 0:
            cell = state.head[a]
            unlink(state, cell)
            link(state, cell, b)
        refresh(columns, state, a)
        refresh(columns, state, b)
    return touched


@inlined
def hashed(key, room):
    """Where a key is looked for in a table of `room` places, a power of two."""
    return np.int64((np.uint64(key) * np.uint64(11400714819323198485)) >> np.uint64(24)) & (room - 1)


@compiled
def count_at(levels, above, radix, people, cells, n, keys, counts, stamp, mark, slot):
    """Count the people of each group of cells at a node of the lattice; slot[i] is i's group."""
    room = len(keys)
    for i in range(n):
        key = 0
        for j in range(len(levels)):
            key = key * radix[j] + above[j, levels[j], cells[i]]
        h = hashed(key, room)
        while stamp[h] == mark and keys[h] != key:
            h = (h + 1) & (room - 1)
        if stamp[h] != mark:
            stamp[h], keys[h], counts[h] = mark, key, 0
        counts[h] += people[cells[i]]
        slot[i] = h


@compiled
def peel(above, radix, people, nodes, least, cells, group):
    """Walk nodes of the lattice; at each, take off every group of the rest with enough people.

    `group[i]` becomes the number of cell `cells[i]`'s group, NONE for what is left.
    """
    room = 2
    while room < 2 * len(cells):
        room *= 2
    keys, counts = np.empty(room, np.int64), np.empty(room, np.int64)
    stamp, number = np.full(room, NONE, np.int64), np.empty(room, np.int64)
    rest, place, slot = cells.copy(), np.arange(len(cells)), np.empty(len(cells), np.int64)
    n, n_groups = len(cells), 0
    group[:] = NONE
    for t in range(len(nodes)):
        if n == 0:
            break
        count_at(nodes[t], above, radix, people, rest, n, keys, counts, stamp, t, slot)
        kept = 0
        for i in range(n):
            number[slot[i]] = NONE
        for i in range(n):
            h = slot[i]
            if counts[h] >= least:
                if number[h] < 0:
                    number[h], n_groups = n_groups, n_groups + 1
                group[place[i]] = number[h]
            else:
                rest[kept], place[kept], kept = rest[i], place[i], kept + 1
        n = kept
    return n_groups


@compiled
def bounds_by_node(above, radix, people, nodes, loss_above, least, bound):
    """For each cell the least loss of a group, at any node, that has enough people."""
    n = len(people)
    room = 2
    while room < 2 * n:
        room *= 2
    keys, counts = np.empty(room, np.int64), np.empty(room, np.int64)
    stamp, slot, cells = np.full(room, NONE, np.int64), np.empty(n, np.int64), np.arange(n)
    for t in range(len(nodes)):
        count_at(nodes[t], above, radix, people, cells, n, keys, counts, stamp, t, slot)
        for c in range(n):
            if counts[slot[c]] >= least:
                x = 0.0
                for j in range(len(radix)):
                    x += loss_above[j, nodes[t, j], c]
                bound[c] = min(bound[c], x)


@compiled
def nearest_groups(columns, state, g, order):
    """Fill `order` with the groups that share a label with g most cheaply; g first. How many."""
    cost, n = np.full(len(state.head), FAR), 0
    for h in range(len(state.head)):
        if state.head[h] >= 0 and not state.locked[h]:
            cost[h] = pair_loss(columns, state, g, h) + 1e-6 * np.random.random()
    cost[g] = NONE
    by_cost = np.argsort(cost)
    while n < len(order) and cost[by_cost[n]] < FAR:
        order[n] = by_cost[n]
        n += 1
    return n


@compiled
def local_nodes(above, loss_above, people, cells, noise, power):
    """The nodes below the lowest that makes these cells equal, in a noisy order of mean loss."""
    d, top, n_nodes = len(above), np.zeros(len(above), np.int64), 1
    mean = np.zeros((d, above.shape[1]))
    for j in range(d):
        while (above[j, top[j]][cells] != above[j, top[j], cells[0]]).any():
            top[j] += 1
        n_nodes *= top[j] + 1
        factor = np.exp(noise * np.random.normal())
        for level in range(top[j] + 1):
            for c in cells:
                mean[j, level] += factor * people[c] * loss_above[j, level, c] ** power
    nodes, score = np.empty((n_nodes, d), np.int64), np.zeros(n_nodes)
    for t in range(n_nodes):
        rest = t
        for j in range(d):
            nodes[t, j] = rest % (top[j] + 1)
            rest //= top[j] + 1
            score[t] += mean[j, nodes[t, j]]
    return nodes[np.argsort(score, kind="mergesort")]


@compiled
def regroup(columns, state, log, above, loss_above, radix, least, n_tries, most, heat, seed, keeps_log):
    """Pool a few neighbouring groups and peel their cells anew; keep it if it costs little.

    What is left joins the group of the pool that it costs least. Returns the change of the loss.
    """
    np.random.seed(seed)
    change, n_used = 0.0, (state.head >= 0).sum()
    for _ in range(n_tries):
        g, first = state.group[np.random.randint(len(state.group))], log.length[0]
        if state.locked[g]:
            continue
        order = np.empty(2 + np.random.randint(most), np.int64)
        pooled = order[: nearest_groups(columns, state, g, order)]
        size = 0
        for h in pooled:
            cell = state.head[h]
            while cell >= 0:
                size, cell = size + 1, state.after[cell]
        cells, at = np.empty(size, np.int64), 0
        for h in pooled:
            cell = state.head[h]
            while cell >= 0:
                cells[at], at, cell = cell, at + 1, state.after[cell]
        if size < 2 or first + 2 * size > len(log.rows):
            continue
        noise = 0.4 * np.random.random()
        nodes = local_nodes(above, loss_above, columns.people, cells, noise, 1.0 + np.random.randint(3) / 2)
        group = np.empty(size, np.int64)
        n_new = peel(above, radix, columns.people, nodes, least, cells, group)
        limit = -heat * np.log(np.random.random() + 1e-300)
        change += adopt(columns, state, log, cells, group, n_new, pooled, limit, keeps_log)
        if keeps_log and 2 * state.locked.sum() > n_used:
            break
    return change


@compiled
def adopt(columns, state, log, cells, group, n_new, pooled, limit, keeps_log):
    """Put cells into new groups instead of the pooled ones if that costs at most `limit`."""
    old, first = 0.0, log.length[0]
    for h in pooled:
        old += worth(state, h)
    names, n = np.empty(n_new, np.int64), 0
    for h in range(len(state.head)):
        if n < n_new and state.head[h] < 0 and not state.locked[h]:
            names[n], n = h, n + 1
    if n < n_new or n_new == 0:
        return 0.0
    for i in range(len(cells)):
        if group[i] >= 0:
            shift(state, log, cells[i], names[group[i]])
    for h in names:
        refresh(columns, state, h)
    for i in range(len(cells)):
        if group[i] < 0:
            best, chosen = FAR, NONE
            for h in names:
                x = gain_of_joining(columns, state, h, cells[i])
                if x < best:
                    best, chosen = x, h
            shift(state, log, cells[i], chosen)
            refresh(columns, state, chosen)
    for h in pooled:
        refresh(columns, state, h)
    new = 0.0
    for h in names:
        new += worth(state, h)
    if new - old <= limit and new != old:
        settle(state, log, first, keeps_log)
        return new - old
    for row in range(log.length[0] - 1, first - 1, -1):
        unlink(state, log.rows[row, 0])
        link(state, log.rows[row, 0], log.rows[row, 1])
    for h in pooled:
        refresh(columns, state, h)
    for h in names:
        refresh(columns, state, h)
    log.length[0] = first
    return 0.0


@compiled
def shift(state, log, cell, group):
    """Move a cell and note where it was, its groups' labels being refreshed later."""
    row = log.length[0]
    log.rows[row, 0], log.rows[row, 1], log.rows[row, 2] = cell, state.group[cell], log.length[1]
    log.length[0] += 1
    unlink(state, cell)
    link(state, cell, group)
