"""Full-domain generalization: every column at one level of its hierarchy for the whole table.

A node of the lattice is safe or not. For monotone rules every node above a safe one is safe, and
every node below an unsafe one is unsafe [LeFevre2005; Martin2007, Theorem 14].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from gyges.arguments import called
from gyges.criteria.base import Criterion, bind_all, listed
from gyges.data.cells import Cells
from gyges.data.table import Table, check_table
from gyges.errors import NothingSafeError, RuleError
from gyges.exact import Number, probability, seconds
from gyges.release.groups_of_cells import everybody
from gyges.release.partition_of_cells import Partition
from gyges.search.bound_purpose import BoundPurpose
from gyges.search.lattice_by_measure import (
    Utility,
    least_measured,
    measure_named,
    objective_named,
)
from gyges.search.lattice_check import Checker
from gyges.search.lattice_chosen import read_levels
from gyges.search.lattice_nodes import Lattice, Levels
from gyges.search.lattice_objective import SuppressedAs, check_suppressed_as, label_loss
from gyges.search.lattice_outcome import nothing_safe, notices, partition_of
from gyges.search.lattice_purpose import purpose_objective
from gyges.search.lattice_walk import LatticeWalk, Progress, descend, least_loss, lowest, safe_nodes
from gyges.search.rules_of_table import rules_of_table

Rules: TypeAlias = Criterion[Any] | Iterable[Criterion[Any]]

_LARGE = 100_000  # nodes: in a larger lattice a good node is searched before the best one


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LatticeResult:
    """The node that a search chose, and a bound on all others."""

    partition: Partition
    loss: float  # by the utility asked for; smaller is better
    bound: float  # no safe node has a smaller loss
    n_nodes: int
    n_checked: int
    n_pruned: int  # settled without a check

    @property
    def levels(self) -> dict[str, int]:
        """The level of each column; 0 is the value itself."""
        return dict(self.partition.levels or {})

    @property
    def is_optimal(self) -> bool:
        """Whether no safe node is better."""
        return self.bound >= self.loss


def watch(step: Callable[[str, float, float], object]) -> Progress:
    """The option `progress` of the search, from a function that shows steps."""

    def say(checked: int, pruned: int, left: int) -> None:
        text = f"{checked:,} nodes checked, {pruned:,} pruned, {left:,} left"
        step(text, checked + pruned, checked + pruned + left)

    return say


def search(
    cells: Cells,
    criteria: Rules,
    *,
    utility: Utility = "loss",
    weights: Mapping[str, float] | None = None,
    suppression: Number = 0,
    suppressed_as: SuppressedAs = "lost",
    time_limit: float | None = None,
    progress: Progress | None = None,
    purpose: BoundPurpose | None = None,
    levels: Mapping[str, int] | None = None,
) -> LatticeResult:
    """The safe node of least loss.

    A column without a hierarchy has two levels: the value itself, and `*` for all.

    Args:
        utility: what is minimized. "loss", "precision", "height", "non_uniform_entropy",
            "discernibility", "average_group_size", "gcp" and "ambiguity" have bounds, so that
            most nodes are skipped. For a function of a `Grouping` every safe node is tried; a
            `UtilityMeasure` may say that it is monotone.
        weights: how much each column counts in "loss", "precision" and "non_uniform_entropy"; 1
            by default.
        suppression: the share of people who may be suppressed. Groups that fail are suppressed,
            and the remaining table must satisfy every rule. A suppressed person counts as lost in
            every column. For rules that judge all groups together, more people may be suppressed
            than necessary.
        suppressed_as: how suppressed people count in a utility that has bounds. "lost" is the
            definition of `measure_utility`. With "published" a failing group counts as if it were
            published, which is what ARX's monotonic variants do: the value of a node then does
            not depend on who is suppressed.
        time_limit: seconds after which the best node so far is returned; its `bound` is a lower
            bound on the loss of all others.
        progress: called from time to time with the number of nodes checked, pruned and left.
        purpose: minimize what is lost for a purpose (`lattice_purpose.py`) in place of a utility.
        levels: take this node, if it is safe, and search no other; columns that are not named stay
            as they are.
    """
    called(progress, "progress", ("checked", "pruned", "left"))
    if purpose is not None and (utility != "loss" or weights is not None):
        raise RuleError("a purpose says what is optimized: omit utility and weights")
    time_limit = None if time_limit is None else seconds(time_limit, "time_limit")
    lattice, measure = Lattice.of(cells), measure_named(utility)
    rules = bind_all(criteria, everybody(cells))
    checker = Checker(lattice, rules, _allowed(suppression, cells.n_people))
    known = utility if isinstance(utility, str) and measure is None else "loss"
    check_suppressed_as(suppressed_as)
    if purpose is None:
        objective = objective_named(checker, known, weights, suppressed_as)
    else:
        objective = purpose_objective(checker, purpose, suppressed_as)
    walk = LatticeWalk(checker, objective, time_limit=time_limit, progress=progress)
    if levels is not None:
        return _one_node(walk, read_levels(lattice, levels))
    if measure is not None:
        best, bound = least_measured(walk, measure)
    else:
        if time_limit is not None or lattice.n_nodes > _LARGE:
            descend(walk)
        bound = least_loss(walk)
        best = walk.best
    walk.report(is_last=True)
    if best is None:
        raise nothing_safe(walk)
    return LatticeResult(
        partition=partition_of(checker, best, notices(walk, best, bound)),
        loss=best.loss,
        bound=min(bound, best.loss),
        n_nodes=lattice.n_nodes,
        n_checked=checker.n_checked,
        n_pruned=walk.n_pruned,
    )


def _one_node(walk: LatticeWalk, node: Levels) -> LatticeResult:
    """The node that was asked for; nothing is known about the others."""
    checker = walk.checker
    walk.examine(node)
    if walk.best is None:
        named = ", ".join(f"{name} {level}" for name, level in checker.lattice.named(node).items())
        raise NothingSafeError(
            f"the node with the levels {named} does not satisfy the rules: choose higher levels, "
            f"or omit them"
        )
    return LatticeResult(
        partition=partition_of(checker, walk.best, notices(walk, walk.best, walk.best.loss)),
        loss=walk.best.loss,
        bound=-math.inf,
        n_nodes=checker.lattice.n_nodes,
        n_checked=1,
        n_pruned=0,
    )


def minimal_generalizations(
    table: Table | Cells,
    criteria: Rules,
    *,
    suppression: Number = 0,
    progress: Progress | None = None,
) -> list[dict[str, int]]:
    """Every minimal safe node: safe, and no finer node is safe.

    Each is {column: level}, 0 being the value itself; sorted by levels in the schema's order. A
    column without a hierarchy has two levels: the value itself, and `*` for all. The list
    is empty if nothing is safe.

    >>> import gyges as gy
    >>> table = gy.read({"sex": ["F", "F", "M", "M"], "age": [30, 31, 30, 31]},
    ...                 gy.Schema(quasi_identifiers=["sex", "age"]))
    >>> gy.minimal_generalizations(table, gy.KAnonymity(2))
    [{'sex': 0, 'age': 1}, {'sex': 1, 'age': 0}]
    """
    called(progress, "progress", ("checked", "pruned", "left"))
    cells = table if isinstance(table, Cells) else check_table(table).searched_cells
    lattice = Lattice.of(cells)
    asked = criteria if isinstance(table, Cells) else rules_of_table(table, listed(criteria))
    rules = bind_all(asked, everybody(cells))
    checker = Checker(lattice, rules, _allowed(suppression, cells.n_people))
    walk = LatticeWalk(checker, label_loss(lattice), progress=progress)
    nodes = lowest([levels for levels, _ in safe_nodes(walk, only_minimal=True)])
    walk.left = 0
    walk.report(is_last=True)
    return [lattice.named(levels) for levels in nodes]


def _allowed(suppression: Number, n_people: int) -> int:
    """How many people may be suppressed."""
    return math.floor(probability(suppression, "suppression") * n_people)
