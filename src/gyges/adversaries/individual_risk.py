"""Re-identification in a population that is known only by survey weights."""

from __future__ import annotations

import numpy as np

from gyges.arrays import FloatArray, IntArray


def individual_risk(sample: IntArray, population: FloatArray) -> FloatArray:
    """The expected probability to name the right person for a row, for each class of rows.

    E[1/F | f], where f rows of the sample look alike (`sample`) and F people of the population,
    F | f negative binomial with π = f / F̂ [Benedetti1998]:

        r = (π/f) ₂F₁(1, 1; f + 1; 1 - π)        (π/(1-π) log(1/π) for f = 1)

    F̂ (`population`) is the sum of the weights of these rows. Where it is not above f, the sample is
    all there is, and r = 1/f.
    """
    from scipy.special import hyp2f1

    share = np.minimum(sample / np.maximum(population, sample), 1.0)
    return np.asarray(share / sample * hyp2f1(1.0, 1.0, sample + 1.0, 1.0 - share))
