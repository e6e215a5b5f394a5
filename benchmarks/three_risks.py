"""Singling out, linkability and inference: Adult against anonymeter, and a million rows.

anonymeter's figures (version 1.1.0, CPU seconds, 2,000 attacks each, with a control and its random
guesses) were measured beside ours, in an environment of its own (it needs NumPy 1), on the tables
that are made here: 20,000 people of Adult in eight columns, a table of shuffled columns, the other
people as the control. A million rows are compared with a sort of the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

from benchmarks.adult import SEVEN, adult
from benchmarks.ratio import Ratio, against, real_data, side_by_side
from gyges.adversaries.compared_rows import ComparedTables, compared
from gyges.auditing.finding import AuditKnowledge, Finding
from gyges.auditing.three_risks import InfersSecrets, LinksHalves, SinglesOut
from gyges.release.groups import Groups

ANONYMETER = {"singling out": 0.17 + 37.5, "linkability": 12.4, "inference": 43.8}
ATTACKS = {
    "singling out": SinglesOut(),
    "linkability": LinksHalves(),
    "inference": InfersSecrets(),
}


def rows() -> Iterator[Ratio]:
    folder = real_data()
    if folder is not None:
        people = adult(folder).select([*SEVEN, "occupation"])
        people = people.take(np.random.default_rng(1).permutation(people.num_rows))
        tables = compared_tables(_shuffled(people[:20_000]), people[:20_000], people[20_000:])
        for name, seconds in ANONYMETER.items():
            about = f"{name} on Adult, 20,000 people, against anonymeter"
            yield against(about, _attack(name, tables), seconds, "≥ 20× faster")
    people = made_people(1_000_000, 1)
    tables = compared_tables(_shuffled(people), people, made_people(1_000_000, 2))
    codes = tables.released.codes
    for name in ATTACKS:
        about = f"{name} on a million rows, against a sort of the same rows"
        ours = _attack(name, tables)
        yield side_by_side(about, ours, lambda: np.lexsort(codes.T[::-1]), "≤ 50", times=1)


def _attack(name: str, tables: ComparedTables) -> Callable[[], list[Finding]]:
    anything = Groups.from_lists([["a"]])  # these attackers look at the compared tables alone
    return lambda: ATTACKS[name].findings(anything, AuditKnowledge(compared=tables))


def compared_tables(released: pa.Table, original: pa.Table, control: pa.Table) -> ComparedTables:
    return compared(released, original, control, names=original.column_names)


def _shuffled(rows: pa.Table) -> pa.Table:
    """Each column in an order of its own."""
    rng = np.random.default_rng(2)
    columns = [rows.column(name).take(rng.permutation(len(rows))) for name in rows.column_names]
    return pa.table(columns, names=rows.column_names)


def made_people(n: int, seed: int) -> pa.Table:
    """Eight columns with about as many values as those of Adult."""
    rng = np.random.default_rng(seed)
    sizes = {"age": 73, "marital": 7, "race": 5, "sex": 2, "work": 7, "study": 16, "land": 41}
    codes = {name: (size * rng.random(n) ** 2).astype(int) for name, size in sizes.items()}
    codes["job"] = (codes["study"] + rng.integers(0, 3, n)) % 14
    numbers = {"age": codes.pop("age")}
    return pa.table({**numbers, **{name: [f"v{c}" for c in own] for name, own in codes.items()}})
