"""Mondrian: cut the table in two or more parts, and these again, as long as every rule holds.

It works on cells (distinct combinations with their counts), never on rows [LeFevre2006].
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from gyges.arguments import choice as one_of
from gyges.arguments import flag, numbers
from gyges.arrays import BoolArray, FloatArray, IntArray, distinct
from gyges.criteria.base import BoundRule, Criterion, bind_all, judging_each
from gyges.criteria.verdict import judged
from gyges.data.cells import Cells
from gyges.errors import NothingSafeError, RuleError
from gyges.exact import whole
from gyges.kernels.packed_items import CELL, CODES, VALUE, WEIGHT, get, number_groups, weigh
from gyges.kernels.recursive_cuts import cut_down
from gyges.kernels.threads import each_in_threads, stretches_of
from gyges.release.groups import Groups
from gyges.release.partition_of_cells import Partition, Pieces
from gyges.search.acceptance import Acceptance
from gyges.search.batch import Counter
from gyges.search.bound_purpose import BoundPurpose
from gyges.search.certified import certified
from gyges.search.descent import BLOCK, Descent, InMemory, Ranking
from gyges.search.items import Items, items_of_cells, items_of_entries
from gyges.search.levels import Least, Segments, by_gain, by_width
from gyges.search.simulatable import (
    Choice,
    SimulatableDescent,
    refuse_telling_options,
    refuse_unless_safe,
)
from gyges.search.skyline_cuts import SkylineCuts

Order: TypeAlias = Literal["range", "gain", "class"]

_NO_SHARES = np.zeros((0, 0))
_ITEMS_WORTH_THREADS = 1 << 18  # fewer items are cut in one thread


def search(
    cells: Cells,
    criteria: Criterion[Any] | Iterable[Criterion[Any]],
    *,
    order: Order = "range",
    relaxed: bool = False,
    classes: ArrayLike | None = None,
    block: int = BLOCK,
    choice: Choice = "finest",
    purpose: BoundPurpose | None = None,
) -> Partition:
    """Find a partition that satisfies every rule and cannot be cut any further.

    Numbers and dates are cut at the median of people: values up to it on the left, or below it
    where "up to" leaves too few on the right. Categories with a hierarchy are cut into the
    children of the lowest label that covers the group; children that a rule refuses stay together
    under that label. Categories without a hierarchy are cut at the median of their sorted order.
    The result is minimal: no group has a column whose cut keeps every rule.

    Args:
        order: which column is cut first; if a rule refuses the cut, the next one is tried:
            "range" (the widest, relative to its range in the table), "gain" (the cut with the most
            information about the sensitive value) or "class" (about a class).
        relaxed: separate people with equal quasi-identifiers where that makes both sides of a
            median equal, up to one person; for one value per person.
        classes: for "class", how often each class occurs in each cell: cells × classes.
        block: where rules judge all groups together, a group of at most this many people is
            finished before the next one is started (see `Descent`).
        choice: "finest" cuts as long as every rule holds. "simulatable" cuts only where no
            division of the group's values could break a rule; "blind" cuts by sizes alone, and
            refuses if a rule then does not hold. Groups are larger, but how they were chosen
            reveals nothing more than they do (see `simulatable.py`).
        purpose: what is tried first instead: the cut with the most information about the class to
            predict, or the widest column where width counts by the column's importance.
    """
    order, classes, importance = _preferred(cells, order, classes, purpose)
    counter = Counter.of(cells, has_whole_cells=not flag(relaxed, "relaxed"))
    rules = bind_all(criteria, counter.everybody())
    block = whole(block, "block", least=1)
    _refuse_options(cells, rules, order, relaxed, classes)
    is_simulatable = one_of(choice, get_args(Choice), "choice") != "finest"
    if is_simulatable:
        refuse_telling_options(cells, rules, choice, order=order, relaxed=relaxed)
    k, is_size_all = sizes_asked(rules)
    if choice == "blind" and cells.n_people >= k:
        found = by_size_alone(cells, k)
        refuse_unless_safe(found.groups, rules, k)
        return replace(found, is_simulatable=True)
    is_plain = order == "range" and importance is None and not relaxed
    if is_plain and is_size_all and cells.n_people >= k:
        return replace(by_size_alone(cells, k), is_simulatable=is_simulatable)
    refuse_unsafe_whole(counter, rules)
    cutting = descent(
        cells,
        rules,
        order=order,
        relaxed=relaxed,
        classes=classes,
        importance=importance,
        block=block,
    )
    if is_simulatable:
        cutting = SimulatableDescent(cutting.ground, cutting.acceptance, cutting.least)
    groups = certified(cutting, cutting.run())
    is_first = np.zeros(len(cutting.items), dtype=bool)
    is_first[groups.starts] = True
    found = (_with_pieces if relaxed else numbered)(cells, cutting.items, is_first)
    if found.n_groups == 1 and any(rule.is_guess for rule in judging_each(rules)):
        # no cut has certified it
        refuse_unsafe_groups(found.groups, rules)
    notices = _not_promised(cells, rules)
    return replace(found, notices=notices, is_simulatable=is_simulatable)


def descent(
    cells: Cells,
    rules: list[BoundRule[Any]],
    *,
    order: Order = "range",
    relaxed: bool = False,
    classes: ArrayLike | None = None,
    importance: FloatArray | None = None,
    block: int = BLOCK,
) -> Descent[Segments]:
    """The cuts of a search, not yet begun; the options are those of `search`."""
    k, is_size_all = sizes_asked(rules)
    least = Least(side=k, child=k if is_size_all else 1)  # other rules judge children themselves
    has_values = relaxed or order == "gain" or not is_size_all
    acceptance = Acceptance.of([] if is_size_all else rules, cells, may_guess=not relaxed)
    ground = InMemory(
        items=items_of_entries(cells) if has_values else items_of_cells(cells),
        counter=Counter.of(cells, has_whole_cells=not relaxed),
        acceptance=acceptance,
        least=least,
        ranking=_ranking(cells, order, least, classes, importance),
        is_relaxed=relaxed,
        block=block,
    )
    cuts = None
    if order == "range" and importance is None and not relaxed:
        cuts = SkylineCuts.where_possible(ground.items, ground.spare, acceptance, least)
    at_once = None if cuts is None else cuts.finish
    return Descent(ground, acceptance, least, is_relaxed=relaxed, at_once=at_once)


def _not_promised(cells: Cells, rules: list[BoundRule[Any]]) -> tuple[str, ...]:
    """A notice for each rule under which the release may not be minimal."""
    return tuple(
        "the release is safe but may not be minimal: this rule is not monotone for such data, so "
        f"a finer release may be safe too: {one.rule}"
        for one in rules
        if not one.rule.is_monotone_for(cells.values_per_person)
    )


def refuse_unsafe_whole(counter: Counter, rules: list[BoundRule[Any]]) -> None:
    """Raise an error that names the rules that even one group of all people breaks."""
    everybody = counter.everybody()
    guesses = [rule for rule in judging_each(rules) if rule.is_guess]
    certain = [rule for rule in rules if rule not in guesses]
    if not all(rule.may_hold(everybody).all() for rule in guesses):
        certain = rules
    refuse_unsafe_groups(everybody, certain)


def sizes_asked(rules: list[BoundRule[Any]]) -> tuple[int, bool]:
    """How many people each group needs at least, and whether rules require nothing else."""
    asked = [one.rule.least_people for one in rules]
    return max((k for k in asked if k is not None), default=1), None not in asked


def refuse_unsafe_groups(everybody: Groups, rules: list[BoundRule[Any]]) -> None:
    """The same for a group that was counted elsewhere."""
    if all(rule.holds_on(everybody) for rule in rules):
        return
    verdict = judged(rules, everybody)
    broken = "\n".join(f"  {failure}" for failure in verdict.failures)
    finer = "so does every finer release"
    if not all(one.rule.is_monotone_for(everybody.values_per_person) for one in rules):
        finer = (
            "under a rule that is not monotone a finer release may be safe, but this search needs "
            "one group of all people to be safe and cannot find it: try method='lattice'"
        )
    raise NothingSafeError(
        f"one group of all {int(everybody.sizes[0]):,} people already breaks the rules; {finer}\n"
        f"{broken}"
    )


def _refuse_options(
    cells: Cells,
    rules: list[BoundRule[Any]],
    order: Order,
    relaxed: bool,
    classes: ArrayLike | None,
) -> None:
    if not rules:
        raise RuleError("a search needs at least one rule, such as gy.KAnonymity(5)")
    if flag(relaxed, "relaxed") and cells.values_per_person != "one":
        raise RuleError(
            "relaxed partitions need one sensitive value per person: with several, it is unknown "
            "whose values are whose; omit `relaxed`"
        )
    if order == "gain" and not len(cells.sensitive):
        raise RuleError("order='gain' needs a sensitive column: choose order='range'")
    if (order == "class") != (classes is not None):
        raise RuleError(
            "order='class' needs `classes` (how often each class occurs in each cell), and "
            "`classes` needs order='class'"
        )
    of = "cells × classes: how often each class occurs in each cell"
    if classes is not None and len(numbers(classes, "classes", 2, of)) != len(cells):
        raise RuleError(f"`classes` needs one row for each of the {len(cells):,} cells")


def _preferred(
    cells: Cells, order: Order, classes: ArrayLike | None, purpose: BoundPurpose | None
) -> tuple[Order, ArrayLike | None, FloatArray | None]:
    """The order of cuts, the classes in each cell and the columns' importance for a purpose."""
    one_of(order, get_args(Order), "order")
    if purpose is None:
        return order, classes, None
    if order != "range" or classes is not None:
        raise RuleError("a purpose says which cuts come first: omit order and classes")
    if purpose.classes is None:
        return "range", None, purpose.importance
    if purpose.classes.is_sensitive:
        return "gain", None, purpose.importance
    return "class", purpose.classes.by_cell(len(cells)), purpose.importance


