"""`gyges marginals`: publish many small tables instead of one coarse one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gyges.cli.show import AsJson, note, show, views_progress

if TYPE_CHECKING:
    from gyges.cli.project import Project


def marginals(
    project: Annotated[Path, typer.Argument(help="The project file, gyges.toml.")],
    out: Annotated[Path | None, typer.Option(help="The directory to write.")] = None,
    seconds: Annotated[float, typer.Option(help="How long to look for better views.")] = 60.0,
    overwrite: Annotated[bool, typer.Option(help="Replace older views.")] = False,
    as_json: AsJson = False,
) -> None:
    """Choose small tables that are safe together, and write them with a certificate."""
    from gyges.cli.project import read_project

    asked = read_project(project)
    directory = asked.folder / "marginals" if out is None else out
    publish_views(asked, asked.rules(), directory, seconds, overwrite, as_json)


def publish_views(
    project: Project,
    rules: list[Any],
    directory: Path,
    seconds: float,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Select views under the rules, write them, and say what was lost."""
    import gyges as gy
    from gyges.marginals.files import SCOPE, save_marginals
    from gyges.release.directory import refuse_target

    refuse_target(directory, project.publish.format, overwrite)
    if not rules:
        raise gy.GygesError("nothing is required of the views: add a [[require]] section")
    table = gy.read(
        project.source,
        project.schema_of_columns(),
        table=project.data.table,
        missing=project.data.missing,
        missing_marks=project.data.missing_marks,
    )
    with views_progress() as progress:
        chosen = gy.select_marginals(table, rules, time_limit=seconds, progress=progress)
    save_marginals(chosen, rules, directory, format=project.publish.format, overwrite=overwrite)
    divergence = chosen.kl_divergence()
    note(f"not claimed: {SCOPE}")
    lines = [
        f"published {len(chosen.views)} views of {table.n_people:,} people to {directory}",
        *(f"  {view}" for view in chosen.views),
        f"  KL divergence from the table: {divergence:.4g} (0 would be nothing lost)",
        f"check it: gyges verify {directory}",
    ]
    found = {
        "directory": directory,
        "views": [view.levels for view in chosen.views],
        "kl_divergence": divergence,
    }
    show(found, as_json, "\n".join(lines))
