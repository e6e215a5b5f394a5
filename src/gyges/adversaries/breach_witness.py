"""The worst attacker's target and knowledge, as data, as sentences and in English."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from gyges.adversaries.dimension_statistics import (
    StatisticMinima,
    Watch,
    code_of,
    listed_signatures,
)
from gyges.adversaries.sentences_syntax import quoted
from gyges.arrays import IntArray
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Value, text_of
from gyges.exact import readable_number
from gyges.kernels import log_ratios as kernel
from gyges.release.groups import FROM_0, Groups

_SHOWN = 6  # people and values that the English names one by one


@dataclass(frozen=True, slots=True)
class BreachWitness:
    """Knowledge that makes the attacker as certain as the breach probability.

    Groups are numbered from 0, as in `Groups`. The amounts are those that are needed: an
    attacker who may know more does not always gain by it.
    """

    value: Value
    probability: Fraction
    values_per_person: ValuesPerPerson
    person: str | None  # the target; None where there are no people at all
    group: int | None = field(metadata=FROM_0)  # of the target; None where no group holds the value
    # Values that the target does not have; given several values per person: has only with `value`.
    excluded: tuple[Value, ...] = ()
    known: tuple[tuple[str, Value | None], ...] = ()  # who has what; None: not the value
    relatives: tuple[str, ...] = ()  # if one of them has the value, so has the target
    relatives_group: int | None = field(default=None, metadata=FROM_0)
    stand_in: Value | None = None  # a value of the release, where `value` does not occur in it

    def __repr__(self) -> str:
        return f"<BreachWitness: {self}>"  # the fraction may have more digits than Python writes

    @property
    def target(self) -> str | None:
        """What the attacker wants to know, as a sentence; None where there is nobody to ask about.

        No sentence can name a value that the release does not have: one that is never true
        replaces it.
        """
        if self.person is None:
            return None
        if self.stand_in is not None:
            return f"{_has(self.person, self.stand_in)} and {_lacks(self.person, self.stand_in)}"
        return _has(self.person, self.value)

    @property
    def given(self) -> str | None:
        """What the attacker knows, as a sentence; None for nothing."""
        if self.person is None:
            return None
        aim = _has(self.person, self.value)
        parts = [
            _lacks(self.person, x)
            if self.values_per_person == "one"
            else f"({_has(self.person, x)} -> {aim})"
            for x in self.excluded
        ]
        parts += [_lacks(u, self.value) if y is None else _has(u, y) for u, y in self.known]
        parts += [f"({_has(v, self.value)} -> {aim})" for v in self.relatives]
        return " and ".join(parts) or None

    def __str__(self) -> str:
        if self.group is None:
            return f"Nobody has {self.value}: no knowledge leads to it."
        knows = _clauses(self)
        known = f" The attacker knows that {'; that '.join(knows)}." if knows else ""
        return (
            f"The target is {self.person}, of group {self.group + 1}.{known} "
            f"Then {self.person} has {self.value} with probability "
            f"{readable_number(self.probability)}."
        )


def find_witness(groups: Groups, minima: StatisticMinima) -> BreachWitness:
    """A worst case for the one row of a watch: all in one group, or relatives in another."""
    watch = minima.watch
    code, l, k, m = (int(column[0]) for column in (watch.codes, watch.l, watch.k, watch.m))
    ratios = minima.ratios(0)
    if not ratios:
        return nobody(groups, watch.values[code])
    # All in one group comes first: where it ties with two groups, it is simpler to explain.
    here, there = min(ratios, key=lambda pair: (ratios[pair], pair[1] is not None))
    group = _TargetGroup.of(groups, code, _place(groups, watch, minima.holders[0, here]))
    excluded = group.most_frequent(l)
    if there is None:
        known = group.known(1, group.most_known(k, excluded), excluded)
        relatives = group.people(1 + len(known), group.most_relatives(m, len(known), excluded))
        family = group
    else:
        family = _TargetGroup.of(groups, code, _place(groups, watch, minima.holders[0, there]))
        is_here = here == kernel.TARGET_KNOWN
        known = group.known(1, k, excluded) if is_here else family.known(0, k, [])
        relatives = family.people(0 if is_here else k, m)
    return BreachWitness(
        value=watch.values[code],
        probability=ratios[here, there].breach(),
        values_per_person=groups.values_per_person,
        person=group.people(0, 1)[0],
        group=group.place,
        excluded=tuple(watch.values[x] for x in excluded),
        known=known,
        relatives=relatives,
        relatives_group=family.place if relatives else None,
    )


def nobody(groups: Groups, value: Value) -> BreachWitness:
    """The witness where nobody has the value."""
    is_known = code_of(groups.values, value) is not None
    stand_in = None if is_known or not groups.values else groups.values[0]
    has_people = len(groups) > 0 and len(groups.values) > 0
    person = _TargetGroup.of(groups, -1, 0).people(0, 1)[0] if has_people else None
    return BreachWitness(
        value, Fraction(0), groups.values_per_person, person, None, stand_in=stand_in
    )


@dataclass(frozen=True, slots=True)
class _TargetGroup:
    """One group, and whom the attacker picks in it: anyone, since all its people look the same."""

    groups: Groups
    place: int
    code: int
    counts: dict[int, int]  # by value code

    @classmethod
    def of(cls, groups: Groups, code: int, place: int) -> _TargetGroup:
        return cls(groups, place, code, groups.value_counts_in(place))

    def people(self, start: int, number: int) -> tuple[str, ...]:
        """Some of the people, by their names in sentences."""
        if self.groups.members is not None:
            return tuple(self.groups.members[self.place][start : start + number])
        return tuple(f"{self.place + 1}.{start + i + 1}" for i in range(number))

    def most_frequent(self, l: int) -> list[int]:
        """The l most frequent other values."""
        others = [x for x in self.counts if x != self.code]
        return sorted(others, key=lambda x: (-self.counts[x], x))[:l]

    def room(self, excluded: Sequence[int]) -> int:
        """How many people may be known not to have the value before the target is certain."""
        if self.groups.values_per_person == "multiset":
            return int(self.groups.sizes[self.place]) - 1
        lacking = int(self.groups.sizes[self.place]) - self.counts[self.code]
        if self.groups.values_per_person == "one":
            lacking -= sum(self.counts[x] for x in excluded)
        return lacking

    def most_known(self, k: int, excluded: Sequence[int]) -> int:
        """As many people as are needed, at most k."""
        return min(k, self.room(excluded))

    def most_relatives(self, m: int, n_known: int, excluded: Sequence[int]) -> int:
        """As many relatives as are needed besides the known people, at most m."""
        if n_known == self.room(excluded):
            return 0
        return min(m, self.room([]) - n_known)

    def known(
        self, start: int, k: int, excluded: Sequence[int]
    ) -> tuple[tuple[str, Value | None], ...]:
        """k people with their values, the rarest first; given several values: without the value."""
        people = self.people(start, k)
        if self.groups.values_per_person != "one":
            return tuple((person, None) for person in people)
        left = [x for x in self.counts if x != self.code and x not in excluded]
        left.sort(key=lambda x: (self.counts[x], x))
        each = [self.groups.values[x] for x in left for _ in range(self.counts[x])]
        return tuple(zip(people, each, strict=False))


def _place(groups: Groups, watch: Watch, holder: IntArray) -> int:
    """The first group with a signature; tops of 0 match any."""
    is_alike = (groups.value_codes == watch.codes[0]) & (groups.value_counts == holder[1])
    candidates = groups.group_of_entry[is_alike]
    candidates = candidates[groups.sizes[candidates] == holder[0]]
    if not holder[2:].any():
        return int(candidates[0])
    found, pairs, _ = listed_signatures(groups.take(candidates), watch)
    is_same = (found[:, 1:] == holder).all(axis=1)
    # The signatures of other values are not watched: one pair for each group.
    return int(candidates[np.flatnonzero(is_same[pairs])[0]])


def _clauses(witness: BreachWitness) -> list[str]:
    """What the attacker knows, in words."""
    person, value = witness.person, witness.value
    clauses = []
    if witness.excluded:
        names = _enumerated([text_of(x) for x in witness.excluded], "or", "values")
        if witness.values_per_person == "one":
            clauses.append(f"{person} does not have {names}")
        else:
            clauses.append(f"if {person} has {names}, {person} has {value} too")
    if witness.known and witness.values_per_person == "one":
        known = [f"{u} has {text_of(y)}" for u, y in witness.known if y is not None]
        clauses.append(_enumerated(known, "and", "people's values"))
    elif witness.known:
        names = _enumerated([u for u, _ in witness.known], "and", "people")
        clauses.append(f"{names} {'do' if len(witness.known) > 1 else 'does'} not have {value}")
    if witness.relatives:
        names = _enumerated(list(witness.relatives), "or", "people")
        where = (
            f", of group {witness.relatives_group + 1},"
            if witness.relatives_group != witness.group and witness.relatives_group is not None
            else ""
        )
        clauses.append(f"if {names}{where} has {value}, {person} has it too")
    return clauses


def _enumerated(names: Sequence[str], word: str, what: str) -> str:
    if len(names) > _SHOWN:
        return f"{', '.join(names[:_SHOWN])} {word} {len(names) - _SHOWN:,} more {what}"
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _has(person: str, value: Value) -> str:
    return f"{quoted(person)} = {quoted(text_of(value))}"


def _lacks(person: str, value: Value) -> str:
    return f"{quoted(person)} != {quoted(text_of(value))}"
