"""`gy.publish`: find a partition that satisfies every rule, and publish it in a form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from gyges.criteria.base import Criterion
from gyges.criteria.describe import to_data
from gyges.criteria.verdict import Verdict, judge, listed
from gyges.data.large import LargeTable
from gyges.data.memory import MemoryLimit
from gyges.data.table import Table
from gyges.errors import NothingSafeError, RuleError
from gyges.release.forms import make_release
from gyges.release.partition import Partition
from gyges.release.release import Claim, Form, Release

if TYPE_CHECKING:
    from gyges.dp.release import NoisyRelease
    from gyges.release.large import LargeRelease

Method: TypeAlias = Literal["partition", "lattice", "buckets", "microaggregation"]
METHODS = ("partition", "lattice", "buckets", "microaggregation")
_FORM_OF: dict[str, Form] = {"buckets": "bucketized", "microaggregation": "microaggregated"}


@overload
def publish(
    table: Table,
    criteria: Criterion[Any] | Iterable[Criterion[Any]],
    method: Method = ...,
    form: Form | None = ...,
    *,
    seed: int | None = ...,
    memory_limit: None = ...,
    **options: Any,
) -> Release: ...


@overload
def publish(
    table: Table,
    criteria: Criterion[Any] | Iterable[Criterion[Any]] = ...,
    *,
    method: Literal["dp"],
    form: None = ...,
    seed: int | None = ...,
    memory_limit: None = ...,
    **options: Any,
) -> NoisyRelease: ...


@overload
def publish(
    table: LargeTable,
    criteria: Criterion[Any] | Iterable[Criterion[Any]],
    method: Method = ...,
    form: Form | None = ...,
    *,
    seed: int | None = ...,
    memory_limit: MemoryLimit | None = ...,
    **options: Any,
) -> LargeRelease: ...


@overload
def publish(
    table: Table,
    criteria: Criterion[Any] | Iterable[Criterion[Any]],
    method: Method = ...,
    form: Form | None = ...,
    *,
    seed: int | None = ...,
    memory_limit: MemoryLimit | None,
    **options: Any,
) -> Release | LargeRelease: ...


def publish(
    table: Table | LargeTable,
    criteria: Criterion[Any] | Iterable[Criterion[Any]] = (),
    method: Method | Literal["dp"] = "partition",
    form: Form | None = None,
    *,
    seed: int | None = None,
    memory_limit: MemoryLimit | None = None,
    **options: Any,
) -> Release | LargeRelease | NoisyRelease:
    """Search a safe partition of the table and publish it; or, by "dp", publish with noise.

    The result was judged afresh: every rule holds on the groups that are published. Noise answers
    to no rule about groups: it takes `epsilon` instead (see `gyges.dp.release.publish_noisy`).

    Args:
        method: "partition" (Mondrian), "lattice" (full-domain), "buckets" (Anatomy),
            "microaggregation" (MDAV), or "dp" (noisy marginals and made-up people).
        form: "generalized", "bucketized" or "microaggregated"; each method has its own default.
        seed: makes the order of the published rows (and buckets) repeatable. The release then
            says that it is seeded, because whoever knows the seed can undo the order.
        memory_limit: bytes, or text such as "2GB": where the cells do not fit, the top cuts are
            made from counts of the engine and each part is finished by itself ("partition"). The
            groups are those that would be found in memory; see `partition_larger_than_memory.py`.
        options: passed to the search; see `gyges.search`.
    """
    rules = listed(criteria)
    rng = np.random.default_rng(seed)
    if method == "dp":
        if memory_limit is not None or isinstance(table, LargeTable):
            raise RuleError("a release with noise has no memory limit: leave it out")
        return _with_noise(table, rules, form, rng, options)
    if not rules:
        raise RuleError("publish needs at least one rule, such as gy.KAnonymity(5)")
    if method not in METHODS:
        raise RuleError(f"method is {method!r}: choose one of {', '.join(METHODS)} or dp")
    if memory_limit is not None or isinstance(table, LargeTable):
        from gyges.search.publish_large import table_within

        table = table_within(table, memory_limit, method, form, options)
    if isinstance(table, LargeTable):
        return _in_parts(table, rules, rng, seed is not None, options)
    try:
        release = _at_once(table, rules, method, form, rng, options)
    except NothingSafeError as problem:
        from gyges.search.advice import with_advice

        raise with_advice(problem, rules, table.cells) from None
    return replace(release, method=method, is_seeded=seed is not None)


def _at_once(
    table: Table,
    rules: list[Criterion[Any]],
    method: Method,
    form: Form | None,
    rng: np.random.Generator,
    options: dict[str, Any],
) -> Release:
    partition, labels = _search(table, rules, method, rng, options)
    chosen: Form = form or _FORM_OF.get(method, "generalized")
    release = make_release(table, partition, chosen, rng=rng, labels=labels)
    verdict = judge(rules, release.groups)
    if not verdict.safe:
        raise NothingSafeError(f"the {method} search found no safe release\n{verdict}")
    return replace(
        release,
        claims=claims_of([_resolved(rule, table) for rule in rules], verdict),
        notices=(*release.notices, *verdict.notices),
    )


def _in_parts(
    table: LargeTable,
    rules: list[Criterion[Any]],
    rng: np.random.Generator,
    is_seeded: bool,
    options: dict[str, Any],
) -> LargeRelease:
    from gyges.search.publish_large import publish_large

    release, verdict = publish_large(table, rules, rng, options)
    if not verdict.safe:
        raise NothingSafeError(f"the search found no safe release under the limit\n{verdict}")
    return replace(
        release,
        claims=claims_of(rules, verdict),
        notices=verdict.notices,
        is_seeded=is_seeded,
    )


def _with_noise(
    table: Table,
    rules: list[Criterion[Any]],
    form: Form | None,
    rng: np.random.Generator,
    options: dict[str, Any],
) -> NoisyRelease:
    from gyges.dp.release import publish_noisy

    if rules or form is not None:
        raise RuleError(
            "a release with noise has no groups, so no rule and no form applies to it: leave them "
            "out and say epsilon"
        )
    if "epsilon" not in options:
        raise RuleError("a release with noise needs epsilon, such as epsilon=1")
    return publish_noisy(table, rng=rng, **options)


def _resolved(rule: Criterion[Any], table: Table) -> Criterion[Any]:
    """The rule with all that it took from the table written out (`resolved`, if it has it)."""
    resolve = getattr(rule, "resolved", None)
    return rule if resolve is None else resolve(table.cells)


def claims_of(rules: Iterable[Criterion[Any]], verdict: Verdict) -> tuple[Claim, ...]:
    """What a certificate states of each rule."""
    return tuple(
        Claim(
            rule=to_data(rule),
            text=str(rule),
            risk=str(verdict.risks[str(rule)]),
            needs_original=getattr(rule, "needs_original", False),
        )
        for rule in rules
    )


def _search(
    table: Table,
    rules: list[Criterion[Any]],
    method: Method,
    rng: np.random.Generator,
    options: dict[str, Any],
) -> tuple[Partition, dict[str, list[str]] | None]:
    """The partition that the method finds, and its labels where they are not the narrowest."""
    if method == "partition":
        from gyges.search import partition

        return partition.search(table.cells, rules, **options), None
    if method == "lattice":
        from gyges.search import lattice

        return lattice.search(table.cells, rules, **options).partition, None
    if method == "buckets":
        from gyges.search import buckets

        return buckets.search(table.cells, rules, rng=rng, **options), None
    from gyges.search import centroids, microaggregation

    found = microaggregation.search(table.cells, rules, **options)
    return found, centroids.centroid_labels(found)
