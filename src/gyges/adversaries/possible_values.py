"""How many sensitive values stay possible for each person, by each release and by all together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from gyges.adversaries.bayesian_composition import BayesianAttack, multiply
from gyges.adversaries.located_people import Located
from gyges.arrays import BoolArray, IntArray, frozen
from gyges.exact import Number, probability
from gyges.kernels.bit_sets import WORD, WordArray, add_common, cardinalities, pack
from gyges.notebook import NotebookCard
from gyges.release.locating import NOWHERE, SEVERAL

_BLOCK = 64 * WORD  # values packed at once: memory stays at 512 bytes per group


@dataclass(frozen=True, eq=False)
class PossibleValues(NotebookCard):
    """The numbers of possible values; rows are people, columns releases.

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
        frozen(self.prior, self.posterior)

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
        return at_least(self.posterior, probability(confidence)) & self.located.is_anywhere

    def exposed_before(self, confidence: Number) -> Fraction:
        """The share of people whom one release exposes by itself."""
        return self._share(self._is_exposed_before(confidence))

    def is_exposed_by_joining(self, confidence: Number) -> BoolArray:
        """Whom the releases together expose, and none of them alone."""
        return self.is_exposed(confidence) & ~self._is_exposed_before(confidence)

    def _is_exposed_before(self, confidence: Number) -> BoolArray:
        alone = at_least(self.prior.min(axis=1), probability(confidence))
        return alone & self.located.is_anywhere

    @property
    def average_drop(self) -> Fraction:
        """The mean over people of min_j EA_ij - |S_i| [Ganta2008, Sect. 2.1]."""
        return Fraction(int(self.drop.sum()), len(self.posterior))

    @property
    def average_drop_by_release(self) -> list[Fraction]:
        """For each release j the mean EA_ij - the mean |S_i| [Ganta2008, Sect. 3.3]."""
        lost = self.prior.sum(axis=0) - self.posterior.sum()
        return [Fraction(int(total), len(self.posterior)) for total in lost]

    @cached_property
    def bayesian(self) -> BayesianAttack:
        """The same people attacked by multiplying shares, as if releases were independent."""
        return multiply(self.located)

    def _card_title(self) -> str:
        return "The attacker who has several releases"

    def _share(self, which: BoolArray) -> Fraction:
        return Fraction(int(which.sum()), len(which))


def numbers_by_intersection(located: Located) -> tuple[IntArray, IntArray]:
    """EA_ij and |S_i| where S_i is the intersection of the groups' values [Ganta2008, Alg. 1]."""
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
    return prior, posterior


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


def at_least(n_possible: IntArray, confidence: Fraction) -> BoolArray:
    """1/n >= C, exactly: n · numerator <= denominator."""
    if confidence == 0:
        return n_possible > 0
    most = confidence.denominator // confidence.numerator  # n <= 1/C, and n is whole
    return (n_possible > 0) & (n_possible <= most)
