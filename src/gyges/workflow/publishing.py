"""Publishing a project: find a release that satisfies its rules, write it, enter it in the ledger.

Everything that can be refused is refused before any work is done. Everything that can fail is done
before the release appears.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gyges.data.table import Table
from gyges.errors import GygesError, RuleError
from gyges.search.publish import publish
from gyges.utility.measure import partition_utility
from gyges.workflow.extra_outputs import ExtraOutputs, extra_outputs
from gyges.workflow.progress import Progress, note_first_use
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.project_sections import NO_SENSITIVE, PublishSection
from gyges.workflow.publish_run import PublishedRun, PublishRun
from gyges.workflow.publishing_without_groups import publish_noise, publish_views
from gyges.workflow.release_target import ReleaseTarget, release_target
from gyges.workflow.run_options import RunOptions

if TYPE_CHECKING:
    from gyges.data.large_table import LargeTable


def publish_project(
    project: ProjectFile, section: PublishSection, options: RunOptions, progress: Progress
) -> PublishedRun:
    """Publish what a project file describes, under its own [publish] section or a changed one."""
    rules = [*project.rules(), *options.rules]
    if not rules and section.method != "dp":
        raise GygesError(
            "no rule is given: use --k 5, --l 3 or --safety 0.8,1, or write a [[require]] section "
            "in the project file"
        )
    _refuse_unused(options, section)
    purpose = project.purpose_stated() if options.purpose is None else options.purpose
    if purpose is not None and not section.has_groups:
        raise RuleError(f"a purpose does not apply to the method {section.method}: omit it")
    target = _target(project, section, options, progress)
    run = PublishRun(project, rules, section, options, target, purpose)
    published = _published(run)
    run.target.warn_if_unrecorded()
    return published


def _published(run: PublishRun) -> PublishedRun:
    if not run.section.has_groups:
        return publish_noise(run) if run.section.method == "dp" else publish_views(run)
    with extra_outputs(run.options, run.target.progress) as extras:
        return _publish_groups(run, extras)


def _of_rows(options: RunOptions) -> dict[str, object]:
    """The options that need the group of every row."""
    return {
        "--inside": options.inside,
        "--mapping": options.mapping,
        "--to-table": options.to_table,
    }


def _refuse_unused(options: RunOptions, section: PublishSection) -> None:
    """Refuse options that the method would ignore."""
    unused = {} if section.has_groups else _of_rows(options)
    if section.method != "dp":
        unused |= {"--epsilon": options.epsilon, "--delta": options.delta}
    for name, wish in unused.items():
        if wish is not None:
            raise RuleError(f"{name} does not apply to the method {section.method}: omit it")


def _target(
    project: ProjectFile, section: PublishSection, options: RunOptions, progress: Progress
) -> ReleaseTarget:
    return release_target(
        options,
        project.folder / section.out if options.out is None else options.out,
        section.format,
        source=project.source,
        table=project.data.table,
        ledger=options.ledger or project.ledger_file,
        about=options.about or project.about,
        mapping={"--mapping": options.mapping},
        progress=progress,
    )


def _publish_groups(run: PublishRun, extras: ExtraOutputs) -> PublishedRun:
    """Read the table, find groups and write them."""
    section, target, progress = run.section, run.target, run.target.progress
    note_first_use(progress)
    progress.stage(f"reading {run.project.data.source}")
    table = run.project.read(memory_limit=section.memory)
    if table.schema.sensitive is None:
        progress.warn(NO_SENSITIVE)
    if not isinstance(table, Table):
        return _publish_parts(run, table)
    progress.stage("searching")
    release = publish(
        table,
        run.rules,
        method=section.method,
        form=section.form,
        seed=section.seed,
        allow_singling_out=section.allow_singling_out,
        purpose=run.purpose,
        **_search_options(section, progress),
    )
    comparison = target.compare(release, table)
    extras.prepare(release, table, run.purpose)
    facts = {
        "people": release.n_people,
        "groups": release.n_groups,
        "left_out": release.n_left_out,
        "claims": release.claims,
        "utility": {} if release.partition is None else partition_utility(release.partition),
        "bound": release.bound,
        "notices": release.notices,
        "with_earlier_releases": comparison.stated(),
    }
    statement = {"text": str(release), "method": release.method}
    target.write(release, statement, comparison, extras.pages(release))
    extras.finish(release, table)
    return PublishedRun("groups", release, target, facts)


def _search_options(section: PublishSection, progress: Progress) -> dict[str, Any]:
    """The options of the search, which reports its progress if somebody is watching."""
    options = section.options()
    if section.method == "partition" and progress.is_watched:

        def say_loss(loss: float, bound: float, done: float) -> None:
            progress.step(f"loss {loss:.4f}, {bound:.4f} at best", min(done, 1.0), 1.0)

        options["progress"] = say_loss
    if section.method == "lattice" and progress.is_watched:

        def say(checked: int, pruned: int, left: int) -> None:
            text = f"{checked:,} nodes checked, {pruned:,} pruned, {left:,} left"
            progress.step(text, checked + pruned, checked + pruned + left)

        options["progress"] = say
    return options


def _publish_parts(run: PublishRun, table: LargeTable) -> PublishedRun:
    """Publish a table whose cells do not fit into memory, part by part."""
    section, target, progress = run.section, run.target, run.target.progress
    for name, wish in _of_rows(run.options).items():
        if wish is not None:
            raise GygesError(
                f"the cells of the table do not fit into {section.memory}, and {name} needs them "
                f"all: omit it or raise --memory"
            )
    n_rows = f"{table.coded.n_entries:,}"
    progress.note(f"{n_rows} distinct rows do not fit into memory: publishing part by part")
    progress.stage("searching part by part")
    release = publish(
        table,
        run.rules,
        method=section.method,
        form=section.form,
        seed=section.seed,
        purpose=run.purpose,
        **section.options(),
    )
    why = "only a release whose groups fit into memory can be compared"
    comparison = target.compare_nothing(why, has_groups=True)
    target.write(release, {"text": str(release), "method": release.method}, comparison)
    progress.note("no report is written: it would need all groups in memory")
    facts = {
        "people": release.n_people,
        "groups": release.n_groups,
        "parts": release.n_parts,
        "claims": release.claims,
        "notices": release.notices,
    }
    return PublishedRun("parts", release, target, facts)
