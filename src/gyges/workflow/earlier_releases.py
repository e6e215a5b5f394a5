"""What a new release gives away together with earlier ones about the same people.

The intersecting attacker [Ganta2008] is let loose on the new release and on all that the ledger
knows to have left the building, before the new one does. Of each the ledger keeps a copy, so it
does not matter where the release is now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gyges.adversaries.ambiguous_matches import with_united_groups
from gyges.adversaries.other_releases import IntersectionAttack, intersection_attack
from gyges.arrays import BoolArray, IntArray
from gyges.auditing.forms import load
from gyges.data.table import Table
from gyges.errors import GygesError
from gyges.release.directory import CERTIFICATE
from gyges.release.groups import Groups
from gyges.release.locating import NOWHERE
from gyges.release.release import Release
from gyges.workflow.kept_releases import refuse_changed
from gyges.workflow.ledger_file import folder_of
from gyges.workflow.recorded_releases import RecordedRelease


@dataclass(frozen=True, eq=False)
class Joined:
    """The attack on a new release and earlier ones; what could not be joined, and why."""

    attack: IntersectionAttack | None  # None where there is nothing to join with
    before: BoolArray  # people whose value is certain without the new release
    joined: tuple[RecordedRelease, ...]
    left_alone: tuple[tuple[RecordedRelease, str], ...]
    unresolved: tuple[RecordedRelease, ...] = ()  # groups with the same sensitive column

    @property
    def n_newly_certain(self) -> int:
        """How many people's value this release makes certain: it is not without it, nor by it."""
        if self.attack is None:
            return 0
        alone = self.attack.already_disclosed | self.before
        return int((self.attack.is_exposed(1) & ~alone).sum())

    @property
    def n_vulnerable(self) -> int:
        """For how many people fewer values stay possible than by the best release alone."""
        return 0 if self.attack is None else int(self.attack.vulnerable.sum())

    def __str__(self) -> str:
        lines = []
        if self.attack is not None:
            people = len(self.attack.posterior)
            count = len(self.joined)
            others = "the earlier release" if count == 1 else f"the {count} earlier releases"
            lines.append(
                f"joined with {others} about the same people, this one makes the value of "
                f"{self.n_newly_certain:,} of {people:,} people certain that was not before; "
                f"together they narrow it down for {self.n_vulnerable:,}"
            )
            n_contradicted = int(self.attack.contradicted.sum())
            if n_contradicted:
                lines.append(
                    f"the releases contradict each other on {n_contradicted:,} people (values "
                    f"spelled differently, or changed): what they say of them together is not known"
                )
        lines += [f"not compared with {entry.place}: {why}" for entry, why in self.left_alone]
        return "\n".join(lines)


def join_earlier(
    release: Release, table: Table, earlier: Sequence[RecordedRelease], ledger: Path
) -> Joined:
    """Attack everybody in the table with the new release and all earlier ones that can be read.

    Args:
        earlier: entries of the ledger at this path.
    """
    found, joined, left_alone, unresolved = [], [], [], []
    for entry in earlier:
        try:
            other = _readable(release, table, _files_of(entry, ledger))
        except GygesError as problem:
            left_alone.append((entry, str(problem).splitlines()[0]))
            if not isinstance(problem, _NothingToJoinError):
                unresolved.append(entry)
        else:
            found.append(other)
            joined.append(entry)
    attack = intersection_attack([release, *found], table) if found else None
    before = np.zeros(table.n_people, dtype=bool)
    if len(found) > 1:
        before = intersection_attack(found, table).is_exposed(1)
    return Joined(attack, before, tuple(joined), tuple(left_alone), tuple(unresolved))


def _files_of(entry: RecordedRelease, ledger: Path) -> Path:
    """The copy that the ledger keeps of a release, or the release itself, unchanged."""
    kept, original = folder_of(ledger) / entry.digest, ledger.parent / entry.place
    if not kept.is_dir() and not (original / CERTIFICATE).is_file():
        raise GygesError("it is no longer there, and no copy of it was kept")
    found = kept if kept.is_dir() else original
    refuse_changed(found, entry.digest)
    return found


class _NothingToJoinError(GygesError):
    """The earlier release has no groups, or none with the same sensitive column."""


@dataclass(frozen=True, eq=False)
class _LookedUp:
    """An earlier release in which the people were found by other columns of theirs."""

    groups: Groups  # the release's, and those that join several of them
    group_of_row: IntArray  # of the new release's table

    def locate(self, people: Table) -> IntArray:
        """The group of each row of that table."""
        return self.group_of_row


def _readable(release: Release, table: Table, directory: Path) -> Release | _LookedUp:
    """An earlier release that speaks of the same sensitive column of the same people."""
    other = load(directory)
    if not isinstance(other, Release):
        raise _NothingToJoinError(other.why_no_groups)
    if other.roles.sensitive != release.roles.sensitive or release.roles.sensitive is None:
        raise _NothingToJoinError("it shows another sensitive column")
    same_columns = set(other.roles.quasi_identifiers) == set(table.schema.quasi_identifiers)
    found = other if same_columns else _by_its_columns(other, table)
    if (found.locate(table) == NOWHERE).all():
        raise GygesError("none of its groups fits anyone in this table")
    return found


def _by_its_columns(other: Release, table: Table) -> _LookedUp:
    """Find the people by the earlier release's quasi-identifiers, which the source may have too.

    Not every row may be used (missing values): then the rows that are not are left out here too.
    """
    schema = other.roles.schema()
    lacking = [name for name in schema.quasi_identifiers if name not in table.source.columns]
    if lacking:
        raise GygesError(f"it shows {lacking[0]!r}, a column that this table does not have")
    if table.read_again is None:
        raise GygesError("it shows other columns, by which rows of a database cannot be looked up")
    people = table.read_again(schema)
    if len(people) != len(table.is_used):
        raise GygesError("it shows other columns, and the data has changed while it was read")
    groups, group_of_cell = with_united_groups(other.groups, other.candidates(people))
    return _LookedUp(groups, group_of_cell[people.cell_of_row][table.is_used])
