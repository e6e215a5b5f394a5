"""Rows in an engine that Ibis supports: DuckDB, PostgreSQL, Spark."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gyges.data.source import COUNT, Best, Join
from gyges.data.spelling import (
    COMPATIBLE,
    HAS_COMPATIBLE,
    LETTERS,
    NUMBERED,
    ONE_WORD,
    TO_WORDS,
    WITHOUT_ZEROS,
    Replaced,
    count_respelled,
)
from gyges.engines.coded import IbisCells, code_cells, kept_there
from gyges.engines.joined_rows import IbisJoinedRows
from gyges.engines.transfer import from_arrow, is_file, to_arrow, write
from gyges.errors import EngineError, SourceError

if TYPE_CHECKING:
    import ibis
    import ibis.expr.datatypes as dt
    import pyarrow as pa


@dataclass(frozen=True, eq=False, repr=False)
class IbisSource:
    """A table in an engine, as an expression that each count runs."""

    rows: ibis.Table  # the columns that are used
    name: str
    columns: tuple[str, ...]  # all columns of the table, also those that are not used
    is_in_order: bool = False  # whether the engine always returns the rows in the same order
    takes_tables: bool = True  # whether a table can be written to the engine
    notices: tuple[str, ...] = ()  # what a user should know about how it was read
    held: ibis.Table | None = None  # a table there, which is dropped when nobody holds it

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.columns)} columns>"

    def count(self, by: Sequence[str]) -> pa.Table:
        """Each distinct combination of these columns, and its number of rows."""
        return to_arrow(_counted(self.rows, by), self.name)

    def count_distinct(self, columns: Sequence[str], by: Sequence[str]) -> pa.Table:
        """For each combination of `by` the number of distinct combinations of `columns`."""
        together = list(dict.fromkeys([*by, *columns]))
        return to_arrow(_counted(self.rows.select(together).distinct(), by), self.name)

    def count_missing(self, columns: Sequence[str]) -> dict[str, int]:
        """How many rows have a null in each of these columns."""
        if not columns:
            return {}
        holes = [self.rows[name].isnull().sum().name(f"n{i}") for i, name in enumerate(columns)]
        counted = to_arrow(self.rows.aggregate(holes), self.name)
        return {name: int(counted.column(i)[0].as_py() or 0) for i, name in enumerate(columns)}

    def count_respelled(self, column: str, marks: Collection[str] = ()) -> int:
        """How many different texts of a column more there are than plain spellings."""
        texts, kind = self.rows.select(text=self.rows[column]), self.rows[column].type()
        if not kind.is_string() and not kind.is_binary():
            return 0
        if kind.is_string() and texts.get_backend().name == "duckdb":
            return _count_respelled(texts, marks, self.name)
        # Other engines know letters beyond A to Z only in some locales.
        found = to_arrow(texts.distinct(), self.name)
        return count_respelled(found.column("text"), marks)

    def fetch(self, columns: Sequence[str]) -> pa.Table:
        """All rows of these columns, always in the same order."""
        rows = self.rows if self.is_in_order else self.rows.order_by(list(self.rows.columns))
        return to_arrow(rows.select(list(columns)), self.name)

    def recode(self, on: Sequence[str], mapping: pa.Table, keep: Sequence[str]) -> IbisSource:
        """The columns `keep` and what `mapping` has for each row's combination of `on`."""
        names = mapping.column_names
        safe = {name: f"gyges_{place}" for place, name in enumerate(names)}
        typed = _typed_like(self.rows, on, mapping)
        other = from_arrow(self.rows.get_backend(), typed.rename_columns(list(safe.values())))
        same = [
            _same(self.rows[name], other[safe[name]], with_null=typed.column(name).null_count > 0)
            for name in on
        ]
        both = self.rows.inner_join(other, same) if same else self.rows.cross_join(other)
        new = [name for name in names if name not in on]
        recoded = both.select([*keep, *(both[safe[name]].name(name) for name in new)])
        return replace(self, rows=recoded, columns=(*keep, *new), is_in_order=False)

    def type_of(self, column: str) -> pa.DataType:
        """The type of a column's values."""
        return self.rows[column].type().to_pyarrow()

    def keep_best(self, by: str, column: str, best: Best, keep: Sequence[str]) -> IbisSource:
        """The rows with the least or greatest value among those with their `by`."""
        values = self.rows[column]
        wanted = values.max() if best == "greatest" else values.min()
        found = self.rows.group_by(by).aggregate(wanted.name("gyges_best"))
        found = found.rename(gyges_by=by)
        same = [self.rows[by] == found["gyges_by"], values == found["gyges_best"]]
        kept = self.rows.inner_join(found, same).select(list(keep))
        rows = kept_there(kept, self.name)  # they are counted several times
        return replace(self, rows=rows, columns=tuple(keep), is_in_order=False, held=rows)

    def join_rows(
        self, by: str, mappings: Sequence[pa.Table], how: Mapping[str, Join]
    ) -> IbisJoinedRows:
        """For each value of `by` the numbers that its rows have together."""
        rows = self
        for place, mapping in enumerate(mappings):
            made = [name for one in mappings[:place] for name in one.column_names[1:]]
            left = [one.column_names[0] for one in mappings[place + 1 :]]
            rows = rows.recode([mapping.column_names[0]], mapping, [by, *made, *left])
        return IbisJoinedRows.of(rows.rows, by, how, rows)

    def distinct(self, columns: Sequence[str]) -> IbisSource:
        """Each distinct combination of these columns as one row."""
        rows = self.rows.select(list(columns)).distinct()
        return replace(self, rows=rows, columns=tuple(columns), is_in_order=False)

    def code(self, mappings: Sequence[pa.Table], *, own_memory: int) -> IbisCells:
        """Count distinct rows as codes, and keep them where they are."""
        is_ours = not self.takes_tables
        return code_cells(self, mappings, own_memory=own_memory if is_ours else None)

    def write(self, target: str) -> None:
        """Write the rows to a .csv or .parquet file, or to a new table of the engine."""
        if not self.takes_tables and not is_file(target):
            raise EngineError(f"cannot write {target!r} here: a file ends in .csv or .parquet")
        write(self.rows, target)


