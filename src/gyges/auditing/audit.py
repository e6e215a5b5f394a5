"""`gy.audit`: all that any attacker gains from one release, put together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, overload

import numpy as np

from gyges.adversaries.dimensions import skyline_find
from gyges.adversaries.implications import Disclosure, disclosure_curve, max_disclosure
from gyges.adversaries.located import Whereabouts, whereabouts
from gyges.adversaries.skyline_frontier import Amounts, explain_point
from gyges.arguments import items, path, shown
from gyges.arrays import IntArray
from gyges.auditing.classical import Classical, classical_risks
from gyges.auditing.forms import audit_ungrouped, load, load_groups
from gyges.auditing.notes import MINIMALITY
from gyges.auditing.other_releases import JoinedRisk, joined_risk
from gyges.auditing.population import PopulationRisk, population_risks
from gyges.auditing.prior_knowledge import BeliefRisk, belief_risks
from gyges.auditing.shown import Shown, columns_without_role, shown_by
from gyges.criteria.belief import Beliefs
from gyges.criteria.describe import from_data, is_known
from gyges.data.schema import ValuesPerPerson
from gyges.data.table import Table, check_table
from gyges.data.values import Value
from gyges.errors import ReleaseError
from gyges.exact import Number, probability, show
from gyges.notebook import card, lines, steps, table
from gyges.release.groups import Groups
from gyges.release.locating import NOWHERE
from gyges.release.mapping import group_of_cell, load_mapping
from gyges.release.published import Ungrouped
from gyges.release.release import Release
from gyges.utility.measure import in_words, measure_utility

if TYPE_CHECKING:
    from gyges.auditing.form_noise import NoisyAudit
    from gyges.auditing.form_views import ViewsAudit
    from gyges.dp.published_noise import PublishedNoise
    from gyges.dp.release import NoisyRelease
    from gyges.marginals.published_views import PublishedMarginals

CURVE_LENGTH = 12  # how many facts the strongest attacker of a curve knows
WITNESSES = (0, 1, 2, 3)  # the worst cases that are told in words
_BELIEFS_HEADING = """\
attackers who know how the value depends on the other columns
(bandwidth 0.1: they know it of people who differ by a tenth of a column's range or less;
a gain of 0 tells them nothing, one of 1 about all that there is to tell)"""
NEEDS_ORIGINAL = "beliefs and utility need the original table"
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
    shown: Shown | None = None  # what the published rows show; not known of groups alone
    located: Whereabouts | None = None  # of the original's rows, where they had to be looked up
    population: PopulationRisk | None = None  # needs a table of the population
    joined: JoinedRisk | None = None  # needs other releases, and people to look for
    beliefs: list[BeliefRisk] = field(default_factory=list)  # needs the original table
    utility: Mapping[str, float] = field(default_factory=dict)  # needs the original table
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [str(self.classical)]
        if self.shown is not None:
            parts.append(f"what the rows show\n{indent(str(self.shown), '  ')}")
        if self.located is not None:
            parts.append(f"the rows of the original: {self.located}")
        parts += [str(found) for found in (self.population, self.joined) if found is not None]
        if self.curves:
            parts.append(_curve_text(self.curves))
            heading = (
                "the worst cases (4.1 and 4.2 are two people of group 4: the release names nobody)"
            )
            parts.append("\n".join([heading, *(f"  {w}" for w in self.worst_cases)]))
        if self.skylines:
            parts.append(_skyline_text(self))
        if self.beliefs:
            told = [f"  {risk}" for risk in self.beliefs]
            parts.append("\n".join([_BELIEFS_HEADING, *told]))
        if self.utility:
            told = [f"  {name}: {x:.4g} ({in_words(name)})" for name, x in self.utility.items()]
            parts.append("\n".join(["what survives", *told]))
        return "\n\n".join([*parts, *self.notes])

    def _repr_html_(self) -> str:
        said = [self.classical, self.population, self.joined, *self.worst_cases, *self.beliefs]
        ends = [
            (value, *(skyline_ends(points) if points else ("not safe",) * 3))
            for value, points in self.skylines.items()
        ]
        heads = ("", "values the target lacks", "other people", "relatives")
        return card(
            "what each attacker gains",
            lines(str(self.shown)) if self.shown is not None else "",
            steps(self.curves, "facts that they know") if self.curves else "",
            *(lines(str(one)) for one in said if one is not None),
            lines(f"how much an attacker may know and stay below {show(self.confidence)} certainty")
            if ends
            else "",
            table(ends, heads) if ends else "",
            table((name.replace("_", " "), f"{x:.4g}") for name, x in self.utility.items()),
            lines("\n".join(self.notes)),
        )


@overload
def audit(
    release: Release | Groups,
    *,
    confidence: Number = "0.95",
    original: Table | None = None,
    mapping: str | Path | None = None,
    population: Table | None = None,
    others: Iterable[Release | str | Path] = (),
) -> Audit: ...


@overload
def audit(
    release: str | Path | PublishedMarginals | PublishedNoise | NoisyRelease,
    *,
    confidence: Number = "0.95",
    original: Table | None = None,
    mapping: str | Path | None = None,
    population: Table | None = None,
    others: Iterable[Release | str | Path] = (),
) -> Audit | ViewsAudit | NoisyAudit: ...


def audit(
    release: Release | Groups | PublishedMarginals | PublishedNoise | NoisyRelease | str | Path,
    *,
    confidence: Number = "0.95",
    original: Table | None = None,
    mapping: str | Path | None = None,
    population: Table | None = None,
    others: Iterable[Release | str | Path] = (),
) -> Audit | ViewsAudit | NoisyAudit:
    """Ask every attacker what the release tells them.

    A release directory of any form is enough. More is known of groups with more:

    Args:
        confidence: how sure an attacker must be for a value to count as disclosed.
        original: the table that was published, for beliefs and utility; known already of a release
            that was made here. Its people are found by their quasi-identifiers, whoever made the
            release.
        mapping: what was kept of who went where: people who fit the labels of several groups are
            told apart by it. Without it their groups are left out of beliefs and utility.
        population: everybody who could be in the release, by the same quasi-identifiers: for
            k-map, the journalist, the marketer and δ-presence.
        others: releases about the same people, joined by who holds them all; needs the original or
            a population, to know whom to look for.
    """
    sure = probability(confidence, "confidence")
    _check_tables(original, population, mapping)
    others = _listed(others)
    if isinstance(release, (str, Path)):
        release = load(path(release, "release", ReleaseError))
    if isinstance(release, Ungrouped):
        if any(one is not None for one in (original, mapping, population)) or others:
            raise ReleaseError(
                "the release has no groups in which people could be looked for: audit it without "
                "the original, the population and other releases"
            )
        return audit_ungrouped(release)
    if not isinstance(release, (Groups, Release)):
        raise ReleaseError(f"release is {shown(release)}: give a release, its directory, or groups")
    groups = release if isinstance(release, Groups) else release.groups
    found = _found(release, original, mapping)
    people = _people(release, original, mapping, found)
    rows = shown_by(release) if isinstance(release, Release) else None
    one = groups.values_per_person == "one"
    return Audit(
        classical=classical_risks(groups, rows),
        curves=_curves(groups) if one and len(groups.values) else {},
        worst_cases=_worst_cases(groups) if one else [],
        confidence=sure,
        skylines={str(v): skyline_find(groups, v, sure) for v in _riskiest(groups)},
        values_per_person=groups.values_per_person,
        shown=rows,
        located=None if found is None else whereabouts(found),
        population=_in_population(release, population),
        joined=_joined(release, others, original if original is not None else population),
        beliefs=belief_risks(*people, _claimed_beliefs(release)) if people else [],
        utility=measure_utility(*people) if people else {},
        notes=tuple(_notes(release, groups, people)),
    )


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


def _claimed_beliefs(release: Release | Groups) -> list[Beliefs]:
    """The rules about beliefs that a release claims, with all that they state."""
    claims = release.claims if isinstance(release, Release) else ()
    rules = [from_data(claim.rule) for claim in claims if is_known(claim.rule)]
    return [rule for rule in rules if isinstance(rule, Beliefs)]


def _notes(
    release: Release | Groups, groups: Groups, people: tuple[Table, IntArray] | None
) -> list[str]:
    notes = []
    if isinstance(release, Release):
        notes.append(MINIMALITY)
        unused = columns_without_role(release)
        if unused:
            notes.append(
                f"these columns were given no role and not looked at, though every row shows them: "
                f"{', '.join(unused)}"
            )
    if people is None:
        notes.append(NEEDS_ORIGINAL)
    elif (people[1] < 0).any():
        n_lost = int((people[1] < 0).sum())
        notes.append(
            f"beliefs and utility leave out {n_lost:,} rows of the original: their groups cannot "
            f"be told apart by the labels alone"
        )
    if not len(groups.values):
        notes.append("no column is sensitive: only who is who was asked")
    elif groups.values_per_person != "one":
        notes.append("the attacker who knows any k facts is defined for one value per person")
    return notes


def _in_population(release: Release | Groups, population: Table | None) -> PopulationRisk | None:
    if population is None:
        return None
    if not isinstance(release, Release):
        raise ReleaseError("a population is compared with a release, whose labels its people fit")
    return population_risks(release, population)


def _joined(
    release: Release | Groups, others: Sequence[Release | str | Path], people: Table | None
) -> JoinedRisk | None:
    if not others:
        return None
    if not isinstance(release, Release) or people is None:
        raise ReleaseError(
            "to join releases somebody must be looked for: give the original or a population"
        )
    loaded = [load_groups(one) if isinstance(one, (str, Path)) else one for one in others]
    return joined_risk([release, *loaded], people)


def _worst_cases(groups: Groups) -> list[Disclosure]:
    """The worst case of each number of facts, until somebody's value is certain."""
    found: list[Disclosure] = []
    for k in WITNESSES if len(groups.values) else ():
        found.append(max_disclosure(groups, k=k))
        if found[-1].probability == 1:
            break
    return found


