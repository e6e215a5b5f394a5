"""Attackers who know how the value depends on the other columns [Li2009, Sect. V.A]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gyges.adversaries.belief_exposure import Case, belief_exposure, belief_text
from gyges.adversaries.kernel_prior import prior_steps
from gyges.auditing.effort import ShowStep, is_too_long, show_nothing, too_long
from gyges.auditing.finding import Audited, AuditKnowledge, Finding, listed, people_text
from gyges.auditing.original_places import OriginalPlaces
from gyges.criteria.belief import Beliefs
from gyges.criteria.describe import from_data, is_known
from gyges.data.cells import WithCells
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.exact import counted, decimal_text, exact_text
from gyges.release.placed_people import PlacedPeople
from gyges.release.release import Release

TOPIC = (
    "Attackers who know how the value depends on the other columns (the smaller the bandwidth, the "
    "more they know)"
)
BANDWIDTHS = ("0.1", "0.2", "0.3", "0.4", "0.5")  # b' of [Li2009]
_SECONDS_PER_BELIEF = 2e-8  # of one combination of quasi-identifiers in one value
_SECONDS_PER_STEP = 5e-10  # of adding up one number
_MOST_COUNTED = 2 * 10**8  # visits; what is left is estimated from those
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
        table, places = knowledge.original, knowledge.places_with_values
        if not isinstance(release, Release) or table is None:
            return []
        if table.stand_ins is not None:
            return [not_known_with_gaps("prior beliefs", TOPIC)]
        if places is None or not places.has_anybody:
            said = (
                "Not computed: what attackers learn who know how the value depends on the other "
                "columns, because no group is known to have the same people and values in the "
                "original."
            )
            return [Finding("prior beliefs", said, topic=TOPIC, is_checked=False)]
        asked = belief_attackers(table, _claimed(release), knowledge.prior)
        chosen, seconds = within_effort(asked, table, knowledge.is_thorough)
        risks = belief_risks(places, chosen, knowledge.tell)
        columns = listed(table.schema.quasi_identifiers) if asked else ""
        found = [_finding(risk, columns, release.n_people) for risk in risks]
        if found:
            found[0] = replace(found[0], measures={"beliefs": risks})
        return [*found, *_not_computed([one for one in asked if one not in chosen], table, seconds)]


def not_known_with_gaps(attacker: str, topic: str) -> Finding:
    """The finding where values are missing that may be any value: no prior is known."""
    said = (
        "Not computed: what attackers who know how the value depends on the other columns would "
        "learn, because values are missing there that may be any value."
    )
    return Finding(attacker, said, topic=topic, is_checked=False)


def _claimed(release: Release) -> list[Beliefs]:
    """The rules about beliefs that a release claims, with all their parameters."""
    rules = [from_data(claim.rule) for claim in release.claims if is_known(claim.rule)]
    return [rule for rule in rules if isinstance(rule, Beliefs)]


def _finding(risk: BeliefRisk, columns: str, n_published: int) -> Finding:
    """What the attacker learns about those whose group is known, and how many were not examined."""
    n_unknown = n_published - risk.n_people
    exposed = people_text(risk.n_exposed, risk.n_people) if risk.n_exposed else "nobody"
    if n_unknown > 0 and not risk.n_exposed:
        exposed = f"none of {counted(risk.n_people, 'person')}"
    certain = risk.n_exposed - risk.n_exposed_by_estimate
    interval = None
    if risk.n_estimated:
        interval = (float(certain), float(certain + risk.n_in_estimated))
        exposed = f"{certain:,} to {int(interval[1]):,} of {risk.n_people:,} people"
    said = (
        f"An attacker who knows how the value depends on {columns} (bandwidth {risk.bandwidth}) "
        f"would learn more than the limit of {risk.t} about {exposed}"
    )
    if risk.n_estimated:
        said += (
            f" (estimate: {risk.n_exposed:,}; in {counted(risk.n_estimated, 'group')} beliefs may "
            f"be off by about {risk.error:.1g})"
        )
    if n_unknown > 0:
        said += (
            f". Not checked: {counted(n_unknown, 'more person', 'more people')}, who could not be "
            f"placed in a group with certainty (the mapping that `publish` kept shows the groups)"
        )
    return Finding(
        "prior beliefs",
        f"{said}.",
        number=risk.n_exposed,
        interval=interval,
        witness=None if risk.worst is None else BeliefChange(risk.worst),
        topic=TOPIC,
        is_checked=n_unknown <= 0,
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


@dataclass(frozen=True, slots=True)
class BeliefAttacker:
    """The attacker of a rule about beliefs, and whether the release claims the rule."""

    rule: Beliefs
    is_claimed: bool

    @property
    def bandwidth(self) -> str:
        """The bandwidth in words."""
        said = self.rule.bandwidth_in_words() + ", as the release claims it" * self.is_claimed
        return said if self.rule.prior is None else f"{said}, by the prior that was given"


def belief_attackers(
    table: Table, claimed: Sequence[Beliefs] = (), prior: object = None
) -> list[BeliefAttacker]:
    """Attackers of several bandwidths, those that the release claims to withstand first.

    They have the distances and the smoothing of the claim: how much counts as learned depends on
    them, and the given table may lack them. A claim whose distances neither it nor the table gives
    is skipped.
    """
    if table.schema.values_per_person != "one":
        return []
    if not table.schema.quasi_identifiers or not table.schema.sensitive:
        return []
    known = [BeliefAttacker(rule, True) for rule in claimed if not rule.why_not_judged(table.cells)]
    given: list[Beliefs] = []
    if isinstance(prior, WithCells):
        given = [Beliefs(bandwidth, T, prior=prior) for bandwidth in BANDWIDTHS]
    elif prior is not None:
        given = [Beliefs(None, T, prior=prior).following(table)]  # type: ignore[arg-type]
    own = [Beliefs(bandwidth, T) for bandwidth in BANDWIDTHS]
    return [*known, *(BeliefAttacker(rule, False) for rule in (*given, *own))]


def belief_risks(
    places: OriginalPlaces, asked: Sequence[BeliefAttacker], tell: ShowStep = show_nothing
) -> list[BeliefRisk]:
    """What these attackers learn about the people whose group is known."""
    found = []
    for number, one in enumerate(asked):
        tell(f"asking the attackers: prior beliefs, bandwidth {one.bandwidth}", number, len(asked))
        found.append(_risk(places.people, one))
    return found


def within_effort(
    asked: Sequence[BeliefAttacker], table: Table, is_thorough: bool
) -> tuple[list[BeliefAttacker], float]:
    """Those who together do not take too long, and how many seconds the others would take.

    After the first bandwidth that takes too long, larger ones are not tried: they take longer.
    """
    chosen: list[BeliefAttacker] = []
    spent = left_out = needed = 0.0
    for one in asked:
        if one.is_claimed or not left_out:
            needed = 0.0 if is_thorough else seconds_for(one.rule, table)
        if is_too_long(spent + needed, is_thorough):
            left_out += needed
        else:
            chosen.append(one)
            spent += needed
    return chosen, left_out


def seconds_for(rule: Beliefs, table: Table) -> float:
    """About how long an attacker takes: their beliefs before the release, and what they change.

    Every combination of quasi-identifiers gets a belief in every value.
    """
    cells = table.cells
    if rule.bandwidth is None:  # the prior is given
        return len(cells) * len(cells.sensitive) * _SECONDS_PER_BELIEF
    steps, share = prior_steps(
        cells, rule.bandwidth, rule.kernel, rule.matrices(cells), most=_MOST_COUNTED
    )
    seconds = len(cells) * len(cells.sensitive) * _SECONDS_PER_BELIEF
    return seconds + steps / share * _SECONDS_PER_STEP


def _not_computed(skipped: Sequence[BeliefAttacker], table: Table, seconds: float) -> list[Finding]:
    if not skipped:
        return []
    bandwidths = listed([one.bandwidth for one in skipped])
    sizes = (
        f"{len(table.cells):,} different combinations of quasi-identifiers and "
        f"{len(table.sensitive_values):,} values"
    )
    said = (
        f"Not computed: what attackers who know how the value depends on the other columns "
        f"(bandwidth {bandwidths}) would learn, because with {sizes} {too_long(seconds)}."
    )
    return [Finding("prior beliefs", said, topic=TOPIC, is_checked=False)]


def _risk(placed: PlacedPeople, asked: BeliefAttacker) -> BeliefRisk:
    rule = asked.rule
    seen = belief_exposure(
        placed,
        rule.bandwidth,
        rule.t,
        kernel=rule.kernel,
        smoothing=rule.smoothing,
        distances=rule.matrices(placed.cells),
        prior=rule.prior_of(placed.cells),
    )
    return BeliefRisk(
        asked.bandwidth,
        exact_text(rule.t),
        seen.n_exposed,
        seen.n_people,
        seen.worst,
        seen.n_estimated,
        seen.n_exposed_by_estimate,
        seen.n_in_estimated,
        seen.error,
    )
