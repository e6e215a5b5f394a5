"""`gy.publish`: find a partition that satisfies every rule, and publish it in a form."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, overload

import numpy as np

from gyges.arguments import choice, seeded
from gyges.criteria.base import Criterion, bind
from gyges.criteria.describe import as_claimed, to_data
from gyges.criteria.verdict import Verdict, judge, listed
from gyges.data.consistency import people_notices
from gyges.data.large_table import LargeTable
from gyges.data.memory_limit import MemoryLimit
from gyges.data.table import Table, check_table
from gyges.data.values import MISSING
from gyges.errors import NothingSafeError, RuleError, suggestion
from gyges.exact import stated_risk
from gyges.release.forms import make_release
from gyges.release.groups import Groups
from gyges.release.groups_from_tables import refuse_impossible_counts
from gyges.release.partition import Partition
from gyges.release.release import Claim, Form, Release
from gyges.release.tables import as_text
from gyges.search.published_columns import refuse_singling_out, shown_columns

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
    allow_singling_out: bool = ...,
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
    allow_singling_out: bool = ...,
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
    allow_singling_out: bool = ...,
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
    allow_singling_out: bool = ...,
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
    allow_singling_out: bool = False,
    memory_limit: MemoryLimit | None = None,
    **options: Any,
) -> Release | LargeRelease | NoisyRelease:
    """Search a safe partition of the table and publish it; or, by "dp", publish with noise.

    The result was judged afresh: every rule holds on the groups that are published. Columns that
    are published as they are divide a group further for an attacker who knows them: every rule must
    hold in the parts too (`search/published_columns.py`). Noise answers to no rule about groups:
    it takes `epsilon` instead (see `gyges.dp.release.publish_noisy`).

    Args:
        method: "partition" (Mondrian), "lattice" (full-domain), "buckets" (Anatomy),
            "microaggregation" (MDAV), or "dp" (noisy marginals and made-up people).
        form: "generalized", "bucketized" or "microaggregated"; each method has its own default.
        seed: makes the order of the published rows (and buckets) repeatable. The release then
            says that it is seeded, because whoever knows the seed can undo the order.
        allow_singling_out: publish columns as they are even where they single people out or a
            rule fails for an attacker who knows them; the release's notices say for how many.
        memory_limit: bytes, or text such as "2GB": where the cells do not fit, the top cuts are
            made from counts of the engine and each part is finished by itself ("partition"). The
            groups are those that would be found in memory; see `partition_larger_than_memory.py`.
        options: passed to the search; see `gyges.search`.
    """
    rules = listed(criteria)
    choice(method, (*METHODS, "dp"), "method")
    rng = seeded(seed)
    if form is not None:
        choice(form, get_args(Form), "form")
    if not isinstance(table, LargeTable):
        check_table(table)
    if method == "dp":
        if memory_limit is not None or isinstance(table, LargeTable):
            raise RuleError("a release with noise has no memory limit: leave it out")
        return _with_noise(table, rules, form, rng, options)
    if not rules:
        raise RuleError("publish needs at least one rule, such as gy.KAnonymity(5)")
    if memory_limit is not None or isinstance(table, LargeTable):
        from gyges.search.publish_large import table_within

        table = table_within(table, memory_limit, method, form, options)
    if isinstance(table, LargeTable):
        return _in_parts(table, rules, rng, seed is not None, options)
    _refuse_nothing_to_separate(table, form)
    try:
        release = _at_once(table, rules, method, form, rng, options)
    except NothingSafeError as problem:
        from gyges.search.advice import with_advice

        raise with_advice(problem, rules, table.cells) from None
    release = replace(release, method=method, is_seeded=seed is not None)
    return with_notices(release, rules, allow_singling_out=allow_singling_out)


def with_notices(
    release: Release, rules: list[Criterion[Any]], *, allow_singling_out: bool = False
) -> Release:
    """The release with what its counts of people rest on and what its published columns show.

    Refuses columns that single people out, unless that is allowed.
    """
    assert release.table is not None
    notices = [*people_notices(release.table.source, release.table.schema)]
    is_assumed = bool(notices)
    if MISSING in release.groups.values:
        notices.append(
            f"A missing value of {release.roles.sensitive!r} counts as one more value, {MISSING}."
        )
    if release.roles.published:
        tables = {name: as_text(rows) for name, rows in release.tables.items()}
        shown = shown_columns(tables, release.roles, release.form, rules)
        if not allow_singling_out:
            refuse_singling_out(shown)
        notices += shown.notices()
    return replace(
        release,
        notices=(*release.notices, *notices),
        rows_are_people=is_assumed,
        allows_singling_out=allow_singling_out and bool(release.roles.published),
    )


def _refuse_nothing_to_separate(table: Table, form: Form | None) -> None:
    """Buckets show the quasi-identifiers as they are; without values they would protect nobody."""
    if form == "bucketized" and table.schema.sensitive is None:
        raise RuleError(
            "form='bucketized' publishes the quasi-identifiers as they are, apart from the "
            "sensitive values, and the schema names no sensitive column: choose another form"
        )


def _at_once(
    table: Table,
    rules: list[Criterion[Any]],
    method: Method,
    form: Form | None,
    rng: np.random.Generator,
    options: dict[str, Any],
) -> Release:
    rules = [bind(rule, table.cells) for rule in rules]
    partition, labels = _search(table, rules, method, rng, options)
    chosen: Form = form or _FORM_OF.get(method, "generalized")
    release = make_release(table, partition, chosen, rng=rng, labels=labels)
    refuse_impossible_counts(release.groups)
    verdict = judge(rules, release.groups)
    if not verdict.safe:
        raise NothingSafeError(f"the {method} search found no safe release\n{verdict}")
    return replace(
        release,
        claims=claims_of(rules, verdict, release.groups),
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
        notices=(*verdict.notices, *people_notices(table.source, table.schema)),
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
    refuse_unknown_options(publish_noisy, options, "dp")
    return publish_noisy(table, rng=rng, **options)


def claims_of(
    rules: Iterable[Criterion[Any]], verdict: Verdict, groups: Groups | None = None
) -> tuple[Claim, ...]:
    """What a certificate states of each rule that was found to hold on the groups."""
    claims = []
    for rule in rules:
        claimed = rule if groups is None else as_claimed(rule, groups)
        if claimed is None:
            continue  # it asks nothing of this release: there is nothing to claim
        risk = stated_risk(verdict.risks[str(rule)])
        claims.append(Claim(rule=to_data(claimed), text=str(claimed), risk=risk))
    return tuple(claims)


def refuse_unknown_options(
    search: Callable[..., object], options: Mapping[str, object], method: str
) -> None:
    """Refuse an option that a method does not have, by its name."""
    parameters = inspect.signature(search).parameters.values()
    known = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "rng"]
    for name in options:
        if name not in known:
            raise RuleError(
                f"the method {method} has no option {name!r}{suggestion(name, known)}: it has "
                f"{', '.join(known)}"
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

        refuse_unknown_options(partition.search, options, method)
        return partition.search(table.cells, rules, **options), None
    if method == "lattice":
        from gyges.search import lattice

        refuse_unknown_options(lattice.search, options, method)
        return lattice.search(table.cells, rules, **options).partition, None
    if method == "buckets":
        from gyges.search import buckets

        refuse_unknown_options(buckets.search, options, method)
        return buckets.search(table.cells, rules, rng=rng, **options), None
    from gyges.search import centroids, microaggregation

    refuse_unknown_options(microaggregation.search, options, method)
    found = microaggregation.search(table.cells, rules, **options)
    return found, centroids.centroid_labels(found)
