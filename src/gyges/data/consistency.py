"""Checks that a table is what its schema says, made where the rows live."""

from __future__ import annotations

from collections.abc import Sequence

from gyges.data.schema import Schema
from gyges.data.source import COUNT, Source
from gyges.errors import MissingColumnsError, MissingValuesError, SchemaError, SourceError


def refuse_wrong_columns(source: Source, schema: Schema) -> None:
    """Every column of the schema is there, and there is something to protect."""
    missing = [name for name in schema.columns if name not in source.columns]
    if missing:
        raise MissingColumnsError(missing, source.columns)
    if COUNT in schema.columns:
        raise SchemaError(f"a column cannot be named {COUNT!r} here: rename it")
    if not schema.quasi_identifiers and not schema.sensitive:
        raise SchemaError(
            "the schema names no quasi-identifier and no sensitive column: say which columns "
            "an attacker may know, and which column he wants to know"
        )


def refuse_inconsistent_people(source: Source, schema: Schema, n_counted: int) -> None:
    """One person has one combination of quasi-identifiers, and one value where one was declared.

    `n_counted` is how many people the count found: rows where each row is a person, else
    combinations of a person with his quasi-identifiers (and with his value, where he has one).
    """
    person, quasi = schema.person_columns, list(schema.quasi_identifiers)
    if not person:
        _refuse_contradicted_identity(source, schema, n_counted)
        return
    _refuse_nameless_rows(source, person)
    everybody = _distinct(source, person)
    if n_counted == everybody:
        return
    several = _distinct(source, [*person, *quasi]) - everybody
    if several:
        raise SourceError(
            f"{source.name}: {several:,} times a person ({', '.join(person)}) appears with other "
            f"values of the quasi-identifiers ({', '.join(quasi)}): make them agree"
        )
    _refuse_two_values(source, n_counted - everybody, schema)


def _refuse_nameless_rows(source: Source, person: Sequence[str]) -> None:
    """Rows that do not say whom they are about would all be taken for one person."""
    if len(person) > 1:
        return  # of several identifiers, some may be missing
    missing = source.count_missing(person)[person[0]]
    if missing:
        raise MissingValuesError(
            f"{source.name}: {missing:,} rows do not say whom they are about (column "
            f"{person[0]!r} is empty): fill it in or remove the rows"
        )


def _refuse_contradicted_identity(source: Source, schema: Schema, n_rows: int) -> None:
    """Rows that agree in every identifier and quasi-identifier are one person: one value then."""
    if not schema.identifiers or not schema.sensitive or schema.values_per_person != "one":
        return
    who = [*schema.identifiers, *schema.quasi_identifiers]
    if _distinct(source, who) == n_rows:
        return
    missing = source.count_missing(schema.identifiers)
    known = [name for name in schema.identifiers if not missing[name]]  # two nulls are two people
    if known:
        who = [*known, *schema.quasi_identifiers]
        pairs = _distinct(source, [*who, schema.sensitive])
        _refuse_two_values(source, pairs - _distinct(source, who), schema)


def _refuse_two_values(source: Source, n_extra: int, schema: Schema) -> None:
    if n_extra:
        raise SourceError(
            f"{source.name}: {n_extra:,} times one person has another value of "
            f"{schema.sensitive!r}, but one value per person was declared: say "
            f"values_per_person='set' or 'multiset', or correct the rows"
        )


def _distinct(source: Source, columns: Sequence[str]) -> int:
    return int(source.count_distinct(columns, by=[]).column(COUNT)[0].as_py())
