"""`gyges marginals`: publish many small tables instead of one coarse one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.output import AsJson, terminal


def marginals(
    project: Annotated[Path, typer.Argument(help="The project file, gyges.toml.")],
    out: Annotated[Path | None, typer.Option(help="The directory to write.")] = None,
    seconds: Annotated[float, typer.Option(help="How long to look for better views.")] = 60.0,
    final: Annotated[
        bool, typer.Option(help="They leave the building: no trial (see `gyges ledger`).")
    ] = False,
    overwrite: Annotated[bool, typer.Option(help="Replace older views.")] = False,
    as_json: AsJson = False,
) -> None:
    """Choose small tables that are safe together, and write them with a certificate."""
    from gyges.cli.published_text import show_run
    from gyges.workflow.project_file import read_project
    from gyges.workflow.project_sections import PublishSection
    from gyges.workflow.published_run import RunOptions
    from gyges.workflow.publishing import publish_project

    file = read_project(project)
    usual = PublishSection(method="marginals", out="marginals", format=file.publish.format)
    section = usual.changed({"seconds": seconds})
    options = RunOptions(final=final, overwrite=overwrite, out=out)
    show_run(publish_project(file, section, options, terminal), as_json)
