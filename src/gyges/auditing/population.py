"""Risks that depend on who else exists: a release compared with a table of the population.

The journalist wants to re-identify any one person and does not know who is in the release, the
marketer as many people as possible; the third attacker asks only whether a person is in it. Columns
published unchanged are not compared: a population is described by the quasi-identifiers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gyges.adversaries.located_people import Whereabouts
from gyges.auditing.finding import (
    Audited,
    AuditKnowledge,
    Finding,
    Sheet,
    people_text,
    share_text,
)
from gyges.auditing.presence import Fitting, presence
from gyges.data.people_words import counted_people
from gyges.data.stand_ins import missing_cells
from gyges.data.table import Table
from gyges.errors import ReleaseError
from gyges.exact import counted
from gyges.ragged import Ragged, starts_of
from gyges.release.release import Release

TOPIC = "Within the population"


@dataclass(frozen=True, slots=True)
class PopulationRisk:
    """What an attacker with a table of the population learns."""

    n_population: int
    rows_are_people: bool  # each row of the population was counted as one person
    n_published: int
    k_map: int  # every published row fits at least this many people of the population
    journalist: Fraction  # the largest chance to name the right person for a row: 1/k_map
    n_worst: int  # published people at that risk
    marketer: Fraction  # the share of rows for which a guess names the right person, on average
    presence: tuple[Fraction, Fraction] | None  # δ: smallest and largest probability of being in it
    n_unclear: int  # people whose presence was not computed: see `presence`
    n_unmatched: int  # published people who fit nobody in the population
    n_lacking: int  # published people whose class has fewer people in the population than rows
    located: Whereabouts  # of the people of the population among the classes of rows
    matches_anything: bool = False  # somebody fits a row because a missing value may be any value


class PopulationList:
    """Holds a list of the population: names one person, names everyone, or asks who is in it."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """k-map, journalist, marketer and δ-presence; needs the population."""
        if knowledge.population is None or not isinstance(release, Release):
            return []
        if release.group_form.is_averaged:
            said = (
                "Not computed: a row shows averages, and these do not tell whom of the population "
                "it fits. Someone with the list may still find the only people with such averages."
            )
            return [Finding("journalist", said, topic=TOPIC, is_checked=False)]
        return findings_of(population_risks(release, knowledge.population))


def findings_of(risk: PopulationRisk) -> list[Finding]:
    """The risks of a release against a population, as sentences."""
    return [*_naming(risk), *_being_in(risk), *_lacking(risk)]


def _naming(risk: PopulationRisk) -> list[Finding]:
    people = counted_people(risk.n_population, risk.rows_are_people).rstrip(",")
    one = "row" if risk.rows_are_people else "person"
    counting = "counting missing values as any value" if risk.matches_anything else "k-map"
    return [
        Finding(
            "journalist",
            f"An attacker with a list of the population ({people}) who names the person behind "
            f"one row (journalist) is right with probability at most "
            f"{share_text(risk.journalist)}; this is the risk of "
            f"{people_text(risk.n_worst, risk.n_published)}.{_overlapping(risk)}",
            number=risk.journalist,
            is_checked=not (risk.located.in_several or risk.matches_anything),
            topic=TOPIC,
            place="summary",
            details=Sheet((("people of the population", str(risk.located)),)),
            measures={"population": risk},
        ),
        Finding(
            "journalist",
            f"Every published row fits at least {counted(risk.k_map, one)} of the "
            f"population ({counting}).",
            number=risk.k_map,
            topic=TOPIC,
        ),
        Finding(
            "marketer",
            f"An attacker with the list who names a person for every row (marketer) is right for "
            f"{share_text(risk.marketer)} of the rows on average.",
            number=risk.marketer,
            topic=TOPIC,
        ),
    ]


def _overlapping(risk: PopulationRisk) -> str:
    """Why counting the people who fit a row is no bound, where it is none."""
    if risk.matches_anything:
        return (
            " Not checked: a missing value may be any value, so not everyone who fits a row is "
            "equally likely to be the person behind it, and the probabilities of journalist and "
            "marketer may be larger."
        )
    if not risk.located.in_several:
        return ""
    return (
        " Not checked: labels overlap here, and an attacker who uses all rows at once may rule out "
        "people who fit a row, so the probabilities of journalist and marketer may be larger."
    )


def _being_in(risk: PopulationRisk) -> list[Finding]:
    found = []
    if risk.presence is not None:
        low, high = risk.presence
        likely = _range(low, high)
        before = Fraction(risk.n_published, max(risk.n_population, risk.n_published))
        found.append(
            Finding(
                "presence",
                f"The probability that a person of the population is in the release {likely} "
                f"(δ-presence); without the release it is {share_text(before)}.",
                number=high,
                topic=TOPIC,
            )
        )
    if risk.n_unclear:
        found.append(
            Finding(
                "presence",
                f"Not checked: the probability of being in the release for "
                f"{people_text(risk.n_unclear, risk.n_population)} of the population, because "
                f"{_why_unclear(risk)}.",
                number=risk.n_unclear,
                topic=TOPIC,
                is_checked=False,
            )
        )
    return found


def _why_unclear(risk: PopulationRisk) -> str:
    if risk.matches_anything:
        return "a missing value may be any value, and nothing says how likely each is"
    return "too many labels overlap or published people are missing from the population"


def _range(low: Fraction, high: Fraction) -> str:
    if low == high:
        return f"is {share_text(low)}"
    return f"lies between {share_text(low)} and {share_text(high)}"


def _lacking(risk: PopulationRisk) -> list[Finding]:
    said = []
    if risk.n_unmatched:
        said.append(
            (
                f"{risk.n_unmatched:,} published people fit nobody in the population: they are "
                f"missing from it or described differently. They count as re-identified.",
                risk.n_unmatched,
            )
        )
    if risk.n_lacking > risk.n_unmatched:
        said.append(
            (
                f"{risk.n_lacking:,} published people are in classes with more rows than fitting "
                f"people in the population: the population is incomplete.",
                risk.n_lacking,
            )
        )
    return [Finding("journalist", text, number=number, topic=TOPIC) for text, number in said]


def population_risks(release: Release, population: Table) -> PopulationRisk:
    """Compare each class of published rows with the people of the population who fit it.

    Rows that look alike in their quasi-identifiers are a class of f rows; F people of the
    population fit it. k-map: F >= k everywhere [Sweeney2001]. Journalist: 1/F at most, and 1 where
    nobody in the population fits [ElEmam2008]. Marketer: the mean of 1/F over all rows
    [Dankar2010]. δ-presence: the probability of being in the release, over all people of the
    population [Nergiz2007].
    """
    if population.n_people == 0:
        raise ReleaseError("the population is empty")
    fitting = fit_population(release, population)
    located = _whereabouts(fitting)
    matches, rows = fitting.matches, fitting.rows
    least = int(matches.min(initial=population.n_people))
    published = int(rows.sum())
    is_open = _matches_anything(release, population)
    shares = [None] * len(fitting.people) if is_open else presence(fitting)
    known = [share for share in shares if share is not None]
    is_unclear = np.array([share is None for share in shares], dtype=bool)
    return PopulationRisk(
        n_population=population.n_people,
        rows_are_people=population.rows_are_people,
        n_published=published,
        k_map=least,
        journalist=Fraction(1, max(least, 1)),
        n_worst=int(rows[matches == least].sum()),
        marketer=_marketer(fitting),
        presence=(min(known), max(known)) if known else None,
        n_unclear=int(fitting.people[is_unclear].sum()),
        n_unmatched=int(rows[matches == 0].sum()),
        n_lacking=int(rows[matches < rows].sum()),
        located=located,
        matches_anything=is_open,
    )


def _matches_anything(release: Release, population: Table) -> bool:
    """Whether people fit rows only because a missing value may be any value, on either side."""
    if population.missing == "any" and missing_cells(population.cells).any():
        return True
    return release.shows_missing and population.missing != "value"


def _whereabouts(fitting: Fitting) -> Whereabouts:
    """How many people of the population fit one class, several or none; refuse if all fit none."""
    n_classes = np.diff(fitting.starts)
    counts = [int(fitting.people[which].sum()) for which in
              (n_classes == 1, n_classes > 1, n_classes == 0)]  # fmt: skip
    if not counts[0] + counts[1]:
        raise ReleaseError(
            f"nobody is located: none of the {counts[2]:,} people of the population fits a "
            f"published row; are its columns spelled as in the release?"
        )
    return Whereabouts(*counts)


def _marketer(fitting: Fitting) -> Fraction:
    """The mean of 1/F over all rows, at most 1 [Dankar2010]."""
    pairs = zip(fitting.rows.tolist(), np.maximum(fitting.matches, 1).tolist(), strict=True)
    expected = sum((Fraction(f, F) for f, F in pairs), Fraction(0))
    return min(expected / max(int(fitting.rows.sum()), 1), Fraction(1))


def fit_population(release: Release, population: Table) -> Fitting:
    """Which people of the population fit which published rows."""
    found = release.candidates(population)
    people = population.cells.people
    if not release.group_form.is_exact:
        return Fitting(people, release.groups.sizes, found.starts, found.groups)
    # Quasi-identifiers are published unchanged: the rows with a cell's values are its class.
    rows = Ragged(found.rows, found.starts).sums()
    here = np.flatnonzero(rows)
    starts = starts_of(rows > 0)
    elsewhere = int(release.groups.sizes.sum() - rows.sum())
    listed = np.append(rows[here], elsewhere) if elsewhere else rows[here]
    return Fitting(people, listed, starts, np.arange(len(here)))
