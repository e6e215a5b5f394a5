"""[Chen2009, Figure 7]: a table larger than memory, published under a memory limit.

Each run is a process of its own (`python -m gyges.papers.chen_scale`), so that its memory can be
told. People are made up as the paper's reference [1] makes them, from memory of that paper: nine
columns, zip code among them.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gyges.errors import EngineError
from gyges.papers.experiment import Asked, Curve, Experiment, Findings, Plot, Statement

Point = tuple[int, int, int]

SETTINGS: tuple[Point, ...] = ((0, 1000, 0), (3, 1000, 10))
CONFIDENCE = "0.9"
SIZES = (1_000_000, 3_500_000, 9_000_000, 28_000_000)
FAST_SIZES = (300_000, 600_000)
LIMIT, BLOCK = 1_160_000_000, 1 << 19  # bytes; people who are finished at a time
FAST_LIMIT, FAST_BLOCK = 720_000_000, 1 << 17
TUPLE = 44  # bytes, as the paper's
_QUASI = ("salary", "commission", "age", "elevel", "car", "hvalue", "hyears", "loan")
_CHUNK = 1 << 19


def scaling(asked: Asked) -> Findings:
    """Time and memory by the number of people, for both settings of the paper."""
    sizes = FAST_SIZES if asked.fast else SIZES
    settings = SETTINGS[:1] if asked.fast else SETTINGS
    runs: dict[Point, list[dict[str, float]]] = {point: [] for point in settings}
    with tempfile.TemporaryDirectory(prefix="gyges-") as folder:
        for size in sizes:
            source = Path(folder) / "people.parquet"
            write_people(source, size, asked.seed)
            for number, point in enumerate(settings):
                out = Path(folder) / f"out-{size}-{number}"
                runs[point].append(_run(source, out, point, asked.fast))
    plots = [
        Plot(
            title,
            "million people",
            unit,
            [
                Curve(str(point), [size / 1e6 for size in sizes], [run[key] for run in found])
                for point, found in runs.items()
            ],
        )
        for title, unit, key in (
            ("Figure 7: time", "seconds", "seconds"),
            ("CPU time, which other work on the machine moves less", "CPU seconds", "cpu"),
            ("Largest memory of the process", "MB", "megabytes"),
        )
    ]
    limit = FAST_LIMIT if asked.fast else LIMIT
    told = f"Memory limit {limit / 1e6:,.0f} MB, of which Python and its libraries take 370 to 530."
    return Findings(_statements(sizes, runs, limit), plots, notes=[told, *_NOTES])


_NOTES = (
    "Money counts in thousands. The search cuts by range (under a limit there is no other order); "
    "reading, publishing and writing are timed together. Confidence 0.9: the paper states none.",
    "Needs about 3 GB of disk.",
)


def _statements(
    sizes: tuple[int, ...], runs: dict[Point, list[dict[str, float]]], limit: int
) -> list[Statement]:
    first = len(sizes) - 2  # what is smaller than the engine's memory is read without a disk
    times = sizes[-1] / sizes[first]
    slowdown = {
        point: found[-1]["cpu"] / found[first]["cpu"] / times for point, found in runs.items()
    }
    every = [run for found in runs.values() for run in found]
    most = max(run["megabytes"] for run in every)
    room = max(run["room"] for run in every)
    kept = all(run["parts"] > 1 for run in every) and not most * 1e6 > limit
    is_larger = sizes[-1] * TUPLE > limit
    well = max(slowdown.values()) < 2.5
    return [
        Statement(
            "the scale-up performance is well-behaved for datasets substantially larger than main "
            "memory",
            well,
            "; ".join(
                f"{point}: {times:.1f} times the people take {times * slow:.1f} times the CPU time"
                for point, slow in slowdown.items()
            ),
            "Sect. 8.2",
            "" if well else "Each halving of the parts reads the table once more; see the plot.",
        ),
        Statement(
            "larger than main memory",
            kept and (True if is_larger else None),
            f"{sizes[-1]:,} people ({sizes[-1] * TUPLE / 1e6:,.0f} MB in the paper's tuples) in "
            f"{max(run['parts'] for run in every):.0f} parts of at most {room / 1e6:.0f} MB; the "
            f"process never took more than {most:.0f} MB",
            "Sect. 8.2",
            ""
            if kept and is_larger
            else "A fast run is larger than what the limit leaves for a "
            "part of it, not than the limit as a whole.",
        ),
        _like_k_anonymity(sizes, runs[SETTINGS[0]]),
    ]


def _like_k_anonymity(sizes: tuple[int, ...], found: list[dict[str, float]]) -> Statement:
    average = [size / run["groups"] for size, run in zip(sizes, found, strict=True)]
    return Statement(
        "(0, 1000, 0) roughly corresponds to generating a k-anonymous dataset with k = 1,000",
        min(average) >= 1000 and max(average) < 4000,
        f"groups have {min(average):,.0f} to {max(average):,.0f} people on average",
        "Sect. 8.2",
    )


def write_people(path: Path, n_people: int, seed: int) -> None:
    """Made-up people in chunks, so that the table is never whole in memory."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet

    writer = None
    for start in range(0, n_people, _CHUNK):
        n = min(_CHUNK, n_people - start)
        rng = np.random.default_rng([seed, start])
        salary, zipcode = rng.integers(20, 151, n), rng.integers(0, 9, n)
        columns = {
            "salary": salary,
            "commission": np.where(salary >= 75, 0, rng.integers(10, 76, n)),
            "age": rng.integers(20, 81, n),
            "elevel": rng.integers(0, 5, n),
            "car": rng.integers(1, 21, n),
            "zipcode": zipcode,
            "hvalue": rng.integers(50 * (9 - zipcode), 150 * (9 - zipcode) + 1),
            "hyears": rng.integers(1, 31, n),
            "loan": rng.integers(0, 501, n),
        }
        rows = pa.table({name: column.astype(np.int32) for name, column in columns.items()})
        writer = writer or pyarrow.parquet.ParquetWriter(path, rows.schema)
        writer.write_table(rows)
    if writer is not None:
        writer.close()


