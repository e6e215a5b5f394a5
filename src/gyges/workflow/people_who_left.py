"""People of earlier releases who are not in a new one: what their absence reveals.

An attacker who knows who left subtracts the new release from the earlier one. So everyone is
attacked together: the people of the new table and, after them, those who left, in all groups where
the ledger has recorded them. What is known of one of them counts against the others. The records of
a ledger share one salt, so someone who left several releases has one name. Where they do not
(records of an earlier version), they are attacked as different people: what is certain then is
certain in truth, and the release that counts the most of them bounds how many there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gyges.adversaries.located_people import Located, PeopleInGroups, located_in
from gyges.arrays import BoolArray
from gyges.release.locating import NOWHERE

if TYPE_CHECKING:
    from gyges.adversaries.joint_attack import JointAttack


@dataclass(frozen=True, slots=True)
class Leavers:
    """How many people left, and of how many of them the releases together say too much.

    Where their records have several salts, there are at least this many people.
    """

    n_people: int = 0
    n_certain: int = 0  # their value becomes certain with the new release only
    n_undecided: int = 0  # at most this many of whom it was neither proven nor excluded
    n_releases: int = 0  # from which someone left, if those of one are not known in another

    @property
    def is_open(self) -> bool:
        """Whether the releases may reveal more about them than was found."""
        return self.n_undecided > 0 or self.n_releases > 1


NOBODY_LEFT = Leavers()


def names_of_leavers(left: Sequence[Mapping[str, int]]) -> list[str]:
    """Everyone who is listed as gone from some release, once."""
    return list(dict.fromkeys(name for gone in left for name in gone))


def everyone_in(
    places: Sequence[PeopleInGroups], left: Sequence[Mapping[str, int]], names: Sequence[str]
) -> Located:
    """The rows of a table, and after them the people who left, in all releases.

    Args:
        places: of the rows in each release.
        left: for each release the group of each person who is not in the table.
        names: of all who left.
    """
    row_of = {name: row for row, name in enumerate(names)}
    whole = []
    for place, gone in zip(places, left, strict=True):
        group = np.full(len(row_of), NOWHERE, dtype=np.int64)
        group[[row_of[name] for name in gone]] = list(gone.values())
        whole.append(place.with_more(group))
    return located_in(whole, None, {})


def leavers_of(
    attack: JointAttack, is_new: BoolArray, left: Sequence[Mapping[str, int]]
) -> Leavers:
    """What the attack on everyone makes certain of those who left.

    Args:
        is_new: of everyone, whose value was not certain before.
    """
    names = names_of_leavers(left)
    if not names:
        return NOBODY_LEFT
    rows = np.arange(len(is_new) - len(names), len(is_new))
    is_open = (attack.is_undecided(1) | attack.contradicted)[rows] & is_new[rows]
    is_certain = attack.is_exposed(1)[rows] & is_new[rows]
    salts = Counter(_salt(name) for name in names)
    certain = Counter(_salt(names[k]) for k in np.flatnonzero(is_certain).tolist())
    return Leavers(
        n_people=max(salts.values()),
        n_certain=max(certain.values(), default=0),
        n_undecided=int(is_open.sum()),
        n_releases=len(salts),
    )


def _salt(name: str) -> str:
    return name.partition(" ")[0]
