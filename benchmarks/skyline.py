"""SkylineCheck against the dynamic program of Chen 2009, A.3, in that paper's own set-up (8.1):
groups of 100 people, 20 equally likely values. And SkylineFind on Adult against its Figure 5.

The dynamic program is compiled, works on plain doubles and skips groups without the value. Three
ways to write its inner loop were tried (as in reproduction/chen_program.py; reversed for vector
instructions; scattering instead of gathering): this one was the fastest.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import gyges as gy
from benchmarks.adult import adult
from benchmarks.partition import made_cells
from benchmarks.ratio import Ratio, real_data, side_by_side
from gyges.criteria.base import BoundRule
from gyges.release.groups_of_cells import groups_of_cells
from gyges.search import mondrian
from reproduction.chen_program import by_program

N_VALUES, SIZE = 20, 100


def rows() -> Iterator[Ratio]:
    for people in (1_000_000, 5_000_000):
        yield check_against_program(people, (10, 10, 10), times=2)
    for point in [(10, 10, 0), (10, 16, 10), (10, 32, 10), (10, 10, 16), (0, 10, 10), (16, 10, 10)]:
        yield check_against_program(400_000, point, times=2)
    yield check_against_program(1_000_000, (10, 10, 10), times=2, codes=[3])
    yield from one_pass()
    yield from small_batches()
    yield from parquet_to_verdict()
    yield from searches()
    folder = real_data()
    if folder is not None:
        yield find_on_adult(np.array(adult(folder).column("occupation").to_pylist()))
        yield find_against_search(adult(folder))


def check_against_program(
    people: int, point: tuple[int, int, int], times: int, codes: list[int] | None = None
) -> Ratio:
    """All values (or some) of a release checked at one point."""
    groups = uniform_groups(people // SIZE)
    chosen = list(range(N_VALUES)) if codes is None else codes
    rule = gy.Skyline({code: [(*point, 1)] for code in chosen}).bind(groups)
    counts = groups.counts

    def program() -> list[float]:
        return [by_program(counts, code, *point) for code in chosen]

    summary = rule.summarize(groups)
    ours = [float(1 / summary.breach(row) - 1) for row in range(len(chosen))]
    assert np.allclose(ours, program(), rtol=1e-9)
    return side_by_side(
        f"check of {people:,} people at {point}, {len(chosen)} values, against the program",
        lambda: rule.holds(rule.summarize(groups)),
        program,
        "≥ 1,000× faster at (10, 10, 10) for all values",
        times,
    )


def one_pass() -> Iterator[Ratio]:
    """The scan against adding up the same entries by value, and against sorting them."""
    groups = uniform_groups(50_000)
    rule = gy.Skyline({"*": [(10, 10, 10, "0.99")]}).bind(groups)
    yield side_by_side(
        "summarize 5 million people, against one NumPy pass over the same entries",
        lambda: rule.summarize(groups),
        lambda: np.bincount(groups.value_codes, weights=groups.value_counts),
        "≤ 3",
    )
    yield side_by_side(
        "summarize 5 million people, against sorting each group's counts",
        lambda: rule.summarize(groups),
        lambda: np.lexsort((-groups.value_counts, groups.group_of_entry)),
        "≤ 0.2",
    )


def small_batches() -> Iterator[Ratio]:
    """What a partition search does for each split, against recursive diversity."""
    groups = uniform_groups(10_000)
    two = groups.take([5, 6])
    for rule in (
        gy.Skyline({3: [(3, 5, 2, "0.99")]}).bind(groups),
        gy.Skyline({"*": [(3, 5, 2, "0.99")]}).bind(groups),
    ):
        yield side_by_side(
            f"a thousand splits, {len(rule.summarize(groups).watch)} rows, against (c,l)-diversity",
            lambda rule=rule: _split_often(rule, groups, two),
            lambda: _split_often(gy.RecursiveDiversity(3, 5), groups, two),
            "≤ 1",
        )


def _split_often(rule: BoundRule[Any], groups: gy.Groups, two: gy.Groups) -> None:
    before = rule.summarize(groups)
    for _ in range(1000):
        fresh = gy.Groups(**{name: getattr(two, name) for name in two.__dataclass_fields__})
        rule.holds(rule.merge(before, rule.summarize(fresh)))


def parquet_to_verdict(people: int = 5_000_000) -> Iterator[Ratio]:
    """A published file of groups of 100: read, count and check it, against DuckDB's GROUP BY."""
    import duckdb

    rule = gy.Skyline({"*": [(3, 5, 2, "0.99")]})
    schema = gy.Schema(quasi_identifiers=["group"], sensitive="value")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "published.parquet"
        duckdb.sql(
            f"COPY (SELECT (i // {SIZE})::INT AS \"group\", 'v' || hash(i) % {N_VALUES} AS value "
            f"FROM range({people}) t(i) ORDER BY hash(i + 1)) TO '{file}'"
        )

        def verdict() -> bool:
            cells = gy.read(file, schema).cells
            return gy.skyline_check(groups_of_cells(cells, np.arange(len(cells))), rule).safe

        def count() -> int:
            with duckdb.connect() as engine:
                counted = engine.sql(f"SELECT *, count(*) AS n FROM '{file}' GROUP BY ALL")
                return counted.to_arrow_table().num_rows

        yield side_by_side(
            f"{people:,} people from Parquet to verdict, against DuckDB's GROUP BY",
            verdict,
            count,
            "≤ 1.5",
            times=4,
        )
        yield side_by_side(
            f"{people:,} people of a published file, loaded with labels and all, against the same",
            lambda: gy.skyline_check(gy.load(file, schema).groups, rule),
            count,
            "none",
            times=1,
        )


