"""CSV files: their separator, header and encoding.

Everything is read as text, so that a zip keeps its zeros; the kind of a column is determined later,
from its distinct values.
"""

from __future__ import annotations

import codecs
import csv
import glob
import io
import re
import uuid
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from gyges.data.personal_patterns import NAMES, PARTS_OF_NAMES, personal_form
from gyges.data.values import Kind, guess_kind
from gyges.engines.csv_faults import fault_in, not_text
from gyges.engines.text_encodings import UTF_8, about_encoding, in_utf_8, unpacked
from gyges.errors import EngineError, SourceError

if TYPE_CHECKING:
    import ibis
    import pyarrow as pa
    from ibis.backends import BaseBackend

SEPARATORS = "\t|;,"  # of two that fit equally well, the one that is rarer in texts and numbers
_STATED_SEPARATOR = re.compile(rf"sep=([{SEPARATORS}])(?:\r\n|\n|\r)", re.IGNORECASE)
LONGEST_LINE = 64_000_000  # bytes
_SAMPLE = 1 << 16  # bytes that are examined first; more where the header is longer
_LONGEST_HEADER = 1 << 26
_RECORDS_COMPARED = 100


@dataclass(frozen=True, slots=True)
class CsvLayout:
    """The names in a CSV file's first line, and the separator between them."""

    names: tuple[str, ...]
    separator: str
    has_formulas: bool = False  # whether cells may be written ="…", as Excel protects texts
    states_separator: bool = False  # whether a line "sep=;" comes before the names, as Excel reads


@dataclass(frozen=True, slots=True)
class CsvContent:
    """What was found in CSV files besides the rows: all columns' names, and their encoding."""

    names: tuple[str, ...]
    notices: tuple[str, ...] = ()


def open_csv(
    engine: BaseBackend, paths: Sequence[Path], wanted: Collection[str], encoding: str | None = None
) -> tuple[ibis.Table, CsvContent]:
    """Read the wanted columns of CSV files into DuckDB once; also say what else was found.

    The rows are kept in DuckDB: parsing is most of the work, and a file that changed between two
    counts would give cells of no table.
    """
    name = f"rows_{uuid.uuid4().hex}"
    with _query(paths, wanted, encoding) as (content, query):
        engine.con.sql(query).create(name)
    return engine.table(name), content


def read_csv(
    paths: Sequence[Path], wanted: Collection[str], encoding: str | None = None
) -> tuple[pa.Table, CsvContent]:
    """Read the wanted columns of CSV files into memory; also say what else was found."""
    import duckdb

    with duckdb.connect() as engine, _query(paths, wanted, encoding) as (content, query):
        engine.execute("SET enable_progress_bar = false")  # it would write to the standard output
        return engine.sql(query).to_arrow_table(), content


@contextmanager
def _query(
    files: Sequence[Path], wanted: Collection[str], encoding: str | None
) -> Iterator[tuple[CsvContent, str]]:
    """What is found in the files, and the query for the wanted columns; errors name the fault."""
    with in_utf_8(files, encoding) as (paths, found):
        guessed = [] if encoding is not None else zip(files, found, strict=True)
        notices = [about_encoding(path.name, one) for path, one in guessed if one != UTF_8]
        with _query_of_texts(paths, wanted) as (names, query):
            yield CsvContent(names, tuple(notices)), query


