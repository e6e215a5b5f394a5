"""Attackers who know how values go with the rest, asked about one release [Li2009, Sect. V.A]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gyges.adversaries.vulnerable import Case, vulnerable
from gyges.arrays import IntArray
from gyges.criteria.belief import Beliefs
from gyges.data.table import Table
from gyges.errors import RuleError
from gyges.exact import decimal_text, exact_text, percent

BANDWIDTHS = ("0.1", "0.2", "0.3", "0.4", "0.5")  # b': the smaller, the more the attacker knows
T = "0.2"  # a belief that moves by more counts as exposed


@dataclass(frozen=True, slots=True)
class BeliefRisk:
    """What an attacker of one bandwidth learns."""

    bandwidth: str
    t: str
    n_exposed: int
    n_people: int
    worst: Case | None
    n_estimated: int  # groups whose posteriors are not exact
    n_exposed_by_estimate: int  # of the people exposed, those in such groups
    error: float  # about how far a belief in these may be off

    def __str__(self) -> str:
        said = (
            f"bandwidth {self.bandwidth}: they learn more than {self.t} about {self.n_exposed:,} "
            f"of {self.n_people:,} people"
        )
        if self.worst is not None:
            said += (
                f"; worst in group {self.worst.group + 1}, where their belief in "
                f"{self.worst.value} goes from {percent(self.worst.prior)} to "
                f"{percent(self.worst.posterior)} (gain {decimal_text(self.worst.gain)})"
            )
        if self.n_estimated:
            said += (
                f"; {self.n_estimated:,} groups are estimated, with {self.n_exposed_by_estimate:,} "
                f"of the people exposed (beliefs off by about {self.error:.1g}); all else is exact"
            )
        return said


def belief_risks(
    table: Table, group_of_row: IntArray, claimed: Sequence[Beliefs] = ()
) -> list[BeliefRisk]:
    """Ask attackers of several bandwidths; `group_of_row` is negative for who is not published.

    What a release claims comes first, with the distances and the smoothing that the claim states:
    how much counts as learned depends on them, and the table that is given may lack them. A claim
    whose distances neither it nor the table gives is not asked about.
    """
    if table.schema.values_per_person != "one":
        return []
    if not table.schema.quasi_identifiers or not table.schema.sensitive:
        return []
    claimed = [rule for rule in claimed if _has_distances(rule, table)]
    asked = [*claimed, *(Beliefs(bandwidth, T) for bandwidth in BANDWIDTHS)]
    return [_risk(table, group_of_row, rule, rule in claimed) for rule in asked]


def _has_distances(rule: Beliefs, table: Table) -> bool:
    try:
        rule.matrices(table.cells)
    except RuleError:
        return False
    return True


def _risk(table: Table, group_of_row: IntArray, rule: Beliefs, is_claimed: bool) -> BeliefRisk:
    seen = vulnerable(
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
        seen.error,
    )
