"""How much an attacker may know about a target, other people and relatives [Chen2009]."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from gyges.adversaries.dimensions import skyline_find
from gyges.adversaries.skyline_frontier import Amounts, explain_point, kinds_of_knowledge
from gyges.auditing.finding import (
    Audited,
    AuditKnowledge,
    Finding,
    Limits,
    Sheet,
    groups_of,
    listed,
    share_text,
)
from gyges.data.schema import ValuesPerPerson
from gyges.data.values import Value, text_of
from gyges.release.groups import Groups

TOPIC = "How much an attacker may know"
MOST_VALUES = 30  # only the riskiest values get a skyline
_NOT_SAFE = "not safe"


class KnowledgeLimits:
    """Knows l values that the target lacks, k other people's values and m relatives."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """How much they may know while staying below the confidence, for the riskiest values."""
        groups = groups_of(release)
        riskiest = [] if groups is None else _riskiest(groups)
        if groups is None or not riskiest:
            return []
        sure = knowledge.confidence
        skylines = {text_of(value): skyline_find(groups, value, sure) for value in riskiest}
        at_risk = [value for value, points in skylines.items() if not points]
        return [
            Finding(
                "knowledge of three types",
                f"For each value and each type of background knowledge, the table gives the most "
                f"that an attacker may know, if they know nothing of the other two types, and "
                f"still be less than {share_text(sure)} certain that someone has the value. "
                f"{_scope(len(riskiest), len(groups.values))}{_not_safe(at_risk, sure)}",
                number=len(at_risk),
                topic=TOPIC,
                details=Limits(skylines, groups.values_per_person),
                measures={"skylines": skylines, "values_per_person": groups.values_per_person},
            )
        ]


def _scope(n_shown: int, n_values: int) -> str:
    if n_shown < n_values:
        largest = "those with the largest shares in a group"
        return f"{n_shown:,} of {n_values:,} values are shown, {largest}."
    return {1: "The only value is shown.", 2: "Both values are shown."}.get(
        n_values, f"All {n_values:,} values are shown."
    )


def _not_safe(values: list[str], sure: Fraction) -> str:
    if not values:
        return ""
    which = listed(values) if len(values) <= 5 else f"{len(values):,} of these values"
    return f" For {which}, the release alone makes an attacker at least {share_text(sure)} certain."


def _riskiest(groups: Groups) -> list[Value]:
    """The values with the largest share in a group, at most MOST_VALUES of them."""
    share = np.zeros(len(groups.values))
    in_group = groups.value_counts / groups.sizes[groups.group_of_entry]
    np.maximum.at(share, groups.value_codes, in_group)
    ranked = np.argsort(-share, kind="stable")[: min(MOST_VALUES, np.count_nonzero(share))]
    return [groups.values[code] for code in sorted(ranked)]


def limits_sheet(limits: Limits) -> Sheet:
    """The most that an attacker may know of each type, if they know nothing of the others."""
    rows = [
        (value, *(skyline_ends(points) if points else (_NOT_SAFE,) * 3))
        for value, points in limits.skylines.items()
    ]
    return Sheet(tuple(rows), ("value", *kinds_of_knowledge(limits.values_per_person)))


def skyline_ends(points: list[Amounts]) -> tuple[str, str, str]:
    """The largest amount of each type of knowledge in a skyline."""
    ends = [max((point[axis] for point in points), default=-1.0) for axis in range(3)]
    l, k, m = ("no limit" if end == math.inf else f"{end:,.0f}" for end in ends)
    return l, k, m


def combinations(limits: Limits) -> list[tuple[str, Amounts | None]]:
    """(value, a point of its skyline) for every value; None for a value that is not safe."""
    nothing: list[Amounts | None] = [None]
    return [
        (value, point) for value, points in limits.skylines.items() for point in points or nothing
    ]


def explained(point: Amounts | None, values_per_person: ValuesPerPerson) -> str:
    """A point of a skyline as a sentence."""
    if point is None:
        return "not safe even if the attacker knows nothing but the release"
    return explain_point(point, values_per_person)
