"""The attacker who uses all counts of all releases at once: worlds instead of sets.

They know who is in which group of which release, and that nobody's value changes from one release
to another. A world gives everyone a value such that every group of every release has its published
counts; all worlds are equally likely. A value is possible for a person if some world has it,
certain if all have it, and its probability is the share of worlds that have it. With one release
that is its share in the group. Intersecting sets [Ganta2008] is weaker: it ignores how often values
occur and what is known of the others.

What is excluded is proven to be impossible; what is shown is proven to be possible. Where the two
do not meet, a count of certain people is a lower bound, and that is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain

import numpy as np

from gyges.adversaries.joint_counts import JointCounts, joint_counts
from gyges.adversaries.joint_shares import JointShares
from gyges.adversaries.joint_solution import JointSolution, solve
from gyges.adversaries.known_world import world_of
from gyges.adversaries.located_people import Located
from gyges.adversaries.people_lookup import Locatable, locate
from gyges.adversaries.possible_values import (
    PossibleValues,
    at_least,
    numbers_by_intersection,
)
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.data.table import Table
from gyges.data.values import Value, text_of
from gyges.errors import RuleError
from gyges.exact import Number, counted, percent, probability
from gyges.release.groups import Groups
from gyges.release.locating import NOWHERE

IF_ALL_PRESENT = "if everyone who fits a group is in it"


@dataclass(frozen=True, eq=False)
class JointAttack(PossibleValues):
    """What the joint attacker knows about each person; |S_i| counts the values not excluded.

    About people on whom the releases contradict each other, no world can tell: S_i is then the
    intersection of their groups' values.
    """

    counts: JointCounts = field(repr=False)
    solution: JointSolution = field(repr=False)
    cohort: IntArray = field(repr=False)  # of each person
    by_intersection: IntArray = field(repr=False)  # |S_i| of the intersecting attacker
    is_presence_known: bool  # false: everyone who fits a group is taken to be in it

    @property
    def contradicted(self) -> BoolArray:
        """About whom no world agrees with all releases: a wrong group, or a value that changed."""
        return np.asarray(self.solution.is_contradicted[self.cohort] | (self.posterior == 0))

    def is_exposed(self, confidence: Number) -> BoolArray:
        """Who is exposed in all worlds; nobody about whom the releases contradict each other."""
        return super().is_exposed(confidence) & ~self.contradicted

    @property
    def certain(self) -> BoolArray:
        """Whose value is the same in all worlds; proven if `is_presence_known`."""
        return self.is_exposed(1)

    def is_undecided(self, confidence: Number) -> BoolArray:
        """Who is not exposed at this confidence by what is proven, but may be.

        Fewer values were shown to be possible than would protect the person, or the attacker may
        know better than we do whether they are in a release.
        """
        may_be = at_least(np.maximum(self.n_shown, 1), probability(confidence))
        may_be |= self.counts.is_unplaced[self.cohort]
        return may_be & self.located.is_anywhere & ~self.is_exposed(confidence)

    @cached_property
    def n_shown(self) -> IntArray:
        """How many values were shown to be possible for each person, by a world that has them."""
        shown = np.bincount(
            self.counts.cohort[self.solution.is_shown], minlength=len(self.counts.people)
        )
        return np.asarray(shown[self.cohort])

    @cached_property
    def possible(self) -> list[set[Value]]:
        """The values that are not excluded, for each person; proven for all others."""
        values, by_cohort = self.located.values, self._codes_by_cohort
        return [{values[code] for code in by_cohort[c]} for c in self.cohort.tolist()]

    @cached_property
    def _codes_by_cohort(self) -> dict[int, list[int]]:
        """The codes that are not excluded, for each cohort of the people attacked."""
        starts, everything = self.counts.starts, list(range(len(self.located.values)))
        found = {}
        for c in np.unique(self.cohort).tolist():
            own = slice(starts[c], starts[c + 1])
            codes = self.counts.value[own]
            if not self.solution.is_contradicted[c]:
                codes = codes[self.solution.high[own] > 0]
            is_free = self.counts.totals[c] < 0 and not self.solution.is_contradicted[c]
            found[c] = everything if is_free else codes.tolist()
        return found

    @cached_property
    def bayesian(self) -> JointShares:  # type: ignore[override]
        """The same people attacked by the share of joint worlds, not by multiplying shares."""
        return JointShares(self.located, self.counts, self.solution, self.cohort)

    @property
    def probability(self) -> FloatArray:
        """The share of worlds in which each person has each value: people × values.

        Exact up to rounding where `is_exact_for`; elsewhere an estimate between proven `bounds`,
        with an `interval` where worlds were sampled. NaN about whom the releases contradict each
        other.
        """
        return self.bayesian.probability

    @property
    def is_exact_for(self) -> BoolArray:
        """For each person, whether all worlds were counted."""
        return self.bayesian.is_exact_for

    @property
    def is_exact(self) -> np.bool_:
        """Whether all probabilities are exact."""
        return self.is_exact_for.all()

    def exact_probability(self, person: str | int) -> dict[Value, Fraction]:
        """The share of worlds of each possible value of one person, given by name or place."""
        row = self.located.row(person)
        c = int(self.cohort[row])
        if not self.is_exact_for[row]:
            raise RuleError(
                "the worlds were not counted for that person: see .probability for an estimate, "
                ".intervals for its error and .bounds for what is proven"
            )
        values, low, means = self.located.values, self.solution.low, self.solution.means
        if self.counts.totals[c] < 0:
            return {value: Fraction(1, len(values)) for value in values}
        n_people = int(self.counts.people[c])
        return {
            values[self.counts.value[u]]: means.get(u, Fraction(int(low[u]))) / n_people
            for u in range(self.counts.starts[c], self.counts.starts[c + 1])
            if self.solution.high[u] > 0
        }

    def intervals(self, person: str | int) -> dict[Value, tuple[float, float]]:
        """The 95% interval of each probability of one person that was estimated by sampling.

        Empty where it is exact, or where no world is known from which to sample. An estimate: it
        proves nothing. `bayesian.n_worlds` says how many worlds were drawn.
        """
        row = self.located.row(person)
        found = {
            value: self.bayesian.interval(row, code)
            for code, value in enumerate(self.located.values)
        }
        return {value: between for value, between in found.items() if between is not None}

    def bounds(self, person: str | int) -> dict[Value, tuple[Fraction, Fraction]]:
        """Proven bounds of the probability of each value that is not excluded for one person.

        By sums, slices and linear programs; a bound is a whole number of the person's cohort, so
        of someone alone in a cohort it is 0 and 1 unless the value is excluded or certain.
        """
        row = self.located.row(person)
        c = int(self.cohort[row])
        if self.counts.totals[c] < 0 or self.solution.is_contradicted[c]:
            return {value: (Fraction(0), Fraction(1)) for value in self.possible[row]}
        n_people, solution = int(self.counts.people[c]), self.solution
        own = range(self.counts.starts[c], self.counts.starts[c + 1])
        bounds = {u: solution.bounds_of(u) for u in own if solution.high[u] > 0}
        return {
            self.located.values[self.counts.value[u]]: (
                Fraction(least, n_people),
                Fraction(most, n_people),
            )
            for u, (least, most) in bounds.items()
        }

    def __str__(self) -> str:
        n_people, n_certain = len(self.posterior), int(self.certain.sum())
        n_open, n_contradicted = int(self.is_undecided(1).sum()), int(self.contradicted.sum())
        basis = "proven" if self.is_presence_known else IF_ALL_PRESENT
        open_ = "at least " if (self.n_shown < self.posterior)[~self.contradicted].any() else ""
        lines = [
            f"{counted(n_people, 'person')} in {len(self.located.releases)} releases",
            f"  the value is certain for {'at least ' if n_open else ''}{n_certain:,} of them "
            f"({percent(Fraction(n_certain, n_people))}, {basis}), for "
            f"{int((self.certain & self.already_disclosed).sum()):,} of these from one release "
            f"alone, for {int((self.by_intersection == 1).sum()):,} by intersecting sets",
            f"  {open_}{int(self.vulnerable.sum()):,} of {n_people:,} people have fewer possible "
            f"values left than in any one release ({open_}{float(self.average_drop):.2f} fewer on "
            f"average over everyone)",
        ]
        if n_open:
            lines.append(f"  not excluded either: that it is certain for {n_open:,} others")
        if n_contradicted:
            lines.append(f"  the releases contradict each other on {n_contradicted:,}")
        lines += [f"  release {j}: {where}" for j, where in enumerate(self.located.counts, 1)]
        lines += [
            f"  release {j} holds {counted(n, 'more person', 'more people')}: nothing was examined "
            f"about those who are not listed"
            for j, n in enumerate(self.located.n_unlisted, 1)
            if n
        ]
        return "\n".join(lines)


def joint_attack(
    releases: Sequence[Groups | Locatable],
    people: Sequence[str] | Table,
    present: Sequence[Sequence[bool]] | BoolArray | None = None,
    similar: Mapping[str, str] | None = None,
) -> JointAttack:
    """Attack people with all counts of all releases.

    The other members of groups take part in the worlds, but are not reported. The rows of a person
    in a table count once.
    """
    if isinstance(people, Table):
        everyone = locate(releases, people, similar).where_present(present)
        first = np.flatnonzero(people.is_first_row)
        return attack_located(everyone, people, first, similar, present is not None)
    asked = locate(releases, people, similar).where_present(present)
    names = asked.names or []
    listed = list(dict.fromkeys(chain(names, *(_members(release) for release in releases))))
    place = {name: row for row, name in enumerate(listed)}
    everyone = locate(releases, listed, similar)
    if present is not None:
        where = np.ones(everyone.found.shape, dtype=bool)
        where[[place[name] for name in names]] = np.asarray(present)
        everyone = everyone.where_present(where)
    counts = joint_counts(everyone, np.arange(len(listed)))
    rows = np.array([place[name] for name in names])
    return _attack(
        asked, replace(counts, cohort_of_person=counts.cohort_of_person[rows]), None, True
    )


def _members(release: Groups | Locatable) -> Sequence[str]:
    return list(chain.from_iterable(release.members or ())) if isinstance(release, Groups) else []


def attack_located(
    everyone: Located,
    people: Table,
    rows: IntArray,
    similar: Mapping[str, str] | None = None,
    is_presence_known: bool = True,
) -> JointAttack:
    """Attack people who were located: those of a table, and after them others.

    Args:
        rows: of `everyone`, the first one of each person.
    """
    counts = joint_counts(everyone, rows)
    known = rows[rows < len(people)]
    value = _codes_in_table(people, everyone.values, known, similar or {})
    world = None
    if value is not None:
        world = world_of(counts, counts.cohort_of_person[known], value)
    return _attack(everyone, counts, world, is_presence_known)


def _codes_in_table(
    people: Table, values: list[Value], rows: IntArray, similar: Mapping[str, str]
) -> IntArray | None:
    """The values of rows of a table, if it has one for each person and the releases have them."""
    if people.schema.sensitive is None or people.schema.values_per_person != "one":
        return None
    place = {text_of(value): code for code, value in enumerate(values)}
    texts = [text_of(value) for value in people.sensitive_values]
    code = np.array([place.get(similar.get(text, text), len(values)) for text in texts])
    return np.asarray(code[people.value_of_row[rows]])


def _attack(
    located: Located, counts: JointCounts, world: IntArray | None, is_presence_known: bool
) -> JointAttack:
    solution, cohort = solve(counts, world), counts.cohort_of_person
    located = _without_crowded(located, counts)
    prior, by_intersection = numbers_by_intersection(located)
    n_left = np.bincount(counts.cohort[solution.high > 0], minlength=len(counts.people))
    n_left[counts.totals[: len(n_left)] < 0] = len(located.values)
    posterior = np.where(solution.is_contradicted[cohort], by_intersection, n_left[cohort])
    return JointAttack(
        located, prior, posterior, counts, solution, cohort, by_intersection, is_presence_known
    )


def _without_crowded(located: Located, counts: JointCounts) -> Located:
    """The same people; a group that more people fit than it holds says nothing about them."""
    is_own = located.group_of < np.array(located.n_own)
    is_crowded = is_own & (counts.groups[counts.cohort_of_person] < 0)
    return replace(located, group_of=np.where(is_crowded, NOWHERE, located.group_of))
