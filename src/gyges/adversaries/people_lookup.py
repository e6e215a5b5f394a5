"""Which group each person is in, in several releases: the first step of combining them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from gyges.adversaries.ambiguous_matches import (
    WithCandidates,
    candidates_of,
    merged_alike,
    with_united_groups,
)
from gyges.arguments import as_array, items, mapping, shown
from gyges.arrays import BoolArray, IntArray, frozen
from gyges.data.cells import distinct_rows
from gyges.data.table import Table
from gyges.data.values import Value, check_value, sort_key, text_of
from gyges.errors import GroupsError, ReleaseError, RuleError
from gyges.release.groups import Groups
from gyges.release.locating import NOWHERE, SEVERAL
from gyges.release.release import Release

if TYPE_CHECKING:
    import pyarrow as pa


__all__ = [
    "NOWHERE",
    "SEVERAL",
    "Locatable",
    "Located",
    "Whereabouts",
    "WithCandidates",
    "locate",
    "whereabouts",
]


@runtime_checkable
class Locatable(Protocol):
    """A release in which people are found by their quasi-identifiers [Ganta2008, Def. 6]."""

    @property
    def groups(self) -> Groups:
        """People per group, and how often each value occurs."""
        ...

    def locate(self, people: Table) -> IntArray:
        """The group of each row of `people`; NOWHERE or SEVERAL where there is no one group."""
        ...


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


def _checked(releases: object) -> list[Groups | Locatable]:
    listed = items(releases, "releases", "releases or groups")
    if not listed:
        raise RuleError("releases is empty: give at least one release")
    for number, release in enumerate(listed, start=1):
        if not isinstance(release, Groups) and not callable(getattr(release, "locate", None)):
            raise RuleError(
                f"releases: number {number}, {shown(release)}, is not a release: give one "
                f"(gy.load), or groups with members"
            )
    return listed  # type: ignore[return-value]


def locate(
    releases: Sequence[Groups | Locatable],
    people: Sequence[str] | Table,
    similar: Mapping[str, str] | None = None,
) -> Located:
    """Find people in releases: by name in groups with members, by quasi-identifiers in others.

    A table of people is looked up by its one identifier in a release that is given as groups.
    `similar` gives the name under which values count that may change into each other (as texts).
    """
    releases = _checked(releases)
    if not isinstance(people, Table):
        people = [
            str(check_value(one, "people: a name")) for one in items(people, "people", "names")
        ]
    if not len(people):
        raise RuleError("people is empty: give at least one person")
    names = _names(people)
    places = []
    for number, release in enumerate(releases, start=1):
        if isinstance(release, Groups):
            places.append(_by_name(release, names, number))
        else:
            places.append(_by_quasi_identifiers(release, people, number))
        _refuse_several_values(places[-1].groups, number)
    found = np.stack([place.found for place in places], axis=1)
    if not isinstance(people, Table):
        _refuse_strangers(found)
    else:
        _refuse_nobody_located(found)
    return Located(
        _over_common_values([place.groups for place in places], similar or {}),
        np.stack([place.group_of for place in places], axis=1),
        found,
        None if isinstance(people, Table) else list(people),
        tuple(place.n_own for place in places),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Which groups the people are in, in one release."""

    groups: Groups  # the release's, and unions of several of them
    group_of: IntArray
    found: IntArray
    n_own: int  # how many of the groups are the release's


def _refuse_several_values(groups: Groups, number: int) -> None:
    if groups.values_per_person != "one":
        raise RuleError(
            f"release {number} has several sensitive values per person: the intersection "
            f"attack is defined for one value each"
        )


def _as_text(names: Sequence[str]) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.array(names, type=pa.string())
    except UnicodeEncodeError:
        raise RuleError("a person has a name that cannot be written as UTF-8") from None


