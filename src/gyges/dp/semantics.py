"""What differential privacy means for an attacker with any other knowledge [Ganta2008, Sect. 4.1].

An attacker has any belief about the whole database and sees the release. Semantic privacy
compares what they then believe with what they would believe had one person's data not been used:
the two differ by at most ε' (in statistical difference), except with probability δ'.

"Not used" means here, as in the paper, that the person's row is replaced by a default value, so
the release must be private under changing one person. Proposition 15 and Theorem 16 need only that
the release with and without the person are close, so they also hold where "not used" means removed
and the release is private under adding or removing one person.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from gyges.data.people_words import as_counted
from gyges.dp.accounting import parameters
from gyges.exact import Number, counted, upper_text, whole
from gyges.notebook import NotebookCard


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

    def __str__(self) -> str:
        epsilon = upper_text(self.promised_epsilon, 6)
        promise = f"epsilon = {epsilon} and delta = {upper_text(self.promised_delta)}"
        if self.tight is not None:
            return (
                f"With {promise}: whatever an attacker knows beforehand, the probability that they "
                f"give to any statement is within {upper_text(self.tight)} of what it would be if "
                f"any one person's data had not been used."
            )
        if self.epsilon >= 1 or self.delta >= 1:
            change, rare = min(self.epsilon, 1.0), min(self.delta, 1.0)
            return (
                f"With {promise} for a table of {counted(self.people, 'person')}, this result "
                f"promises nothing: the change is bounded by {upper_text(change)}, the probability "
                f"that it is larger by {upper_text(rare)}; both must be well below 1."
            )
        return (
            f"With {promise} for a table of at most {counted(self.people, 'person')}: except with "
            f"probability {upper_text(self.delta)}, whatever an attacker knows beforehand, the "
            f"probability that they give to any statement is within {upper_text(self.epsilon)} of "
            f"what it would be if any one person's data had not been used."
        )

    def _card_title(self) -> str:
        return "What the noise means"


def meaning_of_noise(
    epsilon: Number, delta: Number, n_made_up: int, *, rows_are_people: bool = False
) -> str:
    """What the guarantee of a release with this many made-up people means, in words.

    Where rows were counted as people, one row's data is protected, not one person's.

    How many people the release is about is not published, and the publisher chooses how many are
    made up. With δ the sentence is about a table of at most this many people, and says so; without
    it, about any table: the bound for two people covers every number.
    """
    said = str(semantic_privacy(epsilon, delta, people=max(n_made_up, 2)))
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


def semantic_privacy(epsilon: Number, delta: Number, people: int) -> SemanticPrivacy:
    """What (ε, δ)-differential privacy of a release about `people` people means.

    >>> strict = semantic_privacy(epsilon=0.1, delta=0, people=100)
    >>> round(strict.epsilon, 4), round(strict.bound, 4), round(strict.tight, 4)
    (0.3499, 0.1052, 0.05)
    """
    exact_e, exact_d = parameters(epsilon, delta)
    n = whole(people, "people", least=1)
    e, d = _double(exact_e), _double(exact_d)
    return SemanticPrivacy(
        promised_epsilon=e,
        promised_delta=d,
        people=n,
        epsilon=_expm1(3 * e) + 2 * math.sqrt(d),
        delta=n * _printed(e, d),
        bound=_expm1(e) if exact_d == 0 else None,
        tight=_tight(e, n) if exact_d == 0 else None,
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
