"""Finding people in a release by what an attacker knows of them: their quasi-identifiers.

What a label covers, and the nearest centroid, which is a guess and often right [Ganta2008,
Locatability]. Looking many people up in many groups is in lookup.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.data.cells import Domain
from gyges.data.rules import TOP
from gyges.data.table import Table
from gyges.data.values import Kind, as_kind, guess_kind, positions, text_of
from gyges.errors import ReleaseError

NOWHERE = -1  # no group of the release can be this person's
SEVERAL = -2  # several groups can be, and nothing tells them apart

_CLOSED = re.compile(r"\[(.+), (.+)\]")
_HALF_OPEN = re.compile(r"\[(.+), (.+)\)")
_WHOLE = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")
_DATES = re.compile(r"(\d{4}-\d{2}-\d{2}\S*)\.\.(\d{4}-\d{2}-\d{2}\S*)")
_MASKED = re.compile(r"([^*]+)(\*+)")
_CHUNK = 256  # people whose distances to all centroids are held at once


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


def locate_by_centroid(labels: Sequence[Sequence[str]], people: Table) -> IntArray:
    """The group with the nearest centroid: numbers by range, categories 0 or 1, squared."""
    group_of_cell = np.empty(len(people.cells), dtype=np.int64)
    coordinates = [
        _coordinates(column, domain)
        for column, domain in zip(labels, people.cells.domains, strict=True)
    ]
    for start in range(0, len(people.cells), _CHUNK):
        codes = people.cells.codes[start : start + _CHUNK]
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


def refuse_other_columns(quasi_identifiers: Sequence[str], people: Table) -> None:
    """People must be described by the release's quasi-identifiers."""
    theirs = list(people.schema.quasi_identifiers)
    if sorted(theirs) != sorted(quasi_identifiers):
        raise ReleaseError(
            f"the release shows {', '.join(quasi_identifiers)}, the people are described by "
            f"{', '.join(theirs)}: give the people's table the same quasi-identifiers"
        )
