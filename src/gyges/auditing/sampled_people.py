"""Survey weights and households: who is behind a row, in the population and with relatives.

Both need the original: weights and households are not published. Rows look alike by their labels
or, in a bucketized release, by their exact quasi-identifiers. A release with columns that are
published unchanged is not examined, unless they are pseudonyms or the weights of groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gyges.adversaries.household_relatives import most_certain_relative
from gyges.adversaries.individual_risk import individual_risk
from gyges.arrays import FloatArray, IntArray, distinct_pairs
from gyges.auditing.finding import Audited, AuditKnowledge, Finding
from gyges.data.encoding import encoded, places_of
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.exact import about, counted
from gyges.ragged import Ragged
from gyges.release.locating import NOWHERE
from gyges.release.refined_groups import alike
from gyges.release.release import Release
from gyges.release.tables import as_text

SURVEY, HOUSEHOLDS = "Within the population, by survey weights", "Households"
_MOST_HOUSEHOLDS = 20_000  # with different groups, up to which relatives are examined


@dataclass(frozen=True, slots=True)
class SurveyRisk:
    """Individual risks by survey weights [Benedetti1998]: estimates, not bounds."""

    n_people: int
    population: float  # the sum of the weights
    largest: float
    expected: float  # people whom an attacker who names someone for every row gets right

    @property
    def share(self) -> float:
        """The global risk: the expected share of the rows that are named rightly."""
        return self.expected / max(self.n_people, 1)


@dataclass(frozen=True, slots=True)
class HouseholdRisk:
    """Risks of households: of at least one member, 1 - Π (1 - r) over its members in the table."""

    n_households: int
    least: int  # the fewest households that share a class of rows
    largest: float
    expected: float  # households with a member whose row is picked, by one guess per person
    n_people_affected: float  # the expected number of people in these households


class SurveySample:
    """Knows that the release is a sample, and names a person of the population for each row."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """The estimated risks; needs an original with a column of weights."""
        return _findings(release, knowledge, "weight", SURVEY, "survey sample", _survey_findings)


class KnowsHouseholds:
    """Knows who lives together, and succeeds with a household by recognizing one member."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """The risks of households; needs an original with a column of households."""
        return _findings(
            release, knowledge, "household", HOUSEHOLDS, "knows households", _household_findings
        )


_Measure: TypeAlias = "Callable[[Release, Table, IntArray, IntArray], list[Finding]]"


def _findings(
    release: Audited,
    knowledge: AuditKnowledge,
    role: str,
    topic: str,
    attacker: str,
    measure: _Measure,
) -> list[Finding]:
    """What an attacker finds out who needs the original's column of this role."""
    table = knowledge.original
    if table is None or not isinstance(release, Release) or getattr(table.schema, role) is None:
        return []
    group_of_row = None
    if knowledge.places is not None:  # a person counts once
        group_of_row = np.where(table.is_first_row, knowledge.places.group_of_row, NOWHERE)
    found = _classes(release, table, group_of_row)
    if isinstance(found, str) or group_of_row is None:
        said = f"Not computed: how often a guess would be right, because {found}."
        return [Finding(attacker, said, topic=topic, is_checked=False)]
    return measure(release, table, found, group_of_row)


def _survey_findings(
    release: Release, table: Table, class_of_row: IntArray, group_of_row: IntArray
) -> list[Finding]:
    risk = survey_risk(class_of_row, table.weight_of_row)
    people = counted(round(risk.population), "person")
    return [
        Finding(
            "survey sample",
            f"By the survey weights, the rows stand for about {people} of the population. An "
            f"attacker who knows the population, but not who was sampled, and names someone "
            f"for every row would be right for about {about(risk.expected)} of {risk.n_people:,} "
            f"people (a global risk of {risk.share:.3g}), and for one row with probability "
            f"{risk.largest:.3g} at most (estimates by Benedetti and Franconi, not bounds).",
            number=risk.expected,
            topic=SURVEY,
            measures={"survey": risk},
        )
    ]


def _household_findings(
    release: Release, table: Table, class_of_row: IntArray, group_of_row: IntArray
) -> list[Finding]:
    homes = _households(table)
    risk = household_risk(class_of_row, homes)
    all_homes = counted(risk.n_households, "household")
    recognized = Finding(
        "knows households",
        f"Rows that look alike belong to people of at least "
        f"{counted(risk.least, 'household')}. An attacker who picks a row at random among "
        f"those that fit, for every person, would recognize at least one member of about "
        f"{about(risk.expected)} of {all_homes}, and of one household with probability "
        f"{risk.largest:.3g} at most, if the guesses about its members are independent. About "
        f"{about(risk.n_people_affected)} people live in a household with a recognized member.",
        number=risk.expected,
        topic=HOUSEHOLDS,
        measures={"households": risk},
    )
    return [recognized, *_about_relatives(release, homes, group_of_row)]


