"""[Martin2007]: the worked example, the curve on Adult, and entropy against disclosure."""

from __future__ import annotations

from fractions import Fraction

from gyges.papers.experiment import Asked, Experiment, Findings, Sheet, Statement

MEN = ["Flu", "Flu", "Lung Cancer", "Lung Cancer", "Mumps"]
WOMEN = ["Flu", "Flu", "Breast Cancer", "Ovarian Cancer", "Heart Disease"]
NAMES = [
    ["Bob", "Charlie", "Dave", "Ed", "Frank"],
    ["Gloria", "Hannah", "Irma", "Jessica", "Karen"],
]


def worked_example(asked: Asked) -> Findings:
    """The hospital of Figures 1 to 3, and every probability that the text states of it."""
    import gyges as gy

    groups = gy.Groups.from_lists([MEN, WOMEN], members=NAMES)
    asks = [  # where, the attacker's question, what he knows, what the paper says
        ("Sect. 1", "Ed = 'Lung Cancer'", None, Fraction(2, 5)),
        ("Sect. 1", "Ed = 'Lung Cancer'", "not Ed = Mumps", Fraction(1, 2)),
        ("Sect. 1", "Ed = 'Lung Cancer'", "not Ed = Mumps and not Ed = Flu", Fraction(1)),
        ("Sect. 1", "Charlie = Flu", None, Fraction(2, 5)),
        ("Sect. 1", "Charlie = Flu", "Hannah = Flu -> Charlie = Flu", Fraction(10, 19)),
    ]
    statements = []
    for where, target, given, stated in asks:
        found = gy.probability(groups, target, given=given)
        known = f" given {given}" if given else ""
        text = f"Pr({target}{known}) = {stated}"
        statements.append(Statement(text, found == stated, f"{found}", where))
    statements += [_five_anonymous(groups), *_maximum(groups)]
    curve = gy.disclosure_curve(groups, k=3)
    rows = [(str(k), str(value), f"{float(value):.4f}") for k, value in enumerate(curve)]
    sheet = Sheet("Maximum disclosure of Figure 3", ("k", "exact", ""), rows)
    return Findings(statements, sheets=[sheet])


def _five_anonymous(groups: object) -> Statement:
    import gyges as gy

    assert isinstance(groups, gy.Groups)
    verdict = gy.judge([gy.KAnonymity(5)], groups)
    return Statement("a 5-anonymous version", verdict.safe, str(verdict.safe), "Sect. 1, Figure 2")


def _maximum(groups: object) -> list[Statement]:
    import gyges as gy

    assert isinstance(groups, gy.Groups)
    worst = gy.max_disclosure(groups, k=1)
    check = gy.probability(groups, worst.witness.target, given=worst.witness.given)
    return [
        Statement(
            "the maximum disclosure of the bucketization in Figure 3 with respect to L^1_basic "
            "turns out to be 10/19",
            worst.probability == Fraction(10, 19),
            f"{worst.probability}, {worst.witness}; the probability of that sentence, counted "
            f"over all worlds, is {check}",
            "Sect. 2.3",
            "The paper's sentence ties two buckets together and gives 10/19; an implication "
            "inside one bucket (which says that one person lacks a value) gives 2/3. Counting the "
            "worlds decides for 2/3.",
        )
    ]


EXPERIMENTS = (
    Experiment(
        "martin-1",
        "Martin2007",
        "Figures 1–3",
        "the hospital, its bucketization, and what Alice concludes",
        "This knowledge allows her to update her probability that Charlie has the flu to 10/19.",
        worked_example,
    ),
)
