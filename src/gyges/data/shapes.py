"""Columns shaped before anything else: top and bottom coding, rounding, dates to periods.

A shape replaces each value of a column by a coarser one in the same place. What is published,
grouped and judged afterwards is the shaped column; hierarchies and rules see nothing finer.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gyges.data.arrow_arrays import arrow_numbers, arrow_texts
from gyges.data.changed_source import ChangedSource
from gyges.data.encoding import as_value, encoded, is_missing, places_of
from gyges.data.local_formats import in_plain_format
from gyges.data.schema import Schema
from gyges.data.shape import Shape
from gyges.data.source import Source
from gyges.data.values import Kind, as_kind, text_of

if TYPE_CHECKING:
    import pyarrow as pa


def shape_columns(source: Source, schema: Schema, marks: Collection[str]) -> tuple[Source, Schema]:
    """The source with shaped columns, and the schema that reads them; unchanged without shapes."""
    if not schema.shapes:
        return source, schema
    shaped = ShapedSource(source, schema.shapes, dict(schema.formats), frozenset(marks))
    periods = {name for name, shape in schema.shapes.items() if shape.period is not None}
    return shaped, replace(
        schema,
        formats={name: one for name, one in schema.formats.items() if name not in schema.shapes},
        kinds={name: kind for name, kind in schema.kinds.items() if name not in periods},
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShapedSource(ChangedSource):
    """Rows of an engine, with some columns shaped in what it counts or returns."""

    refusal = "this is not done with shaped columns: shape the column in the file"

    shapes: Mapping[str, Shape]
    formats: Mapping[str, str]
    marks: frozenset[str]

    @property
    def columns(self) -> Sequence[str]:
        """The columns of the engine."""
        return self.rows.columns

    def count(self, by: Sequence[str]) -> pa.Table:
        """Distinct combinations; those that a shape makes equal come several times."""
        return self._shaped(self.rows.count(by))

    def count_distinct(self, columns: Sequence[str], by: Sequence[str]) -> pa.Table:
        """As the engine counts; combinations that a shape makes equal come several times."""
        return self._shaped(self.rows.count_distinct(columns, by))

    def count_missing(self, columns: Sequence[str]) -> dict[str, int]:
        """As the engine counts them."""
        return self.rows.count_missing(columns)

    def count_respelled(self, column: str, marks: Collection[str] = ()) -> int:
        """As the engine counts them."""
        return self.rows.count_respelled(column, marks)

    def fetch(self, columns: Sequence[str]) -> pa.Table:
        """All rows, in the engine's order."""
        return self._shaped(self.rows.fetch(columns))

    def _shaped(self, rows: pa.Table) -> pa.Table:
        for place, name in enumerate(rows.column_names):
            if name in self.shapes:
                rows = rows.set_column(place, name, self._column(rows.column(name), name))
        return rows

    def _column(self, column: pa.ChunkedArray, name: str) -> pa.Array:
        """The column as text, in which each value has the text of its shaped one."""
        import pyarrow as pa

        coded = encoded(column, name)
        raw = coded.dictionary.to_pylist()
        texts = self._texts(raw, name)
        distinct = list(dict.fromkeys(texts))
        number = {text: place for place, text in enumerate(distinct)}
        code = pa.array([number[text] for text in texts] + [None], pa.int32())
        places = code.take(arrow_numbers(places_of(coded)))
        return pa.DictionaryArray.from_arrays(places, arrow_texts(distinct))

    def _texts(self, raw: Sequence[Hashable], name: str) -> list[str]:
        """The text of each distinct value, shaped; marks of missing values stay."""
        known = [value for value in raw if not is_missing(value, self.marks)]
        values = [as_value(value) for value in known]
        if name in self.formats:
            values = in_plain_format(values, self.formats[name], name)
        shape = self.shapes[name]
        values = as_kind(values, Kind.NUMBER if shape.period is None else Kind.DATE, name)
        made = {one: text_of(shape.of(v)) for one, v in zip(known, values, strict=True)}
        return [made.get(value, str(value)) for value in raw]
