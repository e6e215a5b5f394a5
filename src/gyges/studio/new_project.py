"""A project for a table that has none: proposed, and written beside the table."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from gyges.workflow.progress import Progress
from gyges.workflow.proposal import propose
from gyges.workflow.proposed_file import write_proposal


def write_project(
    data: str, table: str | None, policy: str, out: Path, progress: Progress
) -> list[str]:
    """Propose a project for a table and write its file; return what a person must decide."""
    proposal = propose(data, policy, out, table=table)
    if "://" not in data:  # the project names it relative to itself
        proposal = replace(proposal, source=Path(os.path.relpath(data, out.parent)).as_posix())
    write_proposal(proposal, out, progress)
    return [*map(_without_keys, proposal.questions), *proposal.warnings]


def _without_keys(question: str) -> str:
    """A question without the keys of the file that answer it: the page answers it elsewhere.

    >>> _without_keys("id repeats. Publishing is refused until then: write person = 'id'.")
    'id repeats. Publishing is refused until you decide.'
    """
    what, refused, how = question.partition("Publishing is refused")
    return f"{what}{refused} until you decide." if " = " in how else question
