"""Publishing a project as views: many small tables that are safe together."""

from __future__ import annotations

from typing import Any

from gyges.data.consistency import people_notices
from gyges.marginals.files import SCOPE, save_marginals
from gyges.marginals.selection import SelectionProgress, select_marginals
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.project_sections import PublishSection
from gyges.workflow.published_run import PublishedRun
from gyges.workflow.release_target import ReleaseTarget

USUAL_SECONDS = 60.0  # to look for better views


def publish_views(
    project: ProjectFile,
    rules: list[Any],  # of those that can be judged on views; `select_marginals` refuses others
    section: PublishSection,
    target: ReleaseTarget,
) -> PublishedRun:
    """Select views under the rules, and write them."""
    table, progress = project.read(), target.progress

    def say(now: SelectionProgress) -> None:
        text = f"{now.n_tried:,} sets tried, the best loses {now.kl_divergence:.4g}"
        progress.step(text, min(now.share, 1.0), 1.0)

    seconds = section.options().get("time_limit", USUAL_SECONDS)
    chosen = select_marginals(
        table, rules, time_limit=seconds, progress=say if progress.is_watched else None
    )
    text = f"{len(chosen.views)} views of {table.n_people:,} people"
    why = "this one consists of views, in which nobody has a group"
    save_marginals(
        chosen,
        rules,
        target.directory,
        format=target.format,
        overwrite=target.overwrite,
        before=target.entering({"text": text, "method": "marginals"}, target.compare_nothing(why)),
    )
    for notice in [f"not claimed: {SCOPE}", *people_notices(table.source, table.schema)]:
        progress.note(notice)
    stated = {
        "directory": target.directory,
        "state": target.state,
        "people": table.n_people,
        "views": [view.levels for view in chosen.views],
        "kl_divergence": chosen.kl_divergence(),
    }
    return PublishedRun("views", chosen, target, stated)
