"""Which group each person is in, in several releases: the first step of combining them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from gyges.adversaries.ambiguous_matches import (
    WithCandidates,
    candidates_of,
    merged_alike,
    with_united_groups,
)
from gyges.adversaries.located_people import Located, PeopleInGroups, located_in
from gyges.arguments import items, mapping, shown
from gyges.arrays import IntArray
from gyges.data.table import Table
from gyges.data.values import Value, check_value, text_of
from gyges.errors import GroupsError, ReleaseError, RuleError
from gyges.release.groups import Groups
from gyges.release.locating import NOWHERE
from gyges.release.release import Release

if TYPE_CHECKING:
    import pyarrow as pa


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
    places = [
        _by_name(release, names, number)
        if isinstance(release, Groups)
        else _by_quasi_identifiers(release, people, number)
        for number, release in enumerate(releases, start=1)
    ]
    for number, place in enumerate(places, start=1):
        _refuse_several_values(place.groups, number)
    listed = None if isinstance(people, Table) else list(people)
    located = located_in(places, listed, similar or {})
    if listed is not None:
        _refuse_strangers(located.found)
    else:
        _refuse_nobody_located(located.found)
    return located


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


def _by_name(groups: Groups, names: pa.Array | None, number: int) -> PeopleInGroups:
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
    return PeopleInGroups(groups, group_of, group_of, len(groups))


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


def _by_quasi_identifiers(
    release: Locatable, people: Sequence[str] | Table, number: int
) -> PeopleInGroups:
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
            return find_people(release, people)
        except ReleaseError as problem:  # other columns, or a label that cannot be read
            raise ReleaseError(f"release {number}: {problem}") from None
    found = np.asarray(release.locate(people), dtype=np.int64)
    if len(found) != len(people) or found.max(initial=NOWHERE) >= len(release.groups):
        raise GroupsError(f"release {number} locates people in groups that do not exist")
    return PeopleInGroups(release.groups, found, found, len(release.groups))


def find_people(release: WithCandidates, people: Table) -> PeopleInGroups:
    """The groups that people fit by their quasi-identifiers."""
    candidates = candidates_of(release, people)
    own, alike = merged_alike(release.groups, candidates)
    groups, group_of_cell = with_united_groups(own, alike)
    rows = people.cell_of_row
    return PeopleInGroups(groups, group_of_cell[rows], candidates.only[rows], len(own))


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
