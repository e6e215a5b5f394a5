"""`gy.publish`: find a partition that satisfies every rule, and publish it in a form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from gyges.arguments import choice, seeded
from gyges.criteria.about import rules_by_column
from gyges.criteria.base import BoundRule, Criterion, Rule, judging_all, listed
from gyges.criteria.describe import to_data
from gyges.criteria.rules import is_about_values
from gyges.criteria.verdict import Verdict, judged
from gyges.data.large_table import LargeTable
from gyges.data.memory_limit import MemoryLimit
from gyges.data.people_words import as_counted
from gyges.data.rows_of_people import RowsOfPeople
from gyges.data.schema import Schema
from gyges.data.table import Table, check_table
from gyges.data.values import about_missing
from gyges.errors import NothingSafeError, RuleError
from gyges.exact import counted, stated_risk
from gyges.release.group_forms import GROUP_FORMS, Form
from gyges.release.groups import Groups
from gyges.release.groups_from_tables import refuse_impossible_counts
from gyges.release.groups_of_cells import everybody
from gyges.release.make_release import make_release
from gyges.release.missing_labels import about_labels
from gyges.release.partition_of_cells import Partition
from gyges.release.published import Published
from gyges.release.published_groups import about_counterfeits
from gyges.release.release import Release
from gyges.release.statements import Claim
from gyges.release.tables import as_text
from gyges.search.blind_search import find_partition
from gyges.search.bound_purpose import options_for
from gyges.search.infeasible import with_advice
from gyges.search.matching_anything import refuse_matching_anything
from gyges.search.method_options import refuse_unknown_options
from gyges.search.methods import METHODS, Method, WithoutGroups
from gyges.search.published_columns import refuse_singling_out, shown_columns
from gyges.search.rules_of_table import rules_of_table
from gyges.search.sensitive_columns import about_each_column, unprotected
from gyges.utility.measure import loss_of_partition
from gyges.utility.purpose import Purpose

if TYPE_CHECKING:
    from gyges.release.large_release import LargeRelease

Rules: TypeAlias = Criterion[Any] | Iterable[Criterion[Any]]


@overload
def publish(
    table: Table,
    criteria: Rules,
    method: Literal["partition", "lattice", "buckets", "microaggregation"] = ...,
    form: Form | None = ...,
    *,
    seed: int | None = ...,
    allow_singling_out: bool = ...,
    **options: Any,
) -> Release: ...


@overload
def publish(
    table: Table | LargeTable | RowsOfPeople,
    criteria: Rules = ...,
    method: str = ...,
    form: Form | None = ...,
    *,
    seed: int | None = ...,
    allow_singling_out: bool = ...,
    memory_limit: MemoryLimit | None = ...,
    **options: Any,
) -> Published: ...


def publish(
    table: Table | LargeTable | RowsOfPeople,
    criteria: Rules = (),
    method: str = "partition",
    form: Form | None = None,
    *,
    seed: int | None = None,
    allow_singling_out: bool = False,
    memory_limit: MemoryLimit | None = None,
    purpose: Purpose | None = None,
    **options: Any,
) -> Published:
    """Search a safe partition of the table and publish it; or publish without groups.

    The published groups are judged again: every rule holds on them. Columns that are published
    unchanged divide a group further for an attacker who knows them, so every rule must also hold
    in these parts (`search/published_columns.py`). Without groups: "marginals" publishes views
    that satisfy the rules together; "dp" adds noise, takes no rule, and needs `epsilon` (see
    `gyges.dp.noisy_release.publish_noisy`).

    Args:
        method: "partition" (Mondrian), "lattice" (full-domain), "suppression" (single cells become
            `*`), "buckets" (Anatomy), "microaggregation" (averages), "marginals" (small tables), or
            "dp" (noisy marginals and synthetic people): see METHODS in `search/methods.py`.
        form: "generalized", "bucketized" or "microaggregated"; each method has its own default.
        seed: makes the order of the published rows (and buckets) reproducible. The release says
            that it was seeded, because anyone who knows the seed can undo the shuffle.
        allow_singling_out: publish columns unchanged even where they single people out or a rule
            fails for an attacker who knows them; the release's notices state how many people.
        memory_limit: bytes, or text such as "2GB": if the cells do not fit, the engine counts for
            the top cuts and each part is finished in memory ("partition" only). The groups are
            the same as without a limit; see `mondrian_larger_than_memory.py`.
        purpose: what must stay accurate. The search prefers it where the rules leave a choice;
            whether a rule holds does not depend on it.
        options: passed to the search; see `gyges.search`. With "partition": `effort` ("quick",
            "normal" or "thorough") or `time_limit` (seconds) search groups that lose less, and
            `release.bound` states what no release can go below; `labels` says what groups show.
    """
    rules = listed(criteria)
    chosen = METHODS[choice(method, METHODS, "method")]
    rng = seeded(seed)
    if form is not None:
        choice(form, GROUP_FORMS, "form")
    if isinstance(table, RowsOfPeople):
        return _counts_of_rows(table, method, rules, options, rng, form, memory_limit, purpose)
    if not isinstance(table, LargeTable):
        check_table(table)
    if purpose is not None:
        options |= options_for(purpose, table, method, chosen.options, options)
    rules = rules_by_column(rules, table.schema.joined)
    if isinstance(chosen, WithoutGroups):
        _refuse_other_than_one_value(table.schema, method)
        if not isinstance(table, LargeTable):
            refuse_matching_anything(table, method, rules, None)
        if form is not None or memory_limit is not None or isinstance(table, LargeTable):
            raise RuleError(f"the method {method} publishes no groups: omit form and memory_limit")
        return chosen.publish(table, rules, options, rng)
    if not rules:
        raise RuleError("publish needs at least one rule, such as gy.KAnonymity(5)")
    if table.schema.sensitive is None:
        refuse_rules_about_values(rules)
    elif table.schema.rows_per_person == "all" and table.schema.values_per_person != "one":
        _refuse_rules_about_occurrences(rules)
    if memory_limit is not None or isinstance(table, LargeTable):
        from gyges.search.publish_large import table_within

        table = table_within(table, memory_limit, chosen, form, options)
    rules = rules_of_table(table, rules)
    if isinstance(table, LargeTable):
        return _in_parts(table, rules, rng, seed is not None, options)
    _refuse_nothing_to_separate(table, form)
    try:
        release = _at_once(table, rules, method, chosen, form, rng, seed is not None, options)
    except NothingSafeError as problem:
        raise with_advice(problem, rules, table.cells) from None
    asked, used, is_seeded = tuple(map(to_data, rules)), dict(options), seed is not None
    release = replace(release, method=method, is_seeded=is_seeded, asked=asked, options=used)
    return with_notices(release, rules, allow_singling_out=allow_singling_out)


def _counts_of_rows(
    table: RowsOfPeople,
    method: str,
    rules: list[Rule],
    options: dict[str, Any],
    rng: np.random.Generator,
    *of_groups: object,
) -> Published:
    """Publish counts of rows with noise; refuse every other method, which is about people."""
    if any(one is not None for one in of_groups):
        raise RuleError("rows of people are counted with noise: omit form, memory and purpose")
    chosen = METHODS[method]
    if isinstance(chosen, WithoutGroups) and chosen.spends_budget:
        return chosen.publish(table, rules, options, rng)
    raise RuleError(
        f"several rows of each person are counted, which only noise protects (method='dp'); the "
        f"method {method} is about people: read them with gy.read"
    )


def _refuse_other_than_one_value(schema: Schema, method: str) -> None:
    """Refuse what a method without groups of rows does not publish."""
    if schema.joined:
        raise RuleError(
            f"the method {method} protects one sensitive column: name one, and make the "
            f"others quasi-identifiers or drop them"
        )
    if schema.pseudonyms or schema.publish_weight:
        raise RuleError(
            f"the method {method} publishes no rows of people, so there are no pseudonyms or "
            f"weights to publish: omit pseudonyms and publish_weight"
        )


def with_notices(
    release: Release, rules: list[Rule], *, allow_singling_out: bool = False
) -> Release:
    """The release with notices: how people were counted, and what published columns reveal.

    Refuse columns that single people out, unless that is allowed.
    """
    assert release.table is not None
    notices = [*release.table.people_notices]
    is_assumed = release.table.rows_are_people
    notices += about_missing(release.roles.sensitive, release.groups.values)
    notices += about_labels(release.labels)
    notices += _about_values(release, rules)
    notices += about_counterfeits(release.counterfeits)
    if release.roles.published:
        tables = {name: as_text(rows) for name, rows in release.tables.items()}
        shown = shown_columns(tables, release.roles, release.form, rules)
        if shown.columns and not allow_singling_out:
            refuse_singling_out(shown)
        notices += shown.notices() if shown.columns else ()
    if release.roles.pseudonyms:
        notices.append(
            f"Published as keyed pseudonyms: {', '.join(release.roles.pseudonyms)}. Anyone who has "
            f"the key can make them again; releases with the same key can be linked row by row."
        )
    return replace(
        release,
        claims=tuple(_as_counted(claim, is_assumed) for claim in release.claims),
        notices=tuple(as_counted(one, is_assumed) for one in (*release.notices, *notices)),
        rows_are_people=is_assumed,
        allows_singling_out=allow_singling_out and bool(release.roles.published),
    )


def _about_values(release: Release, rules: list[Rule]) -> list[str]:
    """Warnings about values that the release reveals, and columns that no rule protects."""
    roles, said = release.roles, []
    if roles.parts:
        return about_each_column(release.groups, roles.parts, rules)
    revealed = release.groups.reveals_a_value
    if roles.sensitive and revealed.any():
        people = counted(int(release.groups.sizes[revealed].sum()), "person")
        said.append(
            f"Warning: the release alone reveals a value of {roles.sensitive!r} of "
            f"{people}. {_what_prevents_certainty(release.groups)}"
        )
    elif roles.sensitive and rules and not any(map(is_about_values, rules)):
        said.append(unprotected(roles.sensitive))
    return said


def _what_prevents_certainty(groups: Groups) -> str:
    """A rule under which no value is certain: a group holds two of them, or none that all have."""
    if groups.values_per_person == "one":
        return "The rule distinct diversity with l = 2 prevents that."
    return (
        "The rule probabilistic diversity with l = 2 prevents that. Where people have several "
        "values, distinct diversity does not."
    )


def _as_counted(claim: Claim, rows_are_people: bool) -> Claim:
    return replace(claim, text=as_counted(claim.text, True)) if rows_are_people else claim


def refuse_rules_about_values(rules: Iterable[Criterion[Any]]) -> None:
    """Refuse rules about values where the schema names no sensitive column."""
    for rule in filter(is_about_values, rules):
        raise RuleError(
            f"{type(rule).__name__} is a rule about sensitive values, and the schema names no "
            f"sensitive column: name it (sensitive=...), or omit the rule"
        )


def _refuse_rules_about_occurrences(rules: Iterable[Rule]) -> None:
    """Refuse rules that do not bound what is known about a person from all of their rows."""
    for rule in rules:
        if is_about_values(rule) and not rule.bounds_each_person:
            raise RuleError(
                f"{type(rule).__name__} judges how values are spread, not how many people have "
                f"them, and with rows_per_person='all' a person may have several: use "
                f'ProbabilisticDiversity(l) (rule = "probabilistic diversity"), by which no value '
                f"has a share above 1/l in any group, Safety or Skyline"
            )


def _refuse_nothing_to_separate(table: Table, form: Form | None) -> None:
    """Buckets publish the quasi-identifiers unchanged; without values they protect no one."""
    if form is not None and GROUP_FORMS[form].is_exact and table.schema.sensitive is None:
        raise RuleError(
            "form='bucketized' publishes the quasi-identifiers unchanged, separate from the "
            "sensitive values, and the schema names no sensitive column: choose another form"
        )


def _at_once(
    table: Table,
    rules: list[Rule],
    method: str,
    chosen: Method,
    form: Form | None,
    rng: np.random.Generator,
    is_seeded: bool,
    options: dict[str, Any],
) -> Release:
    form = form or chosen.form
    refuse_matching_anything(table, method, rules, form)
    cells = table.searched_cells
    whole = everybody(cells)
    rules = [rule.following(table) for rule in rules]
    bound = [rule.bind(whole) for rule in rules]
    refuse_unknown_options(chosen.search, options, method)
    partition = find_partition(chosen, cells, rules, bound, options, rng).of_table(table)
    labels = _labels_of_centroids(partition) if GROUP_FORMS[form].is_averaged else None
    release = make_release(table, partition, form, rng=rng, labels=labels, is_seeded=is_seeded)
    release = replace(release, measure_loss=loss_of_partition)
    refuse_impossible_counts(release.groups)
    bound = [rule.rebind(release.groups) for rule in bound]
    verdict = judged(bound, release.groups)
    if not verdict.safe:
        raise NothingSafeError(f"the {method} search found no safe release\n{verdict}")
    return replace(
        release,
        claims=claims_of(bound, verdict, release.groups),
        notices=(*release.notices, *verdict.notices),
    )


def _labels_of_centroids(partition: Partition) -> dict[str, list[str]]:
    from gyges.search.centroids import centroid_labels

    return centroid_labels(partition)


def _in_parts(
    table: LargeTable,
    rules: list[Rule],
    rng: np.random.Generator,
    is_seeded: bool,
    options: dict[str, Any],
) -> LargeRelease:
    from gyges.search.mondrian_larger_than_memory import refuse_rules, whole_table
    from gyges.search.publish_large import publish_large
    from gyges.search.publish_on_workers import publish_on_workers

    refuse_rules(rules)
    whole = whole_table(table)
    bound = [rule.bind(whole) for rule in rules]
    on_workers = table.coded.has_workers and not judging_all(bound)
    release, verdict = (publish_on_workers if on_workers else publish_large)(
        table, bound, rng, options
    )
    claims = claims_of(bound, verdict, whole)
    if not verdict.safe:
        raise NothingSafeError(f"the search found no safe release under the limit\n{verdict}")
    return replace(
        release,
        claims=tuple(_as_counted(claim, release.rows_are_people) for claim in claims),
        notices=(*verdict.notices, *table.people_notices),
        is_seeded=is_seeded,
    )


def claims_of(
    rules: Iterable[BoundRule[Any]], verdict: Verdict, groups: Groups
) -> tuple[Claim, ...]:
    """What a certificate states about each rule that holds on the groups."""
    claims = []
    for rule in rules:
        claimed = rule.as_claimed(groups)
        if claimed is None:
            continue  # the rule requires nothing of this release
        risk = stated_risk(verdict.risks[str(rule.rule)])
        claims.append(Claim(rule=to_data(claimed), text=str(claimed), risk=risk))
    return tuple(claims)
