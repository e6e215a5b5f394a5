"""(B,t)-privacy: an attacker who knows how values go with the quasi-identifiers learns little."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, get_args
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from gyges.adversaries.belief_distance import GAIN_TOLERANCE
from gyges.adversaries.belief_knowledge import Knowledge, gains_within, knowledge_of, member_gains
from gyges.adversaries.crowds import crowd_of_groups
from gyges.adversaries.kernel_columns import (
    Bandwidth,
    Kernel,
    check_kernel,
    positive,
    read_distances,
    stated_bandwidth,
)
from gyges.adversaries.posterior import Inference
from gyges.arguments import choice, shown
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import Reads, of_groups
from gyges.criteria.worst_value import Worst
from gyges.data.cells import Cells
from gyges.errors import RuleError
from gyges.exact import Number, fraction
from gyges.release.groups import Groups


@of_groups
@dataclass(frozen=True, eq=False)
class Beliefs:
    """No attacker of bandwidth B learns more than t of anybody [Li2009, Def. 1].

    `gain <= t` for every person, where the gain is the distance between his beliefs before and
    after the release (base 2), compared with a tolerance of 1e-9. A skyline of several (B_i, t_i)
    [Li2009, Def. 2] is several of these rules side by side.

    Args:
        bandwidth: one number, or `{quasi-identifier: number}`; the smaller, the more he knows.
        t: what he may learn at most.
        smoothing: the bandwidth over sensitive values; default just above the smallest positive
            distance between them.
        kernel, distances: as in `prior_beliefs`; `distances` may name the sensitive column too.
        method: as in `posterior_beliefs`.

    Merging groups may raise a gain: the joined counts can fit somebody's prior worse than those
    of his own group did, so the rule is not monotone.
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
        set_field(
            self, "smoothing", None if smoothing is None else positive(smoothing, "smoothing")
        )
        set_field(self, "kernel", kernel)
        set_field(self, "method", method)
        set_field(self, "distances", None if distances is None else read_distances(distances))
        set_field(self, "_known", WeakKeyDictionary())
        if self.t < 0:
            raise RuleError(f"t is {shown(t)}: a gain is at least 0")

    def summarize(self, groups: Groups) -> Worst:
        """The largest gain, and whether it is too large."""
        largest = float(self.risks(groups).max(initial=0.0))
        return Worst(largest, broken=largest > self._most)

    def merge(self, one: Worst, other: Worst) -> Worst:
        """The larger of two."""
        return one.or_larger(other)

    def risk(self, summary: Worst) -> Fraction | float:
        """The most that the attacker learns of anybody."""
        return summary.value

    def holds(self, summary: Worst) -> bool:
        """At most t."""
        return not summary.broken

    def risks(self, groups: Groups) -> FloatArray:
        """The most that the attacker learns of anybody in each group."""
        crowd = crowd_of_groups(groups)
        if len(groups) == 0:
            return np.zeros(0)
        knowledge = self._knowledge(groups)
        gains, _ = member_gains(crowd, knowledge, self.method, only_largest=True)
        return crowd.worst(gains)

    def holds_each(self, groups: Groups) -> BoolArray:
        """In which groups he learns at most t of everybody."""
        return self._holds(groups, None)

    def holds_in_all(self, groups: Groups, first: IntArray) -> BoolArray:
        """For which bundles of groups `first[b]:first[b+1]` he learns at most t of everybody."""
        return np.logical_and.reduceat(self._holds(groups, first), first[:-1])

    def _holds(self, groups: Groups, first: IntArray | None) -> BoolArray:
        crowd = crowd_of_groups(groups)
        if len(groups) == 0:
            return np.ones(0, dtype=bool)
        return gains_within(crowd, self._knowledge(groups), self.method, self._most, first)

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

    def __getstate__(self) -> dict[str, object]:
        """What travels to another process: the rule, not what was prepared for a table here."""
        return {name: value for name, value in self.__dict__.items() if name != "_known"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state, _known=WeakKeyDictionary())

    def __str__(self) -> str:
        if isinstance(self.bandwidth, Mapping):
            stated = ", ".join(f"{name} {float(b):g}" for name, b in self.bandwidth.items())
        else:
            stated = f"{float(self.bandwidth):g}"
        return f"an attacker of bandwidth {stated} learns at most {float(self.t):g} of anybody"
