"""One attacker's prior beliefs about a table, prepared once, and what they gain from groups."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gyges.adversaries.belief_distance import smoothing_weights
from gyges.adversaries.given_prior import priors_from_table
from gyges.adversaries.kernel_columns import Bandwidth, Distances, Kernel
from gyges.adversaries.kernel_prior import cell_priors
from gyges.adversaries.member_groups import MemberGroups
from gyges.adversaries.posterior import (
    GroupPosteriors,
    Inference,
    conditioning_method,
    infer_if_possible,
    refuse_unsolved,
)
from gyges.arrays import BoolArray, FloatArray, IntArray, frozen
from gyges.data.cells import Cells, WithCells
from gyges.data.distances import domain_distances
from gyges.errors import RuleError
from gyges.exact import Number, fraction
from gyges.kernels.conditioned_groups import NOT_KEPT, Compared, condition, member_divergences
from gyges.kernels.conditioning import ConditioningMethod
from gyges.kernels.jensen_shannon import Spread, spread_rows
from gyges.kernels.threads import n_workers


@dataclass(frozen=True, slots=True, eq=False)
class BeliefKnowledge:
    """What an attacker of some bandwidth believes about each cell's people before the release."""

    priors: FloatArray  # cells × sensitive values
    smoothed: FloatArray  # the same after kernel smoothing over the sensitive values
    spread: Spread  # how smoothing spreads a value's share over its neighbours
    reach: FloatArray  # values: what all its neighbours together get of it
    reached: FloatArray  # cells: what all values together get of the prior

    def __post_init__(self) -> None:
        frozen(self.priors, self.smoothed, self.reach, self.reached)


def knowledge_of(
    cells: Cells,
    bandwidth: Bandwidth | None,
    *,
    kernel: Kernel = "epanechnikov",
    distances: Distances | None = None,
    smoothing: Number | None = None,
    prior: FloatArray | WithCells | None = None,
) -> BeliefKnowledge:
    """Prepare an attacker; `distances` may name the sensitive column, smoothing 0 means none.

    `prior`: a matrix cells × values, or a table whose people give it; else the cells' own people.
    """
    if prior is not None and not isinstance(prior, WithCells):
        priors = prior
    elif bandwidth is None:
        raise RuleError("bandwidth: a prior from a table needs one")
    elif prior is not None:
        priors = priors_from_table(cells, prior.cells, bandwidth, kernel, distances)
    else:
        priors = cell_priors(cells, bandwidth, kernel, distances)
    given = (distances or {}).get(cells.sensitive.name)
    between = domain_distances(cells.sensitive) if given is None else given
    if smoothing is not None and fraction(smoothing, "smoothing") == 0:
        weights = np.eye(len(cells.sensitive))
    else:
        weights = smoothing_weights(between, smoothing, len(cells.sensitive))
    value, to = np.nonzero(weights.T)
    starts = np.searchsorted(value, np.arange(len(cells.sensitive) + 1))
    spread = Spread(starts.astype(np.int64), to.astype(np.int64), weights[to, value])
    reach = weights.sum(axis=0)
    return BeliefKnowledge(priors, spread_rows(priors, spread), spread, reach, priors @ reach)


def member_gains(
    members: MemberGroups,
    knowledge: BeliefKnowledge,
    method: Inference,
    *,
    only_largest: bool = False,
) -> tuple[FloatArray, GroupPosteriors]:
    """What the attacker learns about each member (base 2), and the posterior beliefs behind it.

    With `only_largest` a member gets 0 where another of the group certainly has a larger gain.
    """
    gains, found = gains_if_possible(
        members, knowledge, conditioning_method(method), only_largest=only_largest
    )
    refuse_unsolved(found.how, np.arange(len(members)))
    return gains, found


def gains_if_possible(
    members: MemberGroups,
    knowledge: BeliefKnowledge,
    way: ConditioningMethod,
    *,
    only_largest: bool = False,
) -> tuple[FloatArray, GroupPosteriors]:
    """As `member_gains`; the members of a group that could not be computed have no gains."""
    nats = np.zeros(len(members.arrays.rows))

    def compare(found: FloatArray, start: int, stop: int) -> None:
        member_divergences(
            knowledge.smoothed,
            members.arrays,
            found,
            members.out_starts,
            start,
            stop,
            knowledge.spread,
            only_largest,
            nats,
        )

    found = infer_if_possible(members, knowledge.priors, way, then=compare)
    return nats / math.log(2), found


def seems_within(
    members: MemberGroups,
    knowledge: BeliefKnowledge,
    way: ConditioningMethod,
    limit: float,
    first: IntArray | None = None,
) -> BoolArray:
    """In which groups the attacker seems to learn at most `limit` (base 2) about every member.

    A guide for a search; it decides nothing. Where `way` is an estimate, so is the answer, and
    a group that cannot be computed does not seem so. Groups `first[b]:first[b+1]` may be asked
    about as a bundle: then only whether all of it passes counts.
    """
    way = way._replace(may_hold=True)  # each person's own share of a kernel prior is above 0
    bundles = first
    if bundles is None or len(bundles) <= n_workers():  # a thread for each group instead
        bundles = np.arange(len(members) + 1)
    is_within, how = np.zeros(len(members), dtype=bool), np.zeros(len(members), dtype=np.int64)
    compared = Compared(
        knowledge.smoothed,
        knowledge.spread,
        knowledge.reach,
        knowledge.reached,
        limit * math.log(2),
        is_within,
    )

    def compare(start: int, stop: int) -> None:
        condition(
            knowledge.priors, members.arrays, bundles, start, stop, way, NOT_KEPT, compared, how
        )

    members.in_batches(compare, bundles)
    return is_within
