"""`gyges marginals`: publish many small tables instead of one coarse one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gyges.cli.inside_files import refuse_inside
from gyges.cli.recording import Target, open_record
from gyges.cli.show import AsJson, note, show, views_progress

if TYPE_CHECKING:
    from gyges.cli.project import Project


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
    from gyges.cli.project import read_project
    from gyges.release.directory import refuse_target

    asked = read_project(project)
    directory = asked.folder / "marginals" if out is None else out
    refuse_target(directory, asked.publish.format, overwrite)
    refuse_inside(directory, files={"the ledger": asked.ledger_file})
    record = open_record(
        asked.ledger_file,
        asked.about,
        source=asked.source,
        table=asked.data.table,
        final=final,
    )
    target = Target(directory, asked.publish.format, overwrite, record, as_json)
    publish_views(asked, asked.rules(), seconds, target)
    target.warn_if_unrecorded()


def publish_views(project: Project, rules: list[Any], seconds: float, target: Target) -> None:
    """Select views under the rules, write them, and say what was lost."""
    import gyges as gy
    from gyges.data.consistency import people_notices
    from gyges.marginals.published_views import publish_marginals
    from gyges.marginals.views_certificate import SCOPE

    if not rules:
        raise gy.GygesError("nothing is required of the views: add a [[require]] section")
    table = project.read()
    with views_progress() as progress:
        chosen = gy.select_marginals(table, rules, time_limit=seconds, progress=progress)
    directory = target.directory
    told = f"{len(chosen.views)} views of {table.n_people:,} people"
    publish_marginals(chosen, rules).save(
        directory,
        format=target.format,
        overwrite=target.overwrite,
        before=target.entering(
            {"text": told, "method": "marginals"},
            target.compare_nothing("this one consists of views, in which nobody has a group"),
        ),
    )
    divergence = chosen.kl_divergence()
    for notice in [f"not claimed: {SCOPE}", *people_notices(table.source, table.schema)]:
        note(notice)
    lines = [
        f"published {told} to {directory}",
        *(f"  {view}" for view in chosen.views),
        f"  KL divergence from the table: {divergence:.4g} (0 would be nothing lost)",
        f"check it: gyges verify {directory}",
        *target.standing_line(),
    ]
    found = {
        "directory": directory,
        "state": target.state,
        "views": [view.levels for view in chosen.views],
        "kl_divergence": divergence,
    }
    show(found, target.as_json, "\n".join(lines))
