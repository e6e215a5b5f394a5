"""Publishing new rows under the scheme of an earlier release, and entering that in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gyges.criteria.verdict import Verdict
from gyges.engines.read import read
from gyges.release.directory import refuse_target
from gyges.release.mapping import load_mapping, mapping_schema
from gyges.search.republish import republish
from gyges.workflow.inside_files import refuse_inside
from gyges.workflow.ledger_entry import new_entry
from gyges.workflow.progress import Progress
from gyges.workflow.published_run import PublishedRun, RunOptions
from gyges.workflow.release_target import ReleaseTarget


def publish_by_mapping(
    mapping: Path,
    newdata: str,
    options: RunOptions,
    *,
    directory: Path,
    format: str,
    sensitive: str | None,
    identifiers: Sequence[str],
    person: str | None,
    progress: Progress,
) -> tuple[Verdict, PublishedRun | None]:
    """Judge the earlier rules on the new groups; write them, and return the run, if they hold."""
    known = load_mapping(mapping)
    refuse_target(directory, format, options.overwrite)
    local = None if "://" in newdata else Path(newdata)
    inner = {"the mapping": mapping, "the ledger": options.ledger, "the data": local}
    refuse_inside(directory, files=inner)
    entry = new_entry(
        options.ledger,
        options.about or Path(newdata).stem,
        source=newdata,
        final=options.final,
        other_people=options.other_people,
        despite_exposure=options.despite_exposure,
        progress=progress,
    )
    target = ReleaseTarget(directory, format, options.overwrite, entry, progress)
    schema = mapping_schema(known, sensitive=sensitive, identifiers=identifiers, person=person)
    progress.stage(f"reading {newdata}")
    table = read(newdata, schema)
    release, verdict = republish(known, table)
    if release.n_left_out:
        progress.note(
            f"{release.n_left_out:,} people fit no group of the scheme and are suppressed"
        )
    if not verdict.safe:
        return verdict, None
    comparison = target.compare(release, table)
    entering = target.entering({"text": str(release), "method": release.method}, comparison)
    release.save(directory, format=format, overwrite=options.overwrite, before=entering)
    target.warn_if_unrecorded()
    stated = {
        "safe": True,
        "directory": directory,
        "state": target.state,
        "people": int(release.groups.sizes.sum()),
        "groups": len(release.groups),
        "left_out": release.n_left_out,
        "notices": release.notices,
        "with_earlier_releases": comparison.stated(),
    }
    return verdict, PublishedRun("groups", release, target, stated)
