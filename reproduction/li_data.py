"""Adult and the four tables that [Li2009, Sect. V] makes of it.

Seven columns [Li2009, Table IV], the 30,162 people of the training part. The paper names no
hierarchies but says that occupation's has height 2; the others are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow.compute as pc

import gyges as gy
from reproduction.adult import hierarchies, people
from reproduction.arrays import FloatArray, IntArray
from reproduction.experiment import Curve, RunOptions

SIX = ("age", "workclass", "education", "marital-status", "race", "sex")
TOLERANCE = 1e-9  # of a gain or belief, in floating point
FAST = 6_000  # people for a quick look
EDUCATION = {
    "No-HS-diploma": {
        "Elementary": ["Preschool", "1st-4th", "5th-6th"],
        "Junior-high": ["7th-8th", "9th"],
        "Senior-high": ["10th", "11th", "12th"],
    },
    "HS-to-associate": {
        "HS-diploma": ["HS-grad"],
        "College-no-degree": ["Some-college"],
        "Associate": ["Assoc-voc", "Assoc-acdm"],
    },
    "Degree": {
        "Bachelor": ["Bachelors"],
        "Graduate": ["Masters", "Prof-school", "Doctorate"],
    },
}
OURS = "(B,t)-privacy"
TABLES = ("distinct l-diversity", "probabilistic l-diversity", "t-closeness", OURS)


@dataclass(frozen=True, slots=True)
class Parameters:
    """A row of [Li2009, Table V]."""

    name: str
    k: int
    l: int
    t: str
    b: str = "0.3"


TABLE_V = (
    Parameters("para1", 3, 3, "0.25"),
    Parameters("para2", 4, 4, "0.2"),
    Parameters("para3", 5, 5, "0.15"),
    Parameters("para4", 6, 6, "0.1"),
)


@cache
def adult(n_rows: int | None = None) -> gy.Table:
    """The paper's table, or the first of its rows: Adult is in no order."""
    return read_adult(n_rows)


def read_adult(n_rows: int | None = None) -> gy.Table:
    """The same, read anew and its rows encoded: nothing that was computed from it is kept."""
    rows = people()
    rows = rows.filter(pc.equal(rows.column("split"), "train")).select([*SIX, "occupation"])
    trees = hierarchies([*SIX[1:], "occupation"]) | {"education": gy.Hierarchy.from_tree(EDUCATION)}
    schema = gy.Schema(quasi_identifiers=list(SIX), sensitive="occupation", hierarchies=trees)
    table = gy.read(rows if n_rows is None else rows.slice(0, n_rows), schema)
    assert len(table) == len(table.value_of_row)
    return table


def n_rows_of(options: RunOptions) -> int | None:
    """How many rows of Adult a run takes; None for all."""
    return FAST if options.fast else None


def curves(x: Sequence[float], found: Mapping[str, Sequence[float]]) -> list[Curve]:
    """One curve a table."""
    return [Curve(name, x, list(numbers)) for name, numbers in found.items()]


def in_words(found: Mapping[str, Sequence[float]], form: str = ".3g") -> str:
    """The numbers of each table in a row."""
    return "; ".join(
        f"{name} {' → '.join(f'{number:{form}}' for number in numbers)}"
        for name, numbers in found.items()
    )


def rules(table: str, chosen: Parameters) -> list[Any]:
    """What one of the four tables has to satisfy: k-anonymity and its own rule."""
    own: dict[str, Any] = {
        "distinct l-diversity": gy.DistinctDiversity(chosen.l),
        "probabilistic l-diversity": gy.ProbabilisticDiversity(chosen.l),
        "t-closeness": gy.TCloseness(chosen.t, ground="hierarchy"),
        OURS: gy.Beliefs(chosen.b, chosen.t),
    }
    return [gy.KAnonymity(chosen.k), own[table]]


@cache
def anonymized(table: str, chosen: Parameters, n_rows: int | None = None) -> gy.Release:
    """Mondrian under the rules of one of the four tables."""
    return gy.publish(adult(n_rows), rules(table, chosen), seed=0)


def beliefs(
    n_rows: int | None, groups: IntArray, bandwidth: str, method: Any = "auto"
) -> tuple[FloatArray, FloatArray]:
    """What an attacker of this bandwidth believes of each row before and after the release."""
    people = adult(n_rows)
    prior = gy.prior_beliefs(people, bandwidth)
    return prior, gy.posterior_beliefs(prior, groups, people.value_of_row, method)


def gains(prior: FloatArray, after: FloatArray) -> FloatArray:
    """How much the beliefs changed, occupations being apart by their hierarchy."""
    between = gy.distance_matrix(
        adult().sensitive_values, hierarchies(["occupation"])["occupation"]
    )
    return gy.belief_gain(prior, after, distances=between)


@cache
def n_exposed(table: str, chosen: Parameters, bandwidth: str, n_rows: int | None = None) -> int:
    """Of how many people an attacker of this bandwidth learns more than t."""
    groups = anonymized(table, chosen, n_rows).group_of_row
    learned = gains(*beliefs(n_rows, groups, bandwidth))
    return int((learned > float(chosen.t) + TOLERANCE).sum())
