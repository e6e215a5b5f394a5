"""Keyed pseudonyms: a column of random-looking names in place of one that identifies people.

The pseudonym of a value is its HMAC-SHA-256 under a key [RFC 2104], shortened to 130 bits in base
32. Anyone who has the key can compute it from the value; to everyone else it looks random. The name
of the column is hashed too. Without a key of the user's own, each reading draws one and forgets it,
so that no two releases can be linked by it.
"""

from __future__ import annotations

import base64
import hmac
import os
import secrets
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.arguments import shown
from gyges.data.arrow_arrays import arrow_numbers, arrow_texts
from gyges.data.changed_source import ChangedSource
from gyges.data.encoding import as_value, encoded, is_missing, places_of
from gyges.data.plain_files import read_plain_file
from gyges.data.schema import Schema
from gyges.data.source import Source
from gyges.data.values import text_of
from gyges.errors import SchemaError

if TYPE_CHECKING:
    import pyarrow as pa

_BYTES = 32  # of a key
_LARGEST_FILE = 1_024  # bytes
_LENGTH = 26  # characters of 5 bits


def pseudonym_column(column: str) -> str:
    """The name of the column that holds the pseudonyms of another one.

    >>> pseudonym_column("patient")
    'pseudonym of patient'
    """
    return f"pseudonym of {column}"


def pseudonym(key: bytes, column: str, value: Hashable) -> str:
    """The pseudonym of a value of a column.

    >>> pseudonym(b"k" * 32, "patient", 17) == pseudonym(b"k" * 32, "patient", "17")
    True
    """
    message = f"{len(column)} {column} {text_of(as_value(value))}"
    made = hmac.digest(key, message.encode("utf-8", "surrogatepass"), "sha256")
    return base64.b32encode(made).decode()[:_LENGTH].lower()


def are_pseudonyms(texts: pa.ChunkedArray) -> bool:
    """Whether texts have the form of pseudonyms, or are empty where there is none."""
    import pyarrow.compute as pc

    form = f"^([a-z2-7]{{{_LENGTH}}})?$"
    return bool(pc.all(pc.match_substring_regex(texts, form), min_count=0).as_py())


@contextmanager
def opened_key(given: object) -> Iterator[bytes | None]:
    """The key that an argument states: a file, or 32 bytes.

    Where there is no file yet a key is drawn, and written when the context ends without an error,
    readable by its owner only.
    """
    if given is None or (isinstance(given, bytes) and len(given) == _BYTES):
        yield given
        return
    if not (isinstance(given, (str, Path)) and str(given)):
        what = f"{len(given)} bytes" if isinstance(given, bytes) else shown(given)
        raise SchemaError(f"pseudonym_key is {what}: name a file, or give {_BYTES} random bytes")
    path = Path(given)
    if os.path.lexists(path):
        yield _read(path)
        return
    if not path.parent.is_dir():
        raise _not_written(path, "there is no such folder")
    key = secrets.token_bytes(_BYTES)
    yield key
    _write(path, key)


def _write(path: Path, key: bytes) -> None:
    try:
        opened = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError as problem:
        raise _not_written(path, problem.strerror) from None
    with os.fdopen(opened, "w") as file:
        file.write(f"{key.hex()}\n")


def _not_written(path: Path, why: str | None) -> SchemaError:
    return SchemaError(
        f"the key of the pseudonyms cannot be written to {str(path)!r} ({why}): name a file in a "
        f"folder that exists"
    )


def _read(path: Path) -> bytes:
    what = f"the key of the pseudonyms in {str(path)!r}"
    try:
        key = bytes.fromhex(read_plain_file(path, _LARGEST_FILE).decode("ascii").strip())
        is_open = os.name == "posix" and path.stat().st_mode & 0o077
    except (OSError, ValueError):
        raise SchemaError(
            f"{what} cannot be read: name a file that Gyges wrote, or one that does not exist yet"
        ) from None
    if is_open:
        raise SchemaError(f"{what} can be read by others: run chmod 600 on it")
    if len(key) != _BYTES:
        raise SchemaError(f"{what} has {len(key)} bytes, and {_BYTES} are needed: name another")
    return key


