"""Published views: every claim of the certificate, recomputed from the tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from gyges.auditing.checks import Check
from gyges.auditing.claims import agrees, rule_of, unknown_rule
from gyges.auditing.form_of_release import Description, FormOfRelease
from gyges.auditing.notes import MINIMALITY, TRUST, about_rows
from gyges.criteria.base import Risk, Rule
from gyges.criteria.describe import to_data
from gyges.data.people_words import as_counted
from gyges.errors import GygesError, ReleaseError, RuleError
from gyges.marginals.described_columns import labels_nest
from gyges.marginals.induced import Attribute
from gyges.marginals.judging import SetRule, split_rules
from gyges.marginals.model import Marginals
from gyges.marginals.published_views import (
    PublishedMarginals,
    claim_text,
    load_marginals,
    read_stated,
    read_views,
    shown_risk,
    stated_risks,
)
from gyges.marginals.views_certificate import SCOPE, StatedViews
from gyges.release.statements import Claim
from gyges.release.strict_model import quoted


def check_views(directory: Path, stated: StatedViews) -> list[Check]:
    """Judge every claim about published views on the tables.

    The text of a claim is made from its rule: the certificate's own words are compared with it, and
    never printed.
    """
    views = replace(read_views(directory, stated), rows_are_people=stated.rows_are_people)
    people = views.n_people
    shown = f"{stated.n_people:,}"
    counted = Check(
        f"the views count {shown} people", shown, f"{people:,}", people == stated.n_people
    )
    whole = [] if views.decomposable else [_check_whole(views)]
    labels = [_check_labels(attribute) for attribute in views.attributes if attribute.height > 1]
    return [counted, *whole, *labels, *(_check_claim(views, claim) for claim in stated.claims)]


def _check_whole(views: Marginals) -> Check:
    """Check that the views can be of one table: of contradictory ones everything would hold."""
    is_one = views.is_of_a_table()
    found = {True: "yes", False: "no, they contradict each other", None: "too large to decide"}
    return Check("some table has the counts of all views", "yes", found[is_one], is_one)


def _check_labels(attribute: Attribute) -> Check:
    """Check the nesting of a column's labels, which decides what views reveal together."""
    nest = labels_nest(attribute)
    claim = (
        f"every label of {quoted(attribute.name)} lies in the coarser label that is stated for it"
    )
    found = "their text shows it" if nest else f"their text does not show it: {TRUST}"
    return Check(claim, "yes", found, True if nest else None)


def _check_claim(views: Marginals, claim: Claim) -> Check:
    """Judge a claim; one that this version cannot read or judge is neither true nor false."""
    rule = rule_of(claim)
    if not isinstance(claim.rule.get("name"), str) or _is_reworded(rule, claim):
        raise ReleaseError("a claim of the certificate does not state its rule as gyges writes it")
    if rule is None:
        return unknown_rule(claim)
    try:
        text = claim_text(rule)
    except RuleError as problem:
        return Check(str(rule), quoted(claim.risk), str(problem), None)
    if _needs_unpublished_values(views, rule):
        reason = "no view shows the sensitive column: how many values it has is not published"
        return Check(text, quoted(claim.risk), reason, None)
    try:
        verdict = views.judge(rule)
    except GygesError as problem:
        reason = f"could not be decided: {quoted(str(problem))}"
        return Check(text, quoted(claim.risk), reason, None)
    found = shown_risk(verdict.risks)
    same = claim.text == as_counted(text, views.rows_are_people) and _agree(
        verdict.risks, claim.risk
    )
    stated = claim.risk if found == claim.risk else quoted(claim.risk)
    return Check(text, stated, found, verdict.safe and same, is_risk=True)


def _is_reworded(rule: Rule | None, claim: Claim) -> bool:
    """Whether a parameter is of another type than the rule's own, such as "3" for 3."""
    written = {} if rule is None else to_data(rule)
    return any(repr(written.get(key, stated)) != repr(stated) for key, stated in claim.rule.items())


def _agree(found: Mapping[str, Risk], stated: str) -> bool:
    """Whether recomputed risks are the stated ones: exactly, or as two doubles can agree."""
    texts = stated_risks(stated)
    return len(texts) == len(found) and all(map(agrees, found.values(), texts))


def _needs_unpublished_values(views: Marginals, rule: SetRule) -> bool:
    """Whether a rule about sensitive values is claimed, but no view shows these."""
    _, diversities = split_rules(rule)
    place = len(views.attributes) - 1
    is_hidden = views.attributes[place].is_sensitive and not any(
        view.counts.resolution[place] for view in views.views
    )
    return bool(diversities) and is_hidden


def describe(release: PublishedMarginals) -> Description:
    """Describe views, and name the attackers that are not covered."""
    return Description(
        "A release of views: small tables about the same people, read together.",
        (f"Not claimed: {SCOPE}.", MINIMALITY, *about_rows(release.marginals.rows_are_people)),
    )


def _statements(stated: StatedViews) -> Iterable[str]:
    for name, is_sensitive in (("Quasi-identifiers", False), ("Sensitive column", True)):
        columns = [quoted(one.name) for one in stated.columns if one.sensitive == is_sensitive]
        yield f"{name}: {', '.join(columns) or 'none'}."
    yield from about_rows(stated.rows_are_people)


VIEWS = FormOfRelease(
    read=read_stated,
    load=load_marginals,
    check=check_views,
    describe=describe,
    statements=_statements,
)
