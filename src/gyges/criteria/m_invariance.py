"""m-invariance: a growing table can be published again without exposing anyone by comparison.

A person keeps the same set of possible values from release to release. So intersecting the
releases rules out no value, and within one release no value has a probability above 1/m.

This file checks the definition. `gy.publish` with method="buckets" finds such releases
(search/invariant_buckets.py); counterfeits in a release are members like any other, with names of
their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from gyges.arguments import items
from gyges.arrays import BoolArray, IntArray
from gyges.criteria.base import Needs, Proposed, Risk
from gyges.criteria.verdict import Failure, Verdict, judge
from gyges.criteria.worst_group import ByLeastCount
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.errors import RuleError
from gyges.exact import counted, whole
from gyges.release.followed_people import FollowedGroups, FollowedRows, names_of_people
from gyges.release.groups import Groups, check_groups
from gyges.release.partition_of_cells import entry_of_row
from gyges.release.release import Release

CHANGED = "changed"  # equals no signature: for a person whose earlier releases already disagree


@dataclass(frozen=True, eq=False)
class MInvariance(ByLeastCount):
    """m-unique, and no person's signature changes [Xiao2007].

    Every group has at least `m` people, all with different values; and every person who was in an
    earlier release is again in a group with the same set of values (its signature). The authors
    require the latter while a person stays in the table; here it holds for all earlier releases,
    because an attacker keeps them all.

    Args:
        m: how many different values every group has at least.
        earlier: what left before, first to last: groups with members, or releases as `gy.publish`
            returned them, whose table has a column that identifies people.

    >>> monday = Groups.from_lists([["Flu", "Gout"]], members=[["Ann", "Bob"]])
    >>> friday = Groups.from_lists([["Flu", "Gout"]], members=[["Ann", "Eve"]])
    >>> judge(MInvariance(2, earlier=[monday]), friday).safe
    True
    """

    m: int
    earlier: Sequence[Groups | Release] = field(default=(), compare=False)
    n_earlier: int = 0  # as a certificate states it; given by `earlier`
    _rows: FollowedRows | None = field(default=None, init=False, compare=False, repr=False)
    is_monotone: ClassVar[bool] = False  # merged groups may hold a value twice
    needs: ClassVar[Needs] = "earlier"  # a release does not list who was in an earlier one

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", whole(self.m, "m", least=1))
        given = items(self.earlier, "earlier", "groups")
        listed = tuple(_with_members(one, number) for number, one in enumerate(given, start=1))
        object.__setattr__(self, "earlier", listed)
        stated = whole(self.n_earlier, "n_earlier", least=0)
        object.__setattr__(self, "n_earlier", len(listed) or stated)

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

    def after(self, earlier: Sequence[Groups]) -> MInvariance:
        """The rule where these releases left before, first to last, besides those it knows."""
        return MInvariance(self.m, [*earlier, *self.earlier])

    def following(self, table: Table) -> MInvariance:
        """The rule with what the earlier releases say of each row's person."""
        if self.n_earlier and not self.earlier:
            raise RuleError(
                f"n_earlier is {self.n_earlier}, as a certificate states it, and no earlier "
                f"release is given: give them as `earlier`"
            )
        if not self.earlier:
            return self
        names, before = names_of_people(table), self._signature_of_person
        found = [before.get(name) for name in names]
        n_changed = sum(one == CHANGED for one in found)
        if n_changed:
            raise RuleError(
                f"{counted(n_changed, 'person')} had different sets of values in the earlier "
                f"releases already: no release keeps both, so m-invariance cannot hold for them"
            )
        signatures = [one if isinstance(one, frozenset) else None for one in found]
        earlier = tuple(one for one in self.earlier if isinstance(one, Groups))
        followed = replace(self)
        object.__setattr__(
            followed, "_rows", FollowedRows(names, signatures, entry_of_row(table), earlier, self.m)
        )
        return followed

    @property
    def followed(self) -> FollowedRows | None:
        """What the earlier releases say of each row's person."""
        return self._rows

    def __str__(self) -> str:
        alone = f"every group has at least {self.m} people, all with different values"
        if not self.n_earlier:
            return alone
        times = counted(self.n_earlier, "earlier release")
        alone = (
            f"every group has at least {self.m} members, people or counterfeits, all with "
            f"different values"
        )
        return f"{alone}, and every person keeps their group's set of values from {times}"

    def _keeps_signatures(self, groups: Groups) -> BoolArray:
        names = groups.people_names if isinstance(groups, FollowedGroups) else groups.members
        if names is None:
            raise _nameless("the release")
        now = _signatures(groups)
        before = self._signature_of_person
        return np.array(
            [
                all(before.get(name, now[g]) == now[g] for name in members)
                for g, members in enumerate(names)
            ]
        )

    @cached_property
    def _signature_of_person(self) -> dict[str, object]:
        """The signature of each person of an earlier release; CHANGED where it differs."""
        found: dict[str, object] = {}
        for groups in (one for one in self.earlier if isinstance(one, Groups)):
            for signature, members in zip(_signatures(groups), groups.members or [], strict=True):
                for name in members:
                    if found.setdefault(name, signature) != signature:
                        found[name] = CHANGED
        return found


def m_invariance(releases: Iterable[Groups | Release], m: int) -> Verdict:
    """Judge a whole sequence of releases, first to last: each against all before it.

    >>> monday = Groups.from_lists([["Flu", "Gout"]], members=[["Ann", "Bob"]])
    >>> friday = Groups.from_lists([["Flu", "Cold"]], members=[["Ann", "Eve"]])
    >>> print(m_invariance([monday, friday], 2))
    not safe
      fails: release 2: every group has at least 2 members, people or counterfeits, all with \
different values, and every person keeps their group's set of values from 1 earlier release \
(worst case: 0, in group 1)
    """
    given = list(releases)
    if not given:
        raise RuleError("give at least one release")
    sequence = [
        one
        if isinstance(one, Groups) and one.members is None and len(given) == 1
        else _with_members(one, place)
        for place, one in enumerate(given, start=1)
    ]
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


def _with_members(given: object, number: int) -> Groups:
    """The groups of an earlier release with their people; counterfeits get names of their own."""
    what = f"earlier release {number}"
    if not isinstance(given, Release):
        groups = check_groups(given, what)
        if groups.members is None:
            raise _nameless(what)
        return groups
    if given.table is None or given.partition is None:
        raise RuleError(
            f"{what} was read from its files, which do not say who is in which group: give the "
            f"release as gy.publish returned it, or groups with members; a project with a ledger "
            f"remembers who was in its releases"
        )
    members: list[list[str]] = [[] for _ in range(len(given.groups))]
    names = names_of_people(given.table)
    for name, group in zip(names, given.group_of_row.tolist(), strict=True):
        if group >= 0:
            members[group].append(name)
    for group, n in given.counterfeits:
        members[group - 1] += [f"\x00counterfeit {number}.{group}.{i}" for i in range(n)]
    groups = given.groups
    return Groups(
        groups.sizes,
        groups.starts,
        groups.value_codes,
        groups.value_counts,
        groups.values,
        groups.values_per_person,
        members,
    )


def _nameless(what: str) -> RuleError:
    return RuleError(
        f"{what} does not list the members of its groups: m-invariance follows people from "
        f'release to release, so give groups with members, or publish with method="buckets"'
    )
