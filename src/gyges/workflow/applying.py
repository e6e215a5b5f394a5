"""Publishing new rows under the scheme of an earlier release, and entering that in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gyges.auditing.people_source import refuse_unsaid
from gyges.criteria.verdict import Verdict
from gyges.data.schema import Schema
from gyges.data.table import Table
from gyges.engines.read import open_source, read
from gyges.exact import counted
from gyges.release.mapping import load_mapping, mapping_schema
from gyges.release.mapping_reading import Reading
from gyges.search.republish import republish
from gyges.workflow.progress import Progress
from gyges.workflow.publish_run import PublishedRun
from gyges.workflow.release_target import release_target
from gyges.workflow.run_options import RunOptions


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
    """Judge the earlier rules on the new groups; if they hold, write the groups."""
    known = load_mapping(mapping)
    target = release_target(
        options,
        directory,
        format,
        source=newdata,
        ledger=options.ledger,
        about=options.about or Path(newdata).stem,
        mapping={"the mapping": mapping},
        progress=progress,
    )
    schema = mapping_schema(known, sensitive=sensitive, identifiers=identifiers, person=person)
    progress.stage(f"reading {newdata}")
    table = _read(newdata, schema, known.known_reading)
    release, verdict = republish(known, table)
    if release.n_left_out:
        progress.note(
            f"suppressed, because no group of the scheme fits: "
            f"{counted(release.n_left_out, 'person')}"
        )
    if not verdict.safe:
        return verdict, None
    comparison = target.compare(release, table)
    assert comparison is not None  # a release of groups
    target.write(release, comparison)
    target.warn_if_unrecorded()
    facts = {"safe": True, **release.facts(), "with_earlier_releases": comparison.stated()}
    return verdict, PublishedRun(release, target, facts)


def _read(newdata: str, schema: Schema, reading: Reading) -> Table:
    """The new rows, read as the earlier table was; columns that are not used may be absent."""
    rows, _ = open_source(newdata)
    used = set(rows.columns)
    schema = replace(
        schema,
        dropped=[name for name in schema.dropped if name in used],
        do_not_identify=[name for name in schema.do_not_identify if name in used],
    )
    refuse_unsaid(rows, schema)
    return read(newdata, schema, missing=reading.missing, missing_marks=reading.marks)
