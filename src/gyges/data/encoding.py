"""Dictionary codes: a column's raw values as they come from an engine, and their codes."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import CodeArray
from gyges.data.cells import Domain
from gyges.data.hierarchy import Hierarchy
from gyges.data.values import MISSING, Kind, Value, as_kind, guess_kind, sort_key, text_of

if TYPE_CHECKING:
    import pyarrow as pa

NO_CODE = -1  # a missing value, or one that the domain does not hold


@dataclass(frozen=True, slots=True, eq=False)
class Coder:
    """One column: its domain, and which raw value of the source has which code."""

    domain: Domain
    code_of_raw: Mapping[Hashable, int]

    def encode(self, column: pa.ChunkedArray) -> CodeArray:
        """The code of each row; NO_CODE for what the domain does not hold."""
        raw, places = dictionary(column)
        codes = np.array([self.code_of_raw.get(value, NO_CODE) for value in raw] + [NO_CODE])
        missing = self.code_of_raw.get(None, NO_CODE)
        codes[-1] = missing
        return codes[places].astype(np.int32)

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
    texts = {text_of(value): place for value, place in code.items()}
    return Coder(domain, {r: code.get(v, texts.get(text_of(v), -1)) for r, v in values.items()})


def is_missing(value: Hashable, marks: Collection[str]) -> bool:
    """A null, or one of the marks that stand for it, such as "?"."""
    return value is None or (isinstance(value, str) and value in marks)


def dictionary(column: pa.ChunkedArray) -> tuple[list[Hashable], CodeArray]:
    """The distinct values of a column and each row's place among them; a null is the last place."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
    if not pa.types.is_dictionary(column.type):
        column = pc.dictionary_encode(column)
    raw = column.dictionary.to_pylist()
    places = column.indices.fill_null(len(raw)).to_numpy(zero_copy_only=False)
    return raw, places.astype(np.int32)


def _plain(value: Hashable) -> Value:
    """A value of one of the few Python types that the rest of the code knows."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return value  # type: ignore[return-value]


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
