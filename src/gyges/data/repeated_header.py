"""Headers among the rows of a table, where files with a header each were put together."""

from __future__ import annotations

from collections.abc import Sequence

from gyges.data.arrow_arrays import numbers_of
from gyges.data.cells import Cells
from gyges.data.source import COUNT, Source
from gyges.errors import SourceError
from gyges.exact import counted

_LEAST_COLUMNS = 2  # that must have their own names as values


def refuse_repeated_header(source: Source, cells: Cells) -> None:
    """Refuse a table in which every column that is used has its own name among its values."""
    domains = [one for one in (*cells.domains, cells.sensitive) if one.values]
    if len(domains) >= _LEAST_COLUMNS and all(one.name in one.values for one in domains):
        n_rows = count_headers(source, [one.name for one in domains])
        if n_rows:
            raise SourceError(f"{source.name}: {headers_in_words(n_rows)}")


def count_headers(source: Source, columns: Sequence[str]) -> int:
    """How many rows have the name of each of these columns as its value."""
    if len(columns) < _LEAST_COLUMNS:
        return 0
    found = source.count(columns)
    rows = zip(*(found.column(name).to_pylist() for name in columns), strict=True)
    people = numbers_of(found.column(COUNT)).tolist()
    return sum(n for row, n in zip(rows, people, strict=True) if [*row] == [*columns])


def headers_in_words(n_rows: int) -> str:
    """What is wrong with these rows, and what to do."""
    rows = counted(n_rows, "row repeats", "rows repeat")
    return f"{rows} the names of the columns: remove headers inside the data"
