"""Mondrian: against peers measured on a machine of the same kind, and against one sort."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import gyges as gy
from benchmarks.ratio import Ratio, against, real_data, side_by_side
from gyges.arrays import IntArray
from gyges.data.cells import Cells, Domain, row_keys
from gyges.data.values import Kind
from gyges.ragged import Ragged
from gyges.release.partition_of_cells import Partition
from gyges.search import mondrian

EIGHT = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "race",
    "sex",
    "native-country",
    "salary",
)


def adult(folder: Path, split: str | None = None) -> dict[str, list[object]]:
    """Adult without the rows that hold a missing value, as columns."""
    import pyarrow.csv as csv

    table = csv.read_csv(folder / "adult.csv.gz")
    columns = table.to_pydict()
    kept = [
        i
        for i, row in enumerate(zip(*columns.values(), strict=True))
        if "?" not in row and split in (None, columns["split"][i])
    ]
    return {name: [values[i] for i in kept] for name, values in columns.items()}


def adult_cells(folder: Path) -> Cells:
    """The train part with eight quasi-identifiers and ARX's hierarchies."""
    hierarchies = {
        name: gy.Hierarchy.from_csv(
            folder
            / "hierarchies/adult"
            / f"adult_hierarchy_{name.replace('salary', 'salary-class')}.csv"
        )
        for name in EIGHT
    }
    columns = adult(folder, "train")
    schema = gy.Schema(quasi_identifiers=EIGHT, sensitive="occupation", hierarchies=hierarchies)
    kept = {name: columns[name] for name in (*EIGHT, "occupation")}
    return gy.read(kept, schema).cells


def arx_loss(found: Partition) -> float:
    """ARX's loss: (leaves under the label - 1)/(leaves - 1), the mean over all published cells.

    A number is labelled by its range; its leaves are the whole numbers of the hierarchy.
    """
    cells, total = found.cells, 0.0
    for j, domain in enumerate(cells.domains):
        assert domain.ladder is not None
        lost = np.full(found.n_groups, np.nan)
        if domain.is_ordered:
            lowest, highest = _extremes(cells.codes[:, j], found)
            lost = (highest - lowest).astype(np.float64)
        else:
            for level in range(domain.ladder.height, -1, -1):
                lowest, highest = _extremes(
                    domain.ladder.ancestors[level][cells.codes[:, j]], found
                )
                agree = lowest == highest
                lost[agree] = (domain.ladder.leaves_under(level)[lowest] - 1)[agree]
        total += float((lost / (len(domain) - 1) * found.groups.sizes).sum())
    return total / cells.n_people / len(cells.domains)


def _extremes(codes: IntArray, found: Partition) -> tuple[IntArray, IntArray]:
    by_group = Ragged.group_by(found.group_of_cell, found.n_groups).of(codes)
    return by_group.minima(), by_group.maxima()


def made_cells(
    n_people: int,
    n_codes: int = 1000,
    n_columns: int = 3,
    n_values: int = 9,
    shares: Sequence[float] = (),
) -> Cells:
    """People with evenly spread numbers; cells are about as many as people.

    With the shares of the values they are drawn with these; else they depend on the first number.
    """
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_codes, (n_people, n_columns)).astype(np.int32)
    values = (codes[:, 0] * 3 // n_codes + rng.integers(0, 5, n_people)) % n_values
    if shares:
        n_values = len(shares)
        values = rng.choice(n_values, n_people, p=shares)
    values = values.astype(np.int32)
    ones = np.ones(n_people, dtype=np.int64)
    here = np.ones(n_codes, dtype=bool)
    domains = [Domain(f"q{j}", Kind.NUMBER, tuple(range(n_codes)), here) for j in range(n_columns)]
    names = tuple(str(value) for value in range(n_values))
    return Cells.from_entries(
        domains=domains,
        codes=codes,
        people=ones,
        sensitive=Domain("s", Kind.CATEGORY, names, np.ones(n_values, dtype=bool)),
        entry_codes=codes,
        value_codes=values,
        value_counts=ones,
        values_per_person="one",
    )


def rows() -> Iterator[Ratio]:
    folder = real_data()
    if folder is not None:
        yield from _adult(folder)
    cells = made_cells(10_000_000)
    keys = row_keys(cells.codes, [len(domain) for domain in cells.domains])
    keys = np.random.default_rng(1).permutation(keys)
    for name, sort in (
        ("np.sort of their keys", np.sort),
        ("np.argsort of their keys", np.argsort),
    ):
        yield side_by_side(
            f"k = 5, 10 million rows, three numbers: against one {name}",
            lambda: mondrian.search(cells, gy.KAnonymity(5)),
            lambda sort=sort: sort(keys),
            "≤ 4",
            times=3,
        )
    cells = made_cells(5_000_000)
    for point in ((0, 1000, 0, "0.95"), (3, 1000, 10, "0.95")):
        yield side_by_side(
            f"skyline {point[:3]}, 5 million people: against k = 1000",
            lambda point=point: mondrian.search(cells, gy.Skyline({"*": [point]})),
            lambda: mondrian.search(cells, gy.KAnonymity(1000)),
            "≤ 3",
            times=3,
        )


def _adult(folder: Path) -> Iterator[Ratio]:
    columns = adult(folder)
    seven = [name for name in EIGHT if name != "salary"]
    kept = {name: columns[name] for name in (*seven, "salary")}
    import pyarrow as pa

    frame = pa.table(kept)
    schema = gy.Schema(quasi_identifiers=seven, sensitive="salary")
    whole = lambda: mondrian.search(gy.read(frame, schema).cells, gy.KAnonymity(5))  # noqa: E731
    yield against("Adult, 7 columns, k = 5, counting and search: anonypy", whole, 56.8, "≤ 0.001")
    yield against("the same: the quickest plain-Python Mondrian", whole, 0.71, "≤ 0.1")
    cells = adult_cells(folder)
    found = mondrian.search(cells, gy.KAnonymity(5))
    yield against(
        f"Adult, 8 columns and trees, loss {arx_loss(found):.4f}: ARX local recoding, 0.0332",
        lambda: mondrian.search(cells, gy.KAnonymity(5)),
        1.0,
        "≤ 0.1 with less loss",
    )
    for order in ("gain", "range"):
        found = mondrian.search(cells, gy.KAnonymity(5), order=order)
        print(f"  loss by {order}: {arx_loss(found):.4f} in {found.n_groups:,} groups")
