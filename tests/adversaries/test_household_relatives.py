"""What relatives in a household add is what enumerating all worlds gives."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.household_relatives import most_certain_relative

VALUES = st.lists(st.sampled_from("uvw"), min_size=1, max_size=4)


@settings(max_examples=60)
@given(values=st.lists(VALUES, min_size=1, max_size=3), data=st.data())
def test_relatives_add_what_the_worlds_say(values, data):
    members = [[f"p{g}{i}" for i in range(len(held))] for g, held in enumerate(values)]
    groups = gy.Groups.from_lists(values, members=members)
    everyone = [(name, g) for g, names in enumerate(members) for name in names]
    home = data.draw(st.lists(st.sampled_from(everyone), min_size=1, max_size=4, unique=True))
    found = most_certain_relative(groups, [tuple(g for _, g in home)])
    beliefs = []
    for target, group in home:
        for value in set(values[group]):  # nobody there has another one
            known = [f"({v} = {value} -> {target} = {value})" for v, _ in home if v != target]
            beliefs.append(
                gy.probability(groups, f"{target} = {value}", given=" and ".join(known) or None)
            )
    assert found.probability == max(beliefs) and found.n_relatives == len(home) - 1


def test_relatives_in_one_household_never_beat_the_worst_relatives_of_chen():
    groups = gy.Groups.from_lists([[*"uuvw"], [*"uvvw"], [*"vwwu"]])
    for home in combinations([0, 0, 1, 1, 2], 3):
        found = most_certain_relative(groups, [home])
        worst = max(gy.breach(groups, value, m=2).probability for value in "uvw")
        assert Fraction(1, 2) < found.probability <= worst


def test_nobody_lives_together():
    assert most_certain_relative(gy.Groups.from_lists([["u"]]), []) is None
