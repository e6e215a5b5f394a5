"""A rule about part of the sensitive values: one of several columns, or coarser values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from gyges.arguments import items, mapping, shown
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import (
    BoundRule,
    Criterion,
    JudgesAll,
    JudgesEach,
    Proposed,
    Reads,
    Risk,
    Rule,
    listed,
    of_groups,
)
from gyges.criteria.divided_groups import Division
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Value, stated_value, text_of
from gyges.errors import RuleError
from gyges.ragged import Ragged
from gyges.release.groups import Groups

_MOST_NAMED = 6  # values in the text of a rule
_MOST_NOTICES = 3  # notices of one value each


@of_groups
@dataclass(frozen=True, slots=True)
class About(Rule):
    """Another rule, judged on part of what the sensitive values say.

    Args:
        of: the rule.
        column: the sensitive column that it is about, where a table has several.
        knowing: sensitive columns that the attacker knows of their target and uses against
            `column`: every group is divided by their values, and the rule must hold in each part.
        similar: values that count as one, `{"cancer": ["lung", "breast"]}`. Or, by the hierarchy
            of the sensitive column: "level 1", where values with the same term at that level count
            as one, or general terms such as ["any cancer"]. `publish` then lists the values.
        harmless: values that nobody minds, such as "none". Each person who has one counts as
            having a value that no one else has. For rules that ask that values are spread:
            distinct, entropy, recursive and probabilistic diversity. In a skyline, give a harmless
            value no points: `{"*": [...], "none": []}`.

    >>> from gyges.criteria.distinct_diversity import DistinctDiversity
    >>> groups = Groups.from_lists([["none", "none", "flu"], ["none", "none"]])
    >>> bool(About(DistinctDiversity(2), harmless=["none"]).bind(groups).holds_on(groups))
    True
    """

    of: Rule
    column: str | None = None
    knowing: tuple[str, ...] = ()
    similar: Mapping[str, tuple[Value, ...]] | tuple[str, ...] | None = None
    harmless: tuple[Value, ...] = ()
    is_local: ClassVar[bool] = False
    reads: ClassVar[Reads] = "table"

    def __init__(
        self,
        of: Criterion[Any],
        column: str | None = None,
        knowing: Iterable[str] = (),
        similar: Mapping[str, Iterable[Value]] | str | Iterable[str] | None = None,
        harmless: Iterable[Value] = (),
    ) -> None:
        [rule] = listed(of) if not isinstance(of, Iterable) else [None]
        _refuse_rule(rule, of)
        if column is not None and (not isinstance(column, str) or not column):
            raise RuleError(f"column is {shown(column)}: give the name of a sensitive column")
        known = items(knowing, "knowing", "names of sensitive columns")
        if not all(isinstance(name, str) and name for name in known):
            raise RuleError("knowing lists something other than names of sensitive columns")
        if column in known or len(set(known)) < len(known):
            raise RuleError("knowing names a column twice, or the column that is to be protected")
        spared = _values(harmless, "harmless")
        object.__setattr__(self, "of", rule)
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "knowing", tuple(sorted(map(str, known))))
        object.__setattr__(self, "similar", _classes(similar, spared))
        object.__setattr__(self, "harmless", spared)
        _refuse_merged(self.of.named(), self._classes)
        if spared and not (self.of.is_about_concentration and self.of.reads == "values"):
            raise RuleError(
                f"harmless values are for distinct, entropy, recursive and probabilistic "
                f"diversity, and {type(of).__name__} is none of them; a skyline spares a value "
                f'by giving it no points: "none" = []'
            )
        if column is None and not known and not self.similar and not spared:
            raise RuleError("give a column, knowing, similar or harmless; or the rule alone")

    def __hash__(self) -> int:
        return hash((self.column, self.knowing, self.harmless))

    def is_monotone_for(self, values_per_person: ValuesPerPerson) -> bool:
        """Merged groups have merged parts, so the rule inside decides."""
        return self.of.is_monotone_for(values_per_person)

    def bind(self, whole: Groups) -> BoundRule[Any]:
        """Bind the rule inside to what it reads of the table."""
        if whole.values_per_person != "one":
            raise RuleError(
                f"{type(self.of).__name__} about part of the values needs one value per person"
            )
        if isinstance(self.similar, tuple):
            raise RuleError(
                f"similar names {self.similar[0]!r} of a hierarchy, which only a table to publish "
                f"has: list the values that are similar"
            )
        division = self._division(whole.values)
        inner = self.of.bind(division.parts(whole)[0])
        kind = BoundEach if isinstance(inner, JudgesEach) else BoundAll
        return kind(self, division, inner)

    def notices_on(self, values: list[Value]) -> list[str]:
        """Values that the rule names and nobody has."""
        had = set(map(text_of, Division.of(values, column=self.column).values))
        named = [*self.harmless, *(v for held in self._classes.values() for v in held)]
        absent = [value for value in named if text_of(value) not in had]
        inside = self.of.notices_on(self._division(values).values)
        if len(absent) > _MOST_NOTICES:
            return [
                *inside,
                f"{_named(absent)}: no one in the release has these {len(absent):,} values (are "
                f"they spelled as in the data?)",
            ]
        return [
            *inside,
            *(
                f"{value}: no one in the release has this value (is it spelled as in the data?)"
                for value in absent
            ),
        ]

    def _division(self, values: Sequence[Value]) -> Division:
        return Division.of(
            values,
            column=self.column,
            knowing=self.knowing,
            class_of={text_of(v): k for k, held in self._classes.items() for v in held},
            harmless=[text_of(value) for value in self.harmless],
        )

    def named(self) -> list[str]:
        """Those of the rule inside that are no classes of similar values."""
        return [name for name in self.of.named() if name not in self._classes]

    def with_classes(self, more: Mapping[str, Sequence[Value]]) -> About:
        """The rule inside with these classes."""
        _refuse_merged((value for held in more.values() for value in held), self._classes)
        return replace(self, of=self.of.with_classes(more)) if more else self

    @property
    def _classes(self) -> Mapping[str, tuple[Value, ...]]:
        """The listed similar values; none where a hierarchy is named."""
        return self.similar if isinstance(self.similar, Mapping) else {}

    def only(self, values: Sequence[Value], of: Rule) -> Rule:
        """The rule without the values that are not among these."""
        had = set(map(text_of, Division.of(values, column=self.column).values))
        harmless = [value for value in self.harmless if text_of(value) in had]
        similar = {
            name: [value for value in held if text_of(value) in had]
            for name, held in self._classes.items()
        }
        similar = {name: held for name, held in similar.items() if held}
        if self.column is None and not (self.knowing or similar or harmless):
            return of
        return About(of, self.column, self.knowing, similar or None, harmless)

    def __str__(self) -> str:
        said = [f"of {self.column!r}"] if self.column else []
        if self.knowing:
            said.append(f"also among people with the same {' and '.join(map(repr, self.knowing))}")
        said += [f"{_named(held)} count as {name!r}" for name, held in self._classes.items()]
        if isinstance(self.similar, tuple):
            said += [f"similar values by {', '.join(map(repr, self.similar))} of the hierarchy"]
        said += [f"harmless: {_named(self.harmless)}"] if self.harmless else []
        return f"{self.of} ({'; '.join(said)})"


@of_groups
@dataclass(frozen=True, slots=True, eq=False)
class _Bound(BoundRule[Any]):
    """The rule inside, bound to the parts of a table's groups."""

    rule: About
    division: Division
    inner: Any  # a JudgesEach or a JudgesAll

    def summarize(self, groups: Groups) -> Any:
        """The summary of all parts."""
        return self.inner.summarize(self._parts(groups)[0])

    def merge(self, one: Any, other: Any) -> Any:
        """As the rule inside does."""
        return self.inner.merge(one, other)

    def risk(self, summary: Any) -> Risk:
        """As the rule inside does."""
        found: Risk = self.inner.risk(summary)
        return found

    def holds(self, summary: Any) -> bool:
        """As the rule inside does."""
        return bool(self.inner.holds(summary))

    def holds_on(self, groups: Groups) -> bool:
        """Whether the rule inside holds on all parts."""
        return bool(self.inner.holds_on(self._parts(groups)[0]))

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups have only parts that satisfy the rule."""
        parts, first = self._parts(groups)
        return np.asarray(Ragged(self.inner.holds_each(parts), first).reduced(np.logical_and, True))

    def risks(self, groups: Groups) -> FloatArray:
        """The risk of each group's worst part; which is worse is seen from the worst of all."""
        parts, first = self._parts(groups)
        risks = self.inner.risks(parts)
        if not len(risks):
            return np.asarray(risks)
        worst = float(self.inner.risk(self.inner.summarize(parts)))
        least, most = risks.min(), risks.max()
        is_larger_better = most != worst and abs(least - worst) < abs(most - worst)
        by_group = Ragged(risks, first)
        return by_group.minima() if is_larger_better else by_group.maxima()

    def explain(self, summary: Any) -> str:
        """As the rule inside does."""
        said: str = self.inner.explain(summary)
        return said

    def rebind(self, published: Groups) -> BoundRule[Any]:
        """The rule inside for these groups alone."""
        return replace(self, inner=self.inner.rebind(self._parts(published)[0]))

    def as_claimed(self, published: Groups) -> Rule | None:
        """The rule inside as it is claimed, with those of its values that someone here has."""
        claimed = self.inner.as_claimed(self._parts(published)[0])
        if claimed is None:
            return None
        there = [published.values[code] for code in np.flatnonzero(published.value_totals)]
        return self.rule.only(there, claimed)

    def least_values(self, values_per_person: ValuesPerPerson) -> int:
        """What the rule inside needs, unless harmless values take the place of different ones."""
        return 0 if self.rule.harmless else self.inner.least_values(values_per_person)

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """As the rule inside proposes."""
        for text, bound in self.inner.nearest(reached, self._parts(groups)[0]):
            changed = replace(self.rule, of=bound.rule)
            yield text, replace(self, rule=changed, inner=bound)

    def _parts(self, groups: Groups) -> tuple[Groups, IntArray]:
        return self.division.parts(groups)


