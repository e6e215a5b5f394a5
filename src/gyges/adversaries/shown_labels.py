"""The labels of a released column, where some stand for several values: what they cover.

A value is as far from a label as from the nearest value that the label covers: 0 where it is
covered. So an attacker compares what they know of a person with a generalized row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gyges.arrays import BoolArray, FloatArray
from gyges.data.cells import Domain
from gyges.data.values import MISSING
from gyges.errors import SourceError
from gyges.release.label_reading import covers_all

_MOST = 20_000_000  # labels × values of one column


@dataclass(frozen=True, slots=True, eq=False)
class ShownLabels:
    """Labels × values: which it covers, how far each value is from the nearest of these."""

    covers: BoolArray
    far: FloatArray
    hides: BoolArray  # labels that cover every value, as those of a suppressed cell do


def shown_labels(
    texts: Sequence[str | None],
    domain: Domain,
    places: FloatArray | None,
    *,
    missing_is_value: bool,
) -> ShownLabels:
    """Read labels; one that cannot be read is refused by name.

    An empty cell (None) is a missing value if some of the people have one; else it was suppressed,
    and covers all values. `places`: where the values lie, if they lie on a line.
    """
    if len(texts) * len(domain) > _MOST:
        raise SourceError(
            f"column {domain.name!r} has {len(texts):,} labels and {len(domain):,} values, too "
            f"many to compare"
        )
    read = covers_all([text for text in texts if text is not None], domain, theirs=True)
    is_missing = np.array([value == MISSING for value in domain.values], dtype=bool)
    empty = is_missing if missing_is_value else np.ones_like(is_missing)
    covers = np.stack([empty if text is None else read[text] for text in texts])
    covers[:, is_missing] &= missing_is_value
    hides = np.logical_and.reduce(covers[:, ~is_missing], axis=1)
    return ShownLabels(covers, _far(covers, places), np.asarray(hides))


def _far(covers: BoolArray, places: FloatArray | None) -> FloatArray:
    """0 for covered values, else 1, or on a line the distance to the nearest covered value."""
    far = np.where(covers, 0.0, 1.0)
    if places is None:
        return far
    known = np.flatnonzero(~np.isnan(places))  # their places ascend; a missing value has none
    at, is_in = places[known], covers[:, known]
    below = np.maximum.accumulate(np.where(is_in, at, -np.inf), axis=1)
    above = np.minimum.accumulate(np.where(is_in, at, np.inf)[:, ::-1], axis=1)[:, ::-1]
    nearest = np.minimum(at - below, above - at)
    far[:, known] = np.where(np.isinf(nearest), 1.0, nearest)
    return far
