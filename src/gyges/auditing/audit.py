"""`gy.audit`: every attacker asked about one release; what they find is a list of findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

from gyges.adversaries.people_lookup import whereabouts
from gyges.arguments import items, path, shown
from gyges.arrays import IntArray
from gyges.auditing import attackers
from gyges.auditing.finding import Attacker, Audited, Finding, Knowledge
from gyges.auditing.form_of_release import Description
from gyges.auditing.forms import describe, load, load_groups
from gyges.auditing.notes import groups_in_words
from gyges.auditing.rendering import audit_notebook, audit_text
from gyges.auditing.shown import shown_by
from gyges.data.table import Table, check_table
from gyges.errors import ReleaseError
from gyges.exact import Number, probability
from gyges.release.groups import Groups
from gyges.release.locating import NOWHERE
from gyges.release.mapping import group_of_cell, load_mapping
from gyges.release.published import Ungrouped
from gyges.release.release import Release
from gyges.utility.measure import measure_utility

NEEDS_ORIGINAL = (
    "Attackers with prior beliefs were not asked, and utility was not measured: both need the "
    "original table."
)
AS_IF_GENERALIZED = (
    "Utility is measured as if every group were generalized to one label, which this form of "
    "release does not do."
)


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """What each attacker learns, and what survives; `str()` reads as a report."""

    subject: str  # what was audited, in a sentence
    findings: list[Finding]
    confidence: Fraction
    utility: Mapping[str, float] = field(default_factory=dict)  # needs the original table
    notes: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether everything that a reader would expect was checked."""
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
            "utility": self.utility,
            "notes": self.notes,
        }

    def __str__(self) -> str:
        return audit_text(self.subject, self.findings, self.utility, self.notes)

    def _repr_html_(self) -> str:
        return audit_notebook(self.subject, self.findings, self.utility, self.notes)


def audit(
    release: Audited | str | Path,
    *,
    confidence: Number = "0.95",
    original: Table | None = None,
    mapping: str | Path | None = None,
    population: Table | None = None,
    others: Iterable[Release | str | Path] = (),
) -> Audit:
    """Ask every attacker what they learn from the release.

    A release directory of any form is enough. More is known of groups with more:

    Args:
        confidence: how certain an attacker must be for a value to count as disclosed.
        original: the table that was published, for beliefs and utility; known already of a release
            that was made here. Its people are found by their quasi-identifiers, for any release.
        mapping: what was kept of who went where: people who fit the labels of several groups are
            told apart by it. Without it their groups are left out of beliefs and utility.
        population: everybody who could be in the release, by the same quasi-identifiers: for
            k-map, the journalist, the marketer and δ-presence.
        others: other releases about the same people, for an attacker who holds them all; needs the
            original or a population, to know whom to look for.
    """
    sure = probability(confidence, "confidence")
    _check_tables(original, population, mapping)
    listed = _listed(others)
    audited = _read(release)
    _check_given(audited, original, population, listed)
    knowledge = _knowledge(audited, sure, original, mapping, population, listed)
    return ask(attackers.ATTACKERS, audited, knowledge)


def ask(asked: Sequence[Attacker], release: Audited, knowledge: Knowledge) -> Audit:
    """Ask some attackers about a release."""
    description = _describe(release)
    found = [one for attacker in asked for one in attacker.findings(release, knowledge)]
    people = knowledge.original, knowledge.group_of_row
    return Audit(
        subject=description.subject,
        findings=found,
        confidence=knowledge.confidence,
        utility=measure_utility(people[0], people[1])
        if people[0] is not None and people[1] is not None
        else {},
        notes=(*description.notes, *_about_original(release, knowledge)),
    )


def _read(release: Audited | str | Path) -> Audited:
    """The release, read from its directory where a path is given."""
    if isinstance(release, (str, Path)):
        return load(path(release, "release", ReleaseError))
    if not isinstance(release, (Groups, Release, Ungrouped)):
        raise ReleaseError(f"release is {shown(release)}: give a release, its directory, or groups")
    return release