class BoundEach(_Bound, JudgesEach[Any]):
    """One that judges each group by itself."""


class BoundAll(_Bound, JudgesAll[Any]):
    """One that judges all groups together."""

    def may_add(self, summary: Any, groups: Groups, first: IntArray) -> BoolArray:
        """Which batches of groups may join, by their parts."""
        parts, first_part = self._parts(groups)
        return np.asarray(self.inner.may_add(summary, parts, first_part[first]))


def rules_by_column(rules: Sequence[Rule], columns: Sequence[str]) -> list[Rule]:
    """Rules about values that name no column, once for each of several sensitive columns.

    Unchanged where one column is sensitive.
    """
    if not columns:
        return list(rules)
    for rule in rules:
        named = [name for name in (column_of(rule), *_known_by(rule)) if name]
        strange = [name for name in named if name not in columns]
        if strange:
            raise RuleError(
                f"a rule is about the column {strange[0]!r}, which is not sensitive: the sensitive "
                f"columns are {', '.join(map(repr, columns))}"
            )
    return [one for rule in rules for one in _by_column(rule, columns)]


def _by_column(rule: Rule, columns: Sequence[str]) -> Iterable[Rule]:
    if rule.reads == "sizes" or not rule.is_about_values or column_of(rule):
        return [rule]
    if not isinstance(rule, About):
        return [About(rule, name) for name in columns]
    if rule.of.reads == "sizes":
        return [rule]
    known = rule.knowing
    return [
        About(rule.of, name, known, rule.similar, rule.harmless)
        for name in columns
        if name not in known
    ]


