"""Releases of groups, read back from their files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.data.arrow_arrays import arrow_numbers, arrow_texts
from gyges.data.encoding import SURE_MARKS, dictionary
from gyges.data.schema import Schema
from gyges.data.values import MISSING, guess_kind, kind_named
from gyges.errors import ReleaseError
from gyges.release.certificate import Certificate, public_roles, read_certificate
from gyges.release.groups import Groups
from gyges.release.groups_from_tables import groups_of_certified, groups_of_tables, read_tables
from gyges.release.release import Release
from gyges.release.statements import OTHER_SOFTWARE, Roles
from gyges.release.tables import as_text

if TYPE_CHECKING:
    import pyarrow as pa

_NO_VALUE = SURE_MARKS | {"\u2013", "\u2014"}


def load_release(directory: Path) -> Release:
    """Read the directory of a release of groups: only what is published."""
    certificate = read_certificate(directory)
    tables = read_tables(directory, certificate)
    groups, labels = groups_of_certified(tables, certificate)
    return _as_read(certificate, tables, groups, labels)


def as_published(release: Release) -> Release:
    """A release as a reader of its files will have it.

    The groups are derived from the published tables, as by `load`. So a value that only
    suppressed people have, or the type of a value in the original, is not part of it.
    """
    if release.partition is None and release.table is None:
        return replace(release, notices=())
    tables = {name: as_text(rows) for name, rows in release.tables.items()}
    kind = release.groups.values_per_person
    groups, labels = groups_of_tables(
        tables, release.roles, kind, release.form, release.counterfeits
    )
    return _as_read(replace(release, roles=public_roles(release.roles)), tables, groups, labels)


def _as_read(
    stated: Certificate | Release,
    tables: dict[str, pa.Table],
    groups: Groups,
    labels: dict[str, list[str]],
) -> Release:
    return Release(
        form=stated.form,
        roles=stated.roles,
        groups=groups,
        labels=labels,
        make_tables=lambda: tables,
        method=stated.method,
        claims=stated.claims,
        n_left_out=stated.n_left_out,
        is_simulatable=stated.is_simulatable,
        rows_per_person=stated.rows_per_person,
        is_seeded=stated.is_seeded,
        rows_are_people=stated.rows_are_people,
        allows_singling_out=stated.allows_singling_out,
        counterfeits=stated.counterfeits,
    )


def release_of_rows(rows: pa.Table, schema: Schema) -> Release:
    """A published table that Gyges did not make, as a release."""
    if schema.values_per_person != "one":
        raise ReleaseError("a table that gyges did not publish is read with one value per person")
    kinds = {name: kind_named(kind, name) for name, kind in schema.kinds.items()}
    roles = Roles(tuple(schema.quasi_identifiers), schema.sensitive, (), kinds)
    judged = _with_missing(rows, roles.sensitive)
    if roles.sensitive and roles.sensitive in rows.column_names and roles.sensitive not in kinds:
        found = guess_kind(judged.column(roles.sensitive).unique().to_pylist())
        kinds[roles.sensitive] = found
    without_numbers = judged.drop_columns([c for c in rows.column_names if c == roles.group_column])
    groups, labels = groups_of_tables({"data": without_numbers}, roles, "one")
    return Release(
        form="generalized",
        roles=roles,
        groups=groups,
        labels=labels,
        make_tables=lambda: {"data": rows},
        method=OTHER_SOFTWARE,
    )


def _with_missing(rows: pa.Table, sensitive: str | None) -> pa.Table:
    """The rows with one word for every missing or suppressed sensitive value: it is no value more.

    Two marks for missing values would count as two values, and one beside hiv as diversity that
    nobody knows to be there; an audit says that the word counts as one value.
    """
    if sensitive not in rows.column_names:
        return rows
    raw, places = dictionary(rows.column(sensitive))
    texts = [str(value) for value in [*raw, ""]]
    known = [MISSING if text.strip() in _NO_VALUE else text for text in texts]
    if known[:-1] == texts[:-1] and "" not in raw:
        return rows
    shown = arrow_texts(known).take(arrow_numbers(places))
    return rows.set_column(rows.column_names.index(sensitive), sensitive, shown)
