"""One claim of a certificate, judged again on the groups in the published files."""

from __future__ import annotations

from gyges.auditing.checks import Check
from gyges.criteria.base import Risk, Rule
from gyges.criteria.describe import from_data, is_known, to_data
from gyges.criteria.verdict import judged
from gyges.data.people_words import as_counted
from gyges.errors import GygesError, ReleaseError
from gyges.exact import stated_risk, worst_case
from gyges.release.groups import Groups
from gyges.release.statements import Claim

_TOLERANCE = 1e-9  # between two machines' doubles; exact risks must be equal


def check_claim(claim: Claim, groups: Groups, rows_are_people: bool) -> Check:
    """Judge a claim on the groups of the published files alone."""
    rule = rule_of(claim)
    if rule is None:
        return unknown_rule(claim)
    if rule.needs != "files":
        return Check(str(rule), claim.risk, why_not(rule), None)
    return judged_again(claim, rule, groups, rows_are_people)


def rule_of(claim: Claim) -> Rule | None:
    """The rule of a claim; None if this version does not know it. A malformed rule is refused."""
    if not is_known(claim.rule):
        return None
    try:
        return from_data(claim.rule)
    except GygesError as problem:
        raise ReleaseError(f"a claim of the certificate cannot be read: {problem}") from None


def claim_needs_original(claim: Claim) -> bool:
    """Whether the published files alone cannot show that a claim is true."""
    rule = rule_of(claim)
    return rule is None or rule.needs != "files"


def unknown_rule(claim: Claim) -> Check:
    """The check of a custom rule, or of one from another version: this version cannot judge it."""
    name = str(claim.rule.get("name", ""))[:80]
    return Check(f"the rule {name!r}", "", "this version does not know the rule", None)


def why_not(rule: Rule) -> str:
    """What a rule needs that the files do not hold."""
    return f"needs the {'earlier releases' if rule.needs == 'earlier' else 'original table'}"


def judged_again(claim: Claim, rule: Rule, groups: Groups, rows_are_people: bool) -> Check:
    """Whether the rule holds on the groups, and the claim states its text and risk correctly."""
    try:
        bound = rule.bind(groups)
        verdict = judged([bound], groups)
    except GygesError as problem:
        return Check(str(rule), claim.risk, str(problem), False)
    risk = verdict.risks[str(rule)]
    if claim.text != as_counted(str(rule), rows_are_people):
        outcome = f"these words; the rule itself {'holds' if verdict.safe else 'fails'}"
        return Check(
            f"the claim is worded as its rule: {as_counted(str(rule), rows_are_people)}",
            "other words",
            f"{outcome}, {worst_case(stated_risk(risk))}",
            False,
        )
    claimed = bound.as_claimed(groups)
    if claimed is None or to_data(claimed) != to_data(rule):
        return Check(str(rule), "a rule about this release", "a rule about other values", False)
    same = agrees(risk, claim.risk)
    return Check(str(rule), claim.risk, stated_risk(risk), verdict.safe and same, is_risk=True)


def agrees(found: Risk, stated: str) -> bool:
    """Whether a recomputed risk is the stated one: exactly, or as two doubles can agree."""
    if not isinstance(found, float):
        return stated_risk(found) == stated
    try:
        return str(found) == stated or abs(found - float(stated)) <= _TOLERANCE
    except ValueError:
        return False
