from __future__ import annotations

import numpy as np
from hypothesis import given

from gyges.kernels.reachable import given_totals_where_possible
from tests.kernels import made, plain


@given(made.choices(share_of_zeros=0.6))
def test_probabilities_are_those_of_all_arrangements(case):
    p, repeats, totals = case
    found, is_enough = given_totals_where_possible(p, repeats, totals, 1 << 12)
    assert is_enough
    assert np.allclose(found, plain.given_totals(p, repeats, totals), rtol=1e-12, atol=1e-14)


@given(made.choices())
def test_too_few_states_are_not_enough(case):
    p, repeats, totals = case
    assert not given_totals_where_possible(p, repeats, totals, int(repeats.sum()) - 1)[1]


def test_passes_over_dictionaries_give_the_same():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 9)
    totals = np.array([4, 3, 2])
    found, _ = given_totals_where_possible(p, np.ones(9, dtype=np.int64), totals, 1 << 12)
    assert np.allclose(found, plain.conditional_passes(p, totals.tolist()), rtol=1e-12)
