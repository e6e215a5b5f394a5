"""All counts of two releases at once, against intersecting sets: how many values become certain.

Adult in several sizes, published twice; who is in which group is known. Then a million made-up
people in groups of 5 to 9, cut twice at other places. Prints people and seconds.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.csv

import gyges as gy
from benchmarks.composition_adult import PERSON, QUASI, SENSITIVE, with_members
from benchmarks.ratio import real_data
from gyges.adversaries.joint_attack import JointAttack
from gyges.arrays import IntArray
from gyges.data.table import Table
from gyges.release.groups import Groups
from gyges.search.publish import publish

K = 5
N_PEOPLE, N_VALUES = 1_000_000, 20


def rows() -> Iterator[str]:
    for n in (3_000, 30_000) if real_data() is not None else ():
        table = adult(n)
        for name, groups in adult_releases(table).items():
            start = time.process_time()
            attack = gy.intersection_attack(groups, [str(i) for i in range(n)], joint=True)
            yield f"Adult, {n:,} people, {name}: {_told(attack, start)}"
    for name, spread in (("cut at other places", 10 / N_PEOPLE), ("cut independently", None)):
        for has_values in (False, True):
            people, releases = _million(spread, has_values)
            start = time.process_time()
            attack = gy.intersection_attack(releases, people, joint=True)
            known = "values known" if has_values else "values not known"
            yield f"{N_PEOPLE:,} people {name}, {known}: {_told(attack, start)}"


def _told(attack: JointAttack, start: float) -> str:
    return (
        f"certain for {int(attack.certain.sum()):,} (proven; intersecting sets: "
        f"{int((attack.by_intersection == 1).sum()):,}, one release alone: "
        f"{int(attack.already_disclosed.sum()):,}), undecided for "
        f"{int(attack.is_undecided(1).sum()):,}; {time.process_time() - start:.1f} s of CPU time"
    )


def adult(n: int) -> Table:
    """The first n rows of Adult without missing values; each is a person."""
    folder = real_data()
    assert folder is not None
    with gzip.open(folder / "adult.csv.gz") as file:
        listed = pyarrow.csv.read_csv(file).select([*QUASI, SENSITIVE])
    known = np.ones(listed.num_rows, dtype=bool)
    for column in listed.columns:
        known &= np.array([value not in ("?", "", None) for value in column.to_pylist()])
    listed = listed.filter(pa.array(known)).slice(0, n)
    listed = listed.append_column(PERSON, pa.array([str(row) for row in range(n)]))
    schema = gy.Schema(identifiers=[PERSON], quasi_identifiers=QUASI, sensitive=SENSITIVE)
    return gy.read(listed, schema)


def adult_releases(table: Table) -> dict[str, list[Groups]]:
    """Pairs of releases of one table, as groups with members."""
    made = {
        "Mondrian": publish(table, [gy.KAnonymity(K)], method="partition"),
        "microaggregation": publish(table, [gy.KAnonymity(K)], method="microaggregation"),
        "Anatomy": publish(table, [gy.DistinctDiversity(K)], method="buckets"),
    }
    groups = {name: with_members(release, table) for name, release in made.items()}
    first = groups.pop("Mondrian")
    return {f"Mondrian and {name}": [first, other] for name, other in groups.items()}


@dataclass(frozen=True)
class _Placed:
    """A release that says which group each person is in."""

    groups: Groups
    group_of_row: IntArray

    def locate(self, people: Table) -> IntArray:
        return self.group_of_row


def _million(spread: float | None, has_values: bool) -> tuple[Table, list[_Placed]]:
    """People on a line in groups of neighbours, and again after moving everyone a little."""
    rng = np.random.default_rng(0)
    shares = 1 / np.arange(1, N_VALUES + 1)
    value = rng.choice(N_VALUES, N_PEOPLE, p=shares / shares.sum())
    place = rng.random(N_PEOPLE)
    again = rng.random(N_PEOPLE) if spread is None else place + rng.normal(0, spread, N_PEOPLE)
    releases = []
    for where in (place, again):
        ends = np.cumsum(rng.integers(K, 2 * K, N_PEOPLE // K))
        group = np.empty(N_PEOPLE, dtype=np.int64)
        group[np.argsort(where)] = np.searchsorted(ends, np.arange(N_PEOPLE), side="right")
        groups = Groups.from_entries(
            sizes=np.bincount(group),
            group_of_entry=group,
            value_codes=value.astype(np.int32),
            value_counts=np.ones(N_PEOPLE, dtype=np.int64),
            values=list(range(N_VALUES)),
        )
        releases.append(_Placed(groups, group))
    columns = {"number": np.arange(N_PEOPLE), **({"value": value} if has_values else {})}
    sensitive = "value" if has_values else None
    schema = gy.Schema(quasi_identifiers=["number"], sensitive=sensitive)
    return gy.read(pa.table(columns), schema), releases