def with_pseudonyms(
    source: Source, schema: Schema, marks: Collection[str], key: bytes | None
) -> tuple[Source, Schema, list[str]]:
    """The source and schema with a published column of pseudonyms for each that the schema names,
    and a notice; unchanged where it names none.
    """
    if not schema.pseudonyms:
        if key is not None:
            raise SchemaError("a pseudonym_key needs `pseudonyms`: the columns that get them")
        return source, schema, []
    names = {pseudonym_column(column): column for column in schema.pseudonyms}
    for name in names:
        if name in source.columns:
            raise SchemaError(f"another column has the name of the pseudonyms, {name!r}: rename it")
    made = PseudonymSource(source, names, key or secrets.token_bytes(_BYTES), frozenset(marks))
    listed = ", ".join(map(repr, schema.pseudonyms))
    keyed = (
        "with a key that was drawn for this table and is not kept"
        if key is None
        else "with the key that was given: anyone who sees two releases with it can link their rows"
    )
    return (
        made,
        replace(schema, published=[*schema.published, *names]),
        [f"pseudonyms of {listed} are published, made {keyed}"],
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PseudonymSource(ChangedSource):
    """Rows of an engine with columns of pseudonyms."""

    refusal = "this is not done with pseudonyms: omit them"

    names: Mapping[str, str]  # of these columns, and of those whose values they stand for
    key: bytes
    marks: frozenset[str]

    @property
    def columns(self) -> Sequence[str]:
        """The columns of the engine, and the pseudonyms."""
        return [*self.rows.columns, *self.names]

    def count(self, by: Sequence[str]) -> pa.Table:
        """As the engine counts the values that the pseudonyms stand for."""
        return self._named(self.rows.count(self._engine(by)), by)

    def count_distinct(self, columns: Sequence[str], by: Sequence[str]) -> pa.Table:
        """As the engine counts the values that the pseudonyms stand for."""
        return self._named(self.rows.count_distinct(self._engine(columns), self._engine(by)), by)

    def count_missing(self, columns: Sequence[str]) -> dict[str, int]:
        """As the engine counts them."""
        found = self.rows.count_missing(self._engine(columns))
        return {name: found[self.names.get(name, name)] for name in columns}

    def count_respelled(self, column: str, marks: Collection[str] = ()) -> int:
        """As the engine counts them."""
        return self.rows.count_respelled(column, marks)

    def fetch(self, columns: Sequence[str]) -> pa.Table:
        """All rows, in the engine's order."""
        return self._named(self.rows.fetch(self._engine(columns)), columns)

    def _engine(self, names: Sequence[str]) -> list[str]:
        return list(dict.fromkeys(self.names.get(name, name) for name in names))

    def _named(self, rows: pa.Table, wanted: Sequence[str]) -> pa.Table:
        """The rows with the pseudonyms that are wanted, and without values that are not."""
        for name in wanted:
            if name in self.names:
                column = self.names[name]
                rows = rows.append_column(name, self._pseudonyms(rows.column(column), column))
        extra = [column for column in self.names.values() if column not in wanted]
        return rows.drop_columns([name for name in extra if name in rows.column_names])

    def _pseudonyms(self, column: pa.ChunkedArray, name: str) -> pa.Array:
        import pyarrow as pa

        coded = encoded(column, name)
        raw = coded.dictionary.to_pylist()
        texts = [
            None if is_missing(value, self.marks) else pseudonym(self.key, name, value)
            for value in raw
        ]
        distinct = sorted({text for text in texts if text is not None})
        place = {text: i for i, text in enumerate(distinct)}
        codes = pa.array([None if t is None else place[t] for t in texts] + [None], pa.int32())
        places = codes.take(arrow_numbers(places_of(coded)))
        return pa.DictionaryArray.from_arrays(places, arrow_texts(distinct))
