"""Tables of people whom an auditor looks up in a release: their rows must be people."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from gyges.auditing.column_guess import ColumnGuess, guess_column
from gyges.auditing.column_roles import guess_by_names, guess_roles, unnamed_person
from gyges.data.consistency import in_rows
from gyges.data.counting import Missing
from gyges.data.schema import Schema
from gyges.data.source import Source
from gyges.data.table import Table
from gyges.data.values import Kind
from gyges.engines.read import open_source, read
from gyges.errors import ReleaseError, SchemaError, SourceError
from gyges.release.release import Release


def read_people(
    source: object,
    schema: Schema,
    missing: Missing = "error",
    marks: Collection[str] = (),
) -> Table:
    """Read people by the columns of a release, none of which identifies a person.

    If another column seems to identify people and has repeated values, several rows may be one
    person. Such a table is refused until a project file gives the column a role.
    """
    rows, _ = open_source(source)
    refuse_unnamed_person(rows, schema.columns)
    return read(source, with_formats(rows, schema), missing=missing, missing_marks=marks)


def with_formats(rows: Source, schema: Schema) -> Schema:
    """The schema with the local formats that dates and numbers of a release have in these rows."""
    kinds = (Kind.NUMBER, Kind.DATE, Kind.MONTH)
    wanted = [name for name, kind in schema.kinds.items() if kind in kinds and name in rows.columns]
    found = {name: guess_column(rows, name).local_format for name in wanted}
    formats = {name: stated for name, stated in found.items() if stated is not None}
    return replace(schema, formats={**formats, **schema.formats})


def refuse_unnamed_person(rows: Source, named: Collection[str]) -> None:
    """Refuse a table in which a column without a role may identify people and repeats."""
    found = unnamed_person(rows, named)
    if found is not None:
        raise SourceError(
            f"{rows.name}: column {found.name!r} {_how_sure(found)} identify people "
            f"({found.reason}), but it has only {in_rows(found.n_distinct, found.n_known)}, so "
            f"results about rows would not hold for people\n"
            f"keep one row per person, or give a project file (gyges init writes one) in which the "
            f"column is `person`, or listed under `do_not_identify`"
        )


def refuse_unsaid(rows: Source, schema: Schema, *, by_name_only: bool = False) -> None:
    """Refuse what contradicts the guess that a column identifies people, unless the schema says so.

    A column that seems to identify people is not published. Where no column is the person, rows do
    not count as people if a column may identify people who have several rows. `do_not_identify`
    overrules both. `by_name_only` is for tables whose distinct values do not fit into memory.
    """
    said = {schema.person, *schema.person_columns, *schema.do_not_identify}
    if by_name_only:
        guesses = guess_by_names(rows, rows.columns)
    else:
        guesses = guess_roles(rows, only_readable=True)
    unsaid = [guess for guess in guesses if guess.name not in said]
    for guess in unsaid:
        if guess.name in _shown(schema) and guess.identifies not in ("", "maybe"):
            raise SchemaError(
                f"{rows.name}: column {guess.name!r} seems to identify people ({guess.reason}), "
                f"and it would be published\nlist it under `identifiers` or `dropped`; "
                f"{_or_not(schema, [guess])}"
            )
    doubtful = [g for g in unsaid if g.counts_people and g.name not in schema.identifiers]
    if doubtful and schema.person is None:
        guess = doubtful[0]
        raise SourceError(
            f"{rows.name}: column {guess.name!r} {_how_sure(guess)} identify people who have "
            f"several rows ({_reason(guess)}), and what holds for rows would not hold for people\n"
            f"if it identifies people, write person = {guess.name!r} and keep one row per person; "
            f"{_or_not(schema, doubtful)}, and each row counts as one person"
        )


def _how_sure(guess: ColumnGuess) -> str:
    return "may" if guess.identifies == "maybe" else "seems to"


def _reason(guess: ColumnGuess) -> str:
    """Why a column may identify people, and how often its values repeat, once."""
    counts = in_rows(guess.n_distinct, guess.n_known)
    return guess.reason if counts in guess.reason else f"{guess.reason}; {counts}"


def _shown(schema: Schema) -> set[str]:
    """The columns that a release shows in some form."""
    return {*schema.quasi_identifiers, *schema.published, *filter(None, [schema.sensitive])}


def _or_not(schema: Schema, doubtful: Sequence[ColumnGuess]) -> str:
    """What to write if none of the columns in doubt identifies people."""
    names = [*schema.do_not_identify, *(guess.name for guess in doubtful)]
    return (
        f"if different people share its values, write do_not_identify = {names} (in a project "
        f"file, under [columns])"
    )


def read_original(release: Release, original: str | Path) -> Table:
    """Read the original by the columns of a release; its rows must be people."""
    if release.groups.values_per_person != "one" or release.rows_per_person == "all":
        raise ReleaseError(
            "people have several rows or sensitive values here, and a file alone does not say "
            "whose they are: give the original with its schema (--project gyges.toml)"
        )
    return read_people(original, release.roles.schema(with_sensitive=True))
