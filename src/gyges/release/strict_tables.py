"""Published tables as an auditor reads them: rows and nothing else, within the limits of memory.

A Parquet file can hold more than its rows: metadata, statistics, fields that readers skip, bytes
between its parts, entries of a dictionary that no row uses. Those of gyges hold none of these
(`tables.TableWriter`), so a file with any is refused. What is left within its parts is found by
writing the rows again (`auditing.parquet_check`).

A small file can unpack to a large table. Bounded before anything is decoded: the rows, the sizes
of the unpacked columns that the file states, and the bytes of a CSV. Bounded while it is decoded,
batch by batch: the rows as text. Not bounded: a file that lies about its unpacked sizes takes the
memory of one unpacked batch before it is refused.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray
from gyges.errors import ReleaseError
from gyges.release.parquet_footer import OddFooterError, read_footer
from gyges.release.tables import (
    as_text,
    csv_head,
    csv_pieces,
    guarded,
    read_raw_csv,
    without_guards,
)

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_BATCH = 65_536  # rows that are decoded at once
_TYPES = ("string", "integer", "floating", "boolean", "date", "timestamp", "decimal", "time",
          "null")  # fmt: skip
_BYTES_A_CELL = 16  # that a value takes in memory, at least
_CSV_IN_MEMORY = 4  # times its size as a file


def read_strictly(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """One published table as text; with exactly these columns in this order, if they are given.

    Refused: other columns, a column twice, nested types, more than fits into the memory, and in
    Parquet anything besides the rows.
    """
    rows = _read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
    if columns is not None and rows.column_names != list(columns):
        raise ReleaseError(f"{path.name!r} has other columns than its certificate states")
    return rows


def _read_csv(path: Path) -> pa.Table:
    """A CSV as `tables.TableWriter` writes it, byte for byte: each table has one spelling."""
    _refuse_larger_than_memory(path, path.stat().st_size * _CSV_IN_MEMORY)
    raw = read_raw_csv(path)
    rows = without_guards(raw, path)
    is_guarded = all(guarded(a) == b for a, b in zip(rows.columns, raw.columns, strict=True))
    if not is_guarded or not _has_bytes_of(raw, path):
        raise ReleaseError(
            f"{path.name!r} is not written as gyges writes a table (quotes, guards, line ends, "
            f"empty lines or a byte order mark)"
        )
    return _with_one_empty_value(rows, path)


def _has_bytes_of(raw: pa.Table, path: Path) -> bool:
    """Whether a CSV has exactly the bytes that writing its cells gives."""
    with path.open("rb") as file:
        pieces = itertools.chain([csv_head(raw.column_names)], csv_pieces(raw))
        return all(file.read(len(piece)) == bytes(piece) for piece in pieces) and not file.read(1)


def _read_parquet(path: Path) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    _refuse_large_or_odd_footer(path)
    try:
        with pq.ParquetFile(path) as file:
            _refuse_other_columns(file, path)
            texts = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            rows = _decoded(file, path)
    except (pa.ArrowException, OSError):
        raise ReleaseError(f"{path.name!r} is not a readable parquet file") from None
    return _with_one_empty_value(rows, path)


def _decoded(file: pq.ParquetFile, path: Path) -> pa.Table:
    """The rows, decoded in small batches as long as they fit into the memory as text."""
    import pyarrow as pa

    names, pieces, n_bytes = file.schema_arrow.names, [], 0
    for number in range(file.num_row_groups):
        dictionaries = [_Dictionary(path) for _ in names]
        for batch in file.iter_batches(_BATCH, row_groups=[number]):
            batch.validate(full=True)  # a place beyond a dictionary is read nowhere
            n_bytes += sum(map(_unpacked, batch.columns))
            _refuse_larger_than_memory(path, n_bytes)
            known = zip(dictionaries, batch.columns, strict=True)
            pieces.append(pa.table([one.decoded(column) for one, column in known], names=names))
        for one in dictionaries:
            one.refuse_unused_values()
    return pa.concat_tables(pieces) if pieces else file.schema_arrow.empty_table()


class _Dictionary:
    """A column's dictionary in one row group, which may grow from batch to batch."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: pa.Array | None = None
        self._uses = np.zeros(0, dtype=np.int64)  # entries

    def decoded(self, column: pa.Array) -> pa.Array:
        """The decoded values, after counting which entries they use."""
        import pyarrow as pa

        if not pa.types.is_dictionary(column.type):
            return column
        n = len(self._uses)
        if self._entries is None or not column.dictionary.slice(0, n).equals(self._entries):
            self.refuse_unused_values()
            n = 0
        uses = _uses(column)
        uses[:n] += self._uses[:n]
        self._entries, self._uses = column.dictionary, uses
        return column.dictionary_decode()

    def refuse_unused_values(self) -> None:
        """Refuse entries that no row has."""
        if not self._uses.all():
            raise ReleaseError(f"{self._path.name!r} holds values that no row has")


def _with_one_empty_value(rows: pa.Table, path: Path) -> pa.Table:
    """A table as text; refuse NaN, and a column with both empty texts and missing values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = as_text(rows)
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        if pa.types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py():
            raise ReleaseError(f"{path.name!r} holds NaN in {name!r}, whose bits can hide a number")
    for name, filled, column in zip(rows.column_names, text.columns, rows.columns, strict=True):
        if 0 < column.null_count < pc.sum(pc.equal(filled, "")).as_py():
            raise ReleaseError(f"{path.name!r} holds empty texts and missing values in {name!r}")
    return text


def _refuse_other_columns(file: pq.ParquetFile, path: Path) -> None:
    """Refuse columns of other types, and two of the same name."""
    import pyarrow as pa

    schema = file.schema_arrow
    names = list(schema.names)
    if len(set(names)) < len(names):
        raise ReleaseError(f"{path.name!r} has two columns of the same name")
    known = [getattr(pa.types, f"is_{name}") for name in _TYPES]
    if any(field.metadata or not any(is_so(field.type) for is_so in known) for field in schema):
        raise ReleaseError(f"{path.name!r} has a column that is neither text nor numbers nor dates")


def _refuse_large_or_odd_footer(path: Path) -> None:
    """Refuse fields that rows do not need, bytes that belong to nothing, and too many of them."""
    try:
        footer = read_footer(path)
    except OSError:
        raise ReleaseError(f"{path.name!r} is not a readable parquet file") from None
    except OddFooterError:
        raise ReleaseError(_more_than_rows(path)) from None
    _refuse_larger_than_memory(path, footer.n_rows * footer.n_columns * _BYTES_A_CELL)
    _refuse_larger_than_memory(path, footer.unpacked)
    if footer.used != path.stat().st_size:
        raise ReleaseError(_more_than_rows(path))


def _more_than_rows(path: Path) -> str:
    return f"{path.name!r} holds more than its rows, or is damaged"


def _unpacked(column: pa.Array) -> int:
    """How many bytes a part of a column takes as text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).to_numpy(zero_copy_only=False)
    return int(_uses(column) @ lengths) + len(column) * _BYTES_A_CELL


def _uses(column: pa.DictionaryArray) -> IntArray:
    """How many rows have each entry of the dictionary."""
    places = column.indices.drop_null().to_numpy()
    return np.bincount(places, minlength=len(column.dictionary)).astype(np.int64)


def _refuse_larger_than_memory(path: Path, n_bytes: int) -> None:
    if n_bytes > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") // 2:
        raise ReleaseError(f"{path.name!r} takes {n_bytes:,} bytes, more than fit into the memory")
