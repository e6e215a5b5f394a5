"""Published tables as an auditor reads them: the expected columns, plain types, bounded sizes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.errors import ReleaseError
from gyges.release.tables import read_table

if TYPE_CHECKING:
    import pyarrow as pa

LARGEST_FILE = 2**31  # bytes of a CSV, or of a Parquet file once it is unpacked
MOST_ROWS = 20_000_000
_MAGIC = 4  # bytes at either end of a Parquet file; before the last there is a length of 4 more
_WRITER = "parquet-cpp-arrow version "


def read_strictly(path: Path, columns: Sequence[str]) -> pa.Table:
    """One published table as text, with exactly these columns in this order.

    Refused: other columns, a column twice, nested types, missing values, sizes beyond the bounds,
    and in Parquet anything beside the columns (metadata, unused bytes).
    """
    if path.suffix == ".parquet":
        _refuse_strange_parquet(path)
    elif path.stat().st_size > LARGEST_FILE:
        raise ReleaseError(f"{path.name!r} is too large to be checked")
    rows = read_table(path)
    if rows.column_names != list(columns):
        raise ReleaseError(f"{path.name!r} has other columns than its certificate says")
    if rows.num_rows > MOST_ROWS or any(column.null_count for column in rows.columns):
        raise ReleaseError(f"{path.name!r} has missing values or too many rows")
    return rows


def _refuse_strange_parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            found, schema = file.metadata, file.schema_arrow
    except (pa.ArrowException, OSError):
        raise ReleaseError(f"{path.name!r} is not a readable parquet file") from None
    chunks = [
        found.row_group(group).column(column)
        for group in range(found.num_row_groups)
        for column in range(found.num_columns)
    ]
    unpacked = sum(chunk.total_uncompressed_size for chunk in chunks)
    if found.num_rows > MOST_ROWS or unpacked > LARGEST_FILE:
        raise ReleaseError(f"{path.name!r} is too large to be checked")
    plain = {pa.string(), pa.int64(), pa.float64()}
    if any(field.type not in plain or field.metadata for field in schema):
        raise ReleaseError(f"{path.name!r} has a column that is neither text nor numbers")
    used = sum(chunk.total_compressed_size for chunk in chunks) + found.serialized_size
    has_more = path.stat().st_size != used + 2 * _MAGIC + 4
    if found.metadata or has_more or not str(found.created_by).startswith(_WRITER):
        raise ReleaseError(f"{path.name!r} holds more than its columns")
