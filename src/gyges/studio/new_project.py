"""A project for a table that has none: proposed, and written beside the table."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from gyges.studio.page_words import in_page_words
from gyges.workflow.progress import Progress
from gyges.workflow.proposal import propose
from gyges.workflow.proposed_file import write_proposal


@dataclass(frozen=True, slots=True)
class SaidAtFirst:
    """What a person should read about a project that was proposed."""

    questions: tuple[str, ...] = ()  # publishing is refused until they are decided
    warnings: tuple[str, ...] = ()  # what the roles and rules do not protect


def write_project(
    data: str, table: str | None, policy: str, out: Path, progress: Progress
) -> SaidAtFirst:
    """Propose a project for a table and write its file; return what a person should read."""
    proposal = propose(data, policy, out, table=table)
    if "://" not in data:  # the project names it relative to itself
        proposal = replace(proposal, source=Path(os.path.relpath(data, out.parent)).as_posix())
    write_proposal(proposal, out, progress)
    warnings = [*proposal.warnings, *([proposal.about_marks] if proposal.doubtful_marks else [])]
    return SaidAtFirst(
        tuple(in_page_words(_without_keys(one)) for one in proposal.questions),
        tuple(map(in_page_words, warnings)),
    )


def _without_keys(question: str) -> str:
    """A question without the keys of the file that answer it: the page answers it elsewhere.

    >>> _without_keys("id repeats. Publishing is refused until then: write person = 'id'.")
    'id repeats. Publishing is refused until you decide.'
    """
    what, refused, how = question.partition("Publishing is refused")
    return f"{what}{refused} until you decide." if " = " in how else question