def source_of(rows: ibis.Table, name: str, wanted: Collection[str] | None = None) -> IbisSource:
    """A source of the wanted columns (all, unless some are named) of an Ibis table."""
    used = [column for column in rows.columns if wanted is None or column in wanted]
    if wanted is not None:
        _refuse_nested(rows, used, name)
    countable = rows.select([_countable(rows[column]) for column in used or rows.columns])
    return IbisSource(countable, name, tuple(rows.columns))


def _counted(rows: ibis.Table, by: Sequence[str]) -> ibis.Table:
    counted = {COUNT: rows.count()}
    return rows.group_by(list(by)).aggregate(**counted) if by else rows.aggregate(**counted)


def _refuse_nested(rows: ibis.Table, used: Collection[str], table: str) -> None:
    for name in used:
        kind = rows[name].type()
        if kind.is_nested() or kind.is_geospatial():
            raise SourceError(
                f"{table}: column {name!r} holds lists or records: give each value a row or a "
                f"column of its own, or leave the column out of the schema"
            )


def _countable(column: ibis.Column) -> ibis.Column:
    """A column that every engine can group by and Arrow can hold exactly; an empty text is null."""
    kind, name = column.type(), column.get_name()
    is_unbounded = kind.is_decimal() and kind.precision is None
    if is_unbounded or kind.is_uuid() or kind.is_json() or kind.is_interval():
        return column.cast("string").name(name)
    return column.nullif("").name(name) if kind.is_string() else column


