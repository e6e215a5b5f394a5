"""Rules about sizes alone: the search is not shown the sensitive values.

What it finds then cannot depend on them. Where it divides people with equal quasi-identifiers
between groups, they are dealt out at random: in any order of their values, the groups would reveal
who has which (enumerated in the tests).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gyges.criteria.base import BoundRule, Rule
from gyges.criteria.rules import reads_sizes_only
from gyges.data.cells import Cells, Domain
from gyges.release.groups_of_cells import everybody
from gyges.release.partition_of_cells import Partition, Pieces
from gyges.search.methods import Method

# Options with which a search reads values, or may do so.
READ_VALUES = frozenset({"order", "utility", "classes", "purpose"})


def find_partition(
    method: Method,
    cells: Cells,
    rules: Sequence[Rule],
    bound: list[BoundRule[Any]],
    options: dict[str, Any],
    rng: np.random.Generator,
) -> Partition:
    """Search by a method; without the sensitive values if no rule or option reads them."""
    is_blind = all(map(reads_sizes_only, rules)) and not options.keys() & READ_VALUES
    has_values = cells.values_per_person == "one" and len(cells.sensitive) > 0
    if method.deals_people or not is_blind or not has_values:
        return method.find(cells, bound, options, rng)
    hidden = without_values(cells)
    whole = everybody(hidden)
    found = method.find(hidden, [rule.bind(whole) for rule in rules], options, rng)
    pieces = None if found.pieces is None else _dealt(found.pieces, cells, rng)
    return replace(found, cells=cells, pieces=pieces)


def without_values(cells: Cells) -> Cells:
    """The same people, all with one value."""
    name, kind = cells.sensitive.name, cells.sensitive.kind
    return replace(
        cells,
        sensitive=Domain(name, kind, cells.sensitive.values[:1], np.ones(1, dtype=bool)),
        starts=np.arange(len(cells) + 1),
        value_codes=np.zeros(len(cells), dtype=np.int32),
        value_counts=cells.people.copy(),
    )


def _dealt(pieces: Pieces, cells: Cells, rng: np.random.Generator) -> Pieces:
    """The pieces of cells, as pieces of their entries: who is in which is drawn at random."""
    place = np.argsort(pieces.entry, kind="stable")  # without values, an entry is a cell
    group = np.repeat(pieces.group[place], pieces.count[place])
    entry = np.repeat(np.arange(len(cells.value_counts)), cells.value_counts)
    mixed = np.lexsort((rng.random(len(entry)), cells.cell_of_entry[entry]))
    low = int(group.min(initial=0))  # people who are left out have a negative group
    n = int(group.max(initial=0)) - low + 1
    keys, counts = np.unique(entry[mixed] * n + group - low, return_counts=True)
    return Pieces(keys // n, keys % n + low, counts.astype(np.int64))
