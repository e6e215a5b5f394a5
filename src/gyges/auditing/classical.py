"""Classical risks: re-identification, and the numbers that the classical criteria bound."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gyges.criteria.base import Criterion
from gyges.criteria.distinct_diversity import DistinctDiversity
from gyges.criteria.entropy_diversity import EntropyDiversity
from gyges.criteria.k_anonymity import KAnonymity
from gyges.criteria.probabilistic_diversity import ProbabilisticDiversity
from gyges.criteria.t_closeness import TCloseness
from gyges.criteria.verdict import judge, show
from gyges.release.groups import Groups


@dataclass(frozen=True, slots=True)
class Classical:
    """Risks of a release that need no background knowledge [ElEmam2008], [Dankar2010]."""

    n_people: int
    n_groups: int
    k: int  # the least group
    prosecutor: Fraction  # the largest chance to pick the row of somebody known to be in: 1/k
    n_worst: int  # people in groups as small as the least
    n_alone: int  # people alone in their group
    marketer: Fraction  # the average chance over all people: groups/people
    distinct: int  # the least number of different values in a group
    entropy: float  # the least exp(entropy)
    largest_share: Fraction  # the largest share of one value in a group
    distance: Fraction  # the largest distance from the whole table, equal ground

    def __str__(self) -> str:
        values = [
            f"  different values in a group: at least {self.distinct} "
            f"(as uncertain as {self.entropy:.3g} equally frequent ones)",
            f"  largest share of one value in a group: {show(self.largest_share)}",
            f"  largest distance from the whole table (t): {show(self.distance)}",
        ]
        return "\n".join(
            [
                f"{self.n_people:,} people in {self.n_groups:,} groups of at least {self.k}",
                f"  a prosecutor, who knows that somebody is in it, picks their row: at most "
                f"{show(self.prosecutor)}, for {self.n_worst:,} people",
                f"  a marketer, who picks a row for everybody, is right for {show(self.marketer)} "
                f"of them",
                *([f"  {self.n_alone:,} people are alone"] if self.n_alone else []),
                *(values if self.largest_share else []),
            ]
        )


def classical_risks(groups: Groups) -> Classical:
    """Measure a release with the classical criteria; the thresholds given here decide nothing."""
    rules: dict[str, Criterion[Any]] = {
        "k": KAnonymity(1),
        "distinct": DistinctDiversity(1),
        "entropy": EntropyDiversity(1),
        "share": ProbabilisticDiversity(1),
        "distance": TCloseness(1),
    }
    risks = judge(rules.values(), groups).risks
    found = {name: risks[str(rule)] for name, rule in rules.items()}
    people = int(groups.sizes.sum())
    return Classical(
        n_people=people,
        n_groups=len(groups),
        k=int(found["k"]),
        prosecutor=Fraction(1, max(int(found["k"]), 1)),
        n_worst=int(groups.sizes[groups.sizes == groups.sizes.min(initial=people)].sum()),
        n_alone=int((groups.sizes == 1).sum()),
        marketer=Fraction(len(groups), max(people, 1)),
        distinct=int(found["distinct"]),
        entropy=float(found["entropy"]),
        largest_share=Fraction(found["share"]),
        distance=Fraction(found["distance"]),
    )
