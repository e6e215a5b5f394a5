"""`gyges noise`: how large the error of a release with noise will be, before anything is spent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyges.cli.options import NoiseError, NumberOfPeople, Picture, names_in
from gyges.cli.output import AsJson, show, terminal
from gyges.workflow.picture_pages import refuse_picture, write_picture
from gyges.workflow.run_options import RunOptions


def noise(
    project: Annotated[Path, typer.Argument(help="The project file, gyges.toml.")],
    error: NoiseError = None,
    people: NumberOfPeople = None,
    epsilon: Annotated[
        list[str] | None, typer.Option(help="Those that are listed, such as 0.5,1,2.")
    ] = None,
    delta: Annotated[str | None, typer.Option(help="Instead of the project's.")] = None,
    picture: Picture = None,
    as_json: AsJson = False,
) -> None:
    """Show how far noise moves the counts for each epsilon, and find the epsilon of an error.

    Only the project file is read, not its data, and nothing is spent.
    """
    from gyges.report.noise_page import PAGE_BEGINS
    from gyges.workflow.noise_preview import preview_noise
    from gyges.workflow.project_file import read_project

    refuse_picture(picture, PAGE_BEGINS)
    options = RunOptions(error=error, people=people, delta=delta)
    found = preview_noise(read_project(project), options, names_in(epsilon))
    if picture is not None:
        write_picture(picture, found.page(), terminal, stays_inside=False)
    show(found.stated(), as_json, "\n".join(found.lines()))
