"""The people of a table, looked up in an earlier release: by who they are, else by its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gyges.arrays import IntArray
from gyges.auditing.forms import load
from gyges.data.table import Table
from gyges.errors import GygesError
from gyges.release.directory import CERTIFICATE
from gyges.release.groups import Groups
from gyges.release.locating import NOWHERE
from gyges.release.published import Published
from gyges.release.release import Release
from gyges.workflow.kept_releases import files_of, refuse_changed
from gyges.workflow.recorded_people import RecordedPeople
from gyges.workflow.recorded_releases import RecordedRelease


def unchanged_files(entry: RecordedRelease, ledger: Path) -> Path:
    """The ledger's copy of a release, or the release itself, unchanged."""
    found = files_of(entry, ledger)
    if not (found / CERTIFICATE).is_file():
        raise GygesError("it is no longer there, and no copy of it was kept")
    refuse_changed(found, entry.digest)
    return found


class NothingToJoinError(GygesError):
    """The earlier release has no groups, or another sensitive column."""


@dataclass(frozen=True, eq=False)
class LookedUp:
    """An earlier release in which the people were looked up by its own columns."""

    groups: Groups  # the release's, and unions of several of them
    group_of_row: IntArray  # for each row of the new release's table
    n_people: int  # of the release
    is_recorded: bool  # by name, not found by quasi-identifiers
    published: tuple[str, ...] = ()  # the release's columns that are published unchanged
    known_by: tuple[str, ...] = ()  # the columns that identify people, where they are recorded
    left: Mapping[str, int] | None = None  # the group of each person who is not in the table
    n_ambiguous: int = 0  # people of the table who fit several groups: their union is used

    def locate(self, people: Table) -> IntArray:
        """The group of each row of that table."""
        return self.group_of_row


def look_up(
    release: Release, table: Table, directory: Path, recorded: RecordedPeople | None
) -> list[Release | LookedUp]:
    """An earlier release with the same sensitive column of the same people; views one by one."""
    other = load(directory)
    if not isinstance(other, Release):
        return _views(other, release, table)
    if other.roles.parts or release.roles.parts:
        raise GygesError("it is not known what several sensitive columns reveal when joined")
    if other.roles.sensitive != release.roles.sensitive or release.roles.sensitive is None:
        raise NothingToJoinError("it has another sensitive column")
    if not other.values_per_person == release.values_per_person == "one":
        raise GygesError("people have several sensitive values, and joining is defined for one")
    if recorded is not None:
        recorded.refuse_misfit(other.people_per_group)
    known = None if recorded is None else recorded.groups_of(table)
    if recorded is not None and known is not None:
        found: Release | LookedUp = LookedUp(
            other.groups,
            known,
            other.n_people,
            is_recorded=True,
            published=tuple(other.roles.published),
            known_by=recorded.columns,
            left=recorded.left(table),
        )
    elif _describes_alike(other, table):
        found = other
    else:
        found = _by_its_columns(other, table)
    if (found.locate(table) == NOWHERE).all():
        raise GygesError("nobody in this table fits any of its groups")
    return [found]


def _views(other: Published, release: Release, table: Table) -> list[Release | LookedUp]:
    """The views of an earlier release that count the sensitive column by columns of the table."""
    views: list[Release] = other.as_groups()
    if not views:
        raise NothingToJoinError(other.why_no_groups)
    if views[0].roles.sensitive != release.roles.sensitive:
        raise NothingToJoinError("it has another sensitive column")
    if release.values_per_person != "one":
        raise GygesError("people have several sensitive values, and joining is defined for one")
    return [_view(view, table) for view in views]


def _view(view: Release, table: Table) -> LookedUp:
    """A view, and the row of it that counts each row of the table."""
    from gyges.adversaries.ambiguous_matches import candidates_of, with_united_groups

    names, known = view.roles.quasi_identifiers, table.schema.quasi_identifiers
    others = [name for name in names if name not in known]
    if others and table.read_again and all(name in table.source.columns for name in names):
        return _by_its_columns(view, table)
    groups, group_of_cell = with_united_groups(view.groups, candidates_of(view, table))
    group_of_row = group_of_cell[table.cell_of_row]
    n_ambiguous = int((group_of_row >= len(view.groups)).sum())
    return LookedUp(groups, group_of_row, view.n_people, is_recorded=False, n_ambiguous=n_ambiguous)


def _describes_alike(other: Release, table: Table) -> bool:
    """Whether a release describes people by the columns of the table, in the same shape."""
    names = set(table.schema.quasi_identifiers)
    stated, own = other.roles.shapes, table.schema.shapes
    is_alike = all(stated.get(name) == own.get(name) for name in names)
    return set(other.roles.quasi_identifiers) == names and is_alike


def _by_its_columns(other: Release, table: Table) -> LookedUp:
    """Look people up by the earlier release's quasi-identifiers, if the source has them too.

    Rows that the new table does not use (missing values) are left out here too.
    """
    from gyges.adversaries.ambiguous_matches import with_united_groups

    schema = other.roles.schema()
    lacking = [name for name in schema.quasi_identifiers if name not in table.source.columns]
    if lacking:
        raise GygesError(f"it has the column {lacking[0]!r}, which this table does not have")
    if table.read_again is None:
        raise GygesError("it has other columns, by which these rows cannot be looked up")
    people = table.read_again(schema)
    if len(people) != len(table.is_used):
        raise GygesError("it has other columns, and the data changed while it was read")
    groups, group_of_cell = with_united_groups(other.groups, other.candidates(people))
    group_of_row = group_of_cell[people.cell_of_row][table.is_used]
    return LookedUp(
        groups,
        group_of_row,
        other.n_people,
        is_recorded=False,
        published=tuple(other.roles.published),
        n_ambiguous=int((group_of_row >= len(other.groups)).sum()),
    )
