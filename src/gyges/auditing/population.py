"""Risks for which it matters who else lives there: a release against a table of the population.

The journalist re-identifies any one person and does not know who is in the release; the marketer as
many as they can; the last attacker only asks whether somebody is in it. Columns that are published
unchanged are not compared: a population is described by the quasi-identifiers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gyges.adversaries.people_lookup import Whereabouts
from gyges.auditing.finding import Audited, Finding, Knowledge, Sheet, people_text, share_text
from gyges.auditing.presence import Fitting, presence
from gyges.data.table import Table
from gyges.errors import ReleaseError
from gyges.ragged import Ragged, starts_of
from gyges.release.release import Release

TOPIC = "Within the population"


@dataclass(frozen=True, slots=True)
class PopulationRisk:
    """What an attacker learns who holds a table of the population."""

    n_population: int
    n_published: int
    k_map: int  # every published row fits at least so many people of the population
    journalist: Fraction  # the largest chance to name the right person for a row: 1/k_map
    n_worst: int  # published people at that risk
    marketer: Fraction  # the share of rows for which a guess names the right person, on average
    presence: tuple[Fraction, Fraction] | None  # δ: the least and the greatest probability to be in
    n_unclear: int  # people whose presence was not computed: see `presence`
    n_unmatched: int  # published people whom nobody of the population fits
    n_lacking: int  # published people whose class has fewer people in the population than rows
    located: Whereabouts  # of the people of the population among the classes of rows


class PopulationList:
    """Holds a list of the population: names one person, names all, or asks who is in it."""

    def findings(self, release: Audited, knowledge: Knowledge) -> list[Finding]:
        """k-map, journalist, marketer and δ-presence; needs the population."""
        if knowledge.population is None or not isinstance(release, Release):
            return []
        return findings_of(population_risks(release, knowledge.population))


def findings_of(risk: PopulationRisk) -> list[Finding]:
    """The risks of a release against a population, as sentences."""
    return [*_naming(risk), *_being_in(risk), *_lacking(risk)]


def _naming(risk: PopulationRisk) -> list[Finding]:
    return [
        Finding(
            "journalist",
            f"An attacker who holds a list of the population of {risk.n_population:,} people and "
            f"wants to name one of them (journalist) is right with probability "
            f"{share_text(risk.journalist)} at most; that is the risk for "
            f"{people_text(risk.n_worst, risk.n_published)}.",
            number=risk.journalist,
            topic=TOPIC,
            place="summary",
            details=Sheet((("people of the population", str(risk.located)),)),
            measures={"population": risk},
        ),
        Finding(
            "journalist",
            f"Every published row fits at least {risk.k_map:,} people of the population (k-map).",
            number=risk.k_map,
            topic=TOPIC,
        ),
        Finding(
            "marketer",
            f"An attacker who holds the list and names a person for every row (marketer) is right "
            f"for {share_text(risk.marketer)} of the rows on average.",
            number=risk.marketer,
            topic=TOPIC,
        ),
    ]


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
                f"Not checked: how likely {people_text(risk.n_unclear, risk.n_population)} of the "
                f"population are to be in the release, because too many labels overlap or the "
                f"population lacks people who were published.",
                number=risk.n_unclear,
                topic=TOPIC,
                is_checked=False,
            )
        )
    return found


def _range(low: Fraction, high: Fraction) -> str:
    if low == high:
        return f"is {share_text(low)}"
    return f"lies between {share_text(low)} and {share_text(high)}"


def _lacking(risk: PopulationRisk) -> list[Finding]:
    said = []
    if risk.n_unmatched:
        said.append(
            (
                f"{risk.n_unmatched:,} published people fit nobody of the population: it does not "
                f"contain them, or describes them differently. They count as re-identified.",
                risk.n_unmatched,
            )
        )
    if risk.n_lacking > risk.n_unmatched:
        said.append(
            (
                f"{risk.n_lacking:,} published people are in classes of rows that fit fewer people "
                f"of the population than there are rows: the population is not complete.",
                risk.n_lacking,
            )
        )
    return [Finding("journalist", text, number=number, topic=TOPIC) for text, number in said]


def population_risks(release: Release, population: Table) -> PopulationRisk:
    """Compare each class of published rows with the people of the population whom it fits.

    Rows that look alike in their quasi-identifiers are a class of f rows; F people of the
    population fit it. k-map: F >= k everywhere [Sweeney2001]. Journalist: 1/F at most, and 1 where
    the population has nobody [ElEmam2008]. Marketer: the mean of 1/F over all rows [Dankar2010].
    δ-presence: the probability to be in, over all people of the population [Nergiz2007].
    """
    if population.n_people == 0:
        raise ReleaseError("the population is empty")
    fitting = fit_population(release, population)
    located = _located(fitting)
    if located.in_none == population.n_people:
        raise ReleaseError(
            f"nobody is located: none of the {population.n_people:,} people of the population fits "
            f"a published row; are its columns spelled as in the release?"
        )
    matches, rows = fitting.matches, fitting.rows
    least = int(matches.min(initial=population.n_people))
    known = np.maximum(matches, 1)
    expected = sum(
        (Fraction(int(n), int(d)) for n, d in zip(rows, known, strict=True)), Fraction(0)
    )
    published = int(rows.sum())
    probable = presence(fitting)
    certain = [share for share in probable if share is not None]
    unclear = sum(
        int(n) for n, share in zip(fitting.people, probable, strict=True) if share is None
    )
    return PopulationRisk(
        n_population=population.n_people,
        n_published=published,
        k_map=least,
        journalist=Fraction(1, max(least, 1)),
        n_worst=int(rows[matches == least].sum()),
        marketer=min(expected / published, Fraction(1)) if published else Fraction(0),
        presence=(min(certain), max(certain)) if certain else None,
        n_unclear=unclear,
        n_unmatched=int(rows[matches == 0].sum()),
        n_lacking=int(rows[matches < rows].sum()),
        located=located,
    )


def _located(fitting: Fitting) -> Whereabouts:
    n_classes = np.diff(fitting.starts)
    counts = [int(fitting.people[which].sum()) for which in
              (n_classes == 1, n_classes > 1, n_classes == 0)]  # fmt: skip
    return Whereabouts(*counts)


def fit_population(release: Release, population: Table) -> Fitting:
    """Which people of the population fit which published rows."""
    found = release.candidates(population)
    people = population.cells.people
    if release.form != "bucketized":
        return Fitting(people, release.groups.sizes, found.starts, found.groups)
    # Quasi-identifiers are published as they are: the rows with a cell's values are its class.
    rows = Ragged(found.rows, found.starts).sums()
    here = np.flatnonzero(rows)
    starts = starts_of(rows > 0)
    elsewhere = int(release.groups.sizes.sum() - rows.sum())
    listed = np.append(rows[here], elsewhere) if elsewhere else rows[here]
    return Fitting(people, listed, starts, np.arange(len(here)))
