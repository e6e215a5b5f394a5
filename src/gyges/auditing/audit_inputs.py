"""What an audit was given besides the release: read, and refused where it does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gyges.arguments import items, path
from gyges.auditing.finding import Audited
from gyges.auditing.foreign_tables import as_people
from gyges.data.table import Table
from gyges.errors import ReleaseError
from gyges.release.groups import Groups
from gyges.release.release import Release


def people_given(
    release: Audited, original: object, population: object, control: object
) -> tuple[Table | None, Table | None, Table | None]:
    """The tables of people; a frame is read with the roles of the release."""
    known = release if isinstance(release, Release) else None
    given = {"original": original, "population": population, "control": control}
    if control is not None and original is None:
        raise ReleaseError("a control is compared with the original: give the original too")
    people, everyone, others = (as_people(one, known, name) for name, one in given.items())
    return people, everyone, others


def check_mapping(mapping: object, original: object) -> None:
    """Refuse a mapping that is no path, or that comes without the original."""
    if mapping is None:
        return
    path(mapping, "mapping", ReleaseError)
    if original is None:
        raise ReleaseError(
            "the mapping records the group of each person of the original table: give the original "
            "too, or omit the mapping"
        )


def other_releases_given(others: object) -> list[Release | Path]:
    """The other releases as a list; an iterator can be read only once."""
    return [
        other if isinstance(other, Release) else path(other, "others: a release", ReleaseError)
        for other in items(others, "others", "releases or their directories", ReleaseError)
    ]


def refuse_misfits(
    release: Audited,
    original: Table | None,
    population: Table | None,
    others: Sequence[Release | Path],
) -> None:
    """Refuse what this release cannot be compared with."""
    is_compared = original is not None or population is not None
    if not isinstance(release, Groups) and release.why_no_groups and (is_compared or others):
        raise ReleaseError(release.why_no_groups)
    if isinstance(release, Groups) and is_compared:
        raise ReleaseError(
            "people are looked up by the labels of a release, and groups alone have none: give the "
            "release, or omit the original and the population"
        )
    if others and not is_compared:
        raise ReleaseError(
            "to combine releases, people must be looked up: give the original or a population"
        )
