"""The attacker who holds other releases about the same people [Ganta2008].

They know people's quasi-identifiers (or their groups) and have several releases about these people,
each published without regard to the others. They find each person's group in every release and
intersect the sensitive values of these groups. They succeed if few values stay possible; one is a
perfect breach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, overload

from gyges.adversaries.joint_attack import JointAttack, joint_attack
from gyges.adversaries.people_lookup import Locatable, locate, read_similar
from gyges.adversaries.possible_values import PossibleValues, numbers_by_intersection
from gyges.arguments import flag
from gyges.arrays import BoolArray
from gyges.data.table import Table
from gyges.data.values import Value
from gyges.exact import counted, percent
from gyges.release.groups import Groups
from gyges.release.locating import NOWHERE, SEVERAL

__all__ = ["NOWHERE", "SEVERAL", "IntersectionAttack", "Locatable", "intersection_attack"]


class IntersectionAttack(PossibleValues):
    """What the intersecting attacker knows about each person: S_i is the intersection of sets."""

    def possible(self, person: str | int) -> list[Value]:
        """The values that stay possible for one person, given by name or place."""
        groups = self.located.group_of[self.located.row(person)].tolist()
        pairs = zip(self.located.releases, groups, strict=True)
        held = [set(release.value_counts_in(group)) for release, group in pairs if group >= 0]
        everything = set(range(len(self.located.values)))
        return [self.located.values[code] for code in sorted(everything.intersection(*held))]

    def __str__(self) -> str:
        people = len(self.posterior)
        certain = self.is_exposed(1)
        lines = [
            f"{counted(people, 'person')} in {counted(len(self.located.releases), 'release')}",
            f"  the value is certain for {certain.sum():,} of them "
            f"({percent(self.exposed(1))}), for {(certain & self.already_disclosed).sum():,} of "
            f"these from one release alone",
            f"  fewer values stay possible for {counted(int(self.vulnerable.sum()), 'person')}, "
            f"{float(self.average_drop):.2f} fewer on average",
        ]
        if self.contradicted.any():
            lines.append(f"  the releases contradict each other on {self.contradicted.sum():,}")
        lines += [f"  release {j}: {where}" for j, where in enumerate(self.located.counts, 1)]
        return "\n".join(lines)


@overload
def intersection_attack(
    releases: Sequence[Groups | Locatable],
    people: Sequence[str] | Table,
    *,
    joint: Literal[False] = False,
    present: Sequence[Sequence[bool]] | BoolArray | None = None,
    similar: Mapping[str, Sequence[Value]] | None = None,
) -> IntersectionAttack: ...


@overload
def intersection_attack(
    releases: Sequence[Groups | Locatable],
    people: Sequence[str] | Table,
    *,
    joint: Literal[True],
    present: Sequence[Sequence[bool]] | BoolArray | None = None,
    similar: Mapping[str, Sequence[Value]] | None = None,
) -> JointAttack: ...


def intersection_attack(
    releases: Sequence[Groups | Locatable],
    people: Sequence[str] | Table,
    *,
    joint: bool = False,
    present: Sequence[Sequence[bool]] | BoolArray | None = None,
    similar: Mapping[str, Sequence[Value]] | None = None,
) -> IntersectionAttack | JointAttack:
    """Combine what several releases say about the same people.

    Args:
        releases: groups with members, or releases that locate people by quasi-identifiers.
        people: names of members, or a table of people with their quasi-identifiers.
        joint: use the counts of all groups at once (joint_attack.py) instead of intersecting the
            sets of values of each person's groups [Ganta2008, Alg. 1].
        present: people × releases, whether the attacker knows that a person is in a release. By
            default, everyone who fits a group is taken to be in it.
        similar: {name: values}: values that may change into each other from one release to the
            next, such as the stages of a disease. They count as one value, `name`; no other value
            changes.

    >>> one = Groups.from_lists([["AIDS", "Heart", "Viral"]], members=[["Alice", "Bob", "Carl"]])
    >>> two = Groups.from_lists([["AIDS", "Flu"]], members=[["Alice", "Eve"]])
    >>> attack = intersection_attack([one, two], people=["Alice"])
    >>> attack.prior, attack.posterior, attack.possible("Alice")
    (array([[3, 2]]), array([1]), ['AIDS'])
    >>> intersection_attack([one, two], people=["Alice", "Eve"], joint=True).possible
    [{'AIDS'}, {'Flu'}]
    """
    if flag(joint, "joint"):
        return joint_attack(releases, people, present, read_similar(similar))
    located = locate(releases, people, read_similar(similar)).where_present(present)
    return IntersectionAttack(located, *numbers_by_intersection(located))
