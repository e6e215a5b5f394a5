"""If nothing is safe: which rule fails, by how much, and what would pass."""

from __future__ import annotations

from gyges.criteria.base import Rule
from gyges.criteria.nearest_passing_rule import Nearest, nearest
from gyges.data.cells import Cells
from gyges.errors import GygesError, NothingSafeError
from gyges.release.groups_of_cells import everybody


def with_advice(problem: NothingSafeError, rules: list[Rule], cells: Cells) -> NothingSafeError:
    """The same error with rules that would pass for the coarsest release: one group of all people.

    A monotone rule that this group breaks is broken by every release, and no release reaches a
    better number.
    """
    try:
        found = nearest(rules, everybody(cells))
    except GygesError:  # a rule that cannot be judged on one group
        return problem
    lines = [*str(problem).splitlines(), *_alternatives(found)]
    if not found:
        lines.append(
            "one group of all people satisfies every rule, so a coarser release would too: try "
            "method='partition' or 'lattice'"
        )
    elif not all(one.rule.is_monotone_for(cells.values_per_person) for one in found):
        lines.append("this is for one group of all people; a finer release may do better or worse")
    advised = NothingSafeError("\n".join(lines))
    advised.nearest = found
    return advised


def _alternatives(found: tuple[Nearest, ...]) -> list[str]:
    """For each failing rule, what would pass for one group of all people."""
    passing = [one.words or "no rule of this kind" for one in found]
    if len(found) == 1:
        return [f"With everyone in one group, this would pass: {passing[0]}"]
    return [
        "With everyone in one group, these would pass:",
        *(f"  {words}, instead of: {one.rule}" for words, one in zip(passing, found, strict=True)),
    ] * bool(found)
