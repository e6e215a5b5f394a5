"""Adult, published twice: what all counts together make certain, and that it is true."""

from __future__ import annotations

import numpy as np

import gyges as gy
from benchmarks.composition_joint import adult, adult_releases
from gyges.adversaries.joint_attack import joint_attack

N_PEOPLE = 3_000


def test_two_releases_of_adult_make_many_more_values_certain_than_intersection_finds(real_data):
    """No value is excluded that a person has, and nobody stays undecided at this size."""
    table = adult(N_PEOPLE)
    names = [str(row) for row in range(N_PEOPLE)]
    truth = [table.sensitive_values[code] for code in table.value_of_row]
    for name, groups in adult_releases(table).items():
        attack = joint_attack(groups, names)
        n_by_sets = int((gy.intersection_attack(groups, names).posterior == 1).sum())
        assert not attack.contradicted.any()
        assert all(value in kept for value, kept in zip(truth, attack.possible, strict=True))
        assert attack.certain.sum() > 3 * n_by_sets > 3 * attack.already_disclosed.sum(), name
        assert attack.is_undecided(1).sum() < 150, name
        assert np.nansum(attack.probability, axis=1).round(9).tolist() == [1.0] * N_PEOPLE
