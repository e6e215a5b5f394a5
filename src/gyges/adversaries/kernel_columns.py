"""The kernel of one column: the weight of a person with one value for a person with another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gyges.arguments import choice, mapping, numbers, shown
from gyges.arrays import FloatArray, IntArray
from gyges.data.cells import Cells, Domain
from gyges.data.distances import check_distances
from gyges.errors import RuleError, suggestion
from gyges.exact import Number, fraction
from gyges.kernels.kernel_smoothing import EQUAL, LADDER, LINE, MATRIX

Kernel: TypeAlias = Literal["epanechnikov", "uniform"]
Bandwidth: TypeAlias = Number | Mapping[str, Number]
Distances: TypeAlias = Mapping[str, ArrayLike]
KERNELS = ("epanechnikov", "uniform")


@dataclass(frozen=True, slots=True, eq=False)
class ColumnKernel:
    """How the weights of one column are computed, without a matrix for a wide column.

    LINE: `numbers` are the places of the values, `length` the range that distances are shares of.
    LADDER: `numbers[level]` is the weight of two values that meet at that level of `ancestors`.
    MATRIX: `numbers` are the weights themselves.
    """

    kind: int
    codes: IntArray  # the codes of the column's values in the data, ascending
    bandwidth: float
    numbers: FloatArray
    length: float = 1.0
    ancestors: IntArray | None = None  # levels × values


def column_kernels(
    cells: Cells, bandwidth: Bandwidth, kernel: Kernel, distances: Distances | None
) -> list[ColumnKernel]:
    """The kernel of each quasi-identifier, over the values that occur in the cells."""
    check_kernel(kernel)
    bandwidths = read_bandwidth(bandwidth, cells.columns)
    given = {} if distances is None else read_distances(distances)
    refuse_unknown(given, [*cells.columns, cells.sensitive.name], "distances")
    return [
        _column_kernel(
            domain, np.unique(cells.codes[:, i]), bandwidths[i], kernel, given.get(domain.name)
        )
        for i, domain in enumerate(cells.domains)
    ]


def _column_kernel(
    domain: Domain, codes: IntArray, bandwidth: float, kernel: Kernel, given: ArrayLike | None
) -> ColumnKernel:
    if given is not None:
        matrix = check_distances(given, len(codes), f"the distances of column {domain.name!r}")
        weights = kernel_weights(matrix, bandwidth, kernel).ravel()
        return ColumnKernel(MATRIX, codes, bandwidth, weights)
    if domain.is_ordered:
        places = domain.positions[codes]
        length = float(np.ptp(places)) if len(places) else 0.0
        return ColumnKernel(LINE, codes, bandwidth, places, length or 1.0)
    if domain.ladder is not None:
        ancestors = domain.ladder.ancestors[:, codes]
    else:  # the value itself, then one top for all
        ancestors = np.stack([np.arange(len(codes)), np.zeros(len(codes), dtype=np.int64)])
    height = max(len(ancestors) - 1, 1)
    levels = kernel_weights(np.arange(len(ancestors)) / height, bandwidth, kernel)
    return ColumnKernel(LADDER, codes, bandwidth, levels, ancestors=ancestors)


def kernel_weights(distances: FloatArray, bandwidth: float, kernel: Kernel) -> FloatArray:
    """K(d) of every distance, but for a constant factor [Li2009, Sect. II.C].

    Epanechnikov: 1 - (d/B)² where d < B. Uniform: 1 where d <= B.
    """
    if kernel == "uniform":
        return (distances <= bandwidth * (1 + EQUAL)).astype(np.float64)
    inside = distances < bandwidth * (1 - EQUAL)
    return np.where(inside, 1 - (distances / bandwidth) ** 2, 0.0)


def check_kernel(kernel: str) -> None:
    """Refuse an unknown kernel."""
    choice(kernel, KERNELS, "kernel")


def read_distances(distances: object) -> dict[str, ArrayLike]:
    """Distances that a publisher gives: {column: matrix}, each a matrix of numbers."""
    given = mapping(distances, "distances", "{column: matrix}")
    of = "a matrix, values × values"
    return {str(name): numbers(m, f"distances of {name!r}", 2, of) for name, m in given.items()}  # type: ignore[arg-type]


def read_bandwidth(bandwidth: Bandwidth, columns: Sequence[str]) -> list[float]:
    """The bandwidth of each column, from one number for all or a number for each."""
    stated = stated_bandwidth(bandwidth)
    if not isinstance(stated, dict):
        return [float(stated)] * len(columns)
    refuse_unknown(stated, columns, "bandwidth")
    missing = [name for name in columns if name not in stated]
    if missing:
        raise RuleError(
            f"bandwidth has no number for {', '.join(map(repr, missing))}: give one for each "
            f"quasi-identifier, or one number for all"
        )
    return [float(stated[name]) for name in columns]


def stated_bandwidth(bandwidth: Bandwidth) -> Fraction | dict[str, Fraction]:
    """The bandwidth as it was given, exactly; refuse what is not positive."""
    if isinstance(bandwidth, Mapping):
        return {name: positive(b, f"the bandwidth of {name!r}") for name, b in bandwidth.items()}
    return positive(bandwidth, "bandwidth")


def positive(number: Number, name: str) -> Fraction:
    """A bandwidth, exactly; refuse what is not positive."""
    value = fraction(number, name)
    if value <= 0:
        raise RuleError(
            f"{name} is {shown(number)}: give a bandwidth above 0 (distances go from 0 to 1)"
        )
    return value


def refuse_unknown(named: Mapping[str, object], columns: Sequence[str], what: str) -> None:
    """Refuse a mapping that names an unknown column."""
    for name in named:
        if name not in columns:
            raise RuleError(
                f"{what} names {name!r}{suggestion(str(name), columns)}, which is none of "
                f"{', '.join(columns)}"
            )
