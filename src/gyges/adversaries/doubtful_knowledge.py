"""The probability of a sentence for an attacker who is not sure of what they know.

A fact with a probability, "with 0.7: 1.2 != Flu", says how probable its sentence is to the
attacker. Their belief changes as little as that demands: of all distributions over the worlds in
which each such sentence has its probability (or one in its interval) it is the one nearest to the
equal one, by relative entropy [Csiszar1975]. With one sentence this is Jeffrey's rule
[Jeffrey1983]:

    P'(A) = p · P(A | E) + (1 - p) · P(A | not E)

Only which of the sentences are true matters, so the worlds are 2^n classes for n sentences. If
the sentences are independent, each is updated by itself and the answer is exact. Otherwise the
multipliers of the nearest distribution are found by coordinate ascent; the distribution with the
multipliers found is the exact answer to probabilities that differ from those stated by at most
`off_by`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from gyges.adversaries.sentences import GroupSentences, groups_of, impossible, placements_of
from gyges.adversaries.sentences_parser import parse
from gyges.adversaries.sentences_syntax import Not, Sentence
from gyges.arguments import items
from gyges.errors import ImpossibleKnowledgeError, RuleError, SentenceError
from gyges.exact import probability as read_probability
from gyges.release.groups import Groups
from gyges.release.release import Release

MOST_DOUBTFUL = 8  # sentences with a probability: 2^n classes of worlds are counted
_DOUBT = re.compile(r"\s*with\s+(\S+?)(?:\s+to\s+(\S+?))?\s*:(.*)", re.DOTALL)
_ROUNDS = 10_000
_CLOSE = 1e-13  # relative change of the multipliers in a round
_LARGEST = 1e100  # a multiplier beyond it belongs to a fact that cannot have its probability
_TOO_FAR = Fraction(1, 10**6)  # the nearest distribution was not found
_NO_SHARE = 1e-9  # the most that a class can have, by a linear program in floating point

_Classes = dict[tuple[bool, ...], Fraction]  # by which of the doubtful sentences are true


@dataclass(frozen=True, slots=True)
class DoubtfulAnswer:
    """A probability under doubtful knowledge.

    It is exact for the facts' probabilities if `off_by` is 0, else for probabilities that differ
    from them by at most that.
    """

    probability: Fraction
    off_by: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether the probability is exact for the facts as stated."""
        return self.off_by == 0


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence, and between which two numbers its probability lies for the attacker."""

    sentence: Sentence
    low: Fraction
    high: Fraction


def fact_of(text: str) -> Fact:
    """Read a sentence, with a probability or an interval in front of it if it is doubtful.

    >>> fact_of("with 0.7 to 0.9: Ed = Flu")  # doctest: +ELLIPSIS
    Fact(sentence=Atom(...), low=Fraction(7, 10), high=Fraction(9, 10))
    """
    found = _DOUBT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return Fact(parse(text), Fraction(1), Fraction(1))
    try:
        low = read_probability(found[1], "the probability of a fact")
        high = low if found[2] is None else read_probability(found[2], "the probability of a fact")
    except RuleError as problem:
        raise SentenceError(str(problem)) from None
    if low > high:
        raise SentenceError(
            f"a fact has a probability from {found[1]} to {found[2]}: exchange them"
        )
    return Fact(parse(found[3]), low, high)


def doubtful_probability(
    groups: Groups | Release, statement: str, given: Sequence[str]
) -> DoubtfulAnswer:
    """The probability of a sentence, given facts of which some are doubtful.

    >>> groups = Groups.from_lists([["Flu", "Flu", "Mumps", "Gout"]])
    >>> found = doubtful_probability(groups, "1.1 = Flu", ["with 0.8: 1.1 != Gout"])
    >>> found.probability, found.is_exact
    (Fraction(8, 15), True)
    """
    facts = [fact_of(text) for text in items(given, "given", "sentences")]  # type: ignore[arg-type]
    certain = [fact for fact in facts if fact.low == fact.high and fact.low in (0, 1)]
    doubtful = [fact for fact in facts if fact not in certain]
    if len(doubtful) > MOST_DOUBTFUL:
        raise SentenceError(f"{len(doubtful)} facts are doubtful: give at most {MOST_DOUBTFUL}")
    stated = parse(statement)
    sentences = [stated, *(fact.sentence for fact in facts)]
    before, true = _Classes(), _Classes()  # the share of worlds, and of those where it is true
    for places, share in placements_of(groups, sentences):
        question = GroupSentences(groups_of(groups), sentences, places)
        formulas, probability = question.worlds.formulas, question.worlds.probability
        known = formulas.both(
            question.formula(fact.sentence if fact.low else Not(fact.sentence)) for fact in certain
        )
        asked = question.formula(stated)
        doubts = [question.formula(fact.sentence) for fact in doubtful]
        for truths in product((True, False), repeat=len(doubts)):
            literals = [
                f if is_so else formulas.deny(f) for f, is_so in zip(doubts, truths, strict=True)
            ]
            each = formulas.both([known, *literals])
            before[truths] = before.get(truths, Fraction(0)) + share * probability(each)
            both = probability(formulas.both([each, asked]))
            true[truths] = true.get(truths, Fraction(0)) + share * both
    total = sum(before.values())
    if total == 0:
        raise impossible()
    prior = {truths: share / total for truths, share in before.items() if share}
    posterior, off_by = _nearest(prior, doubtful)
    answer = sum(
        (share * true[truths] / before[truths] for truths, share in posterior.items()), Fraction(0)
    )
    return DoubtfulAnswer(answer, off_by)


def _nearest(prior: _Classes, facts: Sequence[Fact]) -> tuple[_Classes, Fraction]:
    """The distribution nearest to the prior in which each fact has its probability."""
    now = [_share(prior, i) for i in range(len(facts))]
    wanted = [min(max(p, fact.low), fact.high) for p, fact in zip(now, facts, strict=True)]
    for p, goal in zip(now, wanted, strict=True):
        if p != goal and p in (0, 1):
            raise ImpossibleKnowledgeError(
                "a doubtful fact is true in every world, or in none, and cannot have another "
                "probability: correct what the attacker knows"
            )
    if now == wanted:
        return prior, Fraction(0)
    if _independent(prior, now):
        factors = [(goal / p if p else Fraction(1), (1 - goal) / (1 - p) if p < 1 else Fraction(1))
                   for p, goal in zip(now, wanted, strict=True)]  # fmt: skip
        return {
            truths: share
            * math.prod(f[not is_so] for f, is_so in zip(factors, truths, strict=True))
            for truths, share in prior.items()
        }, Fraction(0)
    return _by_ascent(_possible(prior, facts), facts)


def _possible(prior: _Classes, facts: Sequence[Fact]) -> _Classes:
    """The classes that some distribution gives a share in which each fact has its probability.

    The nearest distribution gives each of them a share, and the others none [Csiszar1975, Th. 3.1].
    """
    from scipy.optimize import linprog

    true = np.array([*prior], dtype=float).T
    limits = np.array([[float(fact.high), -float(fact.low)] for fact in facts]).T.ravel()
    kept = []
    for place in range(len(prior)):
        aim = np.zeros(len(prior))
        aim[place] = -1.0
        total = np.ones((1, len(prior)))
        found = linprog(aim, np.vstack([true, -true]), limits, total, [1.0], bounds=(0, 1))
        if found.status != 0:
            raise _contradictory()
        kept.append(-found.fun > _NO_SHARE)
    left = {
        truths: share for (truths, share), keep in zip(prior.items(), kept, strict=True) if keep
    }
    total_left = sum(left.values())
    return {truths: share / total_left for truths, share in left.items()}


def _share(classes: _Classes, fact: int) -> Fraction:
    return sum((share for truths, share in classes.items() if truths[fact]), Fraction(0))


def _independent(prior: _Classes, now: Sequence[Fraction]) -> bool:
    """Whether the facts are independent: each class is the product of its shares."""
    return all(
        prior.get(truths, 0)
        == math.prod(
            (p if is_so else 1 - p for p, is_so in zip(now, truths, strict=True)), start=Fraction(1)
        )
        for truths in product((True, False), repeat=len(now))
    )


def _by_ascent(prior: _Classes, facts: Sequence[Fact]) -> tuple[_Classes, Fraction]:
    """Set one multiplier after the other to what its fact demands, until all do."""
    multiplier = [1.0] * len(facts)
    start = {truths: float(share) for truths, share in prior.items()}

    def weighed(without: int) -> tuple[float, float]:
        """The weights of the classes in which a fact is true and false, without its multiplier."""
        sums = [0.0, 0.0]
        for truths, share in start.items():
            factor = math.prod(m for i, m in enumerate(multiplier) if truths[i] and i != without)
            sums[truths[without]] += share * factor
        return sums[1], sums[0]

    for _ in range(_ROUNDS):
        moved = 0.0
        for i, fact in enumerate(facts):
            yes, no = weighed(i)
            goal = min(max(yes / (yes + no), float(fact.low)), float(fact.high))
            before, multiplier[i] = multiplier[i], _odds(goal, yes, no)
            moved = max(moved, abs(multiplier[i] - before) / max(multiplier[i], before, 1e-300))
        if moved < _CLOSE:
            break
    return _exactly_weighed(prior, facts, multiplier)


def _odds(goal: float, yes: float, no: float) -> float:
    """The multiplier that makes a fact as probable as it must be."""
    if goal == yes / (yes + no):
        return 1.0
    odds = goal / (1 - goal) * no / yes if goal < 1 and yes > 0 else math.inf
    if not 1 / _LARGEST < odds < _LARGEST:
        raise _contradictory()
    return odds


def _exactly_weighed(
    prior: _Classes, facts: Sequence[Fact], multiplier: Sequence[float]
) -> tuple[_Classes, Fraction]:
    """The distribution with these multipliers as fractions, and how far it is from the facts."""
    exact = [Fraction(m) for m in multiplier]
    weights = {
        truths: share * math.prod(m for m, is_so in zip(exact, truths, strict=True) if is_so)
        for truths, share in prior.items()
    }
    total = sum(weights.values())
    found = {truths: weight / total for truths, weight in weights.items()}
    off = Fraction(0)
    for i, fact in enumerate(facts):
        reached = _share(found, i)
        off = max(off, abs(reached - min(max(reached, fact.low), fact.high)))
        if multiplier[i] != 1 and fact.low < reached < fact.high:  # then it is at one of the ends
            off = max(off, min(reached - fact.low, fact.high - reached))
    if off > _TOO_FAR:
        raise _contradictory()
    return found, off


def _contradictory() -> ImpossibleKnowledgeError:
    return ImpossibleKnowledgeError(
        "no belief gives the doubtful facts these probabilities together: they contradict each "
        "other, or one of them is certain; correct what the attacker knows"
    )
