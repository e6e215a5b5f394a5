"""Checks that a table fits its schema, made where the rows live.

A row counts as a person unless the schema says otherwise. Where a column that identifies people
(`person`, or any identifier) repeats a value, people may have several rows, and a count of rows
would pass for a count of people. Such a table is refused.

Values that differ only in spelling ("007", "7") may be one person, who would count as several. Such
a table is refused too, unless the schema says `exact_spelling`.

Missing values: `person` must be filled in everywhere. A row without a value in another identifier
counts as a separate person, and `people_notices` says so.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from gyges.data.arrow_arrays import numbers_of
from gyges.data.encoding import as_value, is_missing
from gyges.data.local_formats import DECIMAL_COMMA, in_plain_format
from gyges.data.schema import Schema
from gyges.data.source import COUNT, Source
from gyges.data.spelling import respelled_in_words
from gyges.errors import MissingColumnsError, MissingValuesError, SchemaError, SourceError
from gyges.exact import counted

KEEP_ROW = "keep_row = 'first' or 'last', and keep_row_by = a column of numbers or dates, do so"
ALL_ROWS = "rows_per_person = 'all'"
_LARGEST_WEIGHT = 10**15  # sums of survey weights are numbers, and count people
ROWS_ARE_PEOPLE = "Each row was counted as one person: no column identifies people in every row."


def refuse_wrong_columns(source: Source, schema: Schema) -> None:
    """Refuse a table without all columns of the schema, and a schema that protects nothing."""
    named = [*schema.columns, *schema.do_not_identify]
    missing = [name for name in named if name not in source.columns]
    if missing:
        raise MissingColumnsError(missing, source.columns)
    if COUNT in schema.columns:
        raise SchemaError(f"a column cannot be named {COUNT!r} here: rename it")
    if not schema.quasi_identifiers and not schema.sensitive:
        raise SchemaError(
            "no quasi-identifier and no sensitive column is named: name the columns that an "
            "attacker may know (quasi_identifiers), or the column to protect (sensitive)"
        )


def refuse_inconsistent_people(
    source: Source, schema: Schema, n_counted: int, marks: Collection[str] = ()
) -> None:
    """Refuse people with several rows or, given several values, with several quasi-identifiers.

    `n_counted` is how many people were counted: rows where each row is a person, else
    combinations of a person with their quasi-identifiers. `marks` stand for missing values.
    """
    if schema.person:
        refuse_nameless_rows(source, schema.person, marks)
    refuse_respelled(source, schema, marks)
    if not schema.shared_columns:
        for name in _identifying_columns(schema):
            _refuse_repeated(source, schema, name, n_counted, marks)
        return
    _refuse_disagreeing_identifiers(source, schema, marks)
    several = n_counted - _distinct(source, schema.shared_columns)
    if several:
        raise SourceError(
            f"{source.name}: some people ({', '.join(schema.shared_columns)}) have several "
            f"combinations of quasi-identifiers ({', '.join(schema.quasi_identifiers)}), "
            f"{several:,} too many: give each person the same ones in every row"
        )


def people_notices(source: Source, schema: Schema, marks: Collection[str] = ()) -> list[str]:
    """The assumptions behind counts of people, where no column proves that a row is a person."""
    if not schema.identifies_people:
        return [ROWS_ARE_PEOPLE]
    n_missing, name = _unidentified(source, schema, marks)
    rows = counted(n_missing, "row has", "rows have")
    gaps = [f"{rows} no {name!r}: each was counted as a separate person."] if n_missing else []
    return [*_spelling_notices(source, schema, marks), *gaps]


def rows_are_people(source: Source, schema: Schema, marks: Collection[str] = ()) -> bool:
    """Whether some rows were counted as people although no column identifies their person."""
    return not schema.identifies_people or _unidentified(source, schema, marks)[0] > 0


def _unidentified(source: Source, schema: Schema, marks: Collection[str]) -> tuple[int, str]:
    """How many rows no single identifier identifies, and the identifier with the fewest gaps."""
    if schema.person:  # it must be filled in everywhere
        return 0, schema.person
    return min((_n_missing(source, name, marks), name) for name in schema.identifiers)


def _spelling_notices(source: Source, schema: Schema, marks: Collection[str]) -> list[str]:
    """What `exact_spelling` decided about the columns that identify people and households."""
    if not schema.exact_spelling:
        return []
    found = {name: source.count_respelled(name, marks) for name in _counted_columns(schema)}
    return [
        f"{respelled_in_words(n, name)}: each was counted as a separate "
        f"{_counted_columns(schema)[name]}, as exact_spelling says."
        for name, n in found.items()
        if n
    ]


def _identifying_columns(schema: Schema) -> Sequence[str]:
    """The columns in which no two people have the same value."""
    return [schema.person] if schema.person else schema.identifiers


def _counted_columns(schema: Schema) -> dict[str, str]:
    """The columns whose values are counted, and what each value stands for."""
    people = dict.fromkeys(_identifying_columns(schema), "person")
    return people if schema.household is None else {**people, schema.household: "household"}


def refuse_respelled(source: Source, schema: Schema, marks: Collection[str]) -> None:
    """Refuse values of people and households that may be one in several spellings."""
    for name, noun in _counted_columns(schema).items():
        n = 0 if schema.exact_spelling else source.count_respelled(name, marks)
        if n:
            or_not = f", or do_not_identify if {name!r} does not identify people"
            raise SourceError(
                f"{source.name}: {respelled_in_words(n, name)}, and one {noun} would count as "
                f"several\n"
                f"write the same {noun} in the same way everywhere; if they are different, write "
                f"exact_spelling = true{or_not if noun == 'person' else ''}"
            )


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
        raise SourceError(_repeated(source, schema, name, n_known, n_people))


def _repeated(source: Source, schema: Schema, name: str, n_rows: int, n_people: int) -> str:
    """The message about a column that repeats values: what is wrong, and what to do."""
    choices = [f"keep one row per person: {KEEP_ROW}", *_with_all_rows(source, schema, name)]
    others = [] if schema.person else [one for one in schema.identifiers if one != name]
    unique = next((one for one in others if _distinct(source, [one]) == n_rows), None)
    if schema.person_columns:
        choices.append(
            "if different people share these values, add a column to person_columns that tells "
            "them apart"
        )
    else:
        if unique is not None:
            who = f"if {unique!r}, which never repeats, identifies people"
            choices = [f"{who}, name it instead: person = {unique!r} (--person)", choices[0]]
        elif not schema.person:
            choices.append(
                "if another column identifies people, name it: person='…'; if several do so "
                "together, name them: person_columns=['…', '…']"
            )
        choices.append(
            f"if {name!r} does not identify people (a ward, a household, a name that several "
            f"people share), write do_not_identify = {[*schema.do_not_identify, name]} in a "
            f"project file instead of naming it under person or identifiers: each row then counts "
            f"as one person"
        )
    return (
        f"{source.name}: column {name!r} has only {in_rows(n_people, n_rows)}: people share a "
        f"value, or some people have several rows, and what holds for rows would not hold for "
        f"people\n{'; '.join(choices)}"
    )


def _with_all_rows(source: Source, schema: Schema, name: str) -> list[str]:
    """How to publish people with all of their rows, where that is possible."""
    choices = []
    is_named = name == schema.person
    if schema.rows_per_person == "one" and schema.values_per_person == "one":
        several = ", values_per_person = 'set'" if schema.sensitive else ""
        person = "" if is_named else f"person = {name!r}, "
        choices.append(f"describe each person by all of their rows: {person}{ALL_ROWS}{several}")
    if schema.sensitive and agree_on(source, name, schema.quasi_identifiers):
        person = "" if is_named else f"person={name!r} and "
        choices.append(
            f"if a person has several values of {schema.sensitive!r}, write {person}"
            f"values_per_person='set' or 'multiset'"
        )
    return choices


def refuse_bad_samples(source: Source, schema: Schema, marks: Collection[str] = ()) -> None:
    """Refuse survey weights that are no positive numbers, and people without a household."""
    if schema.household is not None:
        n_missing = _n_missing(source, schema.household, marks)
        if n_missing:
            raise MissingValuesError(
                f"{source.name}: {counted(n_missing, 'row has', 'rows have')} no value in "
                f"{schema.household!r}, the column of households: give each of them a household of "
                f"its own"
            )
    if schema.weight is None:
        return
    values = source.count([schema.weight]).column(schema.weight).to_pylist()
    try:
        are_weights = all(0 < one <= _LARGEST_WEIGHT for one in as_weights(values, schema))
    except (TypeError, ValueError, OverflowError, SchemaError):
        are_weights = False
    if not are_weights:
        raise SourceError(
            f"{source.name}: column {schema.weight!r} holds survey weights, and some of its values "
            f"are missing, no positive numbers or above {_LARGEST_WEIGHT:,}: correct them or "
            f"remove the rows; if they are written as 12,5 state their format, "
            f"formats = {{ {schema.weight} = '{DECIMAL_COMMA}' }}"
        )


def as_weights(values: Sequence[Any], schema: Schema) -> list[float]:
    """Raw survey weights as numbers, by the format that a schema states for their column."""
    name = str(schema.weight)
    if name in schema.formats and None not in values:
        values = in_plain_format([as_value(value) for value in values], schema.formats[name], name)
    return [float(value) for value in values]


def agree_on(source: Source, name: str, others: Sequence[str]) -> bool:
    """Whether all rows with the same value in one column agree on the others."""
    return _distinct(source, [name, *others]) == _distinct(source, [name])


def in_rows(n_values: int, n_rows: int) -> str:
    """How many different values a column has in how many rows, in words."""
    values = "1 value" if n_values == 1 else f"{n_values:,} different values"
    return f"{values} in {n_rows:,} rows"


def _without_marks(source: Source, name: str, marks: Collection[str]) -> tuple[int, int]:
    """How many rows have a value that is no mark of a missing one, and how many such values."""
    counted = source.count([name])
    values = counted.column(name).to_pylist()
    known = np.array([not is_missing(value, marks) for value in values], dtype=bool)
    return int(numbers_of(counted.column(COUNT))[known].sum()), int(known.sum())


def _n_missing(source: Source, name: str, marks: Collection[str]) -> int:
    """How many rows have no value, or a mark of a missing one."""
    if not marks:
        return source.count_missing([name])[name]
    n_rows = int(numbers_of(source.count([]).column(COUNT))[0])
    return n_rows - _without_marks(source, name, marks)[0]


def refuse_nameless_rows(source: Source, person: str, marks: Collection[str] = ()) -> None:
    """Refuse rows without a value in `person`: all of them would count as one person."""
    missing = _n_missing(source, person, marks)
    if missing:
        raise MissingValuesError(
            f"{source.name}: {counted(missing, 'row has', 'rows have')} no value in {person!r}, "
            f"the column that identifies people: fill it in or remove the rows"
        )


def _refuse_disagreeing_identifiers(source: Source, schema: Schema, marks: Collection[str]) -> None:
    """Refuse rows that share one identifier and differ in another: whose rows are they?"""
    columns = schema.shared_columns
    if len(columns) == 1:
        refuse_nameless_rows(source, columns[0], marks)
    for name in columns if len(columns) > 1 else ():
        counted = source.count_distinct(columns, by=[name])
        known = np.array([value is not None for value in counted.column(name).to_pylist()])
        if (numbers_of(counted.column(COUNT))[known] > 1).any():
            raise SourceError(
                f"{source.name}: the identifiers {', '.join(columns)} contradict each other: rows "
                f"with the same {name!r} differ in another one; name the column that identifies "
                f"people: person='…'"
            )


def _distinct(source: Source, columns: Sequence[str]) -> int:
    return int(source.count_distinct(columns, by=[]).column(COUNT)[0].as_py())
