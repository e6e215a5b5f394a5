"""Items: cells of a table as packed words, so that moving one is moving eight bytes.

An item has a code in every column, a weight, the number of its cell and, where they are
needed, a value with its count. Each of these fields has its bits in one of a few 64-bit
words; word w of item i is `words[w * n_items + i]`, so `fields[f]` is where the word begins, by
how much to shift it and what to mask (BASE, SHIFT, MASK).

The codes of a column on a line are at `places[columns[j, PLACES] + 1 + code]`, and the length
of the line comes before them. The codes of a column with a tree are numbered so that every node of
the tree covers a run of them: with t = columns[j, TREE], from `runs[FIRST, t, level, code]` up to
but not including `runs[PAST, t, level, code]`.

Arrays are passed one by one and indexed without sign: a tuple of arrays, or an index that might
be negative, makes cutting ten million items three times slower (benchmarks/partition.py).

Earned by counting the values of a million items in 20,000 groups: a thirteenth of NumPy's time.
"""

from __future__ import annotations

import numpy as np

from gyges.arrays import BoolArray, CodeArray, IntArray
from gyges.kernels.compiled import FEW, compiled

BASE, SHIFT, MASK = 0, 1, 2  # of a field
WEIGHT, CELL, VALUE, COUNT = 0, 1, 2, 3  # the fields after the d columns
TREE, PLACES, CODES = 0, 1, 2  # of a column: its tree or NO_TREE, its start in `places`, its size
NO_TREE = -1
FIRST, PAST = 0, 1  # of a run of codes

U = np.uint64  # an index without sign


@compiled(error_model="numpy", forceinline=True)
def place_of(fields: IntArray, field: int) -> tuple[np.uint64, int, int]:
    """Where the words of a field begin, by how much to shift them and what to mask."""
    return U(fields[field, BASE]), fields[field, SHIFT], fields[field, MASK]


@compiled(few=FEW, nogil=True, error_model="numpy")
def pack(
    words: IntArray,
    fields: IntArray,
    codes: CodeArray,
    ranks: IntArray,
    rank_starts: IntArray,
    cells: IntArray,
    weights: IntArray,
    start: int,
    end: int,
) -> None:
    """Write the codes, the cell and the weight of the items `start:end`.

    `codes` is cells × columns, `cells[i]` the cell of item i; of no `cells` item i is cell i. A
    column with a tree is renumbered by `ranks[rank_starts[j] + code]`; `rank_starts[j]` is -1 for
    a column on a line.
    """
    d = codes.shape[1]
    for i in range(U(start), U(end)):
        cell = cells[i] if len(cells) else np.int64(i)
        words[U(fields[d + CELL, BASE]) + i] |= cell << fields[d + CELL, SHIFT]
        words[U(fields[d + WEIGHT, BASE]) + i] |= weights[i] << fields[d + WEIGHT, SHIFT]
        for j in range(d):
            code = np.int64(codes[cell, j])
            if rank_starts[j] >= 0:
                code = ranks[rank_starts[j] + code]
            words[U(fields[j, BASE]) + i] |= code << fields[j, SHIFT]


@compiled(few=FEW, error_model="numpy")
def put(words: IntArray, fields: IntArray, field: int, numbers: IntArray) -> None:
    """Write one field of every item; nothing was written there before."""
    base, shift = U(fields[field, BASE]), fields[field, SHIFT]
    for i in range(U(len(numbers))):
        words[base + i] |= numbers[i] << shift


@compiled(few=FEW, error_model="numpy")
def get(words: IntArray, fields: IntArray, field: int, start: int, end: int) -> IntArray:
    """One field of the items `start:end`."""
    base, shift, mask = fields[field, BASE], fields[field, SHIFT], fields[field, MASK]
    numbers: IntArray = (words[base + start : base + end] >> shift) & mask
    return numbers


@compiled(few=FEW, error_model="numpy")
def weigh(words: IntArray, fields: IntArray, field: int, start: int, end: int) -> int:
    """The sum of a field over the items `start:end`; such as of the weights."""
    base, shift, mask = fields[field, BASE], fields[field, SHIFT], fields[field, MASK]
    total = np.int64(0)
    for i in range(U(base + start), U(base + end)):
        total += (words[i] >> shift) & mask
    return int(total)


@compiled(error_model="numpy", forceinline=True)
def narrow(
    words: IntArray, fields: IntArray, start: int, end: int, bounds: IntArray, g: int, j: int
) -> None:
    """Shrink the bounds of group g in column j to the codes of the items `start:end`.

    `bounds[g]` is the least code of each column, then the greatest of each. They held for more
    items before; where both turn up in the last or among the first items (which stay in the
    order of their codes) the rest need not be read.
    """
    d = bounds.shape[1] // 2
    lo, hi = bounds[g, j], bounds[g, d + j]
    base, shift, mask = fields[j, BASE], fields[j, SHIFT], fields[j, MASK]
    i, past = base + start, base + end
    least = greatest = (words[U(past - 1)] >> shift) & mask
    while i < past and (least > lo or greatest < hi):
        stop = min(i + 64, past)
        for t in range(U(i), U(stop)):
            code = (words[t] >> shift) & mask
            least, greatest = min(least, code), max(greatest, code)
        i = stop
    bounds[g, j], bounds[g, d + j] = least, greatest


