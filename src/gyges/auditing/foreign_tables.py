"""Tables that Gyges did not make, given to an audit: a frame, a file, people to compare it with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gyges.adversaries.compared_rows import ComparedTables, compared
from gyges.arguments import shown
from gyges.auditing.people_source import read_people
from gyges.data.arrow_arrays import arrow_numbers
from gyges.data.encoding import dictionary
from gyges.data.schema import Schema
from gyges.data.table import Table
from gyges.engines.frames import open_frame
from gyges.engines.read import open_source
from gyges.errors import GygesError, ReleaseError, SourceError
from gyges.release.grouped_files import release_of_rows
from gyges.release.release import Release
from gyges.release.statements import OTHER_SOFTWARE
from gyges.release.suppressed_labels import is_suppressed
from gyges.release.tables import as_text, read_table, without_guards

if TYPE_CHECKING:
    import pyarrow as pa


def rows_of_file(release: object) -> pa.Table | None:
    """The rows of a published file or of a frame; None for anything else."""
    if isinstance(release, (str, Path)):
        try:
            is_file = Path(release).is_file()
        except OSError:  # a name that no file can have
            is_file = False
        return read_file(Path(release)) if is_file else None
    try:
        frame = open_frame(release)
    except SourceError as problem:
        raise ReleaseError(f"release: {problem}") from None
    return None if frame is None else frame[0].rows


def read_file(path: Path) -> pa.Table:
    """The rows of a published file of any maker and format that `gy.read` reads, as texts."""
    if path.suffix == ".parquet":
        return read_table(path)
    source, _ = open_source(str(path))
    return without_guards(as_text(source.fetch(source.columns)), path)


def foreign_release(rows: pa.Table, like: Table | None) -> Release:
    """A table as a release: its roles are those of the table that it is compared with.

    Without such a table every column may be known, and none is sensitive.
    """
    roles = Schema(quasi_identifiers=rows.column_names)
    if like is not None:
        there = set(rows.column_names)
        sensitive = like.schema.sensitive if like.schema.sensitive in there else None
        known = [name for name in like.schema.quasi_identifiers if name in there]
        if not known and sensitive is None:
            raise ReleaseError(
                f"the table has none of the columns that may be known: "
                f"{', '.join(like.schema.quasi_identifiers)}"
            )
        roles = Schema(quasi_identifiers=known, sensitive=sensitive)
    return release_of_rows(as_text(rows), roles)


def as_people(people: object, release: Release | None, name: str) -> Table | None:
    """A table of people; a frame is read with the roles of the release."""
    if people is None or isinstance(people, Table):
        return people
    try:
        if open_frame(people) is not None and release is not None:
            schema = release.roles.schema(with_sensitive=name != "population")
            return read_people(people, schema)
    except GygesError as problem:
        raise SourceError(f"{name}: {problem}") from None
    raise SourceError(f"{name} is {shown(people)}: read it with gy.read(source, schema)")


def is_made_elsewhere(release: object) -> bool:
    """Whether a release is a table that Gyges did not make: its rows may be of no one at all."""
    return isinstance(release, Release) and release.method == OTHER_SOFTWARE


def compared_tables(
    release: object, original: Table | None, control: Table | None
) -> ComparedTables | str | None:
    """The columns that all tables share, in one coding; or why they cannot be compared.

    None without an original, and for releases of Gyges: these publish no single values.
    """
    if original is None or not isinstance(release, Release) or not is_made_elsewhere(release):
        if control is not None:
            raise ReleaseError(
                "a control is for a table that Gyges did not make, and its original: omit it"
            )
        return None
    roles = release.roles
    others = [original] if control is None else [original, control]
    has_one_value = all(other.schema.values_per_person == "one" for other in others)
    sensitive = [roles.sensitive] if roles.sensitive and has_one_value else []
    names = [*roles.quasi_identifiers, *sensitive]
    shared = [name for name in names if all(name in other.source.columns for other in others)]
    if not shared:
        return "the tables share no column"
    rows = _that_say_something(release.tables["data"], shared)
    if not rows.num_rows:
        return "the table has no rows, or all of them are suppressed"
    people = [_people(other, shared) for other in others]
    trees = original.schema.hierarchies
    try:
        return compared(rows, people[0], *people[1:], names=shared, hierarchies=trees)
    except GygesError as problem:
        return str(problem)


def _people(table: Table, columns: list[str]) -> pa.Table:
    """These columns of each person, who may have a row for each of several sensitive values."""
    rows, first = table.fetch(columns), table.is_first_row
    return rows if first.all() else rows.filter(arrow_numbers(first))


def _that_say_something(rows: pa.Table, names: list[str]) -> pa.Table:
    """The rows that are not suppressed in every column.

    A row that covers everyone is as near to each person as their own row is, and would make
    attacks seem to fail that succeed without it.
    """
    says = np.zeros(rows.num_rows, dtype=bool)
    for name in names:
        raw, places = dictionary(rows.column(name))
        shown = np.array([not is_suppressed(str(value)) for value in raw] + [False])
        says |= shown[places]
    return rows if says.all() else rows.filter(arrow_numbers(says))
