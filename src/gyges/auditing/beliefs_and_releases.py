"""Attackers who know how the value depends on the other columns, and hold several releases."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from gyges.adversaries.belief_distance import GAIN_TOLERANCE, belief_gain
from gyges.adversaries.joint_beliefs import joint_beliefs
from gyges.adversaries.kernel_prior import prior_beliefs
from gyges.adversaries.located_people import Located
from gyges.adversaries.people_lookup import locate
from gyges.arrays import FloatArray
from gyges.auditing.effort import is_too_long
from gyges.auditing.finding import Audited, AuditKnowledge, Finding, people_text
from gyges.auditing.other_releases import TOPIC
from gyges.auditing.prior_knowledge import T, not_known_with_gaps, seconds_for
from gyges.criteria.belief import Beliefs
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.exact import counted
from gyges.release.release import Release

_BANDWIDTH = "0.3"


class BeliefsOverReleases:
    """Believes something before the releases, and uses the counts of all of them at once."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """About how many people they learn more than t; needs the original and other releases."""
        table = knowledge.original
        if not isinstance(release, Release) or not knowledge.others or table is None:
            return []
        if table.schema.values_per_person != "one" or not table.schema.quasi_identifiers:
            return []
        if table.stand_ins is not None:
            return [not_known_with_gaps("prior beliefs and other releases", TOPIC)]
        if is_too_long(seconds_for(Beliefs(_BANDWIDTH, T), table), knowledge.is_thorough):
            return [_not_computed(len(table), 1 + len(knowledge.others))]
        together = [release, *knowledge.others]
        located = locate(together, table)
        beliefs = prior_beliefs(table, float(_BANDWIDTH))
        priors = _over_values(located, table, beliefs)
        found = joint_beliefs(located, priors)
        known = found.is_computed_for
        if not known.any():
            return [_not_computed(len(table), len(together))]
        gain = belief_gain(priors[known], found.posterior[known])
        n_exposed = int((gain > float(T) + GAIN_TOLERANCE).sum())
        said = Finding(
            "prior beliefs and other releases",
            f"An attacker who knows how the value depends on the other columns (bandwidth "
            f"{_BANDWIDTH}) and holds {counted(len(together), 'release')} would learn more than "
            f"{T} about {people_text(n_exposed, int(known.sum()))}, if everyone is in the groups "
            f"that they fit.",
            number=Fraction(n_exposed, int(known.sum())),
            topic=TOPIC,
        )
        n_left = len(table) - int(known.sum())
        return [said, *([_not_computed(n_left, len(together))] if n_left else [])]


def _over_values(located: Located, table: Table, beliefs: FloatArray) -> FloatArray:
    """The beliefs about the values of all releases; those that the table lacks have none."""
    place = {text_of(value): code for code, value in enumerate(located.values)}
    priors = np.zeros((len(beliefs), len(located.values)))
    for column, value in enumerate(table.sensitive_values):
        if text_of(value) in place:
            priors[:, place[text_of(value)]] = beliefs[:, column]
    return priors


def _not_computed(n: int, n_releases: int) -> Finding:
    return Finding(
        "prior beliefs and other releases",
        f"Not computed: what an attacker with prior beliefs (bandwidth {_BANDWIDTH}) who holds "
        f"{counted(n_releases, 'release')} would learn about {counted(n, 'person', 'people')}: too "
        f"many people are connected with them through groups, or groups hold people who were not "
        f"found in one group.",
        number=n,
        topic=TOPIC,
        is_checked=False,
    )
