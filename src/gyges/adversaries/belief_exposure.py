"""Whom an attacker with prior beliefs learns too much about, in any release.

The probabilistic background knowledge attack [Li2009, Sect. V.A]: take an attacker of bandwidth
b', compute what they learn about every person, and count those about whom they learn more than t.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gyges.adversaries.belief_distance import GAIN_TOLERANCE
from gyges.adversaries.belief_knowledge import BeliefKnowledge, knowledge_of, member_gains
from gyges.adversaries.kernel_columns import Bandwidth, Distances, Kernel
from gyges.adversaries.member_groups import MemberGroups, members_of_entries
from gyges.adversaries.posterior import GroupPosteriors, Inference
from gyges.arrays import FloatArray, IntArray, frozen
from gyges.data.cells import Cells, WithCells
from gyges.data.values import Value
from gyges.exact import Number, decimal_text, fraction, percent
from gyges.kernels.conditioning import EXACT
from gyges.release.placed_people import PlacedPeople


@dataclass(frozen=True, slots=True)
class Case:
    """A person: the value whose belief increased most, before and after the release."""

    group: int
    cell: int  # of the table: the person's quasi-identifiers
    value: Value
    prior: float
    posterior: float
    gain: float

    def __str__(self) -> str:
        return (
            f"group {self.group}: the belief in {self.value!r} goes from "
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
    """What an attacker of one bandwidth learns about everyone.

    People of one cell in one group are learned about alike: `gain[i]` about each of `people[i]`
    people of cell `cell[i]` in group `group[i]`.
    """

    t: Fraction
    group: IntArray
    cell: IntArray
    people: IntArray
    gain: FloatArray
    worst: Case | None  # the most exposed person; None where nobody is published
    n_exposed: int  # people about whom they learn more than t
    n_people: int  # who are published
    n_estimated: int  # groups whose posteriors are not exact
    n_exposed_by_estimate: int  # of the people exposed, those in such groups
    n_in_estimated: int  # all published people of such groups
    error: float  # about how far a belief in these may be off

    def __post_init__(self) -> None:
        frozen(self.group, self.cell, self.people, self.gain)


def belief_exposure(
    placed: PlacedPeople,
    bandwidth: Bandwidth | None,
    t: Number,
    *,
    kernel: Kernel = "epanechnikov",
    smoothing: Number | None = None,
    distances: Distances | None = None,
    method: Inference = "auto",
    prior: FloatArray | WithCells | None = None,
) -> BeliefExposure:
    """The people about whom an attacker of this bandwidth learns more than t from the groups.

    Nothing of the release is used but which people are in which group. Parameters as in `Beliefs`.
    """
    limit = fraction(t, "t")
    cells = placed.cells
    knowledge = knowledge_of(
        cells, bandwidth, kernel=kernel, distances=distances, smoothing=smoothing, prior=prior
    )
    numbers, group = np.unique(placed.group, return_inverse=True)
    members = members_of_entries(
        group.ravel(), placed.cell, placed.value, placed.people, len(numbers), len(cells.sensitive)
    )
    gain, found = member_gains(members, knowledge, method)
    group_of_member, people = members.group_of_member, members.arrays.repeats
    is_estimated = found.how[group_of_member] != EXACT
    is_exposed = gain > float(limit) + GAIN_TOLERANCE
    return BeliefExposure(
        t=limit,
        group=numbers[group_of_member],
        cell=members.arrays.rows,
        people=people,
        gain=gain,
        worst=_worst(placed.cells, members, found, knowledge, gain, numbers) if len(gain) else None,
        n_exposed=int(people[is_exposed].sum()),
        n_people=int(people.sum()),
        n_estimated=int((found.how != EXACT).sum()),
        n_exposed_by_estimate=int(people[is_estimated & is_exposed].sum()),
        n_in_estimated=int(people[is_estimated].sum()),
        error=float(found.errors.max(initial=0.0)),
    )


def _worst(
    cells: Cells,
    members: MemberGroups,
    found: GroupPosteriors,
    knowledge: BeliefKnowledge,
    gain: FloatArray,
    numbers: IntArray,
) -> Case:
    """The person about whom most is learned."""
    member = int(gain.argmax())
    cell = int(members.arrays.rows[member])
    before = knowledge.priors[cell]
    after = members.row_of(found.numbers, member, len(before))
    code = int((after - before).argmax())
    return Case(
        group=int(numbers[members.group_of_member[member]]),
        cell=cell,
        value=cells.sensitive.values[code],
        prior=float(before[code]),
        posterior=float(after[code]),
        gain=float(gain[member]),
    )