@contextmanager
def _query_of_texts(
    paths: Sequence[Path], wanted: Collection[str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    import duckdb

    layout = _common_layout(paths, wanted)
    used = [name for name in layout.names if name in wanted] or list(layout.names)
    try:
        yield layout.names, _select(paths, layout, used)
    except duckdb.OutOfMemoryException:
        raise EngineError(
            f"{paths[0].name} does not fit into the memory that DuckDB may use: increase the limit"
        ) from None
    except duckdb.Error:  # its message quotes the row
        raise _first_fault(paths, layout) from None


def _select(paths: Sequence[Path], layout: CsvLayout, used: Sequence[str]) -> str:
    places = {name: f"c{place}" for place, name in enumerate(layout.names)}
    columns = ", ".join(f"{place}: 'VARCHAR'" for place in places.values())
    files = ", ".join(_quoted(glob.escape(str(path)), "'") for path in paths)
    cell = r"nullif(regexp_replace({}, '^=\"(.*)\"$', '\1'), '')" if layout.has_formulas else "{}"
    chosen = ", ".join(f"{cell.format(places[name])} AS {_quoted(name, chr(34))}" for name in used)
    return (
        f"SELECT {chosen} FROM read_csv([{files}], columns = {{{columns}}}, "
        f"skip = {int(layout.states_separator)}, delim = '{layout.separator}', quote = '\"', "
        f"escape = '\"', header = true, nullstr = '', "
        f"max_line_size = {LONGEST_LINE}, buffer_size = {LONGEST_LINE})"
    )


def _quoted(text: str, mark: str) -> str:
    """A text or a name as SQL writes it; a file's name may contain quotes."""
    return f"{mark}{text.replace(mark, 2 * mark)}{mark}"


def _first_fault(paths: Sequence[Path], layout: CsvLayout) -> SourceError:
    for path in paths:
        fault = fault_in(
            path,
            unpacked(path),
            layout.separator,
            len(layout.names),
            LONGEST_LINE,
            n_above=int(layout.states_separator),
        )
        if fault:
            return fault
    return SourceError(
        f'{paths[0].name} cannot be read as CSV: check its quotes (") and its line ends'
    )


def _common_layout(paths: Sequence[Path], wanted: Collection[str]) -> CsvLayout:
    """The layout of the first file; all files must have it."""
    first = read_layout(paths[0], wanted)
    for path in paths[1:]:
        layout = read_layout(path, wanted)
        first = replace(first, has_formulas=first.has_formulas or layout.has_formulas)
        if (layout.names, layout.separator) != (first.names, first.separator):
            refuse_other_columns(paths[0], first.names, path, layout.names)
            raise SourceError(
                f"{path.name} separates its cells by {layout.separator!r}, {paths[0].name} by "
                f"{first.separator!r}: files that are read together need the same separator"
            )
        if layout.states_separator != first.states_separator:
            raise SourceError(
                f"only one of {paths[0].name} and {path.name} begins with a line that states the "
                f"separator: files that are read together need the same first lines"
            )
    return first


def refuse_other_columns(
    first: Path, names: Sequence[str], path: Path, others: Sequence[str]
) -> None:
    """Refuse files read together that differ in their columns or the order of these."""
    if list(names) == list(others):
        return
    missing = sorted(set(names) - set(others))
    extra = sorted(set(others) - set(names))
    if missing:
        what = f"has no column {missing[0]!r}, which {first.name} has"
    elif extra:
        what = f"has a column {extra[0]!r}, which {first.name} does not have"
    else:
        what = f"has its columns in another order than {first.name}"
    raise SourceError(f"{path.name} {what}: files that are read together need the same columns")


def read_layout(path: Path, wanted: Collection[str] = ()) -> CsvLayout:
    """Find the separator and the names in a file in UTF-8; refuse an impossible header."""
    with unpacked(path) as stream:
        text, is_whole = _beginning(path, stream)
    stated = _STATED_SEPARATOR.match(text)
    if stated is not None:
        text = text[stated.end() :]
        if not text.strip():
            raise SourceError(f"{path.name} is empty but for the line that states its separator")
    possible = SEPARATORS if stated is None else stated[1]
    records = {separator: _records(text, separator, is_whole) for separator in possible}
    separator = max(possible, key=lambda separator: _fitness(records[separator]))
    if not records[separator]:
        raise SourceError(f"{path.name}: the quotes in the header do not close: correct line 1")
    names = tuple(_without_formula(name) for name in records[separator][0])
    if len(names) == 1:
        refuse_title(path, max(records.values(), key=lambda found: sum(map(len, found))))
    refuse_header(path, names, records[separator][1:], wanted)
    return CsvLayout(names, separator, '="' in text, stated is not None)


def _without_formula(name: str) -> str:
    return name[2:-1] if name.startswith('="') and name.endswith('"') and len(name) > 3 else name


def _records(text: str, separator: str, is_whole: bool) -> list[list[str]]:
    """The first records by this separator, up to where it does not fit the quotes."""
    found: list[list[str]] = []
    try:
        for record in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True):
            if record:
                found.append(record)
            if len(found) > _RECORDS_COMPARED:
                break
    except csv.Error:
        return found
    return found if is_whole or len(found) > _RECORDS_COMPARED else found[:-1]


def _fitness(records: list[list[str]]) -> tuple[float, int]:
    """The share of the first records with as many cells as the header, and that number."""
    if not records or len(records[0]) < 2:
        return (0.0, 0)
    width = len(records[0])
    return (sum(len(record) == width for record in records) / len(records), width)


def _beginning(path: Path, stream: IO[bytes]) -> tuple[str, bool]:
    """The first lines of a file as text, at least its header; and whether that is all of it."""
    content, wanted_size = b"", _SAMPLE
    try:
        while True:
            more = stream.read(wanted_size - len(content))
            content += more
            is_whole = len(content) < wanted_size
            if is_whole or _has_a_record(content) or wanted_size >= _LONGEST_HEADER:
                break
            wanted_size *= 8
    except (OSError, EOFError):
        raise SourceError(f"{path.name} cannot be unpacked: the file is damaged") from None
    if not content.strip():
        raise SourceError(f"{path.name} is empty")
    return _as_text(path, content, is_whole), is_whole


def _has_a_record(content: bytes) -> bool:
    """Whether a line ends outside quotes: an even number of quotes precedes its end."""
    quotes = 0
    for line in content.splitlines(keepends=True)[:-1]:
        quotes += line.count(b'"')
        if quotes % 2 == 0:
            return True
    return False


def _as_text(path: Path, content: bytes, is_whole: bool) -> str:
    first_line = content.splitlines()[0]
    if content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or b"\0" in first_line:
        raise not_text(path, 1, "UTF-16")
    try:
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        return decoder.decode(content, final=is_whole)
    except UnicodeDecodeError as problem:
        raise not_text(path, content.count(b"\n", 0, problem.start) + 1) from None


def refuse_header(
    path: Path, names: tuple[str, ...], records: Sequence[Sequence[str]], wanted: Collection[str]
) -> None:
    """Refuse a first line that cannot name columns, or is a person's row."""
    refuse_title(path, [names, *records])
    if looks_like_data(names, records, wanted):
        again = "; if it is a header that comes again below, remove it there"
        raise SourceError(
            f"{path.name} seems to have no header: its first line has values (numbers, dates, or "
            f"values that repeat below) instead of column names; add a first line with the names"
            f"{again if [*names] in map(list, records) else ''}"
        )
    if "" in (name.strip() for name in names):
        place = [name.strip() for name in names].index("") + 1
        raise SourceError(f"{path.name}: column {place} has no name in the header: name it")
    if any("\n" in name or "\r" in name for name in names):
        raise SourceError(f"{path.name}: a column's name holds a line break: rename the column")
    if any("\0" in name for name in names):
        raise SourceError(f"{path.name}: a column's name holds a NUL character: rename the column")
    refuse_repeated(path.name, names)


def refuse_title(path: Path, records: Sequence[Sequence[str]]) -> None:
    """Refuse a first line with one cell where most lines below have several: it is a title."""
    filled = [sum(bool(cell.strip()) for cell in record) for record in records]
    if filled[0] == 1 and 2 * sum(n > 1 for n in filled[1:]) > len(filled) - 1:
        raise SourceError(
            f"{path.name}: the first line has one cell, and the lines below have more: it seems to "
            f"be a title. Delete all lines above the column names; if they are names, write a name "
            f"for each column, and put cells that hold a separator in quotes"
        )


def looks_like_data(
    names: Sequence[str], records: Sequence[Sequence[str]], wanted: Collection[str]
) -> bool:
    """Whether a first line is a person's row, which no message may quote as column names.

    It is not if it names a wanted column. Otherwise it is if a cell looks like an e-mail address,
    a phone number and the like; or if every third cell is a number, a date, a person's name, or a
    value that its own column repeats in the first lines.
    """
    if set(wanted).intersection(names):
        return False
    forms = {personal_form([name]) for name in names}
    if forms - {None, NAMES, PARTS_OF_NAMES}:
        return True
    n_strange = 0
    for place, name in enumerate(names):
        is_value = guess_kind([name]) is not Kind.CATEGORY or personal_form([name]) is not None
        below = (record[place] for record in records if place < len(record))
        n_strange += bool(name.strip()) and (is_value or name in below)
    return n_strange > 0 if wanted else 3 * n_strange >= len(names) > 0


def refuse_repeated(table: str, names: Sequence[str]) -> None:
    """Refuse two columns of the same name; DuckDB ignores case, so they must differ otherwise."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other == name and names.count(name) > 1:
            raise SourceError(f"{table}: two columns are named {name!r}: rename one")
        if other != name:
            raise SourceError(
                f"{table}: the columns {other!r} and {name!r} differ only in case, which the "
                f"engine ignores: rename one"
            )
