"""Views counted with noise: what was measured, at which price, and as a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray, frozen
from gyges.dp.mechanisms import Change, Noise, Price, add_noise
from gyges.dp.universe import Histogram
from gyges.dp.view_fit import NoisyView

if TYPE_CHECKING:
    import pyarrow as pa

COUNT, FITTED = "count", "fitted"  # the columns of a published view besides its own
SYNTHETIC = "synthetic"  # the name of the table of synthetic people; no view has it

_LEAST_DEVIATION = 1e-3  # of a count


@dataclass(frozen=True, eq=False, repr=False)
class NoisyMarginal:
    """The noisy counts of some columns: unbiased, whole, possibly negative."""

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    counts: IntArray  # one axis a column
    noise: Noise

    def __post_init__(self) -> None:
        frozen(self.counts)

    def frame(self) -> pa.Table:
        """One row per cell: the label of each column, and the noisy count."""
        return as_rows(self.columns, self.labels, self.counts)

    @property
    def to_fit(self) -> NoisyView:
        """The counts as they are fitted."""
        return NoisyView(self.columns, self.counts.astype(np.float64), self.weighed_deviation)

    @property
    def weighed_deviation(self) -> float:
        """The standard deviation, never 0: noise so small that it is none weighs much, not all."""
        return max(self.noise.deviation, _LEAST_DEVIATION)


@dataclass(frozen=True, slots=True)
class Step:
    """A part of the price: for the noise on some views, or (without views) for choosing them."""

    price: Price
    views: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, price: Price, measured: Sequence[NoisyMarginal]) -> Step:
        """The step that measured some views."""
        return cls(price, tuple(marginal.columns for marginal in measured))


def measure(
    histogram: Histogram, views: Sequence[tuple[str, ...]], price: Price, change: Change
) -> list[NoisyMarginal]:
    """All views at once: one vector, one mechanism, one loss."""
    exact = [histogram.of(view) for view in views]
    together = np.concatenate([counts.ravel() for counts in exact])
    noisy, noise = add_noise(together, price, change=change, views=len(views))
    parts = np.split(noisy, np.cumsum([counts.size for counts in exact])[:-1])
    known = histogram.universe
    return [
        NoisyMarginal(
            view,
            tuple(known.labels_of(column) for column in view),
            part.reshape(counts.shape),
            noise,
        )
        for view, counts, part in zip(views, exact, parts, strict=True)
    ]


def total_of(marginals: Sequence[NoisyMarginal], n_people: int | None) -> float:
    """The number of people: public, or the sums of the marginals weighted by their precision."""
    if n_people is not None:
        return float(n_people)
    sums = [float(m.counts.sum()) for m in marginals]
    weights = [1 / (m.counts.size * m.weighed_deviation**2) for m in marginals]
    return max(1.0, float(np.average(sums, weights=weights)))


def unused_name(name: str, used: Collection[str]) -> str:
    """The name, or a longer one where a column or table has it already."""
    while name in used:
        name = f"{name} of people"
    return name


def as_rows(
    columns: Sequence[str], labels: Sequence[Sequence[str]], counts: np.ndarray
) -> pa.Table:
    """A dense array of counts as a table: one row per cell, the last column varies fastest."""
    import pyarrow as pa

    places = np.indices(counts.shape, dtype=np.int32).reshape(len(columns), counts.size)
    by_name = {
        name: pa.DictionaryArray.from_arrays(
            pa.array(place), pa.array(list(label), type=pa.string())
        ).dictionary_decode()
        for name, label, place in zip(columns, labels, places, strict=True)
    }
    return pa.table({**by_name, unused_name(COUNT, columns): pa.array(counts.ravel())})
