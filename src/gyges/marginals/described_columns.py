"""What a reader of published views must know about the columns, as dicts and lists for a file.

Only what the views show: the labels that occur in them, each with the coarser labels of other
views. So everything here can be compared with the views themselves. With this and the frames of the
views `Marginals.from_frames` judges a release without the table.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypedDict

import numpy as np

from gyges.arrays import IntArray
from gyges.data.values import MISSING
from gyges.errors import ReleaseError
from gyges.marginals.induced import SUPPRESSED, Attribute
from gyges.marginals.model import Marginals
from gyges.marginals.views import View


class PublishedColumn(TypedDict):
    """One column: a row for each of its finest labels, with the coarser labels above it.

    No row where every view suppresses the column. A sensitive column that no view shows has a row
    for each of its values, which are numbered, not named.
    """

    name: str
    sensitive: bool
    rows: list[list[str]]


def as_published(marginals: Marginals) -> Marginals:
    """The same views as a reader has them: without the labels that none of them shows.

    The levels of a view then count the published labels of a column; 0 is the finest.
    """
    views = [
        (published_levels(view, marginals.attributes, marginals.views), view.frame())
        for view in marginals.views
    ]
    columns = describe_columns(marginals.attributes, marginals.views)
    published = Marginals.from_frames(read_columns(columns), views)
    return replace(published, rows_are_people=marginals.rows_are_people)


def published_levels(
    view: View, attributes: Sequence[Attribute], views: Sequence[View]
) -> dict[str, int]:
    """The columns of a view, each with its place among the published labels of that column."""
    levels = {}
    for place, attribute in enumerate(attributes):
        if attribute.name in view.levels:
            shown = [*_shown(place, views), 0]
            levels[attribute.name] = shown.index(view.counts.resolution[place])
    return levels


def _shown(place: int, views: Sequence[View]) -> list[int]:
    """The resolutions at which views show one column, the finest first."""
    return sorted({view.counts.resolution[place] for view in views} - {0}, reverse=True)


def describe_columns(
    attributes: Sequence[Attribute], views: Sequence[View]
) -> list[PublishedColumn]:
    """The columns as far as the views show them; the sensitive one is always there."""
    described: list[PublishedColumn] = []
    for place, attribute in enumerate(attributes):
        if attribute.is_sensitive or any(attribute.name in view.levels for view in views):
            described.append(
                PublishedColumn(
                    name=attribute.name,
                    sensitive=attribute.is_sensitive,
                    rows=_rows(attribute, place, views),
                )
            )
    return described


def _rows(attribute: Attribute, place: int, views: Sequence[View]) -> list[list[str]]:
    shown = _shown(place, views)
    if not shown:
        n_hidden = len(attribute.values) if attribute.is_sensitive else 0
        return [[str(number)] for number in range(1, n_hidden + 1)]
    finest = [view for view in views if view.counts.resolution[place] == shown[0]]
    codes = np.unique(np.concatenate([view.counts.codes[:, place] for view in finest]))
    labels = [
        [attribute.labels[r][label] for label in attribute.coarsen(shown[0], r)[codes]]
        for r in shown
    ]
    return [list(row) for row in zip(*labels, strict=True)]


def read_columns(described: Iterable[Mapping[str, object]]) -> tuple[Attribute, ...]:
    """The columns from their description; refuse a repeated name, or a sensitive one not last."""
    attributes = [_read(column) for column in described]
    is_ordered = not any(attribute.is_sensitive for attribute in attributes[:-1])
    if not is_ordered or len({attribute.name for attribute in attributes}) < len(attributes):
        raise ReleaseError("the columns repeat, or a sensitive column is not the last one")
    return tuple(attributes)


def _read(column: Mapping[str, object]) -> Attribute:
    try:
        name, is_sensitive = str(column["name"]), bool(column["sensitive"])
        rows = [[str(label) for label in row] for row in column["rows"]]  # type: ignore[attr-defined]
    except (KeyError, TypeError, ValueError):
        raise ReleaseError("a published column needs name, sensitive and rows") from None
    depth = len(rows[0]) if rows else 0
    if any(len(row) != depth for row in rows) or (rows and not depth):
        raise ReleaseError(f"the labels of column {name!r} do not form a hierarchy")
    n = max(len(rows), 1)
    labels: list[tuple[str, ...]] = [(SUPPRESSED,)]
    codes: list[IntArray] = [np.zeros(n, dtype=np.int64)]
    for place in reversed(range(depth)):
        code_of = {label: code for code, label in enumerate(dict.fromkeys(r[place] for r in rows))}
        labels.append(tuple(code_of))
        codes.append(np.array([code_of[row[place]] for row in rows], dtype=np.int64))
    _refuse_no_tree(name, codes, is_sensitive)
    return Attribute(
        name=name,
        values=tuple(row[0] for row in rows) or (SUPPRESSED,),
        labels=tuple(labels),
        codes=tuple(codes),
        resolution_of_level=(1,) if is_sensitive else tuple(range(depth, -1, -1)),
        is_sensitive=is_sensitive,
    )


def _refuse_no_tree(name: str, codes: Sequence[IntArray], is_sensitive: bool) -> None:
    """Refuse a label under two coarser labels, and equal finest labels."""
    for coarse, fine in itertools.pairwise(codes):
        pairs = set(zip(fine.tolist(), coarse.tolist(), strict=True))
        if len(pairs) != len(set(fine.tolist())):
            raise ReleaseError(f"the labels of column {name!r} do not form a hierarchy")
    if len(set(codes[-1].tolist())) != len(codes[-1]):
        raise ReleaseError(f"the labels of column {name!r} do not form a hierarchy")
    if is_sensitive and len(codes) != 2:
        raise ReleaseError(f"the sensitive column {name!r} has labels other than its values")


def labels_nest(attribute: Attribute) -> bool:
    """Whether the texts of labels show that each lies in its coarser one and in no other.

    Ranges of numbers (20-39) and prefixes (148**) show it; a column at one level has nothing to
    show.
    """
    for fine in range(attribute.height, 1, -1):
        coarser, parents = attribute.labels[fine - 1], attribute.coarsen(fine, fine - 1)
        for label, parent in zip(attribute.labels[fine], parents.tolist(), strict=True):
            if [_covers(one, label) for one in coarser] != [
                place == parent for place in range(len(coarser))
            ]:
                return False
    return True


_NUMBERS = re.compile(r"(-?\d{1,15}(?:\.\d{1,15})?)(?:-(-?\d{1,15}(?:\.\d{1,15})?))?", re.ASCII)


def _covers(coarse: str, fine: str) -> bool:
    """Whether the text of a label shows that it covers another; a missing value only itself."""
    if MISSING in (coarse, fine):
        return coarse == fine
    wide, narrow = _NUMBERS.fullmatch(coarse), _NUMBERS.fullmatch(fine)
    if wide and narrow:
        low, high = float(wide[1]), float(wide[2] or wide[1])
        first, last = float(narrow[1]), float(narrow[2] or narrow[1])
        return low <= first <= last <= high
    head = coarse.rstrip(SUPPRESSED)
    return head != coarse and head != "" and len(fine) == len(coarse) and fine.startswith(head)
