"""Classical risks: re-identification, and the numbers that the classical criteria bound."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gyges.auditing.finding import Audited, Finding, Knowledge, Sheet, people_text, share_text
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
from gyges.release.release import Release

TOPIC = "Re-identification"


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


class ReIdentification:
    """Looks for the row of one person, or of everybody, by what the rows show."""

    def findings(self, release: Audited, knowledge: Knowledge) -> list[Finding]:
        """How often they pick the right row, and the numbers that classical criteria bound."""
        if not isinstance(release, (Release, Groups)):
            return []
        groups = release if isinstance(release, Groups) else release.groups
        risk = classical_risks(groups, knowledge.shown)
        return [*_picking(risk), _groups(risk)]


def _picking(risk: Classical) -> list[Finding]:
    found = [
        Finding(
            "prosecutor",
            f"An attacker who looks for the row of someone they know is in the release "
            f"(prosecutor) {_picks(risk)}.",
            number=risk.prosecutor,
            topic=TOPIC,
            place="summary",
            measures={"classical": risk},
        ),
        Finding(
            "marketer",
            f"An attacker who picks a row for everybody (marketer) is right for "
            f"{share_text(risk.marketer)} of the people on average.",
            number=risk.marketer,
            topic=TOPIC,
        ),
    ]
    if risk.n_alone:
        have = "has" if risk.n_alone == 1 else "have"
        found.append(
            Finding(
                "prosecutor",
                f"{people_text(risk.n_alone, risk.n_people)} {have} a row that looks like no "
                f"other.",
                number=risk.n_alone,
                topic=TOPIC,
            )
        )
    return found


def _picks(risk: Classical) -> str:
    people = people_text(risk.n_worst, risk.n_people)
    if risk.prosecutor == 1:
        return f"is certain to pick the right one for {people}"
    share = share_text(risk.prosecutor)
    return f"picks the right one with probability {share} at most; that is the risk for {people}"


def _groups(risk: Classical) -> Finding:
    """The numbers that classical criteria bound, of all groups together."""
    rows = [("people in a group, at least", f"{risk.k:,}")]
    if risk.largest_share:
        rows += [
            ("different values in a group, at least", f"{risk.distinct:,}"),
            (
                "effective number of values (entropy), at least",
                decimal_text(risk.entropy),
            ),
            ("largest share of one value in a group", show(risk.largest_share)),
            ("largest distance from the whole table (t)", show(risk.distance)),
        ]
    return Finding(
        "knows the group",
        _least(risk),
        number=risk.largest_share if risk.largest_share else risk.k,
        topic="The groups",
        details=Sheet(tuple(rows)),
    )


def _least(risk: Classical) -> str:
    if not risk.largest_share:
        return f"The smallest of {risk.n_groups:,} groups has {risk.k:,} people."
    if risk.largest_share == 1:
        return "An attacker who knows only which group someone is in may be certain of their value."
    return (
        f"An attacker who knows only which group someone is in gives no value a probability above "
        f"{share_text(risk.largest_share)}."
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
