"""An attacker's beliefs about a person after the release: Bayes' rule within a group.

They know who is in a group and how often each value occurs, not who has which. The probability of
an assignment of the values to people follows from their prior beliefs [Li2009, Sect. III.C].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from gyges.adversaries.member_groups import MemberGroups, members_of_entries
from gyges.arguments import choice, codes, numbers
from gyges.arrays import FloatArray, IntArray, frozen
from gyges.errors import ImpossibleKnowledgeError, RuleError
from gyges.exact import counted
from gyges.kernels import conditioning
from gyges.kernels.conditioned_groups import NOT_COMPARED, Kept, condition
from gyges.kernels.conditioning import ConditioningMethod

Inference: TypeAlias = Literal["exact", "omega", "scaling", "refined", "auto"]

AUTO_STATES = 1 << 16  # of a group (kernels/permanent.py), up to which "auto" is exact
EXACT_STATES = 1 << 25  # up to which "exact" is: half a gigabyte in each thread
# The largest error of "refined" as a share of what refining changed: on groups of real tables the
# error was below it in 99 of 100 (benchmarks/beliefs.py).
_SHARE_OF_CHANGE = 0.5

_NAMES = {
    conditioning.EXACT: "exact",
    conditioning.REFINED: "refined",
    conditioning.SCALED: "scaling",
    conditioning.SHARED: "omega",
}
_WAYS = {
    "exact": ConditioningMethod(conditioning.EXACT, float(EXACT_STATES), conditioning.TOO_LARGE),
    "omega": ConditioningMethod(conditioning.SHARED, 0.0, conditioning.SHARED),
    "scaling": ConditioningMethod(conditioning.SCALED, 0.0, conditioning.SCALED),
    "refined": ConditioningMethod(conditioning.REFINED, 0.0, conditioning.REFINED),
    "auto": ConditioningMethod(conditioning.EXACT, float(AUTO_STATES), conditioning.REFINED),
}


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """Beliefs after the release, and how exact they are."""

    values: FloatArray  # rows × sensitive values
    groups: IntArray  # the numbers of the groups, ascending
    methods: list[str]  # of each group: "exact", "refined", "scaling", "omega"
    errors: FloatArray  # of each group: about how far a belief may be off; 0 where exact

    def __post_init__(self) -> None:
        frozen(self.groups, self.errors)


@dataclass(frozen=True, slots=True, eq=False)
class GroupPosteriors:
    """The posteriors of member groups: their matrices, one after another."""

    numbers: FloatArray
    how: IntArray  # of each group, a code of kernels.conditioning
    errors: FloatArray  # of each group


def posterior_beliefs(
    prior: ArrayLike,
    group_of_row: ArrayLike,
    value_of_row: ArrayLike,
    method: Inference = "auto",
) -> FloatArray:
    """The belief about each row's person after the release: rows × sensitive values.

    Args:
        prior: rows × sensitive values, as `prior_beliefs` gives them or any other.
        group_of_row: the group of each row; -1 for a person who is not published, about whom the
            attacker learns nothing.
        value_of_row: the code (column of `prior`) of each row's sensitive value. Only how often
            each occurs in a group is used.
        method: "exact"; "omega" (the paper's estimate, [Li2009, Eq. 5]); "scaling" (meets both
            margins); "refined" (scaling and a correction); "auto": exact where a group has few
            enough states, else refined.

    >>> hiv = np.array([[0.95, 0.05], [0.95, 0.05], [0.7, 0.3]])
    >>> posterior_beliefs(hiv, [0, 0, 0], [0, 0, 1], method="exact")[2].round(4)
    array([0.1972, 0.8028])
    """
    return posteriors(prior, group_of_row, value_of_row, method).values


def posteriors(
    prior: ArrayLike,
    group_of_row: ArrayLike,
    value_of_row: ArrayLike,
    method: Inference = "auto",
) -> Posterior:
    """As `posterior_beliefs`, and for each group how it was computed and how exact that is."""
    choice(method, get_args(Inference), "method")
    beliefs = check_beliefs(prior, "prior")
    n_rows, n_values = beliefs.shape
    groups = group_codes(group_of_row, n_rows)
    values = codes(value_of_row, "value_of_row", n_rows, 0, n_values - 1)
    rows = np.flatnonzero(groups >= 0)
    numbers, group = np.unique(groups[rows], return_inverse=True)
    ones, alike = np.ones(len(rows), dtype=np.int64), _first_alike(beliefs)[rows]
    members = members_of_entries(group, alike, values[rows], ones, len(numbers), max(n_values, 1))
    found = infer(members, beliefs, method, numbers)
    keys = members.group_of_member * n_rows + members.arrays.rows
    member_of_row = np.searchsorted(keys, group * n_rows + alike)
    after = beliefs.copy()
    after[rows] = members.dense(found.numbers, n_values)[member_of_row]
    return Posterior(after, numbers, [_NAMES[int(how)] for how in found.how], found.errors)


def _first_alike(beliefs: FloatArray) -> IntArray:
    """The number of the first row with the same beliefs, as far as it is found.

    People of a group with the same beliefs need fewer states. Rows are sorted by a sum of their
    numbers; where rows with other beliefs have the same sum, a match may be missed.
    """
    n_rows, n_values = beliefs.shape
    order = np.argsort(np.einsum("ij,j->i", beliefs, np.sqrt(np.arange(2.0, n_values + 2))))
    is_new = np.ones(n_rows, dtype=bool)
    is_new[1:] = (beliefs[order[1:]] != beliefs[order[:-1]]).any(axis=1)
    first = np.empty(n_rows, dtype=np.int64)
    first[order] = order[np.flatnonzero(is_new)][np.cumsum(is_new) - 1]
    return first


def infer(
    members: MemberGroups,
    beliefs: FloatArray,
    method: Inference,
    numbers: IntArray | None = None,
    then: Callable[[FloatArray, int, int], None] | None = None,
) -> GroupPosteriors:
    """Condition the members' beliefs on their values; refuse beliefs that contradict the release.

    `numbers` are the groups' numbers, for messages; by default they count from 0. `then` gets the
    posteriors of each batch of groups at once.
    """
    found = infer_if_possible(members, beliefs, conditioning_method(method), then)
    refuse_unsolved(found.how, np.arange(len(members)) if numbers is None else numbers)
    return found


def infer_if_possible(
    members: MemberGroups,
    beliefs: FloatArray,
    way: ConditioningMethod,
    then: Callable[[FloatArray, int, int], None] | None = None,
) -> GroupPosteriors:
    """As `infer`; a group that could not be computed has no numbers, and `how` says why."""
    before = beliefs.view()
    frozen(before)  # always read-only: one kernel is compiled, not two
    chances = np.zeros(int(members.out_starts[-1]))
    how, change = np.zeros(len(members), dtype=np.int64), np.zeros(len(members))

    kept, each = Kept(members.out_starts, chances, change), np.arange(len(members) + 1)

    def work(start: int, stop: int) -> None:
        condition(before, members.arrays, each, start, stop, way, kept, NOT_COMPARED, how)
        if then is not None:
            then(chances, start, stop)

    members.in_batches(work)
    return GroupPosteriors(chances, how, change * _SHARE_OF_CHANGE)


def conditioning_method(method: Inference) -> ConditioningMethod:
    """A method as the kernels take it."""
    choice(method, get_args(Inference), "method")
    return _WAYS[method]


def refuse_unsolved(how: IntArray, numbers: IntArray) -> None:
    """Raise an error where a group could not be computed; `numbers` are for the message."""
    if how.max(initial=conditioning.EXACT) < conditioning.IMPOSSIBLE:
        return
    impossible = numbers[how == conditioning.IMPOSSIBLE]
    if len(impossible):
        raise ImpossibleKnowledgeError(
            f"the prior beliefs contradict the release in {_some(impossible)}: by the prior, no "
            f"one there can have one of its values, or a person can have none; correct the prior"
        )
    large = numbers[how == conditioning.TOO_LARGE]
    if len(large):
        raise RuleError(
            f"exact posteriors would need more than {EXACT_STATES:,} states in {_some(large)}: "
            f"choose method='auto'"
        )
    small = numbers[how == conditioning.TOO_SMALL]
    if len(small):
        raise RuleError(
            f"prior beliefs differ by too many powers of ten in {_some(small)}: increase the "
            f"smallest of them, or make them 0"
        )


def _some(numbers: IntArray) -> str:
    if len(numbers) == 1:
        return f"group {int(numbers[0])}"
    return f"{counted(len(numbers), 'group')}, the first is group {int(numbers[0])}"


def check_beliefs(given: ArrayLike, name: str) -> FloatArray:
    """Beliefs as rows × values: numbers from 0 on, each row adding up to 1 but for rounding."""
    beliefs = np.ascontiguousarray(numbers(given, name, 2, "rows × sensitive values"))
    if not (beliefs >= 0).all():
        raise RuleError(f"{name} has numbers that are not probabilities: give numbers from 0 to 1")
    off = np.flatnonzero(np.abs(beliefs.sum(axis=1) - 1) > 0.01)
    if len(off):
        raise RuleError(
            f"{name}: {len(off):,} rows do not add up to 1, the first is row {int(off[0])}"
        )
    return beliefs


def group_codes(given: ArrayLike, n_rows: int) -> IntArray:
    """The group of each row as whole numbers, -1 for none."""
    return codes(given, "group_of_row", n_rows, -1, np.iinfo(np.int64).max)
