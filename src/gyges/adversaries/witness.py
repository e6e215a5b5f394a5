"""A witness: who is exposed, and by which knowledge, as data and in English."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

from gyges.adversaries.sentences_syntax import (
    Atom,
    Implies,
    InRange,
    Not,
    Or,
    Sentence,
    conjunction,
    quoted,
)
from gyges.data.values import text_of
from gyges.exact import percent
from gyges.release.groups import FROM_0, Groups

Language: TypeAlias = Literal["implications", "negations"]


@dataclass(frozen=True, slots=True)
class Witness:
    """Knowing `facts`, the attacker believes `atom` with `probability`.

    `target` and `given` are the same as sentences: the probability of the one, given the other.
    """

    probability: Fraction
    atom: Atom  # who has what
    group: int = field(metadata=FROM_0)  # the target's
    antecedents: tuple[Atom, ...]  # each implies the atom, or is false; at most k
    language: Language
    is_named: bool  # whether people have names of their own
    has_one_value: bool = True  # each person; else an implication about the target denies nothing
    or_else: tuple[Atom, ...] = ()  # other values of the target, any of which will do
    interval: InRange | None = None  # that these values are in, where it is asked about

    @property
    def facts(self) -> tuple[Sentence, ...]:
        """What the attacker knows; fewer than k facts where fewer are enough for certainty."""
        if self.language == "negations":
            return tuple(Not(atom) for atom in self.antecedents)
        return tuple(Implies((atom, self._aim)) for atom in self.antecedents)

    @property
    def target(self) -> str:
        """The sentence that the attacker then believes."""
        return str(self._aim)

    @property
    def _aim(self) -> Sentence:
        if self.interval is not None:
            return self.interval
        return Or((self.atom, *self.or_else)) if self.or_else else self.atom

    @property
    def _wanted(self) -> str:
        if self.interval is not None:
            return f"a value{str(self.interval).removeprefix(quoted(self.atom.person))}"
        return _listed([atom.value for atom in (self.atom, *self.or_else)], "or")

    @property
    def given(self) -> str | None:
        """The sentence that they know; None where they know nothing more."""
        return str(conjunction(self.facts)) if self.antecedents else None

    def __str__(self) -> str:
        is_anyone = not self.is_named and all(
            atom.person == self.atom.person for atom in self.antecedents
        )
        person = f"a person in group {self.group + 1}" if is_anyone else self.atom.person
        known = self._known(person)
        certain = "certain" if self.probability == 1 else f"{_shown(self.probability)} certain"
        if not known:
            believed = f"{person} has {self._wanted}"
            return f"An attacker who knows nothing more is {certain} that {believed}."
        believed = f"{'this person' if is_anyone else person} has {self._wanted}"
        facts = " and that ".join(known)
        return f"If the attacker knows that {facts}, they are {certain} that {believed}."

    def _known(self, person: str) -> list[str]:
        """What the attacker knows, in words."""
        others = [atom for atom in self.antecedents if atom.person != self.atom.person]
        if self.language == "negations" and others:  # about the target's value
            people = [atom.person for atom in others]
            verb = "does" if len(people) == 1 else "do"
            return [f"{_listed(people, 'and')} {verb} not have {self.atom.value}"]
        denied = [atom for atom in self.antecedents if atom not in others]
        if not self.has_one_value:
            denied, others = [], [*self.antecedents]
        lacking = [atom.value for atom in denied]
        known = [f"{person} does not have {_listed(lacking, 'or')}"] if lacking else []
        if others:
            known.append(f"{person} has {self._wanted} {_conditions(others)}")
        return known


def implied(
    groups: Groups, placed: Sequence[tuple[int, tuple[int, ...]]], probability: Fraction
) -> Witness:
    """The witness whose atoms are placed as (group, atoms about its first, second, … person).

    The target is the first person of the first group, with its most frequent value; every other
    atom implies the target [Martin2007, Theorem 9].
    """
    atoms = [
        Atom(_name(groups, group, person), value)
        for group, parts in placed
        for values in [frequent_values(groups, group, max(parts))]
        for person, n_values in enumerate(parts)
        for value in values[:n_values]
    ]
    is_named = groups.members is not None
    return Witness(probability, atoms[0], placed[0][0], tuple(atoms[1:]), "implications", is_named)


def denied(groups: Groups, group: int, k: int, probability: Fraction) -> Witness:
    """The witness in which the target has none of the k values that follow the most frequent."""
    values = frequent_values(groups, group, k + 1)
    first, *others = (Atom(_name(groups, group, 0), value) for value in values)
    is_named = groups.members is not None
    return Witness(probability, first, group, tuple(others), "negations", is_named)


def denied_by(
    groups: Groups,
    group: int,
    codes: Sequence[int],
    k: int,
    language: Language,
    probability: Fraction = Fraction(1),
) -> Witness:
    """The witness in which a target with one of some values lacks the k most frequent others."""
    counts = groups.value_counts_in(group)
    others = sorted((one for one in counts if one not in codes), key=lambda one: -counts[one])[:k]
    atom, *or_else = atoms_about(groups, group, 0, [one for one in codes if one in counts])
    lacking = tuple(atoms_about(groups, group, 0, others))
    is_named = groups.members is not None
    return Witness(probability, atom, group, lacking, language, is_named, or_else=tuple(or_else))


def atoms_about(groups: Groups, group: int, person: int, codes: Sequence[int]) -> list[Atom]:
    """Atoms that give a person of a group some values."""
    name = _name(groups, group, person)
    return [Atom(name, text_of(groups.values[code])) for code in codes]


def frequent_values(groups: Groups, group: int, n_values: int) -> list[str]:
    """The most frequent values of a group as texts, the most frequent first."""
    counts = groups.value_counts_in(group)
    order = sorted(counts, key=lambda code: -counts[code])[:n_values]
    return [text_of(groups.values[code]) for code in order]


def _name(groups: Groups, group: int, person: int) -> str:
    if groups.members is not None:
        return groups.members[group][person]
    return f"{group + 1}.{person + 1}"


def _conditions(atoms: list[Atom]) -> str:
    """`if Ann has Flu or Gout, or if Eve has Flu`."""
    held: dict[str, list[str]] = {}
    for atom in atoms:
        held.setdefault(atom.person, []).append(atom.value)
    clauses = [f"if {person} has {_listed(values, 'or')}" for person, values in held.items()]
    return clauses[0] if len(clauses) == 1 else f"{', '.join(clauses[:-1])}, or {clauses[-1]}"


def _listed(words: list[str], joint: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"


def _shown(share: Fraction) -> str:
    """A short fraction, else a percentage, which never rounds to certainty."""
    return str(share) if share.denominator < 10_000 else percent(share)
