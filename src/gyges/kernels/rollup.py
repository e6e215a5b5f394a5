"""Roll counts up a lattice: from the groups of one node to the groups of a coarser one.

A group is known by its first cell. Its key at a node is the number whose digits (mixed radix) are
the labels of that cell's codes at the node's levels; groups with equal keys become one. Groups
stay in the order of their first cells, so a node's groups are numbered alike on every way up.

Every label table of every column lies in one flat array: the label of code x of column c at level
v is `labels[at[c, v] + x]`, one of `widths[c, v]`.

Earned by joining 200,000 groups of five columns: a fifth of the time of a sort of keys in NumPy.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import CodeArray, FloatArray, IntArray
from gyges.kernels.compiled import compiled

_ROOM = 8  # slots a group: keys up to this many times the groups are looked up in a dense array
_FITS = 2.0**62  # mixed-radix keys below this are exact in 64 bits


@compiled()
def join_groups(
    first: IntArray,
    sizes: IntArray,
    codes: CodeArray,
    labels: CodeArray,
    at: IntArray,
    widths: IntArray,
    levels: IntArray,
) -> tuple[CodeArray, IntArray, IntArray]:
    """For each group its place among the coarser groups; their first cells and sizes.

    `first` and `sizes` are the finer groups, ascending in `first`; `codes` is cells × columns.
    """
    n = len(first)
    offsets, radix, columns, space = _digits(at, widths, levels)
    is_dense = space <= _ROOM * n + 1024
    if is_dense:
        slots, mask = int(space), 0
    else:
        slots = 16
        while slots < 2 * n:
            slots *= 2
        mask = slots - 1
    owner = np.full(slots, -1, np.int32)
    key_of = np.empty(0 if is_dense else slots, np.int64)
    place = np.empty(n, np.int32)
    new_first, new_sizes = np.empty(n, np.int64), np.empty(n, np.int64)
    n_new = 0
    for g in range(n):
        cell = first[g]
        key = 0
        for i in range(len(columns)):
            key += labels[offsets[i] + codes[cell, columns[i]]] * radix[i]
        slot = key if is_dense else _mixed(key) & mask
        while owner[slot] >= 0 and not is_dense:
            if key_of[slot] == key and (
                space < _FITS
                or _agree(codes, labels, offsets, columns, cell, new_first[owner[slot]])
            ):
                break
            slot = (slot + 1) & mask
        joined = owner[slot]
        if joined < 0:
            joined = n_new
            owner[slot] = n_new
            if not is_dense:
                key_of[slot] = key
            new_first[n_new] = cell
            new_sizes[n_new] = 0
            n_new += 1
        place[g] = joined
        new_sizes[joined] += sizes[g]
    return place, new_first[:n_new].copy(), new_sizes[:n_new].copy()


@compiled(forceinline=True)
def _mixed(key: int) -> np.int64:
    """Spread a key over all bits (Fibonacci hashing, high bits folded down)."""
    spread = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((spread ^ (spread >> np.uint64(29))) >> np.uint64(1))


@compiled()
def _digits(
    at: IntArray, widths: IntArray, levels: IntArray
) -> tuple[IntArray, IntArray, IntArray, float]:
    """Where the label tables begin, the value of each digit, its column; the number of keys."""
    q = len(levels)
    offsets, radix, columns = np.empty(q, np.int64), np.empty(q, np.int64), np.empty(q, np.int64)
    used, unit, space = 0, 1, 1.0
    for c in range(q - 1, -1, -1):
        width = widths[c, levels[c]]
        if width > 1:
            offsets[used], radix[used], columns[used] = at[c, levels[c]], unit, c
            unit *= width  # wraps around beyond 64 bits: `space` shows it
            space *= width
            used += 1
    return offsets[:used], radix[:used], columns[:used], space


@compiled()
def _agree(
    codes: CodeArray,
    labels: CodeArray,
    offsets: IntArray,
    columns: IntArray,
    one: int,
    other: int,
) -> bool:
    """Whether two cells have the same labels: settles equal keys that may have wrapped around."""
    for i in range(len(columns)):
        c = columns[i]
        if labels[offsets[i] + codes[one, c]] != labels[offsets[i] + codes[other, c]]:
            return False
    return True


@compiled()
def join_values(
    place: CodeArray,
    n_new: int,
    starts: IntArray,
    value_codes: CodeArray,
    value_counts: IntArray,
    n_values: int,
) -> tuple[IntArray, CodeArray, IntArray]:
    """The value counts of the coarser groups, sparse as they came, codes ascending in a group."""
    if n_new * n_values <= 4 * len(value_codes) + 1024:
        return _join_dense(place, n_new, starts, value_codes, value_counts, n_values)
    return _join_sparse(place, n_new, starts, value_codes, value_counts, n_values)


@compiled()
def _join_dense(
    place: CodeArray,
    n_new: int,
    starts: IntArray,
    value_codes: CodeArray,
    value_counts: IntArray,
    n_values: int,
) -> tuple[IntArray, CodeArray, IntArray]:
    summed = np.zeros(n_new * n_values, np.int64)
    n_entries = 0
    for g in range(len(place)):
        row = place[g] * n_values
        for e in range(starts[g], starts[g + 1]):
            slot = row + value_codes[e]
            n_entries += summed[slot] == 0
            summed[slot] += value_counts[e]
    new_starts = np.zeros(n_new + 1, np.int64)
    new_codes, new_counts = np.empty(n_entries, np.int32), np.empty(n_entries, np.int64)
    e = 0
    for g in range(n_new):
        for value in range(n_values):
            count = summed[g * n_values + value]
            if count > 0:
                new_codes[e], new_counts[e] = value, count
                e += 1
        new_starts[g + 1] = e
    return new_starts, new_codes, new_counts


@compiled()
def _join_sparse(
    place: CodeArray,
    n_new: int,
    starts: IntArray,
    value_codes: CodeArray,
    value_counts: IntArray,
    n_values: int,
) -> tuple[IntArray, CodeArray, IntArray]:
    """Entries dealt out by value, then by group (both stable), then equal neighbours added up."""
    n = len(value_codes)
    group = np.empty(n, np.int32)
    by_value, by_group = np.zeros(n_values + 1, np.int64), np.zeros(n_new + 1, np.int64)
    for g in range(len(place)):
        by_group[place[g] + 1] += starts[g + 1] - starts[g]
        for e in range(starts[g], starts[g + 1]):
            group[e] = place[g]
            by_value[value_codes[e] + 1] += 1
    ordered = np.empty(n, np.int64)
    by_value = np.cumsum(by_value)
    for e in range(n):
        ordered[by_value[value_codes[e]]] = e
        by_value[value_codes[e]] += 1
    new_starts = np.zeros(n_new + 1, np.int64)
    free = np.cumsum(by_group)
    ends = free.copy()
    codes, counts = np.empty(n, np.int32), np.empty(n, np.int64)
    for i in range(n):
        e = ordered[i]
        g = group[e]
        last = ends[g]
        if last > free[g] and codes[last - 1] == value_codes[e]:
            counts[last - 1] += value_counts[e]
        else:
            codes[last], counts[last] = value_codes[e], value_counts[e]
            ends[g] += 1
    n_entries = 0
    for g in range(n_new):
        n_entries += ends[g] - free[g]
        new_starts[g + 1] = n_entries
    new_codes, new_counts = np.empty(n_entries, np.int32), np.empty(n_entries, np.int64)
    for g in range(n_new):
        length = ends[g] - free[g]
        for i in range(length):
            new_codes[new_starts[g] + i] = codes[free[g] + i]
            new_counts[new_starts[g] + i] = counts[free[g] + i]
    return new_starts, new_codes, new_counts


@compiled()
def lost_by_suppression(
    chosen: IntArray,
    first: IntArray,
    sizes: IntArray,
    codes: CodeArray,
    labels: CodeArray,
    at: IntArray,
    levels: IntArray,
    tops: FloatArray,
    losses: FloatArray,
    label_at: IntArray,
) -> float:
    """Σ over the chosen groups of size · Σ_columns (top - loss of the group's label).

    The loss of label x of column c at level v is `losses[label_at[c, v] + x]`.
    """
    summed = 0.0
    for g in chosen:
        kept = 0.0
        for c in range(len(levels)):
            label = labels[at[c, levels[c]] + codes[first[g], c]]
            kept += tops[c] - losses[label_at[c, levels[c]] + label]
        summed += sizes[g] * kept
    return summed
