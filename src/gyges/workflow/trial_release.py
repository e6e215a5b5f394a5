"""A trial: the groups that a method finds under some rules, judged exactly, without any file.

A trial is what a page shows while a person tries numbers. Nothing is written, and nothing enters
the ledger. The search and the judgement are those of `gy.publish`; the labels of rows are not made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from gyges.adversaries.asked_values import Interval
from gyges.adversaries.dimensions import Breach, breach
from gyges.adversaries.implications import max_disclosure
from gyges.adversaries.witness import Language
from gyges.arguments import choice
from gyges.arrays import IntArray
from gyges.criteria.base import BoundRule, Criterion, Risk, bind_all, listed
from gyges.criteria.nearest_passing_rule import Nearest, nearest
from gyges.criteria.verdict import judged
from gyges.data.cells import Cells
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.errors import GygesError, NothingSafeError, RuleError
from gyges.exact import counted, largest_ratio
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import everybody
from gyges.release.partition_of_cells import Partition
from gyges.search.bound_purpose import options_for
from gyges.search.matching_anything import refuse_matching_anything
from gyges.search.methods import METHODS, Method
from gyges.search.publish import refuse_rules_about_values
from gyges.search.rules_of_table import rules_of_table
from gyges.utility.measure import loss_of_partition
from gyges.utility.purpose import Purpose

SEED = 7  # of methods that draw: a trial shown twice is the same


@dataclass(frozen=True, slots=True)
class JudgedRule:
    """One rule of a trial: its number in the worst case, and whether it holds."""

    text: str
    worst: Risk
    holds: bool


@dataclass(frozen=True, slots=True)
class WorstCase:
    """What the worst attacker of one kind reaches, exactly, and a sentence about it."""

    risk: Risk
    sentence: str


@dataclass(frozen=True, eq=False, repr=False)
class TrialRelease:
    """Groups that satisfy the rules, what they lose, and what they reveal."""

    method: str
    options: Mapping[str, Any]
    partition: Partition
    rules: tuple[JudgedRule, ...]
    notices: tuple[str, ...] = ()

    @property
    def groups(self) -> Groups:
        """People per group, and their values."""
        return self.partition.groups

    @cached_property
    def loss(self) -> float:
        """The average share of a column's values that a label covers: 0 nothing is lost, 1 all."""
        return loss_of_partition(self.partition)

    @property
    def n_suppressed(self) -> int:
        """How many people are not published."""
        return self.partition.n_left_out

    @property
    def n_unique_unchanged(self) -> int:
        """How many people are unique where a release shows their quasi-identifiers unchanged."""
        return int((self.people_alike_unchanged == 1).sum())

    @property
    def people_alike_unchanged(self) -> IntArray:
        """How many people are published of each combination of quasi-identifiers."""
        cell, _, people = self.partition.members()
        alike = np.bincount(cell, weights=people).astype(np.int64)
        return alike[alike > 0]

    def certainty(self, facts: int = 1) -> WorstCase | None:
        """How certain an attacker with some facts can be of a value; None without values."""
        groups = self.groups
        if not groups.values or not len(groups):
            return None
        found = max_disclosure(groups, k=facts)
        return WorstCase(found.probability, str(found.witness))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NothingSafe:
    """No release satisfies the rules: why, and the rules of the same kinds that would pass."""

    reason: str
    nearest: tuple[Nearest, ...] = field(default=())
    is_proven: bool = False  # that there is none; otherwise the search found none


def try_rules(
    table: Table,
    rules: Sequence[Criterion[Any]],
    *,
    method: str = "partition",
    options: Mapping[str, Any] | None = None,
    purpose: Purpose | None = None,
) -> TrialRelease | NothingSafe:
    """Search groups that satisfy the rules; if there are none, say what would pass."""
    chosen = METHODS[choice(method, METHODS, "method")]
    if not isinstance(chosen, Method):
        raise RuleError(f"the method {method} publishes no groups: it has no trial of this kind")
    if not rules:
        raise RuleError("choose at least one rule: without one every person stays as they are")
    if table.schema.sensitive is None:
        refuse_rules_about_values(rules)
    given = dict(options or {})
    if purpose is not None:
        given |= options_for(purpose, table, method, chosen.options, given)
    cells, rules = table.searched_cells, rules_of_table(table, listed(rules))
    refuse_matching_anything(table, method, rules, chosen.form)
    bound = bind_all(rules, everybody(cells))
    try:
        found = chosen.find(cells, bound, given, np.random.default_rng(SEED))
        partition = found.of_table(table)
    except NothingSafeError as problem:
        passing, kind = would_pass(rules, table.cells), table.cells.values_per_person
        may_leave_out = bool(given.get("suppression"))  # a share of the people
        is_proven = not may_leave_out and any(one.rule.is_monotone_for(kind) for one in passing)
        return NothingSafe(str(problem).splitlines()[0], passing, is_proven)
    return judged_trial(method, given, partition, bound, table.cells)


