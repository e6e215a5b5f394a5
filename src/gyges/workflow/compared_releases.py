"""Releases of any maker, audited in the same way and put side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gyges.auditing.audit import audit
from gyges.auditing.comparison import SideBySide, compared_release, names_of
from gyges.auditing.foreign_tables import compared_tables
from gyges.auditing.forms import load
from gyges.data.schema import Schema
from gyges.errors import GygesError
from gyges.release.release import Release
from gyges.workflow.people_table import people_table
from gyges.workflow.published_file import common_schema


def compare_releases(
    places: Sequence[Path],
    *,
    schema: Schema | None = None,
    original: str | None = None,
    control: str | None = None,
    tell: Callable[[str], object],
    **reading: Any,
) -> SideBySide:
    """Audit each release, with the same original where there is one.

    `schema`: the roles of columns in published files; guessed where it is not given. `reading`: how
    `people_table` reads the original and the control.
    """
    if len(places) < 2:
        raise GygesError("give two releases or more to compare")
    if control is not None and original is None:
        raise GygesError("a control is compared with the original: give --original too")
    files = [place for place in places if place.is_file()]
    roles = schema or (common_schema(files, original) if files else None)
    found = []
    for name, place in zip(names_of(places), places, strict=True):
        tell(f"auditing {name}")
        release = load(place, roles if place.is_file() else None)
        given: Mapping[str, Any] = {}
        if isinstance(release, Release) and original is not None:
            people = people_table(original, release, **reading)
            others = people_table(control, release, **reading) if place.is_file() else None
            given = {"original": people, "control": others}
        tables = compared_tables(release, given["original"], given["control"]) if given else None
        found.append(compared_release(name, audit(release, **given), tables))
    return SideBySide(tuple(found))
