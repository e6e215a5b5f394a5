"""What a rule is: a definition with its numbers, and the bound rule that judges groups of a table.

A `Rule` says what is asked. `bind` hands it the table that it will judge, and gives a bound rule:
one that judges each group by itself (`JudgesEach`) or all groups together (`JudgesAll`). All that
a rule takes from the table (priors, shares of values, thresholds) is prepared there, once.

Everything but the six verbs has a default here. So a rule of your own needs `PlainRule` only, and
may inherit from `Unprepared` and one of the two to say more (docs/adding_a_rule.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    Union,
)

import numpy as np

from gyges.arguments import items, shown
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.data.cells import Cells
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Value
from gyges.errors import RuleError
from gyges.release.groups import Groups, check_groups

if TYPE_CHECKING:
    from gyges.criteria.measure import Measure

Summary = TypeVar("Summary")
Risk: TypeAlias = Fraction | float | int
# What a rule reads of the groups: their sizes; also their values; also how often each value
# occurs in the whole table; also which cells their people come from.
Reads: TypeAlias = Literal["sizes", "values", "table", "cells"]
# What it takes to check a claim: the published files, the original table, earlier releases too.
Needs: TypeAlias = Literal["files", "original", "earlier"]

VERBS = ("summarize", "merge", "risk", "holds", "risks", "holds_each", "is_local", "is_monotone")


class PlainRule(Protocol[Summary]):
    """The least that a rule needs: when is a release safe?

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


class Rule:
    """A definition with its numbers; `str()` says it in words. The defaults err on the safe side.

    The constructor's parameters are public and of plain types: a certificate states them.
    """

    is_local: ClassVar[bool]
    is_monotone: ClassVar[bool] = False
    reads: ClassVar[Reads] = "cells"
    needs: ClassVar[Needs] = "files"
    survives_growth: ClassVar[bool] = False
    """Whether a group that satisfies the rule still does when any people join it.

    More than monotone: k-anonymity survives a bad group's people, entropy diversity does not.
    """

    def bind(self, whole: Groups) -> BoundRule[Any]:
        """Prepare the rule for a table: `whole` are all its people, in whatever groups."""
        raise NotImplementedError

    def is_monotone_for(self, values_per_person: ValuesPerPerson) -> bool:
        """Whether merging groups never breaks the rule, for people with so many values."""
        return self.is_monotone

    @property
    def least_people(self) -> int | None:
        """k, where the rule holds in a group exactly if it has at least k people."""
        return None

    def enough_values(self) -> int | None:
        """How many values, each held by one person of a group, satisfy the rule; None: unknown."""
        return None

    def measure(self) -> Measure | None:
        """The rule on expected counts, where it is defined for several tables together."""
        return None

    def notices_on(self, values: list[Value]) -> list[str]:
        """What a reader of a release of these values should know about the rule."""
        return []

    def agrees_with(self, cells: Cells) -> str:
        """How a claim of this rule differs from what the table itself says; "" where it agrees."""
        return ""

    def as_given(self) -> object:
        """The rule as its author wrote it."""
        return self


class BoundRule(Generic[Summary]):
    """A rule that is ready to judge groups of one table: the six verbs of `PlainRule`, and more."""

    is_local: ClassVar[bool]

    if TYPE_CHECKING:

        @property
        def rule(self) -> Rule:
            """The rule that was bound; an attribute of each bound rule."""

    def summarize(self, groups: Groups) -> Summary:
        """All that the rule needs to know of a batch of groups (possibly none)."""
        raise NotImplementedError

    def merge(self, one: Summary, other: Summary) -> Summary:
        """What it needs to know of two batches together."""
        raise NotImplementedError

    def risk(self, summary: Summary) -> Risk:
        """The number that is compared with the threshold."""
        raise NotImplementedError

    def holds(self, summary: Summary) -> bool:
        """Compare exactly: at the threshold the definition decides, not the rounding."""
        raise NotImplementedError

    def risks(self, groups: Groups) -> FloatArray:
        """The same number for each group as part of these groups, rounded: to show and to rank."""
        raise NotImplementedError

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups satisfy the rule as part of these groups, exactly."""
        raise NotImplementedError

    def holds_on(self, groups: Groups) -> bool:
        """Whether these groups are safe, without the rule's number if that can be spared."""
        raise NotImplementedError

    def explain(self, summary: Summary) -> str:
        """What breaks it, in words, where the rule knows more than its number."""
        return ""

    def rebind(self, published: Groups) -> BoundRule[Summary]:
        """The same rule where only these groups of the table are published."""
        return self

    def as_claimed(self, published: Groups) -> Rule | None:
        """The rule with all that it took from the table written out, for an auditor without it.

        Nothing of values that no published person has. None if it asks nothing of this release.
        """
        return self.rule

    def least_values(self, values_per_person: ValuesPerPerson) -> int:
        """How many different values a group needs at least, whatever their counts."""
        return 0

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """Rules of the same kind that these groups may satisfy, each with one number changed."""
        return iter(())


Proposed: TypeAlias = Iterator[tuple[str, BoundRule[Any]]]  # in words, and made


