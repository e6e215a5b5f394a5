"""t-closeness: the values in a group are distributed almost as in the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gyges.arguments import numbers, shown
from gyges.arrays import BoolArray, FloatArray, IntArray
from gyges.criteria.base import (
    Proposed,
    Reads,
    Risk,
    Rule,
    of_groups,
    refuse_other_values,
)
from gyges.criteria.nearest_passing_rule import decimals_above, first_passing, number_text
from gyges.criteria.worst_group import ByWorstGroup, WorstGroup
from gyges.data.hierarchy import Hierarchy, Ladder
from gyges.data.hierarchy_rules import TOP
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Value
from gyges.errors import RuleError
from gyges.exact import Number, compare, fraction, largest_ratio
from gyges.kernels.earth_mover import is_metric, ordered_flow, transport
from gyges.ragged import Ragged
from gyges.release.groups import Groups
from gyges.release.groups_of_cells import GroupsOfCells

Ground: TypeAlias = Literal["equal", "ordered", "hierarchy"] | Hierarchy | ArrayLike

# Distances under a given matrix are sums of doubles, and are compared with this much tolerance.
# The three named grounds are compared exactly.
TOLERANCE = 1e-9
_NOTHING = 1e-15  # of a share: what rounding leaves
_MOST_VALUES = 2**29  # in a table, up to which the integer products below stay under 2^63


@of_groups
@dataclass(frozen=True, slots=True, eq=False)
class TCloseness(Rule):
    """EMD(group, whole table) <= t for every group [LiLiV2007].

    `ground` is the distance between two values: "equal" (0 or 1), "ordered" (|i-j|/(m-1) in
    sorted order), "hierarchy" (of the sensitive column) or a `Hierarchy`, or a matrix over the
    sorted values.
    """

    t: Fraction
    ground: Ground = "equal"
    is_local: ClassVar[bool] = True
    is_monotone: ClassVar[bool] = True
    reads: ClassVar[Reads] = "table"

    def __init__(self, t: Number, ground: Ground = "equal") -> None:
        object.__setattr__(self, "t", fraction(t, "t"))
        if not isinstance(ground, (str, Hierarchy)):
            ground = _given_matrix(ground)
        object.__setattr__(self, "ground", ground)
        if self.t < 0:
            raise RuleError(f"t is {shown(t)}: a distance is at least 0")
        if isinstance(ground, str) and ground not in ("equal", "ordered", "hierarchy"):
            raise RuleError(
                f"ground is {shown(ground)}: choose 'equal', 'ordered', 'hierarchy' or give a "
                f"matrix"
            )
        if self._is_matrix:
            matrix = numbers(ground, "ground", 2, "a matrix, values × values")  # type: ignore[arg-type]
            object.__setattr__(self, "ground", ground_matrix(matrix, len(matrix)))

    @property
    def _name(self) -> str:
        """The name of the ground distance; "" where it is given."""
        return self.ground if isinstance(self.ground, str) else ""

    @property
    def _is_matrix(self) -> bool:
        return not isinstance(self.ground, (str, Hierarchy))

    def bind(self, whole: Groups) -> BoundTCloseness:
        """Compare with these people's values, and with the sensitive column's hierarchy."""
        ladder, matrix, metric = None, None, False
        if self._is_matrix:
            matrix = ground_matrix(np.asarray(self.ground), len(whole.values))
            metric = bool(is_metric(matrix))
        elif isinstance(self.ground, Hierarchy):
            ladder = self.ground.bind(whole.values, "the sensitive values")
        elif self.ground == "hierarchy":
            ladder = _ladder_of(whole)
        return BoundTCloseness(self, whole.values, whole.value_totals, ladder, matrix, metric)

    def __str__(self) -> str:
        return (
            f"the distribution of values in every group is within distance {self.t} of the whole "
            f"table's ({self._ground_in_words()})"
        )

    def _ground_in_words(self) -> str:
        if self._name == "equal":
            return "any two values are equally far apart"
        if self._name == "ordered":
            return "values are as far apart as their positions in sorted order"
        if isinstance(self.ground, (str, Hierarchy)):
            text = "values are as far apart as the height of their lowest common ancestor"
            return text + (_heights(self.ground) if isinstance(self.ground, Hierarchy) else "")
        apart = _off_diagonal(np.asarray(self.ground))
        if not len(apart):
            return "distances are given by a matrix"
        return f"a matrix gives distances from {apart.min():g} to {apart.max():g}"


@of_groups
@dataclass(frozen=True, slots=True, eq=False)
class BoundTCloseness(ByWorstGroup):
    """t-closeness to one table: how often each value occurs there, and how far they are apart."""

    rule: TCloseness
    values: list[Value]
    totals: IntArray  # values: how often each occurs in the whole table
    ladder: Ladder | None
    matrix: FloatArray | None
    is_metric: bool = False  # whether the matrix obeys the triangle inequality

    def summarize(self, groups: Groups) -> WorstGroup:
        """The largest distance of a group from the whole table, and whether it is too large."""
        if self.matrix is not None:
            largest = float(self._by_matrix(groups).max(initial=0.0))
            return WorstGroup(largest, fails=largest > float(self.rule.t) + TOLERANCE)
        if (groups.n_occurrences == 0).any():
            return WorstGroup(Fraction(1), fails=True)
        flows, scale = self._flows(groups)
        exact = largest_ratio(flows, groups.n_occurrences)
        distance = exact / scale if exact is not None else Fraction(0)
        return WorstGroup(distance, fails=distance > self.rule.t)

    def risks(self, groups: Groups) -> FloatArray:
        """The distance of each group; 1 for a group without values."""
        if self.matrix is not None:
            return self._by_matrix(groups)
        flows, scale = self._flows(groups)
        n = groups.n_occurrences
        return np.where(n > 0, flows / np.maximum(n, 1) / float(scale), 1.0)

    def holds_each(self, groups: Groups) -> BoolArray:
        """Which groups are close enough."""
        if self.matrix is not None:
            return self._by_matrix(groups) <= float(self.rule.t) + TOLERANCE
        flows, scale = self._flows(groups)
        return compare(flows, groups.n_occurrences, self.rule.t * scale) <= 0

    def rebind(self, published: Groups) -> BoundTCloseness:
        """Compare with the values of the published people: a reader knows no others."""
        return replace(self, totals=published.value_totals)

    def as_claimed(self, published: Groups) -> TCloseness:
        """The same rule with its ground distance over the published values, for an auditor."""
        rule, occurs = self.rule, np.flatnonzero(published.value_totals > 0)
        if self.matrix is not None:
            return TCloseness(rule.t, self.matrix[np.ix_(occurs, occurs)])
        if isinstance(rule.ground, Hierarchy):
            return TCloseness(rule.t, rule.ground.restricted([self.values[c] for c in occurs]))
        return rule if self.ladder is None else TCloseness(rule.t, _table_of(self.ladder, occurs))

    def least_values(self, values_per_person: ValuesPerPerson) -> int:
        """The least m such that m values hold 1 - t of the table: what is absent counts in full."""
        if self.ladder is not None or self.matrix is not None or self.rule.ground != "equal":
            return 0
        total = absent = int(self.totals.sum())
        for m, count in enumerate(np.sort(self.totals)[::-1]):
            if absent <= self.rule.t * total:
                return m
            absent -= int(count)
        return len(self.values)

    def nearest(self, reached: Risk, groups: Groups) -> Proposed:
        """The least t: exactly, or in few decimals where the distance is rounded."""
        is_exact = isinstance(reached, Fraction)
        enough = iter([number_text(reached)]) if is_exact else decimals_above(reached)
        yield from first_passing(
            enough, "t", lambda t: replace(self, rule=TCloseness(t, self.rule.ground)), groups
        )

    def _flows(self, groups: Groups) -> tuple[IntArray, int]:
        """Whole-number flows F and a scale s with EMD = F/(n·s).

        With p = n_i/n in the group and q = N_i/N in the table, n_i·N - N_i·n is a whole number.
        """
        refuse_other_values(groups, self.values)
        total = int(self.totals.sum())
        if total > _MOST_VALUES:
            raise RuleError(
                "t-closeness is limited to 2^29 values in a table: use a sample or another rule"
            )
        if self.ladder is not None:
            scale = 2 * max(total, 1) * max(self.ladder.height, 1)
            return _ladder_flows(self._surplus(groups, total), self.ladder), scale
        if self.rule.ground == "equal":
            return self._equal_flows(groups, total), 2 * max(total, 1)
        occurs = self.totals > 0  # a value that no person in the table has is no step
        steps = max(int(occurs.sum()) - 1, 1)
        return ordered_flow(self._surplus(groups, total)[:, occurs]), max(total, 1) * steps

    def _by_matrix(self, groups: Groups) -> FloatArray:
        refuse_other_values(groups, self.values)
        assert self.matrix is not None
        total = int(self.totals.sum())
        histograms, where = np.unique(groups.counts, axis=0, return_inverse=True)
        distances = [
            self._moved(histogram) / max(int(histogram.sum()) * total, 1)
            if histogram.any()
            else 1.0
            for histogram in histograms
        ]
        return np.array(distances)[where.ravel()]

    def _moved(self, histogram: IntArray) -> float:
        """The distance of a group under the matrix, times its values and those of the table."""
        assert self.matrix is not None
        supply = histogram * float(self.totals.sum())
        demand = self.totals * float(histogram.sum())
        if self.is_metric:
            supply, demand = np.maximum(supply - demand, 0.0), np.maximum(demand - supply, 0.0)
        here, there = np.flatnonzero(supply), np.flatnonzero(demand)
        ground = self.matrix[np.ix_(here, there)]
        return float(transport(supply[here], demand[there], ground, 0.0)) if len(here) else 0.0

    def _equal_flows(self, groups: Groups, total: int) -> IntArray:
        """Σ_i |n_i·N - N_i·n|, from the values that occur in the group and n·N for the others."""
        n = groups.n_occurrences
        expected = self.totals[groups.value_codes] * n[groups.group_of_entry]
        surplus = np.abs(groups.value_counts * total - expected) - expected
        return np.asarray(Ragged(surplus, groups.starts).sums() + n * total, dtype=np.int64)

    def _surplus(self, groups: Groups, total: int) -> IntArray:
        """n_i·N - N_i·n for each group and value."""
        return groups.counts * total - groups.n_occurrences[:, None] * self.totals


def emd(p: Sequence[float], q: Sequence[float], ground: Ground = "equal") -> float:
    """Earth mover's distance between two distributions over the same values.

    >>> round(emd([0.4, 0.6], [0.5, 0.5]), 12)
    0.1
    """
    of = "shares, one for each value"
    one, other = numbers(p, "p", 1, of), numbers(q, "q", 1, of)
    if one.shape != other.shape or one.ndim != 1:
        raise RuleError("emd compares two distributions over the same values")
    if min(one.min(initial=0.0), other.min(initial=0.0)) < 0:
        raise RuleError("p and q are shares: none of them is negative")
    if not np.isclose(one.sum(), other.sum()):
        raise RuleError("p and q do not add up to the same: give two distributions")
    if isinstance(ground, str) and ground == "equal":
        return float(np.abs(one - other).sum() / 2)
    if isinstance(ground, str) and ground == "ordered":
        return float(ordered_flow((one - other)[None, :])[0] / max(len(one) - 1, 1))
    if isinstance(ground, (str, Hierarchy)):
        raise RuleError("emd takes 'equal', 'ordered' or a matrix (see gy.distance_matrix)")
    return float(transport(one, other, ground_matrix(ground, len(one)), _NOTHING))


def ground_matrix(ground: ArrayLike, n_values: int) -> FloatArray:
    """Check a ground distance that is given as a matrix over this many values."""
    matrix = _given_matrix(ground)
    if matrix.shape != (n_values, n_values):
        raise RuleError(
            f"the ground distance is {'×'.join(map(str, matrix.shape))}, but there are "
            f"{n_values} values: give one row and one column per value, in sorted order"
        )
    return matrix


def _given_matrix(ground: ArrayLike) -> FloatArray:
    """A ground distance: finite, never negative, 0 from a value to itself, not 0 everywhere."""
    matrix = numbers(ground, "the ground distance", 2, "a matrix, one row and column per value")
    if matrix.shape[0] != matrix.shape[1]:
        raise RuleError(
            "the ground distance is not a square matrix: give one row and column per value"
        )
    if not (matrix >= 0).all() or matrix.diagonal().any():
        raise RuleError(
            "a ground distance is a matrix of numbers that are not negative, with 0 on the diagonal"
        )
    if len(matrix) > 1 and not matrix.any():
        raise RuleError("the ground distance is 0 everywhere: all distributions would be the same")
    return matrix


def _heights(hierarchy: Hierarchy) -> str:
    """Between which bounds the distances of a hierarchy's leaves lie, in words."""
    if hierarchy.rule is not None:
        stated = ", ".join(map(str, hierarchy.parameters))
        return f" by {hierarchy.rule}{f' of {stated}' if stated else ''}"
    n_labels = [len(set(labels)) for labels in zip(*hierarchy.rows, strict=True)]
    if n_labels[0] == 1:
        return ""
    least = next(level for level, n in enumerate(n_labels) if n < n_labels[0])
    most = next(level for level, n in enumerate(n_labels) if n == 1)
    top = len(n_labels) - 1
    return f", from {Fraction(least, top)} to {Fraction(most, top)}"