def _found(
    release: Release | Groups, original: Table | None, mapping: str | Path | None
) -> IntArray | None:
    """The group of each row of the original, where it must be looked up by quasi-identifiers."""
    if not isinstance(release, Release) or original is None or mapping is not None:
        return None
    found = release.locate(original)
    if (found == NOWHERE).all():
        raise ReleaseError(
            f"nobody is located: none of the {len(found):,} rows of the original fits a group of "
            f"the release; is it the table that was published, spelled as it was then?"
        )
    return found


def _people(
    release: Release | Groups,
    original: Table | None,
    mapping: str | Path | None,
    found: IntArray | None,
) -> tuple[Table, IntArray] | None:
    """The original table and the group of each of its rows, where they are known."""
    if not isinstance(release, Release):
        return None
    if original is None:
        if release.table is None or release.partition is None:
            return None
        return release.table, release.group_of_row
    if found is None:
        assert mapping is not None
        return original, group_of_cell(load_mapping(mapping), original)[original.cell_of_row]
    return original, _whole_groups(release, found)


def _whole_groups(release: Release, found: IntArray) -> IntArray:
    """Who is in a group all of whose people were found; NOWHERE for the others.

    In a group of which some are missing, beliefs would be those of another group.
    """
    n_found = np.bincount(found[found >= 0], minlength=len(release.groups))
    people = release.groups.sizes
    is_whole = n_found == people if release.groups.values_per_person == "one" else n_found > 0
    return np.where((found >= 0) & is_whole[found], found, NOWHERE)


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
    lines = [
        "how certain the worst attacker is, by the number of facts they know",
        "(implications: if one person has this, another has that; negations: somebody lacks this)",
        "   k   implications            negations",
    ]
    for k, (one, other) in enumerate(zip(curves["implications"], curves["negations"], strict=True)):
        lines.append(f"  {k:2}   {show(one):<22}  {show(other)}")
        if one == other == 1:
            break
    return "\n".join(lines)


