"""The attack on two releases of a million people, against joining the same two tables once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa

import gyges as gy
from benchmarks.ratio import Ratio, side_by_side
from gyges.data.table import Table
from gyges.release.groups import Groups
from gyges.release.release import Release
from gyges.release.statements import Roles

N_PEOPLE = 1_000_000
N_AGES, N_ZIPS, WIDTH = 100, 10_000, 10


def rows() -> Iterator[Ratio]:
    people, rng = _people(), np.random.default_rng(5)
    releases = {n: [_release(people, n, shift, rng) for shift in (0, 3)] for n in (14, 247)}
    one, two = (_published(people, release, rng) for release in releases[14])
    yield side_by_side(
        "attack on two releases of 1 million people (by quasi-identifiers) : joining them",
        lambda: gy.intersection_attack(releases[14], people).exposed("0.25"),
        lambda: one.join(two, "person", join_type="inner", right_suffix=" two"),
        "≤ 3",
    )
    yield side_by_side(
        "the same attack with 247 sensitive values : with 14",
        lambda: gy.intersection_attack(releases[247], people).exposed("0.25"),
        lambda: gy.intersection_attack(releases[14], people).exposed("0.25"),
        "≤ 2",
    )
    yield side_by_side(
        "multiplying shares as well : intersecting alone",
        lambda: gy.intersection_attack(releases[247], people).bayesian.exposed("0.3"),
        lambda: gy.intersection_attack(releases[247], people).exposed("0.3"),
        "no goal",
        times=2,
    )
    yield _by_name(rng)


def _by_name(rng: np.random.Generator) -> Ratio:
    """People by name in groups of five, against joining the same lists of names."""
    names = [f"person {i}" for i in range(N_PEOPLE)]
    values = [f"v{v}" for v in rng.integers(0, 14, N_PEOPLE)]
    sides = []
    for _ in range(2):
        order = rng.permutation(N_PEOPLE).tolist()
        parts = [order[start : start + 5] for start in range(0, N_PEOPLE, 5)]
        sides.append(
            Groups.from_lists(
                [[values[i] for i in part] for part in parts],
                members=[[names[i] for i in part] for part in parts],
            )
        )

    def join() -> object:
        frames = [
            pd.DataFrame(
                {
                    "name": [name for group in side.members or [] for name in group],
                    "group": np.repeat(np.arange(len(side)), side.sizes),
                }
            )
            for side in sides
        ]
        return frames[0].merge(frames[1], on="name")

    return side_by_side(
        "attack on two releases of 1 million people (by name) : joining them with pandas",
        lambda: gy.intersection_attack(sides, names).exposed("0.25"),
        join,
        "≤ 3",
        times=3,
    )


def _people() -> Table:
    rng = np.random.default_rng(3)
    columns = {
        "age": rng.integers(0, N_AGES, N_PEOPLE),
        "zip": rng.integers(0, N_ZIPS, N_PEOPLE),
    }
    columns["age"][:N_AGES], columns["zip"][:N_ZIPS] = np.arange(N_AGES), np.arange(N_ZIPS)
    table = gy.read(pa.table(columns), gy.Schema(quasi_identifiers=["age", "zip"]))
    assert table.n_rows == N_PEOPLE and table.cell_of_row is not None
    return table


def _release(people: Table, n_values: int, shift: int, rng: np.random.Generator) -> Release:
    """Groups of one age and ten zips, the zips cut at another place for another shift."""
    cuts = [0, *range(WIDTH + shift, N_ZIPS, WIDTH), N_ZIPS]
    ranges = [f"{low}-{high - 1}" for low, high in itertools.pairwise(cuts)]
    age, zip_code = people.cells.codes[people.cell_of_row].T
    box = np.searchsorted(cuts, zip_code, side="right") - 1
    group = age.astype(np.int64) * len(ranges) + box
    groups = Groups.from_entries(
        sizes=np.bincount(group, minlength=N_AGES * len(ranges)).astype(np.int64),
        group_of_entry=group,
        value_codes=rng.integers(0, n_values, len(group)).astype(np.int32),
        value_counts=np.ones(len(group), dtype=np.int64),
        values=[f"v{v:03d}" for v in range(n_values)],
    )
    labels = {
        "age": [str(a) for a in range(N_AGES) for _ in ranges],
        "zip": ranges * N_AGES,
    }
    return Release("generalized", Roles(("age", "zip"), "ill"), groups, labels, dict)


def _published(people: Table, release: Release, rng: np.random.Generator) -> pa.Table:
    """Everybody's number and group in an order of its own, as a file would give it."""
    order = rng.permutation(N_PEOPLE)
    return pa.table({"person": order, "group": release.locate(people)[order]})
