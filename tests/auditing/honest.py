"""Honest releases of every method, form, format and kind of value, with claims of every rule."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

import gyges as gy
from gyges.data.large_table import read_within
from tests.auditing.test_every_rule import ROOM_FOR_20, AtMostHalf

TREE = gy.Hierarchy.from_tree({"lung": ["flu", "cold"], "other": ["gout", "mumps"]})
MATRIX = [[0, 1, 0.5, 1], [1, 0, 1, 0.25], [0.5, 1, 0, 1], [1, 0.25, 1, 0]]
DISEASES = ("flu", "gout", "mumps", "cold")
NUMBERS = (10, 20, 30.5, 400)
DAYS = tuple(date(2024, 1, 1) + timedelta(days=40 * i) for i in range(4))
HOSTILE = ("=1+1", "a, b", 'say "x"', "{c}|[d]")

OF_ONE_VALUE = [
    gy.KAnonymity(3),
    gy.DistinctDiversity(2),
    gy.EntropyDiversity("5/4"),
    gy.RecursiveDiversity("9", 2),
    gy.RecursiveDiversity("8", 1, strict=False),
    gy.ProbabilisticDiversity("10/9"),
    gy.TCloseness("9/10"),
    gy.TCloseness("1", ground="ordered"),
    gy.BetaLikeness("20"),
    gy.Safety("99/100", k=0),
    gy.Safety("99/100", k=0, language="negations"),
]
SKYLINE = gy.Skyline({"flu": [(0, 1, 0, "1"), (0, 0, 1, "1")], "*": [(0, 0, 0, "99/100")]})
BY_VALUE = gy.ValueSafety(
    {"flu": ("99/100", 0), "chest": (1, 0), "*": ("99/100", 0)}, {"chest": ["flu", "cold"]}
)
BY_TREES = [gy.TCloseness("1", ground=one) for one in (TREE, "hierarchy", MATRIX)]
BY_WIDTHS = gy.TCloseness("1", ground=gy.Hierarchy.intervals(20, 100))
BY_MONTHS = gy.TCloseness("1", ground=gy.Hierarchy.calendar("month", "year"))
OF_SHARES = [
    gy.KAnonymity(5),
    gy.BetaLikeness(2),
    gy.BetaLikeness(2, enhanced=True),
    gy.DeltaDisclosure(2),
]
PARTS = [
    gy.About(gy.DistinctDiversity(2), similar={"chest": ["flu", "cold"]}),
    gy.About(gy.ProbabilisticDiversity("10/9"), harmless=["gout"]),
    gy.About(gy.Safety("99/100", k=0), similar={"chest": ["flu", "cold"], "other": ["gout"]}),
]
OF_COLUMNS = [
    gy.KAnonymity(3),
    gy.DistinctDiversity(2),
    gy.About(gy.KAnonymity(1), knowing=["income"]),
    gy.About(gy.BetaLikeness("20"), "income"),
    gy.About(gy.DistinctDiversity(1), "disease", knowing=["income"], harmless=["flu"]),
]
IN_BUCKETS = [gy.KAnonymity(2), gy.ProbabilisticDiversity(2), gy.DistinctDiversity(2)]
OF_SEVERAL_VALUES = [
    gy.KAnonymity(3),
    gy.ProbabilisticDiversity(1),
    gy.Skyline({"flu": [(math.inf, 0, 0, "1"), (0, 0, 1, "1")], "*": [(0, 0, 0, "1")]}),
    gy.Safety(1, k=0),
    gy.ValueSafety({"flu": (1, 1)}),
]
NOT_IN_THE_FILES = [gy.Beliefs("0.5", "0.9"), gy.HouseholdAnonymity(2), AtMostHalf()]


@dataclass(frozen=True)
class Way:
    """A table, the rules that are asked of it, and how it is published."""

    rules: Sequence
    options: dict = field(default_factory=dict)
    values: Sequence = DISEASES
    kind: str = "one"
    n: int = 40
    wards: Sequence = ()
    is_large: bool = False
    incomes: Sequence = ()  # of a second sensitive column
    roles: dict = field(default_factory=dict)  # further ones

    @property
    def table(self):
        rng = random.Random(1)
        times = 2 if self.kind == "multiset" else 1
        columns = {
            "age": [rng.randrange(20, 60) for _ in range(self.n)] * times,
            "town": [rng.choice(["north", "south", "east"]) for _ in range(self.n)] * times,
            "id": list(range(self.n)) * times,
            "home": [person // 2 for person in range(self.n)] * times,
            "weight": [rng.randrange(1, 900) for _ in range(self.n)] * times,
        }
        if self.values:
            columns["disease"] = [rng.choice(self.values) for _ in range(self.n * times)]
        if self.wards:
            columns["ward"] = [rng.choice(self.wards) for _ in range(self.n)]
        if self.incomes:
            columns["income"] = [rng.choice(self.incomes) for _ in range(self.n)]
        if self.is_large:
            people = gy.read(columns, self.schema)
            return read_within(people.source, people.schema, ROOM_FOR_20)
        return gy.read(columns, self.schema)

    @property
    def schema(self):
        return gy.Schema(
            identifiers=["id"],
            household="home",
            quasi_identifiers=["age", "town"],
            sensitive="disease" if self.values else None,
            also_sensitive=["income"] if self.incomes else [],
            published=["ward"] if self.wards else [],
            hierarchies={"age": gy.Hierarchy.intervals(10, 20)}
            | ({"disease": TREE} if self.values == DISEASES else {}),
            **({"values_per_person": self.kind} if self.kind != "one" else {}),
            **self.roles,
        )


ALL_OF_ONE = [*OF_ONE_VALUE, SKYLINE]
BUCKETS = {"method": "buckets"}
LATTICE = {"method": "lattice", "suppression": "0.2"}
BUCKETIZED = {"form": "bucketized"}
ALLOWED = {"allow_singling_out": True}
WAYS = {
    "partition": Way([*ALL_OF_ONE, BY_VALUE]),
    "partition by trees": Way([*OF_ONE_VALUE, *BY_TREES]),
    "partition of numbers": Way(
        [*OF_ONE_VALUE, BY_WIDTHS, gy.IntervalSafety(1, "99/100", 0)], values=NUMBERS
    ),
    "partition of days": Way([*OF_ONE_VALUE, BY_MONTHS], values=DAYS),
    "partition of hostile values": Way(OF_ONE_VALUE, values=HOSTILE),
    "partition of two values": Way(OF_SHARES, values=("yes", "no")),
    "partition, parts of values": Way([gy.KAnonymity(3), *PARTS]),
    "two columns": Way(OF_COLUMNS, incomes=(10, 20.5, 300)),
    "two columns by lattice": Way(OF_COLUMNS, LATTICE, incomes=DAYS),
    "two columns, bucketized": Way(OF_COLUMNS[:2], BUCKETIZED, incomes=HOSTILE),
    "partition, relaxed": Way(ALL_OF_ONE, {"relaxed": True}),
    "lattice of two values": Way(OF_SHARES, LATTICE, values=("yes", "no")),
    "partition, bucketized": Way(ALL_OF_ONE, BUCKETIZED),
    "partition, not in the files": Way([gy.KAnonymity(3), *NOT_IN_THE_FILES]),
    "partition, larger than memory": Way(ALL_OF_ONE, {"block": 20}, n=120, is_large=True),
    "lattice": Way(ALL_OF_ONE, LATTICE),
    "lattice, bucketized": Way([*OF_ONE_VALUE, *BY_TREES], LATTICE | BUCKETIZED),
    "buckets": Way([*IN_BUCKETS, SKYLINE], BUCKETS),
    "buckets of three": Way([gy.EntropyDiversity(3), gy.ProbabilisticDiversity(3)], BUCKETS),
    "buckets, invariant": Way([gy.MInvariance(2)], BUCKETS),
    "suppression": Way(ALL_OF_ONE, {"method": "suppression"}),
    "microaggregation": Way([gy.KAnonymity(3)], {"method": "microaggregation"}),
    "sets": Way(OF_SEVERAL_VALUES, kind="set"),
    "sets by lattice": Way(OF_SEVERAL_VALUES, LATTICE, kind="set"),
    "multisets": Way(OF_SEVERAL_VALUES, kind="multiset"),
    "without values": Way([gy.KAnonymity(3)], values=()),
    "wards": Way(OF_ONE_VALUE, wards=["I"]),
    "wards that single out": Way([*OF_ONE_VALUE, *NOT_IN_THE_FILES], ALLOWED, wards=["I", "II"]),
    "wards of sets": Way(OF_SEVERAL_VALUES, kind="set", wards=["I"]),
    "weights": Way(ALL_OF_ONE, roles={"weight": "weight", "publish_weight": True}),
    "pseudonyms": Way(ALL_OF_ONE, roles={"pseudonyms": ["id"]}),
    "pseudonyms and wards": Way(OF_ONE_VALUE, ALLOWED, wards=["I"], roles={"pseudonyms": ["id"]}),
    "pseudonyms beside buckets": Way(IN_BUCKETS, BUCKETS, roles={"pseudonyms": ["id"]}),
    "wards beside buckets": Way(IN_BUCKETS, BUCKETS | ALLOWED, n=80, wards=["I"]),
    "lattice of numbers": Way(
        [gy.KAnonymity(3), gy.IntervalSafety(5, "99/100", 1)], LATTICE, values=NUMBERS
    ),
}
REPORTED = ("partition", "partition, bucketized", "sets", "microaggregation", "lattice")
WITH_PICTURES = REPORTED[:2]  # of 5 MB each


def publish(folder):
    """Save every release, every second one as Parquet, and some again with a report."""
    made = {}
    for place, (name, way) in enumerate(WAYS.items()):
        release = gy.publish(way.table, way.rules, seed=place, **way.options)
        made[name] = release.save(folder / str(place), format=("csv", "parquet")[place % 2])
        if name in REPORTED:
            pages = gy.report_pages(release)
            if name not in WITH_PICTURES:
                del pages["report.html"]
            made[f"{name}, reported"] = release.save(folder / f"{place} reported", pages=pages)
    return made
