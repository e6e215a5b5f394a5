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

from gyges.adversaries.other_releases import IntersectionAttack, intersection_attack
from gyges.arrays import BoolArray
from gyges.data.table import Table
from gyges.dp.files import is_noisy
from gyges.errors import GygesError
from gyges.marginals.files import is_marginals
from gyges.release.certificate import NAME
from gyges.release.files import load
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
    found, joined, left_alone = [], [], []
    for entry in earlier:
        try:
            other = _readable(release, table, _files_of(entry, ledger))
        except GygesError as problem:
            left_alone.append((entry, str(problem).splitlines()[0]))
        else:
            found.append(other)
            joined.append(entry)
    attack = intersection_attack([release, *found], table) if found else None
    before = np.zeros(table.n_people, dtype=bool)
    if len(found) > 1:
        before = intersection_attack(found, table).is_exposed(1)
    return Joined(attack, before, tuple(joined), tuple(left_alone))


def _files_of(entry: RecordedRelease, ledger: Path) -> Path:
    """The copy that the ledger keeps of a release, or the release itself, unchanged."""
    kept, original = folder_of(ledger) / entry.digest, ledger.parent / entry.place
    if not kept.is_dir() and not (original / NAME).is_file():
        raise GygesError("it is no longer there, and no copy of it was kept")
    found = kept if kept.is_dir() else original
    refuse_changed(found, entry.digest)
    return found


def _readable(release: Release, table: Table, directory: Path) -> Release:
    """An earlier release that speaks of the same sensitive column of the same people."""
    if is_noisy(directory):
        raise GygesError("its noise hides everybody; what both tell is bounded by its epsilon")
    if is_marginals(directory):
        raise GygesError("it consists of views, in which nobody has a group")
    other = load(directory)
    if other.roles.sensitive != release.roles.sensitive or release.roles.sensitive is None:
        raise GygesError("it shows another sensitive column")
    if (other.locate(table) == NOWHERE).all():  # which refuses other quasi-identifiers
        raise GygesError("none of its groups fits anyone in this table")
    return other
