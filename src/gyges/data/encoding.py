"""Dictionary codes: a column's raw values as an engine returns them, and their codes."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import CodeArray
from gyges.data.arrow_arrays import arrow_numbers, numbers_of
from gyges.data.cells import Domain
from gyges.data.hierarchy import Hierarchy
from gyges.data.local_formats import in_plain_format
from gyges.data.values import (
    MISSING,
    Kind,
    Value,
    as_kind,
    guess_kind,
    in_utc,
    sort_key,
    text_of,
)
from gyges.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

_VALUES_WORTH_THREADS = 200_000  # from here on columns are encoded in parallel
# Texts that surely stand for missing values where nobody says what a table's marks are.
SURE_MARKS = frozenset(
    ["", "?", ".", "-", "--", "..", "...", "*", "NA", "N/A", "n/a", "<NA>", "NULL", "null", "nan",
     "NaN", "NaT", "#N/A", "#NV", "#NULL!"]
)  # fmt: skip
NO_CODE = -1  # a missing value, or one outside the domain


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Coder:
    """One column: its domain, and which raw value of the source has which code."""

    domain: Domain
    code_of_raw: Mapping[Hashable, int]

    def encode(self, column: pa.ChunkedArray) -> CodeArray:
        """The code of each row; NO_CODE for a value outside the domain."""
        raw, places = dictionary(column)
        codes = [self.code_of_raw.get(value, NO_CODE) for value in [*raw, None]]
        return np.array(codes, dtype=np.int32)[places]


def make_coder(
    name: str,
    raw: Collection[Hashable],
    *,
    kind: Kind | None = None,
    hierarchy: Hierarchy | None = None,
    marks: Collection[str] = (),
    missing_is_value: bool = False,
    local_format: str | None = None,
) -> Coder:
    """Sort the distinct raw values of a column and give them codes.

    Raw values that mean the same ("1" and "1.0" in a column of numbers) share a code. A null, or
    one of the `marks`, gets a code only if a missing value counts as a value.
    """
    known = [value for value in raw if not is_missing(value, marks)]
    is_plain = hierarchy is None and kind in (None, Kind.NUMBER) and local_format is None
    if is_plain and len(known) == len(raw) and _are_integers(raw):
        return _integers_coder(name, raw)
    converted = [as_value(value) for value in known]
    if local_format is not None:
        converted = in_plain_format(converted, local_format, name)
    kind = kind or _kind_for(converted, hierarchy)
    values = dict(zip(known, as_kind(converted, kind, name), strict=True))
    with_missing = missing_is_value and len(known) < len(raw)
    present = set(values.values())
    if with_missing:
        values |= {value: MISSING for value in raw if is_missing(value, marks)}
        present.add(MISSING)
        kind = Kind.CATEGORY if kind in (Kind.NUMBER, Kind.DATE) else kind
    domain = _domain(name, kind, present, hierarchy)
    code = {value: place for place, value in enumerate(domain.values)}
    if set(values.values()) <= code.keys():
        return Coder(domain, {r: code[v] for r, v in values.items()})
    texts = {text_of(value): place for value, place in code.items()}
    found = {raw: code.get(v, texts.get(text_of(v), NO_CODE)) for raw, v in values.items()}
    return Coder(domain, found)


def _are_integers(raw: Collection[Hashable]) -> bool:
    """Whether a column has only whole numbers: common, and quick to encode."""
    return set(map(type, raw)) == {int}


def _integers_coder(name: str, raw: Collection[Hashable]) -> Coder:
    ordered: list[int] = sorted(raw)  # type: ignore[arg-type]
    domain = Domain(name, Kind.NUMBER, tuple(ordered), np.ones(len(ordered), dtype=bool))
    return Coder(domain, dict(zip(ordered, range(len(ordered)), strict=True)))


def is_missing(value: Hashable, marks: Collection[str]) -> bool:
    """Whether a value is null or one of the marks that stand for it, such as "?" or "999".

    >>> is_missing(999, ["999"]), is_missing(999.0, ["999"]), is_missing(True, ["1"])
    (True, True, False)
    """
    if value is None or not marks:
        return value is None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return text_of(value) in marks
    return isinstance(value, str) and value in marks


def dictionary(
    column: pa.ChunkedArray, name: str | None = None
) -> tuple[list[Hashable], CodeArray]:
    """The distinct values of a column and each row's place among them; a null is the last place."""
    made = encoded(column, name)
    try:
        return made.dictionary.to_pylist(), places_of(made)
    except UnicodeDecodeError:
        raise SourceError(
            f"{_named(name)} holds bytes that are not UTF-8: write its texts as UTF-8"
        ) from None
    except (ValueError, OverflowError):
        raise SourceError(
            f"{_named(name)} holds a date before the year 1 or after 9999: correct it, or make "
            f"the column a text"
        ) from None


