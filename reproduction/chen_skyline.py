"""[Chen2009, Table 1 and Sect. 8.3]: the example, and what may be known of a diverse release."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import gyges as gy
from reproduction.chen_adult import COLUMNS, Point, adult_fold, safe_release
from reproduction.experiment import Experiment, Findings, RunOptions, Statement

GROUPS = (["AIDS", "Flu", "Flu", "AIDS"], ["Flu", "Cancer", "Flu", "AIDS"])  # Table 1b
PEOPLE = (["Ann", "Bob", "Cary", "Dick"], ["Ed", "Frank", "Gary", "Tom"])
TABLE_2 = ((0, 4, 0), (1, 3, 1), (2, 1, 3), (2, 2, 2), (3, 0, 4), (3, 1, 2), (4, 0, 3))


def worked_example(options: RunOptions) -> Findings:
    """What the introduction says of Tom, and the end of the example that it promises."""
    groups = gy.Groups.from_lists(GROUPS, members=PEOPLE)
    known = ("Tom != Cancer", "Gary = Flu", "(Ann = AIDS -> Tom = AIDS)")
    statements = []
    for n, stated in enumerate((Fraction(1, 4), Fraction(1, 3), Fraction(1, 2))):
        given = " and ".join(known[:n]) or None
        found = gy.probability(groups, "Tom = AIDS", given=given)
        says = f"Pr(Tom has AIDS{f' given {given}' * bool(given)}) = {stated}"
        statements.append(Statement(says, found == stated, str(found), "Sect. 1"))
    last = gy.probability(groups, "Tom = AIDS", given=" and ".join(known))
    statements.append(
        Statement(
            "Ann is Tom's wife … We will return to this example later",
            None,
            f"with all three facts it is {last}",
            "Sect. 1",
            "The paper does not return to it.",
        )
    )
    return Findings(statements)


def skyline_of_diverse(options: RunOptions) -> Findings:
    """Table 2: how much an attacker may know of a (3, 6)-diverse release of Adult."""
    groups = safe_release(adult_fold(0, 1), {"*": [(4, 0, 0, "0.75")]}).groups
    found = [_amounts(point) for point in gy.skyline_find(groups, "Exec-managerial", "0.95")]
    shared = sorted(set(found) & set(TABLE_2))
    others = max(k for l, k, m in found if (l, m) == (0, 0))
    worst = gy.breach(groups, "Exec-managerial", k=others + 1)
    counted = gy.probability(groups, str(worst.witness.target), given=worst.witness.given)
    statements = [
        _equivalence(groups),
        Statement(
            "the resulting skyline points for sensitive value “Exec-managerial”: "
            + ", ".join(map(str, TABLE_2)),
            None,
            f"{len(shared)} of the paper's {len(TABLE_2)} points are on ours: "
            + ", ".join(map(str, found)),
            "Table 2",
            "A skyline belongs to one release, and the paper does not say which columns it used.",
        ),
        Statement(
            "if the adversary knows the sensitive values of only five individuals …, then he would "
            "be able to successfully predict a target individual … with confidence at least 95%",
            others + 1 == 5 and worst.probability >= Fraction(95, 100),
            f"{others + 1} people are enough: {float(worst.probability):.4f}",
            "Sect. 8.3",
        ),
        Statement(
            "our exploratory tool can also identify the five individuals",
            None,
            f"{worst.witness} Counted over all worlds: {counted}.",
            "Sect. 8.3",
            "The paper does not name them.",
        ),
        _maximal(groups, (2, 1, 3)),
    ]
    sizes = f"{len(groups):,} groups of {groups.sizes.mean():.1f} people on average"
    return Findings(statements, notes=[COLUMNS, sizes])


def _amounts(point: Sequence[float]) -> Point:
    l, k, m = (int(amount) if math.isfinite(amount) else 10**9 for amount in point)
    return l, k, m


def _equivalence(groups: gy.Groups) -> Statement:
    """Group by group: one is judged alone by each of the two rules, also where they just fail."""
    rules = [
        (gy.RecursiveDiversity(c, 6), gy.Skyline({"*": [(4, 0, 0, share)]}))
        for c, share in (("3", "3/4"), ("1", "1/2"), ("1/2", "1/3"))
    ]
    agree, n_safe = 0, 0
    sample = [groups.take([i]) for i in range(0, len(groups), max(1, len(groups) // 300))]
    for diverse, skyline in rules:
        verdicts = [(gy.judge(diverse, g).safe, gy.judge(skyline, g).safe) for g in sample]
        agree += sum(one == other for one, other in verdicts)
        n_safe += sum(one for one, _ in verdicts)
    total = len(rules) * len(sample)
    return Statement(
        "(c = 3, l = 6)-diversity is actually equivalent to our basic 3D privacy criterion by "
        "setting (4, 0, 0) and confidence threshold to be 75%",
        agree == total,
        f"the two rules agree on {agree} of {total} groups, for c = 3, 1 and 1/2 (c/(c + 1) as "
        f"threshold); {n_safe} are diverse",
        "Sect. 8.3",
    )


def _maximal(groups: gy.Groups, point: Point) -> Statement:
    def chance(*amounts: int) -> Fraction:
        l, k, m = amounts
        return gy.breach(groups, "Exec-managerial", l=l, k=k, m=m).probability

    l, k, m = point
    limit = Fraction(95, 100)
    more = [chance(l + 1, k, m), chance(l, k + 1, m), chance(l, k, m + 1)]
    return Statement(
        "the skyline point (2, 1, 3) … if the adversary has any knowledge more than this amount, "
        "in the worst case, he could succeed",
        chance(*point) < limit and min(more) >= limit,
        f"{float(chance(*point)):.4f} at it; {', '.join(f'{float(p):.4f}' for p in more)} beyond",
        "Sect. 8.3",
    )


EXPERIMENTS = (
    Experiment(
        "chen-1",
        "Chen2009",
        "Table 1",
        "Tom, Gary and Ann",
        "After removing the record with Cancer, the probability that Tom has AIDS becomes 1/3.",
        worked_example,
    ),
    Experiment(
        "chen-table-2",
        "Chen2009",
        "Table 2",
        "the knowledge skyline of a (3, 6)-diverse release of Adult",
        "This demonstrates that an l-diverse release candidate can be quite unsafe.",
        skyline_of_diverse,
        ("adult",),
    ),
)
