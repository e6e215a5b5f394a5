"""A source with one more column: the values of several sensitive columns together.

Each row's value of that column names the value of each sensitive column (joint_values.py). It is
made from what the engine counts or returns, so the rows stay where they are, in their order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.data.arrow_arrays import arrow_numbers, arrow_texts
from gyges.data.changed_source import ChangedSource
from gyges.data.consistency import refuse_wrong_columns
from gyges.data.counting import Missing, code_column_alone, encode_rows
from gyges.data.encoding import NO_CODE, Coder
from gyges.data.joint_values import joint_name, joint_text
from gyges.data.schema import Schema
from gyges.data.source import Source
from gyges.errors import SchemaError

if TYPE_CHECKING:
    import pyarrow as pa


def join_sensitive(
    source: Source, schema: Schema, missing: Missing, marks: Collection[str]
) -> tuple[Source, Schema, Mapping[str, Coder]]:
    """The source and schema with one sensitive column in place of several, and their coders.

    Everything is unchanged where one column is sensitive.
    """
    if not schema.also_sensitive:
        return source, schema, {}
    refuse_wrong_columns(source, schema)
    parts = (str(schema.sensitive), *schema.also_sensitive)
    name = joint_name(parts)
    if name in source.columns:
        raise SchemaError(
            f"the sensitive columns together are called {name!r}, and another column has that "
            f"name: rename it"
        )
    of_values: Missing = "error" if missing == "any" else missing  # refused when counted
    coders = {
        part: code_column_alone(source.count([part]), part, schema, of_values, marks)
        for part in parts
    }
    joined = replace(schema, sensitive=name, also_sensitive=(), joined=parts)
    return JointSource(source, name, coders), joined, coders


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointSource(ChangedSource):
    """Rows of an engine with the joint column."""

    refusal = "this is not done with several sensitive columns: name one of them"

    joint: str
    coders: Mapping[str, Coder]  # of its parts, in their order

    @property
    def columns(self) -> Sequence[str]:
        """The columns of the engine, and the joint one."""
        return [*self.rows.columns, self.joint]

    def count(self, by: Sequence[str]) -> pa.Table:
        """Distinct combinations; one that is spelled in several ways may come several times."""
        return self._joined(self.rows.count(self._parts_of(by)), by)

    def count_distinct(self, columns: Sequence[str], by: Sequence[str]) -> pa.Table:
        """As the engine counts the parts."""
        counted = self.rows.count_distinct(self._parts_of(columns), self._parts_of(by))
        return self._joined(counted, by)

    def count_missing(self, columns: Sequence[str]) -> dict[str, int]:
        """As the engine counts them, of its own columns."""
        return self.rows.count_missing(self._parts_of(columns))

    def count_respelled(self, column: str, marks: Collection[str] = ()) -> int:
        """As the engine counts them."""
        return self.rows.count_respelled(column, marks)

    def fetch(self, columns: Sequence[str]) -> pa.Table:
        """All rows, in the engine's order."""
        return self._joined(self.rows.fetch(self._parts_of(columns)), columns)

    def _parts_of(self, names: Sequence[str]) -> list[str]:
        """These columns, with the parts in place of the joint one, each once."""
        wanted = [part for n in names for part in (self.coders if n == self.joint else [n])]
        return list(dict.fromkeys(wanted))

    def _joined(self, rows: pa.Table, names: Sequence[str]) -> pa.Table:
        """The rows with the joint column, and without parts that nobody asked for."""
        if self.joint not in names:
            return rows
        extra = [part for part in self.coders if part not in names]
        return rows.append_column(self.joint, self._texts(rows)).drop_columns(extra)

    def _texts(self, rows: pa.Table) -> pa.Array:
        """The joint value of each row; null where a part is missing."""
        import pyarrow as pa

        codes = encode_rows(rows, list(self.coders.values()))
        lacks = (codes == NO_CODE).any(axis=1)
        distinct, place = np.unique(codes[~lacks], axis=0, return_inverse=True)
        values = [coder.domain.values for coder in self.coders.values()]
        texts = [
            joint_text({name: v[c] for name, v, c in zip(self.coders, values, row, strict=True)})
            for row in distinct.tolist()
        ]
        places: IntArray = np.zeros(len(codes), dtype=np.int64)
        places[~lacks] = np.asarray(place).ravel()
        return pa.DictionaryArray.from_arrays(arrow_numbers(places, lacks), arrow_texts(texts))
