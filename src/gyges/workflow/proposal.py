"""Proposing a project: a guess for each column of a table, and rules that the table can satisfy."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gyges.auditing.column_guess import ColumnGuess
from gyges.auditing.column_roles import first_columns, guess_roles
from gyges.data.arrow_arrays import numbers_of
from gyges.data.column_names import is_frequency
from gyges.data.consistency import ALL_ROWS, KEEP_ROW, agree_on, in_rows
from gyges.data.people_words import as_counted
from gyges.data.repeated_header import count_headers, headers_in_words
from gyges.data.source import COUNT, Source
from gyges.data.spelling import respelled_in_words
from gyges.data.totals import count_totals, totals_in_words
from gyges.data.values import Kind, text_of
from gyges.engines.csv_files import read_layout
from gyges.engines.file_sources import find_files, kind_of
from gyges.engines.read import open_source
from gyges.engines.text_encodings import UTF_8, about_encoding, encoding_of, in_utf_8
from gyges.errors import GygesError
from gyges.workflow.doubtful_marks import doubtful_marks, filling_numbers, is_number
from gyges.workflow.harmless_values import asked_about, harmless_values
from gyges.workflow.policies import POLICIES, FittedRule, fitted_rules
from gyges.workflow.project_sections import NO_SENSITIVE
from gyges.workflow.proposed_shapes import top_codes
from gyges.workflow.uniqueness import Uniqueness, uniqueness

_FEW_ROWS = 50  # of which a column of categories may tell most apart
_MOST_ORDERS = 4  # columns that are tried, to order the rows of a person
_SEPARATORS = ("|", ";", "/", "+", ",", "&")  # between several values in one cell


@dataclass(frozen=True, slots=True)
class Proposal:
    """Guesses about a table, and a policy for publishing it."""

    source: str  # as the project file names it
    columns: list[ColumnGuess]
    uniqueness: list[Uniqueness]  # by sets of columns; empty if rows are not people
    policy: str
    rules: list[FittedRule]  # of the policy, relaxed until the table can satisfy them
    marks: list[str]  # texts that stand for missing values
    doubtful_marks: dict[
        str, list[str]
    ]  # texts that may stand for missing values: in which columns
    file_notes: list[str]  # how the file writes its cells
    may_have_several_values: bool = False  # whether only the sensitive value differs for a person
    table: str | None = None  # of a database
    encoding: str | None = None  # of a CSV file that is not in UTF-8
    keep_row_by: str | None = None  # a column that orders the rows of each person
    totals: tuple[str, int] | None = None  # a column with words for totals, and how many lines
    separator: str | None = None  # of several sensitive values in one cell
    harmless: list[str] = field(default_factory=list)  # sensitive values that nobody may mind
    n_headers: int = 0  # rows that repeat the names of the columns
    respelled: dict[str, int] = field(default_factory=dict)  # by column: values spelled as another
    top_codes: dict[str, int] = field(default_factory=dict)  # by column: the largest number shown
    frequency: str | None = None  # a column that says how many people a row stands for

    def with_role(self, role: str) -> list[ColumnGuess]:
        """The columns with this role."""
        return [guess for guess in self.columns if guess.role == role]

    @property
    def uniqueness_in_words(self) -> list[str]:
        """How many people, or rows, the most telling columns make unique."""
        identified = self.with_role("person") or self.with_role("identifier")
        return [as_counted(str(one), not identified) for one in self.most_telling]

    @property
    def most_telling(self) -> list[Uniqueness]:
        """For each size, the set of columns that makes most people unique."""
        sizes = sorted({len(one.columns) for one in self.uniqueness})
        return [
            max(
                (one for one in self.uniqueness if len(one.columns) == size),
                key=lambda one: one.n_alone,
            )
            for size in sizes
        ]

    @property
    def questions(self) -> list[str]:
        """What must be decided before publishing: which rows and columns stand for people."""
        return [*self.questions_about_rows, *self._about_several_rows, *self.doubts]

    @property
    def questions_about_rows(self) -> list[str]:
        """Lines of totals, headers among the rows, and identifiers in several spellings."""
        found = []
        if self.totals is not None:
            found.append(f"{totals_in_words(*self.totals)}. Publishing is refused until then.")
        if self.n_headers:
            found.append(headers_in_words(self.n_headers))
        found += [
            f"{respelled_in_words(n, name)}. Publishing is refused until you write the same person "
            f"in the same way everywhere or, if they are different people, exact_spelling = true."
            for name, n in self.respelled.items()
        ]
        return found

    @property
    def several_rows(self) -> list[str]:
        """The columns that identify people who have several rows, and that this is refused."""
        return [
            f"{guess.name} {guess.reason}. Publishing is refused while a person has several rows"
            for guess in self.with_role("person")
            if guess.repeats
        ]

    @property
    def _about_several_rows(self) -> list[str]:
        instead = f"do_not_identify = {self.doubtful}"
        return [
            f"{said}: keep one row per person ({KEEP_ROW}), describe each person by all of their "
            f"rows ({ALL_ROWS}{self._and_set}){self._or_several_values} or, if the column does "
            f"not identify people, replace person = {guess.name!r} by {instead}."
            for said, guess in zip(self.several_rows, self.with_role("person"), strict=False)
        ]

    @property
    def doubts(self) -> list[str]:
        """Columns that may identify people with several rows, where no other column does."""
        if self.with_role("person"):
            return []
        return [
            f"{guess.name}: {guess.reason}; {in_rows(guess.n_distinct, guess.n_known)}. "
            f"Publishing is refused until you decide: if it identifies people, write "
            f"person = {guess.name!r} and keep one row per person; if different people "
            f"share its values, write do_not_identify = {self.doubtful}."
            for guess in self.columns
            if guess.name in self.doubtful
        ]

    @property
    def about_marks(self) -> str:
        """The question which values stand for missing ones; empty without any."""
        if not self.doubtful_marks:
            return ""
        both = json.dumps(sorted({*self.marks, *self.doubtful_marks}), ensure_ascii=False)
        return (
            f"Do these stand for missing values: {self.marks_in_words}? If so, write "
            f"missing_marks = {both} under [data]. They then do in every column."
        )

    @property
    def marks_in_words(self) -> str:
        """Texts that may stand for missing values, and the columns that have them."""
        found = self.doubtful_marks.items()
        return "; ".join(f"{mark} (in {first_columns(columns)})" for mark, columns in found)

    @property
    def about_harmless(self) -> str:
        """The question whether sensitive values are harmless; empty without any."""
        if not self.harmless:
            return ""
        return asked_about(self.with_role("sensitive")[0].name, self.harmless)

    @property
    def doubtful(self) -> list[str]:
        """The columns that may identify people who have several rows."""
        roles = ("person", "dropped")
        return [guess.name for guess in self.columns if guess.role in roles and guess.counts_people]

    @property
    def _and_set(self) -> str:
        return ", values_per_person = 'set'" if self.with_role("sensitive") else ""

    @property
    def _or_several_values(self) -> str:
        if not self.may_have_several_values:
            return ""
        [sensitive] = self.with_role("sensitive")
        return (
            f"; or, if a person has several values of {sensitive.name!r}, write "
            f"values_per_person = 'set';"
        )

    @property
    def warnings(self) -> list[str]:
        """What the proposed roles and rules do not protect."""
        found = [] if self.with_role("sensitive") else [NO_SENSITIVE]
        if self.separator is not None:
            found.append(
                f"{self.with_role('sensitive')[0].name} seems to hold several values in one cell, "
                f"separated by {self.separator!r}. Each combination counts as one value, so no "
                f"rule limits how certain an attacker is of a single one: write "
                f'values_per_person = "set" and separator = "{self.separator}" under [columns].'
            )
        if self.frequency is not None:
            found.append(
                f"{self.frequency} seems to say how many people each row stands for: no two rows "
                f"agree in all other columns. Each row is counted as one person, so give a table "
                f"with a row for each person."
            )
        found += [
            f"{guess.name} seems to number households. The rules protect each person separately: "
            f"an attacker who knows several members of a household may still recognize it."
            for guess in self.with_role("household")
        ]
        return [*found, *(rule.why for rule in self.rules if rule.why)]


def propose(
    data: str, policy: str, out: Path, *, overwrite: bool = False, table: str | None = None
) -> Proposal:
    """Examine a table and propose a project for it; `out` is the file that will hold it.

    Refuses to replace a project file, unless `overwrite` is set.
    """
    if policy not in POLICIES:
        raise GygesError(f"--policy is {policy!r}: choose one of {', '.join(POLICIES)}")
    source, _ = open_source(data, table)
    if out.exists() and not overwrite:
        raise GygesError(f"{str(out)!r} exists already: choose another --out, or use --overwrite")
    if not source.columns:
        raise GygesError(f"{source.name} has no columns: give a table with a row per person")
    guesses = guess_roles(source)
    if not guesses[0].n_rows:
        raise GygesError(f"{source.name} has no rows: give a table with a row per person")
    quasi = [guess.name for guess in guesses if guess.role == "quasi-identifier"]
    marks = {m for g in guesses if g.role in ("quasi-identifier", "sensitive") for m in g.marks}
    rows_are_people = not any(g.role in ("person", "dropped") and g.counts_people for g in guesses)
    return Proposal(
        source=_seen_from(out, data),
        columns=guesses,
        uniqueness=uniqueness(source, quasi, marks=marks) if quasi and rows_are_people else [],
        policy=policy,
        rules=fitted_rules(source, guesses, POLICIES[policy][1]),
        marks=sorted(marks),
        doubtful_marks=doubtful_marks(source, guesses, marks),
        file_notes=file_notes(data),
        may_have_several_values=_may_have_several_values(source, guesses, quasi),
        table=table,
        encoding=_stated_encoding(data),
        keep_row_by=_orders_rows(source, guesses),
        totals=count_totals(source),
        separator=_separator(source, guesses),
        harmless=_harmless(source, guesses, marks),
        n_headers=_n_headers(source, guesses),
        respelled=_respelled(source, guesses),
        frequency=_frequency(source, guesses),
        top_codes=top_codes(source, guesses),
    )


def _n_headers(source: Source, guesses: Sequence[ColumnGuess]) -> int:
    few = sorted(guesses, key=lambda guess: guess.n_distinct)[:2]
    return count_headers(source, [guess.name for guess in few])


def _respelled(source: Source, guesses: Sequence[ColumnGuess]) -> dict[str, int]:
    """How many values of the columns that identify people are another one in other spelling."""
    who = [guess.name for guess in guesses if guess.role in ("person", "identifier")]
    found = {name: source.count_respelled(name) for name in who}
    return {name: n for name, n in found.items() if n}


def _frequency(source: Source, guesses: Sequence[ColumnGuess]) -> str | None:
    """A column of counts beside which all rows differ, as in a table of frequencies."""
    named = next((guess for guess in guesses if is_frequency(guess.name)), None)
    others = [guess for guess in guesses if guess is not named]
    if named is None or not others or named.natural_kind is not Kind.NUMBER:
        return None
    if any(one.role in ("person", "identifier") or _tells_most_apart(one) for one in others):
        return None  # rows differ because they are people's
    n = source.count_distinct([one.name for one in others], by=[]).column(COUNT)
    return named.name if int(numbers_of(n)[0]) == named.n_rows > 1 else None


def _tells_most_apart(guess: ColumnGuess) -> bool:
    return guess.n_rows > _FEW_ROWS and 2 * guess.n_distinct > guess.n_rows


def _separator(source: Source, guesses: Sequence[ColumnGuess]) -> str | None:
    """What separates several sensitive values in one cell, if most values combine few others."""
    for guess in guesses:
        if guess.role == "sensitive" and guess.kind is Kind.CATEGORY:
            values = source.count([guess.name]).column(guess.name).to_pylist()
            return separator_of([value for value in values if isinstance(value, str)])
    return None


def separator_of(values: Sequence[str]) -> str | None:
    """The text that most of these different values have between parts which they share."""
    for separator in _SEPARATORS:
        split = [value.split(separator) for value in values]
        parts = {part.strip() for value in split for part in value}
        combined = sum(len(value) > 1 for value in split)
        if 2 * combined > len(values) and 2 * len(parts) <= len(values) and "" not in parts:
            return separator
    return None


def _may_have_several_values(
    source: Source, guesses: Sequence[ColumnGuess], quasi: Sequence[str]
) -> bool:
    has_sensitive = any(guess.role == "sensitive" for guess in guesses)
    repeated = [guess.name for guess in guesses if guess.role == "person" and guess.repeats]
    return has_sensitive and any(agree_on(source, name, quasi) for name in repeated)


def _orders_rows(source: Source, guesses: Sequence[ColumnGuess]) -> str | None:
    """A column of dates or numbers that no person has twice, rather of dates; None without one."""
    person = next((guess.name for guess in guesses if guess.role == "person" and guess.repeats), "")
    ordered = [guess for guess in guesses if person and guess.kind in (Kind.DATE, Kind.NUMBER)]
    ordered.sort(key=lambda guess: (guess.kind is not Kind.DATE, -guess.n_distinct))
    for guess in ordered[:_MOST_ORDERS]:
        if not guess.n_missing and guess.local_format is None and guess.name != person:
            pairs = source.count_distinct([person, guess.name], by=[])
            if int(numbers_of(pairs.column(COUNT))[0]) == guess.n_rows:
                return guess.name
    return None


def file_notes(data: str) -> list[str]:
    """How a CSV file is encoded, separates and protects its cells, where that is not the usual."""
    paths = _csv_files(data)
    if not paths:
        return []
    with in_utf_8(paths[:1]) as (texts, [encoding]):
        layout = read_layout(texts[0])
    found = [] if encoding == UTF_8 else [about_encoding(paths[0].name, encoding)]
    if layout.separator != ",":
        found.append(f"Cells are separated by {layout.separator!r}.")
    return [*found, *(['Cells written ="…" are read as …'] if layout.has_formulas else [])]


def _csv_files(data: str) -> list[Path]:
    paths = [] if "://" in data else find_files(data)
    return paths if paths and kind_of(paths) == "csv" else []


def _stated_encoding(data: str) -> str | None:
    """The encoding of CSV files that a project should state; None for UTF-8 and other formats."""
    found = {encoding_of(path) for path in _csv_files(data)} - {UTF_8}
    return found.pop() if len(found) == 1 else None


def _seen_from(out: Path, data: str) -> str:
    """The data's place relative to the project file."""
    path = Path(data)
    if "://" in data or path.is_absolute() or not path.exists():
        return data
    return Path(os.path.relpath(path.absolute(), out.absolute().parent)).as_posix()


def _harmless(source: Source, guesses: Sequence[ColumnGuess], marks: Collection[str]) -> list[str]:
    """The values of the sensitive column that nobody may mind."""
    for guess in guesses:
        if guess.role == "sensitive" and guess.kind is not Kind.NUMBER:
            values = source.count([guess.name]).column(guess.name).to_pylist()
            texts = {text_of(value) for value in values if value is not None} - set(marks)
            codes = filling_numbers(texts) if all(map(is_number, texts)) else set()
            return sorted({*harmless_values(texts), *codes})
    return []
