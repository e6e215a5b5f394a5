"""The attacker of prior beliefs who holds several releases [Li2009], [Ganta2008].

Before the releases they believe P_i(v) of each person i, independently. A world w that agrees with
all releases then has the weight Π_i P_i(w_i), and the posterior belief is the share of that weight:

    P(i has v | releases)  =  Σ_{w: w_i = v} Π_j P_j(w_j)  /  Σ_w Π_j P_j(w_j)

With one release that is the posterior of its group. People whom no chain of shared groups connects
do not depend on each other, so each connected part is computed by itself: its people are taken one
after another, and all that matters of those already taken is how much is left of each count. Parts
that are too large, or with members who are not known, are not computed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gyges.adversaries.located_people import Located
from gyges.arrays import BoolArray, FloatArray, IntArray, frozen
from gyges.ragged import Ragged

_MOST_PEOPLE = 60  # of one part
_MOST_REMAINDERS = 20_000  # of one part
_MOST_IN_ALL = 2_000_000  # about half a minute

_Left: TypeAlias = "tuple[tuple[int, ...], ...]"  # of each group, how often each value is left


@dataclass(frozen=True, slots=True, eq=False)
class JointBeliefs:
    """What the attacker believes after all releases: people × values; NaN where not computed."""

    posterior: FloatArray

    def __post_init__(self) -> None:
        frozen(self.posterior)

    @property
    def is_computed_for(self) -> BoolArray:
        """For each person, whether the posterior is exact (up to rounding)."""
        return np.asarray(~np.isnan(self.posterior).any(axis=1))


def joint_beliefs(located: Located, priors: FloatArray) -> JointBeliefs:
    """The posterior beliefs about located people; `priors` has the columns of `located.values`."""
    posterior = np.full(priors.shape, np.nan)
    work = _MOST_IN_ALL
    for people in sorted(_parts(located), key=len):
        if work <= 0 or len(people) > _MOST_PEOPLE or not _are_complete(located, people):
            continue
        found, spent = _of_part(located, priors, people)
        work -= spent
        if found is not None:
            posterior[people] = found
    return JointBeliefs(posterior)


def _parts(located: Located) -> list[IntArray]:
    """The people, divided into parts that share no group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(located)
    first = n + np.cumsum([0, *(len(groups) for groups in located.releases)])
    person, release = np.nonzero(located.group_of >= 0)
    place = first[release] + located.group_of[person, release]
    drawn = coo_array((np.ones(len(person)), (person, place)), shape=(int(first[-1]),) * 2)
    part = connected_components(drawn, directed=False)[1][:n]
    listed = Ragged.group_by(np.unique(part, return_inverse=True)[1], n)
    return [listed[k] for k in range(len(listed)) if len(listed[k])]


def _are_complete(located: Located, people: IntArray) -> bool:
    """Whether every group that these people are in is one group, and has no other members."""
    for j, groups in enumerate(located.releases):
        inside = located.group_of[people, j]
        inside = inside[inside >= 0]
        if (inside >= located.n_own[j]).any():
            return False
        held = np.bincount(inside, minlength=len(groups))
        if (held[inside] != groups.sizes[inside]).any():
            return False
    return True


def _of_part(
    located: Located, priors: FloatArray, people: IntArray
) -> tuple[FloatArray | None, int]:
    """The posteriors of one part, and how many remainders were looked at; None if too many."""
    order = np.lexsort(located.group_of[people].T[::-1])
    groups = [
        [(j, int(g)) for j, g in enumerate(located.group_of[person]) if g >= 0]
        for person in people[order].tolist()
    ]
    place = {group: k for k, group in enumerate(dict.fromkeys(g for one in groups for g in one))}
    held = [located.releases[j].value_counts_in(g) for j, g in place]
    n_values = priors.shape[1]
    start: _Left = tuple(tuple(one.get(v, 0) for v in range(n_values)) for one in held)
    of_person = [[place[group] for group in one] for one in groups]
    weights = priors[people[order]].tolist()
    layers: list[dict[_Left, float]] = [{start: 1.0}]
    n_seen = 1
    for mine, beliefs in zip(of_person, weights, strict=True):
        following: dict[_Left, float] = defaultdict(float)
        for left, weight in layers[-1].items():
            for v, after in _choices(left, mine, beliefs):
                following[after] += weight * beliefs[v]
        n_seen += len(following)
        if n_seen > _MOST_REMAINDERS:
            return None, n_seen
        scale = max(following.values(), default=1.0)
        layers.append({left: weight / scale for left, weight in following.items()})
    if not layers[-1] or scale <= 0:
        return None, n_seen  # no world agrees: the releases contradict each other
    found = np.zeros((len(people), n_values))
    found[order] = _backwards(layers, of_person, weights)
    return found, n_seen


def _choices(left: _Left, mine: Sequence[int], beliefs: Sequence[float]) -> list[tuple[int, _Left]]:
    """Each value that all of a person's groups have left, and what is left then."""
    found = []
    for v, belief in enumerate(beliefs):
        if belief > 0 and all(left[g][v] for g in mine):
            after = list(left)
            for g in mine:
                after[g] = (*left[g][:v], left[g][v] - 1, *left[g][v + 1 :])
            found.append((v, tuple(after)))
    return found


def _backwards(
    layers: Sequence[dict[_Left, float]],
    of_person: Sequence[Sequence[int]],
    weights: Sequence[Sequence[float]],
) -> FloatArray:
    """The share of each value of each person, from the last one to the first."""
    found = np.zeros((len(weights), len(weights[0])))
    behind = dict.fromkeys(layers[-1], 1.0)
    for i in range(len(weights) - 1, -1, -1):
        before = {}
        for left, weight in layers[i].items():
            inward = 0.0
            for v, after in _choices(left, of_person[i], weights[i]):
                outward = weights[i][v] * behind.get(after, 0.0)
                inward += outward
                found[i, v] += weight * outward
            before[left] = inward
        scale = max(before.values())
        behind = {left: weight / scale for left, weight in before.items()}
        found[i] /= found[i].sum()
    return found
