"""Statistics before and after as tables that every surface shows."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from gyges.auditing.finding import Sheet
from gyges.exact import percent
from gyges.utility.before_after import BeforeAfter, DistributionChange

SPREAD = (
    "These figures compare the release with the original table and show exact statistics of the "
    "original, so they must stay inside. “After” is what a reader estimates who spreads each "
    "person evenly over the values that their labels cover."
)
MOST_ROWS = 10  # of one column's distribution


def sheets_of(compared: BeforeAfter | None) -> dict[str, Sheet]:
    """The tables by their titles; none without the original."""
    if compared is None:
        return {}
    sheets = {
        "Questions": _questions(compared),
        "Prediction": _prediction(compared),
        "Means": _means(compared),
        "Correlations": _correlations(compared),
        "Distributions": _distributions(compared),
    }
    return {title: sheet for title, sheet in sheets.items() if sheet.rows}


def _questions(compared: BeforeAfter) -> Sheet:
    rows = tuple(
        (" × ".join(one.as_counted), percent(one.error), percent(one.at_most), percent(one.largest))
        for one in compared.questions
    )
    heads = "columns", "people counted in a wrong cell", "at most, by the labels", "largest error"
    return Sheet(rows, heads)


def _prediction(compared: BeforeAfter) -> Sheet:
    one = compared.prediction
    if one is None:
        return Sheet(())
    rows = ((one.column, percent(one.before), percent(one.after), percent(one.everyone)),)
    return Sheet(rows, ("class", "wrong before", "wrong after", "wrong without any column"))


def _means(compared: BeforeAfter) -> Sheet:
    rows = tuple(
        (
            one.column,
            f"{float(one.before):,.6g}",
            f"{one.estimate:,.6g}",
            _between(one.lowest, one.highest),
        )
        for one in compared.means
    )
    return Sheet(rows, ("column", "mean before", "estimate after", "certainly between"))


def _correlations(compared: BeforeAfter) -> Sheet:
    rows = tuple(
        (" × ".join(one.columns), _number(one.before), _number(one.after))
        for one in compared.correlations
    )
    return Sheet(rows, ("columns", "correlation before", "estimate after"))


def _distributions(compared: BeforeAfter) -> Sheet:
    rows = tuple(row for one in compared.distributions for row in _of_column(one))
    return Sheet(rows, ("column", "value", "before", "after"))


def _of_column(one: DistributionChange) -> Iterator[tuple[str, ...]]:
    """The most frequent values of a column, and all others together."""
    yield one.column, "(counted under another value)", "", percent(one.distance)
    by_size = sorted(range(len(one.values)), key=lambda place: -one.before[place])
    kept = sorted(by_size[:MOST_ROWS])
    for place in kept:
        yield "", one.values[place], percent(one.before[place]), percent(one.after[place])
    rest = by_size[MOST_ROWS:]
    if rest:
        shares = (sum(shares[place] for place in rest) for shares in (one.before, one.after))
        yield "", f"{len(rest):,} more", *map(percent, shares)


def _between(lowest: Fraction, highest: Fraction) -> str:
    """An interval in six digits, rounded outwards so that it still contains the mean."""
    return f"{_rounded(lowest, ROUND_FLOOR)} to {_rounded(highest, ROUND_CEILING)}"


def _rounded(number: Fraction, rounding: str) -> str:
    exact = Context(prec=6, rounding=rounding)
    return f"{exact.divide(Decimal(number.numerator), Decimal(number.denominator)):,f}"


def _number(number: float | None) -> str:
    return "–" if number is None else f"{number:.3f}"
