"""What differential privacy means for an attacker with any other knowledge [Ganta2008, Sect. 4.1].

An attacker has any belief about the whole database and sees the release. Semantic privacy
compares what they then believe with what they would believe had one person's data not been used:
the two differ by at most ε' (in statistical difference), except with probability δ'.

"Not used" means here, as in the paper, that the person's row is replaced by a default value, so
the release must be private under changing one person. Proposition 15 and Theorem 16 need only that
the release with and without the person are close, so they also hold where "not used" means removed
and the release is private under adding or removing one person. The same is true of what follows.

Theorem 16 is about everybody at once and says nothing for realistic n. About each person by
themselves much more can be said. "On average" and "with a probability" are over the attacker's own
beliefs about the data and over the noise, as in the theorem. Let P be the joint law of data and
release, Q the same with the person's data not used, and TV the change of belief at a release.

(a) If P and Q are (ε, δ)-indistinguishable, each is a mixture that gives weight 1 - δ to a part,
    and the parts are (ε, 0)-indistinguishable [Kairouz2015, Theorem 3.3]. Given a release, the
    parts' beliefs differ by at most tanh(ε/2). The rest moves beliefs further by δ on average
    under P, and by δ(1 + e^ε) under Q's share. So E max(TV - tanh(ε/2), 0) <= δ(2 + e^ε).
(b) With ρ the joint divergence is KL(P, Q) <= ρ [Bun2016], and it is at least the average
    divergence of the beliefs (chain rule). By Pinsker's and Jensen's inequalities E TV <= √(ρ/2).
(c) ρ implies (ρ + 2√(ρ ln 1/δ'), δ') for every δ' [Bun2016, Prop. 1.3], so (a) holds for all of
    these; by Markov's inequality TV exceeds tanh(ε'/2) + δ'(2 + e^ε')/β with a probability of at
    most β.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from gyges.data.people_words import as_counted
from gyges.dp.accounting import parameters
from gyges.exact import Number, upper_text, whole
from gyges.notebook import NotebookCard

RARE = 0.01  # the probability with which beliefs may change more than `SemanticPrivacy.usual`


@dataclass(frozen=True, slots=True)
class SemanticPrivacy(NotebookCard):
    """(ε', δ')-semantic privacy that follows from (ε, δ)-differential privacy."""

    promised_epsilon: float
    promised_delta: float
    people: int
    epsilon: float  # ε' = e^(3ε) - 1 + 2√δ [Ganta2008, Theorem 16]
    delta: float  # δ' = n (√δ + 2δ/(ε e^ε)); the paper has O(n√δ), the constant is Lemma 19's
    bound: float | None  # e^ε - 1 for δ = 0 [Ganta2008, Prop. 15]
    tight: float | None  # the exact worst case for δ = 0
    average: float  # how much one person's data changes a belief, on average
    usual: float  # how much it changes a belief, except with a probability of `RARE`

    def __str__(self) -> str:
        epsilon = upper_text(self.promised_epsilon, 6)
        promise = f"epsilon = {epsilon} and delta = {upper_text(self.promised_delta)}"
        if self.tight is not None:
            return (
                f"With {promise}: whatever an attacker knows beforehand, the probability that they "
                f"give to any statement is within {upper_text(self.tight)} of what it would be if "
                f"any one person's data had not been used."
            )
        if self.average >= 1:
            return (
                f"With {promise}, this result promises nothing: how much a belief may change is "
                f"not bounded below 1."
            )
        rarely = (
            f", and by more than {upper_text(self.usual)} with a probability of at most 1 %"
            if self.usual < 1
            else ""
        )
        return (
            f"With {promise}: whatever an attacker knows beforehand, the probability that they "
            f"give to any statement changes by at most {upper_text(self.average)} on "
            f"average{rarely}, compared with what it would be if any one person's data had not "
            f"been used. With the same epsilon and no delta it would never change by more than "
            f"{upper_text(_tight(self.promised_epsilon, 2))}."
        )

    def _card_title(self) -> str:
        return "What the noise means"


def meaning_of_noise(
    epsilon: Number, delta: Number, rho: Number | None = None, *, rows_are_people: bool = False
) -> str:
    """What the guarantee of a release means, in words.

    Where rows were counted as people, one row's data is protected, not one person's. How many
    people the release is about is not published: the bound for two people covers every number.
    """
    spent = rho if parameters(epsilon, delta)[1] else None
    said = str(semantic_privacy(epsilon, delta, people=2, rho=spent))
    if rows_are_people:
        said = as_counted(said.replace("any one person's data", "any one row"), rows_are_people)
    return said


@dataclass(frozen=True, slots=True)
class ConditionalCloseness:
    """How close two close worlds are after seeing t, except for rare t [Ganta2008, Lemma 19]."""

    epsilon: float  # 3ε
    delta: float  # 2√δ
    delta_safe: float  # the probability of a bad t under either law; the constant that holds
    delta_printed: float  # √δ + 2δ/(ε e^ε) as printed, which can be too small


def semantic_privacy(
    epsilon: Number, delta: Number, people: int, rho: Number | None = None
) -> SemanticPrivacy:
    """What (ε, δ)-differential privacy of a release about `people` people means.

    With `rho`, the loss as concentrated differential privacy, where it is known.

    >>> strict = semantic_privacy(epsilon=0.1, delta=0, people=100)
    >>> round(strict.epsilon, 4), round(strict.bound, 4), round(strict.tight, 4)
    (0.3499, 0.1052, 0.05)
    """
    exact_e, exact_d = parameters(epsilon, delta)
    n = whole(people, "people", least=1)
    e, d = _double(exact_e), _double(exact_d)
    spent = None if rho is None else _double(parameters(rho, 0)[0])
    return SemanticPrivacy(
        promised_epsilon=e,
        promised_delta=d,
        people=n,
        epsilon=_expm1(3 * e) + 2 * math.sqrt(d),
        delta=n * _printed(e, d),
        bound=_expm1(e) if exact_d == 0 else None,
        tight=_tight(e, n) if exact_d == 0 else None,
        average=_average(e, d, n, spent),
        usual=_usual(e, d, n, spent),
    )


def conditional_closeness(epsilon: Number, delta: Number) -> ConditionalCloseness:
    """How close two close worlds are once t is seen [Ganta2008, Lemma 19].

    The pairs (X, A(X)) and (Y, A'(Y)) are (ε, δ)-indistinguishable. Given t, X and Y are
    (3ε, 2√δ)-indistinguishable, except for a t that is rare. The lemma as printed is wrong for
    larger epsilon: its probability of a bad t bounds one kind of bad t under one law and the
    other kind under the other law. `delta_safe` bounds both under either:

        √δ (1 + e^ε)/2 + δ + δ/(1 - e^-ε) + δ/(e^ε (e^ε - 1))
    """
    exact_e, exact_d = parameters(epsilon, delta)
    e, d = _double(exact_e), _double(exact_d)
    return ConditionalCloseness(3 * e, 2 * math.sqrt(d), _safe(e, d), _printed(e, d))


def _printed(e: float, d: float) -> float:
    """δ'' = √δ + 2δ/(ε e^ε); with ε = 0 it is infinite unless δ = 0."""
    if d == 0:
        return 0.0
    return math.sqrt(d) + 2 * d * math.exp(-e) / e if e > 0 else math.inf


def _safe(e: float, d: float) -> float:
    if d == 0:
        return 0.0
    if e == 0:
        return math.inf
    one_sided = d / -math.expm1(-e) + d * math.exp(-e) / _expm1(e)
    return math.sqrt(d) * (2 + _expm1(e)) / 2 + d + one_sided


def _tight(e: float, n: int) -> float:
    """tanh(ε/2), attained by a noisy exclusive-or of two people; for one person tanh(ε/4).

    (For one person who is removed rather than replaced: tanh(ε/2) too.)
    """
    return math.tanh(e / 2) if n >= 2 else math.tanh(e / 4)


def _beyond(e: float, d: float) -> float:
    """δ(2 + e^ε), which bounds how far beliefs change beyond tanh(ε/2), on average."""
    return d * (3 + _expm1(e)) if d else 0.0


def _average(e: float, d: float, n: int, rho: float | None) -> float:
    worst = min(_tight(e, n if d == 0 else 2) + _beyond(e, d), 1.0)
    return worst if rho is None else min(worst, math.sqrt(rho / 2))


def _usual(e: float, d: float, n: int, rho: float | None) -> float:
    pairs = [(e, d)]
    if rho is not None:
        shares = [10.0**-digits for digits in range(2, 16)]
        pairs += [(rho + 2 * math.sqrt(rho * -math.log(share)), share) for share in shares]
    found = [_tight(one, n if rest == 0 else 2) + _beyond(one, rest) / RARE for one, rest in pairs]
    return min(*found, 1.0)


def _double(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.inf


def _expm1(x: float) -> float:
    try:
        return math.expm1(x)
    except OverflowError:
        return math.inf
