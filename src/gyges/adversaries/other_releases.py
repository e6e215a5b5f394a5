"""The attacker who holds other releases about the same people [Ganta2008].

They know people's quasi-identifiers (or their groups) and have several releases about these people,
each published without regard to the others. They find each person's group in every release and
intersect the sensitive values of these groups. They succeed if few values stay possible; one is a
perfect breach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from gyges.adversaries.bayesian_composition import BayesianAttack, multiply
from gyges.adversaries.people_lookup import NOWHERE, SEVERAL, Locatable, Located, locate
from gyges.arrays import BoolArray, IntArray, frozen
from gyges.data.table import Table
from gyges.data.values import Value
from gyges.exact import Number, counted, percent, probability
from gyges.kernels.bit_sets import WORD, WordArray, add_common, cardinalities, pack
from gyges.notebook import NotebookCard
from gyges.release.groups import Groups

__all__ = ["NOWHERE", "SEVERAL", "IntersectionAttack", "Locatable", "intersection_attack"]

_BLOCK = 64 * WORD  # values packed at once: memory stays at 512 bytes per group


@dataclass(frozen=True, eq=False)
class IntersectionAttack(NotebookCard):
    """What the intersecting attacker knows about each person; rows are people, columns releases.

    EA_ij values are possible for person i by release j alone [Ganta2008, Def. 8], the set S_i by
    all of them together.

    A person who fits several groups of a release is in one of them: the values of all of them are
    possible. A release in which a person is not located says nothing about them: all values are
    possible. Shares are of all people of the attack.
    """

    located: Located
    prior: IntArray  # people × releases: EA_ij
    posterior: IntArray  # people: |S_i|

    def __post_init__(self) -> None:
        frozen(self.prior)
        frozen(self.posterior)

    @cached_property
    def drop(self) -> IntArray:
        """How many values each person loses: min_j EA_ij - |S_i| [Ganta2008, Sect. 2.1]."""
        return np.asarray(self.prior.min(axis=1) - self.posterior)

    @property
    def vulnerable(self) -> BoolArray:
        """Who loses possible values by combining releases: a positive drop."""
        return self.drop > 0

    @property
    def contradicted(self) -> BoolArray:
        """Whose releases contradict each other: a wrong group, or a value that changed."""
        return np.asarray(self.posterior == 0)

    @property
    def already_disclosed(self) -> BoolArray:
        """Whose value one release reveals by itself."""
        return np.asarray(self.prior.min(axis=1) == 1)

    @property
    def n_unlocated(self) -> IntArray:
        """For each release, how many of the people are certainly in none of its groups."""
        return np.asarray((self.located.found == NOWHERE).sum(axis=0))

    @property
    def n_ambiguous(self) -> IntArray:
        """For each release, how many of the people fit several of its groups."""
        return np.asarray((self.located.found == SEVERAL).sum(axis=0))

    def exposed(self, confidence: Number) -> Fraction:
        """The share of people whose value is known with at least `confidence`, PVP_C / 100."""
        return self._share(self.is_exposed(confidence))

    def is_exposed(self, confidence: Number) -> BoolArray:
        """VP_C: |S_i| · C <= 1 in whole numbers; nobody whose S_i is empty or who is not located.

        [Ganta2008, Def. 9] prints the prior anonymity where the posterior is meant.
        """
        return _at_least(self.posterior, probability(confidence)) & self.located.is_anywhere

    def exposed_before(self, confidence: Number) -> Fraction:
        """The share of people whom one release exposes by itself."""
        alone = _at_least(self.prior.min(axis=1), probability(confidence))
        return self._share(alone & self.located.is_anywhere)

    @property
    def average_drop(self) -> Fraction:
        """The mean over people of min_j EA_ij - |S_i| [Ganta2008, Sect. 2.1]."""
        return Fraction(int(self.drop.sum()), len(self.posterior))

    @property
    def average_drop_by_release(self) -> list[Fraction]:
        """For each release j the mean EA_ij - the mean |S_i| [Ganta2008, Sect. 3.3]."""
        lost = self.prior.sum(axis=0) - self.posterior.sum()
        return [Fraction(int(total), len(self.posterior)) for total in lost]

    def possible(self, person: str | int) -> list[Value]:
        """The values that stay possible for one person, given by name or place."""
        groups = self.located.group_of[self.located.row(person)].tolist()
        pairs = zip(self.located.releases, groups, strict=True)
        held = [set(release.value_counts_in(group)) for release, group in pairs if group >= 0]
        everything = set(range(len(self.located.values)))
        return [self.located.values[code] for code in sorted(everything.intersection(*held))]

    @cached_property
    def bayesian(self) -> BayesianAttack:
        """The same attack by combining the groups' shares: never less confident than this one."""
        return multiply(self.located)

    def __str__(self) -> str:
        people = len(self.posterior)
        certain = self.is_exposed(1)
        lines = [
            f"{counted(people, 'person')} in {counted(len(self.located.releases), 'release')}",
            f"  the value is certain for {certain.sum():,} of them "
            f"({percent(self.exposed(1))}), for {(certain & self.already_disclosed).sum():,} of "
            f"these from one release alone",
            f"  fewer values stay possible for {counted(int(self.vulnerable.sum()), 'person')}, "
            f"{float(self.average_drop):.2f} fewer on average",
        ]
        if self.contradicted.any():
            lines.append(f"  the releases contradict each other on {self.contradicted.sum():,}")
        lines += [f"  release {j}: {where}" for j, where in enumerate(self.located.counts, 1)]
        return "\n".join(lines)

    def _card_title(self) -> str:
        return "The attacker who has several releases"

    def _share(self, which: BoolArray) -> Fraction:
        return Fraction(int(which.sum()), len(which))


