"""Least loss: groups of cells that satisfy every rule and lose as little as can be found in time.

Start from groups that need not be safe: each cell alone, or what a walk over the lattice of
hierarchies takes off ("peel"). Join every unsafe group with its cheapest neighbour until all are
safe. Then improve by annealing: move a cell, swap two, found a group from what its neighbours can
spare, dissolve one; with labels from hierarchies also peel a few neighbouring groups anew.

Rules are asked about batches of groups only (`holds_each`). Sizes are known to the kernels, so
k-anonymity is never asked. The moves of a batch touch different groups: one that a rule refuses is
undone alone. The course is fixed by the seed; time only decides where it ends, and the best
partition on the way is kept, so more time is never worse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from time import perf_counter
from typing import Any, Literal

import numpy as np

import loss_kernels as kernels
from gyges.criteria.base import BoundRule, bind_all
from gyges.data.cells import Cells, Domain
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import everybody, groups_of_cells
from gyges.search import partition
from gyges.search.acceptance import Acceptance, Proposals
from gyges.search.partition import sizes_asked
from loss_kernels import LINE, NONE, SET, TREE, Columns, Log, State

NEAR = 24  # neighbours of each cell
SLICES = 40  # temperatures of an epoch
MOVES = 25  # tries for each cell in the first epoch; twice as many in each that follows
# What a move may cost at first and at last, per person of a typical group: tight labels, nodes.
HEAT = (0.02, 0.004), (0.01, 0.002)
POWERS = (1.0, 1.25, 1.5, 2.0)  # orders of nodes that are tried
POOLS = 1000  # of neighbouring groups that are peeled anew in the first epoch
MOST_NODES = 1 << 16  # a larger lattice is not peeled

Labels = Literal["nodes", "tight"]


@dataclass(frozen=True)
class Problem:
    """Cells in an order that finds neighbours quickly, what their labels cost, and the rules."""

    cells: Cells
    order: np.ndarray  # cell `order[i]` of the table is cell i here
    columns: Columns
    lattice: Lattice | None
    rules: list[BoundRule[Any]]  # those that ask for more than sizes
    least: int  # people in each group
    criteria: list[BoundRule[Any]]  # all rules, bound

    @property
    def is_global(self) -> bool:
        """Whether a rule judges all groups together."""
        return not all(rule.is_local for rule in self.rules)


@dataclass(frozen=True)
class Lattice:
    """The ancestors of each cell, and their losses: columns × levels × cells."""

    above: np.ndarray
    loss_above: np.ndarray
    radix: np.ndarray
    heights: tuple[int, ...]

    def nodes(self, people: np.ndarray, power: float) -> np.ndarray:
        """All nodes, in the order of the mean of (loss of each column) ** power."""
        mean = (self.loss_above**power) @ people
        nodes = np.array(list(product(*(range(h + 1) for h in self.heights))))
        score = sum(mean[j][nodes[:, j]] for j in range(len(self.heights)))
        return nodes[np.argsort(score, kind="stable")]

    @property
    def size(self) -> int:
        return int(np.prod([h + 1 for h in self.heights]))


@dataclass(frozen=True)
class Found:
    """A partition on the way, with the loss that `utility.loss` would state, and the time."""

    group_of_cell: np.ndarray
    loss: float
    seconds: float
    epoch: int


def pose(cells: Cells, criteria: Any, labels: Labels) -> Problem:
    """Bring cells, columns and rules into the form that the kernels work on."""
    bound = bind_all(criteria, everybody(cells))
    least, is_size_all = sizes_asked(bound)
    least = max([least, *(rule.least_values(cells.values_per_person) for rule in bound)])
    parts = [_column(domain, labels) for domain in cells.domains]
    first = np.argsort([-part.least_step for part in parts], kind="stable")
    codes = np.column_stack([parts[j].code[cells.codes[:, j]] for j in first])
    order = np.lexsort(codes.T[::-1])
    columns = _columns([parts[j] for j in first], codes[order], cells.people[order])
    lattice = _lattice(cells, order) if labels == "nodes" else None
    return Problem(cells, order, columns, lattice, [] if is_size_all else bound, least, bound)


@dataclass(frozen=True)
class _Column:
    kind: int
    code: np.ndarray  # of each value of the domain
    step: float
    table: np.ndarray  # costs of a tree's (low, high); else empty
    least_step: float


def _column(domain: Domain, labels: Labels) -> _Column:
    n = len(domain)
    step, plain, none = 1 / max(n - 1, 1), np.arange(n), np.zeros((0, 0))
    if labels == "tight" or domain.ladder is None:
        return _Column(LINE if domain.is_ordered else SET, plain, step, none, step)
    above = np.asarray(domain.ladder.ancestors)
    by_tree = np.lexsort(above)
    code = np.empty(n, dtype=np.int64)
    code[by_tree] = plain
    table, above = np.ones((n, n)), above[:, by_tree]
    for level in above[::-1]:
        covered = (np.bincount(level)[level] - 1) * step
        table = np.where(level[:, None] == level, covered[:, None], table)
    return _Column(TREE, code, step, table, float(table[table > 0].min(initial=1)))


def _columns(parts: list[_Column], codes: np.ndarray, people: np.ndarray) -> Columns:
    size = np.array([len(part.code) for part in parts])
    kind = np.array([part.kind for part in parts])
    word = np.append(0, np.cumsum(np.where(kind == SET, (size + 63) // 64, 0)))
    place = np.append(0, np.cumsum([part.table.size for part in parts]))[:-1]
    cost = np.concatenate([part.table.ravel() for part in parts])
    step = np.array([part.step for part in parts])
    codes = np.ascontiguousarray(codes, dtype=np.int64)
    return Columns(codes, np.ascontiguousarray(people), kind, step, word, place, size, cost)


def _lattice(cells: Cells, order: np.ndarray) -> Lattice:
    heights = tuple(domain.height for domain in cells.domains)
    above = np.zeros((len(heights), max(heights) + 1, len(cells)), dtype=np.int64)
    loss_above = np.zeros(above.shape)
    for j, domain in enumerate(cells.domains):
        for level in range(heights[j] + 1):
            label = domain.ladder.ancestors[level] if domain.ladder else np.arange(len(domain))
            above[j, level] = label[cells.codes[order, j]]
            covered = np.bincount(label)[above[j, level]]
            loss_above[j, level] = (covered - 1) / max(len(domain) - 1, 1)
    return Lattice(above, loss_above, above.max(axis=(1, 2)) + 1, heights)


def neighbours(columns: Columns, n_near: int = NEAR) -> tuple[np.ndarray, np.ndarray]:
    """The nearest cells of each cell by the loss of a common label, and their distances."""
    n, d = columns.codes.shape
    n_near, heavy = min(n_near, n - 1), 1
    while heavy < d and _blocks(columns, heavy + 1) <= 8 * n**0.5:
        heavy += 1
    new = np.diff(columns.codes[:, :heavy], axis=0).any(axis=1)
    starts = np.concatenate([[0], np.flatnonzero(new) + 1, [n]])
    near, far = np.empty((n, n_near), dtype=np.int64), np.empty((n, n_near))
    kernels.nearest_cells(columns, heavy, starts, near, far)
    return near, far


def _blocks(columns: Columns, heavy: int) -> int:
    return 1 + int(np.diff(columns.codes[:, :heavy], axis=0).any(axis=1).sum())


def new_state(columns: Columns, group: np.ndarray, n_groups: int) -> State:
    """The state of these groups, with room for `n_groups`."""
    (n, d), words = columns.codes.shape, int(columns.word[-1])
    state = State(
        group=group.astype(np.int64),
        head=np.full(n_groups, NONE, dtype=np.int64),
        after=np.full(n, NONE, dtype=np.int64),
        before=np.full(n, NONE, dtype=np.int64),
        total=np.zeros(n_groups, dtype=np.int64),
        loss=np.zeros(n_groups),
        without=np.zeros(n),
        low=np.zeros((n_groups, d), dtype=np.int64),
        high=np.zeros((n_groups, d), dtype=np.int64),
        bits=np.zeros((n_groups, max(words, 1)), dtype=np.uint64),
        tally=np.zeros(int(columns.size.max()), dtype=np.int64),
        locked=np.zeros(n_groups, dtype=bool),
    )
    kernels.fill(columns, state)
    return state


def holding(problem: Problem, state: State, asked: np.ndarray) -> np.ndarray:
    """Which of these groups satisfy every rule, each rule being asked once about all of them.

    Where a rule judges all groups together, `asked` must be all groups.
    """
    holds = state.total[asked] >= problem.least
    if not problem.rules or not len(asked):
        return holds
    groups = groups_in(problem, state.group, asked, len(state.head))
    for rule in problem.rules:
        holds &= rule.holds_each(groups)
    return holds


def first_groups(problem: Problem) -> np.ndarray:
    """Each cell alone; with a lattice that is small enough, what a peel takes off of it."""
    n, lattice = len(problem.order), problem.lattice
    alone = np.arange(n)
    if lattice is None or lattice.size > MOST_NODES:
        return alone
    peeled = [_peeled(problem, lattice, power) for power in POWERS]
    losses = [total_loss(new_state(problem.columns, group, n)) for group in peeled]
    return peeled[int(np.argmin(losses))]


def _peeled(problem: Problem, lattice: Lattice, power: float) -> np.ndarray:
    """The groups that a walk over the lattice takes off; what is left over is one more."""
    people, alone = problem.columns.people, np.arange(len(problem.order))
    nodes, group = lattice.nodes(people, power), np.empty_like(alone)
    least = problem.least
    kernels.peel(lattice.above, lattice.radix, people, nodes, least, alone, group)
    return np.unique(group, return_inverse=True)[1].ravel()


def join_until_safe(problem: Problem, state: State, near: np.ndarray) -> None:
    """Join every unsafe group with the group that it costs least, the cheaper half first."""
    n_groups = len(state.head)
    partner, cost = np.empty(n_groups, dtype=np.int64), np.empty(n_groups)
    is_open, asked = np.zeros(n_groups, dtype=bool), np.flatnonzero(state.head >= 0)
    cap = 1.5 * problem.least
    while True:
        is_open[asked] = ~holding(problem, state, asked)
        is_open &= state.head >= 0
        if not is_open.any() or np.count_nonzero(state.head >= 0) == 1:
            return
        kernels.best_partners(problem.columns, state, near, is_open, cap, partner, cost)
        order = np.argsort(cost, kind="stable")
        half = max(1, int(is_open.sum()) // 2)
        touched = kernels.join_pairs(problem.columns, state, order, partner, half)
        asked = np.flatnonzero((touched | problem.is_global) & (state.head >= 0))


def improve(problem: Problem, state: State, near: np.ndarray, seed: int = 0) -> Iterator[np.ndarray]:
    """Anneal, epoch after epoch, each twice as long; yields the best groups after each slice."""
    n, columns = len(problem.order), problem.columns
    log = Log(np.empty((4 * n + (1 << 14), 3), dtype=np.int64), np.zeros(2, dtype=np.int64))
    best, least_so_far = state.group.copy(), total_loss(state)
    sizes = state.total[state.total > 0]
    typical = float(np.median(sizes))
    hint = max(problem.least, int(0.7 * typical) if problem.rules else 1)
    rare = min(0.03, 0.5 / typical)
    for epoch in range(60):
        state.group[:] = best
        kernels.fill(columns, state)
        hot, cold = typical * np.array(HEAT[problem.lattice is not None])
        hot *= min(1.4**epoch, 4.0)
        moves = MOVES * n * 2**epoch // SLICES
        for part in range(SLICES):
            chance = (seed * 60 + epoch) * SLICES + part
            heat = hot * (cold / hot) ** (part / (SLICES - 1))
            found = _slice(problem, state, log, near, hint, moves, heat, chance, rare)
            if found is not None and found[0] < least_so_far - 1e-9:
                least_so_far, best = found[0], found[1].copy()
            yield best


def _slice(
    problem: Problem,
    state: State,
    log: Log,
    near: np.ndarray,
    least: int,
    moves: int,
    heat: float,
    chance: int,
    rare: float,
) -> tuple[float, np.ndarray]:
    """Some moves at one temperature; (loss, groups) of the best safe groups on the way."""
    columns, keeps_log = problem.columns, bool(problem.rules)
    before, best = total_loss(state), state.group.copy()
    tried, lowest, round_ = 0, 0.0, 0
    while tried < moves:
        seed, old = chance * 1009 + round_, state.group.copy()
        done, change = kernels.walk(
            columns, state, log, near, least, moves - tried, heat, heat, seed, rare, keeps_log, best
        )
        tried, round_ = tried + done, round_ + 1
        if keeps_log:
            _undo_refused(problem, state, log, old)
            change = total_loss(state) - before
            if change < lowest:
                best[:] = state.group
        lowest = min(lowest, change)
    if problem.lattice is not None:
        old = state.group.copy()
        lattice, tries = problem.lattice, max(1, POOLS * moves // (MOVES * len(problem.order)))
        kernels.regroup(
            columns, state, log, lattice.above, lattice.loss_above, lattice.radix,
            least, tries, 10, heat, chance, keeps_log,
        )  # fmt: skip
        if keeps_log:
            _undo_refused(problem, state, log, old)
        change = total_loss(state) - before
        if change < lowest:
            lowest, best = change, state.group.copy()
    return before + lowest, best


def _undo_refused(problem: Problem, state: State, log: Log, before: np.ndarray) -> None:
    """Ask the rules about the groups that moves have made, and undo the moves that they refuse.

    Rules that judge all groups together are asked whether the new groups may stand beside all
    groups from `before` the moves. These hold, and what holds together holds in parts, whichever
    moves are undone.
    """
    rows, n_moves, n_groups = log.rows[: log.length[0]], int(log.length[1]), len(state.head)
    if n_moves:
        touched = np.concatenate([rows[:, 1], state.group[rows[:, 0]]])
        pairs = np.unique(np.tile(rows[:, 2], 2) * n_groups + touched)
        move, group = np.divmod(pairs, n_groups)
        move, group = move[state.head[group] >= 0], group[state.head[group] >= 0]
        first = np.searchsorted(move, np.arange(n_moves + 1))
        is_taken = _accepted(problem, state, group, first, before)
        _undo(problem, state, log, np.flatnonzero(~is_taken))
    state.locked[:], log.length[:] = False, 0


def _accepted(
    problem: Problem, state: State, group: np.ndarray, first: np.ndarray, before: np.ndarray
) -> np.ndarray:
    """Which moves every rule accepts; move m made the groups `group[first[m]:first[m+1]]`."""
    parts = groups_in(problem, state.group, group, len(state.head))
    acceptance = Acceptance.of(problem.rules, problem.cells)
    acceptance.start(groups_in(problem, before, np.unique(before), len(state.head)))
    is_good = np.logical_and.reduceat(acceptance.alone(parts) & (parts.sizes >= problem.least), first[:-1])
    chosen = np.flatnonzero(is_good)
    if len(chosen) and problem.is_global:
        is_good[chosen] = acceptance.one_after_another(Proposals(parts, first).take(chosen))
    return is_good


def groups_in(problem: Problem, group: np.ndarray, asked: np.ndarray, n_groups: int) -> Groups:
    """These groups as rules see them, in the order asked for."""
    number = np.full(n_groups, NONE)
    number[asked] = np.arange(len(asked))
    of_cell = np.empty(len(problem.order), dtype=np.int64)
    of_cell[problem.order] = number[group]
    return groups_of_cells(problem.cells, of_cell, len(asked))


def _undo(problem: Problem, state: State, log: Log, moves: np.ndarray) -> None:
    numbers = log.rows[: log.length[0], 2]
    firsts, lasts = (np.searchsorted(numbers, moves, side) for side in ("left", "right"))
    for first, last in zip(firsts, lasts, strict=True):
        kernels.undo(problem.columns, state, log, first, last)


def total_loss(state: State) -> float:
    """What all people lose together, the sum over columns."""
    return float(state.loss @ state.total)


def start(problem: Problem, near: np.ndarray) -> np.ndarray:
    """Safe groups to begin with: joined from below or, if they lose less, cut from above."""
    columns, group = problem.columns, first_groups(problem)
    joined = new_state(columns, group, len(group))
    join_until_safe(problem, joined, near)
    cut = np.asarray(partition.search(problem.cells, problem.criteria).group_of_cell)
    above = new_state(columns, cut[problem.order], len(group))
    asked = np.flatnonzero(joined.head >= 0)
    is_safe = holding(problem, joined, asked).all()
    best = joined if is_safe and total_loss(joined) < total_loss(above) else above
    return np.unique(best.group, return_inverse=True)[1].ravel()


def search(cells: Cells, criteria: Any, *, labels: Labels = "tight", seed: int = 0) -> Iterator[Found]:
    """Ever better safe partitions, until nobody asks for the next one."""
    begun = perf_counter()
    problem = pose(cells, criteria, labels)
    near, _ = neighbours(problem.columns)
    group = start(problem, near)
    room = cells.n_people // problem.least + 256
    state = new_state(problem.columns, group, min(room, len(group) + 256))
    yield _found(problem, state.group, total_loss(state), begun, -1)
    for step, best in enumerate(improve(problem, state, near, seed)):
        loss = total_loss(new_state(problem.columns, best, len(state.head)))
        yield _found(problem, best, loss, begun, step // SLICES)


def _found(problem: Problem, group: np.ndarray, loss: float, begun: float, epoch: int) -> Found:
    of_cell = np.empty(len(group), dtype=np.int64)
    of_cell[problem.order] = np.unique(group, return_inverse=True)[1].ravel()
    shared = problem.cells.n_people * len(problem.cells.domains)
    return Found(of_cell, loss / shared, perf_counter() - begun, epoch)
