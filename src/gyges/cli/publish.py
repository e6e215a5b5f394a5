"""`gyges publish`: find a safe release and write it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gyges.cli.init import NO_SENSITIVE
from gyges.cli.inside_files import InsideFiles, inside_files, refuse_inside
from gyges.cli.options import names_in
from gyges.cli.outputs import announce
from gyges.cli.recording import Comparison, Target, open_record
from gyges.cli.show import AsJson, nodes_progress, note, note_first_use, show, stage
from gyges.exact import worst_case

if TYPE_CHECKING:
    from gyges.cli.project import Project, PublishSection
    from gyges.criteria.base import Criterion
    from gyges.data.table import Table
    from gyges.release.release import Release


def publish(
    source: Annotated[str, typer.Argument(help="A gyges.toml, or the data itself (CSV, Parquet).")],
    sensitive: Annotated[str | None, typer.Option(help="The sensitive column.")] = None,
    quasi: Annotated[str | None, typer.Option(help="Quasi-identifiers, with commas.")] = None,
    identifiers: Annotated[
        str | None, typer.Option("--id", help="Identifiers, with commas: never published.")
    ] = None,
    person: Annotated[
        str | None, typer.Option(help="The column that says who is who: never published.")
    ] = None,
    k: Annotated[int | None, typer.Option(help="k-anonymity: people in a group, at least.")] = None,
    l: Annotated[int | None, typer.Option(help="Different values in a group, at least.")] = None,
    t: Annotated[str | None, typer.Option(help="t-closeness: the largest distance.")] = None,
    safety: Annotated[
        str | None, typer.Option(help="CONFIDENCE,K: safe from any K facts, such as 0.8,3.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(help="partition, lattice, buckets, microaggregation, marginals or dp."),
    ] = None,
    form: Annotated[
        str | None, typer.Option(help="generalized, bucketized or microaggregated.")
    ] = None,
    suppression: Annotated[
        str | None, typer.Option(help="Share of people that may be suppressed (lattice).")
    ] = None,
    utility: Annotated[
        str | None,
        typer.Option(help="What to keep (lattice): loss, precision, height, discernibility, gcp."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="How long to search (lattice, marginals).")
    ] = None,
    missing: Annotated[str | None, typer.Option(help="error, drop or value.")] = None,
    table_name: Annotated[
        str | None, typer.Option("--table", help="The table, with a database URL.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The directory to write.")] = None,
    format: Annotated[str | None, typer.Option(help="csv or parquet.")] = None,
    mapping: Annotated[
        Path | None, typer.Option(help="Also write which values became which labels, for `apply`.")
    ] = None,
    report: Annotated[bool, typer.Option(help="Put report.html and .json into it.")] = True,
    inside: Annotated[
        Path | None, typer.Option(help="A directory for what must stay inside: who is where.")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="With method dp: the privacy loss, such as 1 or 0.5.")
    ] = None,
    delta: Annotated[str | None, typer.Option(help="With method dp: such as 1e-6.")] = None,
    ledger: Annotated[
        Path | None, typer.Option(help="The ledger to enter the release in (a .sqlite file).")
    ] = None,
    about: Annotated[
        str | None, typer.Option(help="Whom the data is about, as the ledger calls them.")
    ] = None,
    to_table: Annotated[
        str | None, typer.Option(help="Also create this table in the database of the source.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="The most memory to use, such as 2GB (partition).")
    ] = None,
    final: Annotated[
        bool, typer.Option(help="It leaves the building: no trial (see `gyges ledger`).")
    ] = False,
    despite_exposure: Annotated[
        bool,
        typer.Option(
            help="With --final: even if earlier releases and this one (may) expose people."
        ),
    ] = False,
    other_people: Annotated[
        bool, typer.Option(help="The data is about other people than the ledger says.")
    ] = False,
    overwrite: Annotated[bool, typer.Option(help="Replace an older release.")] = False,
    seed: Annotated[int | None, typer.Option(help="Repeatable order of rows (it says so).")] = None,
    as_json: AsJson = False,
) -> None:
    """Find the most useful release that satisfies every rule, and write it to a directory."""
    from gyges.release.directory import refuse_target

    project = _project(source, table_name, sensitive, quasi, identifiers, person, missing)
    settings = _settings(
        project.publish,
        method=method,
        form=form,
        suppression=suppression,
        utility=utility,
        seconds=seconds,
        out=None if out is None else str(out),
        format=format,
        seed=seed,
        memory=memory,
    )
    rules = [*project.rules(), *_rules(k, l, t, safety)]
    _refuse_no_rules(rules, settings.method)
    directory = project.folder / settings.out if out is None else out
    refuse_target(directory, settings.format, overwrite)
    kept = ledger or project.ledger_file
    files = {"the ledger": kept, "the data": _local(project.source)}
    refuse_inside(directory, inside=inside, files=files)
    refuse_inside(directory, files={"--mapping": mapping})
    record = open_record(
        kept,
        about or project.about,
        source=project.source,
        table=project.data.table,
        final=final,
        other_people=other_people,
        despite_exposure=despite_exposure,
    )
    target = Target(directory, settings.format, overwrite, record, as_json)
    if settings.method == "marginals":
        from gyges.cli.marginals import publish_views

        publish_views(project, rules, settings.options().get("time_limit", 60.0), target)
    elif settings.method == "dp":
        from gyges.cli.noise import publish_noise

        publish_noise(project, rules, epsilon, delta, settings, target)
    else:
        with inside_files(inside, mapping) as beside:
            extras = _Extras(report, beside, to_table)
            _publish_groups(project, rules, settings, target, extras)
    target.warn_if_unrecorded()


def _local(source: str) -> Path | None:
    """The file that is read, where it is one."""
    return None if "://" in source else Path(source)


def _settings(section: PublishSection, **given: object) -> PublishSection:
    """The [publish] section with what the command line says instead."""
    from pydantic import ValidationError

    from gyges.errors import RuleError

    stated = section.model_dump(exclude_unset=True)
    stated |= {key: one for key, one in given.items() if one is not None}
    try:
        settings = type(section).model_validate(stated)
    except ValidationError as problem:
        first = problem.errors()[0]
        name = str(first["loc"][0])
        said = str(first["msg"]).removeprefix("Input should be ")
        raise RuleError(f"{name} is {str(first['input'])[:60]!r}: give {said}") from None
    settings.options()  # refuses what the method has no use for, before any work
    return settings


def _refuse_no_rules(rules: list[Criterion[Any]], method: str) -> None:
    from gyges.errors import GygesError

    if not rules and method != "dp":
        raise GygesError(
            "nothing is required of the release: give --k 5, --l 3 or --safety 0.8,1, or a "
            "[[require]] section in the project file"
        )


@dataclass(frozen=True, slots=True)
class _Extras:
    """What is written besides the release's own tables."""

    report: bool
    inside: InsideFiles
    to_table: str | None

    def pages(self, release: Release) -> dict[str, str] | None:
        """The report, where it is wanted."""
        if not self.report:
            return None
        from gyges.report.page import report_pages

        stage("writing the report")
        return report_pages(release)

    def prepare(self, release: Release, table: Table) -> None:
        """Do all that can fail before the release appears."""
        from gyges.engines.write_back import names_to_create

        if self.to_table is not None:
            names_to_create(table.source, release.tables, self.to_table)
        self.inside.write(release)

    def finish(self, release: Release, table: Table) -> None:
        """Put in place what stays inside, and create what goes to the database."""
        from gyges.engines.write_back import write_back

        self.inside.put_in_place()
        if self.to_table is not None:
            created: list[str] = []
            announce(f"the table {self.to_table} in the database", lambda: bool(created))
            created += write_back(table.source, release.tables, self.to_table)
            note(f"created in the database: {', '.join(created)}")