def _count_respelled(texts: ibis.Table, marks: Collection[str], name: str) -> int:
    """As data/spelling.py counts different texts, in DuckDB, which has the same expressions."""
    known = texts.filter(texts.text.notnull() & ~texts.text.isin(list(marks)))
    if _are_numbered(known, name):
        return 0
    known = known.distinct()
    words = known.select(words=_replaced(_composed(known.text).upper().lower(), TO_WORDS))
    words = words.filter(words.words != "")
    spelled = words.mutate(
        plain=_replaced(words.words, WITHOUT_ZEROS), is_divided=words.words.contains(" ")
    )
    counts = spelled.aggregate(
        texts=spelled.count(), spellings=spelled.plain.nunique(), divided=spelled.is_divided.sum()
    )
    (found,) = to_arrow(counts, name).to_pylist()
    n_more = int(found["texts"]) - int(found["spellings"])
    if not 0 < int(found["divided"] or 0) < int(found["texts"]):
        return n_more
    whole = spelled.filter(~spelled.is_divided).select(joined="plain").distinct()
    divided = spelled.filter(spelled.is_divided)
    divided = divided.mutate(joined=_replaced(divided.words, ONE_WORD))
    also_whole = divided.semi_join(whole, "joined")
    (more,) = to_arrow(also_whole.aggregate(n=also_whole.plain.nunique()), name).to_pylist()
    return n_more + int(more["n"])


def _are_numbered(texts: ibis.Table, name: str) -> bool:
    """Whether all texts are letters and a number in one form, so that none is respelled."""
    lengths = {"shortest": texts.text.length().min(), "longest": texts.text.length().max()}
    forms = {
        f"{form} {letters}": texts.text.re_search(pattern.format(letters)).all()
        for form, pattern in NUMBERED.items()
        for letters in LETTERS
    }
    (found,) = to_arrow(texts.aggregate(**lengths, **forms), name).to_pylist()
    form = "any" if found["shortest"] == found["longest"] else "without zeros"
    return any(found[f"{form} {letters}"] in (True, None) for letters in LETTERS)


def _composed(text: ibis.Column) -> ibis.Column:
    """A text in composed form, "é" is one character, of plain letters and digits."""
    import ibis

    single = {one: plain for one, plain in COMPATIBLE.items() if len(plain) == 1}
    plain = text.translate("".join(single), "".join(single.values()))
    for one in sorted(COMPATIBLE.keys() - single.keys()):
        plain = plain.replace(one, COMPATIBLE[one])
    text = text.re_search(HAS_COMPATIBLE).ifelse(plain, text)

    def nfc_normalize(text: str) -> str:  # a function of the engine: only its name is used
        return text

    composed: ibis.Column = ibis.udf.scalar.builtin(nfc_normalize)(text)
    return composed


def _replaced(text: ibis.Column, expressions: Replaced) -> ibis.Column:
    for expression, by in expressions:
        text = text.re_replace(expression, by)
    return text


def _typed_like(rows: ibis.Table, on: Sequence[str], mapping: pa.Table) -> pa.Table:
    """A mapping whose columns `on` have the types of the rows, so that equal means equal."""
    types = rows.schema()
    for name in on:
        place = mapping.column_names.index(name)
        typed = mapping.column(place).cast(types[name].to_pyarrow())
        mapping = mapping.set_column(place, name, typed)
    return mapping


def _same(one: ibis.Column, other: ibis.Column, with_null: bool) -> ibis.BooleanValue:
    """Whether two columns agree; a null agrees with a null where there is one.

    Not `IS NOT DISTINCT FROM`: PostgreSQL cannot hash it and would compare all pairs.
    """
    if not with_null:
        return one == other
    stand_in = _any_value(one.type())
    return (one.isnull() == other.isnull()) & (one.fill_null(stand_in) == other.fill_null(stand_in))


def _any_value(kind: dt.DataType) -> ibis.Scalar:
    """A value of a type, no matter which: it replaces a null on both sides."""
    import ibis

    if kind.is_string():
        return ibis.literal("")
    if kind.is_date():
        return ibis.literal(datetime.date(1970, 1, 1))
    if kind.is_timestamp():
        return ibis.literal(datetime.datetime(1970, 1, 1), type=kind)
    if kind.is_time():
        return ibis.literal(datetime.time())
    return ibis.literal(False if kind.is_boolean() else 0, type=kind)
