"""The task of the page "Publish": the release, its entry in the ledger, and what stays inside."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gyges.data.people_words import as_counted
from gyges.release.certificate import sha256
from gyges.release.directory import CERTIFICATE, certified_files
from gyges.studio.task_memory import Memory, Stated, project_at
from gyges.workflow.inside_files import WRITTEN
from gyges.workflow.progress import Progress
from gyges.workflow.publishing import publish_project
from gyges.workflow.run_options import RunOptions


def publish(
    memory: Memory,
    progress: Progress,
    *,
    stated: Stated,
    path: str,
    final: bool,
    inside: str | None,
    overwrite: bool,
    despite_exposure: bool,
    command: str,
) -> Stated:
    """Publish the project as `gyges publish` does, with the same refusals, files and entry."""
    project = project_at(stated, path)
    options = RunOptions(
        final=final,
        overwrite=overwrite,
        despite_exposure=despite_exposure,
        inside=None if inside is None else Path(inside),
    )
    run = publish_project(project, project.publish, options, progress)
    release = run.release
    lines = [as_counted(line.strip(), release.rows_are_people) for line in release.lines(run.facts)]
    directory = run.target.directory
    return {
        "title": release.title,
        "command": command,
        "lines": lines,
        "directory": str(directory),
        "state": run.target.state,
        "digests": digests_of(directory, [*certified_files(directory), CERTIFICATE]),
        "inside": inside,
        "inside_digests": {} if inside is None else digests_of(Path(inside), WRITTEN),
        "ledger": None if run.target.entry is None else str(run.target.entry.path),
    }


def digests_of(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """The SHA-256 of those of these files that are there, in the order of their names."""
    return {name: sha256(folder / name) for name in sorted(names) if (folder / name).is_file()}
