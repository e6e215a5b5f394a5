"""How well a release answers COUNT queries [Li2009, Sect. V.E]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gyges.arrays import BoolArray, FloatArray
from gyges.errors import RuleError
from gyges.utility.grouping import Grouping
from gyges.utility.regions import region, share


@dataclass(frozen=True, slots=True)
class QueryError:
    """Relative errors of random COUNT queries with a true answer above zero."""

    mean: float
    median: float
    n_queries: int


def query_error(
    grouping: Grouping,
    *,
    dimension: int,
    selectivity: float,
    n_queries: int = 1000,
    form: Literal["generalized", "bucketized"] = "generalized",
    rng: np.random.Generator,
) -> QueryError:
    """The relative error of "how many people have … and a value in …", averaged over queries.

    A query restricts `dimension` quasi-identifiers and the sensitive value; each predicate holds
    for a share s^(1/(d+1)) of the column's values, as in Anatomy's workload [Xiao2006, Sect. 6],
    a run of neighbours where values are ordered. The answer from the
    release assumes that people are spread evenly over what their labels cover (generalized), or
    uses the exact quasi-identifiers (bucketized).
    """
    _refuse(grouping, dimension, selectivity)
    groups, columns = grouping.groups, range(len(grouping.cells.domains))
    regions = [region(grouping, column) for column in columns]
    errors = []
    for _ in range(n_queries):
        chosen = rng.choice(len(regions), dimension, replace=False)
        each = selectivity ** (1 / (dimension + 1))
        wanted = {int(c): _predicate(grouping, int(c), each, rng) for c in chosen}
        values = _subset(len(grouping.cells.sensitive), each, rng)
        truth = _true_count(grouping, wanted, values)
        if truth == 0:
            continue
        with_value = np.bincount(
            groups.group_of_entry,
            weights=groups.value_counts * values[groups.value_codes],
            minlength=len(groups),
        )
        if form == "generalized":
            chance = np.prod([share(regions[c], w) for c, w in wanted.items()], axis=0)
        else:
            inside = _matching_cells(grouping, wanted)[grouping.cell]
            matching = np.bincount(grouping.group, weights=grouping.people * inside)
            chance = matching / grouping.sizes
        errors.append(abs(float(with_value @ chance) - truth) / truth)
    if not errors:
        raise RuleError("no query had an answer above zero: give a larger selectivity")
    return QueryError(float(np.mean(errors)), float(np.median(errors)), len(errors))


def _refuse(grouping: Grouping, dimension: int, selectivity: float) -> None:
    if not 1 <= dimension <= len(grouping.cells.domains):
        raise RuleError(
            f"dimension is {dimension}: a query uses 1 to {len(grouping.cells.domains)} columns"
        )
    if not 0 < selectivity <= 1:
        raise RuleError(f"selectivity is {selectivity}: give a number above 0 and at most 1")
    if grouping.cells.values_per_person != "one":
        raise RuleError("COUNT queries are measured for one sensitive value per person")


def _predicate(
    grouping: Grouping, column: int, share: float, rng: np.random.Generator
) -> BoolArray:
    """A random part of a column's values: neighbours where they are ordered."""
    domain = grouping.cells.domains[column]
    if not domain.is_ordered:
        return _subset(len(domain), share, rng)
    present = np.flatnonzero(domain.present)
    length = max(1, round(share * len(present)))
    start = int(rng.integers(0, len(present) - length + 1))
    chosen = np.zeros(len(domain), dtype=bool)
    chosen[present[start : start + length]] = True
    return chosen


def _subset(n: int, share: float, rng: np.random.Generator) -> BoolArray:
    chosen = np.zeros(n, dtype=bool)
    chosen[rng.choice(n, max(1, round(share * n)), replace=False)] = True
    return chosen


def _matching_cells(grouping: Grouping, wanted: dict[int, BoolArray]) -> BoolArray:
    matches = np.ones(len(grouping.cells), dtype=bool)
    for column, chosen in wanted.items():
        matches &= chosen[grouping.cells.codes[:, column]]
    return matches


def _true_count(grouping: Grouping, wanted: dict[int, BoolArray], values: BoolArray) -> float:
    cells = grouping.cells
    inside = _matching_cells(grouping, wanted)[cells.cell_of_entry] & values[cells.value_codes]
    counts: FloatArray = cells.value_counts[inside].astype(np.float64)
    return float(counts.sum())
