"""Small files, which are read into memory: starting an engine takes longer than counting them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gyges.data.arrow_arrays import without_empty_texts
from gyges.engines.csv_files import read_csv
from gyges.engines.file_sources import (
    PARQUET_ENDINGS,
    find_files,
    kind_of,
    name_of,
    parquet_schemas,
    read_whole,
)
from gyges.engines.in_memory import MemorySource
from gyges.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

SMALL = 16 * 2**20  # bytes of text
_COMPRESSION = 8  # bytes of text per byte of a compressed file, at most


def open_small_files(
    location: str,
    wanted: Collection[str] | None = None,
    *,
    encoding: str | None = None,
    sheet: str | None = None,
) -> MemorySource | None:
    """Read the wanted columns of all files that a path or a glob matches; None if they are large.

    Also None for Parquet files with columns that an engine must first make countable. Workbooks
    and files of SPSS, Stata and SAS are always read. `encoding` and `sheet`: as for `open_files`.
    """
    paths = find_files(location)
    kind = kind_of(paths)
    name = name_of(paths, location)
    if kind in ("sheet", "labelled"):
        read = read_whole(paths, kind, wanted, sheet)
        return MemorySource(
            read.rows, name, read.names, labelled=read.labelled, described=read.described
        )
    if sum(map(_size_as_text, paths)) > SMALL:
        return None
    if kind == "csv":
        rows, found = read_csv(paths, wanted or (), encoding)
        return MemorySource(rows, name, found.names, found.notices)
    schemas = parquet_schemas(paths)
    names = tuple(schemas[0].names)
    used = [column for column in names if wanted is None or column in wanted] or list(names)
    if not is_countable(schemas, used):
        return None
    return MemorySource(without_empty_texts(read_parquet(paths, used)), name, names)


def _size_as_text(path: Path) -> int:
    is_compressed = path.suffix.lower() in (".gz", *PARQUET_ENDINGS)
    return path.stat().st_size * (_COMPRESSION if is_compressed else 1)


def is_countable(schemas: Sequence[pa.Schema], columns: Sequence[str]) -> bool:
    """Whether Arrow counts these columns as an engine does, and all files have the same types."""
    first = [schemas[0].field(column).type for column in columns]
    alike = all([one.field(name).type for name in columns] == first for one in schemas[1:])
    return alike and all(map(_is_plain, first))


def _is_plain(kind: pa.DataType) -> bool:
    from pyarrow import types

    checks = (
        types.is_string, types.is_large_string, types.is_integer, types.is_floating,
        types.is_boolean, types.is_date32,
    )  # fmt: skip
    return any(is_one(kind) for is_one in checks)


def read_parquet(
    paths: Sequence[Path], columns: list[str], read_dictionary: list[str] | None = None
) -> pa.Table:
    """Some columns of Parquet files; texts of `read_dictionary` as codes."""
    import pyarrow as pa
    import pyarrow.parquet

    try:
        return pa.concat_tables(
            pa.parquet.ParquetFile(path, read_dictionary=read_dictionary).read(columns=columns)
            for path in paths
        )
    except (pa.ArrowException, OSError) as problem:
        raise SourceError(
            f"{paths[0].name} cannot be read as Parquet ({type(problem).__name__})"
        ) from None
