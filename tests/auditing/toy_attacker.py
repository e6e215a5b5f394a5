"""A whole attacker in one file; a line in `ATTACKERS` is all that it needs besides."""

from __future__ import annotations

from fractions import Fraction

from gyges.auditing.finding import Finding
from gyges.release.release import Release


class Guesser:
    """Guesses who owns a row, and knows nothing."""

    def findings(self, release, knowledge):
        if not isinstance(release, Release):
            return []
        n = release.n_people
        return [Finding("guesser", f"They guess right for 1 of {n} people.", Fraction(1, n))]
