"""Risks for which it matters who else lives there: a release against a table of the population.

The journalist re-identifies any one person and does not know who is in the release; the marketer as
many as they can; the last attacker only asks whether somebody is in it. Columns that are published
unchanged are not compared: a population is described by the quasi-identifiers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gyges.adversaries.located import Whereabouts
from gyges.auditing.presence import Fitting, presence
from gyges.data.table import Table
from gyges.errors import ReleaseError
from gyges.exact import show
from gyges.ragged import Ragged, starts_of
from gyges.release.release import Release


@dataclass(frozen=True, slots=True)
class PopulationRisk:
    """What a release tells to somebody who holds a table of the population."""

    n_population: int
    n_published: int
    k_map: int  # every published row fits at least so many people of the population
    journalist: Fraction  # the largest chance to name the right person for a row: 1/k_map
    n_worst: int  # published people at that risk
    marketer: Fraction  # the share of rows for which a guess names the right person, on average
    presence: tuple[Fraction, Fraction] | None  # δ: the least and the greatest probability to be in
    n_unclear: int  # people whose presence was not computed, because labels overlap
    n_unmatched: int  # published people whom nobody of the population fits
    n_lacking: int  # published people whose class has fewer people in the population than rows
    located: Whereabouts  # of the people of the population among the classes of rows

    def __str__(self) -> str:
        lines = [
            f"against a population of {self.n_population:,} people ({self.located})",
            f"  every published row fits at least {self.k_map:,} of them (k-map)",
            f"  an attacker who wants to name any one person (journalist) is right with "
            f"probability {show(self.journalist)} at most, for {self.n_worst:,} people",
            f"  an attacker who guesses at every row (marketer) is right for "
            f"{show(self.marketer)} of them",
        ]
        if self.presence is not None:
            low, high = self.presence
            lines.append(
                f"  that somebody is in the release is between {show(low)} and {show(high)} likely "
                f"(δ-presence); before it was "
                f"{show(Fraction(self.n_published, max(self.n_population, self.n_published)))}"
            )
        if self.n_unclear:
            lines.append(
                f"  for {self.n_unclear:,} people that is not known: too many labels overlap there"
            )
        return "\n".join([*lines, *self._warnings()])

    def _warnings(self) -> list[str]:
        said = []
        if self.n_unmatched:
            said.append(
                f"  {self.n_unmatched:,} published people fit nobody of the population: it is not "
                f"theirs, or describes them otherwise; they count as found"
            )
        if self.n_lacking > self.n_unmatched:
            said.append(
                f"  {self.n_lacking:,} published people are more than the population has of their "
                f"kind: it does not hold them all"
            )
        return said


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
