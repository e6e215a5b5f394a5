"""One run of `publish`: what it works on, and what it made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gyges.utility.measure import partition_utility
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.project_sections import PublishSection
from gyges.workflow.release_target import ReleaseTarget
from gyges.workflow.run_options import RunOptions

if TYPE_CHECKING:
    from gyges.criteria.base import Criterion
    from gyges.release.partition_of_cells import Partition
    from gyges.release.published import Published
    from gyges.utility.purpose import Purpose
    from gyges.workflow.budget_account import Account


@dataclass(frozen=True, slots=True)
class PublishRun:
    """A project, the rules and settings of this run, and where the release goes."""

    project: ProjectFile
    rules: list[Criterion[Any]]
    section: PublishSection
    options: RunOptions
    target: ReleaseTarget
    purpose: Purpose | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PublishedRun:
    """A release that was written, where it is, and the facts that surfaces show."""

    release: Published
    target: ReleaseTarget
    facts: dict[str, Any]
    account: Account | None = None  # the budget that paid for noise
    searched: Partition | None = None  # the groups in memory, of which utility is stated

    @property
    def stated(self) -> dict[str, Any]:
        """The facts as data, for JSON and pages."""
        told = {"directory": self.target.directory, "state": self.target.state}
        measured = {} if self.searched is None else {"utility": partition_utility(self.searched)}
        return {**told, "rows_are_people": self.release.rows_are_people, **self.facts, **measured}
