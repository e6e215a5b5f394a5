"""The exact probability of any sentence, given what an attacker knows.

The attacker knows who is in which group. All worlds, that is all assignments of a group's values to
its people, are equally likely [Martin2007, Sect. 2.2]; knowledge rules out the worlds in which it
is false.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

from gyges.adversaries.sentences_formulas import FALSE
from gyges.adversaries.sentences_syntax import And, Atom, Iff, Implies, Not, Or, Sentence, parse
from gyges.adversaries.sentences_worlds import Pool, Worlds
from gyges.data.values import text_of
from gyges.errors import ImpossibleKnowledgeError, SentenceError, suggestion
from gyges.exact import counted
from gyges.release.groups import Groups, check_groups

_PLACE = re.compile(r"([1-9]\d*)\.([1-9]\d*)")
_LONGEST_PLACE = 40  # digits of a group and a person that can exist
_AMBIGUOUS = -1  # the code of two values with the same text, such as 1 and "1"
_MOST_NAMES_COMPARED = 5_000  # to suggest a similar one


def probability(groups: Groups, statement: str, given: str | None = None) -> Fraction:
    """The share of worlds in which `statement` is true, among those in which `given` is.

    A person is named as in `groups.members`, or `2.3` for the third person of the second group
    where people have no names. A value must be one of `groups.values`: where nobody in the group
    has it the answer is 0; an unknown value is an error.

    >>> names = [["Bob", "Ed", "Al"], ["Ann", "Eve"]]
    >>> groups = Groups.from_lists([["Flu", "Flu", "Mumps"], ["Flu", "Gout"]], members=names)
    >>> probability(groups, "Bob = Flu"), probability(groups, "Bob = Flu", given="Ed = Flu")
    (Fraction(2, 3), Fraction(1, 2))
    >>> probability(groups, "Bob = Flu", given="Ann = Flu -> Bob = Flu")
    Fraction(4, 5)
    """
    question = GroupSentences(groups)
    stated = question.formula(parse(statement))
    if given is None:
        return question.worlds.probability(stated)
    known = question.formula(parse(given))
    base = question.worlds.probability(known)
    if base == 0:
        raise impossible()
    return question.worlds.probability(question.worlds.formulas.both((stated, known))) / base


def impossible() -> ImpossibleKnowledgeError:
    """The error for knowledge that no world satisfies."""
    return ImpossibleKnowledgeError(
        "the knowledge is true in no world of this release, so nothing follows from it: correct "
        "what the attacker knows"
    )


@dataclass(slots=True)
class GroupSentences:
    """Sentences about some groups, as formulas over the people and values that they name."""

    groups: Groups
    worlds: Worlds = field(default_factory=Worlds)
    _codes: dict[str, int] = field(default_factory=dict)
    _pools: dict[tuple[int, int], int] = field(default_factory=dict)  # by group and value
    _variables: dict[tuple[str, int], int] = field(default_factory=dict)  # by person and value

    def __post_init__(self) -> None:
        check_groups(self.groups)
        for code, value in enumerate(self.groups.values):
            text = text_of(value)
            self._codes[text] = _AMBIGUOUS if text in self._codes else code

    def formula(self, sentence: Sentence) -> int:
        """The formula that a sentence stands for."""
        formulas = self.worlds.formulas
        if isinstance(sentence, Atom):
            return self._literal(sentence)
        if isinstance(sentence, Not):
            return formulas.deny(self.formula(sentence.part))
        parts = [self.formula(part) for part in sentence.parts]
        if isinstance(sentence, And):
            return formulas.both(parts)
        if isinstance(sentence, Or):
            return formulas.either(parts)
        if isinstance(sentence, Implies):
            return formulas.either([*(formulas.deny(part) for part in parts[:-1]), parts[-1]])
        assert isinstance(sentence, Iff)
        return formulas.agree(parts)

    def _literal(self, atom: Atom) -> int:
        """A person has a value; false outright if the value does not occur in the group."""
        group = self._group_of(atom.person)
        value = self._code_of(atom.value)
        is_one = self.groups.values_per_person == "one"
        pool = self._pool(group, -1 if is_one else value)
        if value not in self.worlds.pools[pool].counts:
            return FALSE
        key = (atom.person, -1 if is_one else value)
        if key not in self._variables:
            self._variables[key] = len(self.worlds.pool_of)
            self.worlds.pool_of.append(pool)
        return self.worlds.formulas.literal(self._variables[key], value)

    def _pool(self, group: int, value: int) -> int:
        """The pool of a group, or of one of its values (-1: of all)."""
        if (group, value) not in self._pools:
            counts = self.groups.value_counts_in(group)
            if value >= 0:
                counts = {code: n for code, n in counts.items() if code == value}
            size, kind = int(self.groups.sizes[group]), self.groups.values_per_person
            self._pools[group, value] = len(self.worlds.pools)
            self.worlds.pools.append(Pool(size, counts, kind))
        return self._pools[group, value]

    def _code_of(self, text: str) -> int:
        if text not in self._codes:
            raise SentenceError(
                f"the release has no value {text!r}{suggestion(text, self._codes)}: write values "
                f"as they are published, in quotes if they contain punctuation"
            )
        if self._codes[text] == _AMBIGUOUS:
            raise SentenceError(f"two values of the release are {text!r}: rename one of them")
        return self._codes[text]

    def _group_of(self, person: str) -> int:
        """The group that a person is in."""
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