def _off_diagonal(matrix: FloatArray) -> FloatArray:
    return matrix[~np.eye(len(matrix), dtype=bool)]


def _ladder_of(whole: Groups) -> Ladder:
    ladder = whole.cells.sensitive.ladder if isinstance(whole, GroupsOfCells) else None
    if ladder is None:
        raise RuleError(
            "t-closeness by hierarchy needs a hierarchy of the sensitive column: put it in the "
            "schema, or give it as ground"
        )
    return ladder


def _table_of(ladder: Ladder, values: IntArray) -> Hierarchy:
    """A ladder over some of its values, as a hierarchy that can be written down."""
    levels = zip(ladder.labels, ladder.ancestors, strict=True)
    columns = [[labels[code] for code in codes[values]] for labels, codes in levels]
    return Hierarchy(tuple(zip(*columns, strict=True)) or ((TOP,),))


def _ladder_flows(surplus: IntArray, ladder: Ladder) -> IntArray:
    """Σ over levels below the top and labels of a level |mass that must leave the label|."""
    flows = np.zeros(len(surplus), dtype=np.int64)
    for level in range(ladder.height):
        is_under = np.equal.outer(ladder.ancestors[level], np.arange(len(ladder.labels[level])))
        flows += np.abs(surplus @ is_under.astype(np.int64)).sum(axis=1)
    return flows
