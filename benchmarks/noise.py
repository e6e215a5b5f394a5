"""Noise on real tables: k-marginal points and errors of a workload against ε.

For each table, ε (with δ = 10⁻⁹) and way of choosing views, one release and its synthetic people:
the points of pairs and triples [Task2023], the mean and the largest error over all pairs (the share
of people who would have to move to another cell), and processor seconds. Columns of many numbers
are scored in intervals, as the published tool does. The labels are those of the code books; here
they are read off the files, which a steward must not do.

Measured elsewhere, on NIST's national rows with ε = 1: the MST of mbi's repository, on mbi 2.0,
scored 958 in 46 processor seconds; its AIM was stopped after 10 rounds and 300 seconds.
"""

from __future__ import annotations

import gzip
import io
import itertools
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

import gyges as gy
from benchmarks.ratio import real_data
from gyges.arrays import FloatArray, IntArray
from gyges.utility.marginal_tables import MOST_NUMBERS

NIST = [
    "AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "PINCP_DECILE", "DVET",
    "DEYE",
]  # fmt: skip
ADULT = [
    "age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex",
    "hours-per-week", "salary",
]  # fmt: skip
DELTA = "1e-9"


def rows() -> Iterator[str]:
    folder = real_data()
    if folder is None:
        return
    heads = f"{'pairs':>7}{'triples':>9}{'mean':>9}{'most':>9}{'s':>7}"
    yield f"{'table':<8}{'ε':>5} {'views':<6}{heads}"
    for name, table in (("NIST", nist(folder)), ("Adult", adult(folder))):
        for epsilon in ("0.1", "0.3", "1", "3", "10"):
            for views in ("mst", "aim"):
                yield f"{name:<8}{epsilon:>5} {views:<6}{scored(table, epsilon, views)}"


def scored(table: pa.Table, epsilon: str, views: str) -> str:
    domains = {name: _labels(table.column(name)) for name in table.column_names}
    people = gy.read(table, gy.Schema(quasi_identifiers=table.column_names), missing="value")
    began = time.process_time()
    release = gy.publish(
        people, method="dp", epsilon=epsilon, delta=DELTA, views=views, domains=domains
    )
    seconds = time.process_time() - began
    made_up = release.frame()
    bins = {name: _bins(table.column(name), labels) for name, labels in domains.items()}
    truth, found = (_codes(people, domains, bins) for people in (table, made_up))
    pairs, triples = (errors(truth, found, k) for k in (2, 3))
    points = [1000 * (1 - float(found.mean())) for found in (pairs, triples)]
    return (
        f"{points[0]:>7.0f}{points[1]:>9.0f}{pairs.mean():>9.2%}{pairs.max():>9.1%}{seconds:>7.1f}"
    )


def errors(truth: Mapping[str, IntArray], found: Mapping[str, IntArray], k: int) -> FloatArray:
    """½ Σ |p - p*| of every set of k columns."""
    each = []
    for view in itertools.combinations(truth, k):
        shape = [int(max(truth[c].max(), found[c].max())) + 1 for c in view]
        size, counts = int(np.prod(shape)), []
        for codes in (truth, found):
            cells = np.ravel_multi_index([codes[c] for c in view], shape)
            counts.append(np.bincount(cells, minlength=size) / len(cells))
        each.append(float(np.abs(counts[0] - counts[1]).sum() / 2))
    return np.array(each)


def nist(folder: Path) -> pa.Table:
    """The national rows of the ten demographic columns."""
    table = _text(folder / "nist_acs2019.csv.gz")
    national = pc.starts_with(table.column("excerpt"), "national")
    return table.filter(national).select(NIST)


def adult(folder: Path) -> pa.Table:
    return _text(folder / "adult.csv.gz").select(ADULT)


def _text(path: Path) -> pa.Table:
    """A file with every column as text."""
    with gzip.open(path) as file:
        content = file.read()
    names = content.split(b"\n", 1)[0].decode().strip().split(",")
    options = pyarrow.csv.ConvertOptions(column_types={name: pa.string() for name in names})
    return pyarrow.csv.read_csv(io.BytesIO(content), convert_options=options)


def _labels(column: pa.ChunkedArray) -> list[str]:
    """The labels of a column: all whole numbers between the ends, or those that occur."""
    texts = sorted(set(column.to_pylist()))
    if all(text.isdigit() for text in texts):
        return [str(n) for n in range(min(map(int, texts)), max(map(int, texts)) + 1)]
    return texts


def _bins(column: pa.ChunkedArray, labels: list[str]) -> IntArray:
    """The bin in which a label is scored: its own, or an interval of people [Task2023]."""
    places = np.array(pc.index_in(column, pa.array(labels)).to_pylist())
    people = np.bincount(places, minlength=len(labels))
    if not labels[0].isdigit() or (people > 0).sum() <= MOST_NUMBERS:
        return np.arange(len(labels))
    share = (np.cumsum(people) - people / 2) / people.sum()
    return np.minimum(share * MOST_NUMBERS, MOST_NUMBERS - 1).astype(np.int64)


def _codes(
    table: pa.Table, domains: Mapping[str, list[str]], bins: Mapping[str, IntArray]
) -> dict[str, IntArray]:
    return {
        name: bins[name][np.array(pc.index_in(table.column(name), pa.array(labels)).to_pylist())]
        for name, labels in domains.items()
    }