def intersection_attack(
    releases: Sequence[Groups | Locatable], people: Sequence[str] | Table
) -> IntersectionAttack:
    """Intersect what several releases say about the same people [Ganta2008, Alg. 1].

    Args:
        releases: groups with members, or releases that locate people by quasi-identifiers.
        people: names of members, or a table of people with their quasi-identifiers.

    >>> one = Groups.from_lists([["AIDS", "Heart", "Viral"]], members=[["Alice", "Bob", "Carl"]])
    >>> two = Groups.from_lists([["AIDS", "Flu"]], members=[["Alice", "Eve"]])
    >>> attack = intersection_attack([one, two], people=["Alice"])
    >>> attack.prior, attack.posterior, attack.possible("Alice")
    (array([[3, 2]]), array([1]), ['AIDS'])
    """
    located = locate(releases, people)
    n_values = len(located.values)
    first = np.cumsum([0, *(len(groups) for groups in located.releases)])
    prior = np.zeros(located.group_of.shape, dtype=np.int64)
    posterior = np.zeros(len(located), dtype=np.int64)
    for block in range(0, n_values, _BLOCK):
        words = _bits(located, block, min(_BLOCK, n_values - block))
        sizes = cardinalities(words)
        for j, group in enumerate(located.group_of.T):
            prior[:, j] += sizes[np.where(group >= 0, group + first[j], -1)]
        add_common(words, first, located.group_of, posterior)
    return IntersectionAttack(located, prior, posterior)


def _bits(located: Located, block: int, size: int) -> WordArray:
    """The values `block` to `block + size` of all groups of all releases as bits."""
    sets, codes, n_sets = [], [], 0
    for groups in located.releases:
        inside = (groups.value_codes >= block) & (groups.value_codes < block + size)
        whole = bool(inside.all())  # the usual case: nothing to pick out
        sets.append(n_sets + (groups.group_of_entry if whole else groups.group_of_entry[inside]))
        codes.append(groups.value_codes if whole else groups.value_codes[inside])
        n_sets += len(groups)
    numbers = np.concatenate(codes).astype(np.int64) - block
    return pack(np.concatenate(sets), numbers, n_sets, size)


def _at_least(n_possible: IntArray, confidence: Fraction) -> BoolArray:
    """1/n >= C, exactly: n · numerator <= denominator."""
    if confidence == 0:
        return n_possible > 0
    most = confidence.denominator // confidence.numerator  # n <= 1/C, and n is whole
    return (n_possible > 0) & (n_possible <= most)
