"""CPU time of every kernel against plain NumPy, or against itself interpreted.

A kernel that does not take less than half of the other's time on any realistic size should go.
`python -m benchmarks kernels` prints all; `python -m benchmarks.kernels NAME` one of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.ratio import Ratio, side_by_side
from gyges.arrays import frozen

INTERPRETED = "NUMBA_DISABLE_JIT"
Pair = tuple[Callable[[], object], Callable[[], object] | None]  # the kernel, and NumPy if it can


def rows() -> Iterator[Ratio]:
    """Every kernel's best time of a few against the other's."""
    for name in CASES:
        yield compare(name)
    if hasattr(os, "sched_setaffinity"):
        yield threads()


def compare(name: str) -> Ratio:
    """One kernel; where NumPy has no way of its own, against the same code interpreted."""
    kernel, plain = CASES[name]()
    if plain is not None:
        return Ratio(f"{name}: against NumPy", best(kernel), best(plain), "≤ 0.5")
    told = subprocess.run(
        [sys.executable, "-m", "benchmarks.kernels", name],
        env=os.environ | {INTERPRETED: "1"},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    return Ratio(f"{name}: against itself interpreted", best(kernel), float(told.stdout), "≤ 0.5")


def best(work: Callable[[], object], times: int = 5) -> float:
    """The least CPU seconds of a few calls, the first aside."""
    least = float("inf")
    for turn in range(times + 1):
        start = time.process_time()
        work()
        if turn:
            least = min(least, time.process_time() - start)
    return least


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


def _groups(n: int, n_values: int = 9):  # type: ignore[no-untyped-def]
    """Sizes, starts, codes and counts of many groups."""
    held = _rng().multinomial(12, np.full(n_values, 1 / n_values), n)
    group, codes = np.nonzero(held)
    starts = np.searchsorted(group, np.arange(n + 1))
    return held.sum(axis=1), starts, codes.astype(np.int32), held[group, codes]


def tally() -> Pair:
    from gyges.kernels.tally import add_up, collect
    from tests.kernels import plain

    widths, n_values, n = [70, 2, 40], 9, 1_000_000
    columns = np.stack([_rng().integers(0, width, n) for width in widths]).astype(np.int32)
    values, counts = _rng().integers(0, n_values, n).astype(np.int32), np.ones(n, dtype=np.int64)
    radix = np.array(widths)

    def kernel() -> object:
        sums = np.zeros((int(radix.prod()), n_values), dtype=np.int64)
        add_up(columns, radix, values, counts, sums)
        return collect(sums, radix)

    return kernel, lambda: plain.tally(columns, widths, values, counts, n_values)


def rollup() -> Pair:
    from gyges.kernels.rollup import join_groups
    from tests.kernels import plain

    n, d, width = 200_000, 5, 40
    codes = np.unique(_rng().integers(0, width, (n, d)), axis=0).astype(np.int32)
    labels = np.concatenate([np.arange(width), np.arange(width) // 8]).astype(np.int32)
    at, widths = np.tile([0, width], (d, 1)), np.tile([width, width // 8], (d, 1))
    made = np.arange(len(codes)), np.ones(len(codes), dtype=np.int64), codes, labels, at, widths
    levels = np.array([1, 1, 0, 1, 1])
    return lambda: join_groups(*made, levels), lambda: plain.joined_groups(*made, levels)


def _items(n: int, n_groups: int, d: int = 3):  # type: ignore[no-untyped-def]
    from tests.kernels import made

    rng = _rng()
    codes, weights = rng.integers(0, 100, (n, d)), rng.integers(1, 3, n)
    values = rng.integers(0, 9, n)
    starts = np.linspace(0, n, n_groups + 1).astype(np.int64)
    return codes, weights, values, starts[:-1], starts[1:], made.items(codes, weights, values)


def packed_items() -> Pair:
    from gyges.kernels.packed_items import histograms
    from tests.kernels import plain

    _, weights, values, starts, ends, (words, fields, *_) = _items(1_000_000, 20_000)
    group = np.repeat(np.arange(len(starts)), ends - starts)
    return (
        lambda: histograms(words, fields, 3, starts, ends, 9),
        lambda: plain.value_counts(group, values, weights, len(starts), 9),
    )


def level_cuts() -> Pair:
    from gyges.kernels.level_cuts import cut_each
    from tests.kernels import plain

    codes, weights, _, starts, ends, packed = _items(200_000, 2_000)
    words, fields, columns, _, runs = packed
    totals = np.add.reduceat(weights, starts)
    bounds = np.tile([0] * 3 + [99] * 3, (len(starts), 1))
    chosen, spare = np.arange(len(starts)), np.empty(len(codes), dtype=np.int64)
    cut_in = chosen % 3

    def kernel() -> object:
        return cut_each(
            words, fields, columns, runs, spare, starts, ends, totals, bounds, chosen, cut_in, 5, 5
        )

    def by_numpy() -> None:
        for g, (start, end) in enumerate(zip(starts, ends, strict=True)):
            plain.cut(codes[start:end], weights[start:end], cut_in[g], 5)

    return kernel, by_numpy


def cuts() -> Pair:
    from gyges.kernels.level_cuts import cut_each
    from tests.kernels import plain

    codes, weights, _, starts, ends, packed = _items(1_000_000, 1)
    words, fields, columns, _, runs = packed
    one, spare = np.zeros(1, dtype=np.int64), np.empty(len(codes), dtype=np.int64)
    total, bounds = np.array([weights.sum()]), np.array([[0] * 3 + [99] * 3])
    return (
        lambda: cut_each(
            words, fields, columns, runs, spare, starts, ends, total, bounds, one, one, 5, 5
        ),
        lambda: plain.cut(codes, weights, 0, 5),
    )


def recursive_cuts() -> Pair:
    from gyges.kernels.recursive_cuts import cut_down
    from tests.kernels import plain

    codes, weights, _, _, _, packed = _items(20_000, 1)
    words, fields, columns, places, runs = packed
    n, total = len(codes), int(weights.sum())
    spare, is_first = np.empty(n, dtype=np.int64), np.zeros(n, dtype=bool)
    bounds = np.array([0] * 3 + [99] * 3)
    return (
        lambda: cut_down(
            words.copy(), fields, columns, places, runs, spare, 0, n, total, bounds, 5, 0, is_first
        ),
        lambda: plain.cut_down(codes, weights, 5),
    )


def mdav() -> Pair:
    from gyges.kernels.mdav import nearest_holding
    from tests.kernels import plain

    rng, n = _rng(), 100_000
    numbers, marks = rng.random((4, n)), rng.integers(0, 5, (2, n)).astype(np.int32)
    mark_weights, names, ones = np.ones(2), np.arange(n), np.ones(n, dtype=np.int64)
    center, own = np.full(4, 0.5), np.array([1, 2])

    def by_numpy() -> object:
        apart = plain.squared(numbers, marks, mark_weights, center, own)
        return np.argpartition(apart, 10)[:10]

    return (
        lambda: nearest_holding(numbers, marks, mark_weights, names, ones, n, center, own, 10),
        by_numpy,
    )


def atom_costs() -> Pair:
    from gyges.kernels.dominating_groups import cost_of_each
    from gyges.kernels.joint_effect import rows_of

    sizes, starts, _, counts = _groups(2_000)
    star = np.zeros(6)

    def kernel() -> object:
        rows_of(sizes, starts, counts, 5)
        return cost_of_each(sizes, starts, counts, star)

    return kernel, None


def _scan(n: int) -> Callable[[], object]:
    from gyges.kernels.dominating_groups import scan

    sizes, starts, _, counts = _groups(n)
    rows, costs = np.empty((256, 6), dtype=np.int64), np.empty((256, 6))
    ids = np.empty(256, dtype=np.int64)
    return lambda: scan(sizes, starts, counts, 0, rows, costs, ids, 0)


def dominating_groups() -> Pair:
    sizes, starts, _, counts = _groups(200_000)
    group = np.repeat(np.arange(len(sizes)), np.diff(starts))
    return _scan(200_000), lambda: np.lexsort((-counts, group))


def pruning_bounds() -> Pair:
    from gyges.kernels.dominating_groups import cost_of_each

    sizes, starts, _, counts = _groups(200_000)
    return _scan(200_000), lambda: cost_of_each(sizes, starts, counts, np.zeros(6))


def least_odds() -> Pair:
    from gyges.kernels.least_odds import least_odds as kernel
    from tests.kernels import plain

    sizes, starts, _, counts = _groups(200_000)
    return (
        lambda: kernel(sizes, starts, counts, 3),
        lambda: plain.least_odds(sizes, starts, counts, 3),
    )


def signatures() -> Pair:
    from gyges.kernels.signatures import narrow_signatures
    from tests.kernels import plain

    groups = _groups(200_000)
    return (
        lambda: narrow_signatures(*groups, np.arange(9), 1, 12, 1, 13, True),
        lambda: plain.signatures(*groups),
    )


def _found(n: int):  # type: ignore[no-untyped-def]
    rng = _rng()
    size = np.sort(rng.integers(20, 400, n))
    held = rng.integers(1, size // 3)
    return np.stack([np.zeros_like(size), size, held, rng.integers(0, size - held)], axis=1)


def log_ratios() -> Pair:
    from gyges.kernels.log_ratios import ONE, least_statistics
    from tests.kernels import plain

    found, k, m = _found(50), np.arange(5), np.arange(5)
    starts = np.array([0, 5])

    def kernel() -> object:
        least = np.tile([np.inf, np.inf, np.inf, 0.0, 0.0], (5, 1))
        return least_statistics(
            ONE, found, starts, k, m, least, np.zeros((5, 5, 3), dtype=np.int64)
        )

    return (
        lambda: [kernel() for _ in range(100)],
        lambda: [plain.least_statistics(found, k, m) for _ in range(100)],
    )


def frontier() -> Pair:
    from gyges.kernels.frontier import undominated
    from tests.kernels import plain

    found = _found(5_000)
    return lambda: undominated(found), lambda: plain.undominated(found)


def joint_effect() -> Pair:
    from gyges.kernels.dominating_groups import closures, join, scan
    from gyges.kernels.joint_effect import costs_together

    sizes, starts, _, counts = _groups(6_000)
    room = np.empty((64, 6), dtype=np.int64), np.empty((64, 6)), np.empty(64, dtype=np.int64)
    n, _, _ = scan(sizes, starts, counts, 0, *room, 0)
    rows, costs = room[0][:n].copy(), room[1][:n].copy()
    star, aim = closures(costs)
    first = np.arange(0, 6_001, 3)

    def one_by_one() -> None:
        for p in range(len(first) - 1):
            lot = slice(first[p], first[p + 1])
            n, _, _ = scan(sizes[lot], starts[first[p] : first[p + 1] + 1], counts, 0, *room, 0)
            join(rows, costs, room[0][:n], room[1][:n], 5)

    return lambda: costs_together(sizes, starts, counts, first, star, aim), one_by_one


def ordered_cuts() -> Pair:
    import gyges as gy
    from benchmarks.partition import made_cells
    from gyges.search import mondrian

    cells, rule = made_cells(20_000, shares=[0.05] * 20), gy.Skyline({"*": [(3, 5, 2, "0.9")]})
    return lambda: mondrian.search(cells, rule), None


def kernel_smoothing() -> Pair:
    from tests.kernels.test_kernel_smoothing import summed

    rng, width = _rng(), 30
    codes = np.unique(rng.integers(0, width, (6_000, 3)), axis=0).astype(np.int32)
    near = np.abs(np.subtract.outer(np.arange(width), np.arange(width))) / 9
    weights = np.tile(np.maximum(1 - near**2, 0.0), (3, 1, 1))
    counts = rng.random((len(codes), 9))

    def by_numpy() -> object:
        product = np.ones((len(codes), len(codes)))
        for j in range(3):
            product *= weights[j][codes[:, j]][:, codes[:, j]]
        return product @ counts

    return lambda: summed(codes, weights, counts), by_numpy


def _choices(r: int, m: int, zeros: float = 0.0):  # type: ignore[no-untyped-def]
    rng = _rng()
    held = np.arange(r) % m
    p = rng.dirichlet(np.full(m, 2.0), r) * (rng.random((r, m)) >= zeros)
    p[np.arange(r), held] += 0.2
    return p / p.sum(axis=1, keepdims=True), np.ones(r, dtype=np.int64), np.bincount(held)


def permanent() -> Pair:
    from gyges.kernels.permanent import given_totals
    from tests.kernels import plain

    p, repeats, totals = _choices(12, 4)
    return (
        lambda: [given_totals(p, repeats, totals) for _ in range(20)],
        lambda: [plain.conditional_passes(p, totals.tolist()) for _ in range(20)],
    )


def conditional_bounds() -> Pair:
    from gyges.kernels.conditional_bounds import conditional_bounds as kernel

    case = _choices(15, 5)
    return lambda: kernel(*case), None


def matrix_scaling() -> Pair:
    from gyges.kernels.matrix_scaling import scale
    from tests.kernels import plain

    case = _choices(40, 6)
    return (
        lambda: [scale(*case) for _ in range(50)],
        lambda: [plain.scaled(*case) for _ in range(50)],
    )


def scaling_correction() -> Pair:
    from gyges.kernels.scaling_correction import refine

    case = _choices(40, 6)
    return lambda: [refine(*case) for _ in range(5)], None


def covariance() -> Pair:
    from gyges.kernels.covariance import inverse_covariance

    p, _, _ = _choices(16, 6)
    q, weights, chosen = np.ascontiguousarray(p.T), np.ones(16), np.arange(6)
    sums, room = q @ weights, np.empty(16)

    def by_numpy() -> object:
        return np.linalg.inv(np.diag(sums) - (q * weights) @ q.T + sums.sum() / 36)

    return (
        lambda: [inverse_covariance(q, weights, sums, chosen, room) for _ in range(200)],
        lambda: [by_numpy() for _ in range(200)],
    )


def matching() -> Pair:
    from scipy.sparse.csgraph import connected_components

    from gyges.kernels.matching import circles

    p, _, _ = _choices(30, 10, zeros=0.8)
    held, holders = np.arange(30) % 10, np.arange(30)

    def by_scipy() -> object:
        reach = np.zeros((10, 10), dtype=bool)
        np.logical_or.at(reach, held, p[holders] > 0)
        return connected_components(reach, connection="strong")

    return (
        lambda: [circles(p, holders, held) for _ in range(200)],
        lambda: [by_scipy() for _ in range(200)],
    )


def _crowd(n: int):  # type: ignore[no-untyped-def]
    """Groups of eight choosers of six values, and their probabilities."""
    from gyges.kernels.conditioning import ChooserGroups

    rng, size, m = _rng(), 8, 6
    held = rng.integers(0, m, n * size)
    keys, totals = np.unique(np.repeat(np.arange(n), size) * m + held, return_counts=True)
    every = np.arange(n * size)
    crowds = ChooserGroups(
        np.arange(n + 1) * size, every, np.ones(n * size, dtype=np.int64),
        np.searchsorted(keys, np.arange(n + 1) * m), (keys % m).astype(np.int32),
        totals.astype(np.int64), every, np.arange(n * size + 1), held.astype(np.int32),
        np.ones(n * size, dtype=np.int64),
    )  # fmt: skip
    p = rng.dirichlet(np.ones(m), n * size)
    for array in (*crowds, p):
        frozen(array)
    return p, crowds


def conditioned_groups() -> Pair:
    from gyges.kernels.conditioned_groups import NOT_COMPARED, Kept, condition
    from gyges.kernels.conditioning import EXACT, TOO_LARGE, ConditioningMethod

    n = 50
    p, crowds = _crowd(n)
    starts = np.cumsum(np.append(0, np.diff(crowds.member_starts) * np.diff(crowds.value_starts)))
    kept, how = Kept(starts, np.zeros(starts[-1]), np.zeros(n)), np.zeros(n, dtype=np.int64)
    way, each = ConditioningMethod(EXACT, 1e6, TOO_LARGE), np.arange(n + 1)
    return lambda: condition(p, crowds, each, 0, n, way, kept, NOT_COMPARED, how), None


def jensen_shannon() -> Pair:
    from gyges.kernels.jensen_shannon import row_divergences
    from tests.kernels import plain

    p, q = _rng().dirichlet(np.ones(9), (2, 10))
    return (
        lambda: [row_divergences(p, q, False) for _ in range(500)],
        lambda: [plain.jensen_shannon(p, q) for _ in range(500)],
    )


def bit_sets() -> Pair:
    from gyges.kernels.bit_sets import add_common
    from tests.kernels import plain

    rng = _rng()
    words = rng.integers(0, 2**63, (3_001, 2)).astype(np.uint64)
    first, chosen = np.array([0, 1_000, 2_000]), rng.integers(-1, 1_000, (500_000, 3))
    found = np.zeros(len(chosen), dtype=np.int64)
    return (
        lambda: add_common(words, first, chosen, found),
        lambda: plain.common(words, first, chosen),
    )


def sum_bounds() -> Pair:
    from gyges.kernels.sum_bounds import tighten
    from gyges.ragged import Ragged
    from tests.kernels import plain

    rng = _rng()
    n, n_sums = 20_000, 10_000
    sums_of = np.stack([rng.integers(0, n_sums, n), n_sums + rng.integers(0, n_sums, n)], axis=1)
    listed = Ragged.group_by(sums_of.ravel(), 2 * n_sums)
    unknowns = Ragged(listed.values // 2, listed.starts)
    totals = unknowns.of(rng.integers(0, 2, n)).sums()
    members = [unknowns[s].tolist() for s in range(2 * n_sums)]

    def compiled() -> None:
        low, high = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
        waits = np.ones(2 * n_sums, dtype=bool)
        tighten(low, high, totals, unknowns.starts, unknowns.values, sums_of, waits, 10**9)

    return compiled, lambda: plain.bounds_of_sums(members, totals, n, most=1)


def circle_exchanges() -> Pair:
    from gyges.kernels.circle_exchanges import exchange_along_circles
    from gyges.ragged import Ragged

    rng = _rng()
    n, n_places = 60_000, 10_000
    ends = np.stack([1 + rng.integers(0, n_places, n), 1 + n_places + rng.integers(0, n_places, n)])
    items = Ragged.group_by(ends.ravel(), 1 + 2 * n_places)
    colours = rng.integers(0, 10, n)

    def steps() -> None:
        colour = colours.copy()
        exchange_along_circles(
            colour, ends, n_places, items.starts, items.values % n, 40_000, 10**9, 0
        )

    return steps, None


def share_products() -> Pair:
    from gyges.kernels.share_products import best_products
    from tests.kernels import plain

    rng, n_values, n = _rng(), 40, 3_000
    held = [np.sort(rng.choice(n_values, 6, replace=False)) for _ in range(n)]
    codes, starts = np.concatenate(held).astype(np.int32), np.arange(n + 1) * 6
    lifts, log_prior = rng.normal(size=len(codes)), rng.normal(size=n_values)
    chosen = rng.integers(0, n // 2, (50_000, 2)) + np.array([0, n // 2])
    made = chosen, starts, codes, lifts, log_prior
    return lambda: best_products(*made), lambda: plain.best_products(*made)


def label_trie() -> Pair:
    from gyges.kernels.label_trie import find_groups, run_ends
    from tests.kernels import plain

    rng, n_codes, n = _rng(), 64, 5_000
    of_code = np.arange(n_codes) // 8
    covers = [np.equal.outer(np.arange(8), of_code) for _ in range(4)]
    labels = rng.integers(0, 8, (n, 4)).astype(np.int32)
    labels = np.asfortranarray(labels[np.lexsort(labels.T[::-1])])
    people = rng.integers(0, n_codes, (1_000, 4)).astype(np.int32)
    trie = (
        labels, run_ends(labels), np.concatenate([c.ravel() for c in covers]),
        np.arange(4) * 8 * n_codes, np.full(4, n_codes), np.arange(4) * n_codes,
        np.arange(4 * n_codes + 1), np.tile(of_code, 4).astype(np.int32),
    )  # fmt: skip
    room, found = np.arange(len(people) + 1), np.zeros(len(people), dtype=np.int64)
    return (
        lambda: find_groups(people, *trie, room, found),
        lambda: plain.covering(people, covers, labels),
    )


def _cells(n: int):  # type: ignore[no-untyped-def]
    """Cells of two numbers and two sets, each with its neighbours unknown."""
    from gyges.kernels.cell_labels import LINE, SET, Columns

    codes = np.unique(_rng().integers(0, 12, (n, 4)), axis=0)
    nothing = np.zeros(0, dtype=np.int64)
    return Columns(
        codes=codes,
        weight=np.ones(len(codes), dtype=np.int64),
        kind=np.array([LINE, LINE, SET, SET]),
        step=np.full(4, 1 / 11),
        word=np.array([0, 0, 0, 1, 2]),
        place=np.zeros(4, dtype=np.int64),
        size=np.full(4, 12),
        cost=np.zeros(0),
        above=nothing,
        under=nothing,
    )


def nearest_cells() -> Pair:
    from gyges.kernels.cell_labels import LINE
    from gyges.search.least_loss_start import Near

    columns = _cells(1_000)

    def by_numpy() -> object:
        apart = np.zeros((len(columns.codes), len(columns.codes)))
        for j, kind in enumerate(columns.kind):
            steps = np.abs(np.subtract.outer(columns.codes[:, j], columns.codes[:, j]))
            apart += columns.step[j] * (steps if kind == LINE else steps > 0)
        np.fill_diagonal(apart, np.inf)
        return np.argpartition(apart, 23, axis=1)[:, :24]

    return lambda: Near.of(columns), by_numpy


def nearest_rows() -> Pair:
    from gyges.kernels.nearest_rows import nearest_rows as found_by
    from gyges.kernels.nearest_rows import runs

    rng, sizes = np.random.default_rng(7), (2, 5, 8, 15, 70)
    codes = np.unique(np.stack([rng.integers(0, n, 20_000) for n in sizes], axis=1), axis=0)
    targets = np.stack([rng.integers(0, n, 200) for n in sizes], axis=1)
    is_line, scale = np.array([False] * 4 + [True]), np.array([1, 1, 1, 1, 70.0])
    changes, ends = runs(codes)
    near, starts = np.empty(1_000_000, np.int32), np.zeros(len(targets) + 1, np.int64)

    def by_numpy() -> object:
        for target in targets:
            apart = (codes[:, :4] != target[:4]).sum(axis=1) + np.abs(codes[:, 4] - target[4]) / 70
            np.flatnonzero(apart <= apart.min() + 1e-9)
        return None

    points = (codes / scale, is_line, changes, ends, targets / scale)
    return lambda: found_by(*points, 0, near, starts), by_numpy


def annealing() -> Pair:
    from gyges.kernels.annealing import walk
    from gyges.kernels.cell_groups import Moved
    from gyges.search.least_loss_start import Near, linked

    columns = _cells(600)
    group, near = np.arange(len(columns.codes)) // 6, Near.of(columns).cells

    def kernel() -> object:
        groups = linked(columns, group, len(group))
        moved = Moved(np.empty((10_000, 3), dtype=np.int64), np.zeros(2, dtype=np.int64))
        best = group.copy()
        return walk(columns, groups, moved, near, 5, 500, 0.05, 1, 0.02, False, best)

    return kernel, None


def _levels(n: int):  # type: ignore[no-untyped-def]
    from gyges.search.least_loss_problem import Levels

    codes = _rng().integers(0, 12, (4, n))
    prices = (0.0, 2 / 11, 5 / 11, 1.0)
    columns = [
        [
            (code // size, np.full(n, price))
            for size, price in zip((1, 3, 6, 12), prices, strict=True)
        ]
        for code in codes
    ]
    return Levels.of(columns, n), np.ones(n, dtype=np.int64)


def peeling() -> Pair:
    from gyges.kernels.peeling import peel

    levels, weight = _levels(2_000)
    nodes = levels.nodes(weight)
    group, is_used = np.empty(2_000, dtype=np.int64), np.empty(len(nodes), dtype=bool)

    def by_numpy() -> None:
        rest = np.arange(len(weight))
        for node in nodes:
            total = levels.keys[node][:, rest].sum(axis=0)
            of_class = np.unique(total, return_inverse=True)[1]
            rest = rest[np.bincount(of_class, weight[rest])[of_class] < 50]

    return lambda: peel(levels.keys, nodes, weight, 50, group, is_used), by_numpy


def lattice_bounds() -> Pair:
    from gyges.kernels.lattice_bounds import least_prices
    from gyges.kernels.narrow_labels import Narrow

    levels, weight = _levels(500)
    nodes, price = levels.nodes(weight), levels.priced()
    none = np.zeros((0, 500), dtype=np.int64)
    narrow = Narrow(np.zeros((len(price), 0)), none, none, np.zeros(0), np.zeros(0, dtype=bool))

    def kernel() -> None:
        least_prices(levels.keys, price, nodes, weight, 5, narrow, np.full(500, 9.0))

    def by_numpy() -> None:
        least = np.full(500, 9.0)
        for node in nodes:
            of_class = np.unique(levels.keys[node].sum(axis=0), return_inverse=True)[1]
            is_heavy = np.bincount(of_class, weight)[of_class] >= 5
            least = np.where(is_heavy, np.minimum(least, price[node].sum(axis=0)), least)

    return kernel, by_numpy


def group_extents() -> Pair:
    from gyges.kernels.group_extents import join_extents

    rng, n, n_groups = _rng(), 60_000, 3_000
    place = rng.permutation(np.arange(n) % n_groups)
    numbers = rng.integers(0, 100, (n, 8)).astype(np.int32)

    def by_numpy() -> object:
        order = np.argsort(place, kind="stable")
        begins = np.searchsorted(place[order], np.arange(n_groups))
        return [function.reduceat(numbers[order], begins) for function in (np.minimum, np.maximum)]

    return lambda: join_extents(place, n_groups, numbers, numbers), by_numpy


def narrow_labels() -> Pair:
    from gyges.kernels.narrow_labels import narrowest_ranges

    rng, n, k = _rng(), 500, 50
    code = np.sort(rng.integers(0, 100, n))
    weight, cells, width = rng.integers(1, 4, n), np.arange(n), np.empty(n, dtype=np.int64)

    def by_numpy() -> None:
        held = np.append(0, np.cumsum(np.bincount(code, weight, minlength=100)))
        low, high = np.triu_indices(100)
        is_enough = held[high + 1] - held[low] >= k
        low, high = low[is_enough], high[is_enough]
        for value in range(100):
            width[code == value] = (high - low)[(low <= value) & (value <= high)].min()

    return lambda: narrowest_ranges(cells, code, weight, k, width), by_numpy


def point_groups() -> Pair:
    from gyges.kernels.point_groups import reference_groups

    points, k = _rng().random((1_000, 11)), 3

    def by_numpy() -> object:
        left, groups = np.arange(len(points)), []
        while len(left) >= 3 * k:
            center = points[left].mean(axis=0)
            for _ in range(2):
                apart = ((points[left] - center) ** 2).sum(axis=1)
                far = points[left[apart.argmax()]]
                near = np.argsort(((points[left] - far) ** 2).sum(axis=1))[:k]
                groups.append(left[near])
                left, center = np.delete(left, near), far
        return groups

    return lambda: reference_groups(points, k), by_numpy


def group_exchanges() -> Pair:
    """One round of moves and swaps; in NumPy, the distances of a point to all means at once."""
    from gyges.kernels.group_exchanges import exchanged

    points, k = _rng().random((300, 5)), 3
    group = np.arange(300) // k

    def by_numpy() -> object:
        found, sizes = group.copy(), np.bincount(group).astype(float)
        means = np.stack([np.bincount(found, column) / sizes for column in points.T], axis=1)
        for i, point in enumerate(points):
            own, apart = found[i], ((means - point) ** 2).sum(axis=1)
            for g in np.argsort(apart)[:6]:
                members = np.flatnonzero(found == g)
                y = points[members] - point
                both = 1 / sizes[own] + 1 / sizes[g]
                change = 2 * y @ (means[g] - means[own]) - (y * y).sum(axis=1) * both
                if g != own and change.min() < -1e-10:
                    j = change.argmin()
                    means[own] += y[j] / sizes[own]
                    means[g] -= y[j] / sizes[g]
                    found[i], found[members[j]] = g, own
                    break
        return found

    return lambda: exchanged(points, group.copy(), k, 1), by_numpy


def optimal_line() -> Pair:
    from gyges.kernels.optimal_line import optimal_groups

    line, k = np.sort(_rng().random(5_000)), 5

    def by_numpy() -> object:
        sums, squares = (np.append(0.0, np.cumsum(line**power)) for power in (1, 2))
        cost, start = np.append(0.0, np.full(len(line), np.inf)), np.zeros(len(line) + 1, int)
        for j in range(k, len(line) + 1):
            i = np.arange(max(j - 2 * k + 1, 0), j - k + 1)
            here = cost[i] + squares[j] - squares[i] - (sums[j] - sums[i]) ** 2 / (j - i)
            best_of_all = here.argmin()
            cost[j], start[j] = here[best_of_all], i[best_of_all]
        return start

    return lambda: optimal_groups(line, k), by_numpy


def joining_groups() -> Pair:
    """The partner of every group; in NumPy, the costs of all pairs of neighbours at once."""
    from gyges.kernels.cell_labels import LINE
    from gyges.kernels.joining_groups import best_partners
    from gyges.search.least_loss_start import Near, linked

    columns = _cells(600)
    n = len(columns.codes)
    groups, near = linked(columns, np.arange(n) // 3, n), Near.of(columns).cells
    is_open, partner, price = np.ones(n, dtype=bool), np.empty(n, dtype=np.int64), np.empty(n)

    def by_numpy() -> object:
        a, b = np.repeat(groups.group, near.shape[1]), groups.group[near].ravel()
        a, b = np.divmod(np.unique((a * n + b)[a != b]), n)
        cost = np.zeros(len(a))
        for j, kind in enumerate(columns.kind):
            if kind == LINE:
                low, high = np.minimum(groups.low[a, j], groups.low[b, j]), groups.high
                wide = np.maximum(high[a, j], high[b, j]) - low
            else:
                word = groups.bits[:, columns.word[j]]
                bits = (word[a] | word[b]).view(np.uint8).reshape(len(a), 8)
                wide = np.unpackbits(bits, axis=1).sum(axis=1) - 1
            cost += columns.step[j] * wide
        lost = groups.cost * groups.total
        more = cost * (groups.total[a] + groups.total[b]) - lost[a] - lost[b]
        order = np.lexsort((more, a))
        return b[order[np.unique(a[order], return_index=True)[1]]]

    return (
        lambda: best_partners(columns, groups, near, is_open, np.inf, partner, price),
        by_numpy,
    )


def earth_mover() -> Pair:
    from gyges.kernels.earth_mover import transport
    from tests.kernels.test_earth_mover import by_program

    rng, m = _rng(), 40
    p, q = rng.multinomial(40, np.full(m, 1 / m), 2).astype(float)
    ground = rng.random((m, m))
    return (
        lambda: [transport(p, q, ground, 0.0) for _ in range(10)],
        lambda: [by_program(p, q, ground) for _ in range(10)],
    )


def threads() -> Ratio:
    """threads.py, which saves elapsed time alone: a search on all processors, and on one."""
    from benchmarks.partition import made_cells
    from gyges.criteria.k_anonymity import KAnonymity
    from gyges.search import mondrian

    cells, allowed = made_cells(5_000_000), os.sched_getaffinity(0)

    def on_one() -> None:
        os.sched_setaffinity(0, {min(allowed)})
        try:
            mondrian.search(cells, KAnonymity(5))
        finally:
            os.sched_setaffinity(0, allowed)

    name = f"threads: 5 million people on {len(allowed)} processors against one, elapsed"
    return side_by_side(name, lambda: mondrian.search(cells, KAnonymity(5)), on_one, "≤ 0.7", 3)


CASES: dict[str, Callable[[], Pair]] = {
    case.__name__: case
    for case in (
        tally, rollup, packed_items, cuts, level_cuts, recursive_cuts, mdav, atom_costs,
        pruning_bounds, dominating_groups, least_odds, signatures, log_ratios, frontier,
        joint_effect, kernel_smoothing, permanent, conditional_bounds, matrix_scaling,
        scaling_correction, covariance, matching, conditioned_groups, jensen_shannon, bit_sets,
        share_products, sum_bounds, circle_exchanges, label_trie, nearest_cells, nearest_rows,
        annealing, peeling,
        lattice_bounds, narrow_labels, earth_mover, group_extents, point_groups, group_exchanges,
        optimal_line, joining_groups, ordered_cuts,
    )
}  # fmt: skip


if __name__ == "__main__":
    if os.environ.get(INTERPRETED):
        print(best(CASES[sys.argv[1]]()[0], times=1))
    else:
        print(compare(sys.argv[1]))
