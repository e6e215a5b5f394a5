"""The footer of a Parquet file, field by field: what Arrow passes over in silence is refused.

A footer is a structure in Thrift's compact protocol. Readers skip the fields that they do not know,
so a whole table can hide in one; and some contradictions end Arrow's process when it is asked for
the metadata of a column. Here a footer may hold only the fields that rows need.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

_WRITER: Final = re.compile(rb"parquet-cpp-arrow version [0-9]{1,3}(\.[0-9]{1,3}){1,3}(-SNAPSHOT)?")
_MAGIC: Final = b"PAR1"
_TAIL: Final = 8  # bytes at the end: the footer's length and the magic
_MOST_NUMBERS: Final = 16  # of a list such as the encodings of a column
# Types of values in the protocol; below these are true and false.
_BYTE, _DOUBLE, _BINARY, _LIST, _STRUCT = 3, 7, 8, 9, 12
_SHORT_LIST: Final = 15  # lists of fewer have their length beside their type

# What a field may hold: numbers (or true and false), a text, a structure of fields, or a list.
Model: TypeAlias = "str | Fields | list[Model]"
Fields: TypeAlias = "dict[int, Model]"
_NUMBER, _TEXT = "number", "text"
_NOTHING: Fields = {}
_TIME: Fields = {1: _NUMBER, 2: {1: _NOTHING, 2: _NOTHING, 3: _NOTHING}}
# Text, decimal, date, time, timestamp, whole number, null, half-precision number.
_KIND: Fields = {
    1: _NOTHING, 5: {1: _NUMBER, 2: _NUMBER}, 6: _NOTHING, 7: _TIME, 8: _TIME,
    10: {1: _NUMBER, 2: _NUMBER}, 11: _NOTHING, 15: _NOTHING,
}  # fmt: skip
_COLUMN: Fields = {
    1: _NUMBER, 2: _NUMBER, 3: _NUMBER, 4: _TEXT, 5: _NUMBER, 6: _NUMBER, 7: _NUMBER, 8: _NUMBER,
    10: _KIND,
}  # fmt: skip
_SIZES: Fields = {1: _NUMBER, 2: [_NUMBER], 3: [_NUMBER]}
_ENCODED: Fields = {1: _NUMBER, 2: _NUMBER, 3: _NUMBER}
# No statistics (12), and no pairs of texts (8).
_CHUNK: Fields = {
    1: _NUMBER, 2: [_NUMBER], 3: [_TEXT], 4: _NUMBER, 5: _NUMBER, 6: _NUMBER, 7: _NUMBER,
    9: _NUMBER, 11: _NUMBER, 13: [_ENCODED], 16: _SIZES,
}  # fmt: skip
_ROWS: Fields = {
    1: [{2: _NUMBER, 3: _CHUNK}], 2: _NUMBER, 3: _NUMBER, 5: _NUMBER, 6: _NUMBER, 7: _NUMBER,
}  # fmt: skip
_FOOTER: Fields = {
    1: _NUMBER, 2: [_COLUMN], 3: _NUMBER, 4: [_ROWS], 6: _TEXT, 7: [{1: _NOTHING}],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Footer:
    """What a footer says about the size of its file."""

    n_rows: int
    n_columns: int
    unpacked: int  # bytes of all columns
    used: int  # bytes of the file that its parts take


class OddFooterError(ValueError):
    """The footer is damaged, or holds something that rows do not need."""


def read_footer(path: Path) -> Footer:
    """Read the footer of a Parquet file, or raise OddFooterError."""
    with path.open("rb") as file:
        end = file.seek(0, 2)
        file.seek(max(end - _TAIL, 0))
        tail = file.read()
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != _MAGIC or not 0 < length <= end - _TAIL - len(_MAGIC):
            raise OddFooterError
        file.seek(end - _TAIL - length)
        raw = file.read(length)
    try:
        fields, place = _Reader(raw).structure(_FOOTER, 0)
        columns = [one for one in fields[2] if 5 not in one]
        chunks = [chunk[3] for rows in fields[4] for chunk in rows[1]]
        names = {(one[4],) for one in columns}
        is_plain = len(columns) == len(fields[2]) - 1 and all(tuple(c[3]) in names for c in chunks)
        unpacked, packed = (sum(max(chunk[key], 0) for chunk in chunks) for key in (6, 7))
        b"".join(one[4] for one in columns).decode()
    except (KeyError, IndexError, TypeError, UnicodeDecodeError):
        raise OddFooterError from None
    is_known = fields[2][0].get(4) == b"schema" and _WRITER.fullmatch(fields.get(6, b""))
    if place != length or not is_plain or not is_known:
        raise OddFooterError
    return Footer(fields[3], len(columns), unpacked, packed + length + _TAIL + len(_MAGIC))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Values of Thrift's compact protocol, each with the place after it."""

    raw: bytes

    def structure(self, model: Fields, place: int) -> tuple[dict[int, Any], int]:
        """The fields of a structure, each only once and in the model."""
        found: dict[int, Any] = {}
        field = 0
        while (head := self.raw[place]) != 0:
            place += 1
            if head >> 4:
                field += head >> 4
            else:
                field, place = self._number(place)
            if field in found or field not in model:
                raise OddFooterError
            found[field], place = self._value(head & 15, model[field], place)
        return found, place + 1

    def _value(self, kind: int, model: Model, place: int) -> tuple[Any, int]:
        if kind < _BYTE and model == _NUMBER:
            return kind, place
        if kind == _BYTE and model == _NUMBER:
            return self.raw[place], place + 1
        if kind < _DOUBLE and model == _NUMBER:
            return self._number(place)
        if kind == _BINARY and model == _TEXT:
            length, start = self._size(place)
            if start + length > len(self.raw):
                raise OddFooterError
            return self.raw[start : start + length], start + length
        if kind == _LIST and isinstance(model, list):
            return self._list(model[0], place)
        if kind == _STRUCT and isinstance(model, dict):
            return self.structure(model, place)
        raise OddFooterError

    def _list(self, model: Model, place: int) -> tuple[list[Any], int]:
        length, kind = self.raw[place] >> 4, self.raw[place] & 15
        place += 1
        if length == _SHORT_LIST:
            length, place = self._size(place)
        if length > (_MOST_NUMBERS if model == _NUMBER else len(self.raw)) or kind < _BYTE:
            raise OddFooterError
        found = []
        for _ in range(length):
            value, place = self._value(kind, model, place)
            found.append(value)
        return found, place

    def _number(self, place: int) -> tuple[int, int]:
        """A whole number with its sign in the last bit."""
        coded, place = self._size(place)
        return (coded >> 1) ^ -(coded & 1), place

    def _size(self, place: int) -> tuple[int, int]:
        """A whole number of at most 64 bits, seven in a byte."""
        number = 0
        for shift in range(0, 70, 7):
            byte = self.raw[place]
            place += 1
            number |= (byte & 127) << shift
            if byte < 128:
                return number, place
        raise OddFooterError
