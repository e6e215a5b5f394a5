"""Published tables with several sensitive columns: split where they leave, joined when read.

Inside, one column holds the values of all of them together (data/joint_values.py). Files and
frames show each in a column of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gyges.data.arrow_arrays import arrow_numbers, arrow_texts
from gyges.data.encoding import dictionary
from gyges.data.joint_values import joint_text, part_of
from gyges.data.values import Kind, Value, as_kind, kind_named, text_of
from gyges.errors import ReleaseError
from gyges.release.statements import Roles

if TYPE_CHECKING:
    import pyarrow as pa


def split_table(rows: pa.Table, roles: Roles) -> pa.Table:
    """A table with a column for each sensitive column, where one held them all."""
    import pyarrow as pa

    if not roles.parts or roles.sensitive not in rows.column_names:
        return rows
    place = rows.column_names.index(roles.sensitive)
    raw, places = dictionary(rows.column(roles.sensitive))
    rows = rows.remove_column(place)
    for part in reversed(roles.parts):
        texts = arrow_texts([text_of(part_of(str(value), part)) for value in raw])
        coded = pa.DictionaryArray.from_arrays(arrow_numbers(places), texts)
        rows = rows.add_column(place, part, coded.dictionary_decode())
    return rows


def join_table(rows: pa.Table, roles: Roles) -> pa.Table:
    """A table as Gyges uses it inside; a number or date in an unusual spelling is refused."""
    import pyarrow as pa

    if not roles.parts or not set(roles.parts) <= set(rows.column_names):
        return rows
    columns = {part: _values(rows, part, roles.kinds) for part in roles.parts}
    texts: dict[tuple[str | None, ...], str | None] = {}
    held = zip(*(rows.column(part).to_pylist() for part in roles.parts), strict=True)
    joined = []
    for one in held:
        if one not in texts:
            named = zip(roles.parts, one, strict=True)
            texts[one] = joint_text({n: columns[n][str(t)] for n, t in named}) if all(one) else None
        joined.append(texts[one])
    place = rows.column_names.index(roles.parts[0])
    rows = rows.drop_columns(list(roles.parts))
    return rows.add_column(min(place, rows.num_columns), str(roles.sensitive), pa.array(joined))


def _values(rows: pa.Table, name: str, kinds: Mapping[str, str]) -> dict[str, Value]:
    """The value that each text of a column stands for."""
    texts = [str(text) for text in dictionary(rows.column(name))[0]]
    kind = kind_named(kinds[name], name) if name in kinds else Kind.CATEGORY
    if kind not in (Kind.NUMBER, Kind.DATE):
        return {text: text for text in texts}
    values = as_kind(list(texts), kind, name)
    for text, value in zip(texts, values, strict=True):
        if text_of(value) != text:
            raise ReleaseError(
                f"the column {name!r} holds {text!r}, which gyges writes as {text_of(value)!r}"
            )
    return dict(zip(texts, values, strict=True))
