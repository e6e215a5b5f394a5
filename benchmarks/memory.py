"""Publishing under a memory limit against publishing in memory: time, and the peak of each process.

Rows of four quasi-identifiers and twenty values, nearly all distinct, in a Parquet file that DuckDB
makes: `GYGES_ROWS` of them (10 million unless said otherwise). Each run is a process of its own.
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

ROWS = int(os.environ.get("GYGES_ROWS", "10_000_000"))
RULES = {
    "k-anonymity": "[gy.KAnonymity(10)]",
    "a skyline": "[gy.KAnonymity(10), gy.Skyline({'*': [(2, 3, 2, '0.9')]})]",
}
LIMITS = ("1GiB", "2GiB")
RUN = """
import json, re, sys, time
from pathlib import Path
import gyges as gy
data, out, limit, rules = sys.argv[1:]
tree = gy.Hierarchy.from_tree({"A": ["a", "b", "c"], "B": ["d", "e"], "C": ["f"]})
schema = gy.Schema(quasi_identifiers=["age", "zip", "income", "race"], sensitive="disease",
                   hierarchies={"race": tree})
start = time.perf_counter()
table = gy.read(data, schema, memory_limit=None if limit == "none" else limit)
release = gy.publish(table, eval(rules))
release.save(out, format="parquet")
seconds = time.perf_counter() - start
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024
print(json.dumps({"seconds": seconds, "peak": peak, "parts": getattr(release, "n_parts", 1)}))
"""


def rows() -> Iterator[Ratio | str]:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "rows.parquet"
        make(data)
        for name, rules in RULES.items():
            free = run(data, Path(folder) / f"{name} free", "none", rules)
            for limit in LIMITS:
                ours = run(data, Path(folder) / f"{name} {limit}", limit, rules)
                yield Ratio(
                    f"{ROWS:,} rows, {name}, within {limit}, against in memory",
                    ours["seconds"],
                    free["seconds"],
                    "≤ 3",
                )
                yield (
                    f"    peak {ours['peak'] / 2**20:,.0f} MiB in {ours['parts']:.0f} parts, "
                    f"in memory {free['peak'] / 2**20:,.0f} MiB"
                )


def make(data: Path) -> None:
    import duckdb

    duckdb.sql(
        "COPY (SELECT (17 + hash(i) % 74)::INT AS age, (hash(i * 7 + 1) % 1000)::INT AS zip, "
        "(hash(i * 13 + 5) % 200)::INT AS income, "
        "['a', 'b', 'c', 'd', 'e', 'f'][(hash(i * 3 + 2) % 6)::INT + 1] AS race, "
        f"'v' || (hash(i * 5 + 3) % 20) AS disease FROM range({ROWS}) t(i)) TO '{data}'"
    )


def run(data: Path, out: Path, limit: str, rules: str) -> dict[str, float]:
    """One run in a process of its own: seconds, peak and parts."""
    command = [sys.executable, "-c", RUN, str(data), str(out), limit, rules]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(told.stdout.splitlines()[-1])
    return found
