"""The whole way from Parquet to written Parquet, against DuckDB's GROUP BY of the same columns.

Rows of four quasi-identifiers and twenty values: nearly all distinct, and with few distinct rows.
`GYGES_ROWS` of them (4 million unless said otherwise); k = 5. Processor time and the peak of memory
beside that of the cells, each of a process of its own, without loading and compiling.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.ratio import Ratio

ROWS = int(os.environ.get("GYGES_ROWS", "4_000_000"))
KINDS = {"nearly all distinct": (1000, 200), "few distinct": (20, 3)}  # places, incomes
START = """
import json, re, sys, time
from pathlib import Path
data, out = sys.argv[1:]
names = ["age", "place", "income", "race"]
def peak(): return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""
GROUP_BY = """
import duckdb
by = ", ".join([*names, "disease"])
def run():
    return duckdb.read_parquet(data).aggregate(f"{by}, count(*) AS n", by).to_arrow_table()
run()
start = time.process_time()
n = run().num_rows
print(json.dumps({"group by": time.process_time() - start, "distinct": n, "peak": peak()}))
"""
PUBLISH = """
import gyges as gy
schema = gy.Schema(quasi_identifiers=names, sensitive="disease")
few = {name: [*range(40_000)] for name in names[:3]} | {"race": ["a", "b"] * 20_000}
few = gy.read(few | {"disease": ["v"] * 40_000}, schema)
gy.publish(few, gy.KAnonymity(5)).save(out + " first", format="parquet")
before, times = peak(), [time.process_time()]
table = gy.read(data, schema)
times.append(time.process_time())
release = gy.publish(table, gy.KAnonymity(5))
times.append(time.process_time())
release.tables
times.append(time.process_time())
release.save(out, format="parquet")
times.append(time.process_time())
steps = [after - start for start, after in zip(times, times[1:])]
cells = table.cells
size = sum(getattr(cells, name).nbytes for name in
           ("codes", "people", "starts", "value_codes", "value_counts"))
print(json.dumps({"steps": steps, "peak": peak(), "before": before, "cells": size // 1024}))
"""


def rows() -> Iterator[Ratio | str]:
    for kind, (places, incomes) in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "rows.parquet"
            make(data, places, incomes)
            theirs, ours = (_run(START + code, data, folder) for code in (GROUP_BY, PUBLISH))
        seconds = sum(ours["steps"])
        name = f"{ROWS:,} rows, {kind} ({theirs['distinct']:,}) : DuckDB's GROUP BY"
        yield Ratio(name, seconds, theirs["group by"], "≤ 4")
        steps = zip(("read", "publish", "tables", "save"), ours["steps"], strict=True)
        times = ", ".join(f"{step} {took:.2f}" for step, took in steps)
        more = (ours["peak"] - ours["before"]) / 1024
        yield (
            f"    {times} s; {more:,.0f} MiB more than before, cells {ours['cells'] / 1024:,.0f} "
            f"MiB; peaks {ours['peak'] / 1024:,.0f} and {theirs['peak'] / 1024:,.0f} MiB"
        )


def make(data: Path, places: int, incomes: int) -> None:
    import duckdb

    duckdb.sql(
        "COPY (SELECT (17 + hash(i) % 74)::INT AS age, "
        f"(hash(i * 7 + 1) % {places})::INT AS place, "
        f"(hash(i * 13 + 5) % {incomes})::INT AS income, "
        "['a', 'b', 'c', 'd', 'e', 'f'][(hash(i * 3 + 2) % 6)::INT + 1] AS race, "
        f"'v' || (hash(i * 5 + 3) % 20) AS disease FROM range({ROWS}) t(i)) TO '{data}'"
    )


def _run(code: str, data: Path, folder: str) -> dict[str, float]:
    command = [sys.executable, "-W", "ignore", "-c", code, str(data), str(Path(folder) / "out")]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(told.stdout.splitlines()[-1])
    return found
