"""`gyges show`: what a release shows of one group, or of all of them."""

from __future__ import annotations

from typing import Annotated

import typer

from gyges.cli.options import PublishedPath
from gyges.cli.output import AsJson, show


def show_group(
    release: PublishedPath,
    group: Annotated[
        int | None, typer.Option(help="The number of a group; without it, the largest ones.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the labels, the people and the values of the groups of RELEASE.

    The numbers of groups are those that audit, ask and report use: person 2.3 is in group 2.
    """
    from gyges.workflow.shown_groups import shown_groups

    found = shown_groups(release, group)
    show({"groups": found.groups, "n_groups": found.n_groups}, as_json, str(found))
