"""`gyges marginals`: publish many small tables instead of a single generalized one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.options import About, Final, IntoLedger, Out, Overwrite
from gyges.cli.output import AsJson, terminal
from gyges.cli.published_text import show_run
from gyges.workflow.run_options import RunOptions


def marginals(
    project: Annotated[Path, typer.Argument(help="The project file, gyges.toml.")],
    out: Out = None,
    seconds: Annotated[float, typer.Option(help="How long to search for better views.")] = 60.0,
    ledger: IntoLedger = None,
    about: About = None,
    final: Final = False,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Choose small tables that are safe together, and write them with a certificate."""
    from gyges.workflow.project_file import read_project
    from gyges.workflow.project_sections import PublishSection
    from gyges.workflow.publishing import publish_project

    file = read_project(project)
    usual = PublishSection(method="marginals", out="marginals", format=file.publish.format)
    section = usual.changed({"seconds": seconds})
    options = RunOptions(final=final, overwrite=overwrite, out=out, ledger=ledger, about=about)
    show_run(publish_project(file, section, options, terminal), as_json)
