"""By what factor a release makes a value more probable: pointwise maximal leakage [Saeidian2023].

One more reading of what the attackers learn who know a person's group and no other facts.
"""

from __future__ import annotations

from gyges.adversaries.leakage import maximal_leakage
from gyges.auditing.finding import Audited, AuditKnowledge, Finding, groups_of
from gyges.exact import decimal_text, readable_number

TOPIC = "How much more probable a value becomes"


class GainsProbability:
    """Expects each value as often as all people of the release have it, and learns the group."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """The largest posterior over prior of any value in any group, and its logarithm."""
        groups = groups_of(release)
        found = None if groups is None else maximal_leakage(groups)
        if found is None:
            return []
        expects = "who expects each value as often as it occurs in the whole release"
        if found.factor == 1:
            said = f"To an attacker {expects}, no group makes a value more probable."
        else:
            said = (
                f"An attacker {expects} and then learns someone's group may find a value "
                f"{readable_number(found.factor)} times as probable as before (pointwise maximal "
                f"leakage: {decimal_text(found.nats)} nats)."
            )
        return [
            Finding(
                "gains probability",
                said,
                number=found.factor,
                witness=None if found.factor == 1 else found,
                topic=TOPIC,
                measures={"leakage": found},
            )
        ]
