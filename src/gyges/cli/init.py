"""`gyges init`: guess the role of each column, and write a commented project file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gyges.cli.output import AsJson, show, terminal

if TYPE_CHECKING:
    from gyges.workflow.proposal import Proposal


def init(
    data: Annotated[
        str,
        typer.Argument(
            help="The table: a file, such as CSV, Parquet or Excel, or the URL of a database."
        ),
    ],
    table: Annotated[
        str | None, typer.Option(help="The table of a database, or the sheet of a workbook.")
    ] = None,
    policy: Annotated[str, typer.Option(help="open, researchers or inside.")] = "researchers",
    out: Annotated[Path, typer.Option(help="The project file to write.")] = Path("gyges.toml"),
    overwrite: Annotated[bool, typer.Option(help="Replace an older project file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Guess the role of each column of DATA, and write a commented project file."""
    from gyges.workflow.proposal import propose
    from gyges.workflow.proposed_file import write_proposal

    proposal = propose(data, policy, out, overwrite=overwrite, table=table)
    write_proposal(proposal, out, terminal)
    found = {"file": out, "columns": proposal.columns, "uniqueness": proposal.uniqueness}
    show(found, as_json, _text(out, proposal))


def _text(out: Path, proposal: Proposal) -> str:
    width = max(len(guess.name) for guess in proposal.columns)
    lines = [*proposal.file_notes, ""] if proposal.file_notes else []
    lines += ["Guessed roles of the columns"]
    lines += [f"  {g.name:<{width}}  {g.role:<16}  {g.reason}" for g in proposal.columns]
    if proposal.uniqueness:
        lines += ["", "How many people each set of columns singles out"]
        lines += [f"  {one}" for one in proposal.uniqueness_in_words]
    lines += ["", *proposal.questions] if proposal.questions else []
    lines += ["", proposal.about_marks] if proposal.about_marks else []
    lines += ["", proposal.about_harmless] if proposal.about_harmless else []
    if proposal.warnings:
        lines += ["", *(f"warning: {warning}" for warning in proposal.warnings)]
    return "\n".join(
        [*lines, "", f"Wrote {out}. Check and correct it, then run: gyges publish {out}"]
    )
