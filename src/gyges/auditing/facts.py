"""Attackers who know k facts about the people, implications or negations [Martin2007]."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from gyges.adversaries.implications import Disclosure, disclosure_curve, max_disclosure
from gyges.adversaries.witness import Language, Witness
from gyges.auditing.finding import (
    Audited,
    AuditKnowledge,
    CertaintyCurve,
    Finding,
    groups_of,
    share_text,
)
from gyges.release.groups import Groups

TOPIC = "What the worst attacker needs"
CURVE_LENGTH = 12  # how many facts the strongest attacker of a curve knows
DESCRIBED_CASES = (0, 1, 2, 3)  # numbers of facts whose worst case is described
_FORMS = {
    "implications": "if one person has this, another has that",
    "negations": "this person does not have that",
}


@dataclass(frozen=True, slots=True)
class KnowsFacts:
    """Knows who is in which group, and any k facts; the k that reveal most are found."""

    language: Language

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """How certain they are of anyone's value, by the number of facts."""
        groups = groups_of(release)
        if groups is None or not len(groups.values):
            return []
        curve = disclosure_curve(groups, k=CURVE_LENGTH, language=self.language)
        if self.language == "negations":
            return [self._curve(curve)]
        cases = _worst_cases(groups)
        explained = next((case for case in cases if _names_by_number(case.witness)), None)
        said = (self._case(case, case is explained) for case in cases)
        return [self._curve(curve, worst_cases=cases), *said]

    def _curve(self, curve: list[Fraction], **measures: object) -> Finding:
        return Finding(
            self.language,
            _needs(curve, self.language),
            number=next((k for k, share in enumerate(curve) if share == 1), None),
            topic=TOPIC,
            place="summary" if self.language == "implications" else "topic",
            details=CertaintyCurve(self.language, curve),
            measures={"curves": {self.language: curve}, **measures},
        )

    def _case(self, case: Disclosure, explains_numbers: bool) -> Finding:
        certain = (
            "can be certain of someone's value"
            if case.probability == 1
            else f"is at most {share_text(case.probability)} certain of anyone's value"
        )
        person, group = case.witness.atom.person, case.witness.group + 1
        numbers = f" People are numbered within their group: {person} is in group {group}."
        return Finding(
            self.language,
            f"An attacker who {_knowing(case.k)} {certain}.{numbers * explains_numbers}",
            number=case.probability,
            witness=case.witness,
            topic=TOPIC,
            place="topic" if case.k else "summary",
        )


def _worst_cases(groups: Groups) -> list[Disclosure]:
    """The worst case of each number of facts, until someone's value is certain."""
    cases: list[Disclosure] = []
    for k in DESCRIBED_CASES:
        cases.append(max_disclosure(groups, k=k))
        if cases[-1].probability == 1:
            break
    return cases


def _names_by_number(witness: Witness) -> bool:
    """Whether a worst case is about several people without names."""
    people = {atom.person for atom in (witness.atom, *witness.antecedents)}
    return not witness.is_named and len(people) > 1


def _needs(curve: list[Fraction], language: Language) -> str:
    certain = next((k for k, share in enumerate(curve) if share == 1), None)
    form = f"of the form “{_FORMS[language]}”"
    if certain == 0 and language == "negations":
        return f"An attacker needs no facts {form} to be certain of someone's value."
    if certain == 0:
        return "This release reveals someone's value to anyone who knows which group they are in."
    if certain is None:
        return f"Even {len(curve) - 1} facts {form} make nobody's value certain."
    facts = "one fact" if certain == 1 else f"{certain} facts"
    return f"The worst attacker needs {facts} {form} to be certain of someone's value."


def _knowing(k: int) -> str:
    if k == 0:
        return "knows who is in which group and nothing else"
    return f"also knows {'one fact' if k == 1 else f'{k} facts'} of their choice about the people"
