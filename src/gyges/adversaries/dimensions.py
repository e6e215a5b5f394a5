"""The attacker with three kinds of knowledge: how certain can they be, and how much may they know?

They have the release and ask about one sensitive value. Where everyone has one value they know
[Chen2009, Def. 1] at most l values that the target lacks, the values of at most k other people, and
at most m relatives: if one of them has the value, so has the target. Where people have sets or
multisets of values [Chen2009, Def. 2] they know at most l values that the target has only together
with this one, at most k people who lack it, and the m relatives. They succeed if the target has the
value in a large share of the equally likely worlds that agree with their knowledge.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from gyges.adversaries.breach_witness import BreachWitness, find_witness, nobody
from gyges.adversaries.dimension_statistics import Watch, code_of, statistic_minima
from gyges.adversaries.skyline_frontier import Amounts, explain_point, frontier
from gyges.data.values import Value, check_value
from gyges.errors import RuleError
from gyges.exact import Number, amount, probability
from gyges.notebook import NotebookCard, Part, Rows, SkylineMap
from gyges.release.groups import Groups, check_groups


@dataclass(frozen=True, slots=True)
class Breach(NotebookCard):
    """How certain the worst attacker is, and what they know."""

    probability: Fraction
    witness: BreachWitness

    def __str__(self) -> str:
        return str(self.witness)

    def __repr__(self) -> str:
        return f"<Breach: {self}>"  # the fraction may have more digits than Python writes

    def _card_title(self) -> str:
        return "The attacker with three kinds of knowledge"


def breach(groups: Groups, value: Value, l: float = 0, k: float = 0, m: float = 0) -> Breach:
    """The breach probability of a value for knowledge of at most (l, k, m) [Chen2009, Def. 3].

    Departs from the paper's formulas where they contradict its definition: a group without the
    value has no target and no useful relative, and the probability of a value that nobody has is 0.

    >>> groups = Groups.from_lists([["AIDS", "Flu", "Flu", "AIDS"], ["Flu", "Gout", "Flu", "AIDS"]])
    >>> worst = breach(groups, value="AIDS", l=1, k=0, m=1)
    >>> worst.probability, worst.witness.given
    (Fraction(1, 1), '1.1 != Flu')
    >>> print(breach(groups, value="AIDS", k=1))
    The target is 1.1, of group 1. The attacker knows that 1.2 has Flu. \
Then 1.1 has AIDS with probability 2/3 (0.667).
    """
    amounts = amount(l, "l"), amount(k, "k"), amount(m, "m")
    check_groups(groups)
    value = check_value(value, "value")
    code = code_of(groups.values, value)
    if code is None:
        return Breach(Fraction(0), nobody(groups, value))
    minima = statistic_minima(groups, Watch.of(groups.values, [(code, *amounts)]))
    witness = find_witness(groups, minima)
    return Breach(witness.probability, witness)


class SkylinePoints(NotebookCard, list[Amounts]):
    """The points of a knowledge skyline: a list that a notebook shows as a map."""

    def __init__(self, points: list[Amounts], value: Value, c: Fraction, groups: Groups) -> None:
        super().__init__(points)
        self.title = f"What an attacker may know before they are {c} certain of {value}"
        self.values_per_person = groups.values_per_person

    def _card_title(self) -> str:
        return self.title

    def _card_parts(self) -> list[Part]:
        if not self:
            return ["Nothing: the release alone makes them that certain."]
        rows = [
            (f"({l:g}, {k:g}, {m:g})", explain_point((l, k, m), self.values_per_person))
            for l, k, m in self
        ]
        return [SkylineMap(self), Rows(rows, ("(l, k, m)", ""))]


def skyline_find(groups: Groups, value: Value, confidence: Number) -> list[Amounts]:
    """SkylineFind: the largest amounts (l, k, m) that leave a value below a confidence.

    Sorted; math.inf means no limit. For the value, the release is safe against all knowledge
    beneath a point of this knowledge skyline, and against nothing else [Chen2009, Def. 5]. Empty
    where even an attacker who knows nothing is too certain.

    >>> groups = Groups.from_lists([["AIDS", "Flu", "Gout", "Mumps", "Cold", "Asthma"]])
    >>> skyline_find(groups, value="AIDS", confidence="0.5")
    [(0, 3, 0), (1, 1, 2), (1, 2, 1), (2, 0, 3), (2, 1, 1), (3, 0, 2)]
    """
    c = probability(confidence)
    if c == 0:
        raise RuleError("the confidence is 0, and no probability is below 0: give a larger one")
    check_groups(groups)
    value = check_value(value, "value")
    code = code_of(groups.values, value)
    return SkylinePoints(frontier(groups, -1 if code is None else code, c), value, c, groups)
