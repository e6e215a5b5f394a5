"""The worlds in which a search publishes the same release, found by running it again in each.

The definition itself, for any method and rule; feasible for tables of a few people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np

from gyges.adversaries.chosen_release import ChoicePosterior
from gyges.adversaries.divided_values import Matrix, divisions, least_divisions, n_worlds
from gyges.adversaries.settled_parts import dense_counts
from gyges.criteria.base import Rule
from gyges.data.cells import Cells
from gyges.errors import NothingSafeError
from gyges.release.group_forms import GROUP_FORMS, Form
from gyges.release.groups_of_cells import PlacedCells, everybody, groups_of_cells
from gyges.release.labels import group_labels
from gyges.search.centroids import centroid_labels
from gyges.search.methods import Method

MOST_RUNS = 2_000
TOO_MANY_RUNS = f"the search would have to run more than {MOST_RUNS:,} times"


def rerun_posteriors(
    groups: PlacedCells,
    labels: Sequence[Sequence[str]],
    rules: Sequence[Rule],
    method: Method,
    options: Mapping[str, Any],
    form: Form = "generalized",
) -> list[ChoicePosterior] | None:
    """The probabilities of every group; None where there are too many worlds.

    `labels` are those of each group, column by column. Worlds that differ only by the order of
    people with equal quasi-identifiers are one run.
    """
    people = [groups.cells.people[groups.cells_by_group[g]].tolist() for g in range(len(groups))]
    held = dense_counts(groups, np.arange(len(groups))).tolist()
    if prod(map(least_divisions, people, held)) > MOST_RUNS:
        return None
    ways = [divisions(n, row, MOST_RUNS) for n, row in zip(people, held, strict=True)]
    counted = [way for way in ways if way is not None]
    if len(counted) < len(ways) or prod(map(len, counted)) > MOST_RUNS:
        return None
    shown = _shown(groups, labels)
    worlds = [
        (world, prod(map(n_worlds, people, world)))
        for world in product(*counted)
        if _publishes(_cells_of(groups, world), rules, method, options, form) == shown
    ]
    return [_posterior(groups, g, worlds) for g in range(len(groups))] if worlds else None


def _cells_of(groups: PlacedCells, world: Sequence[Matrix]) -> Cells:
    """The cells of a world: the same people, with the values that they have in it."""
    counts = np.zeros((len(groups.cells), len(groups.values)), dtype=np.int64)
    for g, rows in enumerate(world):
        counts[groups.cells_by_group[g]] = rows
    cell, value = np.nonzero(counts)
    return replace(
        groups.cells,
        starts=np.searchsorted(cell, np.arange(len(counts) + 1)).astype(np.int64),
        value_codes=value.astype(np.int32),
        value_counts=counts[cell, value],
    )


def _publishes(
    cells: Cells, rules: Sequence[Rule], method: Method, options: Mapping[str, Any], form: Form
) -> object:
    """What the search publishes in a world; None where it finds nothing safe."""
    whole = everybody(cells)
    try:
        found = method.find(
            cells, [rule.bind(whole) for rule in rules], options, np.random.default_rng(0)
        )
    except NothingSafeError:
        return None
    if found.pieces is not None:
        return None
    is_averaged = GROUP_FORMS[form].is_averaged
    labels = [*centroid_labels(found).values()] if is_averaged else group_labels(found)
    return _shown(groups_of_cells(cells, found.group_of_cell, found.n_groups), labels)


def _shown(groups: PlacedCells, labels: Sequence[Sequence[str]]) -> object:
    """What the attacker sees: each group's people, labels and values, in no order."""
    members = [tuple(groups.cells_by_group[g].tolist()) for g in range(len(groups))]
    held = [tuple(groups.value_counts_in(g).items()) for g in range(len(groups))]
    return sorted(zip(members, held, *labels, strict=True))


def _posterior(
    groups: PlacedCells, g: int, worlds: Sequence[tuple[Sequence[Matrix], int]]
) -> ChoicePosterior:
    cells, held, size = groups.cells_by_group[g], groups.value_counts_in(g), int(groups.sizes[g])
    total = sum(n for _, n in worlds)
    after = [
        tuple(
            Fraction(sum(n * world[g][place][v] for world, n in worlds), people * total)
            for v in held
        )
        for place, people in enumerate(groups.cells.people[cells].tolist())
    ]
    before = tuple(Fraction(n, size) for n in held.values())
    return ChoicePosterior(g, tuple(cells.tolist()), tuple(held), before, tuple(after))
