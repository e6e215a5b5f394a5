"""Dictionary codes: a column's raw values as they come from an engine, and their codes."""

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

_MANY_VALUES = 200_000  # from here on columns are encoded side by side
NO_CODE = -1  # a missing value, or one that the domain does not hold


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Coder:
    """One column: its domain, and which raw value of the source has which code."""

    domain: Domain
    code_of_raw: Mapping[Hashable, int]

    def encode(self, column: pa.ChunkedArray) -> CodeArray:
        """The code of each row; NO_CODE for what the domain does not hold."""
        raw, places = dictionary(column)
        codes = [self.code_of_raw.get(value, NO_CODE) for value in [*raw, None]]
        return np.array(codes, dtype=np.int32)[places]

    @property
    def raw_of_code(self) -> dict[int, list[Hashable]]:
        """The raw values that share a code; usually one."""
        shared: dict[int, list[Hashable]] = {}
        for raw, code in self.code_of_raw.items():
            shared.setdefault(code, []).append(raw)
        return shared


def make_coder(
    name: str,
    raw: Collection[Hashable],
    *,
    kind: Kind | None = None,
    hierarchy: Hierarchy | None = None,
    marks: Collection[str] = (),
    missing_is_value: bool = False,
) -> Coder:
    """Put the distinct raw values of a column in order and give them codes.

    Raw values that mean the same ("1" and "1.0" in a column of numbers) share a code. A null, or
    a text among `marks`, gets a code only if a missing value is a value.
    """
    if hierarchy is None and kind in (None, Kind.NUMBER) and _are_integers(raw):
        return _integers_coder(name, raw)
    known = [value for value in raw if not is_missing(value, marks)]
    plain = [_plain(value) for value in known]
    kind = kind or _kind_for(plain, hierarchy)
    values = dict(zip(known, as_kind(plain, kind, name), strict=True))
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
    return Coder(domain, {r: code.get(v, texts.get(text_of(v), -1)) for r, v in values.items()})


def _are_integers(raw: Collection[Hashable]) -> bool:
    """Whether a column holds whole numbers and nothing else: the usual case, and a quick one."""
    return set(map(type, raw)) == {int}


def _integers_coder(name: str, raw: Collection[Hashable]) -> Coder:
    ordered: list[int] = sorted(raw)  # type: ignore[arg-type]
    domain = Domain(name, Kind.NUMBER, tuple(ordered), np.ones(len(ordered), dtype=bool))
    return Coder(domain, dict(zip(ordered, range(len(ordered)), strict=True)))


def is_missing(value: Hashable, marks: Collection[str]) -> bool:
    """A null, or one of the marks that stand for it, such as "?"."""
    return value is None or (isinstance(value, str) and value in marks)


def dictionary(
    column: pa.ChunkedArray, name: str | None = None
) -> tuple[list[Hashable], CodeArray]:
    """The distinct values of a column and each row's place among them; a null is the last place."""
    made = encoded(column, name)
    try:
        return made.dictionary.to_pylist(), places_of(made)
    except UnicodeDecodeError:
        raise SourceError(
            f"{_called(name)} holds bytes that are not UTF-8: write its texts as UTF-8"
        ) from None
    except (ValueError, OverflowError):
        raise SourceError(
            f"{_called(name)} holds a date before the year 1 or after 9999: correct it, or make "
            f"the column a text"
        ) from None


def encoded(column: pa.ChunkedArray, name: str | None = None) -> pa.DictionaryArray:
    """A column as one dictionary array, its dictionary without null or repetition."""
    import pyarrow as pa

    if pa.types.is_nested(column.type):
        raise SourceError(
            f"{_called(name)} holds lists or records: give each value a row or a column of its "
            f"own, or leave the column out of the schema"
        )
    try:
        return _encoded(column)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise SourceError(
            f"{_called(name)} holds {column.type}, which cannot be counted: make it a text, a "
            f"number or a date, or leave the column out of the schema"
        ) from None


def _called(name: str | None) -> str:
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


def encoded_together(columns: Sequence[pa.ChunkedArray]) -> list[pa.DictionaryArray]:
    """Several columns as dictionary arrays; side by side where that is worth it."""
    if sum(map(len, columns)) < _MANY_VALUES:
        return [encoded(column) for column in columns]
    with ThreadPoolExecutor() as pool:  # Arrow lets go of the interpreter while it works
        return list(pool.map(encoded, columns))


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


def _plain(value: Hashable) -> Value:
    """A value of one of the few Python types that the rest of the code knows."""
    if isinstance(value, Decimal) and value.is_finite():
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="backslashreplace")
    if isinstance(value, datetime.datetime):
        return in_utc(value)
    if isinstance(value, (str, bool, int, float, datetime.date)):
        return value
    return str(value)


def _kind_for(plain: list[Value], hierarchy: Hierarchy | None) -> Kind:
    if hierarchy is not None and hierarchy.rule == "prefixes":
        return Kind.CODE
    return guess_kind(plain)


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
    """The hierarchy's other leaves, as values of the column's kind where they can be."""
    texts: list[Value] = list(absent)
    if kind in (Kind.NUMBER, Kind.DATE):
        return as_kind(texts, kind, name) if guess_kind(texts) is kind else []
    keeps_text = kind is Kind.CODE or all(isinstance(value, str) for value in present)
    return texts if keeps_text else []