def judged_trial(
    method: str,
    options: Mapping[str, Any],
    partition: Partition,
    bound: Sequence[BoundRule[Any]],
    cells: Cells,
) -> TrialRelease | NothingSafe:
    """A partition, judged again as a whole."""
    rebound = [rule.rebind(partition.groups) for rule in bound]
    verdict = judged(rebound, partition.groups)
    if not verdict.safe:
        passing = would_pass([one.rule for one in bound], cells)
        return NothingSafe(str(verdict.failures[0]), passing)
    rules = tuple(JudgedRule(text, risk, True) for text, risk in verdict.risks.items())
    return TrialRelease(method, options, partition, rules, (*partition.notices, *verdict.notices))


def would_pass(rules: Sequence[Criterion[Any]], cells: Cells) -> tuple[Nearest, ...]:
    """For each rule that one group of all people breaks, the nearest that they satisfy.

    A monotone rule in this list is broken by every release of the table.
    """
    try:
        return nearest(rules, everybody(cells))
    except GygesError:  # a rule that cannot be judged on one group
        return ()


def worst_of_rule(section: Mapping[str, Any], groups: Groups) -> WorstCase | None:
    """The worst case of the attacker that a [[require]] section is about, with its witness.

    None where the rule has no witness beyond its number.
    """
    name = section.get("rule")
    if not len(groups):
        return None
    if name == "safety" and len(groups.value_codes):
        language: Language = section.get("language", "implications")
        found = max_disclosure(groups, int(section["k"]), language)
        return WorstCase(found.probability, str(found.witness))
    if name == "interval safety" and Interval.of(groups.values, section["width"]).numbers:
        found = max_disclosure(groups, int(section["k"]), width=section["width"])
        return WorstCase(found.probability, str(found.witness))
    if name == "skyline":
        return _worst_of_skyline(section, groups)
    if name == "k-anonymity":
        return _smallest(groups)
    return _most_certain(groups) if groups.values else None


def _worst_of_skyline(section: Mapping[str, Any], groups: Groups) -> WorstCase | None:
    """The worst breach over the points of a skyline."""
    points: Mapping[str, Sequence[Sequence[Any]]] = section.get("points", {})
    own = {text_of(value) for value in groups.values} & set(points)
    worst: WorstCase | None = None
    for value in groups.values:
        key = text_of(value) if text_of(value) in own else "*"
        for l, k, m, _ in points.get(key, ()):
            found = breach(groups, value, l=float(l), k=float(k), m=float(m))
            if worst is None or found.probability > worst.risk:
                worst = WorstCase(found.probability, str(found.witness))
    return worst


def _smallest(groups: Groups) -> WorstCase:
    place = int(groups.sizes.argmin())
    size = int(groups.sizes[place])
    return WorstCase(
        size,
        f"Group {place + 1:,} is the smallest: {counted(size, 'person looks', 'people look')} "
        f"alike, so an attacker who knows someone in it picks the right row with probability "
        f"1/{size:,}.",
    )


def _most_certain(groups: Groups) -> WorstCase:
    """The largest share of a value in a group; for several values per person, by its definition."""
    if groups.values_per_person != "one":
        worst = max((breach(groups, value) for value in groups.values), key=_probability)
        return WorstCase(worst.probability, str(worst.witness))
    share = largest_ratio(groups.most_frequent, groups.sizes) or Fraction(0)
    is_worst = groups.most_frequent * share.denominator == groups.sizes * share.numerator
    place = int(np.flatnonzero(is_worst)[0])
    counts = groups.value_counts_in(place)
    code = max(counts, key=lambda one: counts[one])
    size = int(groups.sizes[place])
    return WorstCase(
        share,
        f"In group {place + 1:,}, {counts[code]:,} of {size:,} people have "
        f"{text_of(groups.values[code])}: an attacker who knows that someone is in this group is "
        f"that certain, without any further fact.",
    )


def _probability(found: Breach) -> Fraction:
    return found.probability
