"""Finding people in a microaggregated release: by the centroid nearest to their quasi-identifiers.

The nearest centroid is a guess and often right [Ganta2008, Locatability]. lookup.py finds people by
labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.data.cells import Domain
from gyges.data.table import Table
from gyges.data.values import as_kind, guess_kind, positions, text_of
from gyges.errors import ReleaseError

NOWHERE = -1  # no group of the release can be this person's
SEVERAL = -2  # several groups can be, and nothing decides between them

_CHUNK = 256  # people whose distances to all centroids are held at once


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
    if domain.is_ordered:
        _refuse_other_kind(labels, domain)
        theirs = positions(as_kind(list(labels), domain.kind, domain.name), domain.kind)
        scale = domain.range or 1.0
        return domain.positions / scale, theirs / scale, True
    place = {text_of(value): float(code) for code, value in enumerate(domain.values)}
    theirs = np.array([place.get(label, -1.0) for label in labels])
    return np.arange(len(domain), dtype=np.float64), theirs, False


def _refuse_other_kind(labels: Sequence[str], domain: Domain) -> None:
    strange = [label for label in set(labels) if guess_kind([label]) is not domain.kind]
    if strange:
        raise ReleaseError(
            f"column {domain.name!r} of the release has the label {min(strange)!r}, which cannot "
            f"be read: the people have {domain.kind}s there; use the same values for both"
        )


def refuse_other_columns(quasi_identifiers: Sequence[str], people: Table) -> None:
    """Refuse a table of people without exactly the release's quasi-identifiers."""
    theirs = list(people.schema.quasi_identifiers)
    if sorted(theirs) != sorted(quasi_identifiers):
        raise ReleaseError(
            f"the release has the quasi-identifiers {', '.join(quasi_identifiers)}, the people "
            f"{', '.join(theirs)}: give a people table with those columns"
        )
