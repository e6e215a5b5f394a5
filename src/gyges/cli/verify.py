"""`gyges verify`: recompute every claim of a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import gyges as gy
from gyges.cli.options import MissingMarks, MissingValues, PeopleProject, PublishedPath
from gyges.cli.output import AsJson, show, terminal
from gyges.errors import GygesError

_SIGNATURE_CODES = {"unsigned": 5, "other key": 6, "altered": 7}


def verify(
    release: PublishedPath,
    original: Annotated[
        str | None, typer.Option(help="The original table, for the claims that need it.")
    ] = None,
    project: PeopleProject = None,
    missing: MissingValues = None,
    missing_mark: MissingMarks = None,
    mapping: Annotated[
        Path | None, typer.Option(help="What `publish --mapping` wrote, if labels overlap.")
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(help="The publisher's public Ed25519 key: also check who signed it."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Recompute every claim of RELEASE from its own files.

    Exit code 0: every claim was checked and holds. 1: a claim is false. 2: the release is
    malformed. 3: no claim is false, but some could not be checked, such as those that need the
    original table. With --key, before anything else is checked: 5: the release is not
    signed. 6: it is signed with another key. 7: it was altered after it was signed.
    """
    from gyges.workflow.people_table import people_table

    if project is not None and original is None:
        raise GygesError("--project describes the original table: give --original FILE as well")
    if original is not None:
        terminal.stage(f"reading {original}")
    table = people_table(original, release, project, missing=missing, missing_marks=missing_mark)
    terminal.stage("recomputing every claim")
    found = gy.verify(release, original=table, mapping=mapping, key=key)
    stated = {
        "holds": found.holds,
        "answer": found.answer,
        "refuted": [check.claim for check in found.refuted],
        "unchecked": [check.claim for check in found.unchecked],
        "checks": found.checks,
        "signature": found.signature,
        "statements": found.statements,
    }
    show(stated if as_json else found, as_json)
    code = 0 if found.holds else 1 if found.refuted else 3
    raise typer.Exit(_SIGNATURE_CODES.get(found.signature or "valid", code))
