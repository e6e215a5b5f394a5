"""People of earlier releases who are not in a new one: what their absence reveals.

An attacker who knows who left subtracts the new release from the earlier one. The joint attack
(adversaries/joint_attack.py) is run on those who left, with everyone's group known. The records of
a ledger share one salt, so someone who left several releases has one name. Where they do not
(records of an earlier version), they are attacked as different people: what is certain then is
certain in truth, and the release that counts the most of them bounds how many there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gyges.arrays import IntArray
from gyges.release.groups import Groups


@dataclass(frozen=True, slots=True)
class Leavers:
    """How many people left, and of how many of them the releases together say too much.

    Where they left several releases, there are at least this many people.
    """

    n_people: int = 0
    n_certain: int = 0  # their value becomes certain with the new release only
    n_undecided: int = 0  # at most this many of whom it was neither proven nor excluded
    n_releases: int = 0  # from which someone left

    @property
    def is_open(self) -> bool:
        """Whether the releases may reveal more about them than was found."""
        return self.n_undecided > 0 or self.n_releases > 1


NOBODY_LEFT = Leavers()


def attack_leavers(
    new: tuple[Groups, IntArray],
    earlier: Sequence[tuple[Groups, IntArray]],
    left: Sequence[Mapping[str, int] | None] = (),
) -> Leavers:
    """Attack those who are in the groups of an earlier release, but not among the new rows.

    A release is its groups, and the group of each row of the new table in it (negative: none).

    Args:
        left: for each earlier release, the group of each person who left, by a name that all
            releases share; None where they are not known by name.
    """
    known = list(left) or [None] * len(earlier)
    named = [
        _named(*one, f"release {j}", gone)
        for j, (one, gone) in enumerate(zip(earlier, known, strict=True))
    ]
    people = [name for _, gone in named for name in gone]
    left_of = np.repeat(np.arange(len(named)), [len(gone) for _, gone in named])
    if not people:
        return NOBODY_LEFT
    is_linked = _are_linked(known)
    if is_linked:  # everyone once
        people = list(dict.fromkeys(people))
        left_of = np.zeros(len(people), dtype=np.int64)
    releases = [_named(*new, "new", {})[0], *(groups for groups, _ in named)]
    from gyges.adversaries.other_releases import intersection_attack

    found = intersection_attack(releases, people, joint=True)
    is_new = ~found.already_disclosed
    if len(named) > 1:
        before = intersection_attack([groups for groups, _ in named], people, joint=True)
        is_new &= ~before.is_exposed(1)
    is_open = found.is_undecided(1) | found.contradicted
    return Leavers(
        n_people=int(np.bincount(left_of).max()),
        n_certain=int(np.bincount(left_of, weights=found.is_exposed(1) & is_new).max()),
        n_undecided=int((is_open & is_new).sum()),
        n_releases=1 if is_linked else sum(bool(gone) for _, gone in named),
    )


def _are_linked(left: Sequence[Mapping[str, int] | None]) -> bool:
    """Whether one person has one name in all of these releases: the records have one salt."""
    if any(gone is None for gone in left):
        return False
    return len({name.partition(" ")[0] for gone in left if gone for name in gone}) <= 1


def _named(
    groups: Groups, group_of_row: IntArray, prefix: str, gone: Mapping[str, int] | None
) -> tuple[Groups, list[str]]:
    """The groups with a name for each of their people, and the names of those who left.

    Where `gone` lists these, all other members without a row are counterfeits.
    """
    members: list[list[str]] = [[] for _ in range(len(groups))]
    for row in np.flatnonzero(group_of_row >= 0).tolist():
        members[group_of_row[row]].append(f"row {row}")
    for name, group in (gone or {}).items():
        members[group].append(name)
    left = list(gone or ())
    for group, size in enumerate(groups.sizes.tolist()):
        names = [f"{prefix}, {group}.{n}" for n in range(size - len(members[group]))]
        members[group] += names
        left += names if gone is None else []
    return replace(groups, members=members), left
