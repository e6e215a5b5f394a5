"""Parts that workers finish: the groups of the search in memory, for several rules.

The workers are this process, one part after another: tests/engines/test_cluster.py has real ones.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.data.large_table import LargeTable, read_within
from gyges.data.placement import Fork
from gyges.data.source import WORK_KEY
from gyges.engines import coded, ibis
from gyges.engines.file_sources import embedded
from gyges.engines.transfer import from_arrow
from gyges.errors import NothingSafeError, ReleaseError
from gyges.search.mondrian_larger_than_memory import cut_top
from gyges.search.publish_on_workers import scattered
from tests.search.test_mondrian_larger_than_memory import SCHEMA, people, room_for

RULES = {
    "sizes": [gy.KAnonymity(3)],
    "diversities": [gy.KAnonymity(2), gy.DistinctDiversity(2), gy.EntropyDiversity("1.5")],
    "recursive": [gy.RecursiveDiversity("4", 2)],
    "closeness": [gy.KAnonymity(3), gy.TCloseness("0.4", ground="ordered")],
}


@dataclass(frozen=True)
class Cells:
    """Cells in DuckDB whose workers are this process."""

    cells: Any
    has_workers: bool = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.cells, name)

    def each_group(self, placement, work, schema, more):
        sorted_out = self.cells.sorted_out(placement)
        made = [work(node, sorted_out.take(node)).cast(schema) for node in leaves(placement)]
        return Rows(pa.concat_tables([more, *made]))


@dataclass(frozen=True)
class Rows:
    rows: pa.Table

    def each(self, work, schema, first, last):
        keys = np.array(self.rows.column(WORK_KEY).to_pylist())
        found = [key for key in sorted(set(keys.tolist())) if first <= key < last]
        made = [work(key, self.rows.filter(pa.array(keys == key))) for key in found]
        return pa.concat_tables([schema.empty_table(), *made])


def leaves(placement):
    if not isinstance(placement, Fork):
        return [placement] if placement >= 0 else []
    return [node for branch in placement.branches for node in leaves(branch)]


def with_workers(table: gy.Table, room) -> LargeTable:
    large = read_within(table.source, SCHEMA, room)
    assert isinstance(large, LargeTable)
    return replace(large, coded=Cells(large.coded))


def shown(release: gy.Release) -> list[Any]:
    labels = zip(*(release.labels[name] for name in SCHEMA.quasi_identifiers), strict=True)
    return sorted(zip(labels, release.groups.counts.tolist(), strict=True))


@pytest.mark.parametrize("rules", RULES)
@given(seed=st.integers(0, 10**6), n=st.integers(120, 400))
def test_workers_find_the_groups_of_the_search_in_memory(rules, seed, n, tmp_path_factory):
    table = gy.read(people(seed, n), SCHEMA)
    large = with_workers(table, room_for(n // 8))
    try:
        expected = gy.publish(table, RULES[rules])
    except NothingSafeError:
        with pytest.raises(NothingSafeError):
            gy.publish(large, RULES[rules])
        return
    made = gy.publish(large, RULES[rules])
    folder = tmp_path_factory.mktemp("release") / "made"
    made.save(folder, format="parquet")
    found = gy.load(folder)
    assert shown(found) == shown(expected) and found.claims == expected.claims
    assert made.n_groups == expected.n_groups and gy.verify(folder).holds


def test_a_seeded_release_is_the_same_again_and_another_seed_gives_another_order(tmp_path):
    large = with_workers(gy.read(people(3, 300), SCHEMA), room_for(40))
    files = {}
    for name, seed in {"one": 5, "again": 5, "other": 6}.items():
        gy.publish(large, RULES["sizes"], seed=seed).save(tmp_path / name, format="parquet")
        parts = sorted((tmp_path / name).glob("data-*.parquet"))
        files[name] = [part.read_bytes() for part in parts]
    assert files["one"] == files["again"] != files["other"]


def test_a_missing_part_and_a_part_of_another_release_are_refused(tmp_path):
    large = with_workers(gy.read(people(3, 300), SCHEMA), room_for(40))
    gy.publish(large, RULES["sizes"]).save(tmp_path / "made", format="parquet")
    parts = sorted((tmp_path / "made").glob("data-*.parquet"))
    assert len(parts) > 1
    kept = parts[0].read_bytes()
    parts[0].write_bytes(parts[1].read_bytes())
    assert not gy.verify(tmp_path / "made").holds
    parts[0].unlink()
    with pytest.raises(ReleaseError, match="missing"):
        gy.verify(tmp_path / "made")
    parts[0].write_bytes(kept)
    assert gy.verify(tmp_path / "made").holds
    (tmp_path / "made" / "data-99999.parquet").write_bytes(kept)
    with pytest.raises(ReleaseError, match="does not list"):
        gy.verify(tmp_path / "made")


def test_workers_write_parquet_alone(tmp_path):
    large = with_workers(gy.read(people(3, 300), SCHEMA), room_for(40))
    release = gy.publish(large, RULES["sizes"])
    with pytest.raises(ReleaseError, match="choose parquet"):
        release.save(tmp_path / "made")
    assert not (tmp_path / "made").exists()


@given(
    st.lists(st.one_of(st.integers(0, 5), st.integers(1000, 3000)), max_size=8),
    st.integers(1, 5),
    st.integers(0, 10**6),
)
def test_every_person_goes_to_one_file(people_of_row, n_files, seed):
    people = np.array(people_of_row, dtype=np.int64)
    row, file, count = scattered(people, n_files, np.random.default_rng(seed))
    held: Counter[int] = Counter()
    for one, number in zip(row.tolist(), count.tolist(), strict=True):
        held[one] += number
    assert [held[one] for one in range(len(people))] == people.tolist()
    assert (count > 0).all() and ((file >= 0) & (file < n_files)).all()


def test_all_files_are_equally_likely_for_few_and_for_many_alike():
    """Chi-squared with 3 degrees of freedom: beyond 27 once in 200,000 times; the seed is fixed."""
    for held in (np.full(40_000, 1), np.array([40_000])):
        _, file, count = scattered(held, 4, np.random.default_rng(1))
        found = np.bincount(file, weights=count, minlength=4)
        assert ((found - 10_000) ** 2 / 10_000).sum() < 27


def test_what_comes_to_this_process_grows_with_the_parts_and_not_with_the_rows(monkeypatch):
    """Every answer of the engine is counted: four times the rows, in parts four times as large."""
    fetched: list[int] = []

    def noted(usual, rows, name):
        found = usual(rows, name)
        fetched.append(found.nbytes)
        return found

    for module in (coded, ibis):
        monkeypatch.setattr(module, "to_arrow", partial(noted, module.to_arrow))
    bytes_of = {}
    for n in (2_000, 8_000):
        source = ibis.source_of(from_arrow(embedded(), people(1, n, n_ages=60)), "the table")
        fetched.clear()
        large = read_within(source, SCHEMA, room_for(n // 16))
        top = cut_top(large, RULES["diversities"])
        assert len(top.nodes) + len(top.closed_nodes) > 4
        bytes_of[n] = sum(fetched)
    assert bytes_of[8_000] < 1.5 * bytes_of[2_000]
