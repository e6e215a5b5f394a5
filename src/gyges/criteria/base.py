"""What a rule is: a definition with its numbers, and the bound rule that judges groups of a table.

A `Rule` states a requirement. `rule.bind(table)` returns a bound rule, which judges each group by
itself (`JudgesEach`) or all groups together (`JudgesAll`). Everything that a rule takes from the
table (priors, shares of values, thresholds) is prepared there, once.

Everything but the six verbs and two flags of `PlainRule` has a default here. So a rule of your own
needs only those, and may inherit from `Unprepared` and one of the two to state more
(docs/adding_a_rule.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
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
    from gyges.criteria.diversity_measure import Measure
    from gyges.data.table import Table
    from gyges.release.followed_people import FollowedRows

Summary = TypeVar("Summary")
Risk: TypeAlias = Fraction | float | int
# What a rule reads: the groups' sizes; also their values; also how often each value occurs in the
# whole table; also which cells the groups' people come from.
Reads: TypeAlias = Literal["sizes", "values", "table", "cells"]
# What an auditor needs to check a claim: the published files, the original, earlier releases.
Needs: TypeAlias = Literal["files", "original", "earlier"]

VERBS = ("summarize", "merge", "risk", "holds", "risks", "holds_each", "is_local", "is_monotone")


class Verbs(Protocol[Summary]):
    """What judges groups: a commutative monoid over them, and a threshold.

    `merge` is associative and commutative, and `summarize` of all groups at once equals the
    merge of the summaries of any parts. So a check is one scan, a search merges in the parts of a
    split, and a cluster folds partitions. Merging more in never turns "fails" into "holds".
    """

    def summarize(self, groups: Groups) -> Summary:
        """All that the rule needs to know about a batch of groups (possibly none)."""
        ...

    def merge(self, one: Summary, other: Summary) -> Summary:
        """The summary of two batches together."""
        ...

    def risk(self, summary: Summary) -> Risk:
        """The number that is compared with the threshold."""
        ...

    def holds(self, summary: Summary) -> bool:
        """Compare with the threshold exactly: rounding decides nothing."""
        ...

    def risks(self, groups: Groups) -> FloatArray:
        """The same number for each group as part of these groups, rounded, to display and rank."""
        ...

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups satisfy the rule as part of these groups, exactly."""
        ...


class PlainRule(Verbs[Summary], Protocol[Summary]):
    """The least that a rule needs: the verbs, two flags and its text."""

    is_monotone: ClassVar[bool]
    """Whether merging two groups of a safe release leaves it safe."""
    is_local: ClassVar[bool]
    """Whether a release is safe exactly when each of its groups is safe on its own."""

    def __str__(self) -> str:
        """The rule in a sentence, for verdicts and reports."""
        ...


class Rule:
    """A definition with its numbers; `str()` is the rule in a sentence. The defaults are safe.

    The constructor's parameters are public and fit for JSON: a certificate states them.
    """

    is_local: ClassVar[bool]
    is_monotone: ClassVar[bool] = False
    reads: ClassVar[Reads] = "cells"
    needs: ClassVar[Needs] = "files"
    compares_people: ClassVar[bool] = False  # by their values, so that none may be unknown
    survives_growth: ClassVar[bool] = False
    """Whether a group that satisfies the rule still does when any people join it.

    More than monotone: k-anonymity survives a bad group's people, entropy diversity does not.
    """

    is_about_concentration: ClassVar[bool] = False
    """Whether a group fails wherever a less concentrated one of its size fails.

    More concentrated: for every m, its m most frequent values belong to at least as many people.
    """

    is_about_values: ClassVar[bool] = True
    """Whether the rule asks something of sensitive values, unless it reads sizes alone."""

    bounds_each_person: ClassVar[bool] = False
    """Whether the rule bounds the probability that a person has a value, also of several.

    Where people have several values, shares of people do so. How values are spread over their
    occurrences does not: everyone may have the same two.
    """

    def bind(self, whole: Groups) -> BoundRule[Any]:
        """Prepare the rule for a table: `whole` holds all its people, in any groups."""
        raise NotImplementedError

    def is_monotone_for(self, values_per_person: ValuesPerPerson) -> bool:
        """Whether merging groups never breaks the rule, for this number of values per person."""
        return self.is_monotone

    @property
    def least_people(self) -> int | None:
        """k, where the rule holds in a group exactly if it has at least k people."""
        return None

    def most_of_a_value(self, people: int) -> int | None:
        """How many people of a group may have one value, where the rule asks nothing else."""
        return None

    def enough_values(self) -> int | None:
        """How many different values, each once in a group, satisfy the rule; None: unknown."""
        return None

    def measure(self) -> Measure | None:
        """The rule on expected counts, where it is defined for several tables together."""
        return None

    def why_not_judged(self, cells: Cells) -> str:
        """Why the rule cannot be judged on a table; "" where it can."""
        return ""

    def notices_on(self, values: list[Value]) -> list[str]:
        """What a reader of a release of these values should know about the rule."""
        return []

    def named(self) -> list[str]:
        """Values that the rule has entries for, or general terms of a hierarchy."""
        return []

    def with_classes(self, more: Mapping[str, Sequence[Value]]) -> Rule:
        """The rule with the values of each of these terms."""
        return self

    def agrees_with(self, cells: Cells) -> str:
        """How a claim of this rule differs from what the table implies; "" where it agrees."""
        return ""

    def as_given(self) -> object:
        """The rule as its author wrote it."""
        return self

    def following(self, table: Table) -> Rule:
        """The rule for the people of a table, where it follows people from release to release."""
        return self

    def after(self, earlier: Sequence[Groups]) -> Rule:
        """The rule where these releases (groups with members) left before, if it follows people."""
        return self

    @property
    def followed(self) -> FollowedRows | None:
        """What earlier releases say of each row's person, where the rule follows people."""
        return None


