"""The one protocol of the room: a criterion is a commutative monoid over groups."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar

import numpy as np

from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.data.cells import Cells
from gyges.data.schema import ValuesPerPerson
from gyges.release.groups import Groups, check_groups

Summary = TypeVar("Summary")
Risk: TypeAlias = Fraction | float | int
# What a rule reads of the groups: their sizes; also their values; also how often each value
# occurs in the whole table; also which cells their people come from.
Reads: TypeAlias = Literal["sizes", "values", "table", "cells"]


VERBS = ("summarize", "merge", "risk", "holds", "risks", "holds_each", "is_local", "is_monotone")


class Criterion(Protocol[Summary]):
    """When is a release safe?

    `merge` is associative and commutative, and `summarize` of all groups at once equals the
    merge of the summaries of any parts. So a check is one scan, a split merges its children in,
    and a cluster folds partitions. Merging more in never turns "does not hold" into "holds".
    """

    is_monotone: ClassVar[bool]
    """Whether merging two groups of a safe release leaves it safe."""
    is_local: ClassVar[bool]
    """Whether a release is safe exactly when each of its groups is safe on its own."""

    def summarize(self, groups: Groups) -> Summary:
        """All that the criterion needs to know of a batch of groups (possibly none)."""
        ...

    def merge(self, one: Summary, other: Summary) -> Summary:
        """What it needs to know of two batches together."""
        ...

    def risk(self, summary: Summary) -> Risk:
        """The number that is compared with the threshold."""
        ...

    def holds(self, summary: Summary) -> bool:
        """Compare exactly: at the threshold the definition decides, not the rounding."""
        ...

    def risks(self, groups: Groups) -> FloatArray:
        """The same number for each group as part of these groups, rounded: to show and to rank."""
        ...

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups satisfy the criterion as part of these groups, exactly."""
        ...

    def __str__(self) -> str:
        """The rule in a few plain words, for verdicts and reports."""
        ...


def bind(rule: Criterion[Any], cells: Cells) -> Criterion[Any]:
    """The rule with what it takes from the table that it will judge (`bind`, if it has it)."""
    prepare = getattr(rule, "bind", None)
    return rule if prepare is None else prepare(cells)


Rule = TypeVar("Rule", bound=type)


def of_groups(rule: Rule) -> Rule:
    """Let the verbs of a rule refuse what is not groups; a decorator of its class."""
    for verb in ("summarize", "risks", "holds_each"):
        setattr(rule, verb, _refusing(getattr(rule, verb)))
    return rule


def _refusing(verb: Callable[[Any, Groups], Any]) -> Callable[[Any, Groups], Any]:
    @wraps(verb)
    def asked(rule: object, groups: Groups) -> object:
        return verb(rule, check_groups(groups))

    return asked


def reads(rule: Criterion[Any]) -> Reads:
    """What a rule reads of the groups; one that does not say so (`reads`) may read everything."""
    said: Reads = getattr(rule, "reads", "cells")
    return said


def is_monotone(rule: Criterion[Any], values_per_person: ValuesPerPerson) -> bool:
    """Whether merging groups never breaks the rule, for people with so many values.

    A rule for which the kind of data decides says so itself (`is_monotone_for`).
    """
    ask = getattr(rule, "is_monotone_for", None)
    return rule.is_monotone if ask is None else bool(ask(values_per_person))


def survives_growth(rule: Criterion[Any]) -> bool:
    """Whether a group that satisfies the rule still does when any people join it.

    More than monotone: k-anonymity survives a bad group's people, entropy diversity does not.
    Only rules that say so (`survives_growth`) are taken to do so.
    """
    return bool(getattr(rule, "survives_growth", False))


def may_hold(rule: Criterion[Any], groups: Groups, first: IntArray | None = None) -> BoolArray:
    """Which groups a search may go on with under a local rule: those that seem to satisfy it.

    A rule that costs much to be certain of may tell sooner what seems so (`may_hold`, no part of
    the protocol); a search that follows it asks `holds_each` of the groups that it ends with. Such
    a rule may also be asked about bundles `first[b]:first[b+1]` of groups, of which one that fails
    spoils all; others are asked about each group.
    """
    ask = getattr(rule, "may_hold", None)
    if ask is None:
        return rule.holds_each(groups)
    if first is None:
        return np.asarray(ask(groups, None))
    return np.repeat(ask(groups, first), np.diff(first))


def only_seems(rule: Criterion[Any]) -> bool:
    """Whether `may_hold` of this rule is a guess."""
    return hasattr(rule, "may_hold")


def holds(rule: Criterion[Any], groups: Groups) -> bool:
    """Whether these groups are safe under the rule, without its number if that can be spared."""
    if rule.is_local:
        if only_seems(rule) and not may_hold(rule, groups).all():
            return False
        return bool(rule.holds_each(groups).all())
    return rule.holds(rule.summarize(groups))
