"""The attacker who knows k values that people do not have: negated atoms, l-diversity's attacker.

The worst k negations are about the target and rule out the values that are most frequent after
theirs, so that the probability is n(s_0) / (n - n(s_1) - … - n(s_k)) [Martin2007, Sect. 4]. A
negation about another person of the group rules out one person at most, so no more than a negation
about the target; negations about other groups change nothing.
"""

from __future__ import annotations

from fractions import Fraction

from gyges.arrays import IntArray
from gyges.kernels.atom_costs import reach
from gyges.kernels.least_odds import least_odds
from gyges.release.groups import Groups


def curve(groups: Groups, k: int) -> tuple[list[Fraction], IntArray]:
    """The largest probability for 0, 1, …, k negations, and a group that attains each.

    Once a group's values are used up the target is certain, and stays so: the list may be shorter.
    """
    K = reach(groups.sizes, groups.starts, k)
    left, most, ids = least_odds(groups.sizes, groups.starts, groups.value_counts, K)
    shares = [
        Fraction(m, m + o) if m else Fraction(0)
        for o, m in zip(left[1:].tolist(), most[1:].tolist(), strict=True)
    ]
    return shares, ids[1:]
