"""Checks that a table is what its schema says, made where the rows live."""

from __future__ import annotations

from collections.abc import Sequence

from gyges.data.schema import Schema
from gyges.data.source import COUNT, Source
from gyges.errors import MissingColumnsError, SchemaError, SourceError


def refuse_wrong_columns(source: Source, schema: Schema) -> None:
    """Every column of the schema is there, and there is something to protect."""
    missing = [name for name in schema.columns if name not in source.columns]
    if missing:
        raise MissingColumnsError(missing, source.columns)
    if not schema.quasi_identifiers and not schema.sensitive:
        raise SchemaError(
            "the schema names no quasi-identifier and no sensitive column: say which columns "
            "an attacker may know, and which column he wants to know"
        )


def refuse_inconsistent_people(source: Source, schema: Schema) -> None:
    """One person has one combination of quasi-identifiers, and one value where one was declared."""
    if not schema.person_columns:
        _refuse_contradicted_identity(source, schema)
        return
    person, quasi = schema.person_columns, list(schema.quasi_identifiers)
    everybody = _distinct(source, person)
    several = _distinct(source, [*person, *quasi]) - everybody
    if several:
        raise SourceError(
            f"{source.name}: {several:,} times a person ({', '.join(person)}) appears with other "
            f"values of the quasi-identifiers ({', '.join(quasi)}): make them agree"
        )
    if schema.values_per_person == "one" and schema.sensitive:
        pairs = _distinct(source, [*person, schema.sensitive])
        _refuse_two_values(source, pairs - everybody, schema)


def _refuse_contradicted_identity(source: Source, schema: Schema) -> None:
    """Rows that agree in every identifier and quasi-identifier are one person: one value then."""
    if not schema.identifiers or not schema.sensitive or schema.values_per_person != "one":
        return
    who = [*schema.identifiers, *schema.quasi_identifiers]
    people = _distinct(source, who)
    pairs = _distinct(source, [*who, schema.sensitive])
    _refuse_two_values(source, pairs - people, schema)


def _refuse_two_values(source: Source, n_extra: int, schema: Schema) -> None:
    if n_extra:
        raise SourceError(
            f"{source.name}: {n_extra:,} times one person has another value of "
            f"{schema.sensitive!r}, but one value per person was declared: say "
            f"values_per_person='set' or 'multiset', or correct the rows"
        )


def _distinct(source: Source, columns: Sequence[str]) -> int:
    return int(source.count_distinct(columns, by=[]).column(COUNT)[0].as_py())