@compiled(few=FEW, nogil=True, error_model="numpy")
def histograms(
    words: IntArray, fields: IntArray, d: int, starts: IntArray, ends: IntArray, n_values: int
) -> tuple[IntArray, CodeArray, IntArray]:
    """How often each value occurs in the groups of items `starts[g]:ends[g]`.

    Returns how many different values each group holds; then codes and counts of these values,
    ascending, group after group. An item with a count of 0 holds no value.
    """
    room = 0
    for g in range(len(starts)):
        room += min(ends[g] - starts[g], n_values)
    lengths = np.empty(len(starts), dtype=np.int64)
    codes = np.empty(room, dtype=np.int32)
    counts = np.empty(room, dtype=np.int64)
    tally = np.zeros(n_values, dtype=np.int64)
    other = np.zeros(n_values, dtype=np.int64)
    seen = np.empty(n_values, dtype=np.int64)
    filled = 0
    for g in range(len(starts)):
        if n_values == 0:
            n_seen = 0
        elif ends[g] - starts[g] >= 8 * n_values:
            n_seen = _tally_all(words, fields, d, starts[g], ends[g], tally, other, seen)
        else:
            n_seen = tally_values(words, fields, d, starts[g], ends[g], tally, seen)
            _sort_seen(tally, seen, n_seen)
        for t in range(n_seen):
            codes[filled], counts[filled] = seen[t], tally[seen[t]]
            tally[seen[t]] = 0
            filled += 1
        lengths[g] = n_seen
    return lengths, codes[:filled], counts[:filled]


@compiled(error_model="numpy", forceinline=True)
def _tally_all(
    words: IntArray,
    fields: IntArray,
    d: int,
    start: int,
    end: int,
    tally: IntArray,
    other: IntArray,
    seen: IntArray,
) -> int:
    """As `tally_values`, for many more items than values; the values seen are ascending.

    Two tallies take turns, so that one addition need not wait for the one before.
    """
    base, shift, mask = place_of(fields, d + VALUE)
    counts, count_shift, count_mask = place_of(fields, d + COUNT)
    for i in range(U(start), U(end - 1), U(2)):
        value, next_value = words[base + i] >> shift, words[base + i + U(1)] >> shift
        count, next_count = words[counts + i], words[counts + i + U(1)]
        tally[U(value & mask)] += (count >> count_shift) & count_mask
        other[U(next_value & mask)] += (next_count >> count_shift) & count_mask
    if (end - start) % 2 == 1:
        last = U(end - 1)
        value = U((words[base + last] >> shift) & mask)
        tally[value] += (words[counts + last] >> count_shift) & count_mask
    n_seen = 0
    for value in range(len(tally)):
        tally[value] += other[value]
        other[value] = 0
        if tally[value] > 0:
            seen[n_seen] = value
            n_seen += 1
    return n_seen


@compiled(error_model="numpy")
def _sort_seen(tally: IntArray, seen: IntArray, n_seen: int) -> None:
    """Sort the values seen, one by one if they are few, else by reading all of the tally."""
    if n_seen > 64 or 8 * n_seen > len(tally):
        n_seen = 0
        for value in range(len(tally)):
            if tally[value] > 0:
                seen[n_seen] = value
                n_seen += 1
        return
    for i in range(1, n_seen):
        value, t = seen[i], i
        while t > 0 and seen[t - 1] > value:
            seen[t] = seen[t - 1]
            t -= 1
        seen[t] = value


@compiled(error_model="numpy", forceinline=True)
def tally_values(
    words: IntArray,
    fields: IntArray,
    d: int,
    start: int,
    end: int,
    tally: IntArray,
    seen: IntArray,
) -> int:
    """Add the values of the items `start:end` to an empty tally; list the values seen."""
    base, shift, mask = place_of(fields, d + VALUE)
    count_base, count_shift, count_mask = place_of(fields, d + COUNT)
    n_seen = 0
    for i in range(U(start), U(end)):
        count = (words[count_base + i] >> count_shift) & count_mask
        if count == 0:
            continue
        value = U((words[base + i] >> shift) & mask)
        if tally[value] == 0:
            seen[n_seen] = np.int64(value)
            n_seen += 1
        tally[value] += count
    return n_seen


@compiled(few=FEW, nogil=True, error_model="numpy")
def number_groups(
    words: IntArray,
    fields: IntArray,
    field: int,
    is_first: BoolArray,
    before: int,
    start: int,
    end: int,
    group_of_cell: IntArray,
) -> None:
    """Number the groups in the order of their items and note the group of each item's cell.

    `field` is the field with the cell, `is_first[i]` true where a group begins, `before` how many
    groups begin before `start`.
    """
    base, shift, mask = place_of(fields, field)
    group = before - 1
    for i in range(U(start), U(end)):
        group += is_first[i]
        group_of_cell[U((words[base + i] >> shift) & mask)] = group


@compiled(few=FEW, error_model="numpy")
def list_cells(
    words: IntArray,
    fields: IntArray,
    field: int,
    starts: IntArray,
    ends: IntArray,
    n_cells: int,
) -> tuple[IntArray, IntArray]:
    """The cells of the items `starts[g]:ends[g]`, each once: where those of g begin, and which.

    No cell is in two groups.
    """
    base, shift, mask = fields[field, BASE], fields[field, SHIFT], fields[field, MASK]
    is_listed = np.zeros(n_cells, dtype=np.bool_)
    first, cells = np.zeros(len(starts) + 1, dtype=np.int64), np.empty(n_cells, dtype=np.int64)
    filled = 0
    for g in range(len(starts)):
        for i in range(U(base + starts[g]), U(base + ends[g])):
            cell = (words[i] >> shift) & mask
            if not is_listed[U(cell)]:
                is_listed[U(cell)] = True
                cells[U(filled)] = cell
                filled += 1
        first[g + 1] = filled
    return first, cells[:filled]
