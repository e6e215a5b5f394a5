"""Maxent diversity: are the sensitive values diverse, by all views together, for each combination?

The check covers the whole non-sensitive domain, not only the combinations in the data: an
attacker may ask about a person whom no one in the table resembles.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.criteria.base import Rule
from gyges.criteria.diversity_measure import MARGIN, Measure
from gyges.criteria.verdict import Verdict
from gyges.errors import RuleError
from gyges.marginals.elimination import eliminate
from gyges.marginals.induced import Resolution
from gyges.marginals.judging import measure_of
from gyges.marginals.least_diverse import (
    LeastDiverse,
    TooLargeError,
    find_least_diverse,
    scaled,
    settle,
)
from gyges.marginals.pruning import extreme_rays, largest_quotients, minimal_marks
from gyges.marginals.sensitive_tree import SensitiveTree, sensitive_tree
from gyges.marginals.store import CountStore
from gyges.marginals.view_rules import MaxentDiversity, RelaxedDiversity, broken, passed

Method: TypeAlias = Literal["auto", "bounds", "hull", "quotients"]

TOO_LARGE = (
    "these views have too many combinations to check maxent diversity: publish fewer views with "
    "the sensitive column, or coarsen them"
)


def judge_diversity(
    store: CountStore, cliques: Collection[Resolution], rule: Rule, method: Method = "auto"
) -> Verdict:
    """Judge decomposable views; a failure names the combination and has its exact risk."""
    asked, measure = MaxentDiversity(rule), measure_of(rule)
    tree = sensitive_tree(store, cliques)
    if tree is None:
        even = evenly_spread(store)
        risk = measure.risk(even)
        return broken(asked, risk, {}) if measure.fails(even) else passed(asked, risk)
    found = worst_combination(tree, measure, method)
    if not found.fails:
        return passed(asked, measure.risk(found.vector) if found.is_worst else measure.limit)
    detail = "" if found.is_certain else "too close to the threshold to tell"
    risk = measure.risk(found.vector)
    return broken(asked, risk, tree.combination(found.groups), detail=detail)


def evenly_spread(store: CountStore) -> list[Fraction]:
    """The distribution of a sensitive column that no view shows: all values equally likely."""
    if store.sensitive is None:
        raise RuleError("the table has no sensitive column: its diversity cannot be judged")
    return [Fraction(1)] * len(store.attributes[store.sensitive].values)


def worst_combination(
    tree: SensitiveTree, measure: Measure, method: Method = "auto", *, any_failure: bool = False
) -> LeastDiverse:
    """The least diverse combination.

    `bounds` joins from the root with branch and bound, for the worst combination or at least for
    any that fails; `hull` is the paper's Algorithm 1; `quotients` is its variant for as many
    sensitive values as l. `auto` takes the first that finishes.
    """
    if method == "quotients" and not _has_l_values(tree, measure):
        raise RuleError(
            "the method 'quotients' is for recursive diversity with as many sensitive values as l"
        )
    if method in ("auto", "bounds"):
        for only_any in (True,) if any_failure else (False, True):
            with suppress(TooLargeError):
                return find_least_diverse(tree, measure, any_failure=only_any)
    if method == "bounds":
        raise RuleError(TOO_LARGE)
    use_quotients = method != "hull" and _has_l_values(tree, measure)
    try:
        prune = largest_quotients if use_quotients else extreme_rays
        left = eliminate(tree, [node.ratios for node in tree.nodes], _product, prune)
    except TooLargeError:
        raise RuleError(TOO_LARGE) from None
    return _settled(tree, measure, left.vectors, left.groups)


def _has_l_values(tree: SensitiveTree, measure: Measure) -> bool:
    return measure.is_of_quotients(tree.nodes[0].counts.shape[1])


def _product(one: FloatArray, other: FloatArray) -> FloatArray:
    return scaled(one * other)


def _settled(
    tree: SensitiveTree, measure: Measure, vectors: FloatArray, groups: IntArray
) -> LeastDiverse:
    """Decide on what pruning left.

    Pruning rounds. So where a remaining combination passes, but so close to the threshold that
    rounding could matter, a dropped one may fail: join from the root to decide, and where that is
    too large refuse.
    """
    some = (vectors > 0).any(axis=1)
    values, rows = measure.values(vectors[some]), groups[some]
    near = np.abs(values - measure.threshold) <= measure.margin
    worst = int(np.argmax(values))
    found = settle(tree, measure, rows[worst], float(values[worst]), [rows[near]])
    if found.fails or not near.any() or measure.margin == 0:
        return found
    try:
        return find_least_diverse(tree, measure, any_failure=True)
    except TooLargeError:
        return replace(found, fails=True, is_certain=False)


def judge_relaxed(
    store: CountStore, cliques: Collection[Resolution], rule: RelaxedDiversity
) -> Verdict:
    """Mark in each view the values near the most frequent one; l marks must be common to all."""
    tree = sensitive_tree(store, cliques)
    if tree is None:
        n_values = len(evenly_spread(store))
        return passed(rule, n_values) if n_values >= rule.l else broken(rule, n_values, {})
    marks = [_marks(node.counts, node.above[node.block], rule) for node in tree.nodes]
    try:
        left = eliminate(tree, marks, _both, minimal_marks)
    except TooLargeError:
        raise RuleError(TOO_LARGE) from None
    common = left.vectors.sum(axis=1)
    least = int(np.argmin(common))
    if common[least] >= rule.l:
        return passed(rule, int(common[least]))
    witness = tree.combination(int(group) for group in left.groups[least])
    return broken(rule, int(common[least]), witness)


def _both(one: FloatArray, other: FloatArray) -> FloatArray:
    return np.minimum(one, other)


def _marks(counts: IntArray, above: IntArray, rule: RelaxedDiversity) -> FloatArray:
    """T*(t) >= (1 - ε) T*(t_max) for each group and value, exactly; T* is the count over T_S."""
    keep = 1 - rule.epsilon
    shares = np.divide(counts, above, out=np.zeros(counts.shape), where=above > 0)
    bound = float(keep) * shares.max(axis=1, keepdims=True)
    marks: FloatArray = (shares > bound).astype(np.float64)
    for row, value in np.argwhere(np.abs(shares - bound) <= MARGIN * bound):
        pairs = zip(counts[row].tolist(), above[row].tolist(), strict=True)
        exact = [Fraction(n, m) if m else Fraction(0) for n, m in pairs]
        marks[row, value] = exact[value] >= keep * max(exact)
    return marks
