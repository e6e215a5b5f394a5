"""What the command prints about a release it has written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gyges.cli.options import LEDGER
from gyges.cli.output import show

if TYPE_CHECKING:
    from gyges.workflow.publish_run import PublishedRun


def show_run(run: PublishedRun, as_json: bool, text: Sequence[str] = ()) -> None:
    """Print what was published; `text` replaces the usual lines."""
    from gyges.data.people_words import as_counted

    lines = [*(text or _lines(run)), *_standing(run)]
    said = [as_counted(line, run.release.rows_are_people) for line in lines]
    show(run.stated if as_json else {}, as_json, "\n".join(said))


def _lines(run: PublishedRun) -> list[str]:
    directory = run.target.directory
    lines = [f"published {run.release.title} to {directory}", *run.release.lines(run.facts)]
    if run.account is not None:
        amounts = sorted(run.account.left.items(), reverse=True)
        left = ", ".join(f"{unit} {float(amount):.4g}" for unit, amount in amounts)
        lines.append(f"  left of the budget {run.account.name!r}: {left}")
    return [*lines, f"check it: gyges verify {directory}"]


def _standing(run: PublishedRun) -> list[str]:
    """Whether a recorded release has left the building, and the next step."""
    target = run.target
    if target.entry is None:
        return []
    if target.entry.options.final:
        return [f"Final release: entered in {target.entry.path}, with a copy kept beside it"]
    elsewhere = "" if target.entry.path == LEDGER else f" --ledger {target.entry.path}"
    lines = [
        f"Trial release: later releases are not compared with it yet. When it leaves the "
        f"building, run: gyges ledger confirm {target.directory}{elsewhere}"
    ]
    if run.account is not None:
        lines.append("  Its budget is spent, confirmed or not: you have seen the result")
    return lines
