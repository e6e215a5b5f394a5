"""m-invariance: publishing a growing table again, so that old and new release may be compared.

A person keeps the same set of possible values from release to release. So intersecting what the
releases say of them takes nothing away, and within one release nobody's value is likelier than 1/m.

This is the check. The authors' algorithm, which puts counterfeit people into groups that would
otherwise lack a value, is not here; counterfeits that a release holds are members like any other,
with names of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from gyges.arguments import items
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import JudgesEach, Needs, Proposed, Risk, Unprepared, of_groups
from gyges.criteria.k_anonymity import NOBODY
from gyges.criteria.verdict import Failure, Verdict, judge
from gyges.data.values import text_of
from gyges.errors import RuleError
from gyges.exact import whole
from gyges.release.groups import Groups, check_groups

CHANGED = "changed"  # equals no signature: of a person whose earlier releases disagree already


@of_groups
@dataclass(frozen=True, eq=False)
class MInvariance(Unprepared, JudgesEach[int]):
    """m-unique, and nobody's signature changes [Xiao2007].

    Every group holds at least `m` people, all with different values; and everybody who was in an
    earlier release is again in a group with the same set of values (its signature). The authors
    ask the latter of a person's unbroken presence; here it is asked of everybody who ever was in
    an earlier release, because an attacker keeps them all.

    >>> monday = Groups.from_lists([["Flu", "Gout"]], members=[["Ann", "Bob"]])
    >>> friday = Groups.from_lists([["Flu", "Gout"]], members=[["Ann", "Eve"]])
    >>> judge(MInvariance(2, earlier=[monday]), friday).safe
    True
    """

    m: int
    earlier: Sequence[Groups] = field(default=(), compare=False)
    is_monotone: ClassVar[bool] = False  # merged groups may hold a value twice
    needs: ClassVar[Needs] = "earlier"  # who was in an earlier release is not published

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", whole(self.m, "m", least=1))
        object.__setattr__(self, "earlier", tuple(items(self.earlier, "earlier", "groups")))
        for number, groups in enumerate(self.earlier, start=1):
            _refuse_nameless(
                check_groups(groups, f"earlier release {number}"), f"earlier release {number}"
            )

    def summarize(self, groups: Groups) -> int:
        """The least invariance of a group."""
        return int(self._invariance(groups).min(initial=NOBODY))

    def merge(self, one: int, other: int) -> int:
        """The smaller of two."""
        return min(one, other)

    def risk(self, summary: int) -> int:
        """The largest m for which the release is m-invariant; 0 if for none."""
        return summary

    def holds(self, summary: int) -> bool:
        """At least m."""
        return summary >= self.m

    def risks(self, groups: Groups) -> FloatArray:
        """The invariance of each group."""
        return self._invariance(groups).astype(np.float64)

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups are unique enough and keep everybody's signature."""
        return np.asarray(self._invariance(groups) >= self.m)

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The m that is reached."""
        if reached >= 1:
            yield f"m = {reached}", MInvariance(int(reached), self.earlier)

    def __str__(self) -> str:
        alone = f"every group has at least {self.m} people, all with different values"
        if not self.earlier:
            return alone
        times = f"{len(self.earlier)} earlier release" + "s" * (len(self.earlier) > 1)
        return f"{alone}, and everybody keeps the group's set of values from {times}"

    def _invariance(self, groups: Groups) -> IntArray:
        """Each group's size; 0 where a value repeats or a member had another signature before."""
        if groups.values_per_person != "one":
            raise RuleError("m-invariance is defined for one sensitive value per person")
        size = np.where(groups.n_distinct == groups.sizes, groups.sizes, 0)
        if self.earlier and len(groups):
            size[~self._keeps_signatures(groups)] = 0
        return size

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
        """The signature of everybody in an earlier release; CHANGED where it differs among them."""
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
everybody keeps the group's set of values from 1 earlier release (worst case: 0, in group 1)
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
            f"{what} does not say who is in which group: m-invariance follows people from "
            f"release to release, so give the groups their members"
        )