def _names(people: Sequence[str] | Table) -> pa.Array | None:
    """The people's names as Arrow text; None for a table without one identifier."""
    import pyarrow as pa

    if not isinstance(people, Table):
        return _as_text(people)
    if len(people.schema.identifiers) != 1:
        return None
    column = people.fetch(people.schema.identifiers).column(0).cast(pa.string())
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _by_name(groups: Groups, names: pa.Array | None, number: int) -> _Place:
    """The group of each person by membership: one hash join."""
    import pyarrow.compute as pc

    if groups.members is None:
        raise GroupsError(
            f"release {number} is given as groups without members: give their members, or the "
            f"release itself with a table of people"
        )
    if names is None:
        raise RuleError(
            f"release {number} is given as groups with members: the table of people needs one "
            f"identifier column to be looked up in it"
        )
    members = _as_text(list(chain.from_iterable(groups.members)))
    place = pc.index_in(names, value_set=members).fill_null(len(members)).to_numpy()
    sizes = [len(group) for group in groups.members]
    group_of_member = np.append(np.repeat(np.arange(len(sizes)), sizes), NOWHERE)
    group_of = np.asarray(group_of_member[place], dtype=np.int64)
    return _Place(groups, group_of, group_of, len(groups))


def _refuse_strangers(group_of: IntArray) -> None:
    strangers = int((group_of == NOWHERE).all(axis=1).sum())
    if strangers:
        raise RuleError(
            f"{strangers:,} of the people named are in none of the releases: names must match "
            f"exactly, also in case"
        )


def _refuse_nobody_located(found: IntArray) -> None:
    """Refuse a release in which nobody is located: that is no sign of safety."""
    for number, lost in enumerate((found == NOWHERE).all(axis=0), start=1):
        if lost and len(found):
            raise RuleError(
                f"nobody is located in release {number}: the people fit none of its groups, so "
                f"nothing can be said about them; check that its columns are spelled as in the "
                f"table of people, and that it is about these people"
            )


def _by_quasi_identifiers(release: Locatable, people: Sequence[str] | Table, number: int) -> _Place:
    if not isinstance(release, Locatable):
        raise RuleError(
            f"a {type(release).__name__} is not a release: give gy.Groups with members, or a "
            f"release such as gy.load returns"
        )
    if not isinstance(people, Table):
        raise RuleError(
            f"release {number} does not name its people: give a table of people with their "
            f"quasi-identifiers (gy.read), not a list of names"
        )
    if isinstance(release, Release) and release.roles.parts:
        raise RuleError(
            f"release {number} has the sensitive columns "
            f"{', '.join(map(repr, release.roles.parts))}: attack one at a time, "
            f"release.about({release.roles.parts[0]!r}) or --sensitive {release.roles.parts[0]}"
        )
    if isinstance(release, WithCandidates):
        try:
            candidates = candidates_of(release, people)
        except ReleaseError as problem:  # other columns, or a label that cannot be read
            raise ReleaseError(f"release {number}: {problem}") from None
        own, alike = merged_alike(release.groups, candidates)
        groups, group_of_cell = with_united_groups(own, alike)
        rows, n_own = people.cell_of_row, len(own)
        return _Place(groups, group_of_cell[rows], candidates.only[rows], n_own)
    found = np.asarray(release.locate(people), dtype=np.int64)
    if len(found) != len(people) or found.max(initial=NOWHERE) >= len(release.groups):
        raise GroupsError(f"release {number} locates people in groups that do not exist")
    return _Place(release.groups, found, found, len(release.groups))


def _over_common_values(
    releases: Sequence[Groups], similar: Mapping[str, str]
) -> tuple[Groups, ...]:
    """The same groups, coded by the sorted values of all releases together."""
    known: dict[str, Value] = {}
    for groups in releases:
        for value in groups.values:
            text = text_of(value)
            known.setdefault(similar.get(text, text), similar.get(text, value))
    values = sorted(known.values(), key=sort_key)
    place = {text_of(value): code for code, value in enumerate(values)}
    place |= {text: place[name] for text, name in similar.items() if name in place}
    return tuple(
        groups
        if groups.values == values
        else groups.recoded([place[text_of(value)] for value in groups.values], values)
        for groups in releases
    )


def read_similar(stated: Mapping[str, Sequence[Value]] | None) -> dict[str, str]:
    """The name of each value's class, from {name: values that may change into each other}."""
    found: dict[str, str] = {}
    for name, values in mapping(stated or {}, "similar", "{name: [value, …]}").items():
        for value in items(values, f"similar: {name!r}", "values"):
            text = text_of(check_value(value, f"similar: {name!r}: a value"))
            if found.setdefault(text, str(name)) != str(name):
                raise RuleError(f"similar: a value is in two classes, one of them {name!r}")
    names = set(found.values())
    strange = sorted(name for name in names if found.get(name, name) != name)
    if strange:
        raise RuleError(f"similar: {strange[0]!r} names a class and is a value of another one")
    return found
