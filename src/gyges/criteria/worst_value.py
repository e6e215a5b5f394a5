"""The summary that most local criteria share: the worst value seen, and whether a group broke.

A worst value alone cannot always be compared exactly with the threshold (an entropy is no
fraction), so the exact decision is made group by group and carried along.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Worst:
    """The worst value of a batch of groups, and whether any group of it fails."""

    value: Fraction | float
    broken: bool

    def or_larger(self, other: Worst) -> Worst:
        """Of two batches, where larger is worse."""
        return Worst(max(self.value, other.value), self.broken or other.broken)

    def or_smaller(self, other: Worst) -> Worst:
        """Of two batches, where smaller is worse."""
        return Worst(min(self.value, other.value), self.broken or other.broken)
