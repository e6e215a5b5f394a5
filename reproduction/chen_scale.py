"""[Chen2009, Figure 7]: a table larger than memory, published under a memory limit.

Each run is a process of its own (`python -m reproduction.chen_scale`), so that its memory can be
measured. The people are synthetic, as in the paper's reference [1]: nine columns, one of them the
zip code.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

import gyges as gy
from reproduction.experiment import Curve, Experiment, Findings, Plot, RunOptions, Statement

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
ROOT = Path(__file__).resolve().parents[1]


def scaling(options: RunOptions) -> Findings:
    """Time and memory by the number of people, for both settings of the paper."""
    sizes = FAST_SIZES if options.fast else SIZES
    settings = SETTINGS[:1] if options.fast else SETTINGS
    runs: dict[Point, list[dict[str, float]]] = {point: [] for point in settings}
    with tempfile.TemporaryDirectory(prefix="gyges-") as folder:
        for size in sizes:
            source = Path(folder) / "people.parquet"
            write_people(source, size, options.seed)
            for number, point in enumerate(settings):
                out = Path(folder) / f"out-{size}-{number}"
                runs[point].append(_run(source, out, point, options.fast))
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
    limit = FAST_LIMIT if options.fast else LIMIT
    memory = (
        f"Memory limit {limit / 1e6:,.0f} MB, of which Python and its libraries take 370 to 530."
    )
    return Findings(_statements(sizes, runs, limit), plots, notes=[memory, *_NOTES])


_NOTES = (
    "Money counts in thousands. The search cuts by range (under a limit there is no other order); "
    "reading, publishing and writing are timed together. Confidence 0.9: the paper states none.",
    "Needs about 3 GB of disk.",
)


_FAST_IS_SMALLER = (
    "A fast run needs more memory than the limit leaves for one part, but less than the limit."
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
            f"{max(run['parts'] for run in every):.0f} parts; the process never took more than "
            f"{most:.0f} MB",
            "Sect. 8.2",
            _FAST_IS_SMALLER if kept and not is_larger else "",
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
    """Write synthetic people in chunks, so that the whole table is never in memory."""
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
    words = [str(source), str(out), *map(str, (*point, limit, block))]
    command = [sys.executable, "-m", "reproduction.chen_scale", *words]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise gy.GygesError(f"a run under a memory limit failed\n{done.stderr.strip()[-600:]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def publish_within(
    source: Path, out: Path, point: Point, limit: int, block: int
) -> dict[str, float]:
    """Read, publish and write under the limit; what it took."""
    schema = gy.Schema(quasi_identifiers=_QUASI, sensitive="zipcode", kinds={"zipcode": "category"})
    start, start_cpu = time.perf_counter(), time.process_time()
    table = gy.read(str(source), schema, memory_limit=limit)
    if isinstance(table, gy.Table):
        raise gy.GygesError("the table fits into the memory limit: take more people")
    release = gy.publish(table, gy.Skyline({"*": [(*point, CONFIDENCE)]}), block=block)
    release.save(out, format="parquet")
    return {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - start_cpu,
        "groups": release.facts()["groups"],
        "parts": release.facts()["parts"],
        "megabytes": _most_memory(),
    }


def _most_memory() -> float:
    """The largest memory of this process so far, in MB; NaN where the system does not say."""
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
    took = publish_within(
        Path(given), Path(written), (int(l), int(k), int(m)), int(n_bytes), int(n_people)
    )
    print(json.dumps(took))
