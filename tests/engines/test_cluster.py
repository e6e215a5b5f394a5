"""A standalone Spark with two workers: the release of one machine, and no rows at the driver."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import gyges as gy
from gyges.engines.read import open_source
from tests.engines.conftest import _need_java

pytest.importorskip("pyspark", reason="pyspark is not installed")

from tests.engines.publish_on_cluster import MOST_RESULT, RULES, SCHEMA
from tests.engines.spark_cluster import Cluster

N_ROWS = 240_000
pytestmark = [pytest.mark.long, pytest.mark.xdist_group("spark")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    _need_java()
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    yield found
    found.stop()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(11)
    path = tmp_path_factory.mktemp("rows") / "people.parquet"
    columns = {
        "age": rng.integers(17, 91, N_ROWS),
        "zip": rng.integers(0, 1000, N_ROWS),
        "income": rng.integers(0, 200, N_ROWS),
        "race": np.array(list("abcdef"))[rng.integers(0, 6, N_ROWS)],
        "disease": np.array([f"v{i}" for i in range(12)])[rng.integers(0, 12, N_ROWS)],
    }
    pyarrow.parquet.write_table(pa.table(columns), path)
    return path


def publish(cluster: Cluster, data: Path, out: Path, rules: str, when: str = "never"):
    cluster.have_workers(2)
    worker = cluster.workers[0].pid
    arguments = [cluster.url, str(data), str(out), "3", rules, when, str(worker)]
    run = subprocess.run(
        [sys.executable, "-m", "tests.engines.publish_on_cluster", *arguments],
        env=cluster.environment,
        capture_output=True,
        text=True,
        timeout=540,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout.splitlines()[-1])


def hashes_of(release: gy.Release) -> list[str]:
    """A hash of each group: its labels, its size, and how often each value occurs."""
    labels = zip(*(release.labels[name] for name in SCHEMA.quasi_identifiers), strict=True)
    groups, values = release.groups, list(map(str, release.groups.values))
    shown = [
        (one, int(size), [*zip(values, counts.tolist(), strict=True)])
        for one, size, counts in zip(labels, groups.sizes, groups.counts, strict=True)
    ]
    return sorted(hashlib.sha256(repr(one).encode()).hexdigest() for one in shown)


@pytest.fixture(scope="module")
def in_memory(data: Path) -> dict[str, gy.Release]:
    table = gy.read(data, SCHEMA)
    return {name: gy.publish(table, rules) for name, rules in RULES.items()}


@pytest.fixture(scope="module")
def made(
    cluster: Cluster, data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[Path, dict[str, object]]]:
    """The folder of the release under some rules, and what the driver says of it; made once."""
    folder = tmp_path_factory.mktemp("made")

    @cache
    def once(rules: str) -> tuple[Path, dict[str, object]]:
        return folder / rules, publish(cluster, data, folder / rules, rules)

    return once


@pytest.mark.parametrize("rules", RULES)
def test_a_cluster_makes_the_groups_of_one_machine_and_no_rows_reach_the_driver(
    data, made, in_memory, rules
):
    """The driver's share is limited by Spark too: an answer above `maxResultSize` is an error."""
    folder, found = made(rules)
    release, expected = gy.load(folder), in_memory[rules]
    assert found["parts"] > 8
    assert hashes_of(release) == hashes_of(expected)
    assert release.claims == expected.claims and release.n_people == N_ROWS
    assert gy.verify(folder).holds
    rows, _ = open_source(data, wanted=SCHEMA.columns)
    of_table = rows.fetch(SCHEMA.columns).nbytes
    assert max(found["reached"]) < MOST_RESULT
    assert max(found["reached"]) < of_table / 10, (found, of_table)


@pytest.mark.parametrize("when", ["publish", "save"])
def test_a_killed_worker_changes_no_byte(cluster, data, made, when, tmp_path):
    """With a seed the files are the same, whoever wrote them and how often."""
    whole, found = made("diversity")
    assert not found["killed"]
    assert publish(cluster, data, tmp_path / "killed", "diversity", when)["killed"]
    one, other = (
        {path.name: path.read_bytes() for path in folder.iterdir()}
        for folder in (whole, tmp_path / "killed")
    )
    assert one == other
