"""In which groups of a release the people of its original are, as far as that is certain."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gyges.adversaries.located_people import Whereabouts, whereabouts
from gyges.arrays import BoolArray, IntArray
from gyges.auditing.finding import Audited, AuditKnowledge, Finding
from gyges.auditing.foreign_tables import is_made_elsewhere
from gyges.auditing.notes import (
    AS_IF_GENERALIZED,
    AVERAGES,
    NEEDS_ORIGINAL,
    NOBODY_PLACED,
    ROWS_OF_OTHERS,
)
from gyges.auditing.original_places import OriginalPlaces
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.errors import ReleaseError
from gyges.exact import counted
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import groups_of_cells
from gyges.release.locating import NOWHERE
from gyges.release.mapping import group_in_release, load_mapping
from gyges.release.release import Release


@dataclass(frozen=True, slots=True, eq=False)
class PlacedOriginal:
    """In which groups the people of the original are, where that is certain."""

    places: OriginalPlaces | None = None
    places_with_values: OriginalPlaces | None = None  # unknown also where the values are others
    whereabouts: Whereabouts | None = None  # where they were looked up by labels
    n_other_values: int = 0  # groups that have as many people there, and other values


def place_original(release: Release, original: Table, mapping: str | Path | None) -> PlacedOriginal:
    """Place the rows of the table that an auditor gave as the original.

    A group counts only if it has as many people there: beliefs about one with missing people would
    be about another group. So would beliefs about one with other values, which another maker may
    have changed on purpose; an original of gyges with other values is none.
    """
    located = None
    if mapping is not None:
        found = group_in_release(load_mapping(mapping), release, original)[original.cell_of_row]
    elif release.group_form.is_averaged:  # averages do not tell the group
        return own_original(release) if release.table is original else PlacedOriginal()
    else:
        found = _found(release, original)
        located = whereabouts(found[original.is_first_row])
    group_of_cell = np.full(len(original.cells), NOWHERE, dtype=np.int64)
    group_of_cell[original.cell_of_row] = np.where(found >= 0, found, NOWHERE)
    there = groups_of_cells(original.cells, group_of_cell, len(release.groups))
    is_whole, differs = there.sizes == release.groups.sizes, differing_groups(release.groups, there)
    by_people, by_values = (
        np.where((found >= 0) & kept[found], found, NOWHERE) for kept in (is_whole, ~differs)
    )
    with_values = OriginalPlaces(original, by_values)
    places = OriginalPlaces(original, by_people) if is_made_elsewhere(release) else with_values
    return PlacedOriginal(places, with_values, located, int((differs & is_whole).sum()))


def own_original(release: Release) -> PlacedOriginal:
    """The table that a release was made from, whose partition says who is where."""
    if release.table is None or release.partition is None:
        return PlacedOriginal()
    own = OriginalPlaces(release.table, partition=release.partition)
    return PlacedOriginal(own, own)


def differing_groups(stated: Groups, found: Groups) -> BoolArray:
    """Which groups do not have the same number of people and the same values, read as texts."""
    differs = np.asarray(stated.sizes != found.sizes)
    texts = [text_of(value) for value in (*stated.values, *found.values)]
    number = {text: n for n, text in enumerate(dict.fromkeys(texts))}
    codes = np.array([number[text] for text in texts], dtype=np.int64)
    parts = ((stated, codes), (found, codes[len(stated.values) :]))
    entries = np.concatenate(
        [
            np.column_stack([groups.group_of_entry, named[groups.value_codes], groups.value_counts])
            for groups, named in parts
        ]
    )
    entry, times = np.unique(entries, axis=0, return_counts=True)
    differs[entry[times == 1, 0]] = True
    return differs


def about_original(release: Audited, knowledge: AuditKnowledge) -> list[str]:
    """What was not examined because the original is not known or people were not found."""
    places = knowledge.places
    if not isinstance(release, Groups) and release.why_no_groups:
        return []
    if places is None:
        return [NEEDS_ORIGINAL if knowledge.original is None else AVERAGES]
    notes = []
    if isinstance(release, Release) and not release.group_form.has_true_labels:
        notes.append(AS_IF_GENERALIZED)
    if knowledge.n_other_values:
        groups = counted(knowledge.n_other_values, "group")
        notes.append(
            f"The given original has other sensitive values than the release in {groups}: it is "
            f"not the table that was published, or values were changed. Prior beliefs were not "
            f"considered there."
        )
    if not places.has_anybody:
        return [*notes, NOBODY_PLACED]
    if isinstance(release, Release) and not groups_hold_original(release, places):
        return [*notes, ROWS_OF_OTHERS]
    return notes


def about_people_not_placed(release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
    """Whom the figures that need the original leave out: it must be read first."""
    places = knowledge.places
    if places is None or knowledge.whereabouts is None or not isinstance(release, Release):
        return []
    n_placed, n = places.n_placed, places.n_placed + places.n_lost
    if not groups_hold_original(release, places) or n_placed >= min(n, release.n_people):
        return []
    placed = places.group_of_row[places.group_of_row >= 0]
    said = (
        f"Only {n_placed:,} of the {counted(n, 'person')} of the original could be placed in a "
        f"group with certainty, in {len(np.unique(placed)):,} of "
        f"{counted(len(release.groups), 'group')}. All figures that need the original are about "
        f"them: prior beliefs ignore the others, and utility counts the others as suppressed. "
        f"The mapping that `publish --mapping` keeps tells where everyone is."
    )
    return [Finding("whose rows", said, topic="The original", place="first", is_checked=False)]


def groups_hold_original(release: Audited, places: OriginalPlaces) -> bool:
    """Whether groups tell what became of the original's rows, so that utility can be measured.

    In a table of another maker every published row must be known to be of somebody. Some people
    fit as many rows of a made-up table by accident, and nothing follows from these.
    """
    if not places.has_anybody or not is_made_elsewhere(release):
        return places.has_anybody
    return isinstance(release, Release) and places.n_placed == release.n_people


def _found(release: Release, original: Table) -> IntArray:
    """The group of each row of the original, looked up by its quasi-identifiers.

    In a table of another maker there may be nobody: its rows may be of no one at all.
    """
    found = release.locate_original(original)
    if (found == NOWHERE).all() and not is_made_elsewhere(release):
        raise ReleaseError(
            f"nobody is located: none of the {len(found):,} rows of the original fits a group of "
            f"the release; is it the table that was published, with the same spelling?"
        )
    return found
