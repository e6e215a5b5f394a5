"""The exact probability of any sentence, given what an attacker knows.

The attacker knows who is in which group. All worlds, that is all assignments of a group's values to
its people, are equally likely [Martin2007, Sect. 2.2]; knowledge rules out the worlds in which it
is false.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

from gyges.adversaries.described_people import is_description, placements
from gyges.adversaries.sentences_parser import parse
from gyges.adversaries.sentences_syntax import (
    And,
    AtLeast,
    Atom,
    Exactly,
    Iff,
    Implies,
    InRange,
    Not,
    Or,
    Sentence,
    Share,
    Simple,
    people_in,
    simple_parts,
)  # fmt: skip
from gyges.adversaries.sentences_worlds import Pool, Worlds
from gyges.data.values import text_of
from gyges.errors import ImpossibleKnowledgeError, SentenceError, suggestion
from gyges.exact import counted, exactly
from gyges.release.groups import Groups, check_groups
from gyges.release.release import Release

_PLACE = re.compile(r"([1-9]\d*)\.([1-9]\d*)")
_LONGEST_PLACE = 40  # digits of a group and a person that can exist
_AMBIGUOUS = -1  # the code of two values with the same text, such as 1 and "1"
_MOST_NAMES_COMPARED = 5_000  # to suggest a similar one


def probability(
    groups: Groups | Release, statement: str, given: str | Sentence | None = None
) -> Fraction:
    """The share of worlds in which `statement` is true, among those in which `given` is.

    A person is named as in `groups.members`, or `2.3` for the third person of the second group
    where people have no names. In a release people may be described instead, `{age=42, sex=M}`: see
    described_people.py. A value must be one of `groups.values`: where nobody in the group has it
    the answer is 0; an unknown value is an error.

    >>> names = [["Bob", "Ed", "Al"], ["Ann", "Eve"]]
    >>> groups = Groups.from_lists([["Flu", "Flu", "Mumps"], ["Flu", "Gout"]], members=names)
    >>> probability(groups, "Bob = Flu"), probability(groups, "Bob = Flu", given="Ed = Flu")
    (Fraction(2, 3), Fraction(1, 2))
    >>> probability(groups, "Bob = Flu", given="Ann = Flu -> Bob = Flu")
    Fraction(4, 5)
    """
    stated, known = parse(statement), None if given is None else parse(given)
    sentences = [stated] if known is None else [stated, known]
    base = together = Fraction(0)
    for places, share in placements_of(groups, sentences):
        question = GroupSentences(groups_of(groups), sentences, places)
        worlds, formulas = question.worlds, [question.formula(one) for one in sentences]
        base += share * (worlds.probability(formulas[-1]) if len(formulas) > 1 else 1)
        together += share * worlds.probability(worlds.formulas.both(formulas))
    if base == 0:
        raise impossible()
    return together / base


def groups_of(release: Groups | Release) -> Groups:
    """The groups of a release, or groups as they are."""
    return check_groups(release.groups if isinstance(release, Release) else release)


def placements_of(
    release: Groups | Release, sentences: Sequence[Sentence]
) -> list[tuple[dict[str, int], Fraction]]:
    """Where described people can be, each with its probability; one empty way without any."""
    named = {person for sentence in sentences for person in people_in(sentence)}
    described = sorted(filter(is_description, named))
    if not described:
        return [({}, Fraction(1))]
    if not isinstance(release, Release):
        raise SentenceError(
            f"groups do not say who fits {described[0]}: describe people in a release (gy.load)"
        )
    question = GroupSentences(release.groups, ())
    others = Counter(question.group_of(person) for person in named - {*described})
    return placements(release, described, others)


def impossible() -> ImpossibleKnowledgeError:
    """The error for knowledge that no world satisfies."""
    return ImpossibleKnowledgeError(
        "the knowledge is true in no world of this release, so nothing follows from it: correct "
        "what the attacker knows"
    )


@dataclass(slots=True)
class GroupSentences:
    """Sentences about some groups, as formulas over the people and values that they name.

    With one value per person, values of a group that no sentence tells apart are one outcome: a
    range of a thousand incomes costs no more than one value.
    """

    groups: Groups
    sentences: Sequence[Sentence]
    places: Mapping[str, int] = field(default_factory=dict)  # the groups of described people
    worlds: Worlds = field(default_factory=Worlds)
    _codes: dict[str, int] = field(default_factory=dict)
    _numbers: dict[int, Fraction] | None = None
    _told_apart: dict[int, list[frozenset[int]]] = field(default_factory=dict)  # by group
    _outcomes: dict[int, dict[int, int]] = field(default_factory=dict)  # by group, of each value
    _pools: dict[tuple[int, int], int] = field(default_factory=dict)  # by group and value
    _variables: dict[tuple[str, int], int] = field(default_factory=dict)  # by person and value

    def __post_init__(self) -> None:
        check_groups(self.groups)
        for code, value in enumerate(self.groups.values):
            text = text_of(value)
            self._codes[text] = _AMBIGUOUS if text in self._codes else code
        for sentence in self.sentences:
            for part in simple_parts(sentence):
                self._tell_apart(part)

    def formula(self, sentence: Sentence) -> int:
        """The formula that a sentence stands for."""
        formulas = self.worlds.formulas
        if isinstance(sentence, Share):
            return self._shared(sentence)
        if isinstance(sentence, (Atom, InRange)):
            return self._has_one_of(sentence.person, self._meant(sentence))
        if isinstance(sentence, Not):
            return formulas.deny(self.formula(sentence.part))
        parts = [self.formula(part) for part in sentence.parts]
        if isinstance(sentence, AtLeast):
            return formulas.at_least(sentence.n, parts)
        if isinstance(sentence, Exactly):
            more = formulas.at_least(sentence.n + 1, parts)
            return formulas.both([formulas.at_least(sentence.n, parts), formulas.deny(more)])
        if isinstance(sentence, And):
            return formulas.both(parts)
        if isinstance(sentence, Or):
            return formulas.either(parts)
        if isinstance(sentence, Implies):
            return formulas.either([*(formulas.deny(part) for part in parts[:-1]), parts[-1]])
        assert isinstance(sentence, Iff)
        return formulas.agree(parts)

    @property
    def _is_one(self) -> bool:
        return self.groups.values_per_person == "one"

    def _meant(self, part: Atom | InRange) -> frozenset[int]:
        """The codes of the values that an atom or a range is about."""
        if isinstance(part, Atom):
            return frozenset({self._code_of(part.value)})
        return frozenset(code for code, n in self._number_of_code.items() if part.holds(n))

    def _tell_apart(self, part: Simple) -> None:
        if isinstance(part, Share):
            for group in map(self.group_of, part.people):
                held = self.groups.value_counts_in(group)
                self._told_apart.setdefault(group, []).extend(frozenset({code}) for code in held)
        else:
            group = self.group_of(part.person)
            self._told_apart.setdefault(group, []).append(self._meant(part))

    def _shared(self, sentence: Share) -> int:
        """Some value is had by all of the people."""
        held = [set(self.groups.value_counts_in(self.group_of(one))) for one in sentence.people]
        formulas = self.worlds.formulas
        return formulas.either(
            formulas.both(self._has_one_of(one, frozenset({code})) for one in sentence.people)
            for code in sorted(set.intersection(*held))
        )

    def _has_one_of(self, person: str, codes: frozenset[int]) -> int:
        """A person has one of the values; false outright if none occurs in the group."""
        group = self.group_of(person)
        outcomes = self._outcomes_of(group)
        return self.worlds.formulas.either(
            self._literal(person, group, outcome)
            for outcome in sorted({outcomes[code] for code in codes if code in outcomes})
        )

    def _literal(self, person: str, group: int, outcome: int) -> int:
        value = -1 if self._is_one else outcome
        key = (person, value)
        if key not in self._variables:
            self._variables[key] = len(self.worlds.pool_of)
            self.worlds.pool_of.append(self._pool(group, value))
        return self.worlds.formulas.literal(self._variables[key], outcome)

    def _outcomes_of(self, group: int) -> dict[int, int]:
        """For each value of a group, the first of those that no sentence tells apart from it."""
        if group not in self._outcomes:
            held = self.groups.value_counts_in(group)
            found = {code: code for code in held}
            if self._is_one:
                within: dict[int, list[int]] = {code: [] for code in held}
                for place, codes in enumerate(self._told_apart.get(group, ())):
                    for code in codes & held.keys():
                        within[code].append(place)
                first: dict[tuple[int, ...], int] = {}
                found = {code: first.setdefault(tuple(within[code]), code) for code in held}
            self._outcomes[group] = found
        return self._outcomes[group]

    def _pool(self, group: int, value: int) -> int:
        """The pool of a group, or of one of its values (-1: of all)."""
        if (group, value) not in self._pools:
            outcomes, counts = self._outcomes_of(group), Counter[int]()
            for code, n in self.groups.value_counts_in(group).items():
                if value in (-1, code):
                    counts[outcomes[code]] += n
            size, kind = int(self.groups.sizes[group]), self.groups.values_per_person
            self._pools[group, value] = len(self.worlds.pools)
            self.worlds.pools.append(Pool(size, dict(counts), kind))
        return self._pools[group, value]

    @property
    def _number_of_code(self) -> dict[int, Fraction]:
        """The values that are numbers; the others are in no range."""
        if self._numbers is None:
            self._numbers = {}
            for code, value in enumerate(self.groups.values):
                with suppress(ValueError, TypeError, ZeroDivisionError):
                    self._numbers[code] = exactly(value)
            if not self._numbers:
                raise SentenceError(
                    "the release's values are not numbers, so they cannot be compared with one: "
                    "write = and a value"
                )
        return self._numbers

    def _code_of(self, text: str) -> int:
        if text not in self._codes:
            raise SentenceError(
                f"the release has no value {text!r}{suggestion(text, self._codes)}: write values "
                f"as they are published, in quotes if they contain punctuation"
            )
        if self._codes[text] == _AMBIGUOUS:
            raise SentenceError(f"two values of the release are {text!r}: rename one of them")
        return self._codes[text]

    def group_of(self, person: str) -> int:
        """The group that a person is in."""
        if person in self.places:
            return self.places[person]
        if self.groups.members is not None:
            group = self.groups.group_of_person.get(person)
            if group is not None:
                return group
            names = list(self.groups.group_of_person)[:_MOST_NAMES_COMPARED]
            raise SentenceError(
                f"no one in the release is called {person!r}{suggestion(person, names)}: name a "
                f"member of its groups"
            )
        place = _PLACE.fullmatch(person) if len(person) <= _LONGEST_PLACE else None
        if place and int(place[1]) <= len(self.groups):
            group = int(place[1]) - 1
            if int(place[2]) <= self.groups.sizes[group]:
                return group
            size = counted(int(self.groups.sizes[group]), "person")
            raise SentenceError(f"{person!r} is unknown: group {place[1]} has {size}")
        raise SentenceError(
            f"the release has no names, so {person!r} is unknown: write 2.3 for the third person "
            f"of the second group (the release has {counted(len(self.groups), 'group')})"
        )
