"""Anatomy: buckets of people with different sensitive values; quasi-identifiers stay exact.

With n people and a most frequent value of at most n/l people there are G = ⌊n/l⌋ buckets of l or
more people with different values each [Xiao2006]. The authors take one person from each of the l
largest remaining classes, again and again, and assign the residue at the end. Dealing like cards
does the same in one step: sort people by value and put the i-th into bucket i mod G. A value of at
most G people is in no bucket twice, and every bucket gets ⌊n/G⌋ >= l people, so there is no
residue.

Which person of a value goes where is random. Putting similar people into one bucket would be more
useful, but an attacker who knows the method could then infer values from neighbouring buckets.
After a random deal all assignments of a bucket's values to its people are equally likely.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gyges.arrays import IntArray
from gyges.criteria.base import BoundRule, Criterion, Rule, bind_all
from gyges.criteria.verdict import judged
from gyges.data.cells import Cells
from gyges.errors import NothingSafeError, RuleError
from gyges.exact import counted, whole
from gyges.release.groups_of_cells import everybody
from gyges.release.partition_of_cells import Partition, Pieces
from gyges.search.invariant_buckets import deal_again


def search(
    cells: Cells,
    criteria: Criterion[Any] | Iterable[Criterion[Any]],
    *,
    l: int | None = None,
    rng: np.random.Generator,
) -> Partition:
    """Deal all people into buckets with at least l different values, each once.

    Where k-anonymity needs more than l people, buckets are merged: no value is more frequent in
    two buckets together than in the worse of them.

    Args:
        l: how many different values a bucket has at least. By default the least that the rules
            need, and then more until all of them hold.
        rng: draws which person of a value goes into which bucket.
    """
    rules = bind_all(criteria, everybody(cells))
    _refuse(cells, rules)
    followed = [one.rule for one in rules if one.rule.followed is not None]
    if followed:
        return _dealt_again(cells, rules, followed[0], l, rng)
    k = max(one.rule.least_people or 1 for one in rules)
    most = _most_diverse(cells)
    least = whole(l, "l", least=1) if l is not None else _asked(rules, min(k, most))
    if least > most:
        raise NothingSafeError(_not_eligible(cells, least, most))
    for tried in range(least, least + 1 if l is not None else most + 1):
        found = _dealt(cells, tried, k, rng)
        verdict = judged(rules, found.groups)
        if verdict.safe:
            return found
    raise NothingSafeError(
        f"buckets of {tried} different values break a rule, and the table allows at most {most}\n"
        f"{verdict}"
    )


def _dealt_again(
    cells: Cells,
    rules: list[BoundRule[Any]],
    following: Rule,
    l: int | None,
    rng: np.random.Generator,
) -> Partition:
    """Buckets for people who were published before."""
    if l is not None:
        raise RuleError("the option l does not apply where people keep earlier groups' values")
    assert following.followed is not None
    found = deal_again(cells, following.followed, rng)
    n_counterfeits = sum(n for _, n in found.counterfeits)
    if n_counterfeits and len(rules) > 1:
        raise NothingSafeError(
            f"keeping everyone's set of values needs {counted(n_counterfeits, 'counterfeit')}, "
            f"which the other rules would count as people: ask for {following} alone"
        )
    return found


def _refuse(cells: Cells, rules: list[BoundRule[Any]]) -> None:
    if not rules:
        raise RuleError("a search needs at least one rule, such as gy.ProbabilisticDiversity(3)")
    if not len(cells.sensitive):
        raise RuleError("buckets need a sensitive column: they separate its values from people")
    if cells.values_per_person != "one":
        raise RuleError(
            "buckets need one sensitive value per person: choose method='partition' and "
            "form='bucketized' for several"
        )


def _most_diverse(cells: Cells) -> int:
    """The largest l for which the table is eligible: no value has more than n/l people."""
    return cells.n_people // int(cells.value_totals.max())


def _asked(rules: list[BoundRule[Any]], otherwise: int) -> int:
    """The least l for which buckets satisfy the rules about values alone."""
    asked = [asks for one in rules if (asks := one.rule.enough_values()) is not None]
    return max(asked, default=otherwise)


def _not_eligible(cells: Cells, l: int, most: int) -> str:
    n_max = int(cells.value_totals.max())
    nearest = (
        f"the table allows at most l = {most}"
        if most > 1
        else "more than half of the people have the same value, so only l = 1 is possible"
    )
    return (
        f"buckets of l = {l} different values need every value to be held by at most 1/{l} of the "
        f"people, but the most frequent has {n_max:,} of {cells.n_people:,}: {nearest}"
    )


def _dealt(cells: Cells, l: int, k: int, rng: np.random.Generator) -> Partition:
    """Deal people into ⌊n/l⌋ buckets, and merge as many neighbours as k people need.

    1. One place for each person, sorted by value, in random order within a value.
    2. The i-th goes to bucket i mod G.
    3. ⌈k/l⌉ buckets become one; the remaining ones join the last.
    """
    entry = np.repeat(np.arange(len(cells.value_counts)), cells.value_counts)
    by_chance = rng.permutation(len(entry))
    entry = entry[by_chance]
    entry = entry[np.argsort(cells.value_codes[entry], kind="stable")]
    n_buckets = len(entry) // l
    bucket = np.arange(len(entry)) % n_buckets
    n_joined = -(-k // l)
    n_groups = max(n_buckets // n_joined, 1)
    group = np.minimum(bucket // n_joined, n_groups - 1)
    return _partition(cells, entry, group, n_groups)


def _partition(cells: Cells, entry: IntArray, group: IntArray, n_groups: int) -> Partition:
    """A partition of people, each with an entry of the cells and a group."""
    keys, counts = np.unique(entry * n_groups + group, return_counts=True)
    pieces = Pieces(keys // n_groups, keys % n_groups, counts.astype(np.int64))
    first = np.searchsorted(cells.cell_of_entry[pieces.entry], np.arange(len(cells)))
    return Partition(cells, pieces.group[first], n_groups, pieces=pieces)
