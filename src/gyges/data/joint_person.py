"""People who are identified by several columns together, such as name and date of birth.

The columns become one, which `Schema.person` names: everything that follows sees one column that
identifies people. Combinations are counted once; the rows stay in the engine.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING

from gyges.data.arrow_arrays import arrow_texts, numbers_of
from gyges.data.encoding import is_missing
from gyges.data.schema import Schema
from gyges.data.source import COUNT, Source
from gyges.errors import MissingColumnsError, MissingValuesError, SchemaError
from gyges.exact import counted

if TYPE_CHECKING:
    import pyarrow as pa


def with_joint_person(source: Source, schema: Schema, marks: Collection[str] = ()) -> Source:
    """The rows with the column that `person_columns` make together; unchanged without these.

    Two rows are one person if they agree in every one of the columns. A row without a value in one
    of them is refused: nobody can say whose it is.
    """
    parts = list(schema.person_columns)
    if not parts:
        return source
    person = str(schema.person)
    missing = [name for name in parts if name not in source.columns]
    if missing:
        raise MissingColumnsError(missing, source.columns)
    if person in source.columns:
        raise SchemaError(
            f"column {person!r} has the name that the columns {' and '.join(parts)} need together: "
            f"rename it"
        )
    people = source.count(parts)
    _refuse_gaps(people, parts, marks, source.name)
    rows = zip(*(people.column(name).to_pylist() for name in parts), strict=True)
    texts = [json.dumps([str(value) for value in row], ensure_ascii=False) for row in rows]
    mapping = people.select(parts).append_column(person, arrow_texts(texts))
    kept = [name for name in schema.columns if name in source.columns]
    return source.recode(parts, mapping, kept)


def _refuse_gaps(people: pa.Table, parts: list[str], marks: Collection[str], source: str) -> None:
    n_rows = numbers_of(people.column(COUNT))
    for name in parts:
        is_empty = [is_missing(value, marks) for value in people.column(name).to_pylist()]
        n_empty = int(n_rows[is_empty].sum())
        if n_empty:
            raise MissingValuesError(
                f"{source}: {counted(n_empty, 'row has', 'rows have')} no value in {name!r}, one "
                f"of the columns that identify people together: fill it in or remove the rows"
            )
