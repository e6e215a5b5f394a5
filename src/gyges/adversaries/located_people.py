"""People, releases, and the group of each person in each release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gyges.arguments import as_array
from gyges.arrays import BoolArray, IntArray, frozen
from gyges.data.cells import distinct_rows
from gyges.data.values import Value, sort_key, text_of
from gyges.errors import RuleError
from gyges.release.groups import Groups
from gyges.release.locating import NOWHERE, SEVERAL

_MOST_PEOPLE = 10**12  # of a release; sums of counts then stay far below 2^63


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """How many of the people were located in a release."""

    in_one_group: int
    in_several: int  # groups that all fit them
    in_none: int

    def __str__(self) -> str:
        return (
            f"{self.in_one_group:,} fit one group, {self.in_several:,} fit several and "
            f"{self.in_none:,} fit none"
        )


def whereabouts(found: IntArray) -> Whereabouts:
    """Count the people in one group, SEVERAL or NOWHERE."""
    return Whereabouts(
        in_one_group=int((found >= 0).sum()),
        in_several=int((found == SEVERAL).sum()),
        in_none=int((found == NOWHERE).sum()),
    )


@dataclass(frozen=True, eq=False)
class Located:
    """People, releases, and the group of each person in each release.

    The releases have the same `values`: those of all of them together, sorted. Values of the same
    text (45, 45.0, "45") are one. Where a person fits several groups, the union of these is one
    more group of the release (see ambiguous_matches.py).
    """

    releases: tuple[Groups, ...]  # over the common values
    group_of: IntArray  # people × releases; below 0 where the release says nothing of a person
    found: IntArray  # people × releases; the one group, or NOWHERE, or SEVERAL
    names: list[str] | None  # of the people, where they were given by name
    n_own: tuple[int, ...]  # how many groups are the release's own; the others are unions

    def __post_init__(self) -> None:
        frozen(self.group_of, self.found)

    def __len__(self) -> int:
        return len(self.group_of)

    @cached_property
    def counts(self) -> tuple[Whereabouts, ...]:
        """For each release, how many of the people were located in it."""
        return tuple(map(whereabouts, self.found.T))

    @property
    def n_unlisted(self) -> tuple[int, ...]:
        """For each release, how many more people it holds than were located in it, at least."""
        held = (int(r.sizes[:n].sum()) for r, n in zip(self.releases, self.n_own, strict=True))
        return tuple(
            max(n - where.in_one_group - where.in_several, 0)
            for n, where in zip(held, self.counts, strict=True)
        )

    @property
    def is_anywhere(self) -> BoolArray:
        """For each person, whether they were located in some release."""
        return np.asarray((self.found != NOWHERE).any(axis=1))

    @property
    def values(self) -> list[Value]:
        """The sensitive values of all releases."""
        return self.releases[0].values

    def row(self, person: str | int) -> int:
        """The place of a person, given by name or by place."""
        if not isinstance(person, str):
            if not 0 <= person < len(self):
                raise RuleError(f"there is no person {person}: give 0 to {len(self) - 1}")
            return int(person)
        if self.names is None or person not in self._row_of_name:
            raise RuleError("that person is not among the people of this attack")
        return self._row_of_name[person]

    @cached_property
    def _row_of_name(self) -> dict[str, int]:
        return {name: row for row, name in reversed(list(enumerate(self.names or [])))}

    @cached_property
    def combinations(self) -> tuple[IntArray, IntArray]:
        """The distinct rows of `group_of`, and each person's place among them."""
        shifted = np.maximum(self.group_of, NOWHERE) + 1
        distinct, where = distinct_rows(
            shifted.astype(np.int32), [len(groups) + 1 for groups in self.releases]
        )
        return distinct.astype(np.int64) - 1, where

    def where_present(self, present: Sequence[Sequence[bool]] | BoolArray | None) -> Located:
        """The same people, where `present` (people × releases) says who is not in a release."""
        if present is None:
            return self
        people, releases = self.found.shape
        of = f"True or False for each of {people:,} people and {releases} releases, a row for each"
        known = as_array(present, "present", of)
        if known.dtype != bool or known.shape != self.found.shape:
            raise RuleError(f"present must hold {of} person")
        found, group_of = (np.where(known, one, NOWHERE) for one in (self.found, self.group_of))
        return replace(self, found=found, group_of=group_of)

    def take(self, rows: IntArray) -> Located:
        """Some of the people."""
        names = None if self.names is None else [self.names[row] for row in rows.tolist()]
        return replace(self, group_of=self.group_of[rows], found=self.found[rows], names=names)

    def only(self, release: int) -> Located:
        """The same people in one of the releases."""
        column = slice(release, release + 1)
        return Located(
            self.releases[column],
            self.group_of[:, column],
            self.found[:, column],
            self.names,
            self.n_own[column],
        )


@dataclass(frozen=True, slots=True, eq=False)
class PeopleInGroups:
    """Which groups the people are in, in one release."""

    groups: Groups  # the release's, and unions of several of them
    group_of: IntArray
    found: IntArray
    n_own: int  # how many of the groups are the release's

    def with_more(self, group_of: IntArray) -> PeopleInGroups:
        """The same people, and after them others in known groups (or NOWHERE)."""
        group_of_all, found = (np.append(one, group_of) for one in (self.group_of, self.found))
        return replace(self, group_of=group_of_all, found=found)


def located_in(
    places: Sequence[PeopleInGroups], names: list[str] | None, similar: Mapping[str, str]
) -> Located:
    """The same people in several releases; `similar` as in `locate`."""
    for number, place in enumerate(places, start=1):
        if place.groups.sizes.astype(np.float64).sum() > _MOST_PEOPLE:
            raise RuleError(
                f"release {number} states more than {_MOST_PEOPLE:,} people: check its counts"
            )
    return Located(
        _over_common_values([place.groups for place in places], similar),
        np.stack([place.group_of for place in places], axis=1),
        np.stack([place.found for place in places], axis=1),
        names,
        tuple(place.n_own for place in places),
    )


def _over_common_values(
    releases: Sequence[Groups], similar: Mapping[str, str]
) -> tuple[Groups, ...]:
    """The same groups, coded by the sorted values of all releases together."""
    known: dict[str, Value] = {}
    for groups in releases:
        for value in groups.values:
            text = text_of(value)
            known.setdefault(similar.get(text, text), similar.get(text, value))
    names = set(similar.values())
    own = {text_of(value) for groups in releases for value in groups.values} - set(similar)
    if names & own:
        raise RuleError(
            f"similar: {min(names & own)!r} names a class, and is a value of the releases that is "
            f"not in it: list it among the values of the class, or give the class another name"
        )
    values = sorted(known.values(), key=sort_key)
    place = {text_of(value): code for code, value in enumerate(values)}
    place |= {text: place[name] for text, name in similar.items() if name in place}
    return tuple(
        groups
        if groups.values == values
        else groups.recoded([place[text_of(value)] for value in groups.values], values)
        for groups in releases
    )
