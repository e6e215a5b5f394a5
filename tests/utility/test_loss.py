from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.release.partition_of_cells import Partition
from gyges.utility.grouping import Grouping
from gyges.utility.loss import column_loss, loss, n_different
from tests import strategies

JOBS = {"clerk": "office", "boss": "office", "farmer": "field", "nurse": "field"}


def covered(name, domain, held):
    """The values that the narrowest label of a group stands for."""
    if name == "age":
        return [value for value in domain if min(held) <= value <= max(held)]
    if name == "pet" or len(set(held)) == 1:
        return sorted(set(held))
    branches = {JOBS[value] for value in held}
    return [value for value in domain if JOBS[value] in branches]


@given(strategies.columns(max_rows=9), st.data())
def test_loss_is_the_share_of_values_that_a_label_could_stand_for(made, data):
    """A range of numbers, a node of the tree, a set: counted value by value."""
    names = ["age", "job", "pet"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = gy.read(
            {name: made[name] for name in [*names, "disease"]},
            gy.Schema(
                quasi_identifiers=names,
                sensitive="disease",
                hierarchies={"job": strategies.HIERARCHIES["job"]},
            ),
        )
    n = len(made["age"])
    group = data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))
    total = Fraction(0)
    for name in names:
        domain = sorted(JOBS) if name == "job" else sorted(set(made[name]))
        for person in range(n):
            if group[person] < 0:
                total += 1
                continue
            held = [made[name][i] for i in range(n) if group[i] == group[person]]
            total += Fraction(len(covered(name, domain, held)) - 1, max(len(domain) - 1, 1))

    measured = gy.measure_utility(table, np.array(group))

    assert math.isclose(measured["loss"], total / (3 * n), abs_tol=1e-12)


def test_a_column_at_one_level_for_all_loses_what_its_labels_cover():
    jobs = ["clerk", "boss", "farmer", "clerk"]
    schema = gy.Schema(
        quasi_identifiers=["job", "pet"], hierarchies={"job": strategies.HIERARCHIES["job"]}
    )
    cells = gy.read({"job": jobs, "pet": ["cat", "dog", "cat", "cat"]}, schema).cells
    partition = Partition(cells, np.arange(len(cells)), len(cells), levels={"job": 1, "pet": 1})
    grouping = Grouping.of_partition(partition)
    assert column_loss(grouping, 0).tolist() == [1 / 3] * 3
    assert math.isclose(loss(grouping), (1 / 3 + 1) / 2)


def test_nobody_published_loses_everything():
    cells = gy.read({"pet": ["cat", "dog"]}, gy.Schema(quasi_identifiers=["pet"])).cells
    nobody = Grouping.of_partition(Partition(cells, np.array([-1, -1]), 0))
    assert loss(nobody) == 1.0


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 40)), max_size=60),
    st.sampled_from([31, 5_000, 200_000]),
    st.sampled_from([41, 3_000]),
)
def test_different_codes_of_groups_are_those_of_a_set(pairs, n_groups, n_values):
    """With a table of marks where it is small, and by sorting where it would be large."""
    group = np.array([one for one, _ in pairs], dtype=np.int64)
    codes = np.array([code for _, code in pairs], dtype=np.int64)
    found = n_different(group, codes, n_groups, n_values)
    inside: dict[int, set[int]] = {}
    for one, code in pairs:
        inside.setdefault(one, set()).add(code)
    assert found.sum() == sum(map(len, inside.values())) and len(found) == n_groups
    assert all(found[one] == len(held) for one, held in inside.items())
