"""Published tables as files: read as text, written so that no spreadsheet runs their content."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

import numpy as np

from gyges.data.arrow_arrays import arrow_texts
from gyges.errors import ReleaseError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

FORMATS = ("csv", "parquet")
_LINES_AT_ONCE = 65_536  # of a CSV that are written
_FORMULA = r"[=+\-@\t\r\n＝＋－＠]"  # the first character of a text that a spreadsheet may run


def read_table(path: Path) -> pa.Table:
    """A published table from any source, every column as text."""
    import pyarrow as pa

    if path.suffix != ".parquet":
        return as_text(without_guards(read_raw_csv(path), path))
    try:
        return _read_parquet(path)
    except FileNotFoundError:
        raise ReleaseError(f"there is no file {path.name!r}") from None
    except (pa.ArrowException, UnicodeDecodeError, OSError) as problem:
        raise ReleaseError(_unreadable(path, problem)) from None


def read_raw_csv(path: Path) -> pa.Table:
    """The texts of a CSV as they are written; null where there is nothing, not even quotes."""
    import pyarrow as pa
    import pyarrow.csv

    try:
        lines = pyarrow.csv.ParseOptions(newlines_in_values=True)
        names = pyarrow.csv.open_csv(path, parse_options=lines).schema.names
        as_written = pyarrow.csv.ConvertOptions(
            column_types={name: pa.string() for name in names},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        return pyarrow.csv.read_csv(path, convert_options=as_written, parse_options=lines)
    except FileNotFoundError:
        raise ReleaseError(f"there is no file {path.name!r}") from None
    except (pa.ArrowException, UnicodeDecodeError, OSError) as problem:
        raise ReleaseError(_unreadable(path, problem)) from None


def without_guards(rows: pa.Table, path: Path) -> pa.Table:
    """A table that was read from a CSV, without the guards against spreadsheets."""
    import pyarrow as pa

    columns = [_without_guard(column) for column in rows.columns]
    names = _without_guard(pa.chunked_array([arrow_texts(rows.column_names)])).to_pylist()
    _refuse_repeated(names, path)
    return pa.table(columns, names=names)


def _read_parquet(path: Path) -> pa.Table:
    """The rows of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path, memory_map=True) as file:
        names = list(file.schema_arrow.names)
        if any(pa.types.is_nested(column.type) for column in file.schema_arrow):
            raise ReleaseError(f"{path.name!r} has a column of lists or records")
        _refuse_repeated(names, path)
        rows = file.read()
    rows.validate(full=True)
    return as_text(rows)


def as_text(rows: pa.Table) -> pa.Table:
    """A table with every value as its text, as in a CSV; a null becomes an empty text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns, empty = [], arrow_texts([""])[0]
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        try:
            columns.append(pc.fill_null(_in_words(column).cast(pa.string()), empty))
        except pa.ArrowException:
            raise ReleaseError(
                f"the column {name!r} holds {column.type}, which cannot be written as text"
            ) from None
    return pa.table(columns, names=rows.column_names)


def _in_words(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """True and False as these words, in every format; other values as they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(column, "True", "False") if pa.types.is_boolean(column.type) else column


def _refuse_repeated(names: list[str], path: Path) -> None:
    if len(set(names)) < len(names):
        raise ReleaseError(f"{path.name!r} has two columns of the same name")


def _unreadable(path: Path, problem: Exception) -> str:
    if path.is_file() and path.stat().st_size == 0:
        return f"{path.name!r} is empty"
    message = f"{path.name!r} is not a readable {path.suffix[1:]} file"
    return f"{message}: it is not UTF-8" if "UTF8" in str(problem) else message


class RowsInPieces(Protocol):
    """A table that is never in memory as a whole."""

    @property
    def column_names(self) -> Sequence[str]:
        """Its columns."""
        ...

    def pieces(self) -> Iterable[pa.Table]:
        """Its rows, some at a time."""
        ...


def write_table(rows: pa.Table | RowsInPieces, path: Path) -> None:
    """Write one table; texts that a spreadsheet would run as formulas are guarded in a CSV.

    Nothing but the rows is written: no metadata of the frame that was read, and no dictionary,
    which could hold values of people who are not published.
    """
    import pyarrow as pa

    with TableWriter(path, rows.column_names) as writer:
        for piece in [rows] if isinstance(rows, pa.Table) else rows.pieces():
            writer.write(piece)


class TableWriter:
    """One table's file, written piece by piece; leaving its context closes it.

    A CSV has one spelling: a text has quotes where it needs them, every line ends with a newline.
    """

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        import pyarrow as pa

        self._path, self._names = path, list(names)
        self._parquet: pq.ParquetWriter | None = None
        self._file = path.open("wb")
        if path.suffix != ".parquet":
            head = guarded(pa.chunked_array([arrow_texts(self._names)])).to_pylist()
            self._file.write(csv_head(head))

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._parquet is not None:
            self._parquet.close()
        self._file.close()

    def write(self, rows: pa.Table) -> None:
        """Write some more rows."""
        if self._path.suffix == ".parquet":
            import pyarrow as pa

            rows = pa.table([_decoded(column) for column in rows.columns], names=self._names)
            if self._parquet is None:
                self._parquet = parquet_writer(self._file, rows.schema)
            self._parquet.write_table(rows.combine_chunks())
            return
        for piece in csv_pieces(rows, with_guards=True):
            self._file.write(piece)


