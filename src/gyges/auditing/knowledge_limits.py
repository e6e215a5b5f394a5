"""Attackers who know values, other people and relatives of a target [Chen2009]: how much of it."""

from __future__ import annotations

import math
from fractions import Fraction

from gyges.adversaries.dimensions import skyline_find
from gyges.adversaries.skyline_frontier import Amounts, explain_point, kinds_of_knowledge
from gyges.auditing.finding import Audited, Finding, Knowledge, Limits, Sheet, listed, share_text
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Value
from gyges.release.groups import Groups
from gyges.release.release import Release

TOPIC = "How much an attacker may know"
MOST_VALUES = 30  # skylines are shown for at most so many values, the riskiest first
_NOT_SAFE = "not safe"


class KnowledgeLimits:
    """Knows l values about the target, k other people and m relatives."""

    def findings(self, release: Audited, knowledge: Knowledge) -> list[Finding]:
        """How much they may know and stay below the confidence, for the riskiest values."""
        if not isinstance(release, (Release, Groups)):
            return []
        groups = release if isinstance(release, Groups) else release.groups
        riskiest = _riskiest(groups)
        if not riskiest:
            return []
        sure = knowledge.confidence
        skylines = {str(value): skyline_find(groups, value, sure) for value in riskiest}
        at_risk = [value for value, points in skylines.items() if not points]
        return [
            Finding(
                "knowledge of three kinds",
                f"An attacker stays below {share_text(sure)} certainty as long as they know no "
                f"more than this of one kind, and nothing of the other two. "
                f"{_scope(len(riskiest), len(groups.values))}{_not_safe(at_risk, sure)}",
                number=len(at_risk),
                topic=TOPIC,
                details=Limits(skylines, groups.values_per_person),
                measures={"skylines": skylines, "values_per_person": groups.values_per_person},
            )
        ]


def _scope(n_shown: int, n_values: int) -> str:
    if n_shown < n_values:
        return f"The {n_shown:,} riskiest of {n_values:,} values are shown."
    return "The only value is shown." if n_values == 1 else f"All {n_values:,} values are shown."


def _not_safe(values: list[str], sure: Fraction) -> str:
    if not values:
        return ""
    which = listed(values) if len(values) <= 5 else f"{len(values):,} of these values"
    return (
        f" For {which}, the release alone already makes them at least {share_text(sure)} certain."
    )


def _riskiest(groups: Groups) -> list[Value]:
    """The values with the largest share in a group, at most MOST_VALUES of them."""
    share: dict[int, float] = {}
    sizes = groups.sizes[groups.group_of_entry]
    for code, part in zip(groups.value_codes, groups.value_counts / sizes, strict=True):
        share[int(code)] = max(share.get(int(code), 0.0), float(part))
    ranked = sorted(share, key=lambda code: -share[code])[:MOST_VALUES]
    return [groups.values[code] for code in sorted(ranked)]


def limits_sheet(limits: Limits) -> Sheet:
    """The most that an attacker may know of one kind, if they know nothing of the others."""
    rows = [
        (value, *(skyline_ends(points) if points else (_NOT_SAFE,) * 3))
        for value, points in limits.skylines.items()
    ]
    return Sheet(tuple(rows), ("value", *kinds_of_knowledge(limits.values_per_person)))


def skyline_ends(points: list[Amounts]) -> tuple[str, str, str]:
    """The largest amount of each kind of knowledge in a skyline."""
    ends = [max((point[axis] for point in points), default=-1.0) for axis in range(3)]
    l, k, m = ("no limit" if end == math.inf else f"{end:,.0f}" for end in ends)
    return l, k, m


def limits_in_words(limits: Limits) -> list[tuple[str, str]]:
    """(value, a point of its skyline as a sentence) for every value."""
    nothing: list[Amounts | None] = [None]
    return [
        (value, _explained(point, limits.values_per_person))
        for value, points in limits.skylines.items()
        for point in points or nothing
    ]


def _explained(point: Amounts | None, values_per_person: ValuesPerPerson) -> str:
    if point is None:
        return "not safe even from an attacker who knows nothing but the release"
    return explain_point(point, values_per_person)
