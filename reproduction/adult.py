"""Adult as the papers use it: 45,222 people without missing values, and their hierarchies.

Marital status and the height-2 trees of the other columns are our choice where a paper only says
how many levels there are; ages start at multiples of the width, as in [Kifer2006, Sect. 8].
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

import gyges as gy
from reproduction.arrays import counted_groups
from reproduction.data import load

MARTIN = ("age", "marital-status", "race", "sex")
LEVELS = {"age": 6, "marital-status": 3, "race": 2, "sex": 2}  # of each hierarchy
OCCUPATIONS = {
    "White-collar": [
        "Exec-managerial",
        "Prof-specialty",
        "Adm-clerical",
        "Sales",
        "Tech-support",
    ],
    "Blue-collar": [
        "Craft-repair",
        "Machine-op-inspct",
        "Transport-moving",
        "Handlers-cleaners",
        "Farming-fishing",
    ],
    "Service": ["Other-service", "Protective-serv", "Priv-house-serv"],
    "Other-occupation": ["Armed-Forces"],
}
_TREES: dict[str, Mapping[str, Sequence[str]] | Sequence[str]] = {
    "marital-status": {
        "Married": ["Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent"],
        "Not-married": ["Never-married", "Divorced", "Separated", "Widowed"],
    },
    "race": ["Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White"],
    "sex": ["Female", "Male"],
    "occupation": OCCUPATIONS,
    "workclass": {
        "Private-sector": ["Private"],
        "Self-employed": ["Self-emp-not-inc", "Self-emp-inc"],
        "Government": ["Federal-gov", "State-gov", "Local-gov"],
        "Unpaid": ["Without-pay", "Never-worked"],
    },
}


def people() -> pa.Table:
    """Return the people without a missing value, with age as a number."""
    rows = load("adult")
    for name in ("workclass", "occupation", "native-country"):
        rows = rows.filter(pa.compute.not_equal(rows.column(name), "?"))
    age = rows.schema.get_field_index("age")
    return rows.set_column(age, "age", rows.column("age").cast(pa.int64()))


def hierarchies(columns: Sequence[str]) -> dict[str, gy.Hierarchy]:
    """A hierarchy for each column: age in steps of 5, 10, 20, 40 years, trees for the rest."""
    made = {name: gy.Hierarchy.from_tree(_TREES[name]) for name in columns if name in _TREES}
    return made | ({"age": gy.Hierarchy.intervals(5, 10, 20, 40)} if "age" in columns else {})


def adult_table() -> gy.Table:
    """Adult with MARTIN's quasi-identifiers, their hierarchies, and occupation."""
    schema = gy.Schema(
        quasi_identifiers=MARTIN, sensitive="occupation", hierarchies=hierarchies(MARTIN)
    )
    return gy.read(people().select([*MARTIN, "occupation"]), schema)


def every_node(table: gy.Table) -> dict[tuple[int, ...], gy.Groups]:
    """Return the groups of each full-domain generalization of MARTIN's columns, by its levels."""
    nodes = list(itertools.product(*(range(LEVELS[name]) for name in MARTIN)))
    views = [dict(zip(MARTIN, node, strict=True)) | {"occupation": 0} for node in nodes]
    counted = gy.Marginals.of(table, views).views
    return {node: _groups_of(view.frame()) for node, view in zip(nodes, counted, strict=True)}


def _groups_of(counts: Mapping[str, Sequence[Any]]) -> gy.Groups:
    """The groups of a table of counts: people with equal labels are together."""
    labels = list(zip(*(counts[name] for name in MARTIN), strict=True))
    place = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    values, code = np.unique(np.array(counts["occupation"]), return_inverse=True)
    group = [place[label] for label in labels]
    return counted_groups(group, code, values.tolist(), np.array(counts["count"]))
