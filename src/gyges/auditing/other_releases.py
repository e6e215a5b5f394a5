"""What a release tells together with others about the same people [Ganta2008]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from gyges.adversaries.located import Whereabouts
from gyges.adversaries.other_releases import intersection_attack
from gyges.data.table import Table
from gyges.exact import show
from gyges.release.release import Release


@dataclass(frozen=True, slots=True)
class JoinedRisk:
    """Whose value comes out when several releases are joined."""

    n_releases: int
    n_people: int
    certain: Fraction  # the share of people whose value is certain
    certain_before: Fraction  # by one release alone
    narrowed: int  # people for whom fewer values stay possible than by the best release alone
    average_drop: Fraction  # values fewer, on average
    n_contradicted: int  # people on whom the releases contradict each other
    located: tuple[Whereabouts, ...]  # of the people, in each release; this one first

    def __str__(self) -> str:
        lines = [
            f"joined with {self.n_releases - 1} other releases, looking for {self.n_people:,} "
            f"people",
            f"  the value is certain for {show(self.certain)} of them, "
            f"by one release alone for {show(self.certain_before)}",
            f"  fewer values stay possible for {self.narrowed:,}, "
            f"{float(self.average_drop):.2f} fewer on average",
        ]
        lines += [f"  release {j}: {where}" for j, where in enumerate(self.located, 1)]
        if self.n_contradicted:
            lines.append(f"  the releases contradict each other on {self.n_contradicted:,}")
        return "\n".join(lines)


def joined_risk(releases: Sequence[Release], people: Table) -> JoinedRisk:
    """Let the intersecting attacker look for people in several releases."""
    attack = intersection_attack(releases, people)
    return JoinedRisk(
        n_releases=len(releases),
        n_people=len(attack.posterior),
        certain=attack.exposed(1),
        certain_before=attack.exposed_before(1),
        narrowed=int(attack.vulnerable.sum()),
        average_drop=attack.average_drop,
        n_contradicted=int(attack.contradicted.sum()),
        located=attack.located.counts,
    )
