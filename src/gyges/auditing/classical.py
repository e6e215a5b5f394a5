"""Classical risks: re-identification, and the numbers that the classical criteria bound."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gyges.auditing.shown import Shown
from gyges.criteria.base import Criterion
from gyges.criteria.distinct_diversity import DistinctDiversity
from gyges.criteria.entropy_diversity import EntropyDiversity
from gyges.criteria.k_anonymity import KAnonymity
from gyges.criteria.probabilistic_diversity import ProbabilisticDiversity
from gyges.criteria.t_closeness import TCloseness
from gyges.criteria.verdict import judge
from gyges.exact import decimal_text, show
from gyges.release.groups import Groups


@dataclass(frozen=True, slots=True)
class Classical:
    """Risks of a release that need no background knowledge [ElEmam2008], [Dankar2010].

    f rows look alike in what is shown (shown.py). Of groups alone it is not known what their rows
    show; they are taken to look alike within a group.
    """

    n_people: int
    n_groups: int
    k: int  # the least group
    prosecutor: Fraction  # the largest chance to pick the row of somebody known to be in: 1/f
    n_worst: int  # people at that risk
    n_alone: int  # people whose row looks like no other
    marketer: Fraction  # the average chance over all people: classes/people
    distinct: int  # the least number of different values in a group
    entropy: float  # the least exp(entropy)
    largest_share: Fraction  # the largest share of one value in a group
    distance: Fraction  # the largest distance from the whole table, equal ground

    def __str__(self) -> str:
        values = [
            f"  different values in a group: at least {self.distinct} "
            f"(as uncertain as {decimal_text(self.entropy)} equally frequent ones)",
            f"  largest share of one value in a group: {show(self.largest_share)}",
            f"  largest distance from the whole table (t): {show(self.distance)}",
        ]
        return "\n".join(
            [
                f"{self.n_people:,} people in {self.n_groups:,} groups of at least {self.k}",
                f"  an attacker who looks for the row of someone they know is in it (prosecutor) "
                f"picks the right one with probability {show(self.prosecutor)} at most, for "
                f"{self.n_worst:,} people",
                f"  an attacker who picks a row for everybody (marketer) is right for "
                f"{show(self.marketer)} of them",
                *([f"  rows that look like no other: {self.n_alone:,}"] if self.n_alone else []),
                *(values if self.largest_share else []),
            ]
        )


def classical_risks(groups: Groups, shown: Shown | None = None) -> Classical:
    """Measure a release with the classical criteria; the thresholds given here decide nothing.

    `shown` says which rows look alike; without it, those of each group.
    """
    rules: dict[str, Criterion[Any]] = {
        "k": KAnonymity(1),
        "distinct": DistinctDiversity(1),
        "entropy": EntropyDiversity(1),
        "share": ProbabilisticDiversity(1),
        "distance": TCloseness(1),
    }
    risks = judge(rules.values(), groups).risks
    found = {name: risks[str(rule)] for name, rule in rules.items()}
    people, sizes = int(groups.sizes.sum()), groups.sizes
    if shown is None:
        least = int(sizes.min(initial=people))
        n_least, n_alone = int(sizes[sizes == least].sum()), int((sizes == 1).sum())
        n_classes = len(groups)
    else:
        least, n_least = shown.least, shown.n_least
        n_alone, n_classes = shown.n_unique, shown.n_classes
    return Classical(
        n_people=people,
        n_groups=len(groups),
        k=int(found["k"]),
        prosecutor=Fraction(1, max(least, 1)),
        n_worst=n_least,
        n_alone=n_alone,
        marketer=Fraction(n_classes, max(people, 1)),
        distinct=int(found["distinct"]),
        entropy=float(found["entropy"]),
        largest_share=Fraction(found["share"]),
        distance=Fraction(found["distance"]),
    )
