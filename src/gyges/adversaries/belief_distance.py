"""How much an attacker learned: the distance between their prior and posterior beliefs.

Kernel smoothing over the sensitive values (so that near values count as near), then the
Jensen-Shannon divergence [Li2009, Sect. IV.B].
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from gyges.adversaries.kernel_columns import kernel_weights, read_bandwidth
from gyges.adversaries.posterior import check_beliefs
from gyges.arguments import flag, shown
from gyges.arrays import FloatArray
from gyges.data.distances import check_distances
from gyges.errors import RuleError
from gyges.exact import Number, fraction
from gyges.kernels.jensen_shannon import row_divergences

# The default bandwidth over the smallest positive distance: 0.6 for a hierarchy of height 2.
JUST_ABOVE = 1.2

# Gains are floats, right to about 1e-13 where posteriors are exact; they are compared with a
# threshold with this much tolerance.
GAIN_TOLERANCE = 1e-9


def belief_gain(
    prior: ArrayLike,
    post: ArrayLike,
    distances: ArrayLike | None = None,
    bandwidth: Number | None = None,
    base: Number = 2,
    *,
    normalize: bool = False,
) -> FloatArray:
    """What the attacker learned about each row's person: JS[prior, posterior] after smoothing.

    As in the paper the smoothed vectors do not always add up to 1, and the gain may then exceed 1
    (base 2); `normalize` makes them add up to 1 first.

    Args:
        distances: between the sensitive values, values × values (see `distance_matrix`); without
            them no value is near another, and nothing is smoothed.
        bandwidth: of the Epanechnikov kernel; values nearer than this count as near. Default:
            just above the smallest positive distance.
        base: of the logarithm.

    >>> belief_gain([[0.5, 0.5]], [[0.5, 0.5]]), belief_gain([[1, 0]], [[0, 1]])
    (array([0.]), array([1.]))
    """
    before, after = check_beliefs(prior, "prior"), check_beliefs(post, "post")
    if before.shape != after.shape:
        raise RuleError(f"prior is {before.shape}, post is {after.shape}: give the same rows")
    flag(normalize, "normalize")
    logarithm = float(fraction(base, "base"))
    if not logarithm > 1:
        raise RuleError(f"base is {shown(base)}: give the base of a logarithm above 1, such as 2")
    if distances is None and bandwidth is not None:
        raise RuleError("a bandwidth smooths over distances: give distances too")
    if distances is not None:
        weights = smoothing_weights(distances, bandwidth, before.shape[1])
        before, after = before @ weights.T, after @ weights.T
    return np.asarray(row_divergences(before, after, normalize) / math.log(logarithm))


def smoothing_weights(distances: ArrayLike, bandwidth: Number | None, n_values: int) -> FloatArray:
    """W with p̂ = W p: row i holds K(d_ij) / Σ_j K(d_ij) [Li2009, Sect. IV.B]."""
    matrix = check_distances(distances, n_values, "the distances of the sensitive values")
    width = default_smoothing(matrix) if bandwidth is None else read_bandwidth(bandwidth, ["s"])[0]
    if width is None:
        return np.eye(n_values)
    weights = kernel_weights(matrix, width, "epanechnikov")
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def default_smoothing(distances: FloatArray) -> float | None:
    """Just above the smallest positive distance; None where no value is nearer than another."""
    positive = distances[distances > 0]
    if len(positive) == 0 or positive.min() >= positive.max():
        return None
    return float(positive.min()) * JUST_ABOVE
