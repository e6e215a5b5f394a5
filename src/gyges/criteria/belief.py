"""(B,t)-privacy: an attacker who knows how values depend on quasi-identifiers learns little."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, get_args

import numpy as np
from numpy.typing import ArrayLike

from gyges.adversaries.belief_distance import GAIN_TOLERANCE, default_smoothing
from gyges.adversaries.belief_knowledge import BeliefKnowledge, knowledge_of, seems_within
from gyges.adversaries.certain_gains import ESTIMATED, CertainGains, certain_gains
from gyges.adversaries.kernel_columns import (
    Bandwidth,
    Kernel,
    check_kernel,
    positive,
    stated_bandwidth,
)
from gyges.adversaries.member_groups import known_cells, members_of_groups
from gyges.adversaries.posterior import EXACT_STATES, Inference, conditioning_method
from gyges.arguments import choice, shown
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import JudgesEach, Needs, Proposed, Reads, Risk, Rule, of_groups
from gyges.criteria.belief_distances import (
    DISTANCES_IN_WORDS,
    DISTANCES_NOT_HERE,
    EQUAL,
    UNSTATED,
    distances_from,
    stated_distances,
)
from gyges.criteria.belief_prior import GivenPrior, given_prior
from gyges.criteria.nearest_passing_rule import decimals_above, first_passing
from gyges.data.cells import Cells, WithCells
from gyges.data.distances import domain_distances
from gyges.data.table import Table
from gyges.errors import RuleError
from gyges.exact import Number, exact_text, fraction
from gyges.kernels.conditioning import EXACT, REFINED, ConditioningMethod
from gyges.ragged import Ragged
from gyges.release.groups import Groups

_STATES = 1 << 20  # a group of more is not computed exactly, unless method is "exact"
# How a search estimates: groups of more than 2,048 states approximately.
_GUIDE = ConditioningMethod(EXACT, 2048.0, REFINED)
_GUIDES = {"auto": _GUIDE, "exact": _GUIDE}


@dataclass(frozen=True, slots=True)
class Learned:
    """The most that the attacker learns from a batch of groups, and how certain that is."""

    value: float  # the largest gain; an estimate where n_uncertain > 0
    broken: bool  # whether some person's gain is certainly above t
    n_groups: int
    n_uncertain: int  # groups with neither an exact posterior nor a bound that is low enough

    def or_larger(self, other: Learned) -> Learned:
        """The same for two batches together."""
        return Learned(
            max(self.value, other.value),
            self.broken or other.broken,
            self.n_groups + other.n_groups,
            self.n_uncertain + other.n_uncertain,
        )


@of_groups
@dataclass(frozen=True, eq=False)
class Beliefs(Rule):
    """No attacker of bandwidth B learns more than t about anyone [Li2009, Def. 1].

    `gain <= t` for every person, where the gain is the distance between the attacker's beliefs
    before and after the release (base 2), compared with a tolerance of 1e-9. A skyline of several
    (B_i, t_i) [Li2009, Def. 2] is several of these rules.

    Args:
        bandwidth: one number, or `{quasi-identifier: number}`; the smaller, the more precise
            the attacker's knowledge.
        t: the most that the attacker may learn.
        smoothing: the bandwidth over sensitive values, 0 for none; default just above the
            smallest positive distance between them.
        prior: what the attacker believes before, where it does not come from the published table:
            a table of other people with the same quasi-identifiers and sensitive column (a census,
            last year's data; see adversaries/given_prior.py), or a matrix, rows × sensitive values
            in the order of the published table. A matrix needs no bandwidth (None).
        kernel, distances: as in `prior_beliefs`; `distances` may name the sensitive column too.
        method: how a search estimates, as in `posterior_beliefs`. It decides nothing: with any
            method the rule holds only by an exact posterior or a proven bound for every group.
            "exact" computes groups of up to 33 million states, the others up to a million.

    Merging groups may raise a gain: the joint counts may fit a person's prior worse than those of
    their own group did. So the rule is not monotone.
    """

    bandwidth: Fraction | Mapping[str, Fraction] | None
    t: Fraction
    smoothing: Fraction | None = None
    kernel: Kernel = "epanechnikov"
    method: Inference = "auto"
    distances: Mapping[str, ArrayLike | str] | None = None
    prior: GivenPrior | None = None
    is_local: ClassVar[bool] = True
    is_monotone: ClassVar[bool] = False
    needs: ClassVar[Needs] = "original"  # priors come from the table, not from the release
    compares_people: ClassVar[bool] = True
    reads: ClassVar[Reads] = "cells"

    def __init__(
        self,
        bandwidth: Bandwidth | None,
        t: Number,
        *,
        smoothing: Number | None = None,
        kernel: Kernel = "epanechnikov",
        method: Inference = "auto",
        distances: Mapping[str, ArrayLike | str] | None = None,
        prior: GivenPrior | WithCells | ArrayLike | str | None = None,
    ) -> None:
        check_kernel(kernel)
        choice(method, get_args(Inference), "method")
        set_field = object.__setattr__
        given = given_prior(prior)
        set_field(self, "prior", given)
        if (bandwidth is None) != (given is not None and given.is_matrix):
            raise RuleError(
                "bandwidth: give one, unless the prior is a matrix, which needs none (None)"
            )
        set_field(self, "bandwidth", None if bandwidth is None else stated_bandwidth(bandwidth))
        set_field(self, "t", fraction(t, "t"))
        set_field(self, "smoothing", _stated_smoothing(smoothing))
        set_field(self, "kernel", kernel)
        set_field(self, "method", method)
        set_field(self, "distances", None if distances is None else stated_distances(distances))
        if self.t < 0:
            raise RuleError(f"t is {shown(t)}: a gain is at least 0")

    def bind(self, whole: Groups) -> BoundBeliefs:
        """Compute what the attacker believes about the table's people before the release."""
        cells = known_cells(whole).cells
        knowledge = knowledge_of(
            cells,
            self.bandwidth,
            kernel=self.kernel,
            distances=self.matrices(cells),
            smoothing=self.smoothing,
            prior=self.prior_of(cells),
        )
        return BoundBeliefs(self, cells, knowledge)

    def following(self, table: Table) -> Beliefs:
        """The rule with a prior for this table's cells, where it was given for its rows."""
        if self.prior is None or not self.prior.is_matrix:
            return self
        return replace(self, prior=self.prior.for_table(table))

    def matrices(self, cells: Cells) -> dict[str, ArrayLike]:
        """The distances that are stated as matrices; the table gives those that a word names.

        An error where the table does not fit the word, so that it cannot give them.
        """
        if why := self.why_not_judged(cells):
            raise RuleError(why)
        given = self.distances or {}
        return {name: one for name, one in given.items() if not isinstance(one, str)}

    def prior_of(self, cells: Cells) -> FloatArray | WithCells | None:
        """The prior that was given for these cells; None where it comes from their own people."""
        return None if self.prior is None else self.prior.of_cells(cells)

    def why_not_judged(self, cells: Cells) -> str:
        """What the table cannot give; "" where it gives all that the rule needs."""
        if self.prior is not None and self.prior.is_word:
            return self.prior.not_here
        for domain in (*cells.domains, cells.sensitive):
            word = (self.distances or {}).get(domain.name)
            if isinstance(word, str) and word != distances_from(domain):
                return DISTANCES_NOT_HERE[word].format(domain.name)
        return ""

    def agrees_with(self, cells: Cells) -> str:
        """How this claim differs from what the rule would take from a table; "" if it agrees.

        For an auditor with the original: smoothing and the distances between the sensitive values
        decide how much counts as learned, and a claim may state any.
        """
        domain, matrix = cells.sensitive, (self.distances or {}).get(cells.sensitive.name)
        own = domain_distances(domain)
        stated = (
            own
            if matrix is None or isinstance(matrix, str)
            else np.asarray(matrix, dtype=np.float64)
        )
        if stated.shape != own.shape or not np.allclose(stated, own, rtol=0, atol=GAIN_TOLERANCE):
            if domain.is_ordered or domain.ladder is not None:
                return (
                    f"the claim states distances between the values of {domain.name} that differ "
                    f"from those of the column's own order or hierarchy"
                )
            return (
                f"the claim states distances between the values of {domain.name}, and without a "
                f"hierarchy of that column they cannot be checked"
            )
        usual = default_smoothing(own) or 0.0
        smoothing = usual if self.smoothing is None else float(self.smoothing)
        if not math.isclose(smoothing, usual, rel_tol=GAIN_TOLERANCE):
            return (
                f"the claim smooths over the values of {domain.name} with bandwidth {smoothing:g}, "
                f"but their distances give {usual:g}"
            )
        return ""

    def bandwidth_in_words(self) -> str:
        """The bandwidth, or that of each quasi-identifier."""
        if self.bandwidth is None:
            return "none"
        if isinstance(self.bandwidth, Mapping):
            return ", ".join(f"{name} {exact_text(b)}" for name, b in self.bandwidth.items())
        return exact_text(self.bandwidth)

    def __str__(self) -> str:
        knows = "knows how the value depends on the other columns"
        if self.prior is not None:
            knows = self.prior.in_words
        how = "" if self.bandwidth is None else f" (bandwidth {self.bandwidth_in_words()})"
        text = f"an attacker who {knows}{how} learns at most {exact_text(self.t)} about anyone"
        return "; ".join([text, *self._details()])

    def _details(self) -> list[str]:
        """What else the claim depends on, as far as it is stated."""
        details = [] if self.kernel == "epanechnikov" else [f"{self.kernel} kernel"]
        if self.smoothing is not None:
            details.append(f"smoothing over sensitive values {exact_text(self.smoothing)}")
        for name, matrix in (self.distances or {}).items():
            if isinstance(matrix, str):
                details.append(DISTANCES_IN_WORDS[matrix].format(name))
                continue
            apart = np.asarray(matrix)[~np.eye(len(np.asarray(matrix)), dtype=bool)]
            if len(apart):
                details.append(f"distances of {name} from {apart.min():g} to {apart.max():g}")
        return details


@of_groups
@dataclass(frozen=True, slots=True, eq=False)
class BoundBeliefs(JudgesEach[Learned]):
    """The attacker of (B,t)-privacy, and what they believe about one table's people."""

    rule: Beliefs
    cells: Cells
    knowledge: BeliefKnowledge
    is_guess: ClassVar[bool] = True

    def summarize(self, groups: Groups) -> Learned:
        """The largest gain, whether it is too large, and in how many groups it is an estimate."""
        found = self._certain(groups)
        largest = float(found.largest.max(initial=0.0))
        is_certain = found.how != ESTIMATED
        return Learned(
            largest,
            broken=not bool((found.largest[is_certain] <= self._most).all()),  # nor is it NaN
            n_groups=len(groups),
            n_uncertain=int((~is_certain).sum()),
        )

    def merge(self, one: Learned, other: Learned) -> Learned:
        """The larger of two."""
        return one.or_larger(other)

    def risk(self, summary: Learned) -> Fraction | float:
        """The most that the attacker learns about anyone; an estimate if a group is uncertain."""
        return summary.value

    def holds(self, summary: Learned) -> bool:
        """At most t, for certain: by exact posteriors, or by a proven bound on them."""
        return not summary.broken and summary.n_uncertain == 0

    def explain(self, summary: Learned) -> str:
        """How many groups could not be certified, and what to do."""
        if summary.n_uncertain == 0:
            return ""
        more = "" if self.rule.method == "exact" else 'method="exact", '
        return (
            f"the gain is an estimate in {summary.n_uncertain:,} of {summary.n_groups:,} groups: "
            f"their posteriors are too large to compute, and a bound on them exceeds t; use "
            f"{more}smaller groups, a coarser sensitive column or a larger t"
        )

    def risks(self, groups: Groups) -> FloatArray:
        """The most that the attacker learns about anyone in each group, or a bound on it."""
        return self._certain(groups).largest

    def holds_each(self, groups: Groups) -> BoolArray:
        """In which groups the attacker certainly learns at most t about every person."""
        found = self._certain(groups, enough=self._most)
        return np.asarray((found.how != ESTIMATED) & (found.largest <= self._most))

    def may_hold(self, groups: Groups, first: IntArray | None = None) -> BoolArray:
        """In which groups, or bundles `first[b]:first[b+1]` of them, they seem to learn at most t.

        Large groups are estimated: this guides a search and decides nothing.
        """
        members = members_of_groups(groups)
        if len(groups) == 0:
            return np.ones(0, dtype=bool)
        way = _GUIDES.get(self.rule.method) or conditioning_method(self.rule.method)
        seems = seems_within(members, self.knowledge, way, self._most, first)
        if first is None:
            return seems
        bundles = Ragged(seems, first)
        return np.repeat(bundles.reduced(np.logical_and, True), bundles.lengths)

    def _certain(self, groups: Groups, enough: float | None = None) -> CertainGains:
        members = members_of_groups(groups)
        if len(groups) == 0:
            return CertainGains(np.zeros(0), np.zeros(0, dtype=np.int64))
        return certain_gains(
            members,
            self.knowledge,
            self._most,
            enough=enough,
            exact_states=EXACT_STATES if self.rule.method == "exact" else _STATES,
        )

    @property
    def _most(self) -> float:
        return float(self.rule.t) + GAIN_TOLERANCE

    def as_claimed(self, published: Groups) -> Beliefs:
        """The same rule with all that it takes from a table, for a certificate.

        That is the bandwidth over the sensitive values (0 for none) and the distances between
        them, as a matrix in the order of the sensitive column's domain. Where people are
        suppressed, a word states where the distances come from: a matrix would reveal how many
        values only they have, and how far those are from the published ones. A matrix of a
        quasi-identifier is never stated: it is about values that the release generalizes.
        """
        name = self.cells.sensitive.name
        given: dict[str, ArrayLike | str] = {
            column: between if isinstance(between, str) else UNSTATED
            for column, between in (self.rule.distances or {}).items()
            if column != name
        }
        smoothing, between = self._claimed_smoothing(published)
        if between is not None:
            given[name] = between
        return Beliefs(
            self.rule.bandwidth,
            self.rule.t,
            smoothing=smoothing,
            kernel=self.rule.kernel,
            method=self.rule.method,
            distances=given or None,
            prior=None if self.rule.prior is None else self.rule.prior.word,
        )

    def _claimed_smoothing(self, published: Groups) -> tuple[Number | None, ArrayLike | str | None]:
        """The bandwidth over the sensitive values, and the distances that it smooths over."""
        rule, cells = self.rule, self.cells
        between = (rule.distances or {}).get(cells.sensitive.name)
        source = distances_from(cells.sensitive)
        if rule.smoothing == 0 or (between is None and source == EQUAL and rule.smoothing is None):
            return 0, None
        if isinstance(between, str):
            return rule.smoothing, between
        if int(published.sizes.sum()) < int(cells.people.sum()):
            return rule.smoothing, source if between is None else UNSTATED
        matrix = domain_distances(cells.sensitive) if between is None else np.asarray(between)
        width = rule.smoothing if rule.smoothing is not None else default_smoothing(matrix) or 0
        return width, matrix if width else None

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The least t in few decimals."""
        yield from first_passing(
            decimals_above(reached),
            "t",
            lambda t: replace(self, rule=replace(self.rule, t=fraction(t))),
            groups,
        )


def _stated_smoothing(smoothing: Number | None) -> Fraction | None:
    if smoothing is None or fraction(smoothing, "smoothing") == 0:
        return None if smoothing is None else Fraction(0)
    return positive(smoothing, "smoothing")
