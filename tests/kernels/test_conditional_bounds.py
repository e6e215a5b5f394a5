from __future__ import annotations

from hypothesis import given

from gyges.kernels.conditional_bounds import conditional_bounds
from tests.kernels import made, plain


@given(made.choices())
def test_the_truth_lies_between_the_bounds(case):
    p, repeats, totals = case
    exact = plain.given_totals(p, repeats, totals)
    low, high = conditional_bounds(p, repeats, totals)
    assert (low <= exact + 1e-12).all() and (exact <= high + 1e-12).all()
    assert (low >= 0).all() and (high <= 1).all()
