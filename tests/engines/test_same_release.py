"""The same people, rules and seed give the same bytes, wherever the rows lie and on every core."""

from __future__ import annotations

import os
import subprocess
import sys

import pyarrow as pa
import pytest

import gyges as gy
from gyges.data.examples import hospital, hospital_schema

WAYS = {
    "partition": {},
    "less loss": {"effort": "quick"},
    "nodes": {"method": "lattice", "suppression": "0.1"},
    "bucketized": {"form": "bucketized"},
    "buckets": {"method": "buckets"},
}
RULES = [gy.KAnonymity(4), gy.DistinctDiversity(2)]


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("way", WAYS)
def test_every_engine_publishes_the_same_bytes(engine, way, tmp_path):
    rows = pa.table(hospital(150))
    source, where = engine.put(rows)
    for name, table in {
        "memory": gy.read(rows, hospital_schema()),
        "engine": gy.read(source, hospital_schema(), **where),
    }.items():
        rules = RULES if way != "buckets" else RULES[1:]
        release = gy.publish(table, rules, seed=7, **WAYS[way])
        release.save(tmp_path / name, pages=gy.report_pages(release))
    assert bytes_of(tmp_path / "engine") == bytes_of(tmp_path / "memory")


PUBLISH = """
import os, sys
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(sys.argv[1])])
import numpy as np
import gyges as gy
rng = np.random.default_rng(5)
columns = {name: rng.integers(0, 60, 90_000) for name in ("age", "place", "work")}
columns["disease"] = rng.choice(["Flu", "Gout", "Mumps", "Cold"], 90_000)
schema = gy.Schema(quasi_identifiers=["age", "place", "work"], sensitive="disease")
table = gy.read(columns, schema)
rules = [gy.KAnonymity(5), gy.EntropyDiversity("1.5")]
gy.publish(table, rules, seed=3).save(sys.argv[2])
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores are chosen on Linux only")
def test_any_number_of_cores_publishes_the_same_bytes(tmp_path):
    """Of a table that is large enough to be cut by several threads."""
    available = len(os.sched_getaffinity(0))
    if available < 2:
        pytest.skip("this machine has one core")
    for cores in (1, available):
        place = str(tmp_path / str(cores))
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", PUBLISH, str(cores), place], check=True
        )
    assert bytes_of(tmp_path / "1") == bytes_of(tmp_path / str(available))
