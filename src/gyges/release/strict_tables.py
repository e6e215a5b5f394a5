"""Published tables as an auditor reads them: rows and nothing else, within the memory's bounds.

A Parquet file can hold more than its rows: metadata, statistics, bytes between its parts, entries
of a dictionary that no row uses. Ours hold none of these (`tables.TableWriter`), so a file that
does is refused: nothing that could be read from it goes unjudged. And a small file can unpack to a
large table, so its size in memory is computed before it is taken.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gyges.errors import ReleaseError
from gyges.release.tables import as_text, guarded, read_raw_csv, without_guards

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_WRITER = re.compile(r"parquet-cpp-arrow version [0-9]{1,3}(\.[0-9]{1,3}){1,3}(-SNAPSHOT)?")
_MAGIC = 4  # bytes at either end of a Parquet file; before the last there is a length of 4 more
_BYTES_A_CELL = 16  # that a value takes in memory, at the least
_UNPACKED = 4  # times the size of a CSV, in memory


def read_strictly(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """One published table as text; with exactly these columns in this order, if they are given.

    Refused: other columns, a column twice, nested types, more than fits into the memory, and in
    Parquet anything beside the rows.
    """
    rows = _read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
    if columns is not None and rows.column_names != list(columns):
        raise ReleaseError(f"{path.name!r} has other columns than its certificate says")
    return rows


def _read_csv(path: Path) -> pa.Table:
    """A CSV as `tables.TableWriter` writes it: one spelling of each text, and of nothing."""
    _refuse_larger_than_memory(path, path.stat().st_size * _UNPACKED)
    raw = read_raw_csv(path)
    rows = without_guards(raw, path)
    if any(guarded(one) != other for one, other in zip(rows.columns, raw.columns, strict=True)):
        raise ReleaseError(f"{path.name!r} spells a text in another way than gyges writes it")
    return _one_kind_of_nothing(rows, path)


def _read_parquet(path: Path) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            _refuse_more_than_rows(file, path)
        names = [field.name for field in file.schema_arrow]
        texts = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
        rows = pq.ParquetFile(path, read_dictionary=texts).read()
    except (pa.ArrowException, OSError):
        raise ReleaseError(f"{path.name!r} is not a readable parquet file") from None
    unpacked = sum(_unpacked(rows.column(name), path) for name in names)
    _refuse_larger_than_memory(path, unpacked)
    return _one_kind_of_nothing(rows, path)


def _one_kind_of_nothing(rows: pa.Table, path: Path) -> pa.Table:
    """A table as text; an empty text and a missing value in one column would look different."""
    import pyarrow.compute as pc

    text = as_text(rows)
    for name, filled, column in zip(rows.column_names, text.columns, rows.columns, strict=True):
        if 0 < column.null_count < pc.sum(pc.equal(filled, "")).as_py():
            raise ReleaseError(f"{path.name!r} holds empty texts and missing values in {name!r}")
    return text


def _refuse_more_than_rows(file: pq.ParquetFile, path: Path) -> None:
    """Refuse metadata, statistics, unused bytes, and columns of lists, records or bytes."""
    import pyarrow as pa

    found, schema = file.metadata, file.schema_arrow
    names = list(schema.names)
    if len(set(names)) < len(names):
        raise ReleaseError(f"{path.name!r} has two columns of the same name")
    strange = (pa.types.is_nested, pa.types.is_binary, pa.types.is_large_binary)
    if any(is_so(field.type) or field.metadata for field in schema for is_so in strange):
        raise ReleaseError(f"{path.name!r} has a column that is neither text nor numbers nor dates")
    _refuse_larger_than_memory(path, found.num_rows * len(names) * _BYTES_A_CELL)
    chunks = [
        found.row_group(group).column(column)
        for group in range(found.num_row_groups)
        for column in range(found.num_columns)
    ]
    used = sum(chunk.total_compressed_size for chunk in chunks) + found.serialized_size
    if (
        found.metadata
        or path.stat().st_size != used + 2 * _MAGIC + 4
        or not _WRITER.fullmatch(str(found.created_by))
        or any(chunk.is_stats_set for chunk in chunks)
    ):
        raise ReleaseError(f"{path.name!r} holds more than its rows")


def _unpacked(column: pa.ChunkedArray, path: Path) -> int:
    """How many bytes a column takes as text; refuse entries of a dictionary that no row has."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    total = 0
    for chunk in column.chunks:
        places = chunk.indices.drop_null().to_numpy()
        counts = np.bincount(places, minlength=len(chunk.dictionary))
        if len(counts) and not counts.all():
            raise ReleaseError(f"{path.name!r} holds values that no row has")
        lengths = pc.binary_length(chunk.dictionary).to_numpy(zero_copy_only=False)
        total += int(counts @ lengths) + len(places) * _BYTES_A_CELL
    return total


def _refuse_larger_than_memory(path: Path, n_bytes: int) -> None:
    if n_bytes > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") // 2:
        raise ReleaseError(f"{path.name!r} takes {n_bytes:,} bytes, more than fit into the memory")