def _ranking(
    cells: Cells,
    order: Order,
    least: Least,
    classes: ArrayLike | None,
    importance: FloatArray | None,
) -> Ranking:
    if order == "range":
        return lambda items, spare, level: by_width(items, level, importance)
    shares: FloatArray = _NO_SHARES
    n_targets = len(cells.sensitive)
    if classes is not None:
        shares = np.asarray(classes, dtype=np.float64) / cells.people[:, None]
        n_targets = shares.shape[1]
    weighted = partial(by_gain, least=least, shares=shares, n_targets=n_targets)
    return partial(weighted, importance=importance)


def by_size_alone(cells: Cells, least: int) -> Partition:
    """The same search where only sizes count: several groups at once, each to its end."""
    items = items_of_cells(cells)
    layout, weight = items.layout, len(items.layout.columns) + WEIGHT
    spare = np.empty(len(items), dtype=np.int64)
    is_first = np.zeros(len(items), dtype=bool)
    is_first[:1] = True
    lowest = np.zeros(len(cells.domains), dtype=np.int64)
    bounds = np.concatenate([lowest, layout.columns[:, CODES] - 1])
    blocks = (len(items) // 2, len(items) // 16, 0) if len(items) >= _ITEMS_WORTH_THREADS else (0,)
    for block in blocks:
        starts = np.flatnonzero(is_first)
        ends = np.append(starts[1:], len(items))

        def descend(
            g: int, starts: IntArray = starts, ends: IntArray = ends, block: int = block
        ) -> None:
            group = starts[g], ends[g]
            total = weigh(items.words, layout.fields, weight, *group)
            cut_down(items.words, *layout, spare, *group, total, bounds, least, block, is_first)

        each_in_threads(descend, range(len(starts)))
    return numbered(cells, items, is_first, spare)


def numbered(
    cells: Cells, items: Items, is_first: BoolArray, room: IntArray | None = None
) -> Partition:
    """Number the groups in the order of their items, and find each cell's group."""
    group = np.empty(len(cells), dtype=np.int64) if room is None else room
    fields, field = items.layout.fields, len(items.layout.columns) + CELL

    def number(run: slice) -> None:
        before = int(np.count_nonzero(is_first[: run.start]))
        number_groups(items.words, fields, field, is_first, before, run.start, run.stop, group)

    each_in_threads(number, stretches_of(len(items)))
    return Partition(cells, group, int(np.count_nonzero(is_first)))


def _with_pieces(cells: Cells, items: Items, is_first: BoolArray) -> Partition:
    """The partition of people; of cells, if no cell was divided."""
    fields, d, n = items.layout.fields, len(items.layout.columns), len(items)
    cell, value, count = (
        get(items.words, fields, d + field, 0, n) for field in (CELL, VALUE, WEIGHT)
    )
    group = np.cumsum(is_first) - 1
    n_groups = int(is_first.sum())
    pairs = distinct(cell * n_groups + group)
    if len(pairs) == len(cells):
        return Partition(cells, pairs % n_groups, n_groups)
    n_values = max(len(cells.sensitive), 1)
    entry = np.searchsorted(
        cells.cell_of_entry * n_values + cells.value_codes, cell * n_values + value
    )
    keys, where = np.unique(entry * n_groups + group, return_inverse=True)
    counts = np.bincount(where, weights=count).astype(np.int64)
    pieces = Pieces(keys // n_groups, keys % n_groups, counts)
    first = np.searchsorted(pairs, np.arange(len(cells)) * n_groups)
    return Partition(cells, pairs[first] % n_groups, n_groups, pieces=pieces)