class JudgesEach(BoundRule[Summary]):
    """Judges each group by itself: a release is safe if every group is.

    A rule that costs much to be certain of may tell sooner what seems so: then `is_guess`, and a
    search that follows `may_hold` asks `holds_each` of the groups that it ends with.
    """

    is_local: ClassVar[bool] = True
    is_guess: ClassVar[bool] = False

    def may_hold(self, groups: Groups, first: IntArray | None = None) -> BoolArray:
        """Which groups a search may go on with: those that seem to satisfy the rule.

        It may be asked about bundles `first[b]:first[b+1]` of groups, of which one that fails
        spoils all: then others of the bundle may be refused too.
        """
        return self.holds_each(groups)

    def holds_on(self, groups: Groups) -> bool:
        """Whether every group satisfies the rule; a guess may say no, never yes."""
        if self.is_guess and not self.may_hold(groups).all():
            return False
        return bool(self.holds_each(groups).all())


class JudgesAll(BoundRule[Summary]):
    """Judges all groups together, by the merge of their summaries."""

    is_local: ClassVar[bool] = False

    def holds_on(self, groups: Groups) -> bool:
        """Whether the rule holds on all groups together."""
        return self.holds(self.summarize(groups))

    def holds_beside(self, summary: Summary, groups: Groups, first: IntArray) -> BoolArray:
        """Which batches `first[p]:first[p+1]` of groups may join those of a summary that holds.

        A rule that cannot tell of many at once refuses none; each is asked about later.
        """
        return np.ones(len(first) - 1, dtype=bool)


class Unprepared(Rule):
    """A rule that takes nothing from the table: it is its own bound rule."""

    @property
    def rule(self) -> Rule:
        """The rule itself."""
        return self

    def bind(self, whole: Groups) -> BoundRule[Any]:
        """The rule as it is."""
        return self  # type: ignore[return-value]


@dataclass(frozen=True)
class _Given(Unprepared):
    """A rule that was written by the protocol of `PlainRule` alone, with all the defaults."""

    given: PlainRule[Any]

    def is_monotone_for(self, values_per_person: ValuesPerPerson) -> bool:
        return self.given.is_monotone

    def summarize(self, groups: Groups) -> Any:
        return self.given.summarize(groups)

    def merge(self, one: Any, other: Any) -> Any:
        return self.given.merge(one, other)

    def risk(self, summary: Any) -> Risk:
        return self.given.risk(summary)

    def holds(self, summary: Any) -> bool:
        return self.given.holds(summary)

    def risks(self, groups: Groups) -> FloatArray:
        return self.given.risks(groups)

    def holds_each(self, groups: Groups) -> BoolArray:
        return self.given.holds_each(groups)

    def as_given(self) -> object:
        return self.given

    def __str__(self) -> str:
        return str(self.given)


class _GivenEach(_Given, JudgesEach[Any]):
    """One that judges each group by itself."""


class _GivenAll(_Given, JudgesAll[Any]):
    """One that judges all groups together."""


# What may be given where rules are asked for.
Criterion: TypeAlias = Union[PlainRule[Summary], Rule, BoundRule[Summary]]  # noqa: UP007


def listed(criteria: Criterion[Any] | Iterable[Criterion[Any]]) -> list[Rule]:
    """One rule or several, as a list; rules that are bound already are taken as they are."""
    given = items(criteria, "criteria", "rules") if isinstance(criteria, Iterable) else [criteria]
    return [rule if isinstance(rule, Rule | BoundRule) else _completed(rule) for rule in given]  # type: ignore[misc]


def _completed(given: Any) -> Rule:
    """A rule that has the documented verbs, with all else that is asked of rules."""
    if isinstance(given, type) or any(not hasattr(given, verb) for verb in VERBS):
        raise RuleError(
            f"criteria holds {shown(given)}, which is no rule: give rules such as gy.KAnonymity(5)"
        )
    return _GivenEach(given) if given.is_local else _GivenAll(given)


def bind_all(
    criteria: Criterion[Any] | Iterable[Criterion[Any]], whole: Groups
) -> list[BoundRule[Any]]:
    """The rules, each bound to the table of these people unless it is bound already."""
    return [rule if isinstance(rule, BoundRule) else rule.bind(whole) for rule in listed(criteria)]


def judging_each(rules: Iterable[BoundRule[Any]]) -> list[JudgesEach[Any]]:
    """Those that judge each group by itself."""
    return [rule for rule in rules if isinstance(rule, JudgesEach)]


def judging_all(rules: Iterable[BoundRule[Any]]) -> list[JudgesAll[Any]]:
    """Those that judge all groups together."""
    return [rule for rule in rules if isinstance(rule, JudgesAll)]


def refuse_other_values(groups: Groups, values: list[Value]) -> None:
    """Refuse groups of another table than the one that a rule was bound to."""
    if groups.values is not values and groups.values != values:
        raise RuleError("these groups have other sensitive values than the table of the rule")


Kind = TypeVar("Kind", bound=type)


def of_groups(kind: Kind) -> Kind:
    """Let the verbs of a rule refuse what is not groups; a decorator of its class."""
    for verb in ("summarize", "risks", "holds_each", "bind"):
        if verb in vars(kind):
            setattr(kind, verb, _refusing(vars(kind)[verb]))
    return kind


def _refusing(verb: Callable[[Any, Groups], Any]) -> Callable[[Any, Groups], Any]:
    @wraps(verb)
    def asked(rule: object, groups: Groups) -> object:
        return verb(rule, check_groups(groups))

    return asked
