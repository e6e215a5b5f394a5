"""Relaxed cuts: people with equal quasi-identifiers may be separated to make even halves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from gyges.arrays import IntArray
from gyges.kernels.level_cuts import halve_each, split_halves
from gyges.kernels.packed_items import BASE, MASK, SHIFT, WEIGHT
from gyges.search.items import Items
from gyges.search.levels import Cuts, Segments

Shift: TypeAlias = "Callable[[Segments], Segments]"


def halve(items: Items, groups: Segments, cut_in: IntArray) -> tuple[Items, Shift, Cuts]:
    """Cut each group in two that differ by at most one person [LeFevre2006, relaxed].

    An item whose people are on both sides becomes two. Returns the items, how segments of the
    old items shift among them, and the cuts (of group 0, 1, …).
    """
    d = len(items.layout.columns)
    last, n_left = halve_each(
        items.words,
        items.layout.fields,
        d,
        groups.starts,
        groups.ends,
        groups.totals,
        groups.bounds,
        cut_in,
    )
    items, shift, last = _divided(items, last, n_left)
    groups = shift(groups)
    spare = np.empty(len(items), dtype=np.int64)
    middles = split_halves(
        items.words, items.layout.fields, spare, groups.starts, groups.ends, cut_in, last
    )
    left = (groups.totals + 1) // 2
    parts = Segments(
        totals=np.stack([left, groups.totals - left], axis=1).ravel(),
        bounds=np.repeat(groups.bounds, 2, axis=0),
        starts=np.stack([groups.starts, middles], axis=1).ravel(),
        ends=np.stack([middles, groups.ends], axis=1).ravel(),
    )
    return items, shift, Cuts(np.arange(len(groups)), np.arange(len(groups) + 1) * 2, parts)


def _divided(items: Items, last: IntArray, n_left: IntArray) -> tuple[Items, Shift, IntArray]:
    """Split the items of which `n_left` people are on the left and some on the right."""
    fields = items.layout.fields.copy()
    weight = len(items.layout.columns) + WEIGHT
    base, at, mask = fields[weight, BASE], fields[weight, SHIFT], fields[weight, MASK]
    held = (items.words[base + last] >> at) & mask
    divided = np.sort(last[held > n_left])
    is_divided = held > n_left

    words = items.words.reshape(-1, len(items)).copy()
    row = base // len(items)
    words[row, last[is_divided]] += (n_left - held)[is_divided] << at
    copies = words[:, divided]
    rest = np.zeros(len(items), dtype=np.int64)
    rest[last[is_divided]] = (held - n_left)[is_divided]
    copies[row] += (rest[divided] - ((copies[row] >> at) & mask)) << at
    grown = np.insert(words, divided + 1, copies, axis=1)

    fields[:, BASE] = fields[:, BASE] // len(items) * grown.shape[1]

    def shift(segments: Segments) -> Segments:
        return replace(
            segments,
            starts=segments.starts + np.searchsorted(divided, segments.starts),
            ends=segments.ends + np.searchsorted(divided, segments.ends),
        )

    layout = items.layout._replace(fields=fields)
    moved = last + np.searchsorted(divided, last)
    return Items(grown.ravel(), layout, grown.shape[1]), shift, moved