def column_of(rule: Rule) -> str | None:
    """The sensitive column that a rule names; None if it names none."""
    return rule.column if isinstance(rule, About) else None


def with_terms(rule: Rule) -> About | None:
    """The rule, if it names similar values by a hierarchy."""
    return rule if isinstance(rule, About) and isinstance(rule.similar, tuple) else None


def _known_by(rule: Rule) -> Sequence[str]:
    return rule.knowing if isinstance(rule, About) else ()


def _refuse_rule(rule: object, given: object) -> None:
    if not isinstance(rule, Rule) or (isinstance(rule, BoundRule) and rule.rule is not rule):
        raise RuleError(f"of is {shown(given)}: give a rule such as gy.DistinctDiversity(3)")
    if isinstance(rule, About) or rule.reads == "cells" or rule.needs != "files":
        raise RuleError(
            f"{type(rule.as_given()).__name__} cannot be about part of the sensitive values: use "
            f"k-anonymity, a diversity, t-closeness, beta-likeness, delta-disclosure, safety or "
            f"skyline"
        )


def _refuse_merged(named: Iterable[Value], classes: Mapping[str, Sequence[Value]]) -> None:
    """Refuse values of the rule inside that count as another one: it would say nothing of them."""
    counts_as = {text_of(value): name for name, held in classes.items() for value in held}
    for text in map(text_of, named):
        if counts_as.get(text, text) != text:
            raise RuleError(
                f"similar counts {text!r} as {counts_as[text]!r}, and the rule inside is about "
                f"{text!r}: give it an entry for {counts_as[text]!r}, or omit {text!r} from similar"
            )


