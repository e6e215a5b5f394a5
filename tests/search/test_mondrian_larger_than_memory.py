"""A search that cannot hold the table finds what the search in memory finds, group by group."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.data.large_table import BYTES_OF_CODE, BYTES_OF_ENTRY, LargeTable, read_within
from gyges.data.memory_limit import MemoryBudget, bytes_of
from gyges.errors import MissingValuesError, NothingSafeError, RuleError, SchemaError
from gyges.release.labels import group_labels
from gyges.search import mondrian, mondrian_larger_than_memory

TREE = gy.Hierarchy.from_tree({"A": ["a", "b", "c"], "B": ["d", "e"], "C": {"D": ["f"]}})
SCHEMA = gy.Schema(
    quasi_identifiers=["age", "town", "race"], sensitive="disease", hierarchies={"race": TREE}
)


def room_for(n_entries, n_columns=3):
    """A budget with room for so many distinct rows; the engine may take what it wants."""
    part = n_entries * (BYTES_OF_ENTRY + BYTES_OF_CODE * n_columns)
    return MemoryBudget(limit=2**30, engine=2**28, part=part)


def people(seed, n=300, n_ages=12, n_values=4):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "age": rng.integers(17, 17 + n_ages, n),
            "town": [f"t{i}" for i in rng.integers(0, 5, n)],
            "race": ["abcdef"[i] for i in np.minimum(rng.geometric(0.3, n) - 1, 5)],
            "disease": [f"v{i}" for i in np.minimum(rng.geometric(0.4, n) - 1, n_values - 1)],
        }
    )


def found_outside(table, rules, budget, block):
    large = read_within(table.source, table.schema, budget)
    assert isinstance(large, LargeTable)
    parts = list(mondrian_larger_than_memory.search(large, rules, block=block))
    assert sum(int(part.groups.sizes.sum()) for part in parts) == table.n_people
    return sorted(group for part in parts for group in shown(part))


def shown(part):
    """The groups as anybody sees them: labels, and how often each value occurs."""
    return sorted(
        zip(zip(*group_labels(part), strict=True), part.groups.counts.tolist(), strict=True)
    )


RULES = [
    [gy.KAnonymity(3)],
    [gy.KAnonymity(2), gy.DistinctDiversity(2)],
    [gy.KAnonymity(4), gy.EntropyDiversity(2)],
    [gy.TCloseness("0.4")],
    [gy.TCloseness("0.3", ground="ordered"), gy.KAnonymity(3)],
    [gy.Safety("0.9", k=1)],
    [gy.KAnonymity(3), gy.Safety("0.8", k=2)],
    [gy.Skyline({"*": [(1, 2, 1, "0.9")]})],
    [gy.Skyline({"v0": [(1, 1, 2, "0.95")], "v2": [(0, 3, 1, "0.8")]}), gy.DistinctDiversity(2)],
]


@pytest.mark.parametrize("rules", RULES, ids=str)
@settings(max_examples=max(3 * int(os.environ.get("GYGES_EXAMPLES", "100")) // 100, 1))
@given(seed=st.integers(0, 10**6), n=st.integers(120, 400), block=st.integers(30, 90))
def test_the_groups_are_those_found_in_memory(rules, seed, n, block):
    table = gy.read(people(seed, n), SCHEMA)
    try:
        expected = shown(mondrian.search(table.cells, rules, block=block))
    except NothingSafeError:
        large = read_within(table.source, SCHEMA, room_for(block))
        with pytest.raises(NothingSafeError, match=f"all {n}"):
            list(mondrian_larger_than_memory.search(large, rules, block=block))
        return
    # Rules that judge all groups together need room for a block; others make do with less.
    room = room_for(block if any(not rule.is_local for rule in rules) else max(n // 8, 5))
    assert found_outside(table, rules, room, block) == expected


def test_the_order_of_a_search_matters_and_is_kept():
    """Blocks change what rules over all groups accept: equality is no accident of the data."""
    rules = [gy.Safety("0.7", k=2)]
    table = gy.read(people(2, 150, n_ages=40, n_values=6), SCHEMA)
    in_blocks = shown(mondrian.search(table.cells, rules, block=80))
    assert in_blocks != shown(mondrian.search(table.cells, rules))
    assert found_outside(table, rules, room_for(80), block=80) == in_blocks


def test_a_group_that_cannot_be_cut_is_published_though_it_does_not_fit():
    table = gy.read(people(1, 200), SCHEMA)
    rules = [gy.KAnonymity(150)]
    large = read_within(table.source, SCHEMA, room_for(2))
    (only,) = mondrian_larger_than_memory.search(large, rules)
    whole = gy.publish(table, rules)
    assert only.groups.sizes.tolist() == [200]
    assert (only.groups.counts == whole.groups.counts).all()
    assert [labels[0] for labels in group_labels(only)] == [v[0] for v in whole.labels.values()]


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("number", [1, 3, 6, 8])
def test_a_saved_release_is_the_one_made_in_memory(tmp_path, format, number):
    table = gy.read(people(number, 500), SCHEMA)
    limit, options = room_for(150), {"block": 100}
    made = gy.publish(table, RULES[number], memory_limit=limit, **options)
    assert made.n_parts > 2 and made.rows.n_files > 1
    made.save(tmp_path / "large", format=format)
    gy.publish(table, RULES[number], **options).save(tmp_path / "memory", format=format)
    one, other = gy.load(tmp_path / "large"), gy.load(tmp_path / "memory")
    assert one.labels == other.labels and one.claims == other.claims
    assert (one.groups.sizes == other.groups.sizes).all()
    assert (one.groups.counts == other.groups.counts).all()
    assert gy.verify(tmp_path / "large").holds


def test_a_table_that_fits_is_published_as_ever():
    table = gy.read(people(0), SCHEMA, memory_limit="8GB")
    made = gy.publish(table, [gy.KAnonymity(5)], memory_limit="8GB")
    plain = gy.publish(gy.read(people(0), SCHEMA), [gy.KAnonymity(5)])
    assert (made.groups.counts == plain.groups.counts).all() and made.labels == plain.labels


def test_missing_values_are_treated_alike():
    rows = people(5).to_pydict()
    rows["age"][3:9] = [None] * 6
    rows["race"][5:12] = ["?"] * 7
    marks = {"missing_marks": ["?"]}
    with pytest.raises(MissingValuesError, match="6 in column 'age', 7 in column 'race'"):
        gy.read(rows, SCHEMA, memory_limit=room_for(20), **marks)
    dropped = gy.read(rows, SCHEMA, memory_limit=room_for(40), missing="drop", **marks)
    assert dropped.n_people == 291
    parts = list(mondrian_larger_than_memory.search(dropped, [gy.KAnonymity(4)]))
    table = gy.read(rows, SCHEMA, missing="drop", **marks)
    expected = shown(mondrian.search(table.cells, gy.KAnonymity(4)))
    assert sorted(group for part in parts for group in shown(part)) == expected


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "lattice"}, "only method='partition'"),
        ({"form": "bucketized"}, "only method='partition'"),
        ({"order": "gain"}, "'order' needs them all"),
        ({"relaxed": True}, "'relaxed' needs them all"),
    ],
)
def test_what_needs_all_cells_is_refused_in_one_sentence(options, said):
    table = gy.read(people(0), SCHEMA)
    with pytest.raises(RuleError, match=said):
        gy.publish(table, [gy.KAnonymity(3)], memory_limit=room_for(20), **options)


def test_rules_that_need_more_are_refused_in_one_sentence():
    table = gy.read(people(0), SCHEMA)
    with pytest.raises(RuleError, match="the memory limit has room for 20: raise it"):
        gy.publish(table, [gy.Safety("0.9", k=1)], memory_limit=room_for(20))
    with pytest.raises(RuleError, match="no rule may read single cells"):
        gy.publish(table, [gy.Beliefs(0.3, "0.5")], memory_limit=room_for(20))
    with pytest.raises(RuleError, match="give at least"):
        gy.read(people(0), SCHEMA, memory_limit="10MB")
    with pytest.raises(RuleError, match="such as '2GB'"):
        gy.read(people(0), SCHEMA, memory_limit="plenty")


def test_people_with_several_values_need_no_limit():
    schema = gy.Schema(
        identifiers=["who"], quasi_identifiers=["age"], sensitive="d", values_per_person="set"
    )
    rows = {"who": [1, 1, 2], "age": [3, 3, 4], "d": ["a", "b", "a"]}
    with pytest.raises(SchemaError, match="each row must be one person"):
        gy.read(rows, schema, memory_limit="8GB")


def test_two_nodes_with_one_label_are_refused():
    twice = gy.Hierarchy.from_tree({"A": ["a", "b"], "B": ["A", "c"]})
    rows = {"q": ["a", "b", "c", "A"] * 20, "d": ["x", "y"] * 40}
    schema = gy.Schema(quasi_identifiers=["q"], sensitive="d", hierarchies={"q": twice})
    with pytest.raises(RuleError, match="has two nodes 'A'"):
        gy.publish(gy.read(rows, schema), [gy.KAnonymity(2)], memory_limit=room_for(1))


@pytest.mark.parametrize(
    ("text", "n"), [("2GB", 2 * 10**9), ("1.5 GiB", 3 * 2**29), (" 7 kb", 7000), (12, 12)]
)
def test_memory_limits_are_read_as_people_write_them(text, n):
    assert bytes_of(text) == n


IN_A_PROCESS_OF_ITS_OWN = """
import json, re, sys
from pathlib import Path
import gyges as gy
data, out, limit = sys.argv[1:]
schema = gy.Schema(quasi_identifiers=["age", "town", "income"], sensitive="disease")
limit = None if limit == "none" else limit
table = gy.read(data, schema, memory_limit=limit)
release = gy.publish(table, [gy.KAnonymity(8), gy.DistinctDiversity(3)])
release.save(out, format="parquet")
status = Path("/proc/self/status").read_text()  # not getrusage: it remembers the parent's peak
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) * 1024
print(json.dumps({"peak": peak, "parts": getattr(release, "n_parts", None)}))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system tells no peak")
def test_memory_is_bounded_by_the_limit(tmp_path):
    """The peak of a whole process, on a table whose cells need more."""
    data = tmp_path / "rows.parquet"
    duckdb.sql(
        "COPY (SELECT (17 + hash(i) % 80)::INT AS age, (hash(i * 7 + 1) % 5000)::INT AS town, "
        "(hash(i * 13 + 5) % 300)::INT AS income, 'v' || (hash(i * 5 + 3) % 12) AS disease "
        f"FROM range(2500000) t(i)) TO '{data}'"
    )
    limited = _run(data, tmp_path / "limited", "700MiB")
    free = _run(data, tmp_path / "free", "none")
    assert limited["parts"] > 1
    assert limited["peak"] <= bytes_of("700MiB") < free["peak"]
    rows = "SELECT age, town, income, disease, count(*) AS n FROM '{}/data.parquet' GROUP BY ALL"
    one, other = rows.format(tmp_path / "limited"), rows.format(tmp_path / "free")
    for query in (f"({one}) EXCEPT ({other})", f"({other}) EXCEPT ({one})"):
        assert duckdb.sql(query).fetchall() == []


def _run(data: Path, out: Path, limit: str) -> dict[str, int]:
    told = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS_OF_ITS_OWN, str(data), str(out), limit],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(told.stdout)