def _publish_groups(
    project: Project,
    rules: list[Criterion[Any]],
    settings: PublishSection,
    target: Target,
    extras: _Extras,
) -> None:
    """Read the table, find groups, write them, and say what became of it."""
    from gyges.data.table import Table

    note_first_use()
    stage(f"reading {project.data.source}")
    table = project.read(memory_limit=settings.memory)
    if not isinstance(table, Table):
        from gyges.cli.large import publish_parts

        needs_all = {
            "--inside": extras.inside.inside,
            "--to-table": extras.to_table,
            "--mapping": extras.inside.mapping,
        }
        publish_parts(table, rules, settings, target, needs_all)
        return
    stage("searching")
    release = _publish(table, rules, settings)
    comparison = target.compare(release, table)
    extras.prepare(release, table)
    summary, text = _summary(release, target, comparison), _text(release, target)
    release.save(
        target.directory,
        format=target.format,
        overwrite=target.overwrite,
        pages=extras.pages(release),
        before=target.entering({"text": str(release), "method": release.method}, comparison),
    )
    extras.finish(release, table)
    show(summary, target.as_json, text)


def _project(
    source: str,
    table_name: str | None,
    sensitive: str | None,
    quasi: str | None,
    identifiers: str | None,
    person: str | None,
    missing: str | None,
) -> Project:
    """The project in a file, or the one that the options about columns come down to."""
    from gyges.cli import project as sections
    from gyges.errors import GygesError

    if Path(source).suffix == ".toml":
        return sections.read_project(Path(source))
    if quasi is None:
        raise GygesError(
            "say which columns an attacker may know: --quasi age,zip,sex (or write a gyges.toml)"
        )
    named = [*names_in(quasi), *names_in(identifiers), *filter(None, [sensitive, person])]
    kinds, hierarchies = _guessed(source, table_name, names_in(quasi), named)
    columns = sections.ColumnsSection(
        identifiers=names_in(identifiers),
        person=person,
        quasi_identifiers=names_in(quasi),
        sensitive=sensitive,
        kinds=kinds,
    )
    data = sections.DataSection.model_construct(
        source=source, table=table_name, values=None, missing=missing or "error", missing_marks=[]
    )
    return sections.Project.model_construct(
        data=data,
        columns=columns,
        hierarchies=hierarchies,
        publish=sections.PublishSection(),
        require=[],
        ledger=sections.LedgerSection(keep=False),
        dp=None,
        folder=Path(),
    )


