"""Every method with every rule: what is found is safe by the slow definition.

The least loss has to lose no more than Mondrian's cuts, whatever the rule, effort and labels.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.criteria.base import bind_all, listed
from gyges.criteria.describe import to_data
from gyges.errors import NothingSafeError
from gyges.release.groups_of_cells import everybody
from gyges.release.partition_of_cells import LEFT_OUT
from gyges.search.methods import METHODS
from gyges.utility.measure import loss_of_partition
from tests.oracles import least_loss as oracle
from tests.oracles import rules as slow_rules
from tests.search.made import some_cells
from tests.search.posed import described, rows_of
from tests.strategies import tables

pytestmark = pytest.mark.filterwarnings("ignore:everyone has the same value")

ONE = {
    "k": [gy.KAnonymity(3)],
    "distinct": [gy.KAnonymity(2), gy.DistinctDiversity(2)],
    "entropy": [gy.EntropyDiversity("3/2")],
    "recursive": [gy.RecursiveDiversity(2, 2)],
    "probabilistic": [gy.ProbabilisticDiversity("3/2")],
    "t, equal": [gy.TCloseness("0.3")],
    "t, ordered": [gy.KAnonymity(2), gy.TCloseness("0.2", ground="ordered")],
    "beta": [gy.BetaLikeness(2)],
    "delta": [gy.DeltaDisclosure("1.5")],
    "implications": [gy.Safety("0.9", 1)],
    "negations": [gy.KAnonymity(2), gy.Safety("0.95", 1, language="negations")],
    "skyline": [gy.Skyline({"*": [(1, 1, 1, "0.95"), (0, 0, 1, "0.8")]})],
}
SEVERAL = {
    "k": [gy.KAnonymity(3)],
    "distinct": [gy.KAnonymity(2), gy.DistinctDiversity(2)],
    "probabilistic": [gy.ProbabilisticDiversity("3/2")],
    "skyline": [gy.Skyline({"*": [(0, 1, 0, "0.9")]})],
}
BELIEFS = gy.Beliefs("0.5", "0.2")
EFFORTS = [{"effort": "quick"}, {"effort": "normal"}, {"effort": "thorough"}, {"time_limit": 0.01}]
CASES = [
    *(("one", name, rules) for name, rules in ONE.items()),
    *((kind, name, rules) for kind in ("set", "multiset") for name, rules in SEVERAL.items()),
]
OTHER_WAYS = [
    ("partition", {}),
    ("partition", {"relaxed": True}),
    ("lattice", {}),
    ("lattice", {"suppression": "0.4"}),
    ("lattice", {"utility": "discernibility", "suppression": "0.4"}),
    ("suppression", {}),
    ("buckets", {}),
    ("microaggregation", {}),
]


def found_by(method, cells, rules, **options):
    """What a method finds; None if it says that nothing is safe."""
    bound = bind_all(listed(rules), everybody(cells))
    try:
        return METHODS[method].find(cells, bound, options, np.random.default_rng(0))
    except NothingSafeError:
        return None


def slow_groups(partition):
    """Count everybody who is published, person by person."""
    cells, pieces = partition.cells, partition.pieces
    groups = [slow_rules.Group() for _ in range(partition.n_groups)]
    for c, group in enumerate(partition.group_of_cell if pieces is None else ()):
        if group != LEFT_OUT:
            groups[group].people.extend([c] * int(cells.people[c]))
            for e in range(cells.starts[c], cells.starts[c + 1]):
                groups[group].values[cells.value_codes[e]] += int(cells.value_counts[e])
    given = () if pieces is None else zip(pieces.entry, pieces.group, pieces.count, strict=True)
    for entry, group, count in given:
        if group != LEFT_OUT:
            groups[group].people.extend([entry] * int(count))
            groups[group].values[cells.value_codes[entry]] += int(count)
    named = [
        replace(one, values=Counter({cells.sensitive.values[v]: n for v, n in one.values.items()}))
        for one in groups
    ]
    values = sorted({value for one in named for value in one.values})
    return slow_rules.Groups(named, values, cells.values_per_person)


def assert_safe(rules, partition):
    """Everybody is there or counted as suppressed, and the slow judge agrees with every rule."""
    groups = slow_groups(partition)
    n_published = sum(one.n for one in groups.groups)
    assert n_published + partition.n_left_out == partition.cells.n_people
    if groups.values:  # a rule about values says nothing about people without any
        assert all(slow_rules.judge_rule(to_data(rule), groups).holds for rule in rules)


def loss_of(partition, labels):
    return loss_of_partition(replace(partition, labels=labels))


@pytest.mark.parametrize(("kind", "name", "rules"), CASES)
@settings(deadline=None, max_examples=12)
@given(
    data=st.data(),
    options=st.sampled_from(EFFORTS),
    labels=st.sampled_from(["usual", "nodes", "sets"]),
)
def test_the_least_loss_is_safe_and_no_worse_than_mondrians_cuts(
    kind, name, rules, data, options, labels
):
    cells = data.draw(some_cells(values_per_person=kind, max_cells=14))
    found = found_by("partition", cells, rules, labels=labels, **options)
    cut = found_by("partition", cells, rules)
    if found is None:
        assert cut is None
        return
    assert_safe(rules, found)
    people = [[] for _ in range(found.n_groups)]
    for row, group, n in zip(rows_of(cells), found.group_of_cell, cells.people, strict=True):
        people[group] += [row] * int(n)
    lost = oracle.loss(people, described(cells, labels))
    assert loss_of_partition(found) == pytest.approx(lost)
    assert cut is None or loss_of(found, labels) <= loss_of(cut, labels) + 1e-12
    assert found.bound <= loss_of(found, labels) + 1e-12


@pytest.mark.parametrize(("kind", "name", "rules"), CASES)
@settings(deadline=None, max_examples=25)
@given(data=st.data(), way=st.sampled_from(OTHER_WAYS))
def test_what_any_other_method_finds_is_safe(kind, name, rules, data, way):
    method, options = way
    needs_one = method == "buckets" or "relaxed" in options
    needs_size = method == "microaggregation" and not isinstance(rules[0], gy.KAnonymity)
    if needs_size or (needs_one and kind != "one"):
        return
    kinds = ("number",) if method == "microaggregation" else ("number", "category", "tree")
    cells = data.draw(some_cells(values_per_person=kind, max_cells=10, kinds=kinds))
    found = found_by(method, cells, rules, **options)
    if found is not None:
        assert_safe(rules, found)


def gains(table, group_of_cell):
    """The gain of every row under `BELIEFS`, through the public functions."""
    prior = gy.prior_beliefs(table, "0.5")
    after = gy.posterior_beliefs(prior, group_of_cell[table.cell_of_row], table.value_of_row)
    return gy.belief_gain(prior, after)


@settings(deadline=None, max_examples=25)
@given(table=tables(min_rows=4, max_rows=14), options=st.sampled_from([{}, *EFFORTS]))
def test_no_belief_gains_more_than_allowed(table, options):
    found = found_by("partition", table.cells, [gy.KAnonymity(2), BELIEFS], **options)
    if found is not None:
        assert gains(table, found.group_of_cell).max() <= 0.2 + 1e-9
        assert found.groups.sizes.min() >= 2
        cut = found_by("partition", table.cells, [gy.KAnonymity(2), BELIEFS])
        assert cut is None or loss_of(found, "usual") <= loss_of(cut, "usual") + 1e-12
