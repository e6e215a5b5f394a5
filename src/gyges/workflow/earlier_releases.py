"""What a new release reveals together with earlier ones about the same people.

Before the new release leaves the building, the joint attack (adversaries/joint_attack.py) is run on
it and on all releases that, by the ledger, have left. The ledger keeps a copy of each of them, so
it does not matter where a release is now, and records who was in it if columns identify people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import BoolArray, IntArray
from gyges.data.people_words import as_counted
from gyges.data.table import Table
from gyges.errors import GygesError
from gyges.exact import counted
from gyges.release.release import Release
from gyges.workflow.looked_up_people import (
    LookedUp,
    NothingToJoinError,
    in_own_groups,
    look_up,
    unchanged_files,
)
from gyges.workflow.people_who_left import (
    NOBODY_LEFT,
    Leavers,
    everyone_in,
    leavers_of,
    names_of_leavers,
)
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
    assumed: tuple[str, ...] = ()  # releases that everyone in the table is taken to be in
    rows_are_people: bool = False  # no column of the table identifies people
    here: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # rows of people
    left: tuple[Mapping[str, int], ...] = ()  # of each release, who is not in the table

    @property
    def unresolved(self) -> tuple[RecordedRelease, ...]:
        """The earlier releases with which it may reveal more than was found."""
        is_open = bool(self.doubts) or bool(self.n_undecided) or bool(self.n_contradicted)
        is_open = is_open or self.leavers.is_open
        return (*self.unread, *(self.joined if is_open else ()))

    @cached_property
    def leavers(self) -> Leavers:
        """The people of the earlier releases who are not in the table."""
        return (
            NOBODY_LEFT if self.attack is None else leavers_of(self.attack, self._is_new, self.left)
        )

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
        if self.attack is None:
            return 0
        return self._count(self.attack.is_exposed(1) & self._is_new)

    @property
    def n_undecided(self) -> int:
        """The number of other people of whom that was neither proven nor excluded."""
        if self.attack is None:
            return 0
        return self._count(self.attack.is_undecided(1) & self._is_new)

    @property
    def n_contradicted(self) -> int:
        """The number of people on whom the releases contradict each other."""
        return 0 if self.attack is None else self._count(self.attack.contradicted)

    def _count(self, which: BoolArray) -> int:
        """How many people of the table these are."""
        return int(which[self.here].sum())

    @cached_property
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
        return self._count(self.attack.posterior < before)

    @property
    def _is_settled(self) -> bool:
        """Whether it is known of every value of everyone in the table if it is possible."""
        known = [one for one in (self.attack, self.before) if one is not None]
        return not any(self._count(one.n_shown < one.posterior) for one in known)

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
        lines = [f"Together with {others}, {self._learned(len(self.here))}"]
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
        is_open, proven = bool(self.unresolved), self._proven
        certain = f"nobody's value becomes certain{proven}"
        if self.leavers.n_people:
            certain = f"the value of nobody in this table becomes certain{proven}"
        if self._n_certain_here or is_open:
            found = "found to be " if self._may_be_certain_before else ""
            at_least = "at least " if is_open and not found and not self.assumed else ""
            basis = self._condition if is_open or found else proven
            certain = (
                f"this one makes the value of {at_least}{self._n_certain_here:,} of {n_people:,} "
                f"people certain that was not {found}certain before{basis}"
            )
        is_settled = self._is_settled
        if not self.n_vulnerable:
            is_ruled_out = "is ruled out" if is_settled else "was found to be ruled out"
            return f"{certain}, and no further value {is_ruled_out} for anyone in this table."
        but = "and" if self._n_certain_here or is_open else "but"
        these = ", these included," if self._n_certain_here else ""
        have = "have" if is_settled else "were found to have"
        fewer = f"{self.n_vulnerable:,} of {n_people:,} people{these} {have} fewer possible values"
        return f"{certain}, {but} {fewer}."

    @property
    def _proven(self) -> str:
        """That it is proven, and on which condition."""
        return f" (proven{self._condition})"

    @property
    def _condition(self) -> str:
        """On what it depends, where it was not recorded who was in a release."""
        if not self.assumed:
            return ""
        which = " and ".join(self.assumed)
        return f", if everyone in this table and nobody else was in {which}, which was not recorded"

    @property
    def _may_be_certain_before(self) -> bool:
        """Whether the earlier releases may have made certain more than was found."""
        if self.before is None or self.attack is None:
            return bool(self.doubts)
        is_doubtful = self.attack.is_exposed(1) & self._is_new & self.before.is_undecided(1)
        return bool(self.unresolved) or bool(is_doubtful.any())


def join_earlier(
    releases: Sequence[Release], table: Table, earlier: Sequence[RecordedRelease], ledger: Path
) -> Comparison:
    """Attack everyone in the table, and who left, with the new release and all earlier ones.

    Those that cannot be read are listed with the reason.

    Args:
        releases: the new release; several where it consists of views.
        earlier: entries of the ledger at this path.
    """
    if table.stand_ins is not None:  # the worst attacker knows who lacks a value
        table = replace(table, missing="value")
    joined, left_alone, unread, doubts = [], [], [], list[str | None]()
    looked_up: list[tuple[RecordedRelease, LookedUp]] = []
    records = [read_people(people_file(entry.digest, ledger)) for entry in earlier]
    for entry, recorded in zip(earlier, records, strict=True):
        try:
            others = look_up(releases[0], table, unchanged_files(entry, ledger), recorded)
        except GygesError as problem:
            left_alone.append((entry, str(problem).splitlines()[0]))
            if not isinstance(problem, NothingToJoinError):
                unread.append(entry)
        else:
            joined.append(entry)
            looked_up += [(entry, other) for other in others]
            doubts += [_unrecognized(entry, recorded, table) or _doubt(entry, o) for o in others]
    if not looked_up:
        return Comparison(left_alone=tuple(left_alone), unread=tuple(unread))
    found = [other for _, other in looked_up]
    new = [in_own_groups(release, table) for release in releases]
    if releases[0].roles.published:
        doubts.append(_shows_more("this release", releases[0].roles.published))
    is_unknown = {entry.place for entry, other in looked_up if not other.is_recorded}
    return Comparison(
        _attack([*new, *found], table, found),
        _attack(found, table, found) if len(found) > 1 else None,
        tuple(joined),
        tuple(left_alone),
        tuple(unread),
        tuple(dict.fromkeys(why for why in doubts if why is not None)),
        tuple(entry.place for entry in joined if entry.place in is_unknown),
        rows_are_people=table.rows_are_people,
        here=np.flatnonzero(table.is_first_row),
        left=tuple(one.left for one in found),
    )


def _attack(releases: Sequence[LookedUp], table: Table, earlier: Sequence[LookedUp]) -> JointAttack:
    """The attack on everyone in the table and who left one of the earlier releases."""
    from gyges.adversaries.joint_attack import attack_located

    names = names_of_leavers([one.left for one in earlier])
    everyone = everyone_in([one.place for one in releases], [one.left for one in releases], names)
    first = np.flatnonzero(table.is_first_row)
    rows = np.append(first, np.arange(len(table), len(table) + len(names)))
    return attack_located(everyone, table, rows)


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


def _doubt(entry: RecordedRelease, other: LookedUp) -> str | None:
    """Why an attacker may know more about an earlier release than was used; None if they do not."""
    if other.published:
        return _shows_more(entry.place, other.published)
    if len(other.known_by) > 1 and other.n_fitting < other.n_people:
        return (
            f"people of {entry.place} are recognized by {' and '.join(other.known_by)} together: "
            f"someone for whom one of them changed counts as one who left and one who came. Name "
            f"the column that identifies people (person)"
        )
    if other.is_recorded:
        return None  # those who left are attacked too
    if other.is_guessed:
        return (
            f"people were looked up in {entry.place} by the nearest centroid, which is a guess: "
            f"an attacker who knows their groups may learn more"
        )
    if other.n_fitting != other.n_people:
        return (
            f"who was in {entry.place} was not recorded: it has "
            f"{counted(other.n_people, 'person')}, and {other.n_fitting:,} of this table fit it. "
            f"An attacker who knows who came and who left may learn more. Name the columns that "
            f"identify people"
        )
    if other.n_ambiguous:
        return (
            f"{counted(other.n_ambiguous, 'person fits', 'people fit')} several groups of "
            f"{entry.place}, and who was in which was not recorded: an attacker who knows it may "
            f"learn more. Name the columns that identify people"
        )
    return None
