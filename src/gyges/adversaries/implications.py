"""The attacker who knows any k implications "if Ann has this, Bob has that" about the people.

They know who is in which group, and any k true facts. They succeed with a high probability that
some person has some value. The worst k facts are found, not guessed: k simple implications with one
consequent [Martin2007, Theorem 9]. Where people have several values: independent_values.py.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import get_args

from gyges.adversaries import negations
from gyges.adversaries.dimension_statistics import code_of
from gyges.adversaries.given_value import worst_implications, worst_negations
from gyges.adversaries.independent_values import (
    curve_of_several,
    worst_of_class,
    worst_of_several,
)
from gyges.adversaries.minimize import DominatingRows, Placing, find, least_probability, odds_of
from gyges.adversaries.sentences_syntax import InRange
from gyges.adversaries.witness import Language, Witness, denied, implied
from gyges.adversaries.worst_interval import worst_interval
from gyges.arguments import choice, items, shown
from gyges.arrays import IntArray
from gyges.data.values import Value, check_value
from gyges.errors import GroupsError, RuleError
from gyges.exact import Number, readable_number, whole
from gyges.notebook import NotebookCard, Part, Rows, Steps
from gyges.release.groups import Groups, check_groups

MOST_FACTS = 1_000_000  # the longest list of probabilities that fits into memory


@dataclass(frozen=True, slots=True)
class Disclosure(NotebookCard):
    """How certain an attacker with k facts can become, and the facts that make them so."""

    probability: Fraction
    witness: Witness
    k: int
    language: Language
    is_proven: bool = True  # False: no worse facts are known (negations, one of several values)

    def __str__(self) -> str:
        facts = f"{self.k} {self.language if self.k != 1 else self.language[:-1]}"
        worst = "Worst case" if self.is_proven else "Worst case that is known,"
        return f"{worst} of {facts}: {self.witness}"

    def _card_title(self) -> str:
        return "The attacker who knows any facts"


class DisclosureCurve(NotebookCard, list[Fraction]):
    """The largest probability for 0, 1, 2, … facts: a list that a notebook draws."""

    def _card_title(self) -> str:
        return "How certain the worst attacker is, by the number of facts they know"

    def _card_parts(self) -> list[Part]:
        rows = [(k, readable_number(share)) for k, share in enumerate(self)]
        return [
            Steps({"how certain they are": self}, "facts that they know"),
            Rows(rows, ("facts", "probability")),
        ]


def max_disclosure(
    groups: Groups,
    k: int,
    language: Language = "implications",
    *,
    value: Value | Collection[Value] | None = None,
    width: Number | None = None,
) -> Disclosure:
    """The largest probability of any "person = value" for an attacker with k facts.

    `language` is what a fact may be: an implication between two atoms [Martin2007, Def. 6], or
    the negation of one. With a `value`, the attacker asks about this value only; with several
    (`["Lung cancer", "Leukemia"]`), whether the target has one of them; with a `width`, in which
    interval of this width the target's number is. People may have one value, sets or multisets:
    "has" then means at least once.

    >>> groups = Groups.from_lists([["Flu", "Flu", "Gout", "Gout", "Mumps"]])
    >>> found = max_disclosure(groups, k=1)
    >>> found.probability, found.witness.target, found.witness.given
    (Fraction(2, 3), '1.1 = Flu', '1.1 = Gout -> 1.1 = Flu')
    >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
    Worst case of 1 implication: If the attacker knows that a person in group 1 does not have Gout,
    they are 2/3 certain that this person has Flu.
    >>> max_disclosure(groups, k=1, value="Mumps").probability
    Fraction(1, 3)
    >>> incomes = Groups.from_lists([[12_000, 15_000, 40_000, 70_000], [20_000, 90_000]])
    >>> print(max_disclosure(incomes, k=0, width=5_000))  # doctest: +NORMALIZE_WHITESPACE
    Worst case of 0 implications: An attacker who knows nothing more is 1/2 certain that a person in
    group 1 has a value from 12000 to 15000.
    """
    k = whole(k, "k", most=MOST_FACTS)
    check_groups(groups)
    check(language)
    if not groups.sizes.any():
        raise GroupsError("there are no groups, so no one's value can be disclosed")
    if width is not None:
        if value is not None or language == "negations":
            raise RuleError("width asks about every interval, with implications: omit the others")
        return _of_interval(groups, k, width)
    return _of_codes(groups, k, language, None if value is None else _codes(groups, value))


def _of_interval(groups: Groups, k: int, width: Number) -> Disclosure:
    """The worst case of any interval of a width."""
    codes, low, high = worst_interval(groups, k, width)
    found = _of_codes(groups, k, "implications", codes)
    interval = InRange(found.witness.atom.person, low, high)
    return replace(found, witness=replace(found.witness, interval=interval))


def _of_codes(groups: Groups, k: int, language: Language, codes: list[int] | None) -> Disclosure:
    """The worst case of any value, or of having one of some."""
    if groups.values_per_person != "one":
        if not len(groups.value_codes):
            raise GroupsError("nobody has a value, so no one's value can be disclosed")
        if codes is None or len(codes) == 1:
            code = None if codes is None else codes[0]
            return Disclosure(*worst_of_several(groups, k, language, code), k, language)
        return Disclosure(*worst_of_class(groups, codes, k, language), k, language)
    if codes is not None and language == "negations":
        return Disclosure(*worst_negations(groups, codes, k), k, language, len(codes) == 1)
    if codes is not None:
        return Disclosure(*worst_implications(groups, codes, k), k, language)
    if language == "negations":
        shares, ids = negations.curve(groups, k)
        place = min(k, len(shares) - 1)
        group, share = int(ids[place]), shares[place]
        return Disclosure(share, denied(groups, group, place, share), k, language)
    dominating, ids = find(groups, k)
    return Disclosure(*_placed(groups, dominating, ids), k, language)


def disclosure_curve(groups: Groups, k: int, language: Language = "implications") -> list[Fraction]:
    """The largest probability for 0, 1, …, k facts, from one pass over the groups.

    >>> groups = Groups.from_lists([["Flu", "Flu", "Gout", "Gout", "Mumps"]])
    >>> disclosure_curve(groups, k=2)
    [Fraction(2, 5), Fraction(2, 3), Fraction(1, 1)]
    """
    k = whole(k, "k", most=MOST_FACTS)
    check_groups(groups)
    check(language)
    if not groups.sizes.any():
        return DisclosureCurve([Fraction(0)] * (k + 1))
    if groups.values_per_person != "one":
        shares = curve_of_several(groups, k, language)
    elif language == "negations":
        shares, _ = negations.curve(groups, k)
    else:
        shares = [share_of(odds) for odds in odds_of(find(groups, k)[0])]
    return DisclosureCurve(shares + [Fraction(1)] * (k + 1 - len(shares)))


def check(language: Language) -> None:
    """Refuse another language."""
    choice(language, get_args(Language), "language")


def _codes(groups: Groups, value: Value | Collection[Value]) -> list[int]:
    """The codes of one value, or of several."""
    if not isinstance(value, Collection) or isinstance(value, str):
        return [_code_of_somebody(groups, value)]
    listed = items(value, "value", "sensitive values", GroupsError)
    if not listed:
        raise GroupsError("value lists no values: give at least one of the release")
    return sorted({_code_of_somebody(groups, check_value(one, "value: a value")) for one in listed})


def _code_of_somebody(groups: Groups, value: Value) -> int:
    """The code of a value that somebody has."""
    value = check_value(value, "value")
    code = code_of(groups.values, value)
    if code is None or not (groups.value_codes == code).any():
        raise GroupsError(f"nobody has the value {shown(value)}: give one of the release")
    return code


def share_of(odds: Fraction) -> Fraction:
    """The probability of what has these odds against it."""
    return Fraction(odds.denominator, odds.denominator + odds.numerator)


def _placed(groups: Groups, dominating: DominatingRows, ids: IntArray) -> tuple[Fraction, Witness]:
    """The worst probability and the witness: atoms of equal groups go to different people."""
    placing = Placing(dominating)
    share = share_of(placing.odds(dominating.reach))
    atoms: dict[int, int] = {}
    for row, n_atoms in placing.places(dominating.reach):
        atoms[row] = atoms.get(row, 0) + n_atoms
    placed = []
    for row, n_atoms in atoms.items():
        _, parts = least_probability(tuple(dominating.rows[row].tolist()), n_atoms)
        placed.append((int(ids[row]), parts))
    return share, implied(groups, placed, share)
