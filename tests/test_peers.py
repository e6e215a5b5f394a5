"""What other tools get wrong today, so that it stays right here."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import HierarchyError, MissingValuesError
from gyges.release.groups_of_cells import groups_of_cells
from tests import strategies

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


def verdicts(table):
    groups = groups_of_cells(table.cells, np.arange(len(table.cells)))
    rules = [
        gy.KAnonymity(2),
        gy.DistinctDiversity(2),
        gy.EntropyDiversity(2),
        gy.RecursiveDiversity(2, 2),
        gy.ProbabilisticDiversity(2),
        gy.TCloseness("0.3"),
        gy.Safety(confidence="0.9", k=1),
    ]
    return gy.judge(rules, groups).risks


@given(strategies.columns(min_rows=2), st.randoms(use_true_random=False))
def test_no_answer_depends_on_the_order_of_the_rows_or_on_the_index(columns, random):
    """pycanon reports a larger l after a shuffle that keeps the frame's old index."""
    import pandas as pd

    schema = gy.Schema(
        quasi_identifiers=["age", "job"],
        sensitive="disease",
        hierarchies={"job": strategies.HIERARCHIES["job"]},
    )
    frame = pd.DataFrame(columns)
    order = list(range(len(frame)))
    random.shuffle(order)
    shuffled = frame.iloc[order]
    repeated = shuffled.set_index(pd.Index([0] * len(frame)))
    expected = verdicts(gy.read(columns, schema))
    for other in (shuffled, repeated):
        table = gy.read(other, schema)
        assert verdicts(table) == expected
        assert table.cells.people.tolist() == gy.read(columns, schema).cells.people.tolist()


def test_the_groups_of_a_release_do_not_depend_on_the_order_of_the_rows():
    from gyges.data.examples import hospital, hospital_schema

    columns = hospital(400)
    turned = {name: values[::-1] for name, values in columns.items()}
    rules = [gy.KAnonymity(4), gy.DistinctDiversity(2)]
    one, other = (gy.publish(gy.read(c, hospital_schema()), rules) for c in (columns, turned))
    assert one.labels == other.labels
    assert np.array_equal(one.group_of_row, other.group_of_row[::-1])


@pytest.mark.parametrize(
    "ladder",
    [
        [gy.TCloseness(t) for t in ("0.6", "0.4", "0.3", "0.2")],
        [gy.KAnonymity(k) for k in (2, 4, 8, 16)],
        [gy.EntropyDiversity(l) for l in ("1.5", "2", "3", "4")],
        [gy.Safety(confidence=c, k=1) for c in ("0.95", "0.8", "0.7", "0.6")],
    ],
    ids=["t", "k", "entropy", "safety"],
)
def test_a_stricter_threshold_is_obeyed_and_never_loses_less(ladder):
    """anonypy accepts a t and then ignores it."""
    from gyges.data.examples import hospital, hospital_schema

    table = gy.read(hospital(500), hospital_schema())
    n_groups = []
    for rule in ladder:
        release = gy.publish(table, [gy.KAnonymity(2), rule], method="lattice")
        assert gy.judge(rule, release.groups).safe
        nodes = gy.minimal_generalizations(table, [gy.KAnonymity(2), rule])
        n_groups.append((len(release.groups), min(sum(node.values()) for node in nodes)))
    heights = [height for _, height in n_groups]
    assert heights == sorted(heights), "a stricter rule was met further down"


def test_a_missing_quasi_identifier_never_vanishes_silently():
    columns = {"age": [1, None, 3], "disease": ["a", "b", "c"]}
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    with pytest.raises(MissingValuesError, match="1 in column 'age'"):
        gy.read(columns, schema)
    assert gy.read(columns, schema, missing="drop").n_people == 2
    assert gy.read(columns, schema, missing="value").n_people == 3


def test_a_hierarchy_that_misses_a_value_is_named_with_its_column():
    """anjana says KeyError: 'age'."""
    schema = gy.Schema(
        quasi_identifiers=["job"],
        sensitive="disease",
        hierarchies={"job": gy.Hierarchy.from_tree(["clerk"])},
    )
    with pytest.raises(HierarchyError, match="column 'job' does not contain 'diver'"):
        gy.read({"job": ["clerk", "diver"], "disease": ["a", "b"]}, schema)
