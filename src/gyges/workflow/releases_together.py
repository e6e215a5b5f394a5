"""Releases of any kind and columns, made ready to be attacked together.

Groups, averages and views are joined: everyone is in one group of each. A table with noise is not:
any count may be noise, so it excludes no value; its guarantee says how far it changes what an
attacker believes who holds the others. Every release that is not joined is named with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gyges.adversaries.ambiguous_matches import shared_columns
from gyges.auditing.finding import listed
from gyges.auditing.forms import load
from gyges.auditing.noise_promise import meaning_of_promise
from gyges.data.schema import Schema
from gyges.data.table import Table
from gyges.dp.published_noise import Noisy
from gyges.engines.read import open_source
from gyges.errors import GygesError, ReleaseError
from gyges.release.part_of_release import part_of_release
from gyges.release.published import Published
from gyges.release.release import Release
from gyges.release.statements import Roles
from gyges.workflow.project_file import read_project


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OpenedRelease:
    """A release or a published file, and its groups: several where it consists of views."""

    place: str
    is_certified: bool  # its certificate says how to read labels such as 148**
    parts: tuple[Release, ...]
    why_not: str  # why it is not joined, where it has no parts


def opened_release(path: Path, quasi: Sequence[str] | None, sensitive: str | None) -> OpenedRelease:
    """Read a release of any form, or a published file by the roles of its columns."""
    named = None if sensitive is None else quasi  # of a file, both must be named
    found: Published = load(path, schema_of_file(path, named, sensitive))
    parts = tuple(_about(one, sensitive) for one in found.as_groups())
    return OpenedRelease(str(path), path.is_dir(), parts, _why_not_joined(found))


def _why_not_joined(release: Published) -> str:
    """Why a release without groups is not joined, and what then limits what it adds.

    Noise that was drawn independently of the other releases has its guarantee also for an attacker
    who holds them [Ganta2008, Sect. 4]: they are knowledge that the attacker has beforehand.
    """
    if not isinstance(release, Noisy):
        return "nothing in it counts sensitive values"
    try:
        meaning = meaning_of_promise(release.published)
    except ReleaseError as problem:
        return f"it has noise, and nothing limits what it adds: {problem}"
    return (
        f"it has noise, so it excludes no value, and what it adds to the others was not computed. "
        f"Its own guarantee limits that, if the noise was drawn as stated, because the other "
        f"releases are knowledge that an attacker has beforehand. {meaning.removesuffix('.')}"
    )


def _about(release: Release, sensitive: str | None) -> Release:
    """The release with the sensitive column that is attacked, where it has several."""
    is_one = not release.roles.parts or sensitive is None
    return release if is_one else part_of_release(release, str(sensitive))


def schema_of_file(path: Path, quasi: Sequence[str] | None, sensitive: str | None) -> Schema | None:
    """The roles of a published file's columns; None for a directory, whose certificate has them.

    A file may lack some of the quasi-identifiers that are named: another release has them.
    """
    if not path.is_file():
        return None
    if quasi is None:
        raise GygesError(f"{str(path)!r} is a file: name its columns with --quasi and --sensitive")
    there = open_source(str(path))[0].columns
    names = [name for name in quasi if name in there] or list(quasi)
    return Schema(quasi_identifiers=names, sensitive=sensitive)


def common_roles(opened: Sequence[OpenedRelease], people: str, project: Path | None) -> Release:
    """A release with the quasi-identifiers of all that the table of people has too."""
    parts = [
        one.parts[0] for one in sorted(opened, key=lambda one: not one.is_certified) if one.parts
    ]
    every = [part for one in opened for part in one.parts]
    names = list(dict.fromkeys(n for part in every for n in part.roles.quasi_identifiers))
    there = open_source(people)[0].columns
    shared = [name for name in names if name in there]
    if not shared:
        raise GygesError(
            f"the people have none of the releases' columns {listed(names)}: give a people table "
            f"with some of them"
        )
    kinds: dict[str, str] = {}
    hierarchies: dict[str, object] = {}
    for part in reversed([*parts, *every]):
        kinds |= {n: kind for n, kind in part.roles.kinds.items() if n in shared}
        hierarchies |= {n: one for n, one in part.roles.hierarchies.items() if n in shared}
    if project is not None:
        known = read_project(project).schema_of_columns().hierarchies
        hierarchies = {n: one for n, one in hierarchies.items() if n not in known}
    sensitive = parts[0].roles.sensitive
    kinds |= {n: k for n, k in parts[0].roles.kinds.items() if n == sensitive}
    shapes = {n: s for n, s in parts[0].roles.shapes.items() if n in (*shared, sensitive)}
    roles = Roles(tuple(shared), sensitive, (), kinds, hierarchies, shapes)  # type: ignore[arg-type]
    return replace(parts[0], roles=roles)


def not_joined(opened: Sequence[OpenedRelease]) -> list[str]:
    """Each release that is not joined, with the reason."""
    return [
        f"Not joined: release {j}, {one.place}: {one.why_not}."
        for j, one in enumerate(opened, start=1)
        if not one.parts
    ]


def numbering(opened: Sequence[OpenedRelease]) -> list[str]:
    """Which number each view has below, where releases consist of views."""
    if all(len(one.parts) == 1 for one in opened):
        return []
    said, number = [], 0
    for one in opened:
        for part in one.parts:
            number += 1
            columns = " × ".join(part.roles.quasi_identifiers) or "everyone"
            view = f", view {columns}" if len(one.parts) > 1 else ""
            said.append(f"{number}: {one.place}{view}")
    return [f"Numbers of releases below: {'; '.join(said)}."]


def partly_joined(parts: Sequence[Release], people: Table) -> list[str]:
    """Releases in which people were looked up by some of the columns only."""
    said = []
    for j, part in enumerate(parts, start=1):
        shared = shared_columns(part, people)
        lacking = [name for name in part.roles.quasi_identifiers if name not in shared]
        if lacking:
            by = f"by {listed(shared)} only" if shared else "by membership only"
            said.append(
                f"Release {j} was joined {by}: the table of people has no {listed(lacking)}. "
                f"An attacker who knows more about people finds them in fewer groups."
            )
    return said
