"""Finding people in a release by what an attacker knows of them: their quasi-identifiers.

A person is in a group whose labels cover all of their values. Where the labels are centroids, the
nearest one is taken, which is a guess and often right [Ganta2008, Sect. 3].
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.data.cells import Domain
from gyges.data.rules import TOP
from gyges.data.table import Table
from gyges.data.values import Kind, as_kind, guess_kind, positions, text_of
from gyges.errors import ReleaseError

if TYPE_CHECKING:
    import pyarrow as pa

GROUP = "group"  # the column that joins people with sensitive values
NOWHERE = -1  # no group of the release can be this person's
SEVERAL = -2  # several groups can be, and nothing tells them apart

_CLOSED = re.compile(r"\[(.+), (.+)\]")
_HALF_OPEN = re.compile(r"\[(.+), (.+)\)")
_WHOLE = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")
_DATES = re.compile(r"(\d{4}-\d{2}-\d{2}\S*)\.\.(\d{4}-\d{2}-\d{2}\S*)")
_MASKED = re.compile(r"([^*]+)(\*+)")
_CHUNK = 4096  # people whose groups are looked up at once


def locate_by_labels(labels: Sequence[Sequence[str]], people: Table) -> IntArray:
    """The group of each row of `people`, where every label of the group covers their value.

    `labels` has one list a quasi-identifier of `people`, in its order, with one label a group.
    """
    n_groups = len(labels[0]) if labels else 1
    words = -(-n_groups // 64)
    by_code = [
        _packed(covers_all(column, domain), column, words)
        for column, domain in zip(labels, people.cells.domains, strict=True)
    ]
    group_of_cell = np.empty(len(people.cells), dtype=np.int64)
    for start in range(0, len(people.cells), _CHUNK):
        codes = people.cells.codes[start : start + _CHUNK]
        fits = np.full((len(codes), words), ~np.uint64(0))
        for column, packed in enumerate(by_code):
            fits &= packed[codes[:, column]]
        group_of_cell[start : start + _CHUNK] = _only_bit(fits, n_groups)
    return group_of_cell[people.cell_of_row]


def covers_all(labels: Sequence[str], domain: Domain) -> dict[str, BoolArray]:
    """For each distinct label, which values of the domain it covers."""
    code_of = {text_of(value): code for code, value in enumerate(domain.values)}
    return {label: _covered(label, domain, code_of) for label in set(labels)}


def _covered(label: str, domain: Domain, code_of: dict[str, int]) -> BoolArray:
    if label == TOP:
        return np.ones(len(domain), dtype=bool)
    if label in code_of:
        return np.asarray(np.arange(len(domain)) == code_of[label])
    if domain.ladder is not None:
        for level, names in enumerate(domain.ladder.labels):
            if label in names:
                return np.asarray(domain.ladder.ancestors[level] == names.index(label))
    if domain.is_ordered:
        low, high, is_open = _bounds(label, domain.kind)
        below = domain.positions < high if is_open else domain.positions <= high
        return (domain.positions >= low) & below
    return np.array([_text_covers(label, text) for text in code_of], dtype=bool)


def _text_covers(label: str, text: str) -> bool:
    if label.startswith("{") and label.endswith("}"):
        return text in label[1:-1].split(", ")
    masked = _MASKED.fullmatch(label)
    return bool(masked) and text.startswith(masked[1]) and len(text) <= len(label)  # type: ignore[index]


def _bounds(label: str, kind: Kind) -> tuple[float, float, bool]:
    """The ends of a range label, and whether the upper one is outside; empty if it is none."""
    for pattern, is_open in (
        (_HALF_OPEN, True),
        (_CLOSED, False),
        (_WHOLE, False),
        (_DATES, False),
    ):
        found = pattern.fullmatch(label)
        if found and guess_kind(found.groups()) is kind:
            low, high = positions(as_kind(found.groups(), kind, "label"), kind)
            return float(low), float(high), is_open
    return np.inf, -np.inf, False


def _packed(
    covered: dict[str, BoolArray], labels: Sequence[str], words: int
) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """For each code of the domain the set of groups whose label covers it, as bits."""
    distinct = list(covered)
    place = {label: i for i, label in enumerate(distinct)}
    label_of_group = np.array([place[label] for label in labels])
    matrix = np.stack([covered[label] for label in distinct])  # labels × codes
    packed = np.zeros((matrix.shape[1], words * 8), dtype=np.uint8)
    for code in range(matrix.shape[1]):
        bits = np.packbits(matrix[label_of_group, code], bitorder="little")
        packed[code, : len(bits)] = bits
    return packed.view(np.uint64)


def _only_bit(fits: np.ndarray[tuple[int, int], np.dtype[np.uint64]], n_groups: int) -> IntArray:
    """The one bit that is set in each row; NOWHERE for none, SEVERAL for more."""
    bits = np.unpackbits(fits.view(np.uint8), axis=1, bitorder="little", count=n_groups)
    n_fitting = bits.sum(axis=1, dtype=np.int64)
    group = bits.argmax(axis=1).astype(np.int64)
    return np.where(n_fitting == 1, group, np.where(n_fitting == 0, NOWHERE, SEVERAL))


def locate_by_centroid(labels: Sequence[Sequence[str]], people: Table) -> IntArray:
    """The group with the nearest centroid: numbers by range, categories 0 or 1, squared."""
    group_of_cell = np.empty(len(people.cells), dtype=np.int64)
    coordinates = [
        _coordinates(column, domain)
        for column, domain in zip(labels, people.cells.domains, strict=True)
    ]
    for start in range(0, len(people.cells), _CHUNK // 16):
        codes = people.cells.codes[start : start + _CHUNK // 16]
        apart = np.zeros((len(codes), len(labels[0])))
        for column, (mine, theirs, is_line) in enumerate(coordinates):
            difference = mine[codes[:, column], None] - theirs[None, :]
            apart += difference**2 if is_line else difference != 0
        group_of_cell[start : start + len(codes)] = apart.argmin(axis=1)
    return group_of_cell[people.cell_of_row]


def _coordinates(labels: Sequence[str], domain: Domain) -> tuple[FloatArray, FloatArray, bool]:
    """Where the people's values and the groups' centroids stand in one column."""
    if domain.is_ordered and guess_kind(set(labels)) is domain.kind:
        theirs = positions(as_kind(list(labels), domain.kind, domain.name), domain.kind)
        scale = domain.range or 1.0
        return domain.positions / scale, theirs / scale, True
    place = {text_of(value): float(code) for code, value in enumerate(domain.values)}
    theirs = np.array([place.get(label, -1.0) for label in labels])
    return np.arange(len(domain), dtype=np.float64), theirs, False


def locate_exactly(published: pa.Table, people: Table) -> IntArray:
    """The group of each row of `people` where quasi-identifiers are published as they are."""
    names = people.schema.quasi_identifiers
    group_of: dict[tuple[str, ...], int] = {}
    columns = [published.column(name).to_pylist() for name in names]
    groups = published.column(GROUP).cast("int64").to_numpy() - 1
    for *key, group in zip(*columns, groups, strict=True):
        if group_of.setdefault(tuple(key), int(group)) != group:
            group_of[tuple(key)] = SEVERAL
    texts = [[text_of(value) for value in domain.values] for domain in people.cells.domains]
    asked = [
        tuple(texts[column][code] for column, code in enumerate(codes))
        for codes in people.cells.codes
    ]
    found = np.array([group_of.get(key, NOWHERE) for key in asked], dtype=np.int64)
    return found[people.cell_of_row]


def refuse_other_columns(quasi_identifiers: Sequence[str], people: Table) -> None:
    """People must be described by the release's quasi-identifiers."""
    theirs = list(people.schema.quasi_identifiers)
    if sorted(theirs) != sorted(quasi_identifiers):
        raise ReleaseError(
            f"the release shows {', '.join(quasi_identifiers)}, the people are described by "
            f"{', '.join(theirs)}: give the people's table the same quasi-identifiers"
        )
