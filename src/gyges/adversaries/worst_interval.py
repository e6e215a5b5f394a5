"""The interval of some width that the worst k facts leave someone's number in."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gyges.adversaries.asked_values import Interval
from gyges.adversaries.policy_odds import PolicyOdds, row_of, sources_of, target_odds
from gyges.errors import GroupsError
from gyges.exact import Number
from gyges.release.groups import Groups


def worst_interval(groups: Groups, k: int, width: Number) -> tuple[list[int], Fraction, Fraction]:
    """The codes of the numbers in it, and its ends, which are numbers of the release.

    Every interval covers a run of a group's numbers, and the longest runs decide.
    """
    asked = Interval.of(groups.values, width)
    if not any(code in asked.numbers for code in groups.value_codes.tolist()):
        raise GroupsError("nobody has a number, so there is no interval to ask about: omit width")
    rows = [row_of(groups, group, k) for group in range(len(groups))]
    sources = PolicyOdds((), sources_of(groups, rows, k))

    def runs() -> Iterator[tuple[Fraction, Fraction, Fraction]]:
        for group, row in enumerate(rows):
            for run in asked.in_group(groups.value_counts_in(group)):
                odds = sources.against(target_odds(groups, group, run, k, row))
                yield odds, asked.numbers[run[0]], asked.numbers[run[-1]]

    _, low, high = min(runs())
    codes = [code for code, number in asked.numbers.items() if low <= number <= high]
    return codes, low, high
