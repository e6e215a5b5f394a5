"""Which sets of columns single people out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.data.cells import row_keys
from gyges.data.encoding import dictionary
from gyges.data.source import COUNT, Source

MOST_SETS = 400  # how many sets of columns are tried


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """How many people are alone with their values in some columns."""

    columns: tuple[str, ...]
    n_alone: int
    n_people: int

    @property
    def share(self) -> float:
        """The share of people who are alone."""
        return self.n_alone / max(self.n_people, 1)

    def __str__(self) -> str:
        return f"{', '.join(self.columns)}: {self.n_alone:,} people ({self.share:.0%}) are alone"


def uniqueness(source: Source, columns: Sequence[str], largest: int = 3) -> list[Uniqueness]:
    """People who are alone, for all sets of up to `largest` columns and for all columns.

    Rows are taken as people. One count in the engine; every set is summed up from it.
    """
    counted = source.count(list(columns))
    encoded = [dictionary(counted.column(name)) for name in columns]
    codes = np.stack([places for _, places in encoded], axis=1)
    widths = [len(raw) + 1 for raw, _ in encoded]
    people = np.asarray(counted.column(COUNT).to_numpy(), dtype=np.int64)
    sets = [
        chosen
        for size in range(1, min(largest, len(columns)) + 1)
        for chosen in combinations(range(len(columns)), size)
    ][:MOST_SETS]
    everything = tuple(range(len(columns)))
    if everything not in sets:
        sets.append(everything)
    return [
        Uniqueness(
            tuple(columns[i] for i in chosen),
            _alone(codes[:, list(chosen)], [widths[i] for i in chosen], people),
            int(people.sum()),
        )
        for chosen in sets
    ]


def _alone(codes: CodeArray, widths: list[int], people: IntArray) -> int:
    _, where = np.unique(row_keys(codes, widths), return_inverse=True)
    return int((np.bincount(where.ravel(), weights=people) == 1).sum())