def _about_relatives(release: Release, homes: IntArray, group_of_row: IntArray) -> list[Finding]:
    """What relatives who share values add, where people have one value each."""
    if release.roles.sensitive is None or release.groups.values_per_person != "one":
        return []
    shown = group_of_row >= 0
    n_homes = int(homes.max(initial=-1)) + 1
    members = Ragged.group_by(homes[shown], n_homes).of(group_of_row[shown])
    households = {tuple(members[h].tolist()) for h in np.flatnonzero(members.lengths > 1).tolist()}
    if len(households) > _MOST_HOUSEHOLDS:
        why = f"Not computed what relatives add: more than {_MOST_HOUSEHOLDS:,} households differ."
        return [Finding("knows households", why, topic=HOUSEHOLDS, is_checked=False)]
    worst = most_certain_relative(release.groups, households)
    if worst is None:
        return []
    relatives = counted(worst.n_relatives, "relative")
    return [
        Finding(
            "knows households",
            f"If members of a household tend to share a value, relatives say more. An attacker who "
            f"knows that their target has {text_of(release.groups.values[worst.value])} if any of "
            f"the {relatives} in the household has it gives it a probability of "
            f"{float(worst.probability):.3g} (without relatives: {float(worst.share):.3g}).",
            number=worst.probability,
            topic=HOUSEHOLDS,
            measures={"relatives": worst},
        )
    ]


def survey_risk(class_of_row: IntArray, weights: FloatArray) -> SurveyRisk:
    """The individual risks of rows in these classes; negative is a row that is not published."""
    shown = class_of_row >= 0
    _, of_row = np.unique(class_of_row[shown], return_inverse=True)
    sample = np.bincount(of_row.ravel())
    population: FloatArray = np.bincount(of_row.ravel(), weights=weights[shown]).astype(np.float64)
    risks = individual_risk(sample, population)
    return SurveyRisk(
        n_people=int(sample.sum()),
        population=float(population.sum()),
        largest=float(risks.max(initial=0.0)),
        expected=float((risks * sample).sum()),
    )


def household_risk(class_of_row: IntArray, household_of_row: IntArray) -> HouseholdRisk:
    """The risks of the households whose members are in these classes of rows."""
    shown = class_of_row >= 0
    homes, home = np.unique(household_of_row[shown], return_inverse=True)
    classes, of_row = np.unique(class_of_row[shown], return_inverse=True)
    of_pair, _ = distinct_pairs(of_row.ravel(), home.ravel())
    risk_of_row = 1.0 / np.bincount(of_row.ravel())[of_row.ravel()]
    with np.errstate(divide="ignore"):
        survives = np.exp(np.bincount(home.ravel(), weights=np.log1p(-risk_of_row)))
    risks = 1.0 - survives
    return HouseholdRisk(
        n_households=len(homes),
        least=int(np.bincount(of_pair, minlength=len(classes)).min(initial=len(homes))),
        largest=float(risks.max(initial=0.0)),
        expected=float(risks.sum()),
        n_people_affected=float((risks * np.bincount(home.ravel())).sum()),
    )


def _classes(release: Release, table: Table, group_of_row: IntArray | None) -> IntArray | str:
    """For each row of the original, a number that rows share if they look alike; or why not."""
    shown = [name for name in release.roles.recognizable if name != table.schema.weight]
    if shown or any(_divides(release, name) for name in release.roles.recognizable):
        return "columns are published unchanged"
    if group_of_row is None or (group_of_row == -1).all():
        return "nobody was located in the release"
    n_unknown = release.n_people - int((group_of_row >= 0).sum())
    if n_unknown > 0:
        people = counted(n_unknown, "published person", "published people")
        return (
            f"the group of {people} is not known from the labels (the mapping that publish kept "
            f"tells it)"
        )
    if release.group_form.is_exact:
        return np.where(group_of_row < 0, -1, table.cell_of_row)
    labels = zip(*(release.labels[name] for name in table.schema.quasi_identifiers), strict=True)
    numbers: dict[tuple[object, ...], int] = {}
    class_of_group = np.array([numbers.setdefault(one, len(numbers)) for one in labels])
    return np.where(group_of_row < 0, -1, class_of_group[group_of_row])


def _divides(release: Release, name: str) -> bool:
    """Whether a published column tells people of one group apart, unlike weights of groups."""
    rows = next(release.tables[one] for one in ("people", "data") if one in release.tables)
    texts, roles = as_text(rows), release.roles
    shared = [n for n in (*roles.quasi_identifiers, roles.group_column) if n in texts.column_names]
    return bool(alike(texts, [*shared, name]).max(initial=0) > alike(texts, shared).max(initial=0))


def _households(table: Table) -> IntArray:
    [name] = filter(None, [table.schema.household])
    return places_of(encoded(table.fetch([name]).column(name), name)).astype(np.int64)
