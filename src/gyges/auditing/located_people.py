"""The people of an original, looked up in a release by their quasi-identifiers."""

from __future__ import annotations

import numpy as np

from gyges.arrays import IntArray
from gyges.auditing.foreign_tables import is_made_elsewhere
from gyges.data.table import Table
from gyges.errors import ReleaseError
from gyges.release.locating import NOWHERE
from gyges.release.release import Release


def groups_found(release: Release, original: Table) -> IntArray:
    """The group of each row of the original, looked up by its quasi-identifiers.

    In a table of another maker there may be nobody: its rows may be of no one at all.
    """
    found = release.locate(original)
    if (found == NOWHERE).all() and not is_made_elsewhere(release):
        raise ReleaseError(
            f"nobody is located: none of the {len(found):,} rows of the original fits a group of "
            f"the release; is it the table that was published, with the same spelling?"
        )
    return found


def whole_groups(release: Release, original: Table, found: IntArray) -> IntArray:
    """The group of each row whose group was found completely; NOWHERE for the others.

    In a group with missing people, beliefs would be those of another group.
    """
    located = found[original.is_first_row & (found >= 0)]
    is_whole = np.bincount(located, minlength=len(release.groups)) == release.groups.sizes
    return np.where((found >= 0) & is_whole[found], found, NOWHERE)
