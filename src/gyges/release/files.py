"""A release on disk: written whole or not at all, read back to the same groups.

The directory holds only what may leave the building: the published tables, the certificate, and
whatever pages are put beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gyges.arguments import flag, instance, mapping, path, shown
from gyges.data.schema import Schema
from gyges.data.values import guess_kind, kind_named
from gyges.errors import ReleaseError
from gyges.release.certificate import (
    certify,
    public_roles,
    read_certificate,
    write_pages_and_certificate,
)
from gyges.release.directory import Entry, refuse_target, write_whole
from gyges.release.groups_from_tables import groups_of_certified, groups_of_tables, read_tables
from gyges.release.release import SOMEBODY_ELSE, Release, Roles
from gyges.release.tables import FORMATS, as_text, read_table, write_table


def save(
    release: Release,
    directory: str | Path,
    *,
    format: str = "csv",
    overwrite: bool = False,
    pages: Mapping[str, str] | None = None,
    before: Entry | None = None,
) -> Path:
    """Write a release to a new directory: everything beside it first, then one rename.

    `pages` are further files (name → text), such as the report. `before` sees the finished
    directory before it is put in place.
    """
    directory = path(directory, "directory", ReleaseError)
    refuse_target(directory, format, flag(overwrite, "overwrite"))
    pages = _checked_pages(pages)

    def fill(beside: Path) -> None:
        for name, rows in release.tables.items():
            write_table(rows, beside / f"{name}.{format}")
        write_pages_and_certificate(beside, pages, lambda files: certify(release, files))

    return write_whole(directory, fill, before)


def _checked_pages(pages: object) -> dict[str, str]:
    """Pages as {file name: text}; a name is no path to somewhere else."""
    given = {} if pages is None else mapping(pages, "pages", "{file name: text}", ReleaseError)
    checked = {}
    for name, text in given.items():
        if not isinstance(name, str) or not name or Path(name).name != name or "\x00" in name:
            raise ReleaseError(f"pages: {shown(name)} is no file name")
        if not isinstance(text, str) or _is_broken(text):
            raise ReleaseError(f"pages: {name!r} is {shown(text)}: give the text of a page")
        checked[name] = text
    return checked


def _is_broken(text: str) -> bool:
    """Whether a text cannot be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def load(directory: str | Path, schema: Schema | None = None) -> Release:
    """Read a release directory, or any published CSV or Parquet file with its roles given.

    Only what is published is known of it. In a file that somebody else made, the people with
    equal quasi-identifiers are a group.
    """
    directory = path(directory, "directory", ReleaseError)
    if schema is not None:
        instance(schema, Schema, "schema", "make one with gy.Schema(…)", ReleaseError)
        return _load_foreign(directory, schema)
    certificate = read_certificate(directory)
    tables = read_tables(directory, certificate)
    groups, labels = groups_of_certified(tables, certificate)
    return Release(
        form=certificate.form,
        roles=certificate.roles,
        groups=groups,
        labels=labels,
        make_tables=lambda: tables,
        method=certificate.method,
        claims=certificate.claims,
        n_left_out=certificate.n_left_out,
        is_seeded=certificate.is_seeded,
        rows_are_people=certificate.rows_are_people,
        allows_singling_out=certificate.allows_singling_out,
    )


def as_published(release: Release) -> Release:
    """What a reader of the published files will know of a release, to the last value.

    The groups are derived from the published tables, as `load` does it. So a value that only
    suppressed people have, or the type that a value had in the original, is not part of it.
    """
    if release.partition is None and release.table is None:
        return replace(release, notices=())
    tables = {name: as_text(rows) for name, rows in release.tables.items()}
    kind = release.groups.values_per_person
    groups, labels = groups_of_tables(tables, release.roles, kind, release.form)
    return Release(
        form=release.form,
        roles=public_roles(release.roles),
        groups=groups,
        labels=labels,
        make_tables=lambda: tables,
        method=release.method,
        claims=release.claims,
        n_left_out=release.n_left_out,
        is_seeded=release.is_seeded,
        rows_are_people=release.rows_are_people,
        allows_singling_out=release.allows_singling_out,
    )


def _load_foreign(path: Path, schema: Schema) -> Release:
    if schema.values_per_person != "one":
        raise ReleaseError("a published file of somebody else's is read with one value per person")
    if path.suffix[1:] not in FORMATS:
        raise ReleaseError(f"{path.name!r} is no .csv or .parquet file")
    rows = read_table(path)
    kinds = {name: kind_named(kind, name) for name, kind in schema.kinds.items()}
    roles = Roles(tuple(schema.quasi_identifiers), schema.sensitive, (), kinds)
    if roles.sensitive and roles.sensitive in rows.column_names and roles.sensitive not in kinds:
        found = guess_kind(rows.column(roles.sensitive).unique().to_pylist())
        kinds[roles.sensitive] = found
    without_numbers = rows.drop_columns([c for c in rows.column_names if c == roles.group_column])
    groups, labels = groups_of_tables({"data": without_numbers}, roles, "one")
    return Release(
        form="generalized",
        roles=roles,
        groups=groups,
        labels=labels,
        make_tables=lambda: {"data": rows},
        method=SOMEBODY_ELSE,
    )
