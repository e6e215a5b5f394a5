"""What a reader of published views must know of the columns, as plain data for a file.

Only what the views show: each column from the finest label that is published up to the top. The
values below that label, and columns in no view, stay out. With this and the frames of the views
`Marginals.from_frames` judges a release without the table.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

import numpy as np

from gyges.arrays import IntArray
from gyges.errors import ReleaseError
from gyges.marginals.induced import SUPPRESSED, Attribute
from gyges.marginals.views import View


class PublishedColumn(TypedDict):
    """One column: its labels from fine to coarse, one row for each of the finest."""

    name: str
    sensitive: bool
    levels: list[int]  # the (coarsest) level of the hierarchy that each place of a row stands for
    rows: list[list[str]]


def describe_columns(
    attributes: Sequence[Attribute], views: Sequence[View]
) -> list[PublishedColumn]:
    """The columns as far as the views show them; the sensitive one is always there.

    Where no view shows the sensitive column its values are numbered, not named.
    """
    described: list[PublishedColumn] = []
    for place, attribute in enumerate(attributes):
        finest = max((view.counts.resolution[place] for view in views), default=0)
        is_named = any(attribute.name in view.levels for view in views)
        if attribute.is_sensitive or is_named:
            described.append(_described(attribute, finest))
    return described


def _described(attribute: Attribute, finest: int) -> PublishedColumn:
    hidden = attribute.is_sensitive and finest == 0
    shown = attribute.height if hidden else finest
    rows = []
    for code in range(len(attribute.labels[shown])):
        chain = [
            attribute.labels[r][attribute.coarsen(shown, r)[code]] for r in range(shown, 0, -1)
        ]
        rows.append([*([str(code + 1)] if hidden else chain), SUPPRESSED])
    coarsest = {r: level for level, r in enumerate(attribute.resolution_of_level)}
    levels = [coarsest[r] for r in range(shown, 0, -1)]
    top = max(levels[-1] + 1 if levels else 0, len(attribute.resolution_of_level) - 1)
    return PublishedColumn(
        name=attribute.name, sensitive=attribute.is_sensitive, levels=[*levels, top], rows=rows
    )


def read_columns(described: Iterable[Mapping[str, object]]) -> tuple[Attribute, ...]:
    """The columns again, the sensitive one last."""
    attributes = [_read(column) for column in described]
    return tuple(sorted(attributes, key=lambda attribute: attribute.is_sensitive))


def _read(column: Mapping[str, object]) -> Attribute:
    try:
        name, is_sensitive = str(column["name"]), bool(column["sensitive"])
        levels = [int(level) for level in column["levels"]]  # type: ignore[attr-defined]
        rows = [[str(label) for label in row] for row in column["rows"]]  # type: ignore[attr-defined]
    except (KeyError, TypeError, ValueError):
        raise ReleaseError("a published column needs name, sensitive, levels and rows") from None
    if not rows or any(len(row) != len(levels) for row in rows) or levels != sorted(set(levels)):
        raise ReleaseError(f"the labels of column {name!r} do not form a hierarchy")
    labels, codes = [], []
    for place in reversed(range(len(levels))):
        names = list(dict.fromkeys(row[place] for row in rows))
        labels.append(tuple(names))
        codes.append(np.array([names.index(row[place]) for row in rows], dtype=np.int64))
    _refuse_no_tree(name, codes)
    return Attribute(
        name=name,
        values=tuple(row[0] for row in rows),
        labels=tuple(labels),
        codes=tuple(codes),
        resolution_of_level=_resolutions(levels, is_sensitive),
        is_sensitive=is_sensitive,
    )


def _refuse_no_tree(name: str, codes: Sequence[IntArray]) -> None:
    """Every label lies under one coarser label, and the finest labels are all different."""
    for coarse, fine in itertools.pairwise(codes):
        pairs = set(zip(fine.tolist(), coarse.tolist(), strict=True))
        if len(pairs) != len(set(fine.tolist())):
            raise ReleaseError(f"the labels of column {name!r} do not form a hierarchy")
    if len(set(codes[-1].tolist())) != len(codes[-1]) or len(set(codes[0].tolist())) != 1:
        raise ReleaseError(f"the labels of column {name!r} do not form a hierarchy")


def _resolutions(levels: Sequence[int], is_sensitive: bool) -> tuple[int, ...]:
    """The resolution of each level; a level that is not published counts as the next coarser."""
    if is_sensitive:
        return (len(levels) - 1,)
    return tuple(
        len(levels) - 1 - next(place for place, at in enumerate(levels) if at >= level)
        for level in range(levels[-1] + 1)
    )
