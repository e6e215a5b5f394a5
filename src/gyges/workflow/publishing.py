"""Publishing a project: find a release that satisfies its rules, write it, enter it in the ledger.

Everything that can be refused is refused before any work is done. Everything that can fail is done
before the release appears.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gyges.criteria.base import Criterion
from gyges.data.large_table import LargeTable
from gyges.data.pseudonyms import opened_key
from gyges.data.rows_of_people import RowsOfPeople
from gyges.data.table import Table
from gyges.errors import GygesError, RuleError
from gyges.release.exchange_files import EXCHANGE_FORMATS, needed_for
from gyges.release.published import Published
from gyges.release.release import Release
from gyges.search.methods import METHODS, Method, WithoutGroups
from gyges.search.publish import publish
from gyges.workflow.extra_outputs import ExtraOutputs, extra_outputs
from gyges.workflow.followed_releases import after_earlier_releases
from gyges.workflow.progress import Progress, note_first_use
from gyges.workflow.project_file import ProjectFile
from gyges.workflow.project_sections import NO_SENSITIVE, PublishSection
from gyges.workflow.publish_run import PublishedRun, PublishRun
from gyges.workflow.release_target import ReleaseTarget, release_target
from gyges.workflow.run_options import RunOptions
from gyges.workflow.source_files import without_passwords
from gyges.workflow.unpaid_noise import PAID


def publish_project(
    project: ProjectFile, section: PublishSection, options: RunOptions, progress: Progress
) -> PublishedRun:
    """Publish what a project file describes, under its own [publish] section or a changed one."""
    rules = [*project.rules(), *options.rules]
    method = METHODS[section.method]
    if not rules and method.needs_rules:
        raise GygesError(
            "no rule is given: use --k 5, --l 3 or --safety 0.8,1, or write a [[require]] section "
            "in the project file"
        )
    options = replace(options, describe=options.describe or section.describe)
    _refuse_unused(options, section)
    purpose = project.purpose_stated() if options.purpose is None else options.purpose
    if purpose is not None and not section.has_groups and not method.spends_budget:
        raise RuleError(f"a purpose does not apply to the method {section.method}: omit it")
    target = _target(project, section, options, progress)
    run = PublishRun(project, rules, section, options, target, purpose)
    if method.spends_budget:
        from gyges.workflow.noise_options import refuse_incomplete

        refuse_incomplete(run)
    with extra_outputs(options, progress) as extras:
        published = _published(run, method, extras)
    run.target.warn_if_unrecorded()
    return published


def _published(
    run: PublishRun, method: Method | WithoutGroups, extras: ExtraOutputs
) -> PublishedRun:
    """Read the table, find a release, compare it with earlier ones, and write it.

    A new key of pseudonyms is written just before the release, so that none stays behind without.
    """
    section, target, progress = run.section, run.target, run.target.progress
    searched = section.options()
    if method.spends_budget:
        from gyges.workflow.noise_options import noise_options

        searched |= noise_options(run)
    with opened_key(run.project.pseudonym_key) as key:
        table = _read(run, method, key)
        release = _searched(run, method, table, searched)
        progress.stage("checking and writing the release")
        counted = table.counted if isinstance(table, RowsOfPeople) else table
        comparison = target.compare(release, counted)
        extras.prepare(release, counted, run.purpose)
        pages = extras.pages(release, target.format)
    found = release if isinstance(release, Release) else None  # groups in memory
    facts = {**release.facts(), **({} if found is None else {"bound": found.bound})}
    if comparison is not None:
        facts["with_earlier_releases"] = comparison.stated()
    payer = searched.get("payer")
    recorded = {PAID: payer is not None} if method.spends_budget else {}
    target.write(release, comparison, pages, recorded, counted)
    extras.finish(release, counted)
    account = None if payer is None else payer.open_account()
    if method.spends_budget:
        facts["budget_left"] = None if account is None else account.left
    groups = None if found is None else found.partition
    return PublishedRun(release, target, facts, account, groups)


def _rules(run: PublishRun, table: Table | LargeTable | RowsOfPeople) -> list[Criterion[Any]]:
    """The rules; those that follow people know what left the building before."""
    entry = run.target.entry
    if entry is None or isinstance(table, RowsOfPeople):
        return run.rules
    return after_earlier_releases(run.rules, table, entry.path, entry.about)


def _searched(
    run: PublishRun,
    method: Method | WithoutGroups,
    table: Table | LargeTable | RowsOfPeople,
    options: dict[str, Any],
) -> Published:
    """The release that the search finds; it shows how far it is."""
    section, progress = run.section, run.target.progress
    progress.stage("searching")
    if method.watch is not None and progress.is_watched:
        shown = progress.search_step if method.ends_early else progress.step
        options["progress"] = method.watch(shown)
    return publish(
        table,
        _rules(run, table),
        method=section.method,
        form=section.form,
        seed=section.seed,
        allow_singling_out=section.allow_singling_out,
        purpose=run.purpose,
        **options,
    )


def _read(
    run: PublishRun, method: Method | WithoutGroups, key: bytes | None
) -> Table | LargeTable | RowsOfPeople:
    """The table of the project; refuse options that a table larger than memory cannot have."""
    progress = run.target.progress
    progress.stage(f"reading {without_passwords(run.project.data.source)}")
    dp = run.project.dp
    if method.spends_budget and dp is not None and dp.rows_per_person != 1:
        return run.project.read_rows(dp.rows_per_person)
    table = run.project.read(memory_limit=run.section.memory, pseudonym_key=key)
    if table.schema.sensitive is None and method.has_groups:
        progress.warn(NO_SENSITIVE)
    if isinstance(table, Table):
        if method.has_groups:
            note_first_use(progress, table.cells.codes.size)
        return table
    for name, wish in _of_rows(run.options).items():
        if wish is not None:
            raise GygesError(
                f"the cells of the table do not fit into {run.section.memory}, and {name} needs "
                f"them all: omit it or raise --memory"
            )
    n_rows = f"{table.coded.n_entries:,}"
    progress.note(f"{n_rows} distinct rows do not fit into memory: publishing part by part")
    return table


def _of_rows(options: RunOptions) -> dict[str, object]:
    """The options that need the group of every row."""
    return {
        "--inside": options.inside,
        "--mapping": options.mapping,
        "--to-table": options.to_table,
        "describe": True if options.describe else None,
    }


def _refuse_unused(options: RunOptions, section: PublishSection) -> None:
    """Refuse options that the method would ignore."""
    unused = {} if section.has_groups else _of_rows(options)
    if "epsilon" not in METHODS[section.method].options:
        unused |= {"--epsilon": options.epsilon, "--delta": options.delta}
        unused |= {"--error": options.error, "--people": options.people}
    for name, wish in unused.items():
        if wish is not None:
            raise RuleError(f"{name} does not apply to the method {section.method}: omit it")


_SOURCE_FORMATS = {
    "parquet": "parquet", "pq": "parquet", "xlsx": "xlsx", "xlsm": "xlsx", "xlsb": "xlsx",
    "xls": "xlsx", "ods": "xlsx", "dta": "dta", "sav": "sav", "zsav": "sav", "por": "sav",
    "xpt": "xpt", "sas7bdat": "xpt",
}  # fmt: skip


def _format_of(project: ProjectFile, section: PublishSection) -> str:
    """The format of the source, where a release can have it; else CSV."""
    ending = project.source.rpartition(".")[2].lower()
    found = "csv" if "://" in project.source else _SOURCE_FORMATS.get(ending, "csv")
    is_large = section.memory is not None and found in EXCHANGE_FORMATS
    return "csv" if is_large or needed_for(found) else found


def _target(
    project: ProjectFile, section: PublishSection, options: RunOptions, progress: Progress
) -> ReleaseTarget:
    if project.pseudonym_key is not None and not project.pseudonym_key.exists():
        progress.outputs.announce_file(project.pseudonym_key)
    return release_target(
        options,
        project.folder / section.out if options.out is None else options.out,
        section.format or _format_of(project, section),
        source=project.source,
        table=project.data.table,
        ledger=options.ledger or project.ledger_file,
        about=options.about or project.about,
        mapping={"--mapping": options.mapping, "the key": project.pseudonym_key},
        progress=progress,
    )