def parquet_writer(file: IO[bytes] | io.RawIOBase, schema: pa.Schema) -> pq.ParquetWriter:
    """A writer of rows and nothing else; equal rows in equal row groups give equal bytes."""
    import pyarrow.parquet

    return pyarrow.parquet.ParquetWriter(file, schema, store_schema=False, write_statistics=False)


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values without a dictionary, every text as the same type."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.string()) if _is_text(column.type) else column


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    types = pa.types
    is_long = types.is_large_string(kind) or types.is_string_view(kind)
    return bool(is_long or types.is_string(kind))


def csv_head(names: Sequence[str]) -> bytes:
    """The first line of a CSV."""
    return (",".join(map(_quoted, names)) + "\n").encode()


def csv_pieces(rows: pa.Table, *, with_guards: bool = False) -> Iterator[memoryview]:
    """The lines of a CSV after the first, some at a time, as bytes; texts are guarded if asked."""
    import pyarrow as pa
    import pyarrow.csv

    as_they_are = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
    for batch in rows.to_batches(_LINES_AT_ONCE):
        columns = [_texts(column, with_guards) for column in batch.columns]
        if any(needs_quotes for _, needs_quotes in columns):
            yield from _quoted_lines([texts for texts, _ in columns])
            continue
        lines = pa.BufferOutputStream()
        plain = [texts.cast(pa.string()) for texts, _ in columns]
        pyarrow.csv.write_csv(pa.table(plain, rows.column_names), lines, as_they_are)
        yield memoryview(lines.getvalue())


_NEEDS_QUOTES = '^$|[",\r\n]'  # also an empty text, which would be read as a null


def _texts(column: pa.Array, with_guards: bool) -> tuple[pa.Array, bool]:
    """A column as texts, perhaps coded and guarded, and whether one of them needs quotes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if _is_number(column.type):
        return _in_words(column).cast(pa.string()), False
    is_coded = pa.types.is_dictionary(column.type)
    coded = column if is_coded else column.cast(pa.string()).dictionary_encode()
    texts = coded.dictionary.cast(pa.string())
    if with_guards and _is_text(coded.dictionary.type if is_coded else column.type):
        texts = guarded(pa.chunked_array([texts])).combine_chunks()
    needs_quotes = pc.any(pc.match_substring_regex(texts, _NEEDS_QUOTES)).as_py()
    return pa.DictionaryArray.from_arrays(coded.indices, texts), bool(needs_quotes)


def _quoted_lines(columns: Sequence[pa.Array]) -> Iterator[memoryview]:
    """Lines of texts of which some need quotes."""
    import pyarrow.compute as pc

    (comma,) = arrow_texts([","])
    ends = [*[""] * (len(columns) - 1), "\n"]
    cells = [_cells(*one) for one in zip(columns, ends, strict=True)]
    lines = pc.binary_join_element_wise(*cells, comma)
    _, stops, data = lines.buffers()
    yield memoryview(data).cast("B")[: np.frombuffer(stops, dtype=np.int32)[len(lines)]]


def _cells(texts: pa.Array, end: str) -> pa.Array:
    """Texts in quotes where they need them; nothing for a null; then an end."""
    import pyarrow as pa
    import pyarrow.compute as pc

    quote, nothing, last = arrow_texts(['"', "", end])
    coded = texts if pa.types.is_dictionary(texts.type) else texts.dictionary_encode()
    needs_quotes = pc.match_substring_regex(coded.dictionary, _NEEDS_QUOTES)
    doubled = pc.replace_substring(coded.dictionary, '"', '""')
    quoted = pc.binary_join_element_wise(quote, doubled, quote, nothing)
    shown = pc.if_else(needs_quotes, quoted, coded.dictionary)
    cells = pc.binary_join_element_wise(shown, last, nothing).take(coded.indices)
    return pc.fill_null(cells, last) if cells.null_count else cells


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def _quoted(name: str) -> str:
    special = any(character in name for character in '",\r\n')
    return '"' + name.replace('"', '""') + '"' if special else name


def guarded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Put an apostrophe before a text that begins like a formula; a number does not need one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_string(column.type):
        return column
    texts = column.unique()
    risky = pc.match_substring_regex(texts, f"^'*{_FORMULA}")
    number = pc.match_substring_regex(texts, r"^[+-]?[0-9.]+$")
    found = texts.filter(pc.and_not(risky, number))  # a null is dropped: both are null for it
    if len(found) == 0:
        return column
    guard = pc.is_in(column, found)
    return pc.if_else(guard, pc.binary_join_element_wise("'", column, ""), column)


def csv_text(names: Sequence[str], columns: Sequence[Sequence[str]]) -> str:
    """A CSV of texts for people, guarded like a published table."""
    import pyarrow as pa

    safe = [guarded(pa.chunked_array([arrow_texts(column)])).to_pylist() for column in columns]
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(guarded(pa.chunked_array([arrow_texts(names)])).to_pylist())
    writer.writerows(zip(*safe, strict=True))
    return written.getvalue()


def _without_guard(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    texts = column.unique()
    found = texts.filter(pc.match_substring_regex(texts, f"^'+{_FORMULA}"))
    if len(found) == 0:
        return column
    guarded = pc.is_in(column, found)
    return pc.if_else(guarded, pc.utf8_slice_codeunits(column, 1), column)
