"""Sampled worlds, for questions that name too many people to be answered exactly."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gyges.adversaries.sentences import GroupSentences, groups_of, placements_of
from gyges.adversaries.sentences_formulas import FALSE, TRUE, Formulas
from gyges.adversaries.sentences_parser import parse
from gyges.adversaries.sentences_syntax import Sentence
from gyges.adversaries.sentences_worlds import Pool, Worlds
from gyges.arguments import generator
from gyges.arrays import BoolArray, IntArray
from gyges.errors import SentenceError
from gyges.exact import Number, whole
from gyges.exact import probability as read_probability
from gyges.notebook import NotebookCard
from gyges.release.groups import Groups
from gyges.release.release import Release

_NONE = -1  # none of the outcomes that a formula mentions
MOST_SAMPLES = 10**8  # more take minutes
_MOST_OUTCOMES = 10**7  # of people in worlds that are held at once


@dataclass(frozen=True, slots=True)
class Estimate(NotebookCard):
    """A sampled probability, and the interval that contains the true one with `confidence`."""

    probability: float
    low: float
    high: float
    confidence: Fraction
    trials: int  # sampled worlds in which the knowledge was true
    samples: int

    def __str__(self) -> str:
        return (
            f"about {self.probability:.4g}, between {self.low:.4g} and {self.high:.4g} with "
            f"confidence {float(self.confidence):g} ({self.trials:,} of {self.samples:,} "
            f"sampled worlds agree with the knowledge)"
        )

    def _card_title(self) -> str:
        return "A sampled probability"


def estimate_probability(
    groups: Groups | Release,
    statement: str,
    given: str | Sentence | None = None,
    *,
    rng: np.random.Generator,
    samples: int = 100_000,
    confidence: Number = "0.95",
) -> Estimate:
    """Estimate a sentence's probability from sampled worlds, with an exact binomial interval.

    Worlds in which `given` is false are discarded: knowledge that is rarely true leaves few.

    >>> groups = Groups.from_lists([["Flu", "Flu", "Mumps"]])
    >>> found = estimate_probability(groups, "1.1 = Flu", rng=np.random.default_rng(7))
    >>> found.low < 2 / 3 < found.high
    True
    """
    samples = whole(samples, "samples", least=1, most=MOST_SAMPLES)
    generator(rng)
    level = read_probability(confidence)
    sentences = [parse(text) for text in (statement, given) if text is not None]
    placed = placements_of(groups, sentences)
    each = rng.multinomial(samples, [float(share) for _, share in placed])
    hits = trials = 0
    for (places, _), n in zip(placed, each.tolist(), strict=True):
        question = GroupSentences(groups_of(groups), sentences, places)
        formulas = question.worlds.formulas
        stated, known = [*map(question.formula, sentences), TRUE][:2]
        at_once = max(_MOST_OUTCOMES // (len(question.worlds.pool_of) or 1), 1)
        for start in range(0, n, at_once):
            m = min(at_once, n - start)
            outcomes = _draw(question.worlds, [stated, known], m, rng)
            truths = dict[int, BoolArray]()
            fits = _truth(formulas, known, outcomes, m, truths)
            trials += int(fits.sum())
            hits += int((_truth(formulas, stated, outcomes, m, truths) & fits).sum())
    if trials == 0:
        raise SentenceError(
            f"none of {samples:,} sampled worlds agrees with the knowledge: it is impossible or "
            f"rare; take more samples, or give less knowledge"
        )
    low, high = _interval(hits, trials, float(level))
    return Estimate(hits / trials, low, high, level, trials, samples)


def _draw(
    worlds: Worlds, asked: list[int], samples: int, rng: np.random.Generator
) -> dict[int, IntArray]:
    """The outcome of each variable in each sampled world."""
    variables: defaultdict[int, set[int]] = defaultdict(set)
    outcomes: defaultdict[int, set[int]] = defaultdict(set)
    for formula in asked:
        for variable, outcome in worlds.formulas.literals(formula):
            variables[worlds.pool_of[variable]].add(variable)
            outcomes[worlds.pool_of[variable]].add(outcome)
    drawn: dict[int, IntArray] = {}
    for pool, people in variables.items():
        draw = _scatter if worlds.pools[pool].kind == "multiset" else _hand_out
        columns = draw(worlds.pools[pool], sorted(outcomes[pool]), len(people), samples, rng)
        drawn.update(zip(sorted(people), columns, strict=True))
    return drawn


def _hand_out(
    pool: Pool, outcomes: list[int], n_people: int, samples: int, rng: np.random.Generator
) -> list[IntArray]:
    """Draw without replacement, one person after the other."""
    left = np.tile(np.array([pool.counts[o] for o in outcomes], dtype=np.int64), (samples, 1))
    codes = np.array([*outcomes, _NONE], dtype=np.int64)
    columns = []
    for person in range(n_people):
        ticket = rng.integers(0, pool.n - person, size=samples)
        which = (ticket[:, None] >= np.cumsum(left, axis=1)).sum(axis=1)
        rows = np.flatnonzero(which < len(outcomes))
        left[rows, which[rows]] -= 1
        columns.append(codes[which])
    return columns


def _scatter(
    pool: Pool, outcomes: list[int], n_people: int, samples: int, rng: np.random.Generator
) -> list[IntArray]:
    """Give each occurrence to a random person: whether each named person gets any."""
    (outcome,) = outcomes
    left = np.full(samples, pool.counts[outcome], dtype=np.int64)
    columns = []
    for person in range(n_people):
        got = rng.binomial(left, 1.0 / (pool.n - person))
        left = left - got
        columns.append(np.where(got > 0, outcome, _NONE))
    return columns


def _truth(
    formulas: Formulas,
    formula: int,
    outcomes: dict[int, IntArray],
    samples: int,
    known: dict[int, BoolArray],
) -> BoolArray:
    """Whether a formula is true in each sampled world; `known` are the compounds seen before."""
    if formula in known:
        return known[formula]
    if formula in (FALSE, TRUE):
        return np.full(samples, formula == TRUE)
    kind, parts = formulas.kind(formula), formulas.parts(formula)
    if kind == "literal":
        is_so: BoolArray = outcomes[parts[0]] == parts[1]
        return is_so if formulas.is_affirmed(formula) else ~is_so
    n_true = np.zeros(samples, dtype=np.int64)
    for part in parts:
        n_true += _truth(formulas, part, outcomes, samples, known)
    if kind == "xor":
        known[formula] = (n_true % 2 == 0) == formulas.is_affirmed(formula)
    else:
        least = {"and": len(parts), "or": 1}.get(kind) or formulas.threshold(formula)
        known[formula] = n_true >= least
    return known[formula]


def _interval(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    """Clopper and Pearson's interval: contains the true share with at least this probability."""
    from scipy.stats import beta

    tail = (1 - confidence) / 2
    low = beta.ppf(tail, hits, trials - hits + 1) if hits else 0.0
    high = beta.ppf(1 - tail, hits + 1, trials - hits) if hits < trials else 1.0
    return float(low), float(high)
