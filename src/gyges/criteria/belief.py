"""(B,t)-privacy: an attacker who knows how values go with the quasi-identifiers learns little."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, get_args
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from gyges.adversaries.belief_distance import GAIN_TOLERANCE, default_smoothing
from gyges.adversaries.belief_knowledge import Knowledge, knowledge_of, seems_within
from gyges.adversaries.certain_gains import ESTIMATED, CertainGains, certain_gains
from gyges.adversaries.crowds import crowd_of_groups
from gyges.adversaries.kernel_columns import (
    Bandwidth,
    Kernel,
    check_kernel,
    positive,
    read_distances,
    stated_bandwidth,
)
from gyges.adversaries.posterior import EXACT_STATES, Inference, way_of
from gyges.arguments import choice, shown
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import Reads, of_groups
from gyges.data.cells import Cells
from gyges.data.distances import check_distances, domain_distances
from gyges.errors import RuleError
from gyges.exact import Number, exact_text, fraction
from gyges.kernels import conditioning
from gyges.kernels.conditioning import Way
from gyges.ragged import Ragged
from gyges.release.groups import Groups

_STATES = 1 << 20  # of a group up to which it is computed exactly, unless method is "exact"
# How a search looks at groups: those of more than 2,048 states are estimated.
_GUIDE = Way(conditioning.EXACT, 2048.0, conditioning.REFINED)
_GUIDES = {"auto": _GUIDE, "exact": _GUIDE}


@dataclass(frozen=True, slots=True)
class Learned:
    """What the attacker learns from a batch of groups at most, and how certain that is."""

    value: float  # the largest gain; an estimate where n_uncertain > 0
    broken: bool  # whether somebody's gain is above t for certain
    n_groups: int
    n_uncertain: int  # groups with neither an exact posterior nor a bound that is low enough

    def or_larger(self, other: Learned) -> Learned:
        """Of two batches together."""
        return Learned(
            max(self.value, other.value),
            self.broken or other.broken,
            self.n_groups + other.n_groups,
            self.n_uncertain + other.n_uncertain,
        )


@of_groups
@dataclass(frozen=True, eq=False)
class Beliefs:
    """No attacker of bandwidth B learns more than t of anybody [Li2009, Def. 1].

    `gain <= t` for every person, where the gain is the distance between the attacker's beliefs
    before and after the release (base 2), compared with a tolerance of 1e-9. A skyline of several
    (B_i, t_i) [Li2009, Def. 2] is several of these rules side by side.

    Args:
        bandwidth: one number, or `{quasi-identifier: number}`; the smaller, the more they know.
        t: what the attacker may learn at most.
        smoothing: the bandwidth over sensitive values, 0 for none; default just above the
            smallest positive distance between them.
        kernel, distances: as in `prior_beliefs`; `distances` may name the sensitive column too.
        method: how a search looks at groups, as in `posterior_beliefs`. It decides nothing: a yes
            rests on an exact posterior or on a proven bound for every group, with any method.
            "exact" computes groups of up to 33 million states where others stop at a million.

    Merging groups may raise a gain: the joined counts can fit somebody's prior worse than those
    of their own group did, so the rule is not monotone.
    """

    bandwidth: Fraction | Mapping[str, Fraction]
    t: Fraction
    smoothing: Fraction | None = None
    kernel: Kernel = "epanechnikov"
    method: Inference = "auto"
    distances: Mapping[str, ArrayLike] | None = None
    is_monotone: ClassVar[bool] = False
    is_local: ClassVar[bool] = True
    is_floor: ClassVar[bool] = False
    needs_original: ClassVar[bool] = True  # priors come from the table, not from the release
    reads: ClassVar[Reads] = "cells"

    def __init__(
        self,
        bandwidth: Bandwidth,
        t: Number,
        *,
        smoothing: Number | None = None,
        kernel: Kernel = "epanechnikov",
        method: Inference = "auto",
        distances: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        check_kernel(kernel)
        choice(method, get_args(Inference), "method")
        set_field = object.__setattr__
        set_field(self, "bandwidth", stated_bandwidth(bandwidth))
        set_field(self, "t", fraction(t, "t"))
        set_field(self, "smoothing", _stated_smoothing(smoothing))
        set_field(self, "kernel", kernel)
        set_field(self, "method", method)
        set_field(self, "distances", None if distances is None else _stated_distances(distances))
        set_field(self, "_known", WeakKeyDictionary())
        if self.t < 0:
            raise RuleError(f"t is {shown(t)}: a gain is at least 0")

    def summarize(self, groups: Groups) -> Learned:
        """The largest gain, whether it is too large, and of how many groups nobody is certain."""
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
        """The most that the attacker learns of anybody; an estimate if a group is not certain."""
        return summary.value

    def holds(self, summary: Learned) -> bool:
        """At most t, for certain: by exact posteriors, or by a proven bound on them."""
        return not summary.broken and summary.n_uncertain == 0

    def explain(self, summary: Learned) -> str:
        """How many groups could not be certified, and what to do."""
        if summary.n_uncertain == 0:
            return ""
        more = "" if self.method == "exact" else 'method="exact", '
        return (
            f"the gain could not be certified in {summary.n_uncertain:,} of "
            f"{summary.n_groups:,} groups, where it is an estimate: their posteriors are too large "
            f"to compute, and a bound on them exceeds t; use {more}smaller groups, a coarser "
            f"sensitive column or a larger t"
        )

    def risks(self, groups: Groups) -> FloatArray:
        """The most that the attacker learns of anybody in each group, or a bound on it."""
        return self._certain(groups).largest

    def holds_each(self, groups: Groups) -> BoolArray:
        """In which groups the attacker learns at most t of everybody, for certain."""
        found = self._certain(groups, enough=self._most)
        return np.asarray((found.how != ESTIMATED) & (found.largest <= self._most))

    def may_hold(self, groups: Groups, first: IntArray | None) -> BoolArray:
        """In which groups, or bundles `first[b]:first[b+1]` of them, they seem to learn at most t.

        Large groups are estimated: a guide for a search, not an answer.
        """
        crowd = crowd_of_groups(groups)
        if len(groups) == 0:
            return np.ones(0, dtype=bool)
        way = _GUIDES.get(self.method) or way_of(self.method)
        seems = seems_within(crowd, self._knowledge(groups), way, self._most, first)
        return seems if first is None else Ragged(seems, first).reduced(np.logical_and, True)

    def _certain(self, groups: Groups, enough: float | None = None) -> CertainGains:
        crowd = crowd_of_groups(groups)
        if len(groups) == 0:
            return CertainGains(np.zeros(0), np.zeros(0, dtype=np.int64))
        return certain_gains(
            crowd,
            self._knowledge(groups),
            self._most,
            enough=enough,
            exact_states=EXACT_STATES if self.method == "exact" else _STATES,
        )

    @property
    def _most(self) -> float:
        return float(self.t) + GAIN_TOLERANCE

    def _knowledge(self, groups: Groups) -> Knowledge:
        """Prepared once for a table, and forgotten with it."""
        cells = groups.cells
        assert cells is not None  # crowd_of_groups refused groups that do not know their cells
        known: WeakKeyDictionary[Cells, Knowledge] = self._known  # type: ignore[attr-defined]
        if cells not in known:
            known[cells] = knowledge_of(
                cells,
                self.bandwidth,
                kernel=self.kernel,
                distances=self.distances,
                smoothing=self.smoothing,
            )
        return known[cells]

    def as_claimed(self, groups: Groups) -> Beliefs:
        """The same rule with all that it takes from a table written out, for a certificate.

        That is the bandwidth over the sensitive values (0 for none) and the distances between
        them, as a matrix in the order of the sensitive column's domain. A matrix names no value:
        a hierarchy would also show values that nobody has who is published.
        """
        cells = groups.cells
        if cells is None:
            return self
        name = cells.sensitive.name
        given = dict(self.distances or {})
        between = given.pop(name, None)
        matrix = domain_distances(cells.sensitive) if between is None else np.asarray(between)
        width = default_smoothing(matrix) if self.smoothing is None else float(self.smoothing)
        return Beliefs(
            self.bandwidth,
            self.t,
            smoothing=self.smoothing if self.smoothing is not None else width or 0,
            kernel=self.kernel,
            method=self.method,
            distances={**given, name: matrix} if width else given or None,
        )

    def agrees_with(self, cells: Cells) -> str:
        """How this claim differs from what the rule takes from a table by itself; "" if it agrees.

        For an auditor with the original: smoothing and the distances between the sensitive values
        decide how much counts as learned, and a claim may state any.
        """
        domain, matrix = cells.sensitive, (self.distances or {}).get(cells.sensitive.name)
        own = domain_distances(domain)
        stated = own if matrix is None else np.asarray(matrix, dtype=np.float64)
        if stated.shape != own.shape or not np.allclose(stated, own, rtol=0, atol=GAIN_TOLERANCE):
            if domain.is_ordered or domain.ladder is not None:
                return (
                    f"the claim states other distances between the values of {domain.name} than "
                    f"the column's own order or hierarchy gives"
                )
            return (
                f"the claim states distances between the values of {domain.name}, and without a "
                f"hierarchy of that column there is nothing to compare them with"
            )
        usual = default_smoothing(own) or 0.0
        smoothing = usual if self.smoothing is None else float(self.smoothing)
        if not math.isclose(smoothing, usual, rel_tol=GAIN_TOLERANCE):
            return (
                f"the claim smooths over the values of {domain.name} by {smoothing:g}, where their "
                f"distances give {usual:g}"
            )
        return ""

    def __getstate__(self) -> dict[str, object]:
        """What travels to another process: the rule, not what was prepared for a table here."""
        return {name: value for name, value in self.__dict__.items() if name != "_known"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state, _known=WeakKeyDictionary())

    def bandwidth_in_words(self) -> str:
        """The bandwidth, or that of each quasi-identifier."""
        if isinstance(self.bandwidth, Mapping):
            return ", ".join(f"{name} {exact_text(b)}" for name, b in self.bandwidth.items())
        return exact_text(self.bandwidth)

    def __str__(self) -> str:
        text = (
            f"an attacker of bandwidth {self.bandwidth_in_words()} learns at most "
            f"{exact_text(self.t)} of anybody"
        )
        details = "; ".join(self._details())
        return f"{text} ({details})" if details else text

    def _details(self) -> list[str]:
        """What else the claim rests on, as far as it is stated."""
        told = [] if self.kernel == "epanechnikov" else [f"{self.kernel} kernel"]
        if self.smoothing is not None:
            told.append(f"smoothing over sensitive values {exact_text(self.smoothing)}")
        for name, matrix in (self.distances or {}).items():
            apart = np.asarray(matrix)[~np.eye(len(np.asarray(matrix)), dtype=bool)]
            if len(apart):
                told.append(f"distances of {name} from {apart.min():g} to {apart.max():g}")
        return told


def _stated_smoothing(smoothing: Number | None) -> Fraction | None:
    if smoothing is None or fraction(smoothing, "smoothing") == 0:
        return None if smoothing is None else Fraction(0)
    return positive(smoothing, "smoothing")


def _stated_distances(distances: Mapping[str, ArrayLike]) -> dict[str, ArrayLike]:
    """Matrices of distances; one that is 0 everywhere would let nothing count as learned."""
    given = read_distances(distances)
    for name, matrix in given.items():
        n_values = len(np.asarray(matrix))
        checked = check_distances(matrix, n_values, f"the distances of column {name!r}")
        if n_values > 1 and not checked.any():
            raise RuleError(
                f"the distances of column {name!r} are 0 everywhere: all values would be the same; "
                f"give distances above 0, or leave them out"
            )
    return given