def _check_tables(original: object, population: object, mapping: object) -> None:
    for name, given in (("original", original), ("population", population)):
        if given is not None:
            check_table(given, name)
    if mapping is not None:
        path(mapping, "mapping", ReleaseError)
        if original is None:
            raise ReleaseError(
                "the mapping says who of the original table went where: give the original too, or "
                "no mapping"
            )


def _listed(others: object) -> list[Release | Path]:
    """The other releases, read from whatever lists them once."""
    return [
        other if isinstance(other, Release) else path(other, "others: a release", ReleaseError)
        for other in items(others, "others", "releases or their directories", ReleaseError)
    ]


def _check_given(
    release: Audited,
    original: Table | None,
    population: Table | None,
    others: Sequence[Release | Path],
) -> None:
    """Refuse what this release cannot be compared with."""
    is_compared = original is not None or population is not None
    if isinstance(release, Ungrouped) and (is_compared or others):
        raise ReleaseError(release.why_no_groups)
    if isinstance(release, Groups) and is_compared:
        raise ReleaseError(
            "people are looked up by the labels of a release, and groups alone have none: give the "
            "release, or audit its groups without the original and the population"
        )
    if others and not is_compared:
        raise ReleaseError(
            "to join releases, people must be looked for: give the original or a population"
        )


def _knowledge(
    release: Audited,
    sure: Fraction,
    original: Table | None,
    mapping: str | Path | None,
    population: Table | None,
    others: Sequence[Release | Path],
) -> Knowledge:
    """What the auditor gave, prepared for all attackers."""
    if not isinstance(release, Release):
        return Knowledge(confidence=sure)
    people = original if original is not None else population
    found = None
    if original is not None and mapping is not None:
        group_of_row = group_of_cell(load_mapping(mapping), original)[original.cell_of_row]
    elif original is not None:
        found = _found(release, original)
        group_of_row = _whole_groups(release, found)
    elif release.table is not None and release.partition is not None:
        original, group_of_row = release.table, release.group_of_row
    else:
        group_of_row = None
    return Knowledge(
        confidence=sure,
        shown=shown_by(release),
        original=original,
        group_of_row=group_of_row,
        located=None if found is None else whereabouts(found),
        population=population,
        others=tuple(load_groups(one) if isinstance(one, Path) else one for one in others),
        people=people,
    )


def _found(release: Release, original: Table) -> IntArray:
    """The group of each row of the original, looked up by its quasi-identifiers."""
    found = release.locate(original)
    if (found == NOWHERE).all():
        raise ReleaseError(
            f"nobody is located: none of the {len(found):,} rows of the original fits a group of "
            f"the release; is it the table that was published, spelled as it was then?"
        )
    return found


def _whole_groups(release: Release, found: IntArray) -> IntArray:
    """Who is in a group all of whose people were found; NOWHERE for the others.

    In a group of which some are missing, beliefs would be those of another group.
    """
    n_found = np.bincount(found[found >= 0], minlength=len(release.groups))
    people = release.groups.sizes
    is_whole = n_found == people if release.groups.values_per_person == "one" else n_found > 0
    return np.where((found >= 0) & is_whole[found], found, NOWHERE)


def _describe(release: Audited) -> Description:
    """What was audited, and what the findings about it do not cover."""
    if isinstance(release, Groups):
        return Description(groups_in_words(release))
    return describe(release)


def _about_original(release: Audited, knowledge: Knowledge) -> list[str]:
    """What was not asked or measured, since the original is not known or people were not found."""
    group_of_row = knowledge.group_of_row
    if isinstance(release, Ungrouped):
        return []
    if group_of_row is None:
        return [NEEDS_ORIGINAL]
    notes = []
    if isinstance(release, Release) and release.form != "generalized":
        notes.append(AS_IF_GENERALIZED)
    n_lost = int((group_of_row < 0).sum())
    if n_lost and knowledge.located is not None:
        notes.append(
            f"Rows of the original that could not be placed in a group with certainty: {n_lost:,}. "
            f"Prior beliefs leave these out, and utility counts them as suppressed."
        )
    return notes
