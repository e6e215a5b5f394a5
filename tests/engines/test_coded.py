"""Cells that stay in their engine: the same release under a memory limit, on every engine."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pytest

import gyges as gy
from gyges.data.large_table import BYTES_OF_CODE, BYTES_OF_ENTRY, LargeTable
from gyges.data.memory_limit import MemoryBudget
from gyges.data.placement import Fork
from gyges.data.source import COUNT, GROUP_OF_ROW, VALUE_CODE, code_column

TREE = gy.Hierarchy.from_tree({"A": ["a", "b", "c"], "B": ["d", "e"]})
SCHEMA = gy.Schema(
    quasi_identifiers=["age", "weight", "race"], sensitive="disease", hierarchies={"race": TREE}
)
RULES = {
    "sizes": [gy.KAnonymity(4)],
    "each group": [gy.KAnonymity(3), gy.TCloseness("0.4")],
    "all groups": [gy.KAnonymity(3), gy.Skyline({"*": [(1, 1, 1, "0.9")]})],
}


def people(n=160):
    rng = np.random.default_rng(7)
    ages = rng.integers(20, 45, n)
    return pa.table(
        {
            "age": pa.array(ages, pa.int64(), mask=ages == 21),
            "weight": pa.array(np.round(rng.normal(70, 5, n)) / 2),
            "race": pa.array(["abcde"[i] for i in rng.integers(0, 5, n)]),
            "disease": pa.array([f"v{i}" for i in rng.integers(0, 4, n)]),
        }
    )


def budget(n_entries):
    return MemoryBudget(2**30, 2**28, n_entries * (BYTES_OF_ENTRY + BYTES_OF_CODE * 3))


def read(place, **options):
    source, where = place.put(people())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gy.read(source, SCHEMA, **where, **options)


@pytest.mark.parametrize("rules", RULES)
def test_a_release_under_a_limit_is_the_one_made_in_memory(engine, rules, tmp_path):
    plain = gy.publish(read(engine, missing="drop"), RULES[rules], block=70)
    large = read(engine, missing="drop", memory_limit=budget(75))
    assert isinstance(large, LargeTable)
    made = gy.publish(large, RULES[rules], block=70)
    assert made.n_parts > 1
    made.save(tmp_path / "large", format="parquet")
    found = gy.load(tmp_path / "large")
    assert found.labels == plain.labels and made.claims == plain.claims
    assert (found.groups.counts == plain.groups.counts).all()


def test_counts_of_groups_are_those_of_their_rows(engine):
    """Two forks: by the line of ages, and on the right by the tree."""
    large = read(engine, missing="drop", memory_limit=budget(75))
    forks = Fork(0, (tuple(range(10)), tuple(range(10, 24))), (1, Fork(2, ((0, 2), (4,)), (2, 5))))
    rows = large.coded.take(None).to_pandas()
    age, race = rows[code_column(0)], rows[code_column(2)]
    group = np.where(age < 10, 1, np.where(race.isin([0, 2]), 2, np.where(race == 4, 5, -1)))
    counted = large.coded.count_groups(forks).to_pandas().set_index(GROUP_OF_ROW)
    for g in (1, 2, 5, -1):
        inside = rows[group == g]
        assert counted.loc[g, COUNT] == inside[COUNT].sum()
        assert counted.loc[g, "entries"] == len(inside)
        for j in range(3):
            assert counted.loc[g, f"low {j}"] == inside[code_column(j)].min()
            assert counted.loc[g, f"high {j}"] == inside[code_column(j)].max()
    by_code = large.coded.count_codes(forks, [2, 5], 1, with_values=True).to_pandas()
    keys = [GROUP_OF_ROW, code_column(1), VALUE_CODE]
    expected = rows.assign(**{GROUP_OF_ROW: group}).query(f"`{GROUP_OF_ROW}` in (2, 5)")
    expected = expected.groupby(keys)[COUNT].sum()
    assert by_code.set_index(keys)[COUNT].to_dict() == expected.to_dict()
    taken = large.coded.sorted_out(forks).take(5)
    assert taken.num_rows == (group == 5).sum()
