"""If nothing is safe: which rule stops it, how far off, and what would pass."""

from __future__ import annotations

from gyges.criteria.base import Rule
from gyges.criteria.nearest_passing_rule import Nearest, nearest
from gyges.data.cells import Cells
from gyges.errors import GygesError, NothingSafeError
from gyges.release.groups_of_cells import everybody


def with_advice(problem: NothingSafeError, rules: list[Rule], cells: Cells) -> NothingSafeError:
    """The same error with what would pass: the coarsest release, all people in one group, decides.

    A monotone rule that this one group breaks is broken by every release; what the group reaches
    is the best that any release reaches.
    """
    try:
        found = nearest(rules, everybody(cells))
    except GygesError:  # a rule that cannot be judged on one group
        return problem
    lines = [*str(problem).splitlines(), *_told(found)]
    if not found:
        lines.append(
            "all people in one group satisfy every rule, so a coarser release would: try "
            "method='partition' or 'lattice'"
        )
    elif not all(one.rule.is_monotone_for(cells.values_per_person) for one in found):
        lines.append("that is of all people in one group; a finer release may do better or worse")
    advised = NothingSafeError("\n".join(lines))
    advised.nearest = found
    return advised


def _told(found: tuple[Nearest, ...]) -> list[str]:
    """What each rule that stops it would have to be, for all people in one group to pass."""
    said = [one.words or "nothing of this kind, with whatever number" for one in found]
    if len(found) == 1:
        return [f"what would pass, if all people were one group: {said[0]}"]
    return [
        "what would pass, if all people were one group:",
        *(f"  {words}, in place of: {one.rule}" for words, one in zip(said, found, strict=True)),
    ] * bool(found)
