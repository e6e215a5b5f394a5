"""What a lattice search returns: a partition, notices, or why nothing is safe."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from gyges.criteria.verdict import Failure, judged
from gyges.errors import NothingSafeError
from gyges.exact import percent, readable_number
from gyges.release.groups_of_cells import everybody
from gyges.release.partition_of_cells import LEFT_OUT, Partition
from gyges.search.lattice_check import Checker
from gyges.search.lattice_walk import Candidate, LatticeWalk


def partition_of(checker: Checker, chosen: Candidate, notices: tuple[str, ...] = ()) -> Partition:
    """The groups of a node without those that are suppressed."""
    lattice, out = checker.lattice, chosen.finding.suppressed
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
        notices=notices,
    )


def notices(walk: LatticeWalk, chosen: Candidate, bound: float) -> tuple[str, ...]:
    """What a user should know about the result of a search."""
    checker, said = walk.checker, []
    if chosen.finding.suppressed is not None and chosen.finding.sizes is not None:
        n_out = int(chosen.finding.sizes @ chosen.finding.suppressed)
        n = checker.lattice.cells.n_people
        said.append(f"{n_out:,} of {n:,} people ({percent(Fraction(n_out, n))}) are suppressed")
    for rule in [one.rule for one in checker.unpredictable]:
        is_monotone = rule.is_monotone_for(checker.lattice.cells.values_per_person)
        when = "with suppression " if is_monotone else ""
        said.append(
            f"{when}this rule is not monotone, so no node was skipped because of it: {rule}"
        )
    if bound < chosen.loss:
        others = "unknown" if bound == -math.inf else f"at least {bound:.6g}"
        said.append(
            f"The time limit ended the search before all nodes were judged: a better release may "
            f"exist. The best node so far has a loss of {chosen.loss:.6g}; that of the others is "
            f"{others}."
        )
    return tuple(said)


def nothing_safe(walk: LatticeWalk) -> NothingSafeError:
    """Why no node is safe: the rules that one group of all people breaks."""
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
        "no generalization of the table is safe, not even one group of all people\n"
        + "\n".join(lines)
        + "\nrelax the rules, or publish less of the sensitive column"
    )


def _reach(failure: Failure, checker: Checker) -> str:
    """The number that one group of all people reaches: the best, if every rule is monotone."""
    is_best = checker.allowed == 0 and not checker.unpredictable
    reached = "at best" if is_best else "one group of all people reaches"
    return f"{reached} {readable_number(failure.risk)}"
