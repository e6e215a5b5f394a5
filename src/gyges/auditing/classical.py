"""Classical risks: re-identification, and the numbers that the classical rules bound."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gyges.auditing.finding import (
    Audited,
    AuditKnowledge,
    Finding,
    Sheet,
    groups_of,
    people_text,
    share_text,
)
from gyges.auditing.published_rows import PublishedRows
from gyges.criteria.base import Criterion
from gyges.criteria.distinct_diversity import DistinctDiversity
from gyges.criteria.entropy_diversity import EntropyDiversity
from gyges.criteria.k_anonymity import KAnonymity
from gyges.criteria.probabilistic_diversity import ProbabilisticDiversity
from gyges.criteria.t_closeness import TCloseness
from gyges.criteria.verdict import judge
from gyges.data.schema import ValuesPerPerson
from gyges.exact import counted, decimal_text, readable_number
from gyges.release.groups import Groups
from gyges.release.release import Release
from gyges.release.statements import OTHER_SOFTWARE
from gyges.release.suppressed_labels import is_suppressed

TOPIC = "Re-identification"
_SHARE: dict[ValuesPerPerson, str] = {
    "one": "largest share of one value in a group",
    "set": "largest share of one value in a group",
    "multiset": "most occurrences of one value per person in a group, at most 1",
}
_MEANING: dict[ValuesPerPerson, str] = {
    "one": "an attacker who knows someone's group is at most this certain of a value",
    "set": "an attacker who knows someone's group is at most this certain of a value",
    "multiset": "not a probability: one person may have a value several times",
}


@dataclass(frozen=True, slots=True)
class Classical:
    """Risks of a release that need no background knowledge [ElEmam2008], [Dankar2010].

    f rows look alike (published_rows.py). Where only groups are known, and not what their rows
    show, the rows of a group are assumed to look alike.
    """

    n_people: int
    n_groups: int
    k: int  # people in the smallest group
    prosecutor: Fraction  # the largest chance to pick the row of someone known to be in it: 1/f
    n_worst: int  # people at that risk
    n_alone: int  # people with a unique row
    marketer: Fraction  # the average chance over all people: classes/people
    distinct: int  # the fewest different values in a group
    entropy: float  # the smallest exp(entropy)
    largest_share: Fraction  # the largest share of one value in a group
    values_per_person: ValuesPerPerson
    n_revealed: int  # people whose group alone makes one of their values certain
    distance: Fraction  # the largest distance from the whole table, equal ground


class ReIdentification:
    """Looks for the row of one person, or of everyone, by what the rows show."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """How often they pick the right row, and the numbers that classical rules bound."""
        groups = groups_of(release)
        if groups is None:
            return []
        risk = classical_risks(groups, knowledge.rows)
        return [*_picking(risk, _overlap(release, knowledge)), *_revealed(risk), _groups(risk)]


def _overlap(release: Audited, knowledge: AuditKnowledge) -> bool:
    """Whether labels of one row fit people of another, as those of a suppressed row do.

    The original shows it, or a cell that hides every value beside cells that do not.
    """
    if not isinstance(release, Release) or release.method != OTHER_SOFTWARE:
        return False
    if knowledge.whereabouts is not None:
        return knowledge.whereabouts.in_several > 0
    hidden = [{is_suppressed(label) for label in set(labels)} for labels in release.labels.values()]
    return any(len(both) > 1 for both in hidden)


def _picking(risk: Classical, labels_overlap: bool) -> list[Finding]:
    found = [
        Finding(
            "prosecutor",
            f"An attacker who looks for the row of someone they know is in the release "
            f"(prosecutor) {_picks(risk, labels_overlap)}.",
            number=risk.prosecutor,
            topic=TOPIC,
            place="summary",
            measures={"classical": risk},
        ),
        Finding(
            "marketer",
            f"An attacker who picks a row for every person (marketer) is right for "
            f"{'at most ' if labels_overlap else ''}{share_text(risk.marketer)} of the people on "
            f"average.",
            number=risk.marketer,
            topic=TOPIC,
        ),
    ]
    if risk.n_alone:
        have = "has" if risk.n_alone == 1 else "have"
        found.append(
            Finding(
                "prosecutor",
                f"{people_text(risk.n_alone, risk.n_people)} {have} a unique row.",
                number=risk.n_alone,
                topic=TOPIC,
            )
        )
    return found


def _picks(risk: Classical, labels_overlap: bool) -> str:
    people = people_text(risk.n_worst, risk.n_people)
    if labels_overlap:
        return (
            f"picks the right one with probability at most {share_text(risk.prosecutor)} for "
            f"{people}; it may be lower, because the labels of other rows, such as suppressed "
            f"ones, fit some of these people as well"
        )
    if risk.prosecutor == 1:
        return f"is certain to pick the right one for {people}"
    share = share_text(risk.prosecutor)
    return f"picks the right one with probability at most {share}; this is the risk of {people}"


def _revealed(risk: Classical) -> list[Finding]:
    if not risk.n_revealed:
        return []
    people = people_text(risk.n_revealed, risk.n_people)
    said = (
        f"The release alone reveals a sensitive value of {people}: anyone who knows which group "
        f"they are in knows it for certain."
    )
    share = Fraction(risk.n_revealed, risk.n_people)
    return [Finding("knows the group", said, share, topic="The groups", place="first")]


def _groups(risk: Classical) -> Finding:
    """The numbers that classical rules bound, over all groups."""
    rows = [
        (
            "people in the smallest group",
            f"{risk.k:,}",
            "no group is smaller",
        ),
    ]
    if risk.largest_share:
        effective, share = decimal_text(risk.entropy), share_text(risk.largest_share)
        rows += [
            (
                "fewest different values in a group",
                f"{risk.distinct:,}",
                "every group has at least this many different values",
            ),
            (
                "smallest effective number of values (entropy)",
                effective,
                f"some group is as uncertain as one with {effective} equally frequent values",
            ),
            (
                _SHARE[risk.values_per_person],
                share,
                _MEANING[risk.values_per_person],
            ),
            (
                "largest distance of a group from the whole table (t)",
                readable_number(risk.distance),
                "this share of some group's values would have to change to match the whole table",
            ),
        ]
    return Finding(
        "knows the group",
        _knowing_the_group(risk),
        number=risk.largest_share if risk.largest_share else risk.k,
        topic="The groups",
        details=Sheet(tuple(rows)),
    )


def _knowing_the_group(risk: Classical) -> str:
    if not risk.largest_share:
        return f"The smallest of {counted(risk.n_groups, 'group')} has {counted(risk.k, 'person')}."
    if risk.n_revealed:
        return "In at least one group, knowing who is in it is enough to be certain of a value."
    if risk.largest_share == 1:
        return "In at least one group, a value occurs as often as there are people, or more often."
    return (
        f"To an attacker who knows only which group someone is in, no value has a probability "
        f"above {share_text(risk.largest_share)}."
    )


def classical_risks(groups: Groups, rows: PublishedRows | None = None) -> Classical:
    """Measure a release with the classical rules; the thresholds given here decide nothing.

    `rows` says which rows look alike; without it, those of each group do.
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
    if rows is None:
        least = int(sizes.min(initial=people))
        n_least, n_alone = int(sizes[sizes == least].sum()), int((sizes == 1).sum())
        n_classes = len(groups)
    else:
        least, n_least = rows.least, rows.n_least
        n_alone, n_classes = rows.n_unique, rows.n_classes
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
        values_per_person=groups.values_per_person,
        n_revealed=int(groups.sizes[groups.reveals_a_value].sum()) if found["share"] else 0,
        distance=Fraction(found["distance"]),
    )