def _run(source: Path, out: Path, point: Point, fast: bool) -> dict[str, float]:
    limit, block = (FAST_LIMIT, FAST_BLOCK) if fast else (LIMIT, BLOCK)
    asked = [str(source), str(out), *map(str, (*point, limit, block))]
    command = [sys.executable, "-m", "gyges.papers.chen_scale", *asked]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise EngineError(f"a run under a memory limit failed\n{done.stderr.strip()[-600:]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def publish_within(
    source: Path, out: Path, point: Point, limit: int, block: int
) -> dict[str, float]:
    """Read, publish and write under the limit; what it took."""
    import gyges as gy
    from gyges.data.large_table import LargeTable

    schema = gy.Schema(quasi_identifiers=_QUASI, sensitive="zipcode", kinds={"zipcode": "category"})
    start, start_cpu = time.perf_counter(), time.process_time()
    table = gy.read(str(source), schema, memory_limit=limit)
    if not isinstance(table, LargeTable):
        raise RuntimeError("the table fits into the memory limit: take more people")
    release = gy.publish(table, gy.Skyline({"*": [(*point, CONFIDENCE)]}), block=block)
    release.save(out, format="parquet")
    return {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - start_cpu,
        "groups": release.n_groups,
        "parts": release.n_parts,
        "room": table.budget.part,
        "megabytes": _most_memory(),
    }


def _most_memory() -> float:
    """The largest memory of this process so far, in MB; not a number where no system tells."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return math.nan
    return next((int(line.split()[1]) * 1024 / 1e6 for line in lines if "VmHWM" in line), math.nan)


EXPERIMENTS = (
    Experiment(
        "chen-7",
        "Chen2009",
        "Figure 7",
        "a table larger than memory",
        "In each case, the scale-up performance is well-behaved for datasets substantially larger "
        "than main memory.",
        scaling,
    ),
)


if __name__ == "__main__":
    given, written, l, k, m, n_bytes, n_people = sys.argv[1:]
    asked_point = int(l), int(k), int(m)
    took = publish_within(
        Path(given), Path(written), asked_point, limit=int(n_bytes), block=int(n_people)
    )
    print(json.dumps(took))
