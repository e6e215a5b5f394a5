"""A cold start: from the command to a written release, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow.csv

from benchmarks.adult import adult
from benchmarks.ratio import Ratio, real_data

ARX = 2.4  # seconds, the smallest case from a cold start on a machine like this
FOUR = ["age", "marital-status", "race", "sex"]


def rows() -> Iterator[Ratio]:
    """Adult, four columns, k = 5, the best node of the lattice: process, file, search, output."""
    folder = real_data()
    if folder is None:
        return
    with tempfile.TemporaryDirectory() as place:
        people = adult(folder).select([*FOUR, "occupation"])
        pyarrow.csv.write_csv(people, Path(place) / "adult.csv")
        for name, words in (("", ["--no-report"]), (" and report.html", [])):
            best = min(_seconds(place, f"{number}{name}", words) for number in range(4))
            yield Ratio(f"cold start, lattice, 4 columns, release{name}: ARX", best, ARX, "< 1")


def _seconds(place: str, out: str, words: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(
        [
            sys.executable, "-c", "from gyges.cli.start import run; run()",
            "publish", "adult.csv", "--quasi", ",".join(FOUR), "--sensitive", "occupation",
            "--k", "5", "--method", "lattice", "--out", out, *words,
        ],
        cwd=place,
        check=True,
        capture_output=True,
    )  # fmt: skip
    return time.perf_counter() - begun
