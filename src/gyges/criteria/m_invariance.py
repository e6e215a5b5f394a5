"""m-invariance: a growing table can be published again without exposing anyone by comparison.

A person keeps the same set of possible values from release to release. So intersecting the
releases rules out no value, and within one release no value has a probability above 1/m.

This file checks the definition. The authors' algorithm, which adds counterfeit people to groups
that would otherwise miss a value, is not implemented; counterfeits in a release are members like
any other, with names of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from gyges.arguments import items
from gyges.arrays import BoolArray, IntArray
from gyges.criteria.base import Needs, Proposed, Risk
from gyges.criteria.verdict import Failure, Verdict, judge
from gyges.criteria.worst_group import ByLeastCount
from gyges.data.values import text_of
from gyges.errors import RuleError
from gyges.exact import whole
from gyges.release.groups import Groups, check_groups

CHANGED = "changed"  # equals no signature: for a person whose earlier releases already disagree


@dataclass(frozen=True, eq=False)
class MInvariance(ByLeastCount):
    """m-unique, and no person's signature changes [Xiao2007].

    Every group has at least `m` people, all with different values; and every person who was in an
    earlier release is again in a group with the same set of values (its signature). The authors
    require the latter while a person stays in the table; here it holds for all earlier releases,
    because an attacker keeps them all.

    >>> monday = Groups.from_lists([["Flu", "Gout"]], members=[["Ann", "Bob"]])
    >>> friday = Groups.from_lists([["Flu", "Gout"]], members=[["Ann", "Eve"]])
    >>> judge(MInvariance(2, earlier=[monday]), friday).safe
    True
    """

    m: int
    earlier: Sequence[Groups] = field(default=(), compare=False)
    is_monotone: ClassVar[bool] = False  # merged groups may hold a value twice
    needs: ClassVar[Needs] = "earlier"  # a release does not list who was in an earlier one

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", whole(self.m, "m", least=1))
        object.__setattr__(self, "earlier", tuple(items(self.earlier, "earlier", "groups")))
        for number, groups in enumerate(self.earlier, start=1):
            _refuse_nameless(
                check_groups(groups, f"earlier release {number}"), f"earlier release {number}"
            )

    @property
    def least_count(self) -> int:
        """m."""
        return self.m

    def count_each(self, groups: Groups) -> IntArray:
        """The largest m for which each group is m-invariant.

        That is its size; 0 where a value repeats or a member had another signature before.
        """
        if groups.values_per_person != "one":
            raise RuleError("m-invariance is defined for one sensitive value per person")
        size = np.where(groups.n_distinct == groups.sizes, groups.sizes, 0)
        if self.earlier and len(groups):
            size[~self._keeps_signatures(groups)] = 0
        return size

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The m that is reached."""
        if reached >= 1:
            yield f"m = {reached}", MInvariance(int(reached), self.earlier)

    def __str__(self) -> str:
        alone = f"every group has at least {self.m} people, all with different values"
        if not self.earlier:
            return alone
        times = f"{len(self.earlier)} earlier release" + "s" * (len(self.earlier) > 1)
        return f"{alone}, and every person keeps their group's set of values from {times}"

    def _keeps_signatures(self, groups: Groups) -> BoolArray:
        _refuse_nameless(groups, "the release")
        assert groups.members is not None
        now = _signatures(groups)
        before = self._signature_of_person
        return np.array(
            [
                all(before.get(name, now[g]) == now[g] for name in members)
                for g, members in enumerate(groups.members)
            ]
        )

    @cached_property
    def _signature_of_person(self) -> dict[str, object]:
        """The signature of each person of an earlier release; CHANGED where it differs."""
        found: dict[str, object] = {}
        for groups in self.earlier:
            for signature, members in zip(_signatures(groups), groups.members or [], strict=True):
                for name in members:
                    if found.setdefault(name, signature) != signature:
                        found[name] = CHANGED
        return found


def m_invariance(releases: Iterable[Groups], m: int) -> Verdict:
    """Judge a whole sequence of releases, first to last: each against all before it.

    >>> monday = Groups.from_lists([["Flu", "Gout"]], members=[["Ann", "Bob"]])
    >>> friday = Groups.from_lists([["Flu", "Cold"]], members=[["Ann", "Eve"]])
    >>> print(m_invariance([monday, friday], 2))
    not safe
      fails: release 2: every group has at least 2 people, all with different values, and \
every person keeps their group's set of values from 1 earlier release (worst case: 0, in group 1)
    """
    sequence = list(releases)
    if not sequence:
        raise RuleError("give at least one release")
    risks: dict[str, Risk] = {}
    failures: list[Failure] = []
    for place, groups in enumerate(sequence):
        verdict = judge(MInvariance(m, earlier=sequence[:place]), groups)
        number = f"release {place + 1}: "
        risks |= {number + rule: risk for rule, risk in verdict.risks.items()}
        failures += [
            Failure(number + str(f.rule), f.risk, f.groups, f.risks, f.detail)
            for f in verdict.failures
        ]
    return Verdict(safe=not failures, risks=risks, failures=tuple(failures))


def _signatures(groups: Groups) -> list[frozenset[str]]:
    """The set of values of each group, as text: the same value in every release."""
    texts = [text_of(value) for value in groups.values]
    held = np.split(groups.value_codes, groups.starts[1:-1])
    return [frozenset(texts[code] for code in codes) for codes in held]


def _refuse_nameless(groups: Groups, what: str) -> None:
    if groups.members is None:
        raise RuleError(
            f"{what} does not list the members of its groups: m-invariance follows people from "
            f"release to release, so give groups with members"
        )
