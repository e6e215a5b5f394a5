"""What a person should see of a table before anything else: some rows, and what is odd about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from gyges.auditing.column_guess import ColumnGuess
from gyges.auditing.column_roles import guess_roles
from gyges.data.encoding import dictionary
from gyges.data.source import COUNT, Source
from gyges.data.totals import count_totals, totals_in_words
from gyges.data.values import Value, text_of
from gyges.engines.file_sources import find_files
from gyges.engines.first_rows import first_rows
from gyges.engines.read import open_source
from gyges.engines.text_encodings import unpacked
from gyges.exact import counted, percent
from gyges.workflow.proposal import file_notes

if TYPE_CHECKING:
    import pyarrow as pa

MOST_ROWS = 8  # that are shown
_MOST_SPELLINGS = 20_000  # different values of a column that are compared
_FEWEST_ROWS_TO_SKIP = 2_000_000  # from here on equal rows are not counted: that takes minutes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SourceFacts:
    """A table at first sight; `rows` are people's values, for the eyes of the owner alone."""

    name: str
    n_rows: int
    guesses: list[ColumnGuess]
    heads: list[str]
    rows: list[list[str]]
    oddities: list[str]
    totals: str  # which rows look like lines of totals; empty if none does


def source_facts(data: str, table: str | None = None, encoding: str | None = None) -> SourceFacts:
    """Look at a table: its first rows, the guesses about its columns, what is odd."""
    source, _ = open_source(data, table, encoding=encoding)
    guesses = guess_roles(source)
    n_rows = int(source.count([]).column(COUNT)[0].as_py())
    shown = first_rows(source, MOST_ROWS)
    rows = [["" if one is None else text_of(one) for one in row.values()] for row in _dicts(shown)]
    totals = count_totals(source)
    in_words = "" if totals is None else totals_in_words(*totals)
    oddities = [
        *_about_file(data),
        *([f"{in_words}."] if in_words else []),
        *_about_rows(source, n_rows),
        *_about_columns(guesses),
        *_about_spelling(source, guesses),
    ]
    heads = list(shown.column_names)
    return SourceFacts(source.name, n_rows, guesses, heads, rows, oddities, in_words)


def _dicts(rows: pa.Table) -> list[dict[str, Value | None]]:
    listed: list[dict[str, Value | None]] = rows.to_pylist()
    return listed


def _about_file(data: str) -> list[str]:
    """How a CSV file is written, where that is not UTF-8 with commas."""
    found = file_notes(data)
    if "://" in data:
        return found
    with unpacked(find_files(data)[0]) as file:
        if file.read(3) == b"\xef\xbb\xbf":
            found.append("The file begins with a byte order mark (UTF-8), which is ignored.")
    return found


def _about_rows(source: Source, n_rows: int) -> list[str]:
    if n_rows >= _FEWEST_ROWS_TO_SKIP:
        return [f"With {n_rows:,} rows, repeated rows were not looked for."]
    n_distinct = source.count(list(source.columns)).num_rows
    if n_distinct == n_rows:
        return []
    n_repeated = n_rows - n_distinct
    return [
        f"{counted(n_repeated, 'row repeats', 'rows repeat')} another row in every column: is a "
        f"person listed twice?"
    ]


def _about_columns(guesses: Sequence[ColumnGuess]) -> list[str]:
    found = []
    for guess in guesses:
        if guess.n_missing:
            marks = f" (written {', '.join(map(repr, guess.marks))})" if guess.marks else ""
            missing = counted(guess.n_missing, "value is missing", "values are missing")
            share = percent(Fraction(guess.n_missing, max(guess.n_rows, 1)))
            found.append(f"{guess.name}: {missing}{marks}, {share}.")
        if guess.role in ("person", "identifier"):
            found.append(f"{guess.name} looks like an identifier: {guess.reason}.")
        if guess.role in ("person", "identifier", "dropped") and guess.counts_people:
            found.append(
                f"{guess.name} repeats: {counted(guess.n_distinct, 'different value')} in "
                f"{guess.n_known:,} rows. One row must be one person."
            )
        if guess.local_format:
            found.append(f"{guess.name} is written as {guess.local_format}.")
    return found


def _about_spelling(source: Source, guesses: Sequence[ColumnGuess]) -> list[str]:
    """Values that differ only in spaces or capitals: every rule takes them for two values."""
    found = []
    for guess in guesses:
        if (
            guess.role not in ("quasi-identifier", "sensitive")
            or guess.n_distinct > _MOST_SPELLINGS
        ):
            continue
        alike = spelled_alike(
            dictionary(source.count([guess.name]).column(guess.name), guess.name)[0]
        )
        if alike:
            n_more = sum(map(len, alike)) - 2
            more = f" {n_more:,} more are written in several ways, too." if n_more else ""
            found.append(
                f"{guess.name}: {alike[0][0]!r} and {alike[0][1]!r} differ only in spaces or "
                f"capitals, but count as different values: correct the data.{more}"
            )
    return found


def spelled_alike(values: Iterable[object]) -> list[list[str]]:
    """Texts that differ only in spaces or capitals, together, where there are several.

    >>> spelled_alike(["HIV", "hiv", "Flu ", "Gout", 3])
    [['HIV', 'hiv']]
    """
    alike: dict[str, list[str]] = {}
    for value in values:
        if isinstance(value, str):
            alike.setdefault(" ".join(value.split()).casefold(), []).append(value)
    return [together for together in alike.values() if len(together) > 1]
