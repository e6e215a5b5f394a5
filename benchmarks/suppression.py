"""Cell suppression on sdcMicro's test data and on Adult: how many cells, and how long.

The reference lets `*` match anything: a row is k-anonymous if k rows agree with it where neither
has `*`. Then a row that fails needs the fewest columns in which k rows of the original agree. That
count is a lower bound for ours. Its weakness is counted too: people whose values fit fewer than k
of the rows that it publishes.
"""

from __future__ import annotations

import gzip
import io
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.csv

import gyges as gy
from benchmarks.adult import adult
from benchmarks.ratio import real_data
from gyges.arrays import BoolArray
from gyges.data.cells import Cells, row_keys
from gyges.search import suppression
from gyges.search.suppression_masks import masks_of

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
EIGHT = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex",
         "native-country"]  # fmt: skip


def rows() -> Iterator[str]:
    folder = real_data()
    if folder is None:
        return
    with gzip.open(folder / "sdcmicro_households.csv.gz") as file:
        people = pyarrow.csv.read_csv(io.BytesIO(file.read())).select(KEYS)
    texts = {name: people.column(name).cast(pa.string()) for name in KEYS}
    kinds = dict.fromkeys(KEYS, "category")
    cells = gy.read(pa.table(texts), gy.Schema(quasi_identifiers=KEYS, kinds=kinds)).cells
    for k in (2, 3, 5, 10):
        yield f"sdcMicro's testdata, 7 keys, k = {k}: {_ours(cells, [gy.KAnonymity(k)])}"
        yield f"    {_any_agreeing_row(cells, k)}"
    columns = [*EIGHT, "relationship"]
    schema = gy.Schema(quasi_identifiers=columns, sensitive="salary")
    cells = gy.read(adult(folder).select([*columns, "salary"]), schema).cells
    for k in (3, 5, 10, 50):
        yield f"Adult, 9 columns, k = {k}: {_ours(cells, [gy.KAnonymity(k)])}"
    for rule in (gy.DistinctDiversity(2), gy.TCloseness("0.3"), gy.Safety("0.999", k=0)):
        yield f"Adult, 9 columns, k = 3 and {rule}: {_ours(cells, [gy.KAnonymity(3), rule])}"


def _ours(cells: Cells, rules: list[object]) -> str:
    start = time.perf_counter()
    found = suppression.search(cells, rules)  # type: ignore[arg-type]
    return f"{time.perf_counter() - start:.2f} s, {found.notices[0]}"


def _any_agreeing_row(cells: Cells, k: int) -> str:
    """The fewest cells where `*` matches anything, and whom that leaves with too few rows."""
    widths = np.array([len(domain) for domain in cells.domains])
    hidden: list[BoolArray | None] = [None] * len(cells)
    for mask in masks_of(cells, np.ones(len(widths))):
        keys = row_keys(cells.codes[:, ~mask], widths[~mask].tolist())
        _, part = np.unique(keys, return_inverse=True)
        enough = np.bincount(part, weights=cells.people)[part] >= k
        hidden = [mask if h is None and e else h for h, e in zip(hidden, enough, strict=True)]
    shown = np.array(hidden, dtype=bool)
    fits = ((cells.codes[:, np.newaxis] == cells.codes) | shown).all(axis=2) @ cells.people
    n_cells = int(cells.people @ shown.sum(axis=1))
    return (
        f"where * matches anything {n_cells:,} cells are enough, but then "
        f"{int(cells.people[fits < k].sum()):,} people fit fewer than {k} rows"
    )
