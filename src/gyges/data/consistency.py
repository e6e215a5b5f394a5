"""Checks that a table is what its schema says, made where the rows live.

A row is a person only where nothing says otherwise. Where a column that identifies people
(`person`, or each of the identifiers) repeats a value, people may have several rows. Then every
count of rows would be called a count of people, and so the table is refused.

Missing values: `person` must be filled in everywhere. A row without a value in another identifier
is taken to be one more person, and `people_notices` says so.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from gyges.data.arrow_arrays import numbers_of
from gyges.data.schema import Schema
from gyges.data.source import COUNT, Source
from gyges.errors import MissingColumnsError, MissingValuesError, SchemaError, SourceError

ROWS_ARE_PEOPLE = "Each row was taken to be one person: no column says who is who."


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
            "an attacker may know, and which column they want to know"
        )


def refuse_inconsistent_people(
    source: Source, schema: Schema, n_counted: int, marks: Collection[str] = ()
) -> None:
    """One person has one row; with several values, one combination of quasi-identifiers.

    `n_counted` is how many people the count found: rows where each row is a person, else
    combinations of a person with their quasi-identifiers. `marks` stand for missing values.
    """
    if schema.person:
        _refuse_nameless_rows(source, schema.person)
    if not schema.person_columns:
        for name in _claimed(schema):
            _refuse_repeated(source, schema, name, n_counted, marks)
        return
    _refuse_disagreeing_identifiers(source, schema)
    several = n_counted - _distinct(source, schema.person_columns)
    if several:
        raise SourceError(
            f"{source.name}: {several:,} times a person ({', '.join(schema.person_columns)}) "
            f"appears with other values of the quasi-identifiers "
            f"({', '.join(schema.quasi_identifiers)}): make them agree"
        )


def people_notices(source: Source, schema: Schema) -> list[str]:
    """What counts of people rest on, where no column proves that each row is one person."""
    if not schema.says_who_is_who:
        return [ROWS_ARE_PEOPLE]
    if schema.person:
        return []
    missing = source.count_missing(list(schema.identifiers))
    if not all(missing.values()):  # one identifier is there in every row
        return []
    name = min(missing, key=lambda column: missing[column])
    return [
        f"{missing[name]:,} rows have no {name!r}: each of them was taken to be one more person."
    ]


def _claimed(schema: Schema) -> Sequence[str]:
    """The columns of which each value must stand for one person."""
    return [schema.person] if schema.person else schema.identifiers


def _refuse_repeated(
    source: Source, schema: Schema, name: str, n_rows: int, marks: Collection[str]
) -> None:
    n_people = _distinct(source, [name])
    if n_people == n_rows:
        return
    n_missing = source.count_missing([name])[name]
    n_known, n_people = n_rows - n_missing, n_people - (n_missing > 0)
    if marks and n_people < n_known:
        n_known, n_people = _without_marks(source, name, marks)
    if n_people < n_known:
        raise SourceError(_repeats(source, schema, name, n_known, n_people))


def _repeats(source: Source, schema: Schema, name: str, n_rows: int, n_people: int) -> str:
    """What is wrong with a column that repeats, what is there, and what to write."""
    choices = ["keep one row per person"]
    if schema.sensitive and _distinct(source, [name, *schema.quasi_identifiers]) == _distinct(
        source, [name]
    ):
        choices.append(
            f"if a person has several values of {schema.sensitive!r}, write person={name!r} and "
            f"values_per_person='set' or 'multiset'"
        )
    if not schema.person:
        choices.append("if another column says who is who, name it: person='…'")
    choices.append(
        f"if {name!r} does not identify people (a ward, a household, a name that several people "
        f"share), list it under `dropped`: each row is then taken to be one person"
    )
    return (
        f"{source.name}: column {name!r} has only {in_rows(n_people, n_rows)}: either people share "
        f"it, or some have several rows, and what holds for rows would not hold for people\n"
        f"{'; '.join(choices)}"
    )


def in_rows(n_values: int, n_rows: int) -> str:
    """How few different values a column has, in words."""
    values = "1 value" if n_values == 1 else f"{n_values:,} different values"
    return f"{values} in {n_rows:,} rows"


def _without_marks(source: Source, name: str, marks: Collection[str]) -> tuple[int, int]:
    """Rows that have a value other than a mark of missing ones, and how many such values."""
    counted = source.count([name])
    values = counted.column(name).to_pylist()
    known = np.array([value is not None and value not in marks for value in values], dtype=bool)
    return int(numbers_of(counted.column(COUNT))[known].sum()), int(known.sum())


def _refuse_nameless_rows(source: Source, person: str) -> None:
    """Rows that do not say whom they are about would all be taken for one person."""
    missing = source.count_missing([person])[person]
    if missing:
        raise MissingValuesError(
            f"{source.name}: {missing:,} rows do not say whom they are about (column "
            f"{person!r} is empty): fill it in or remove the rows"
        )


def _refuse_disagreeing_identifiers(source: Source, schema: Schema) -> None:
    """Without `person`, rows with the same identifiers are one person: they must agree on whom."""
    columns = schema.person_columns
    if len(columns) == 1:
        _refuse_nameless_rows(source, columns[0])
    for name in columns if len(columns) > 1 else ():
        counted = source.count_distinct(columns, by=[name])
        known = np.array([value is not None for value in counted.column(name).to_pylist()])
        if (numbers_of(counted.column(COUNT))[known] > 1).any():
            raise SourceError(
                f"{source.name}: the identifiers {', '.join(columns)} disagree on who is who: rows "
                f"with the same {name!r} differ in another one; name the column that decides: "
                f"person='…'"
            )


def _distinct(source: Source, columns: Sequence[str]) -> int:
    return int(source.count_distinct(columns, by=[]).column(COUNT)[0].as_py())
