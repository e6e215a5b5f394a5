"""Whether a release was chosen as it states: by decisions that anyone can repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.auditing.checks import Check
from gyges.auditing.claims import rule_of
from gyges.data.table import Table
from gyges.errors import GygesError
from gyges.release.release import Release
from gyges.release.statements import SIMULATABLE
from gyges.search.methods import method_of_groups

if TYPE_CHECKING:
    from gyges.search.simulatable import Choice

_REVEAL_NOTHING: tuple[Choice, ...] = ("simulatable", "blind")
NEEDS_ORIGINAL = "only the original shows how the groups were chosen"


def not_checked(why: str = NEEDS_ORIGINAL) -> Check:
    """The promise of a simulatable choice, where it cannot be decided."""
    return Check(SIMULATABLE, "", why, None)


def check_choice(release: Release, table: Table, group_of_cell: IntArray) -> Check:
    """Search the original again, and compare the groups.

    There are two searches whose choice reveals nothing, and neither has other options that are
    allowed: one of them must find the same groups.
    """
    rules = [rule_of(claim) for claim in release.claims]
    known = [rule for rule in rules if rule is not None]
    method = method_of_groups(release.method)
    is_stated = method is not None and "choice" in method.options
    if method is None or not is_stated or len(known) < len(rules) or not known:
        return Check(SIMULATABLE, "yes", "no, another search or an unknown rule is stated", False)
    why = "no, the search finds no such release"
    for choice in _REVEAL_NOTHING:
        try:
            found = method.search(table.searched_cells, known, choice=choice).of_table(table)
        except GygesError:
            continue
        pairs = np.unique(np.stack([found.group_of_cell, group_of_cell]), axis=1)
        if pairs.shape[1] == found.n_groups == len(np.unique(group_of_cell)):
            return Check(SIMULATABLE, "yes", "yes", True)
        why = "no, it finds other groups"
    return Check(SIMULATABLE, "yes", why, False)
