"""Attackers who know how the value depends on the other columns [Li2009, Sect. V.A]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gyges.adversaries.belief_exposure import Case, belief_exposure, belief_text
from gyges.arrays import IntArray
from gyges.auditing.finding import Audited, AuditKnowledge, Finding, listed, people_text
from gyges.criteria.belief import Beliefs
from gyges.criteria.describe import from_data, is_known
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.exact import counted, decimal_text, exact_text
from gyges.release.release import Release

TOPIC = (
    "Attackers who know how the value depends on the other columns (the smaller the bandwidth, the "
    "more they know)"
)
BANDWIDTHS = ("0.1", "0.2", "0.3", "0.4", "0.5")  # b' of [Li2009]
T = "0.2"  # a person counts as exposed where the attacker learns more


@dataclass(frozen=True, slots=True)
class BeliefRisk:
    """What an attacker of one bandwidth learns."""

    bandwidth: str
    t: str
    n_exposed: int
    n_people: int
    worst: Case | None
    n_estimated: int  # groups whose posteriors are not exact
    n_exposed_by_estimate: int  # exposed people in such groups
    n_in_estimated: int  # all published people of such groups
    error: float  # about how far a belief there may be off


class PriorBeliefs:
    """Knows how the sensitive value depends on the quasi-identifiers, up to a bandwidth."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """About how many people they learn more than t; needs the original table."""
        table, group_of_row = knowledge.original, knowledge.group_of_row
        if not isinstance(release, Release) or table is None or group_of_row is None:
            return []
        risks = belief_risks(table, group_of_row, _claimed(release))
        columns = listed(table.schema.quasi_identifiers) if risks else ""
        found = [_finding(risk, columns) for risk in risks]
        return [replace(found[0], measures={"beliefs": risks}), *found[1:]] if found else []


def _claimed(release: Release) -> list[Beliefs]:
    """The rules about beliefs that a release claims, with all their parameters."""
    rules = [from_data(claim.rule) for claim in release.claims if is_known(claim.rule)]
    return [rule for rule in rules if isinstance(rule, Beliefs)]


def _finding(risk: BeliefRisk, columns: str) -> Finding:
    exposed = people_text(risk.n_exposed, risk.n_people) if risk.n_exposed else "nobody"
    said = (
        f"An attacker who knows how the value depends on {columns} (bandwidth {risk.bandwidth}) "
        f"would learn more than the limit of {risk.t} about {exposed}"
    )
    certain = risk.n_exposed - risk.n_exposed_by_estimate
    interval = None
    if risk.n_estimated:
        interval = (float(certain), float(certain + risk.n_in_estimated))
        said += (
            f". This is an estimate: in {counted(risk.n_estimated, 'group')}, with "
            f"{risk.n_exposed_by_estimate:,} of these people, beliefs may be off by about "
            f"{risk.error:.1g}, so the number lies between {certain:,} and {int(interval[1]):,}"
        )
    return Finding(
        "prior beliefs",
        f"{said}.",
        number=risk.n_exposed,
        interval=interval,
        witness=None if risk.worst is None else BeliefChange(risk.worst),
        topic=TOPIC,
    )


@dataclass(frozen=True, slots=True)
class BeliefChange:
    """What an attacker learns about one person, in a sentence that names nobody."""

    case: Case

    def __str__(self) -> str:
        return (
            f"For someone in group {self.case.group + 1}, the attacker's belief in "
            f"{text_of(self.case.value)} goes from {belief_text(self.case.prior)} to "
            f"{belief_text(self.case.posterior)} (distance between the two "
            f"beliefs: {decimal_text(self.case.gain)}; 0 means no change)."
        )


def belief_risks(
    table: Table, group_of_row: IntArray, claimed: Sequence[Beliefs] = ()
) -> list[BeliefRisk]:
    """Ask attackers of several bandwidths; `group_of_row` is negative for suppressed people.

    What the release claims is first, with the distances and the smoothing of the claim: how much
    counts as learned depends on them, and the given table may lack them. A claim whose distances
    neither it nor the table gives is skipped.
    """
    if table.schema.values_per_person != "one":
        return []
    if not table.schema.quasi_identifiers or not table.schema.sensitive:
        return []
    claimed = [rule for rule in claimed if not rule.why_not_judged(table.cells)]
    asked = [*claimed, *(Beliefs(bandwidth, T) for bandwidth in BANDWIDTHS)]
    return [_risk(table, group_of_row, rule, rule in claimed) for rule in asked]


def _risk(table: Table, group_of_row: IntArray, rule: Beliefs, is_claimed: bool) -> BeliefRisk:
    seen = belief_exposure(
        table,
        group_of_row,
        rule.bandwidth,
        rule.t,
        kernel=rule.kernel,
        smoothing=rule.smoothing,
        distances=rule.matrices(table.cells),
    )
    named = rule.bandwidth_in_words() + (", as the release claims it" if is_claimed else "")
    return BeliefRisk(
        named,
        exact_text(rule.t),
        seen.n_exposed,
        seen.n_people,
        seen.worst,
        seen.n_estimated,
        seen.n_exposed_by_estimate,
        seen.n_in_estimated,
        seen.error,
    )
