"""`gy.audit`: what every attacker learns from one release, as a list of findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gyges.adversaries.population_uniqueness import sampled_share
from gyges.arguments import called, flag, instance, path, shown
from gyges.auditing import attackers
from gyges.auditing.audit_inputs import (
    check_mapping,
    other_releases_given,
    people_given,
    refuse_misfits,
)
from gyges.auditing.before_after_sheets import sheets_of
from gyges.auditing.effort import ShowStep, show_nothing
from gyges.auditing.finding import Attacker, Audited, AuditKnowledge, Finding, Sheet
from gyges.auditing.findings_by_column import merged_findings
from gyges.auditing.foreign_tables import (
    compared_tables,
    foreign_release,
    rows_of_file,
)
from gyges.auditing.form_of_release import Description
from gyges.auditing.forms import describe, load, load_groups
from gyges.auditing.notes import LABELS_OF_OTHERS, STAND_INS, groups_in_words, rows_count_as_people
from gyges.auditing.placed_original import (
    about_original,
    about_people_not_placed,
    groups_hold_original,
    own_original,
    place_original,
)
from gyges.auditing.published_labels import shown_as
from gyges.auditing.published_rows import published_rows
from gyges.auditing.rendering import audit_notebook, audit_text
from gyges.data.part_of_table import part_of_table
from gyges.data.people_words import as_counted, as_members
from gyges.data.table import Table
from gyges.errors import ReleaseError
from gyges.exact import Number, probability
from gyges.release.groups import Groups
from gyges.release.part_of_release import part_of_release
from gyges.release.published import PublishedTables
from gyges.release.release import Release
from gyges.utility.before_after import BeforeAfter, grouping_before_after
from gyges.utility.grouping import ShownAs
from gyges.utility.measure import grouping_utility, utility_by_weight
from gyges.utility.purpose import Purpose

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """What each attacker learns, and how useful the release is; `str()` reads as a report."""

    subject: str  # what was audited, in a sentence
    findings: list[Finding]
    confidence: Fraction
    utility: Mapping[str, float] = field(default_factory=dict)  # needs the original table
    notes: tuple[str, ...] = ()
    before_after: BeforeAfter | None = None  # needs the original table, and shows exact figures
    # The figures behind the findings about each of several sensitive columns, by name.
    by_column: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether no finding says that something was not checked."""
        return all(finding.is_checked for finding in self.findings)

    @property
    def measures(self) -> dict[str, object]:
        """The figures behind the findings, by name."""
        merged: dict[str, object] = {}
        for finding in self.findings:
            for name, found in finding.measures.items():
                before = merged.get(name)
                both = isinstance(before, Mapping) and isinstance(found, Mapping)
                merged[name] = {**before, **found} if both else found  # type: ignore[dict-item]
        return merged

    def to_json(self) -> dict[str, object]:
        """The audit for programs: its findings, and the figures behind them by name."""
        stated = ("attacker", "sentence", "number", "interval", "witness", "topic", "is_checked")
        return {
            "subject": self.subject,
            "findings": [
                {name: getattr(finding, name) for name in stated} for finding in self.findings
            ],
            "confidence": self.confidence,
            **{"curves": {}, "worst_cases": [], "skylines": {}, **self.measures},
            **({"by_column": self.by_column} if self.by_column else {}),
            "utility": self.utility,
            "before_after": self.before_after,
            "notes": self.notes,
        }

    def __str__(self) -> str:
        return audit_text(
            self.subject, self.findings, self.utility, self.notes, sheets_of(self.before_after)
        )

    def _repr_html_(self) -> str:
        return audit_notebook(
            self.subject, self.findings, self.utility, self.notes, sheets_of(self.before_after)
        )


