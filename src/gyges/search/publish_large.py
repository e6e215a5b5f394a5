"""Publish under a memory limit: part by part; the rows are never in memory together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.criteria.base import BoundRule
from gyges.criteria.verdict import Verdict, notices_of
from gyges.data.cells import Domain
from gyges.data.large_table import LargeTable, within
from gyges.data.memory_limit import MemoryLimit
from gyges.data.table import Table
from gyges.data.tree_order import is_tree
from gyges.data.values import text_of
from gyges.errors import NothingSafeError, RuleError
from gyges.release.group_forms import GROUP_FORMS, Form
from gyges.release.groups import Groups
from gyges.release.labels import group_labels
from gyges.release.large_release import LargeRelease
from gyges.release.make_release import roles_of
from gyges.release.partition_of_cells import Partition
from gyges.release.rows_of_workers import RowsOfWorkers
from gyges.release.shuffle_on_disk import ScatteredRows
from gyges.search.methods import Method
from gyges.search.mondrian_larger_than_memory import search

_SUPPORTED = {"order": "range", "relaxed": False, "classes": None}


def table_within(
    table: Table | LargeTable,
    limit: MemoryLimit | None,
    method: Method,
    form: Form | None,
    options: Mapping[str, Any],
) -> Table | LargeTable:
    """The table under a limit: in memory if it fits; refuse what needs all cells at once."""
    if isinstance(table, Table) and limit is None:
        return table
    large = within(table, limit) if isinstance(table, Table) and limit is not None else table
    if isinstance(large, Table):
        return large
    has_labels = form is None or GROUP_FORMS[form].has_true_labels
    if not method.works_in_parts or not has_labels:
        raise RuleError(
            "the cells of the table do not fit into the memory limit, and only method='partition' "
            "with form='generalized' works without them: raise the limit"
        )
    other = [name for name, value in options.items() if _SUPPORTED.get(name, ...) != value]
    if other and other != ["block"]:
        raise RuleError(
            f"the cells of the table do not fit into the memory limit, and {other[0]!r} needs them "
            f"all: omit it or raise the limit"
        )
    for domain in large.domains:
        _refuse_repeated_labels(domain)
    return large


def publish_large(
    table: LargeTable,
    rules: list[BoundRule[Any]],
    rng: np.random.Generator,
    options: Mapping[str, Any],
) -> tuple[LargeRelease, Verdict]:
    """Publish each part as it is found, and judge the rules on the summaries of all parts."""
    names = published_names(table)
    rows = ScatteredRows.begin(names, table.n_people, table.budget.part, rng)
    texts = [text_of(value) for value in table.sensitive.values]
    values = list(table.sensitive.values)
    summaries: list[Any] = []
    n_groups = n_parts = n_people = 0
    for part in search(table, rules, **{k: v for k, v in options.items() if k == "block"}):
        groups = replace(part.groups, values=values)
        found = [rule.summarize(groups) for rule in rules]
        summaries = _merged(rules, summaries, found)
        _add(rows, part, groups, texts)
        n_groups, n_parts = n_groups + len(groups), n_parts + 1
        n_people += int(groups.sizes.sum())
    return large_release(table, rows, Folded(n_groups, n_people, n_parts, summaries), rules)


@dataclass(frozen=True, slots=True)
class Folded:
    """What is known of some parts together: counts, and the summary of each rule."""

    n_groups: int
    n_people: int
    n_parts: int
    summaries: list[Any]

    def merged(self, other: Folded, rules: list[BoundRule[Any]]) -> Folded:
        """The same of these parts and others."""
        return Folded(
            self.n_groups + other.n_groups,
            self.n_people + other.n_people,
            self.n_parts + other.n_parts,
            _merged(rules, self.summaries, other.summaries),
        )


def published_names(table: LargeTable) -> list[str]:
    """The published columns: the quasi-identifiers, and the sensitive column if there is one."""
    sensitive = [table.schema.sensitive] if table.schema.sensitive else []
    return [*table.schema.quasi_identifiers, *sensitive]


def large_release(
    table: LargeTable,
    rows: ScatteredRows | RowsOfWorkers,
    found: Folded,
    rules: list[BoundRule[Any]],
) -> tuple[LargeRelease, Verdict]:
    """The release of some rows, and the verdict on the summaries of all its parts."""
    if found.n_people != table.n_people:
        raise NothingSafeError("the rows of the table changed while they were counted: try again")
    notices = notices_of(rules, list(table.sensitive.values))
    return LargeRelease(
        roles=roles_of(table.schema, table.coders),
        rows=rows,
        n_people=found.n_people,
        n_groups=found.n_groups,
        n_parts=found.n_parts,
        rows_are_people=table.rows_are_people,
    ), replace(_verdict(rules, found.summaries), notices=notices)


def _add(rows: ScatteredRows, part: Partition, groups: Groups, texts: list[str]) -> None:
    """Scatter the rows of a part: labels of the group, and the value of each of its people."""
    rows.add(*rows_of_part(part, groups, texts))


def rows_of_part(
    part: Partition, groups: Groups, texts: list[str]
) -> tuple[list[tuple[Sequence[str], IntArray | CodeArray]], IntArray]:
    """The different rows of a part: each column as texts and places among them; and how often each
    is published.
    """
    of_row = groups.group_of_entry if texts else np.arange(len(groups))
    columns: list[tuple[Sequence[str], IntArray | CodeArray]] = [
        (labels.texts, labels.place[of_row]) for labels in group_labels(part)
    ]
    if not texts:
        return columns, groups.sizes
    return [*columns, (texts, groups.value_codes)], groups.value_counts


def _merged(rules: list[BoundRule[Any]], before: list[Any], found: list[Any]) -> list[Any]:
    """The summaries of all parts so far."""
    if not before:
        return found
    return [rule.merge(*pair) for rule, *pair in zip(rules, before, found, strict=True)]


def _verdict(rules: list[BoundRule[Any]], summaries: list[Any]) -> Verdict:
    risks = {str(rule.rule): rule.risk(found) for rule, found in zip(rules, summaries, strict=True)}
    is_safe = all(rule.holds(found) for rule, found in zip(rules, summaries, strict=True))
    return Verdict(safe=is_safe, risks=risks)


def _refuse_repeated_labels(domain: Domain) -> None:
    """Refuse a tree with two nodes of the same label: their groups would look alike."""
    if not is_tree(domain) or domain.ladder is None:
        return
    leaves: dict[str, tuple[int, ...]] = {}
    for level, labels in enumerate(domain.ladder.labels):
        for node, label in enumerate(labels):
            below = tuple(np.flatnonzero(domain.ladder.ancestors[level] == node).tolist())
            if leaves.setdefault(label, below) != below:
                raise RuleError(
                    f"the hierarchy of {domain.name!r} has two nodes {label!r}, so groups may look "
                    f"alike under a memory limit: give each node its own label"
                )