def encoded(column: pa.ChunkedArray, name: str | None = None) -> pa.DictionaryArray:
    """A column as one dictionary array; its dictionary has no null and no value twice."""
    import pyarrow as pa

    if pa.types.is_nested(column.type):
        raise SourceError(
            f"{_named(name)} holds lists or records: give each value a row or a column of its "
            f"own, or remove the column from the schema"
        )
    try:
        return _encoded(column)
    except pa.ArrowException:
        raise SourceError(
            f"{_named(name)} holds {column.type}, which cannot be counted: make it a text, a "
            f"number or a date, or remove the column from the schema"
        ) from None


def _named(name: str | None) -> str:
    return "a column" if name is None else f"column {name!r}"


def _encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) and not _is_proper(column):
        column = column.cast(column.type.value_type)
    if pa.types.is_timestamp(column.type) and column.type.unit == "ns":
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)  # Python's own unit
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    column = column.unify_dictionaries().combine_chunks()
    return column.chunk(0) if isinstance(column, pa.ChunkedArray) else column


def encoded_columns(rows: pa.Table, names: Sequence[str]) -> list[pa.DictionaryArray]:
    """Several columns as dictionary arrays; encoded in parallel where that pays."""
    columns = [rows.column(name) for name in names]
    if sum(map(len, columns)) < _VALUES_WORTH_THREADS:
        return [encoded(column, name) for column, name in zip(columns, names, strict=True)]
    with ThreadPoolExecutor() as pool:  # Arrow releases the interpreter lock while it works
        return list(pool.map(encoded, columns, names))


def places_of(column: pa.DictionaryArray) -> CodeArray:
    """Each row's place in the dictionary; one beyond it for a null."""
    indices = column.indices.cast("int32")
    if indices.null_count:
        beyond = np.array([len(column.dictionary)], dtype=np.int32)
        indices = indices.fill_null(arrow_numbers(beyond)[0])
    return np.asarray(numbers_of(indices), dtype=np.int32)


def _is_proper(column: pa.ChunkedArray) -> bool:
    """Whether no dictionary of the column holds a null, a value twice, or nanoseconds."""
    if str(column.type.value_type).startswith("timestamp[ns"):
        return False
    chunks = column.chunks if hasattr(column, "chunks") else [column]
    dictionaries = [chunk.dictionary for chunk in chunks]
    return all(d.null_count == 0 and len(d.unique()) == len(d) for d in dictionaries)


def as_value(value: Hashable) -> Value:
    """A raw value as one of the few Python types of `Value`."""
    if isinstance(value, Decimal) and value.is_finite():
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="backslashreplace")
    if isinstance(value, datetime.datetime):
        return in_utc(value)
    if isinstance(value, (str, bool, int, float, datetime.date)):
        return value
    return str(value)


def _kind_for(values: list[Value], hierarchy: Hierarchy | None) -> Kind:
    if hierarchy is not None and hierarchy.rule == "prefixes":
        return Kind.CODE
    return guess_kind(values)


def _domain(name: str, kind: Kind, present: set[Value], hierarchy: Hierarchy | None) -> Domain:
    values = set(present)
    if hierarchy is not None and hierarchy.leaves:
        texts = {text_of(value) for value in present}
        absent = [leaf for leaf in hierarchy.leaves if leaf not in texts]
        values |= set(_leaves_as(absent, kind, name, present))
    ordered = tuple(sorted(values, key=sort_key))
    ladder = hierarchy.bind(ordered, name) if hierarchy is not None else None
    return Domain(name, kind, ordered, np.array([v in present for v in ordered], bool), ladder)


def _leaves_as(absent: list[str], kind: Kind, name: str, present: set[Value]) -> list[Value]:
    """The hierarchy's other leaves as values of the column's kind, where that is possible."""
    texts: list[Value] = list(absent)
    if kind in (Kind.NUMBER, Kind.DATE):
        return as_kind(texts, kind, name) if guess_kind(texts) is kind else []
    keeps_text = kind is Kind.CODE or all(isinstance(value, str) for value in present)
    return texts if keeps_text else []
