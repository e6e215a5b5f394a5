"""Whom an attacker with prior beliefs learns too much about, in any release.

The probabilistic background knowledge attack [Li2009, Sect. V.A]: take an attacker of bandwidth
b', compute what they learn about every person, and count those about whom they learn more than t.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from gyges.adversaries.belief_distance import GAIN_TOLERANCE
from gyges.adversaries.belief_knowledge import knowledge_of, member_gains
from gyges.adversaries.kernel_columns import Bandwidth, Distances, Kernel
from gyges.adversaries.member_groups import MemberGroups, members_of_entries
from gyges.adversaries.posterior import Inference, group_codes
from gyges.arrays import FloatArray, IntArray, frozen
from gyges.data.table import Table
from gyges.data.values import Value
from gyges.exact import Number, decimal_text, fraction, percent
from gyges.kernels.conditioning import EXACT


@dataclass(frozen=True, slots=True)
class Case:
    """One person: the value whose belief increased most, before and after the release."""

    row: int  # of the table
    group: int
    value: Value
    is_true: bool  # whether the person has this value
    prior: float
    posterior: float
    gain: float

    def __str__(self) -> str:
        return (
            f"row {self.row}: the belief in {self.value!r} goes from "
            f"{belief_text(self.prior)} to {belief_text(self.posterior)} "
            f"(gain {decimal_text(self.gain)})"
        )


def belief_text(belief: float) -> str:
    """A belief in percent; a double that was rounded beyond 1 does not read as certainty.

    >>> belief_text(0.25), belief_text(1.0), belief_text(1.0000000000000002)
    ('25%', '100%', 'more than 99.9%')
    """
    return "more than 99.9%" if belief > 1 else percent(belief)


@dataclass(frozen=True, slots=True, eq=False)
class BeliefExposure:
    """What an attacker of one bandwidth learns about everyone."""

    t: Fraction
    gains: FloatArray  # of each row of the table; 0 for people who are not published
    rows: IntArray  # the rows about which they learn more than t, the most exposed first
    worst: Case | None  # the most exposed person; None where nobody is published
    n_people: int  # who are published
    n_estimated: int  # groups whose posteriors are not exact
    n_exposed_by_estimate: int  # of the people exposed, those in such groups
    n_in_estimated: int  # all published people of such groups
    error: float  # about how far a belief in these may be off

    def __post_init__(self) -> None:
        frozen(self.gains)
        frozen(self.rows)

    @property
    def n_exposed(self) -> int:
        """How many people are exposed beyond t."""
        return len(self.rows)


def belief_exposure(
    table: Table,
    group_of_row: ArrayLike,
    bandwidth: Bandwidth,
    t: Number,
    *,
    kernel: Kernel = "epanechnikov",
    smoothing: Number | None = None,
    distances: Distances | None = None,
    method: Inference = "auto",
) -> BeliefExposure:
    """The people about whom an attacker of this bandwidth learns more than t from the groups.

    `group_of_row` is the group of each row, -1 for people who are not published; nothing else of
    the release is used. Parameters as in `Beliefs`.
    """
    limit = fraction(t, "t")
    knowledge = knowledge_of(
        table.cells, bandwidth, kernel=kernel, distances=distances, smoothing=smoothing
    )
    groups = group_codes(group_of_row, table.n_rows)
    members, member_of_row = _members_of_rows(table, groups)
    found_gains, found = member_gains(members, knowledge, method)
    gains = np.zeros(table.n_rows)
    inside = member_of_row >= 0
    gains[inside] = found_gains[member_of_row[inside]]
    is_estimated = found.how[members.group_of_member] != EXACT
    beyond = np.flatnonzero(gains > float(limit) + GAIN_TOLERANCE)
    worst = None
    if inside.any():
        row = int(np.flatnonzero(inside)[gains[inside].argmax()])
        member = member_of_row[row]
        before = knowledge.priors[members.arrays.rows[member]]
        after = members.row_of(found.numbers, member, len(before))
        worst = _case(table, groups, row, before, after, float(gains[row]))
    return BeliefExposure(
        t=limit,
        gains=gains,
        rows=beyond[np.argsort(-gains[beyond], kind="stable")],
        worst=worst,
        n_people=int(inside.sum()),
        n_estimated=int((found.how != EXACT).sum()),
        n_exposed_by_estimate=int(is_estimated[member_of_row[beyond]].sum()),
        n_in_estimated=int(is_estimated[member_of_row[inside]].sum()),
        error=float(found.errors.max(initial=0.0)),
    )


def _members_of_rows(table: Table, groups: IntArray) -> tuple[MemberGroups, IntArray]:
    """The member groups of a table's rows, and the member of each row (-1 for none)."""
    inside = np.flatnonzero(groups >= 0)
    n_cells, n_values = len(table.cells), len(table.sensitive_values)
    numbers, group = np.unique(groups[inside], return_inverse=True)
    pairs = group.ravel() * n_cells + table.cell_of_row[inside]
    keys, member = np.unique(pairs, return_inverse=True)
    held, counts = np.unique(
        member.ravel() * n_values + table.value_of_row[inside], return_counts=True
    )
    of_entry = keys[held // n_values]
    members = members_of_entries(
        of_entry // n_cells, of_entry % n_cells, held % n_values, counts, len(numbers), n_values
    )
    member_of_row = np.full(len(groups), -1, dtype=np.int64)
    member_of_row[inside] = member.ravel()
    return members, member_of_row


def _case(
    table: Table,
    groups: IntArray,
    row: int,
    before: FloatArray,
    after: FloatArray,
    gain: float,
) -> Case:
    code = int((after - before).argmax())
    return Case(
        row=row,
        group=int(groups[row]),
        value=table.sensitive_values[code],
        is_true=int(table.value_of_row[row]) == code,
        prior=float(before[code]),
        posterior=float(after[code]),
        gain=gain,
    )