def audit(
    release: object,
    *,
    confidence: Number = "0.95",
    original: object = None,
    control: object = None,
    mapping: str | Path | None = None,
    population: object = None,
    others: Iterable[Release | str | Path] = (),
    sampling_fraction: Number | None = None,
    same_order: bool = False,
    purpose: Purpose | None = None,
    prior: object = None,
    utility: bool = True,
    thorough: bool = False,
    progress: ShowStep | None = None,
) -> Audit:
    """Find out what every attacker learns from a release, or from a table of any other maker.

    A release directory of any form is enough. For releases of groups, more can be given:

    Args:
        release: a release, its directory, groups, or a table that Gyges did not make: a CSV or
            Parquet file or a frame, whose roles are those of the original.
        confidence: how certain an attacker must be for a value to count as disclosed.
        original: the table that was published, for prior beliefs and utility. Not needed for a
            release that was just made. Its people are found by their quasi-identifiers. A frame is
            read with the roles of the release.
        control: with a table that Gyges did not make, people whose data it was not made from: what
            attacks learn about them too is not due to the table.
        mapping: the file that records each person's group, for people who fit the labels of
            several groups. Without it, prior beliefs and utility skip these groups.
        population: everyone who could be in the release, with the same quasi-identifiers: for
            k-map, the journalist, the marketer and δ-presence.
        others: other releases about the same people, for an attacker who holds them all. Needs the
            original or a population, for the people to look up.
        sampling_fraction: of a random sample: estimates who is unique in the population.
        same_order: row i was made from row i of the original: links people to rows by distance.
        purpose: what must stay accurate: its questions and its class are compared with the
            original. Needs the original.
        prior: what attackers believe before they see the release, besides what the original itself
            shows: a table of other people with the same columns (another country's census, last
            year's data), or a matrix, rows of the original × sensitive values. Needs the original.
        utility: measure also how useful the release is, where the original is known.
        thorough: compute also what takes longer than about 20 seconds per attacker; otherwise a
            finding says what was not computed.
        progress: called with what is being done, how much of it is done, and of how much.
    """
    sure = probability(confidence, "confidence")
    share = None if sampling_fraction is None else sampled_share(sampling_fraction)
    if purpose is not None:
        instance(purpose, Purpose, "purpose", "give a gy.Purpose(...)")
    listed = other_releases_given(others)
    rows = rows_of_file(release)
    audited = _read(release) if rows is None else _foreign(rows, original, population)
    people, everyone, others_people = people_given(audited, original, population, control)
    check_mapping(mapping, people)
    refuse_misfits(audited, people, everyone, listed)
    if isinstance(audited, Release) and audited.roles.parts:
        return _of_each_column(
            audited,
            people,
            confidence=sure,
            mapping=mapping,
            population=everyone,
            others=listed,
            sampling_fraction=sampling_fraction,
            purpose=purpose,
            prior=prior,
            utility=utility,
            thorough=thorough,
            progress=progress,
        )
    called(progress, "progress", ("text", "done", "total"))
    tell = progress or show_nothing
    tell("looking up people in the release", 0, 1)
    compared = compared_tables(audited, people, others_people)
    knowledge = replace(
        _knowledge(audited, sure, people, mapping, everyone, listed),
        is_thorough=flag(thorough, "thorough"),
        tell=tell,
        compared=compared,
        sampling_fraction=share,
        is_same_order=flag(same_order, "same_order"),
        prior=prior,
    )
    _check_needs_of_original(purpose, prior, knowledge.original)
    return ask(attackers.ATTACKERS, audited, knowledge, purpose, flag(utility, "utility"))


def _check_needs_of_original(
    purpose: Purpose | None, prior: object, original: Table | None
) -> None:
    """Refuse a prior or purpose without an original, or about columns that it does not have."""
    if prior is not None and original is None:
        raise ReleaseError("a prior is compared with what is learned of people: give the original")
    if purpose is None:
        return
    if original is None:
        raise ReleaseError("a purpose is compared with the original table: give the original")
    purpose.check(original)


def _of_each_column(release: Release, original: Table | None, **given: Any) -> Audit:
    """Audits of a release with several sensitive columns, one for each, in one.

    To each, the other sensitive columns are published unchanged: attackers who know them count.
    """
    is_joined = original is not None and bool(original.schema.joined)
    found = {
        column: audit(
            part_of_release(release, column),
            original=part_of_table(original, column) if original and is_joined else original,
            **given,
        )
        for column in release.roles.parts
    }
    first = found[release.roles.parts[0]]
    notes = dict.fromkeys(note for one in found.values() for note in one.notes)
    if first.utility:
        about = f"Utility was measured with {release.roles.parts[0]!r} as the sensitive column."
        notes[about] = None
    return replace(
        first,
        findings=merged_findings({column: one.findings for column, one in found.items()}),
        notes=tuple(notes),
        by_column={column: one.measures for column, one in found.items()},
    )


