"""What a lattice search hands back: a partition, notices, or why nothing is safe."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from gyges.criteria.verdict import Failure, judged
from gyges.errors import NothingSafeError
from gyges.exact import percent, show
from gyges.release.groups_of_cells import everybody
from gyges.release.partition_of_cells import LEFT_OUT, Partition
from gyges.search.lattice_check import Checker
from gyges.search.lattice_walk import Candidate, Walk


def partition_of(checker: Checker, chosen: Candidate, said: tuple[str, ...] = ()) -> Partition:
    """The groups of a node; those that are left out are in none."""
    lattice, out = checker.lattice, chosen.finding.left_out
    group_of_cell = checker.rollups.group_of_cell(chosen.levels)
    n_groups = int(group_of_cell.max(initial=-1)) + 1
    if out is not None:
        place = np.where(out, LEFT_OUT, np.cumsum(~out) - 1)
        group_of_cell, n_groups = place[group_of_cell], n_groups - int(out.sum())
    return Partition(
        cells=lattice.cells,
        group_of_cell=group_of_cell,
        n_groups=n_groups,
        levels=lattice.named(chosen.levels),
        notices=said,
    )


def notices(walk: Walk, chosen: Candidate, bound: float) -> tuple[str, ...]:
    """What whoever asked for the search should know of its result."""
    checker, said = walk.checker, []
    if chosen.finding.left_out is not None and chosen.finding.sizes is not None:
        n_out = int(chosen.finding.sizes @ chosen.finding.left_out)
        n = checker.lattice.cells.n_people
        said.append(f"{n_out:,} of {n:,} people ({percent(Fraction(n_out, n))}) are suppressed")
    for rule in [one.rule for one in checker.unpredictable]:
        is_monotone = rule.is_monotone_for(checker.lattice.cells.values_per_person)
        when = ", with people left out," if is_monotone else ""
        said.append(
            f"this rule{when} may hold below a node where it fails, so no node was skipped for "
            f"it: {rule}"
        )
    if bound < chosen.loss:
        least = (
            "nothing is known of the others" if bound == -math.inf else f"none is below {bound:.6g}"
        )
        said.append(
            f"the time limit ended the search with {walk.left:,} of {checker.lattice.n_nodes:,} "
            f"nodes left; the best found has a loss of {chosen.loss:.6g}, {least}"
        )
    return tuple(said)


def nothing_safe(walk: Walk) -> NothingSafeError:
    """Why no node is safe: what the whole table as one group lacks."""
    checker = walk.checker
    cells = checker.lattice.cells
    verdict = judged(checker.rules, everybody(cells))
    if verdict.safe or walk.left:
        return NothingSafeError(
            f"no safe node was found in time: {checker.n_checked:,} of "
            f"{checker.lattice.n_nodes:,} were checked; give a longer time limit"
        )
    lines = [f"  {failure.rule}: {_reach(failure, checker)}" for failure in verdict.failures]
    return NothingSafeError(
        "no coarsening of the table is safe, not even all people in one group\n"
        + "\n".join(lines)
        + "\nask for less, or publish less of the sensitive column"
    )


def _reach(failure: Failure, checker: Checker) -> str:
    """What the whole table as one group has: the best, if every rule is monotone."""
    is_best = checker.allowed == 0 and not checker.unpredictable
    return f"{'at best' if is_best else 'all people together give'} {show(failure.risk)}"
