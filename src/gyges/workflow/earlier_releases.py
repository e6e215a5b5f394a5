"""What a new release reveals together with earlier ones about the same people.

Before the new release leaves the building, the joint attack (adversaries/joint_attack.py) is run on
it and on all releases that, by the ledger, have left. The ledger keeps a copy of each of them, so
it does not matter where a release is now, and records who was in it if columns identify people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import BoolArray
from gyges.data.people_words import as_counted
from gyges.data.table import Table
from gyges.errors import GygesError
from gyges.exact import counted
from gyges.release.locating import NOWHERE, SEVERAL
from gyges.release.release import Release
from gyges.workflow.looked_up_people import (
    LookedUp,
    NothingToJoinError,
    look_up,
    unchanged_files,
)
from gyges.workflow.people_who_left import NOBODY_LEFT, Leavers, attack_leavers
from gyges.workflow.recorded_people import RecordedPeople, people_file, read_people
from gyges.workflow.recorded_releases import RecordedRelease

if TYPE_CHECKING:
    from gyges.adversaries.joint_attack import JointAttack


@dataclass(frozen=True, eq=False)
class Comparison:
    """A new release joined with earlier ones; those it could not be joined with, and why."""

    attack: JointAttack | None = None  # None if it was joined with nothing
    before: JointAttack | None = None  # on the earlier ones only, if there are several
    joined: tuple[RecordedRelease, ...] = ()
    left_alone: tuple[tuple[RecordedRelease, str], ...] = ()
    unread: tuple[RecordedRelease, ...] = ()  # left alone, though they have groups to join
    doubts: tuple[str, ...] = ()  # why the attack on those joined may have missed something
    rows_are_people: bool = False  # no column of the table identifies people
    leavers: Leavers = NOBODY_LEFT  # people of the earlier ones who are not in the table

    @property
    def unresolved(self) -> tuple[RecordedRelease, ...]:
        """The earlier releases with which it may reveal more than was found."""
        is_open = bool(self.doubts) or bool(self.n_undecided) or bool(self.n_contradicted)
        is_open = is_open or self.leavers.is_open
        return (*self.unread, *(self.joined if is_open else ()))

    @property
    def n_newly_certain(self) -> int:
        """The number of people whose value is certain with this release and the earlier ones only.

        Counted are the people in the table and those who left. Not counted: people whose value any
        single release, or the earlier ones, already disclose.
        """
        return self._n_certain_here + self.leavers.n_certain

    @property
    def _n_certain_here(self) -> int:
        """The same of the people in the table."""
        return 0 if self.attack is None else int((self.attack.is_exposed(1) & self._is_new).sum())

    @property
    def n_undecided(self) -> int:
        """The number of other people of whom that was neither proven nor excluded."""
        return 0 if self.attack is None else int((self.attack.is_undecided(1) & self._is_new).sum())

    @property
    def n_contradicted(self) -> int:
        """The number of people on whom the releases contradict each other."""
        return 0 if self.attack is None else int(self.attack.contradicted.sum())

    @property
    def _is_new(self) -> BoolArray:
        """Whose value was not certain before this release."""
        assert self.attack is not None
        is_new = ~self.attack.already_disclosed
        return is_new if self.before is None else is_new & ~self.before.is_exposed(1)

    @property
    def n_vulnerable(self) -> int:
        """The number of people in the table for whom this release leaves fewer possible values.

        Fewer than any release alone, and than the earlier ones together.
        """
        if self.attack is None:
            return 0
        before = self.attack.prior.min(axis=1)
        if self.before is not None:
            before = np.minimum(before, self.before.posterior)
        return int((self.attack.posterior < before).sum())

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
        certain = {}
        if self.attack is not None:
            certain = {
                "newly_certain": self.n_newly_certain,
                "rows_are_people": self.rows_are_people,
            }
        numbers = [entry.number for entry in self.unresolved]
        return {**certain, **({"unresolved": numbers} if numbers else {})}

    def stated(self) -> dict[str, object] | None:
        """The comparison as data; None if there was nothing to compare with."""
        if not self.joined and not self.left_alone:
            return None
        return {
            "releases": [entry.place for entry in self.joined],
            "rows_are_people": self.rows_are_people,
            "newly_certain": self.n_newly_certain,
            "undecided": self.n_undecided,
            "left": self.leavers,
            "vulnerable": self.n_vulnerable,
            "not_compared": [{"release": one.place, "why": why} for one, why in self.left_alone],
        }

    def __str__(self) -> str:
        lines = [] if self.attack is None else self._of_joined()
        lines += [f"not compared with {entry.place}: {why}" for entry, why in self.left_alone]
        return as_counted("\n".join(lines), self.rows_are_people)

    def _of_joined(self) -> list[str]:
        assert self.attack is not None
        count = len(self.joined)
        others = "the earlier release" if count == 1 else f"the {count} earlier releases"
        lines = [f"Together with {others}, {self._learned(len(self.attack.posterior))}"]
        if self.n_contradicted:
            lines.append(
                f"The releases contradict each other on {counted(self.n_contradicted, 'person')} "
                f"(values spelled differently or changed, or people who came or left and were "
                f"looked up in the wrong group): what they reveal about these people together is "
                f"unknown"
            )
        elif self.n_undecided:
            more = counted(self.n_undecided, "more person", "more people")
            lines.append(f"it is not excluded that they make the value of {more} certain")
        return [*lines, *self._of_leavers(), *self.doubts]

    def _of_leavers(self) -> list[str]:
        left = self.leavers
        if not left.n_people:
            return []
        people = counted(
            left.n_people, "person of earlier releases is", "people of earlier ones are"
        )
        certain = f"{'at least ' if left.is_open else ''}{left.n_certain:,} of them"
        lines = [f"{people} not in this table: their absence makes the value of {certain} certain"]
        if not left.n_certain and not left.is_open:
            lines = [f"{people} not in this table: their absence makes nobody's value certain"]
        if left.n_releases > 1:
            lines = [
                f"at least {people} not in this table: all releases together make the value of "
                f"{certain} certain"
            ]
        if left.n_undecided:
            lines.append(
                f"it is not excluded that it does so for {left.n_undecided:,} more of them"
            )
        if left.n_releases > 1:
            lines.append(
                "people left several earlier releases: what these reveal together about someone "
                "who was in several of them was not examined"
            )
        return lines

    def _learned(self, n_people: int) -> str:
        """What joining the releases reveals, in words."""
        is_open = bool(self.unresolved)
        certain = "nobody's value becomes certain (proven)"
        if self.leavers.n_people:
            certain = "the value of nobody in this table becomes certain (proven)"
        if self._n_certain_here or is_open:
            # Those who left the earlier releases may have made more certain before than was found.
            found = "found to be " if is_open and self.before is not None else ""
            certain = (
                f"this one makes the value of {'at least ' if is_open and not found else ''}"
                f"{self._n_certain_here:,} of {n_people:,} people certain that was not {found}"
                f"certain before{'' if is_open else ' (proven)'}"
            )
        if not self.n_vulnerable:
            return f"{certain}, and no further value is ruled out for anyone in this table."
        but = "and" if self._n_certain_here or is_open else "but"
        these = ", these included," if self._n_certain_here else ""
        fewer = f"{self.n_vulnerable:,} of {n_people:,} people{these} have fewer possible values"
        return f"{certain}, {but} {fewer}."


def join_earlier(
    releases: Sequence[Release], table: Table, earlier: Sequence[RecordedRelease], ledger: Path
) -> Comparison:
    """Attack everyone in the table with the new release and all earlier ones that can be read.

    Args:
        releases: the new release; several where it consists of views.
        earlier: entries of the ledger at this path.
    """
    from gyges.adversaries.other_releases import intersection_attack

    if table.stand_ins is not None:  # the worst attacker knows who lacks a value
        table = replace(table, missing="value")
    looked_up, joined, left_alone, unread = [], [], [], []
    for entry in earlier:
        recorded = read_people(people_file(entry.digest, ledger))
        try:
            others = look_up(releases[0], table, unchanged_files(entry, ledger), recorded)
        except GygesError as problem:
            left_alone.append((entry, str(problem).splitlines()[0]))
            if not isinstance(problem, NothingToJoinError):
                unread.append(entry)
        else:
            joined.append(entry)
            looked_up += [(entry, other, recorded) for other in others]
    if not looked_up:
        return Comparison(left_alone=tuple(left_alone), unread=tuple(unread))
    found = [other for _, other, _ in looked_up]
    doubts = [
        why
        for entry, other, recorded in looked_up
        if (why := _unrecognized(entry, recorded, table) or _doubt(entry, other, table))
    ]
    if releases[0].roles.published:
        doubts.append(_shows_more("this release", releases[0].roles.published))
    new = [_with_own_groups(release) for release in releases]
    return Comparison(
        intersection_attack([*new, *found], table, joint=True),
        intersection_attack(found, table, joint=True) if len(found) > 1 else None,
        tuple(joined),
        tuple(left_alone),
        tuple(unread),
        tuple(dict.fromkeys(doubts)),
        rows_are_people=table.rows_are_people,
        leavers=_leavers(releases[0], found),
    )


def _leavers(release: Release, earlier: Sequence[Release | LookedUp]) -> Leavers:
    """The attack on those who left, where it is known who was in which group."""
    known = [one for one in earlier if isinstance(one, LookedUp) and one.is_recorded]
    if release.partition is None or not known:
        return NOBODY_LEFT
    return attack_leavers(
        (release.groups, release.group_of_row),
        [(one.groups, one.group_of_row) for one in known],
        [one.left for one in known],
    )


def _with_own_groups(release: Release) -> Release | LookedUp:
    """The new release, with people in their own groups: whatever an attacker may find out."""
    if release.partition is None:
        return release
    return LookedUp(release.groups, release.group_of_row, release.n_people, is_recorded=True)


def _shows_more(place: str, published: Sequence[str]) -> str:
    return (
        f"{place} publishes {', '.join(published)} unchanged, which divides its groups further: "
        f"what an attacker who knows these values learns from the releases together was not "
        f"examined"
    )


def _unrecognized(
    entry: RecordedRelease, recorded: RecordedPeople | None, table: Table
) -> str | None:
    """The doubt about people without an identifier, or with one in another spelling."""
    if recorded is None:
        return None
    n, names = recorded.n_nameless(table), " or ".join(recorded.columns)
    if not n and (respelled := recorded.respelled(table)):
        have = counted(respelled, "person has a value", "people have values")
        return (
            f"{have} in {names} that {entry.place} has in another spelling (leading zeros, letter "
            f"case, blanks): each counts as one who left and one who came. Write {names} the same "
            f"way"
        )
    if not n:
        return None
    without = counted(n, "person has", "people have")
    return (
        f"in {entry.place} or in this table, {without} no value in {names}: "
        f"whether they are in both is unknown, so everyone was looked up by quasi-identifiers, and "
        f"an attacker who knows who came and who left may learn more"
    )


def _doubt(entry: RecordedRelease, other: Release | LookedUp, table: Table) -> str | None:
    """Why an attacker may know more about an earlier release than was used; None if they do not."""
    n_fitting = int((other.locate(table) != NOWHERE).sum())
    published = other.published if isinstance(other, LookedUp) else other.roles.published
    if published:
        return _shows_more(entry.place, published)
    if isinstance(other, LookedUp) and len(other.known_by) > 1 and n_fitting < other.n_people:
        return (
            f"people of {entry.place} are recognized by {' and '.join(other.known_by)} together: "
            f"someone for whom one of them changed counts as one who left and one who came. Name "
            f"the column that identifies people (person)"
        )
    if isinstance(other, LookedUp) and other.is_recorded:
        return None  # `_leavers` attacks those who left
    if isinstance(other, Release) and other.group_form.is_averaged:
        return (
            f"people were looked up in {entry.place} by the nearest centroid, which is a guess: "
            f"an attacker who knows their groups may learn more"
        )
    if n_fitting != other.n_people:
        return (
            f"who was in {entry.place} was not recorded: it has "
            f"{counted(other.n_people, 'person')}, and {n_fitting:,} of this table fit it. An "
            f"attacker who knows who came and who left may learn more. Name the columns that "
            f"identify people"
        )
    n_several = int((other.locate(table) == SEVERAL).sum())
    if isinstance(other, LookedUp):
        n_several = other.n_ambiguous
    if n_several:
        return (
            f"{counted(n_several, 'person fits', 'people fit')} several groups of {entry.place}, "
            f"and who was in which was not recorded: an attacker who knows it may learn more. Name "
            f"the columns that identify people"
        )
    return None
