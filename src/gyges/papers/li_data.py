"""Adult and the four tables that [Li2009, Sect. V] makes of it.

Seven columns [Li2009, Table IV], the 30,162 people of the training part. The paper names no
hierarchies but says that occupation's has height 2; the others are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gyges.adversaries.vulnerable import Exposure
    from gyges.criteria.base import Criterion
    from gyges.data.table import Table
    from gyges.release.partition import Partition

SIX = ("age", "workclass", "education", "marital-status", "race", "sex")
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
TABLES = ("distinct l-diversity", "probabilistic l-diversity", "t-closeness", "(B,t)-privacy")


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
def adult(n_rows: int | None = None) -> Table:
    """The paper's table, or the first of its rows: Adult is in no order."""
    import pyarrow.compute as pc

    import gyges as gy
    from gyges.papers.adult import hierarchies, people

    rows = people()
    rows = rows.filter(pc.equal(rows.column("split"), "train")).select([*SIX, "occupation"])
    trees = hierarchies([*SIX[1:], "occupation"]) | {"education": gy.Hierarchy.from_tree(EDUCATION)}
    schema = gy.Schema(quasi_identifiers=list(SIX), sensitive="occupation", hierarchies=trees)
    return gy.read(rows if n_rows is None else rows.slice(0, n_rows), schema)


def rules(table: str, chosen: Parameters) -> list[Criterion[Any]]:
    """What one of the four tables has to satisfy: k-anonymity and its own rule."""
    import gyges as gy

    own: dict[str, Criterion[Any]] = {
        "distinct l-diversity": gy.DistinctDiversity(chosen.l),
        "probabilistic l-diversity": gy.ProbabilisticDiversity(chosen.l),
        "t-closeness": gy.TCloseness(chosen.t, ground="hierarchy"),
        "(B,t)-privacy": gy.Beliefs(chosen.b, chosen.t),
    }
    return [gy.KAnonymity(chosen.k), own[table]]


@cache
def anonymized(table: str, chosen: Parameters, n_rows: int | None = None) -> Partition:
    """Mondrian under the rules of one of the four tables."""
    from gyges.search import partition

    return partition.search(adult(n_rows).cells, rules(table, chosen))


@cache
def exposure(table: str, chosen: Parameters, bandwidth: str, n_rows: int | None = None) -> Exposure:
    """What an attacker of this bandwidth learns from one of the four tables."""
    from gyges.adversaries.vulnerable import vulnerable

    people = adult(n_rows)
    groups = anonymized(table, chosen, n_rows).group_of_row(people)
    return vulnerable(people, groups, bandwidth, chosen.t)