UNIFORM = (1 / N_VALUES,) * N_VALUES
SKEWED = tuple(1 / n / sum(1 / i for i in range(1, N_VALUES + 1)) for n in range(1, N_VALUES + 1))
# The shares of the values, a point, its confidence, and k of groups of about the same size.
SEARCHES: list[tuple[tuple[float, ...], tuple[int, int, int], str, int]] = [
    (UNIFORM, (10, 10, 10), "0.9", 53),
    (UNIFORM, (0, 60, 0), "0.5", 74),
    (UNIFORM, (3, 5, 2), "0.9", 13),
    (SKEWED, (2, 3, 2), "0.9", 13),
]


def searches(n_people: int = 5_000_000) -> Iterator[Ratio]:
    """The partition search against one under k-anonymity with groups of that size, in CPU time."""
    for shares, point, confidence, k in SEARCHES:
        cells = made_cells(n_people, shares=shares)
        rule = gy.Skyline({"*": [(*point, confidence)]})
        groups = mondrian.search(cells, rule).groups
        kind = "equally frequent" if shares is UNIFORM else "skewed"
        yield side_by_side(
            f"{n_people:,} people, {kind} values, {point}, groups of {groups.sizes.mean():.0f}: "
            f"against k = {k}",
            lambda cells=cells, rule=rule: mondrian.search(cells, rule),
            lambda cells=cells, k=k: mondrian.search(cells, gy.KAnonymity(k)),
            "≤ 3",
            times=3,
            clock=time.process_time,
        )


def find_on_adult(occupations: np.ndarray) -> Ratio:
    """All 14 occupations at 95 %, groups of 100 as they come, against Figure 5's loops."""
    groups = gy.Groups.from_lists(
        [occupations[i : i + SIZE].tolist() for i in range(0, len(occupations), SIZE)]
    )
    assert gy.skyline_find(groups, groups.values[0], "0.95") == by_loops(groups, groups.values[0])
    return side_by_side(
        f"knowledge skylines of all {len(groups.values)} occupations, against Figure 5",
        lambda: [gy.skyline_find(groups, value, "0.95") for value in groups.values],
        lambda: [by_loops(groups, value) for value in groups.values],
        "≤ 0.1",
        times=2,
    )


def find_against_search(rows: pa.Table) -> Ratio:
    """All 14 occupations at 95 % of a (3, 6)-diverse release, against the search that made it."""
    quasi = [name for name in rows.column_names if name not in ("occupation", "fnlwgt", "split")]
    kept = rows.select([*quasi, "occupation"])
    table = gy.read(kept, gy.Schema(quasi_identifiers=quasi, sensitive="occupation"))
    rule = gy.Skyline({"*": [(4, 0, 0, "0.75")]})
    groups = mondrian.search(table.cells, rule).groups
    return side_by_side(
        "knowledge skylines of all occupations of a diverse release, against its search",
        lambda: [gy.skyline_find(groups, value, "0.95") for value in groups.values],
        lambda: mondrian.search(table.cells, rule),
        "≤ 1",
    )


def by_loops(groups: gy.Groups, value: object) -> list[tuple[int, int, int]]:
    """Figure 5: every l, every m, and a binary search for k; then the maximal points."""
    c = Fraction(19, 20)

    def is_safe(l: int, k: int, m: int) -> bool:
        rule = gy.Skyline({value: [(l, k, m, c)]}).bind(groups)
        return rule.holds(rule.summarize(groups))

    points = []
    l = 0
    while is_safe(l, 0, 0):
        m = 0
        while is_safe(l, 0, m):
            low, high = 0, SIZE
            while low < high:
                middle = (low + high + 1) // 2
                low, high = (middle, high) if is_safe(l, middle, m) else (low, middle - 1)
            points.append((l, low, m))
            m += 1
        l += 1
    return sorted(
        p
        for p in points
        if not any(q != p and all(a >= b for a, b in zip(q, p, strict=True)) for q in points)
    )


def uniform_groups(n_groups: int) -> gy.Groups:
    counts = np.random.default_rng(n_groups).multinomial(SIZE, [1 / N_VALUES] * N_VALUES, n_groups)
    group, code = np.nonzero(counts)
    return gy.Groups.from_entries(
        sizes=np.full(n_groups, SIZE),
        group_of_entry=group,
        value_codes=code.astype(np.int32),
        value_counts=counts[group, code],
        values=list(range(N_VALUES)),
    )
