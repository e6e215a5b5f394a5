"""Rules that follow people, given what left before: the ledger remembers who was in it.

For m-invariance every confirmed release of groups about the same people and the same sensitive
column counts: an attacker keeps them all. One that cannot be followed is refused, not passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gyges.auditing.forms import load
from gyges.criteria.base import Criterion, Rule
from gyges.data.large_table import LargeTable
from gyges.data.table import Table
from gyges.errors import RuleError
from gyges.release.followed_people import names_of_people
from gyges.release.groups import Groups
from gyges.release.release import Release
from gyges.workflow.ledger import Ledger
from gyges.workflow.looked_up_people import unchanged_files
from gyges.workflow.recorded_people import people_file, read_people
from gyges.workflow.recorded_releases import RecordedRelease


def after_earlier_releases(
    rules: Sequence[Criterion[Any]], table: Table | LargeTable, ledger: Path | None, about: str
) -> list[Criterion[Any]]:
    """The rules; those that follow people, with the confirmed releases of the ledger."""
    following = [rule for rule in rules if isinstance(rule, Rule) and rule.needs == "earlier"]
    if not following or ledger is None or not ledger.exists() or not isinstance(table, Table):
        return list(rules)
    known = [_groups(entry, table, ledger) for entry in Ledger(ledger).confirmed(about)]
    earlier = [groups for groups in known if groups is not None]
    return [rule.after(earlier) if rule in following else rule for rule in rules]


def _groups(entry: RecordedRelease, table: Table, ledger: Path) -> Groups | None:
    """The groups of a release with the names of people in the table; None without such groups."""
    other = load(unchanged_files(entry, ledger))
    if not isinstance(other, Release) or other.roles.sensitive != table.schema.sensitive:
        return None  # the comparison with earlier releases says so
    recorded = read_people(people_file(entry.digest, ledger))
    rows = None if recorded is None else recorded.groups_of(table)
    if recorded is None or rows is None:
        raise RuleError(
            f"who was in {entry.place} is not known by the columns that identify people here: "
            f"m-invariance follows people from release to release, so it cannot be published"
        )
    recorded.refuse_misfit(other.people_per_group)
    members: list[list[str]] = [[] for _ in range(len(other.groups))]
    for name, group in zip(names_of_people(table), np.asarray(rows).tolist(), strict=True):
        if group >= 0:
            members[group].append(name)
    for group, size in enumerate(other.groups.sizes.tolist()):
        n_others = size - len(members[group])  # who left, and counterfeits
        members[group] += [f"\x00not here {entry.number}.{group}.{i}" for i in range(n_others)]
    return replace(other.groups, members=members)
