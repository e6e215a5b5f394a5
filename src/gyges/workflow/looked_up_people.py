"""The people of a table, looked up in an earlier release: by who they are, else by its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gyges.adversaries.located_people import PeopleInGroups
from gyges.arrays import IntArray
from gyges.auditing.forms import load
from gyges.data.table import Table
from gyges.errors import GygesError
from gyges.release.directory import CERTIFICATE
from gyges.release.groups import Groups
from gyges.release.locating import NOWHERE, SEVERAL
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
    """A release in which the people of the new table were looked up."""

    place: PeopleInGroups  # of each row of the new release's table
    n_people: int  # of the release
    is_recorded: bool = False  # by name, not found by quasi-identifiers
    is_guessed: bool = False  # by the nearest centroid
    published: tuple[str, ...] = ()  # the release's columns that are published unchanged
    known_by: tuple[str, ...] = ()  # the columns that identify people, where they are recorded
    left: Mapping[str, int] = field(default_factory=dict)  # the groups of people not in the table

    @property
    def n_fitting(self) -> int:
        """How many rows of the table fit some group."""
        return int((self.place.found != NOWHERE).sum())

    @property
    def n_ambiguous(self) -> int:
        """How many rows of the table fit several groups: their union is used."""
        return int((self.place.found == SEVERAL).sum())


def in_own_groups(release: Release, table: Table) -> LookedUp:
    """The new release, with people in their own groups: whatever an attacker may find out."""
    from gyges.adversaries.people_lookup import find_people

    if release.partition is None:
        return LookedUp(find_people(release, table), release.n_people)
    return LookedUp(_known(release.groups, release.group_of_row), release.n_people, True)


def _known(groups: Groups, group_of_row: IntArray) -> PeopleInGroups:
    return PeopleInGroups(groups, group_of_row, group_of_row, len(groups))


def look_up(
    release: Release, table: Table, directory: Path, recorded: RecordedPeople | None
) -> list[LookedUp]:
    """An earlier release with the same sensitive column of the same people; views one by one."""
    other = load(directory)
    if not isinstance(other, Release):
        return _views(other, release, table, recorded)
    if other.roles.parts or release.roles.parts:
        raise GygesError("it is not known what several sensitive columns reveal when joined")
    if other.roles.sensitive != release.roles.sensitive or release.roles.sensitive is None:
        raise NothingToJoinError("it has another sensitive column")
    if not other.values_per_person == release.values_per_person == "one":
        raise GygesError("people have several sensitive values, and joining is defined for one")
    found = _if_recorded(other, table, recorded) or LookedUp(
        _by_quasi_identifiers(other, table),
        other.n_people,
        is_guessed=other.group_form.is_averaged,
        published=tuple(other.roles.published),
    )
    if not found.n_fitting and not found.left:
        raise GygesError("nobody in this table fits any of its groups")
    return [found]


def _if_recorded(other: Release, table: Table, recorded: RecordedPeople | None) -> LookedUp | None:
    """The people by who they are; None where that is not known."""
    if recorded is None:
        return None
    recorded.refuse_misfit(other.people_per_group)
    known = recorded.groups_of(table)
    if known is None:
        return None
    return LookedUp(
        _known(other.groups, known),
        other.n_people,
        is_recorded=True,
        published=tuple(other.roles.published),
        known_by=recorded.columns,
        left=recorded.left(table) or {},
    )


def _by_quasi_identifiers(other: Release, table: Table) -> PeopleInGroups:
    """The groups of a release that people fit: by the table, or by its source read again."""
    from gyges.adversaries.people_lookup import find_people

    is_alike = _describes_alike(other, table)
    return find_people(other, table) if is_alike else _by_its_columns(other, table)


def _views(
    other: Published, release: Release, table: Table, recorded: RecordedPeople | None
) -> list[LookedUp]:
    """The views of an earlier release that count the sensitive column by columns of the table."""
    views: list[Release] = other.as_groups()
    if not views:
        raise NothingToJoinError(other.why_no_groups)
    if views[0].roles.sensitive != release.roles.sensitive:
        raise NothingToJoinError("it has another sensitive column")
    if release.values_per_person != "one":
        raise GygesError("people have several sensitive values, and joining is defined for one")
    if recorded is not None and {*map(len, recorded.views)} != {len(views)}:
        raise GygesError("the record of who was in it is damaged: it is about other views")
    people = [None if recorded is None else recorded.of_view(j) for j in range(len(views))]
    return [
        _if_recorded(view, table, one) or LookedUp(_in_view(view, table), view.n_people)
        for view, one in zip(views, people, strict=True)
    ]


def _in_view(view: Release, table: Table) -> PeopleInGroups:
    """The row of a view that counts each row of the table."""
    from gyges.adversaries.people_lookup import find_people

    names, known = view.roles.quasi_identifiers, table.schema.quasi_identifiers
    others = [name for name in names if name not in known]
    if others and table.read_again and all(name in table.source.columns for name in names):
        return _by_its_columns(view, table)
    return find_people(view, table)


def _describes_alike(other: Release, table: Table) -> bool:
    """Whether a release describes people by the columns of the table, in the same shape."""
    names = set(table.schema.quasi_identifiers)
    stated, own = other.roles.shapes, table.schema.shapes
    is_alike = all(stated.get(name) == own.get(name) for name in names)
    return set(other.roles.quasi_identifiers) == names and is_alike


def _by_its_columns(other: Release, table: Table) -> PeopleInGroups:
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
    candidates = other.candidates(people)
    groups, group_of_cell = with_united_groups(other.groups, candidates)
    group_of_row, found = (
        of_cell[people.cell_of_row][table.is_used] for of_cell in (group_of_cell, candidates.only)
    )
    return PeopleInGroups(groups, group_of_row, found, len(other.groups))
