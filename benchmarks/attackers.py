"""Attackers of a privacy office on a million rows, each against a sort of the same rows.

Linking by distance tries 2,000 people. The three risks have a benchmark of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from benchmarks.ratio import Ratio, side_by_side
from benchmarks.three_risks import compared_tables, made_people
from gyges.adversaries.distance_linkage import linked_to_nearest
from gyges.auditing.classical import ReIdentification
from gyges.auditing.finding import Attacker, AuditKnowledge
from gyges.auditing.knowledge_gain import GainsProbability
from gyges.auditing.population import PopulationList
from gyges.auditing.published_rows import published_rows
from gyges.auditing.sample_of_population import SampleOfPopulation
from gyges.auditing.tells_apart import TellsApart
from gyges.auditing.unique_columns import KnowsFewColumns
from gyges.data.schema import Schema
from gyges.engines.read import read
from gyges.release.grouped_files import release_of_rows
from gyges.release.tables import as_text

ASKED: dict[str, tuple[Attacker, str]] = {
    "prosecutor, marketer, classical rules": (ReIdentification(), "≤ 10"),
    "population uniqueness from a tenth": (SampleOfPopulation(), "≤ 10"),
    "pointwise maximal leakage": (GainsProbability(), "≤ 10"),
    "minimal sample uniques up to four columns": (KnowsFewColumns(), "≤ 50"),
    "distinction and separation of sets of columns": (TellsApart(), "≤ 100"),
}


def rows() -> Iterator[Ratio]:
    table = made_people(1_000_000, 1)
    tables = compared_tables(table, table, table.slice(0, 1))
    codes = tables.released.codes

    def sort() -> object:
        return np.lexsort(codes.T[::-1])

    names = table.column_names
    schema = Schema(quasi_identifiers=names[:-1], sensitive=names[-1])
    release = release_of_rows(as_text(table), schema)
    knowledge = AuditKnowledge(
        rows=published_rows(release), sampling_fraction=Fraction(1, 10), is_thorough=False
    )
    for name, (attacker, goal) in ASKED.items():
        ours: Callable[[], object] = _asking(attacker, release, knowledge)
        yield side_by_side(f"{name}, a million rows, against a sort", ours, sort, goal, times=1)
    everyone = read(table, Schema(quasi_identifiers=names[:-1], dropped=names[-1:]))
    listed = replace(knowledge, population=everyone)
    of_list = _asking(PopulationList(), release, listed)
    yield side_by_side("a list of a million people, against a sort", of_list, sort, "≤ 50", times=1)
    tried = np.arange(0, len(codes), len(codes) // 2_000)
    people = tables.original.take(tried)
    yield side_by_side(
        "linking 2,000 people by distance, a million rows, against a sort",
        lambda: linked_to_nearest(tables.released, people, tried),
        sort,
        "≤ 50",
        times=1,
    )


def _asking(attacker: Attacker, release: object, knowledge: AuditKnowledge) -> Callable[[], object]:
    return lambda: attacker.findings(release, knowledge)  # type: ignore[arg-type]
