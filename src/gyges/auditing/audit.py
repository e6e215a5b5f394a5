"""`gy.audit`: all that any attacker gains from one release, put together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

from gyges.adversaries.dimensions import skyline_find
from gyges.adversaries.implications import Disclosure, disclosure_curve, max_disclosure
from gyges.adversaries.skyline_frontier import explain_point
from gyges.arrays import IntArray
from gyges.auditing.classical import Classical, classical_risks
from gyges.auditing.prior_knowledge import BeliefRisk, belief_risks
from gyges.criteria.verdict import show
from gyges.data.schema import ValuesPerPerson
from gyges.data.table import Table
from gyges.data.values import Value
from gyges.exact import Number, fraction
from gyges.release.files import load
from gyges.release.groups import Groups
from gyges.release.locating import NOWHERE
from gyges.release.release import Release
from gyges.utility.measure import measure_utility

CURVE_LENGTH = 12  # how many facts the strongest attacker of a curve knows
WITNESSES = (0, 1, 2, 3)  # the worst cases that are told in words
MANY_VALUES = 30  # skylines are shown for at most so many values, the riskiest first


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """What each attacker gains, and what survives; `str()` reads as a report."""

    classical: Classical
    curves: Mapping[str, list[Fraction]]  # by language; one value per person only
    worst_cases: list[Disclosure]
    confidence: Fraction
    skylines: Mapping[str, list[tuple[float, float, float]]]  # by sensitive value
    values_per_person: ValuesPerPerson
    beliefs: list[BeliefRisk] = field(default_factory=list)  # needs the original table
    utility: Mapping[str, float] = field(default_factory=dict)  # needs the original table
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [str(self.classical)]
        if self.curves:
            parts.append(_curve_text(self.curves))
            parts.append("\n".join(["the worst cases", *(f"  {w}" for w in self.worst_cases)]))
        parts.append(_skyline_text(self))
        if self.beliefs:
            lines = [f"  {risk}" for risk in self.beliefs]
            parts.append("\n".join(["attackers who know how values go with the rest", *lines]))
        if self.utility:
            lines = [f"  {name}: {value:.4g}" for name, value in self.utility.items()]
            parts.append("\n".join(["what survives", *lines]))
        return "\n\n".join([*parts, *self.notes])


def audit(
    release: Release | Groups | str | Path,
    *,
    confidence: Number = "0.95",
    original: Table | None = None,
) -> Audit:
    """Ask every attacker what the release tells him.

    A release directory is enough. What needs the original table (beliefs, utility) is added for a
    release that was made here, or where `original` is given: its people are then found in the
    release by their quasi-identifiers, whoever made it. `confidence` is how sure an attacker must
    be for a value to count as disclosed.
    """
    if isinstance(release, (str, Path)):
        release = load(release)
    groups = release if isinstance(release, Groups) else release.groups
    people = _people(release, original)
    notes = [] if people else ["beliefs and utility need the original table"]
    if people and (people[1] < 0).any():
        n_lost = int((people[1] < 0).sum())
        notes.append(f"{n_lost:,} rows of the original are in no one group of the release")
    one = groups.values_per_person == "one"
    if not one:
        notes.append("the attacker who knows any k facts is defined for one value per person")
    sure = fraction(confidence, "the confidence")
    return Audit(
        classical=classical_risks(groups),
        curves=_curves(groups) if one else {},
        worst_cases=[max_disclosure(groups, k=k) for k in WITNESSES] if one else [],
        confidence=sure,
        skylines={str(v): skyline_find(groups, v, sure) for v in _riskiest(groups)},
        values_per_person=groups.values_per_person,
        beliefs=belief_risks(*people) if people else [],
        utility=measure_utility(*people) if people else {},
        notes=tuple(notes),
    )


def _people(release: Release | Groups, original: Table | None) -> tuple[Table, IntArray] | None:
    """The original table and the group of each of its rows, where they are known."""
    if not isinstance(release, Release):
        return None
    if original is not None:
        return original, np.maximum(release.locate(original), NOWHERE)
    if release.table is None or release.partition is None:
        return None
    return release.table, release.group_of_row


def _curves(groups: Groups) -> dict[str, list[Fraction]]:
    return {
        language: disclosure_curve(groups, k=CURVE_LENGTH, language=language)
        for language in ("implications", "negations")
    }


def _riskiest(groups: Groups) -> list[Value]:
    """The values with the largest share in a group, at most MANY_VALUES of them."""
    share: dict[int, float] = {}
    sizes = groups.sizes[groups.group_of_entry]
    for code, part in zip(groups.value_codes, groups.value_counts / sizes, strict=True):
        share[int(code)] = max(share.get(int(code), 0.0), float(part))
    ranked = sorted(share, key=lambda code: -share[code])[:MANY_VALUES]
    return [groups.values[code] for code in sorted(ranked)]


def _curve_text(curves: Mapping[str, list[Fraction]]) -> str:
    lines = ["how sure the worst attacker is, by the number of facts he knows"]
    lines.append("   k   implications            negations")
    for k, (one, other) in enumerate(zip(curves["implications"], curves["negations"], strict=True)):
        lines.append(f"  {k:2}   {show(one):<22}  {show(other)}")
        if one == other == 1:
            break
    return "\n".join(lines)


def skyline_rows(audit: Audit) -> list[tuple[str, str]]:
    """(value, a point of its skyline in words) for every value that was asked about."""
    rows = []
    for value, points in audit.skylines.items():
        if not points:
            rows.append((value, "not safe even from an attacker who knows nothing but the release"))
        rows += [(value, explain_point(point, audit.values_per_person)) for point in points]
    return rows


def skyline_ends(points: list[tuple[float, float, float]]) -> tuple[str, str, str]:
    """The most that an attacker may know of one kind, if he knows nothing of the others."""
    ends = [max((point[axis] for point in points), default=-1.0) for axis in range(3)]
    l, k, m = ("no limit" if end == math.inf else f"{end:.0f}" for end in ends)
    return l, k, m


def _skyline_text(audit: Audit) -> str:
    lines = [
        f"how much an attacker may know before he is {show(audit.confidence)} sure of a value,",
        "if he knows of one kind only (all combinations: gyges skyline)",
        "    values the target lacks   other people   relatives",
    ]
    for value, points in audit.skylines.items():
        if points:
            lacks, others, relatives = skyline_ends(points)
            lines.append(f"    {lacks:>23}   {others:>12}   {relatives:>9}   {value}")
        else:
            lines.append(f"    not safe even if he knows nothing more             {value}")
    return "\n".join(lines)