def _guessed(
    source: str, table_name: str | None, quasi: list[str], named: list[str]
) -> tuple[dict[str, str], dict[str, Any]]:
    """Kinds and hierarchies as `gyges init` would propose them."""
    from gyges.auditing.people_source import refuse_unnamed_person
    from gyges.auditing.roles import guess_column
    from gyges.cli.project import HierarchySection
    from gyges.cli.spared_imports import spare_pandas
    from gyges.engines.read import open_source

    spare_pandas(source)
    rows, _ = open_source(source, table_name)
    refuse_unnamed_person(rows, named)
    guesses = [guess_column(rows, name) for name in quasi if name in rows.columns]
    kinds = {guess.name: str(guess.kind) for guess in guesses if guess.kind == "code"}
    hierarchies = {
        guess.name: HierarchySection.of(guess.hierarchy)
        for guess in guesses
        if guess.hierarchy is not None
    }
    return kinds, hierarchies


def _rules(k: int | None, l: int | None, t: str | None, safety: str | None) -> list[Criterion[Any]]:
    import gyges as gy

    rules: list[Criterion[Any]] = []
    if k is not None:
        rules.append(gy.KAnonymity(k))
    if l is not None:
        rules.append(gy.DistinctDiversity(l))
    if t is not None:
        rules.append(gy.TCloseness(t))
    if safety is not None:
        confidence, _, facts = safety.partition(",")
        if not facts.strip().isdigit():
            raise gy.GygesError(f"--safety is {safety!r}: give CONFIDENCE,K such as 0.8,3")
        rules.append(gy.Safety(confidence=confidence, k=int(facts)))
    return rules


def _publish(table: Table, rules: list[Criterion[Any]], settings: Any) -> Release:
    import gyges as gy

    options = settings.options()
    with nodes_progress(settings.method == "lattice") as progress:
        if progress is not None:
            options["progress"] = progress
        release: Release = gy.publish(
            table,
            rules,
            method=settings.method,
            form=settings.form,
            seed=settings.seed,
            allow_singling_out=settings.allow_singling_out,
            **options,
        )
    return release


def _summary(release: Release, target: Target, comparison: Comparison) -> dict[str, object]:
    return {
        "directory": target.directory,
        "state": target.state,
        "people": int(release.groups.sizes.sum()),
        "groups": len(release.groups),
        "left_out": release.n_left_out,
        "claims": release.claims,
        "utility": _utility(release),
        "notices": release.notices,
        "with_earlier_releases": comparison.stated(),
    }


def _utility(release: Release) -> dict[str, float]:
    from gyges.utility.measure import partition_utility

    return {} if release.partition is None else partition_utility(release.partition)


def _what_survives(release: Release) -> str:
    from gyges.exact import percent

    shown = ", ".join(release.roles.quasi_identifiers)
    average = f"groups have {release.groups.sizes.mean():.1f} people on average"
    if release.form == "bucketized" or not shown:
        return average
    return f"{average}; {percent(_utility(release)['gcp'])} of the detail in {shown} is lost"


def _text(release: Release, target: Target) -> str:
    sizes = release.groups.sizes
    groups = "1 group" if len(sizes) == 1 else f"{len(sizes):,} groups"
    lines = [
        f"published {int(sizes.sum()):,} people in {groups} to {target.directory}",
        *(f"  holds: {claim.text} ({worst_case(claim.risk)})" for claim in release.claims),
        f"  {_what_survives(release)}",
        *([f"  {release.shows}"] if release.shows else []),
        *([] if release.roles.sensitive else [f"  {NO_SENSITIVE}"]),
        *release.notices,
        f"check it: gyges verify {target.directory}",
        *target.standing_line(),
    ]
    if release.n_left_out:
        lines.insert(1, f"  {release.n_left_out:,} people are suppressed")
    return "\n".join(lines)
