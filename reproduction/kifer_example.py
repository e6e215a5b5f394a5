"""[Kifer2006, Figure 1]: thirteen patients, four marginals, and what they give away together."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import gyges as gy
from reproduction.experiment import Experiment, Findings, RunOptions, Sheet, Statement

PATIENTS = (  # Figure 1(a)
    ("14850", "Measles", 33),
    ("14853", "Allergy", 26),
    ("14853", "Gout", 22),
    ("14853", "Cancer", 32),
    ("14850", "Flu", 48),
    ("14850", "Heart", 47),
    ("14850", "Flu", 46),
    ("14853", "Cancer", 53),
    ("14853", "Heart", 51),
    ("13063", "Flu", 24),
    ("13063", "Cancer", 38),
    ("13068", "Cancer", 38),
    ("13068", "Heart", 30),
)
AGES = {  # the intervals of Figure 1, one inside the other
    "<40": {
        "21-30": {"21-25": ["22", "24"], "26-30": ["26", "30"]},
        "31-40": {"31-35": ["32", "33"], "36-40": ["38"]},
    },
    ">40": {
        "41-50": {"46-50": ["46", "47", "48"]},
        "51-60": {"51-55": ["51", "53"]},
    },
}
VIEWS: dict[str, dict[str, int]] = {
    "b": {"zip": 1, "age": 3, "condition": 0},
    "c": {"age": 1},
    "d": {"zip": 0, "condition": 0},
    "e": {"zip": 0, "age": 2},
}


def worked_example(options: RunOptions) -> Findings:
    """Figure 1: the patients, four anonymized marginals, and the join that gives one away."""
    table = _patients()
    base = gy.Marginals.of(table, [VIEWS["b"]])
    measles = _share_of_measles(table)
    statements = [
        _counted(table, "c", {"age": "46-50"}, "23%", "have age between 46 and 50"),
        _counted(table, "d", {"zip": "14853"}, "38.5%", "are in zip code 14853"),
        _counted(
            table,
            "b",
            {"zip": "1306*", "condition": "Cancer"},
            "15.4%",
            "are in zip code 1306*, have cancer, and have age at most 40",
        ),
        Statement(
            "the table in Figure 1(b) is 4-anonymous",
            base.k_link(4).safe and not base.k_link(5).safe,
            "every group has at least 4 people, one has 4",
            "Sect. 2.1",
        ),
        Statement(
            "the (2, 3)-diverse table in Figure 1(b)",
            base.maxent_diversity(c="2", l=3).safe,
            "it holds with equality at c = 2 (the definition here allows it)",
            "Sect. 1",
        ),
        Statement(
            "the attacker can join Figures 1(b) and 1(d) to deduce that the person has measles",
            measles == 1,
            f"from both the maximum entropy distribution gives measles the share {measles} in "
            "14850 below 40",
            "Sect. 1",
        ),
        Statement(
            "Clearly we cannot publish them all",
            not gy.Marginals.of(table, list(VIEWS.values())).maxent_diversity(c="2", l=3).safe,
            "all four together are not (2, 3)-diverse",
            "Sect. 1",
        ),
    ]
    return Findings(statements, sheets=[_sheet(table, name) for name in "bcde"])


def _patients() -> gy.Table:
    zips = {"1485*": ["14850", "14853"], "1306*": ["13063", "13068"]}
    schema = gy.Schema(
        quasi_identifiers=["zip", "age"],
        sensitive="condition",
        hierarchies={
            "zip": gy.Hierarchy.from_tree(zips),
            "age": gy.Hierarchy.from_tree(AGES),
        },
    )
    zip_code, condition, age = (list(column) for column in zip(*PATIENTS, strict=True))
    return gy.read({"zip": zip_code, "condition": condition, "age": age}, schema)


def _counts(table: gy.Table, name: str) -> dict[str, list[Any]]:
    return dict(gy.Marginals.of(table, [VIEWS[name]]).views[0].frame())


def _counted(table: gy.Table, name: str, where: dict[str, str], says: str, of: str) -> Statement:
    frame = _counts(table, name)
    rows = range(len(frame["count"]))
    n = sum(
        int(frame["count"][i])
        for i in rows
        if all(str(frame[column][i]) == label for column, label in where.items())
    )
    share = Fraction(n, len(PATIENTS))
    digits = len(says.partition(".")[2].rstrip("%"))
    return Statement(
        f"{says} of the tuples {of}",
        f"{100 * float(share):.{digits}f}%" == says,
        f"{share} = {100 * float(share):.1f}%",
        f"Sect. 3.2, Figure 1({name})",
    )


def _share_of_measles(table: gy.Table) -> float:
    joined = gy.Marginals.of(table, [VIEWS["b"], VIEWS["d"]])
    conditions = sorted({condition for _, condition, _ in PATIENTS})
    rows: list[dict[str, str | int]] = [
        {"zip": "14850", "age": 33, "condition": condition} for condition in conditions
    ]
    chances = [float(chance) for chance in joined.maxent(rows)]
    return chances[conditions.index("Measles")] / sum(chances)


def _sheet(table: gy.Table, name: str) -> Sheet:
    frame = _counts(table, name)
    rows = list(zip(*(map(str, column) for column in frame.values()), strict=True))
    return Sheet(f"Figure 1({name})", list(frame), rows)


EXPERIMENTS = (
    Experiment(
        "kifer-1",
        "Kifer2006",
        "Figure 1",
        "thirteen patients and four anonymized marginals",
        "Clearly we cannot publish them all, because … the attacker can join Figures 1(b) and 1(d) "
        "to deduce that the person has measles.",
        worked_example,
    ),
)
