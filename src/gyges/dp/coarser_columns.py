"""Columns that show another one coarsely: from its hierarchy, or as intervals of whole numbers.

They depend on public labels only. Noise hides little of a view with few cells, so the choice of
views may take the coarser column where the finer one would drown in noise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from gyges.arrays import IntArray
from gyges.data.hierarchy import Ladder
from gyges.dp.public_labels import Coarser

_LEAST_NUMBERS = 20  # a column with fewer consecutive numbers is not divided
_WIDTHS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_LEAST_PARTS = 4
_FEWER = 2 / 3  # a level with a larger share of the labels below it saves too little


def coarser_columns(
    column: str,
    labels: Sequence[str],
    ladder: Ladder | None,
    level: int,
    used: Collection[str],
) -> list[Coarser]:
    """A chain of columns, each coarser than the one before; none where nothing divides a column."""
    levels = _by_numbers(labels) if ladder is None else _by_hierarchy(ladder, level)
    chain: list[Coarser] = []
    below, at = column, len(labels)
    for shown, parts in levels:
        if not 1 < len(shown) <= at * _FEWER:
            continue
        name = f"{column} (in {len(shown)})"
        while name in used:
            name = f"{name} parts"
        part_of = _relative(parts, chain, column)
        chain.append(Coarser(name, below, tuple(shown), tuple(map(int, part_of))))
        below, at = name, len(shown)
    return chain


def _relative(parts: IntArray, chain: Sequence[Coarser], column: str) -> IntArray:
    """The parts of the labels of the last column of a chain, from those of the first."""
    places: IntArray = np.arange(len(parts))
    for one in chain:
        places = np.array(one.part_of)[places]
    below: IntArray = np.zeros(int(places.max()) + 1, dtype=np.int64)
    below[places] = parts
    return below


def _by_hierarchy(ladder: Ladder, level: int) -> Iterator[tuple[Sequence[str], IntArray]]:
    shown = ladder.ancestors[level]
    for up in range(level + 1, ladder.height + 1):
        parts: IntArray = np.zeros(len(ladder.labels[level]), dtype=np.int64)
        parts[shown] = ladder.ancestors[up]
        yield ladder.labels[up], parts


def _by_numbers(labels: Sequence[str]) -> Iterator[tuple[list[str], IntArray]]:
    """Intervals of consecutive whole numbers that start at multiples of their width."""
    try:
        numbers = [int(label) for label in labels]
    except ValueError:
        return
    first = numbers[0]
    if len(numbers) < _LEAST_NUMBERS or numbers != list(range(first, first + len(numbers))):
        return
    for width in _WIDTHS:
        met = [number // width for number in numbers]
        n_parts = met[-1] - met[0] + 1
        if n_parts < _LEAST_PARTS:
            return
        shown = [
            f"{max(first, part * width)}-{min(numbers[-1], part * width + width - 1)}"
            for part in range(met[0], met[-1] + 1)
        ]
        yield shown, np.array(met) - met[0]
