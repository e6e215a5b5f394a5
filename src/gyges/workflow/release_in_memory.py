"""The release that a project would publish now, in memory: for looking at its risk.

It is made as `gyges publish` makes it, and nothing is written.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.errors import RuleError
from gyges.release.published import Published
from gyges.release.release import Release
from gyges.search.methods import METHODS
from gyges.search.publish import publish
from gyges.workflow.earlier_releases import Comparison, join_earlier
from gyges.workflow.ledger import Ledger
from gyges.workflow.project_file import ProjectFile

MOST_GROUPS = 10


def release_in_memory(project: ProjectFile, table: Table) -> Published:
    """What would be published; noise is refused, because looking at it would spend its budget."""
    section = project.publish
    if METHODS[section.method].spends_budget:
        raise RuleError(
            "noise is drawn once, when it is published: looking at a trial would already spend "
            "from the budget"
        )
    return publish(
        table,
        project.rules(),
        method=section.method,
        form=section.form,
        seed=section.seed,
        allow_singling_out=section.allow_singling_out,
        purpose=project.purpose_stated(),
        **section.options(),
    )


def joined_with_earlier(
    project: ProjectFile, release: Published, table: Table
) -> Comparison | None:
    """The release joined with those about the same people that left the building; None if none."""
    path = project.ledger_file
    if path is None or not path.exists() or not isinstance(release, Release):
        return None
    earlier = Ledger(path).confirmed(project.about)
    if not earlier or release.roles.sensitive is None:
        return None
    return join_earlier(release, table, earlier, path)


@dataclass(frozen=True, slots=True)
class RiskyGroup:
    """A group, and the value that an attacker is most certain of."""

    number: int  # counted from 1
    labels: dict[str, str]
    people: int
    value: str
    n_with_value: int


def riskiest_groups(release: Release, most: int = MOST_GROUPS) -> list[RiskyGroup]:
    """The groups with the largest share of one value; of equal ones the smallest first."""
    groups = release.groups
    if not groups.values or not len(groups):
        return []
    share = groups.most_frequent / np.maximum(groups.sizes, 1)
    found = []
    for place in np.lexsort([groups.sizes, -share])[:most]:
        counts = groups.value_counts_in(int(place))
        code = max(counts, key=lambda one: counts[one])
        labels = {name: column[place] for name, column in release.labels.items()}
        people = int(groups.sizes[place])
        value = text_of(groups.values[code])
        found.append(RiskyGroup(int(place) + 1, labels, people, value, counts[code]))
    return found
