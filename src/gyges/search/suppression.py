"""Cell suppression: single values become `*` until every rule holds.

A published row shows a person's own value or `*` in each column. Its group is all rows that show
the same, so `*` is a label like any other: a row with `*` and a row with a value differ. The rules
are judged on these groups. This is stronger than counting, for a row, all rows that agree with it
where neither has `*`: that count can be k although a person's values fit one row only
(docs/methods.md).

The fewest cells are hard to find [Meyerson2004]. The search accepts groups by the columns that
they hide (suppression_peel.py): first every group that holds with nothing hidden, then among the
other people every group that holds with the cheapest column hidden, and so on. It tries several
orders of equally expensive columns and keeps the cheapest result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from gyges.arrays import FloatArray
from gyges.criteria.base import BoundRule, Criterion, bind_all
from gyges.data.cells import Cells
from gyges.errors import RuleError
from gyges.exact import percent, whole
from gyges.release.partition_of_cells import Partition
from gyges.search.batch import Counter
from gyges.search.column_weights import column_weights
from gyges.search.mondrian import refuse_unsafe_whole, sizes_asked
from gyges.search.suppression_join import join_rest
from gyges.search.suppression_masks import are_all, masks_of
from gyges.search.suppression_peel import Hiding, completed, nothing_accepted, peel

_CELLS_TRIED = 20_000  # in all tries together, unless their number is given
_MOST_TRIES = 32


def search(
    cells: Cells,
    criteria: Criterion[Any] | Iterable[Criterion[Any]],
    *,
    weights: Mapping[str, float] | None = None,
    tries: int | None = None,
) -> Partition:
    """Suppress few and unimportant cells so that every rule holds; nobody is left out.

    Args:
        weights: how important each column is: what one suppressed cell in it costs; 1 by default.
        tries: how many orders of equally expensive columns are tried; the cheapest result counts.
            By default 32 for small tables and 1 for large ones, which gain little by more.
    """
    counter = Counter.of(cells)
    rules = bind_all(criteria, counter.everybody())
    if not rules:
        raise RuleError("a search needs at least one rule, such as gy.KAnonymity(3)")
    costs = column_weights(cells.columns, weights)
    n_tries = int(np.clip(_CELLS_TRIED // max(len(cells), 1), 1, _MOST_TRIES))
    if tries is not None:
        n_tries = whole(tries, "tries", least=1, most=10_000)
    refuse_unsafe_whole(counter, rules)
    found = _cheapest(cells, rules, costs, n_tries).tightened()
    return Partition(
        cells,
        found.group_of_cell,
        len(found.hidden),
        hidden=found.hidden,
        notices=_notices(found, costs),
    )


def _cheapest(cells: Cells, rules: list[BoundRule[Any]], costs: FloatArray, n_tries: int) -> Hiding:
    """The cheapest of several tries; every run makes the same ones."""
    rng = np.random.default_rng(0)
    k, is_size_all = sizes_asked(rules)
    best: Hiding | None = None
    for number in range(n_tries):
        masks = masks_of(cells, costs, rng if number else None)
        acceptance = nothing_accepted(cells, [] if is_size_all else rules)
        peeled = peel(cells, k, acceptance, masks)
        joined = join_rest(peeled, acceptance, masks, costs)
        for found in (completed(one, rules, costs) for one in (peeled, joined)):
            if best is None or found.cost(costs) < best.cost(costs):
                best = found
    assert best is not None
    return best


def _notices(found: Hiding, costs: FloatArray) -> tuple[str, ...]:
    """How many cells are suppressed, in all and in each column."""
    counts = found.sizes @ found.hidden.astype(np.int64)
    n_cells = found.cells.n_people * len(counts)
    each = ", ".join(
        f"{name} {n:,}" for name, n in zip(found.cells.columns, counts.tolist(), strict=True) if n
    )
    share = percent(Fraction(int(counts.sum()), max(n_cells, 1)))
    said = [
        f"{int(counts.sum()):,} of {n_cells:,} cells ({share}) are suppressed: {each or 'none'}"
    ]
    if not are_all(len(costs)):
        said.append(
            f"with {len(costs)} quasi-identifiers not every set of columns was tried: fewer cells "
            f"may be enough"
        )
    return tuple(said)
