"""Relatives who live together: what their household adds to an attacker's belief in a value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from gyges.release.groups import Groups


@dataclass(frozen=True, slots=True)
class RelativesBelief:
    """The most certain belief about a member of a household, and what it was without relatives."""

    probability: Fraction
    share: Fraction  # of the value in the member's group
    n_relatives: int
    value: int  # its code


def most_certain_relative(
    groups: Groups, households: Iterable[tuple[int, ...]]
) -> RelativesBelief | None:
    """The largest probability of a value of someone whose relatives live with them.

    The attacker knows that if any of the relatives v has the value σ, the target t has it too: the
    m relatives of [Chen2009], who are here the other members of t's household. `households` holds
    the groups of the members of each. Each person has one value. With n people and c times σ in
    t's group, j of the relatives in it and r in another group:

        P(t has σ)                            = c/n
        P(t has not σ, and none of them has)  = Π_{i<=j} (n-c-i)/(n-i) · Π_groups Π_{i<r} (…)

    and the belief is the first over the sum of the two. Groups are independent of each other.
    """
    worst = None
    held = [groups.value_counts_in(g) for g in range(len(groups))]
    sizes = groups.sizes.tolist()
    for home in dict.fromkeys(tuple(sorted(home)) for home in households):
        members = Counter(home)
        for target in members:
            for value, count in held[target].items():
                share, rest = Fraction(count, sizes[target]), Fraction(1)
                for g, n in members.items():
                    rest *= _without(sizes[g], held[g].get(value, 0), n)
                found = RelativesBelief(share / (share + rest), share, len(home) - 1, value)
                worst = found if worst is None else max(worst, found, key=_severity)
    return worst


def _severity(found: RelativesBelief) -> tuple[Fraction, int, Fraction, int]:
    """The most certain belief first, then the one that takes the fewest relatives."""
    return found.probability, -found.n_relatives, found.share, -found.value


def _without(n_people: int, n_having: int, n_members: int) -> Fraction:
    """The probability that none of some members of a group has a value."""
    found = Fraction(1)
    for i in range(n_members):
        found *= Fraction(max(n_people - n_having - i, 0), n_people - i)
    return found
