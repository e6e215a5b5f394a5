"""The release that a project would publish now, in memory: for looking at its risk.

It is made as `gyges publish` makes it, and nothing is written.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.errors import GygesError, RuleError
from gyges.exact import counted
from gyges.release.published import Published
from gyges.release.release import Release
from gyges.search.methods import METHODS
from gyges.search.publish import publish
from gyges.workflow.earlier_releases import Comparison
from gyges.workflow.followed_releases import after_earlier_releases
from gyges.workflow.ledger import Ledger
from gyges.workflow.ledger_entry import NewEntry, new_entry
from gyges.workflow.progress import Progress
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.recorded_releases import RecordedRelease
from gyges.workflow.run_options import RunOptions

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
        after_earlier_releases(project.rules(), table, project.ledger_file, project.about),
        method=section.method,
        form=section.form,
        seed=section.seed,
        allow_singling_out=section.allow_singling_out,
        purpose=project.purpose_stated(),
        **section.options(),
    )


def left_before(project: ProjectFile) -> list[RecordedRelease]:
    """The releases about the project's people that left the building, as its ledger names them."""
    path = project.ledger_file
    return Ledger(path).confirmed(project.about) if path is not None and path.exists() else []


def joined_with_earlier(project: ProjectFile, release: Published, table: Table) -> list[str]:
    """What the release reveals with those about the same people that left the building.

    It is compared as publishing compares it. Where it is not, the sentence says why.
    """
    if project.ledger_file is None:
        return [
            "Not compared: this project keeps no ledger, so what left the building before is not "
            "known."
        ]
    try:
        entry = new_entry(
            RunOptions(), project.ledger_file, project.about, source=project.source,
            table=project.data.table, progress=Progress(),
        )  # fmt: skip
        earlier = [] if entry is None else entry.earlier()
    except GygesError as problem:
        return [f"Not compared: {line}" for line in str(problem).splitlines()[:1]]
    if entry is None or not earlier:
        return ["The ledger has no earlier release about these people that left the building."]
    left = f"{counted(len(earlier), 'earlier release')} about these people left the building"
    if not isinstance(release, Release) and release.why_not_compared is None:
        return [f"{left}. Noise limits what is learned from all of them together by its epsilon."]
    found = _compared(entry, release, table)
    sentences = [f"{left}.", *str(found).splitlines()]
    if found.n_newly_certain or found.unresolved:
        sentences.append("As it is, publishing it as final would be refused.")
    return sentences


def _compared(entry: NewEntry, release: Published, table: Table) -> Comparison:
    if groups := release.as_groups():
        return entry.compare(groups, table)
    return entry.compare_nothing(str(release.why_not_compared), has_groups=release.may_expose)


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
