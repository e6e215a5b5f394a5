"""What a new release reveals together with earlier ones about the same people.

Before the new release leaves the building, the intersection attack [Ganta2008] is run on it and on
all releases that, by the ledger, have left. The ledger keeps a copy of each of them, so it does not
matter where a release is now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gyges.adversaries.ambiguous_matches import with_united_groups
from gyges.adversaries.other_releases import IntersectionAttack, intersection_attack
from gyges.arrays import IntArray
from gyges.auditing.forms import load
from gyges.data.table import Table
from gyges.errors import GygesError
from gyges.exact import counted
from gyges.release.directory import CERTIFICATE
from gyges.release.groups import Groups
from gyges.release.locating import NOWHERE
from gyges.release.release import Release
from gyges.workflow.kept_releases import files_of, refuse_changed
from gyges.workflow.recorded_releases import RecordedRelease


@dataclass(frozen=True, eq=False)
class Comparison:
    """A new release joined with earlier ones; those it could not be joined with, and why."""

    attack: IntersectionAttack | None = None  # None if it was joined with nothing
    before: IntersectionAttack | None = None  # on the earlier ones only, if there are several
    joined: tuple[RecordedRelease, ...] = ()
    left_alone: tuple[tuple[RecordedRelease, str], ...] = ()
    unresolved: tuple[RecordedRelease, ...] = ()  # what they reveal with it is unknown

    @property
    def n_newly_certain(self) -> int:
        """The number of people whose value is certain with this release and the earlier ones only.

        Not counted: people whose value any single release, or the earlier ones, already disclose.
        """
        if self.attack is None:
            return 0
        newly = self.attack.is_exposed(1) & ~self.attack.already_disclosed
        if self.before is not None:
            newly &= ~self.before.is_exposed(1)
        return int(newly.sum())

    @property
    def n_vulnerable(self) -> int:
        """The number of people for whom joining leaves fewer values than the best release alone."""
        return 0 if self.attack is None else int(self.attack.vulnerable.sum())

    @property
    def compared_with(self) -> tuple[int, ...]:
        """The ledger's numbers of the releases that it was joined with."""
        return tuple(entry.number for entry in self.joined)

    @property
    def not_compared(self) -> dict[int, str]:
        """The ledger's numbers of the others, each with the reason."""
        return {entry.number: why for entry, why in self.left_alone}

    @property
    def exposing(self) -> dict[str, object]:
        """What the ledger records of the people whom the release exposes with earlier ones."""
        certain = {} if self.attack is None else {"newly_certain": self.n_newly_certain}
        numbers = [entry.number for entry in self.unresolved]
        return {**certain, **({"unresolved": numbers} if numbers else {})}

    def stated(self) -> dict[str, object] | None:
        """The comparison as data; None if there was nothing to compare with."""
        if not self.joined and not self.left_alone:
            return None
        return {
            "releases": [entry.place for entry in self.joined],
            "newly_certain": self.n_newly_certain,
            "vulnerable": self.n_vulnerable,
            "not_compared": [{"release": one.place, "why": why} for one, why in self.left_alone],
        }

    def __str__(self) -> str:
        lines = []
        if self.attack is not None:
            count = len(self.joined)
            others = "the earlier release" if count == 1 else f"the {count} earlier releases"
            lines.append(f"Together with {others}, {self._learned(len(self.attack.posterior))}")
            n_contradicted = int(self.attack.contradicted.sum())
            if n_contradicted:
                lines.append(
                    f"The releases contradict each other on {counted(n_contradicted, 'person')} "
                    f"(values "
                    f"spelled differently, or changed): what they reveal about these people "
                    f"together is unknown"
                )
        lines += [f"not compared with {entry.place}: {why}" for entry, why in self.left_alone]
        return "\n".join(lines)

    def _learned(self, n_people: int) -> str:
        """What joining the releases reveals, in words."""
        certain = "nobody's value becomes certain"
        if self.n_newly_certain:
            certain = (
                f"this one makes the value of {self.n_newly_certain:,} of {n_people:,} people "
                f"certain that was not certain before"
            )
        if not self.n_vulnerable:
            return f"{certain}, and nobody has fewer possible values."
        but = "and" if self.n_newly_certain else "but"
        fewer = f"{self.n_vulnerable:,} of {n_people:,} people have fewer possible values"
        return f"{certain}, {but} {fewer}."


def join_earlier(
    release: Release, table: Table, earlier: Sequence[RecordedRelease], ledger: Path
) -> Comparison:
    """Attack everyone in the table with the new release and all earlier ones that can be read.

    Args:
        earlier: entries of the ledger at this path.
    """
    found, joined, left_alone, unresolved = [], [], [], []
    for entry in earlier:
        try:
            other = _readable(release, table, _unchanged_files(entry, ledger))
        except GygesError as problem:
            left_alone.append((entry, str(problem).splitlines()[0]))
            if not isinstance(problem, _NothingToJoinError):
                unresolved.append(entry)
        else:
            found.append(other)
            joined.append(entry)
    attack = intersection_attack([release, *found], table) if found else None
    before = intersection_attack(found, table) if len(found) > 1 else None
    return Comparison(attack, before, tuple(joined), tuple(left_alone), tuple(unresolved))


def _unchanged_files(entry: RecordedRelease, ledger: Path) -> Path:
    """The ledger's copy of a release, or the release itself, unchanged."""
    found = files_of(entry, ledger)
    if not (found / CERTIFICATE).is_file():
        raise GygesError("it is no longer there, and no copy of it was kept")
    refuse_changed(found, entry.digest)
    return found


class _NothingToJoinError(GygesError):
    """The earlier release has no groups, or another sensitive column."""


@dataclass(frozen=True, eq=False)
class _LookedUp:
    """An earlier release in which the people were looked up by its own columns."""

    groups: Groups  # the release's, and unions of several of them
    group_of_row: IntArray  # for each row of the new release's table

    def locate(self, people: Table) -> IntArray:
        """The group of each row of that table."""
        return self.group_of_row


def _readable(release: Release, table: Table, directory: Path) -> Release | _LookedUp:
    """An earlier release with the same sensitive column of the same people."""
    other = load(directory)
    if not isinstance(other, Release):
        raise _NothingToJoinError(other.why_no_groups)
    if other.roles.sensitive != release.roles.sensitive or release.roles.sensitive is None:
        raise _NothingToJoinError("it has another sensitive column")
    same_columns = set(other.roles.quasi_identifiers) == set(table.schema.quasi_identifiers)
    found = other if same_columns else _by_its_columns(other, table)
    if (found.locate(table) == NOWHERE).all():
        raise GygesError("nobody in this table fits any of its groups")
    return found


def _by_its_columns(other: Release, table: Table) -> _LookedUp:
    """Look people up by the earlier release's quasi-identifiers, if the source has them too.

    Rows that the new table does not use (missing values) are left out here too.
    """
    schema = other.roles.schema()
    lacking = [name for name in schema.quasi_identifiers if name not in table.source.columns]
    if lacking:
        raise GygesError(f"it has the column {lacking[0]!r}, which this table does not have")
    if table.read_again is None:
        raise GygesError("it has other columns, by which rows of a database cannot be looked up")
    people = table.read_again(schema)
    if len(people) != len(table.is_used):
        raise GygesError("it has other columns, and the data changed while it was read")
    groups, group_of_cell = with_united_groups(other.groups, other.candidates(people))
    return _LookedUp(groups, group_of_cell[people.cell_of_row][table.is_used])
