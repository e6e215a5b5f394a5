"""The attacker who knows how the groups were chosen: the minimality attack [Wong2007].

They hold the release and know everyone's quasi-identifiers, the rules (the certificate states them)
and the search. They exclude the worlds in which the search would have published other groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from gyges.adversaries.chosen_release import ChoicePosterior, NotEnumerated, choice_posteriors
from gyges.arrays import distinct_pairs
from gyges.auditing.effort import is_too_long, too_long
from gyges.auditing.finding import Audited, AuditKnowledge, Finding, people_text, share_text
from gyges.auditing.original_places import OriginalPlaces
from gyges.auditing.placed_original import differing_groups
from gyges.auditing.rerun_worlds import TOO_MANY_RUNS, rerun_posteriors
from gyges.criteria.base import Rule
from gyges.criteria.describe import from_data, is_known
from gyges.criteria.rules import is_about_values, reads_sizes_only
from gyges.data.values import Value, text_of
from gyges.exact import largest_ratio
from gyges.release.groups import FROM_0
from gyges.release.groups_of_cells import PlacedCells, everybody, groups_of_cells
from gyges.release.release import Release
from gyges.search.blind_search import READ_VALUES
from gyges.search.methods import method_of_groups
from gyges.search.recorded_cuts import part_test, recorded_choice, why_not_recorded

TOPIC = "What the choice of the groups reveals"
NOTHING = "reveals nothing about anyone's value beyond what the groups show"
BLIND = f"The search reads no sensitive value, so how the groups were chosen {NOTHING}."
DEALT = (
    f"People were dealt into buckets at random, whatever their quasi-identifiers, so how the "
    f"buckets were chosen {NOTHING}."
)
SIMULATED = (
    f"Every decision of the search can be repeated from the release and the quasi-identifiers, so "
    f"how the groups were chosen {NOTHING}."
)
_SECONDS_PER_CELL = 2e-4  # of repeating the search and judging each cut that it proposed


@dataclass(frozen=True, slots=True)
class ChoiceCase:
    """The person about whom an attacker who knows the search is most certain."""

    group: int = field(metadata=FROM_0)
    value: Value
    before: Fraction  # by the group alone
    after: Fraction  # by the group and how it was chosen

    def __str__(self) -> str:
        return (
            f"For someone in group {self.group + 1}, the probability of {text_of(self.value)} goes "
            f"from {share_text(self.before)} to {share_text(self.after)}."
        )


@dataclass(frozen=True, slots=True)
class ChoiceRisk:
    """What the attacker gains, over all people for whom it was computed."""

    n_people: int
    n_computed: int
    before: Fraction  # the largest share of a value in a group, over all groups
    after: Fraction  # the largest probability, over all people for whom it was computed
    n_more_certain: int  # people for whom the probability of some value is larger than its share
    n_above: int  # people for whom some probability exceeds `before`
    n_certain: int  # people whose value they know
    worst: ChoiceCase | None
    missing: tuple[NotEnumerated, ...] = ()


class MinimalityAttack:
    """Knows everyone's quasi-identifiers, the rules and the search."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """How certain they are of anyone's value; needs the original table."""
        if not isinstance(release, Release) or not len(release.groups.values):
            return []
        nothing = _nothing_to_learn(release)
        if nothing:
            return [Finding("minimality", nothing, number=0, topic=TOPIC)]
        if not release.claims or knowledge.places is None:
            return []
        seconds = len(knowledge.places.table.cells) * _SECONDS_PER_CELL
        if is_too_long(seconds, knowledge.is_thorough):
            n = release.n_people
            return [_not_computed(n, n, too_long(seconds))]
        risk = choice_risk(release, knowledge.places)
        if isinstance(risk, str):
            return [_not_computed(release.n_people, release.n_people, risk)]
        return _findings(risk)


def _nothing_to_learn(release: Release) -> str:
    """Why the choice of the groups reveals nothing; "" where it may, or where that is not known."""
    if release.options is None:  # read from files, which do not show how the search ran
        return ""
    if release.is_simulatable:
        return SIMULATED
    method = method_of_groups(release.method)
    if method is not None and method.deals_people:
        return DEALT
    rules = _rules(release)
    is_blind = rules is not None and not any(map(is_about_values, rules))
    if is_blind and release.partition is not None and release.partition.pieces is not None:
        is_blind = all(map(reads_sizes_only, rules or ()))  # else not dealt out at random
    reads_values = release.options.keys() & READ_VALUES
    return BLIND if is_blind and release.claims and not reads_values else ""


def _rules(release: Release) -> list[Rule] | None:
    """The rules that the release claims; None where one is not known."""
    if not all(is_known(claim.rule) for claim in release.claims):
        return None
    return [from_data(claim.rule) for claim in release.claims]


def choice_risk(release: Release, places: OriginalPlaces) -> ChoiceRisk | str:
    """What the attacker gains from a release of this table; or why that is not computed."""
    rules, method = _rules(release), method_of_groups(release.method)
    if rules is None or method is None:
        return "the search or one of its rules is not known"
    why = _why_not(release, places)
    if why:
        return why
    table = places.table
    groups = groups_of_cells(table.cells, places.group_of_cell, len(release.groups))
    if differing_groups(release.groups, groups).any():
        return "the given original does not have the people and values of every group"
    options = {name: one for name, one in (release.options or {}).items() if name != "progress"}
    if method.cuts_finely and options.get("choice", "finest") == "finest":
        found = _by_recorded_cuts(groups, rules, options)
        if found is not None:
            return found
    labels = [release.labels[name] for name in table.schema.quasi_identifiers]
    posteriors = rerun_posteriors(groups, labels, rules, method, options, release.form)
    return TOO_MANY_RUNS if posteriors is None else _risk(groups, posteriors, [])


def _why_not(release: Release, places: OriginalPlaces) -> str:
    if release.options is None:
        return (
            "the files do not show with which options the search ran; give the project (--project "
            "gyges.toml), or read the report of `gyges publish --inside`"
        )
    if not release.labels:
        return "the release shows no labels by which other worlds could be compared"
    if places.table.schema.values_per_person != "one":
        return "people have several sensitive values"
    if places.table.stand_ins is not None:
        return "values are missing that may be any value"
    if places.n_lost or release.n_left_out:
        return "some people are suppressed, or the labels do not tell their group"
    if release.partition is not None and release.partition.pieces is not None:
        return "people with the same quasi-identifiers are in different groups"
    if release.roles.published:
        return "columns are published unchanged beside the values"
    options = release.options or {}
    if "time_limit" in options:
        return "a search that ran until a time limit cannot be repeated"
    if "purpose" in options:
        return "what a search for a purpose would have chosen in another world is not followed"
    return ""


def _by_recorded_cuts(
    groups: PlacedCells, rules: Sequence[Rule], options: dict[str, Any]
) -> ChoiceRisk | None:
    """The risk, by the cuts that the search refuses; None where these do not decide."""
    bound = [rule.bind(everybody(groups.cells)) for rule in rules]
    other_search = options.keys() & {"effort", "purpose", "relaxed", "classes"}
    if why_not_recorded(bound) or other_search or options.get("order", "range") != "range":
        return None
    again, conditions = recorded_choice(groups.cells, bound)
    theirs, ours = distinct_pairs(again.group_of_cell, groups.group_of_cell)
    if not len(ours) == len(again) == len(groups):
        return None  # the release was made with other options
    renumbered = dict(zip(theirs.tolist(), ours.tolist(), strict=True))
    found, missing = choice_posteriors(again, conditions, part_test(bound))
    return _risk(
        groups,
        [replace(one, group=renumbered[one.group]) for one in found],
        [NotEnumerated(tuple(renumbered[g] for g in m.groups), m.why) for m in missing],
    )


def _risk(
    groups: PlacedCells, found: Sequence[ChoicePosterior], missing: Sequence[NotEnumerated]
) -> ChoiceRisk:
    """Add up what was found; in groups without a condition, shares are the probabilities."""
    before = largest_ratio(groups.most_frequent, groups.sizes) or Fraction(0)
    n_missing = sum(int(groups.sizes[g]) for one in missing for g in one.groups)
    n_more = n_above = n_certain = 0
    worst: ChoiceCase | None = None
    for one in found:
        for cell, after in zip(one.cells, one.after, strict=True):
            people = int(groups.cells.people[cell])
            gains = [a - b for a, b in zip(after, one.before, strict=True)]
            n_more += people * (max(gains) > 0)
            n_above += people * (max(after) > before)
            n_certain += people * (max(after) == 1)
            top = after.index(max(after))
            if worst is None or (after[top], gains[top]) > (
                worst.after,
                worst.after - worst.before,
            ):
                value = groups.values[one.values[top]]
                worst = ChoiceCase(one.group, value, one.before[top], after[top])
    settled = np.setdiff1d(
        np.arange(len(groups)),
        [*(one.group for one in found), *(g for one in missing for g in one.groups)],
    )
    shares = groups.take(settled)
    alone = largest_ratio(shares.most_frequent, shares.sizes) or Fraction(0)
    n_certain += int(shares.sizes[shares.reveals_a_value].sum())
    n_people = int(groups.sizes.sum())
    return ChoiceRisk(
        n_people=n_people,
        n_computed=n_people - n_missing,
        before=before,
        after=max(alone, worst.after if worst else alone),
        n_more_certain=n_more,
        n_above=n_above,
        n_certain=n_certain,
        worst=worst if worst is not None and worst.after > worst.before else None,
        missing=tuple(missing),
    )


def _findings(risk: ChoiceRisk) -> list[Finding]:
    found = []
    if risk.n_computed:
        among = "" if risk.n_computed == risk.n_people else (
            f" (computed for {people_text(risk.n_computed, risk.n_people)})"
        )  # fmt: skip
        found = [
            Finding(
                "minimality",
                f"An attacker who knows everyone's quasi-identifiers, the rules and the search is "
                f"at most {share_text(risk.after)} certain of anyone's value{among}; by the groups "
                f"alone, at most {share_text(risk.before)}.",
                number=risk.after,
                witness=risk.worst,
                topic=TOPIC,
                place="summary",
                measures={"choice": risk},
            ),
            Finding(
                "minimality",
                f"They are more certain of a value than its share in the group for "
                f"{people_text(risk.n_more_certain, risk.n_people)}, more certain than any group "
                f"allows for {risk.n_above:,}, and completely certain for {risk.n_certain:,}.",
                number=risk.n_more_certain,
                topic=TOPIC,
            ),
        ]
    if risk.missing:
        why = "; ".join(sorted({one.why for one in risk.missing}))
        found.append(_not_computed(risk.n_people - risk.n_computed, risk.n_people, why))
    return found


def _not_computed(n: int, n_people: int, why: str) -> Finding:
    return Finding(
        "minimality",
        f"Not computed: what the choice of the groups reveals about {people_text(n, n_people)}, "
        f"because {why}.",
        number=n,
        topic=TOPIC,
        is_checked=False,
    )
