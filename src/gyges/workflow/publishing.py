"""Publishing a project: find a release that satisfies its rules, write it, enter it in the ledger.

Everything that can be refused is refused before any work is done, and everything that can fail
is done before the release appears.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gyges.data.table import Table
from gyges.errors import GygesError, RuleError
from gyges.release.directory import refuse_target
from gyges.search.publish import publish
from gyges.utility.measure import partition_utility
from gyges.workflow.extra_outputs import ExtraOutputs
from gyges.workflow.inside_files import inside_files, refuse_inside
from gyges.workflow.ledger_entry import Comparison, new_entry
from gyges.workflow.progress import Progress, note_first_use
from gyges.workflow.project_sections import NO_SENSITIVE
from gyges.workflow.published_run import PublishedRun, RunOptions
from gyges.workflow.release_target import ReleaseTarget

if TYPE_CHECKING:
    from gyges.criteria.base import Criterion
    from gyges.data.large_table import LargeTable
    from gyges.release.release import Release
    from gyges.workflow.project_file import ProjectFile
    from gyges.workflow.project_sections import PublishSection


def publish_project(
    project: ProjectFile, section: PublishSection, options: RunOptions, progress: Progress
) -> PublishedRun:
    """Publish what a project file describes, by a [publish] section of its own or a changed one."""
    rules = [*project.rules(), *options.rules]
    _refuse_no_rules(rules, section.method)
    _refuse_unused(options, section)
    target = _target(project, section, options, progress)
    run = _published(project, rules, section, options, target)
    target.warn_if_unrecorded()
    return run


def _published(
    project: ProjectFile,
    rules: list[Criterion[Any]],
    section: PublishSection,
    options: RunOptions,
    target: ReleaseTarget,
) -> PublishedRun:
    progress = target.progress
    if section.method == "marginals":
        from gyges.workflow.publishing_views import publish_views  # loads networkx

        return publish_views(project, rules, section, target)
    if section.method == "dp":
        from gyges.workflow.publishing_noise import publish_noise  # loads the dp room

        return publish_noise(project, rules, section, options, target)
    with inside_files(options.inside, options.mapping, progress) as inside:
        extras = ExtraOutputs(options.report, inside, options.to_table, progress)
        return _publish_groups(project, rules, section, target, extras)


def _refuse_no_rules(rules: list[Criterion[Any]], method: str) -> None:
    if not rules and method != "dp":
        raise GygesError(
            "nothing is required of the release: give --k 5, --l 3 or --safety 0.8,1, or a "
            "[[require]] section in the project file"
        )


def _refuse_unused(options: RunOptions, section: PublishSection) -> None:
    """Refuse what the method would not do, rather than leave it out without a word."""
    noisy: dict[str, object] = {"--epsilon": options.epsilon, "--delta": options.delta}
    of_rows: dict[str, object] = {
        "--inside": options.inside,
        "--mapping": options.mapping,
        "--to-table": options.to_table,
    }
    unused = ({} if section.method == "dp" else noisy) | ({} if section.has_groups else of_rows)
    for name, wish in unused.items():
        if wish is not None:
            raise RuleError(f"{name} means nothing to the method {section.method}: leave it out")


def _target(
    project: ProjectFile, section: PublishSection, options: RunOptions, progress: Progress
) -> ReleaseTarget:
    """Where the release goes, refused where it must not, and its entry in the ledger."""
    directory = project.folder / section.out if options.out is None else options.out
    refuse_target(directory, section.format, options.overwrite)
    ledger = options.ledger or project.ledger_file
    data = None if "://" in project.source else Path(project.source)
    files = {"the ledger": ledger, "the data": data}
    refuse_inside(directory, inside=options.inside, files=files)
    refuse_inside(directory, files={"--mapping": options.mapping})
    entry = new_entry(
        ledger,
        options.about or project.about,
        source=project.source,
        table=project.data.table,
        final=options.final,
        other_people=options.other_people,
        despite_exposure=options.despite_exposure,
        progress=progress,
    )
    return ReleaseTarget(directory, section.format, options.overwrite, entry, progress)


def _publish_groups(
    project: ProjectFile,
    rules: list[Criterion[Any]],
    section: PublishSection,
    target: ReleaseTarget,
    extras: ExtraOutputs,
) -> PublishedRun:
    """Read the table, find groups and write them."""
    progress = target.progress
    note_first_use(progress)
    progress.stage(f"reading {project.data.source}")
    table = project.read(memory_limit=section.memory)
    if table.schema.sensitive is None:
        progress.warn(NO_SENSITIVE)
    if not isinstance(table, Table):
        return _publish_parts(table, rules, section, target, extras)
    progress.stage("searching")
    release = publish(
        table,
        rules,
        method=section.method,
        form=section.form,
        seed=section.seed,
        allow_singling_out=section.allow_singling_out,
        **_search_options(section, progress),
    )
    comparison = target.compare(release, table)
    extras.prepare(release, table)
    stated = _stated(release, target, comparison)
    release.save(
        target.directory,
        format=target.format,
        overwrite=target.overwrite,
        pages=extras.pages(release),
        before=target.entering({"text": str(release), "method": release.method}, comparison),
    )
    extras.finish(release, table)
    return PublishedRun("groups", release, target, stated)


def _search_options(section: PublishSection, progress: Progress) -> dict[str, Any]:
    """What the search is asked; the lattice says how far it is, where somebody is watching."""
    options = section.options()
    if section.method == "lattice" and progress.is_watched:

        def say(checked: int, pruned: int, left: int) -> None:
            text = f"{checked:,} nodes checked, {pruned:,} pruned, {left:,} left"
            progress.step(text, checked + pruned, checked + pruned + left)

        options["progress"] = say
    return options


def _publish_parts(
    table: LargeTable,
    rules: list[Criterion[Any]],
    section: PublishSection,
    target: ReleaseTarget,
    extras: ExtraOutputs,
) -> PublishedRun:
    """Publish a table whose cells do not fit into memory, part by part."""
    needing = {
        "--inside": extras.inside.inside,
        "--to-table": extras.to_table,
        "--mapping": extras.inside.mapping,
    }
    _refuse_what_needs_all_cells(needing, section)
    progress = target.progress
    n_rows = f"{table.coded.n_entries:,}"
    progress.note(f"{n_rows} distinct rows do not fit: they are published part by part")
    progress.stage("searching part by part")
    release = publish(
        table,
        rules,
        method=section.method,
        form=section.form,
        seed=section.seed,
        **section.options(),
    )
    why = "only a release whose groups fit into memory can be compared"
    release.save(
        target.directory,
        format=target.format,
        overwrite=target.overwrite,
        before=target.entering(
            {"text": str(release), "method": release.method},
            target.compare_nothing(why, has_groups=True),
        ),
    )
    progress.note("there is no report: it would need all groups in memory")
    stated = {
        "directory": target.directory,
        "state": target.state,
        "people": release.n_people,
        "groups": release.n_groups,
        "parts": release.n_parts,
        "claims": release.claims,
        "notices": release.notices,
    }
    return PublishedRun("parts", release, target, stated)


def _refuse_what_needs_all_cells(needing: Mapping[str, object], section: PublishSection) -> None:
    refused = [name for name, wish in needing.items() if wish is not None]
    if refused:
        raise GygesError(
            f"the cells of the table do not fit into {section.memory}, and {refused[0]} needs "
            f"them all: leave it out or raise --memory"
        )


def _stated(release: Release, target: ReleaseTarget, comparison: Comparison) -> dict[str, Any]:
    utility = {} if release.partition is None else partition_utility(release.partition)
    return {
        "directory": target.directory,
        "state": target.state,
        "people": int(release.groups.sizes.sum()),
        "groups": len(release.groups),
        "left_out": release.n_left_out,
        "claims": release.claims,
        "utility": utility,
        "notices": release.notices,
        "with_earlier_releases": comparison.stated(),
    }