class BoundRule(Verbs[Summary]):
    """A rule that is ready to judge groups of one table: the verbs, and more."""

    is_local: ClassVar[bool]

    if TYPE_CHECKING:

        @property
        def rule(self) -> Rule:
            """The rule that was bound; an attribute of each bound rule."""

    def __str__(self) -> str:
        """The rule in words; what it took from the table is not shown."""
        is_bound = isinstance(self.rule, BoundRule) and self.rule is self
        return super().__str__() if is_bound else str(self.rule)

    def holds_on(self, groups: Groups) -> bool:
        """Whether these groups are safe; the rule's number need not be computed."""
        raise NotImplementedError

    def explain(self, summary: Summary) -> str:
        """What breaks the rule, in words, where it can say more than its number."""
        return ""

    def rebind(self, published: Groups) -> BoundRule[Summary]:
        """The same rule where only these groups of the table are published."""
        return self

    def as_claimed(self, published: Groups) -> Rule | None:
        """The rule with all that it took from the table written out, for an auditor without it.

        It reveals no value that no published person has. None if it requires nothing here.
        """
        return self.rule

    def least_values(self, values_per_person: ValuesPerPerson) -> int:
        """How many different values a group needs at least, for any counts."""
        return 0

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """Rules of the same kind that these groups may satisfy, each with one number changed."""
        return iter(())


Proposed: TypeAlias = Iterator[tuple[str, BoundRule[Any]]]  # in words, and made


class JudgesEach(BoundRule[Summary]):
    """Judges each group by itself: a release is safe if every group is.

    Where certainty is expensive, `is_guess` is true and `may_hold` estimates. A search may follow
    the estimate, and then asks `holds_each` about the groups that it ends with.
    """

    is_local: ClassVar[bool] = True
    is_guess: ClassVar[bool] = False

    def may_hold(self, groups: Groups, first: IntArray | None = None) -> BoolArray:
        """Which groups a search may go on with: those that seem to satisfy the rule.

        With `first`, groups come in bundles `first[b]:first[b+1]`; if one group of a bundle fails,
        the others may be refused too.
        """
        return self.holds_each(groups)

    def holds_on(self, groups: Groups) -> bool:
        """Whether every group satisfies the rule; an estimate may answer no, never yes."""
        if self.is_guess and not self.may_hold(groups).all():
            return False
        return bool(self.holds_each(groups).all())


class JudgesAll(BoundRule[Summary]):
    """Judges all groups together, by the merge of their summaries."""

    is_local: ClassVar[bool] = False

    def holds_on(self, groups: Groups) -> bool:
        """Whether the rule holds on all groups together."""
        return self.holds(self.summarize(groups))

    def may_add(self, summary: Summary, groups: Groups, first: IntArray) -> BoolArray:
        """Which batches `first[p]:first[p+1]` of groups may join those of a summary that holds.

        A rule that cannot judge many batches at once refuses none: each is judged later.
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
    """A rule that has only the verbs of `PlainRule`, completed with the defaults."""

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


# What callers may give as a rule.
Criterion: TypeAlias = Union[PlainRule[Summary], Rule, BoundRule[Summary]]  # noqa: UP007


def listed(criteria: Criterion[Any] | Iterable[Criterion[Any]]) -> list[Rule]:
    """One rule or several, as a list; bound rules stay as they are."""
    given = items(criteria, "criteria", "rules") if isinstance(criteria, Iterable) else [criteria]
    return [rule if isinstance(rule, (Rule, BoundRule)) else _completed(rule) for rule in given]  # type: ignore[misc]


def _completed(given: Any) -> Rule:
    """A rule that has the documented verbs, with defaults for everything else."""
    if isinstance(given, type) or any(not hasattr(given, verb) for verb in VERBS):
        raise RuleError(
            f"criteria contains {shown(given)}, which is not a rule: give rules such as "
            f"gy.KAnonymity(5)"
        )
    return _GivenEach(given) if given.is_local else _GivenAll(given)


def bind_all(
    criteria: Criterion[Any] | Iterable[Criterion[Any]], whole: Groups
) -> list[BoundRule[Any]]:
    """The rules, each bound to the table of these people unless it already is."""
    return [rule if isinstance(rule, BoundRule) else rule.bind(whole) for rule in listed(criteria)]


def judging_each(rules: Iterable[BoundRule[Any]]) -> list[JudgesEach[Any]]:
    """Those that judge each group by itself."""
    return [rule for rule in rules if isinstance(rule, JudgesEach)]


def judging_all(rules: Iterable[BoundRule[Any]]) -> list[JudgesAll[Any]]:
    """Those that judge all groups together."""
    return [rule for rule in rules if isinstance(rule, JudgesAll)]


def refuse_other_values(groups: Groups, values: list[Value]) -> None:
    """Refuse groups of a table that the rule is not bound to."""
    if groups.values is not values and groups.values != values:
        raise RuleError("these groups have other sensitive values than the rule's table")


Kind = TypeVar("Kind", bound=type)


def of_groups(kind: Kind) -> Kind:
    """Decorate a rule's class: its verbs refuse anything that is not groups."""
    for verb in ("summarize", "risks", "holds_each", "bind"):
        if verb in vars(kind):
            setattr(kind, verb, _refusing(vars(kind)[verb]))
    return kind


def _refusing(verb: Callable[[Any, Groups], Any]) -> Callable[[Any, Groups], Any]:
    @wraps(verb)
    def asked(rule: object, groups: Groups) -> object:
        return verb(rule, check_groups(groups))

    return asked
