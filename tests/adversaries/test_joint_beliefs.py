"""Prior beliefs and several releases: against every world, weighted by the prior."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries import joint_beliefs as module
from gyges.adversaries.joint_beliefs import joint_beliefs
from gyges.adversaries.people_lookup import locate
from tests.adversaries.test_joint_attack import as_groups, everybody, releases
from tests.oracles import joint_worlds


def priors_of(draw, people, values):
    numbers = st.integers(0, 4)
    return {p: {v: 1 + draw(numbers) for v in values} for p in people}


@settings(max_examples=300)
@given(made=releases(), data=st.data())
def test_a_posterior_is_the_share_of_the_weight_of_all_worlds(made, data):
    """Each world weighs the product of the beliefs in its values."""
    people = everybody(made)
    located = locate([as_groups(release) for release in made], people)
    beliefs = priors_of(data.draw, people, located.values)
    priors = np.array([[beliefs[p][v] for v in located.values] for p in people], dtype=float)
    priors /= priors.sum(axis=1, keepdims=True)
    found = joint_beliefs(located, priors)
    assert found.is_computed_for.all()
    worlds = joint_worlds.worlds(made)
    weights = [
        prod(beliefs[p][world[p]] / sum(beliefs[p].values()) for p in people) for world in worlds
    ]
    for row, person in enumerate(people):
        for column, value in enumerate(located.values):
            mine = sum(
                w for w, world in zip(weights, worlds, strict=True) if world[person] == value
            )
            assert found.posterior[row, column] == pytest.approx(mine / sum(weights))


@given(made=releases(max_releases=1))
def test_one_release_is_the_posterior_of_its_groups(made):
    people = everybody(made)
    located = locate([as_groups(made[0])], people)
    rng = np.random.default_rng(0)
    priors = rng.dirichlet(np.ones(len(located.values)), len(people))
    truth = {person: value for group in made[0] for person, value in group}
    codes = np.array([located.values.index(truth[p]) for p in people])
    after = gy.posterior_beliefs(priors, located.group_of[:, 0], codes, method="exact")
    assert joint_beliefs(located, priors).posterior == pytest.approx(after)


def test_what_is_too_large_or_has_strangers_is_not_computed(monkeypatch):
    made = [[[("0", "a"), ("1", "b")]], [[("0", "a"), ("1", "b"), ("2", "c")]]]
    groups = [as_groups(release) for release in made]
    half = np.full((2, 3), 1 / 3)
    some = joint_beliefs(locate(groups, ["0", "1"]), half)
    assert not some.is_computed_for.any(), "someone else is in the second group"
    located = locate(groups, ["0", "1", "2"])
    assert joint_beliefs(located, np.full((3, 3), 1 / 3)).is_computed_for.all()
    monkeypatch.setattr(module, "_MOST_REMAINDERS", 2)
    assert not joint_beliefs(located, np.full((3, 3), 1 / 3)).is_computed_for.any()
    wrong = [*made, [[("0", "b"), ("1", "b")]]]
    monkeypatch.setattr(module, "_MOST_REMAINDERS", 20_000)
    located = locate([as_groups(release) for release in wrong], ["0", "1", "2"])
    assert not joint_beliefs(located, np.full((3, 3), 1 / 3)).is_computed_for.any()


def test_an_audit_with_other_releases_asks_the_attacker_who_holds_them_all():
    rng = np.random.default_rng(1)
    columns = {
        "age": rng.integers(20, 60, 40).tolist(),
        "ill": rng.choice(list("abc"), 40).tolist(),
    }
    table = gy.read(columns, gy.Schema(quasi_identifiers=["age"], sensitive="ill"))
    made = [gy.publish(table, [gy.KAnonymity(k)]) for k in (4, 9)]
    said = str(gy.audit(made[0], original=table, others=[made[1]]))
    assert "and holds 2 releases would learn more than 0.2 about" in said