def skyline_points(audit: Audit) -> list[tuple[str, Amounts | None]]:
    """(value, a point of its skyline) for every value; None where not even nothing is safe."""
    nothing: list[Amounts | None] = [None]
    return [
        (value, point) for value, points in audit.skylines.items() for point in points or nothing
    ]


def explain_row(point: Amounts | None, values_per_person: ValuesPerPerson) -> str:
    """What such a point means, in a sentence."""
    if point is None:
        return "not safe even from an attacker who knows nothing but the release"
    return explain_point(point, values_per_person)


def skyline_ends(points: list[tuple[float, float, float]]) -> tuple[str, str, str]:
    """The most that an attacker may know of one kind, if they know nothing of the others."""
    ends = [max((point[axis] for point in points), default=-1.0) for axis in range(3)]
    l, k, m = ("no limit" if end == math.inf else f"{end:.0f}" for end in ends)
    return l, k, m


def _skyline_text(audit: Audit) -> str:
    lines = [
        f"how much an attacker may know and be less than {show(audit.confidence)} certain of a "
        f"value,",
        "if they know of one kind only (all combinations: gyges skyline)",
        "    values the target lacks   other people   relatives",
    ]
    for value, points in audit.skylines.items():
        if points:
            lacks, others, relatives = skyline_ends(points)
            lines.append(f"    {lacks:>23}   {others:>12}   {relatives:>9}   {value}")
        else:
            lines.append(f"    not safe even if they know nothing more            {value}")
    return "\n".join(lines)
