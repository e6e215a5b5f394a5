from __future__ import annotations

import math

import numpy as np
from hypothesis import given

from gyges.kernels.permanent import given_totals, n_states
from tests.kernels import made, plain


@given(made.choices())
def test_probabilities_are_those_of_all_arrangements(case):
    p, repeats, totals = case
    found, likelihood = given_totals(p, repeats, totals)
    assert np.allclose(found, plain.given_totals(p, repeats, totals), rtol=1e-12, atol=1e-14)
    assert likelihood > 0
    shorter = min(math.prod(repeats + 1), math.prod(totals + 1))
    assert n_states(repeats, totals) == shorter