def ask(
    asked: Sequence[Attacker],
    release: Audited,
    knowledge: AuditKnowledge,
    purpose: Purpose | None = None,
    measures_utility: bool = True,
) -> Audit:
    """Ask these attackers about a release."""
    description = _describe(release)
    places = knowledge.places
    utility: Mapping[str, float] = {}
    compared = None
    unknown: tuple[str, ...] = ()
    if measures_utility and places is not None and groups_hold_original(release, places):
        knowledge.tell("measuring what the release is still useful for", 0.0, 1.0)
        shown: ShownAs | None = ShownAs()
        if isinstance(release, Release):
            shown = shown_as(release, places)
        if shown is not None:
            grouping = places.grouping(shown)
            utility = grouping_utility(grouping)
            if places.table.schema.weight is not None:
                weighted = utility_by_weight(grouping, places.table, places.group_of_row)
                utility = {**utility, **weighted}
            compared = grouping_before_after(
                grouping, places.table, lambda: places.group_of_row, purpose
            )
            unknown = () if places.table.stand_ins is None else (STAND_INS,)
        else:
            unknown = (LABELS_OF_OTHERS,)
    return Audit(
        subject=description.subject,
        findings=[
            _as_counted(one, _counts_rows(release), _has_counterfeits(release))
            for one in (
                *about_people_not_placed(release, knowledge),
                *_findings(asked, release, knowledge),
            )
        ],
        confidence=knowledge.confidence,
        utility=utility,
        notes=(*description.notes, *about_original(release, knowledge), *unknown),
        before_after=compared,
    )


def _findings(
    asked: Sequence[Attacker], release: Audited, knowledge: AuditKnowledge
) -> Iterator[Finding]:
    for number, attacker in enumerate(asked):
        yield from _asked(attacker, number / len(asked), release, knowledge)


def _asked(
    attacker: Attacker, share: float, release: Audited, knowledge: AuditKnowledge
) -> list[Finding]:
    """What one attacker finds, after saying that it is their turn."""
    words = re.sub(r"(?<!^)(?=[A-Z])", " ", type(attacker).__name__).lower()
    knowledge.tell(f"asking the attackers: {words}", share, 1.0)
    return attacker.findings(release, knowledge)


def _counts_rows(release: Audited) -> bool:
    """Whether the release counts rows, because no column identifies people."""
    if isinstance(release, Release):
        return rows_count_as_people(release)
    return not isinstance(release, Groups) and release.rows_are_people


def _has_counterfeits(release: Audited) -> bool:
    """Whether some values in the groups belong to nobody."""
    return isinstance(release, Release) and bool(release.counterfeits)


def _as_counted(finding: Finding, rows_are_people: bool, has_counterfeits: bool) -> Finding:
    """The finding about rows or members of groups, where these were counted and not people."""

    def words(text: str) -> str:
        return as_members(text) if has_counterfeits else as_counted(text, rows_are_people)

    details = finding.details
    if isinstance(details, Sheet):
        rows = tuple((words(label), *rest) for label, *rest in details.rows)
        details = replace(details, rows=rows)
    said = words(finding.sentence)
    return replace(finding, sentence=said, details=details, rows_are_people=rows_are_people)


def _read(release: object) -> Audited:
    """The release, read from its directory where a path is given."""
    if isinstance(release, (str, Path)):
        return load(path(release, "release", ReleaseError))
    if not isinstance(release, (Groups, PublishedTables)):
        raise ReleaseError(
            f"release is {shown(release)}: give a release, its directory, groups, or a table"
        )
    return release  # type: ignore[return-value]  # every kind of published tables is Published


def _foreign(rows: pa.Table, original: object, population: object) -> Release:
    like = next((one for one in (original, population) if isinstance(one, Table)), None)
    return foreign_release(rows, like)


def _knowledge(
    release: Audited,
    sure: Fraction,
    original: Table | None,
    mapping: str | Path | None,
    population: Table | None,
    others: Sequence[Release | Path],
) -> AuditKnowledge:
    """What the auditor gave, prepared for all attackers."""
    if not isinstance(release, Release):
        return AuditKnowledge(confidence=sure)
    people = original if original is not None else population
    if original is not None:
        placed = place_original(release, original, mapping)
    else:
        placed = own_original(release)
        original = None if placed.places is None else placed.places.table
    return AuditKnowledge(
        confidence=sure,
        rows=published_rows(release),
        original=original,
        places=placed.places,
        whereabouts=placed.whereabouts,
        places_with_values=placed.places_with_values,
        n_other_values=placed.n_other_values,
        population=population,
        others=tuple(load_groups(one) if isinstance(one, Path) else one for one in others),
        people=people,
    )


def _describe(release: Audited) -> Description:
    """What was audited, and what the findings about it do not cover."""
    if isinstance(release, Groups):
        return Description(groups_in_words(release))
    return describe(release)
