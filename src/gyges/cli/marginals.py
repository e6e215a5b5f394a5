"""`gyges marginals`: publish many small tables instead of one coarse one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gyges.cli.show import AsJson, note, show


def marginals(
    project: Annotated[Path, typer.Argument(help="The project file, gyges.toml.")],
    out: Annotated[Path | None, typer.Option(help="The directory to write.")] = None,
    seconds: Annotated[float, typer.Option(help="How long to look for better views.")] = 60.0,
    overwrite: Annotated[bool, typer.Option(help="Replace older views.")] = False,
    as_json: AsJson = False,
) -> None:
    """Choose small tables that are safe together, and write them with a certificate."""
    import gyges as gy
    from gyges.cli.project import read_project
    from gyges.marginals.files import SCOPE, save_marginals
    from gyges.release.directory import refuse_target

    asked = read_project(project)
    directory = asked.folder / "marginals" if out is None else out
    refuse_target(directory, asked.publish.format, overwrite)
    rules: list[Any] = asked.rules()
    if not rules:
        raise gy.GygesError(f"{project} requires nothing: add a [[require]] section")
    table = gy.read(
        asked.source,
        asked.schema_of_columns(),
        table=asked.data.table,
        missing=asked.data.missing,
        missing_marks=asked.data.missing_marks,
    )
    chosen = gy.select_marginals(table, rules, time_limit=seconds)
    save_marginals(chosen, rules, directory, format=asked.publish.format, overwrite=overwrite)
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
