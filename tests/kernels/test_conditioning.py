from __future__ import annotations

import numpy as np
from hypothesis import given

from gyges.arrays import frozen
from gyges.kernels import conditioning
from gyges.kernels.conditioned_groups import NOT_COMPARED, Kept, condition
from gyges.kernels.conditioning import ChooserGroups, ConditioningMethod
from tests.kernels import made, plain

EXACT = ConditioningMethod(conditioning.EXACT, 1e6, conditioning.TOO_LARGE)
REFINED = ConditioningMethod(conditioning.EXACT, 0.0, conditioning.REFINED)


def one_group(p, repeats, totals):
    """A crowd of one group; who holds what is taken from some arrangement."""
    rows = [j for j, n in enumerate(repeats) for _ in range(n)]
    taken = next(plain.arrangements([p[j] for j in rows], totals))
    held = sorted(zip(rows, taken, strict=True))
    starts = np.searchsorted([j for j, _ in held], np.arange(len(repeats) + 1))
    crowds = ChooserGroups(
        member_starts=np.array([0, len(repeats)]),
        rows=np.arange(len(repeats)),
        repeats=repeats.astype(np.int64),
        value_starts=np.array([0, len(totals)]),
        values=np.arange(len(totals), dtype=np.int32),
        totals=totals.astype(np.int64),
        holders=np.arange(len(repeats)),
        held_starts=starts.astype(np.int64),
        held=np.array([s for _, s in held], dtype=np.int32),
        held_counts=np.ones(len(held), dtype=np.int64),
    )
    for array in crowds:
        frozen(array)
    return crowds


def solved(p, crowds, way):
    """What `condition` keeps of one group: the way that was taken, its matrix, the error."""
    before = p.view()
    frozen(before)
    numbers, off, how = np.zeros(p.size), np.zeros(1), np.zeros(1, dtype=np.int64)
    kept = Kept(np.array([0, p.size]), numbers, off)
    condition(before, crowds, np.array([0, 1]), 0, 1, way, kept, NOT_COMPARED, how)
    return int(how[0]), numbers.reshape(p.shape), float(off[0])


@given(made.choices())
def test_exact_probabilities_are_those_of_all_arrangements(case):
    p, repeats, totals = case
    how, found, off = solved(p, one_group(p, repeats, totals), EXACT)
    assert how == conditioning.EXACT and off == 0.0
    assert np.allclose(found, plain.given_totals(p, repeats, totals), rtol=1e-10, atol=1e-13)


@given(made.choices())
def test_an_estimate_knows_what_is_impossible_and_adds_up_to_one(case):
    p, repeats, totals = case
    how, found, _ = solved(p, one_group(p, repeats, totals), REFINED)
    exact = plain.given_totals(p, repeats, totals)
    assert how in (conditioning.EXACT, conditioning.REFINED)
    assert (found[exact == 0] == 0).all()
    assert np.allclose(found.sum(axis=1), 1, atol=1e-6)


def test_a_group_that_no_arrangement_meets_is_impossible():
    p = np.array([[1.0, 0.0], [1.0, 0.0]])
    possible = np.array([[1.0, 0.0], [0.0, 1.0]])
    crowds = one_group(possible, np.ones(2, dtype=np.int64), np.array([1, 1]))
    assert solved(p, crowds, EXACT)[0] == conditioning.IMPOSSIBLE
