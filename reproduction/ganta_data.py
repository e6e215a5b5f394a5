"""Two overlapping halves of a census, published separately, and what joining them reveals.

[Ganta2008, Sect. 3.1]: 5,000 people are in both subsets. The paper does not say how many others
each subset has; half of all others gives its average group sizes (see docs/papers.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import gyges as gy
from reproduction.adult import hierarchies, people
from reproduction.arrays import IntArray, counted_groups
from reproduction.data import load

Data: TypeAlias = Literal["adult", "ipums"]
Method: TypeAlias = Literal["mondrian", "relaxed", "microaggregation"]

OVERLAP = 5_000
QUASI: dict[Data, tuple[str, ...]] = {  # [Ganta2008, Tables 2 and 3]
    "adult": ("age", "workclass", "education", "marital-status", "race", "sex", "native-country"),
    "ipums": ("age", "classwkg", "educrec", "marst", "raceg", "sex", "bplg"),
}
SENSITIVE: dict[Data, str] = {"adult": "occupation", "ipums": "occ1950"}
NAMES: dict[Data, str] = {"adult": "Adult", "ipums": "IPUMS"}


@dataclass(frozen=True, slots=True)
class Setting:
    """How the two subsets are made."""

    data: Data
    seed: int = 0
    size: int | None = None  # people of each subset; None: half of all others
    has_hierarchies: bool = False
    is_numeric: bool = True  # each column is a number: microaggregation is by Euclidean distance

    @property
    def schema_words(self) -> dict[str, Any]:
        """The roles of the columns, as `gy.Schema` takes them."""
        words: dict[str, Any] = {
            "quasi_identifiers": list(QUASI[self.data]),
            "sensitive": SENSITIVE[self.data],
        }
        if self.has_hierarchies:
            words["hierarchies"] = hierarchies(QUASI[self.data])
        return words


@dataclass(frozen=True, eq=False)
class Joined:
    """What is known of the people in both subsets once their releases are joined."""

    attack: Any
    average_size: float  # of the groups in which these people are, over both releases

    def exposed(self, confidence: str) -> float:
        """The share of them who are known with that confidence."""
        return float(self.attack.exposed(confidence))


def all_people(setting: Setting) -> pa.Table:
    """The people of the paper: 30,162 of Adult (the training part), 70,187 of IPUMS."""
    columns = [*QUASI[setting.data], SENSITIVE[setting.data]]
    if setting.data == "adult":
        rows = people()
        rows = rows.filter(pc.equal(rows.column("split"), "train")).select(columns)
    else:
        rows = load("ipums").select(columns)
    for name in QUASI[setting.data]:
        if setting.is_numeric or name == "age":
            rows = _as_numbers(rows, name)
    return rows


def _as_numbers(rows: pa.Table, name: str) -> pa.Table:
    """Ages as they are, other values by their place in sorted order."""
    column = rows.column(name)
    if name == "age":
        numbers = column.cast(pa.int64())
    else:
        numbers = pc.index_in(column, pa.array(sorted(set(column.to_pylist()))))
    return rows.set_column(rows.schema.get_field_index(name), name, numbers)


@cache
def subsets(setting: Setting) -> tuple[gy.Table, gy.Table]:
    """The two subsets; the first OVERLAP rows of both are the same people."""
    rows = all_people(setting)
    order = np.random.default_rng(setting.seed).permutation(rows.num_rows)
    shared, rest = order[:OVERLAP], order[OVERLAP:]
    others = len(rest) // 2 if setting.size is None else setting.size - OVERLAP
    schema = gy.Schema(**setting.schema_words)
    first, second = (
        gy.read(rows.take(np.concatenate([shared, part])), schema)
        for part in (rest[:others], rest[others : 2 * others])
    )
    return first, second


@cache
def published(setting: Setting, subset: int, method: Method, rules: tuple[Any, ...]) -> gy.Release:
    """The release of one subset."""
    table = subsets(setting)[subset]
    if method == "microaggregation":
        return gy.publish(table, rules, method=method, seed=setting.seed, algorithm="mdav")
    return gy.publish(table, rules, relaxed=method == "relaxed", seed=setting.seed)


def joined(setting: Setting, methods: Sequence[Method], rules: Sequence[Any]) -> Joined:
    """Publish each subset by its method and join the releases; the attacker knows everyone's "
    "group."""
    groups, sizes = [], []
    for subset, method in enumerate(methods):
        group_of_row = published(setting, subset, method, tuple(rules)).group_of_row
        groups.append(with_members(subsets(setting)[subset], group_of_row, subset))
        sizes.append(groups[-1].sizes[group_of_row[:OVERLAP]].mean())
    attack = gy.intersection_attack(groups, people=[f"{i}" for i in range(OVERLAP)])
    return Joined(attack, float(np.mean(sizes)))


def with_members(table: gy.Table, group_of_row: IntArray, subset: int) -> gy.Groups:
    """The groups with the names of their people: the paper's attacker knows who is where."""
    members: list[list[str]] = [[] for _ in range(int(group_of_row.max()) + 1)]
    for row, group in enumerate(group_of_row.tolist()):
        members[group].append(f"{row}" if row < OVERLAP else f"{subset}:{row}")
    values = table.sensitive_values
    return counted_groups(group_of_row, table.value_of_row, values, members=members)
