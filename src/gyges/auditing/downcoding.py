"""The attacker who proves finer quasi-identifiers than a release shows: downcoding [Cohen2022]."""

from __future__ import annotations

from dataclasses import replace

from gyges.adversaries.finer_values import (
    ColumnLabels,
    FinerValues,
    children_of_labels,
    finer_values,
)
from gyges.auditing.finding import Audited, AuditKnowledge, Finding, people_text
from gyges.criteria.describe import from_data, is_known
from gyges.data.stand_ins import missing_cells
from gyges.data.table import Table
from gyges.data.values import Kind
from gyges.exact import counted
from gyges.release.missing_labels import known_part
from gyges.release.release import Release
from gyges.search.methods import method_of_groups

_SUPPOSED = "This supposes that no value that may be any value is missing where the label is *."
TOPIC = "What the labels prove about exact quasi-identifiers"


class Downcoding:
    """Knows how labels are made, and that the search cuts as finely as the rules allow."""

    def findings(self, release: Audited, knowledge: AuditKnowledge) -> list[Finding]:
        """How many people's labels can be replaced by finer ones, with certainty."""
        if not isinstance(release, Release) or not release.group_form.has_true_labels:
            return []
        method = method_of_groups(release.method)
        if method is None or not method.cuts_finely or not release.roles.quasi_identifiers:
            return []  # other methods do not publish the narrowest labels
        columns = _columns(release, knowledge.original)
        sizes, k = release.groups.sizes.tolist(), _only_k(release)
        found = finer_values(columns, sizes, k)
        said = [_tight(found), *_crowded(found)]
        if release.table is None and knowledge.original is None:
            with_gaps = [replace(column, has_gaps=True) for column in columns]
            if finer_values(with_gaps, sizes, k) != found:
                return [replace(one, sentence=f"{one.sentence} {_SUPPOSED}") for one in said]
        return said


def _columns(release: Release, original: Table | None) -> list[ColumnLabels]:
    """The columns whose labels prove something: not those whose hierarchy is not known."""
    columns, table = [], original if release.table is None else release.table
    lacks = None if table is None or table.stand_ins is None else missing_cells(table.cells)
    for place, name in enumerate(release.roles.quasi_identifiers):
        is_ordered = release.roles.kinds.get(name) in (Kind.NUMBER, Kind.DATE)
        children = None
        if name in release.roles.hierarchies and not is_ordered:
            ladder = None if original is None else original.cells.domains[place].ladder
            if ladder is None:
                continue
            children = children_of_labels(ladder)
        labels = release.labels[name]
        has_gaps = any(known_part(label) is not None for label in labels)
        has_gaps = has_gaps or (lacks is not None and bool(lacks[:, place].any()))
        columns.append(ColumnLabels(name, labels, is_ordered, children, has_gaps))
    return columns


def _only_k(release: Release) -> int | None:
    """k, where the search cut as long as k people stayed on each side and for no other reason."""
    if not release.claims or (release.options or {}).get("relaxed"):
        return None
    if not all(is_known(claim.rule) for claim in release.claims):
        return None
    asked = [from_data(claim.rule).least_people for claim in release.claims]
    numbers = [k for k in asked if k is not None]
    return max(numbers) if len(numbers) == len(asked) else None


def _tight(found: FinerValues) -> Finding:
    people = counted(found.n_resolved, "person")
    known = f"; in groups with {people} the exact values of a column are all known"
    known = known if found.n_resolved else ""
    if not found.n_refined and not found.n_resolved:
        said = (
            "By themselves, the labels prove no finer value than they show. Someone who knows "
            "which values are possible (whole centimetres, say) may conclude more."
        )
        return Finding("downcoding", said, 0, topic=TOPIC, measures={"finer_values": found})
    return Finding(
        "downcoding",
        f"Every value that a set lists occurs in its group, and so do both values of a label that "
        f"covers two: for at least {people_text(found.n_refined, found.n_people)}, a row with "
        f"a finer value than the published one is certainly true (this does not say whose row it "
        f"is){known}.",
        number=found.n_refined,
        topic=TOPIC,
        measures={"finer_values": found},
    )


def _crowded(found: FinerValues) -> list[Finding]:
    if not found.crowds:
        return []
    people = sum(crowd.people for crowd in found.crowds)
    return [
        Finding(
            "downcoding",
            f"The search would have cut {counted(len(found.crowds), 'group')} of twice the "
            f"required size or more, unless their people were alike: at least "
            f"{counted(people, 'person')} share a value with others of their group in a column "
            f"whose label is wider (if the search was not relaxed).",
            number=people,
            witness=max(found.crowds, key=lambda crowd: (crowd.people, -crowd.group)),
            topic=TOPIC,
        )
    ]