def _values(given: Iterable[Value], name: str) -> tuple[Value, ...]:
    listed_values = [stated_value(one, f"{name}: a value") for one in items(given, name, "values")]
    texts = list(map(text_of, listed_values))
    if len(set(texts)) < len(texts):
        raise RuleError(f"{name} lists a value twice")
    return tuple(sorted(listed_values, key=text_of))


def _classes(
    given: object, harmless: Sequence[Value]
) -> Mapping[str, tuple[Value, ...]] | tuple[str, ...] | None:
    """The classes of similar values, in the order of their names; or terms of a hierarchy."""
    if given is None:
        return None
    if isinstance(given, str | list | tuple):
        return _terms([given] if isinstance(given, str) else given)
    stated = mapping(given, "similar", "{name: [values]}, or a level of the hierarchy")
    if not all(isinstance(name, str) and name for name in stated):
        raise RuleError("similar names a class by something other than a text")
    named = {str(name): held for name, held in stated.items()}
    classes = {name: _values(named[name], f"similar.{name}") for name in sorted(named)}  # type: ignore[arg-type]
    texts = [text_of(value) for value in (*harmless, *(v for h in classes.values() for v in h))]
    if len(set(texts)) < len(texts):
        raise RuleError("similar lists a value in two classes, or one that is harmless")
    for name, held in classes.items():
        if name in set(texts) - set(map(text_of, held)):
            raise RuleError(
                f"similar names the class {name!r} like a value that is harmless or counts as "
                f"another one: choose another name"
            )
    return classes or None


def _terms(given: Sequence[object]) -> tuple[str, ...]:
    """Terms of a hierarchy, or one level."""
    terms = [term for term in given if isinstance(term, str) and term]
    if not terms or len(set(terms)) < len(given):
        raise RuleError(
            f'similar is {shown(given)}: give {{name: [values]}}, a level such as "level 1" of the '
            f"sensitive column's hierarchy, or different terms of it"
        )
    return tuple(sorted(terms))


def _named(values: Sequence[Value]) -> str:
    more = [f"{len(values) - _MOST_NAMED} more"] if len(values) > _MOST_NAMED else []
    return ", ".join([*map(repr, values[:_MOST_NAMED]), *more])
