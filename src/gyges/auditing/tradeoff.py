"""Risk against utility: the same table published with smaller and larger groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from gyges.adversaries.implications import max_disclosure
from gyges.criteria.k_anonymity import KAnonymity
from gyges.data.table import Table
from gyges.search import mondrian
from gyges.utility.measure import partition_utility

SIZES = (2, 3, 5, 10, 20, 50, 100)
MOST_CELLS = 50_000  # a table with more distinct combinations is not published repeatedly


@dataclass(frozen=True, slots=True)
class Tradeoff:
    """A release with groups of at least k people: what it loses, and what it reveals."""

    k: int
    gcp: float  # the share of detail that is lost
    disclosure: Fraction | None  # certainty of the worst attacker with one fact


def tradeoffs(table: Table, sizes: Sequence[int] = SIZES) -> list[Tradeoff]:
    """Partition a table with each minimum group size that it has enough people for."""
    if not table.schema.quasi_identifiers or len(table.cells) > MOST_CELLS:
        return []
    has_values = len(table.cells.sensitive) > 0
    found = []
    for k in (size for size in sizes if size <= table.n_people):
        made = mondrian.search(table.cells, [KAnonymity(k)])
        certainty = max_disclosure(made.groups, k=1).probability if has_values else None
        found.append(Tradeoff(k, partition_utility(made)["gcp"], certainty))
    return found
