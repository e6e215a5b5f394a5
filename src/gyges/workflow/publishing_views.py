"""Publishing a project as views: many small tables that are safe together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gyges.data.consistency import people_notices
from gyges.marginals.selection import SelectionProgress
from gyges.marginals.views_certificate import SCOPE
from gyges.search.publish import publish
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.project_sections import PublishSection
from gyges.workflow.published_run import PublishedRun
from gyges.workflow.release_target import ReleaseTarget

if TYPE_CHECKING:
    from gyges.criteria.base import Criterion


def publish_views(
    project: ProjectFile,
    rules: list[Criterion[Any]],
    section: PublishSection,
    target: ReleaseTarget,
) -> PublishedRun:
    """Select views under the rules, and write them."""
    table, progress = project.read(), target.progress

    def say(now: SelectionProgress) -> None:
        text = f"{now.n_tried:,} sets tried, the best loses {now.kl_divergence:.4g}"
        progress.step(text, min(now.share, 1.0), 1.0)

    release = publish(
        table,
        rules,
        method="marginals",
        seed=section.seed,
        progress=say if progress.is_watched else None,
        **section.options(),
    )
    views = release.marginals.views
    text = f"{len(views)} views of {table.n_people:,} people"
    why = "this one consists of views, in which nobody has a group"
    release.save(
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
        "views": [view.levels for view in views],
        "kl_divergence": release.kl_divergence,
    }
    return PublishedRun("views", release, target, stated)
