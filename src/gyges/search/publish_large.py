"""Publish under a memory limit: part by part; the rows are never in memory together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gyges.arrays import CodeArray, IntArray
from gyges.criteria.base import BoundRule
from gyges.criteria.verdict import Verdict, notices_of, risks_by_text
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
    sensitive = [table.schema.sensitive] if table.schema.sensitive else []
    names = [*table.schema.quasi_identifiers, *sensitive]
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
    if n_people != table.n_people:
        raise NothingSafeError("the rows of the table changed while they were counted: try again")
    verdict = replace(_verdict(rules, summaries), notices=notices_of(rules, values))
    return LargeRelease(
        roles=roles_of(table.schema, table.coders),
        rows=rows,
        n_people=n_people,
        n_groups=n_groups,
        n_parts=n_parts,
        rows_are_people=table.rows_are_people,
    ), verdict


def _add(rows: ScatteredRows, part: Partition, groups: Groups, texts: list[str]) -> None:
    """Scatter the rows of a part: labels of the group, and the value of each of its people."""
    columns: list[tuple[Sequence[str], IntArray | CodeArray]]
    if texts:
        columns = [(labels, groups.group_of_entry) for labels in group_labels(part)]
        rows.add([*columns, (texts, groups.value_codes)], groups.value_counts)
    else:
        columns = [(labels, np.arange(len(groups))) for labels in group_labels(part)]
        rows.add(columns, groups.sizes)


def _merged(rules: list[BoundRule[Any]], before: list[Any], found: list[Any]) -> list[Any]:
    """The summaries of all parts so far."""
    if not before:
        return found
    return [rule.merge(*pair) for rule, *pair in zip(rules, before, found, strict=True)]


def _verdict(rules: list[BoundRule[Any]], summaries: list[Any]) -> Verdict:
    found_risks = [rule.risk(found) for rule, found in zip(rules, summaries, strict=True)]
    is_safe = all(rule.holds(found) for rule, found in zip(rules, summaries, strict=True))
    return Verdict(safe=is_safe, risks=risks_by_text(rules, found_risks))


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
