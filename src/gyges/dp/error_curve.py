"""How far noise moves the counts of a release, for each ε: known before anything is spent.

The noise depends on public things only: the labels, the views, ε, δ, and which tables are
neighbours. No row is looked at. Two numbers describe it: how far a count is from the true one, with
a probability of 95 %; and the share of people whom the noise moves to another cell,
Σ E|noise| / (2n), on average over the views.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from gyges.arguments import instance, items, shown
from gyges.data.people_words import as_counted
from gyges.data.rows_of_people import RowsOfPeople
from gyges.data.schema import Schema
from gyges.data.table import Table
from gyges.data.values import Value
from gyges.dp.accounting import epsilon_of_rho, parameters
from gyges.dp.mechanisms import LEAST_EPSILON, MOST_EPSILON, Guarantee, Neighbours, Price
from gyges.dp.plans import Plan, Planned, Views, planned, price_of, read_views, read_workload
from gyges.dp.public_columns import public_columns
from gyges.dp.public_labels import Universe
from gyges.errors import RuleError
from gyges.exact import Number, counted, fraction, percent, whole
from gyges.notebook import NotebookCard, Part, Rows

USUAL = ("0.01", "0.03", "0.1", "0.3", "1", "3", "10")
SURE = Fraction(95, 100)  # the probability with which a count is as near as stated
_DIGITS = 3  # of an epsilon that is found
_HALVINGS = 60
_LOWEST, _HIGHEST = 1e-20, 1e15  # prices between which an error is searched


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """How far the noise of one ε moves counts."""

    epsilon: Fraction
    deviation: float  # standard deviation of a count's noise, in the noisiest view
    reach: int  # how far a count is from the true one, with a probability of at least 95 %
    share: float | None  # of the people, moved to another cell; None without their number


@dataclass(frozen=True, slots=True)
class WantedError:
    """The largest error that is acceptable: as a share of the people, or as a number of them."""

    amount: Fraction
    is_share: bool

    def is_met(self, error: ExpectedError) -> bool:
        """Whether an error is not larger."""
        if self.is_share:
            return error.share is not None and error.share <= self.amount
        return error.reach <= self.amount

    def __str__(self) -> str:
        if self.is_share:
            share = f"{float(100 * self.amount):g} %"
            return f"noise moves at most {share} of the people to another cell, on average"
        number = counted(math.floor(self.amount), "person")
        return f"a count is within {number} of the true one with a probability of at least 95 %"


def read_error(given: Number) -> WantedError:
    """Read an error: "5%" is a share of the people, 20 a number of them.

    >>> str(read_error("5%"))
    'noise moves at most 5 % of the people to another cell, on average'
    """
    text = given.strip() if isinstance(given, str) else ""
    is_share = text.endswith("%")
    amount = fraction(text.removesuffix("%").strip() if is_share else given, "error")
    if amount <= 0 or (is_share and amount >= 100):
        raise RuleError(
            f"error is {shown(given)}: give a share of the people, such as '5%', or a number of "
            f"people above 0, such as 20"
        )
    return WantedError(amount / 100 if is_share else amount, is_share)


@dataclass(frozen=True, eq=False, repr=False)
class ErrorCurve(NotebookCard):
    """The error of a planned release against ε, from public information only."""

    universe: Universe
    plan: Plan
    workload: tuple[tuple[str, ...], ...]
    guarantee: Guarantee  # its delta, neighbours and rows; its epsilon does not matter
    people: int | None
    points: tuple[ExpectedError, ...] = ()

    def at(self, epsilon: Number) -> ExpectedError:
        """The error at one ε."""
        exact, _ = parameters(epsilon, 0)
        return self._error(exact, price_of(self._with(exact)))

    def epsilon_for(self, error: Number) -> Fraction:
        """The least ε, rounded up to three digits, whose error is not larger."""
        wanted = read_error(error)
        if wanted.is_share and self.people is None:
            raise RuleError(
                "an error in percent is a share of the people, and how many there are is protected "
                "too: state about how many there are from public knowledge (people = 30000 in "
                "[dp], or --people), or give the error as a number of people, such as 20"
            )
        low, high = math.log(_LOWEST), math.log(_HIGHEST)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if wanted.is_met(self._error(Fraction(1), self._price(math.exp(middle)))):
                high = middle
            else:
                low = middle
        price = self._price(math.exp(high))
        epsilon = _rounded_up(max(self._epsilon_of(price), LEAST_EPSILON))
        while epsilon <= MOST_EPSILON:
            if wanted.is_met(self.at(epsilon)):
                return epsilon
            epsilon = _rounded_up(epsilon * Fraction(1001, 1000))
        raise RuleError(f"no epsilon up to {MOST_EPSILON:,} has this error: allow a larger one")

    def found(self, epsilon: Fraction, error: Number) -> str:
        """What was found for an error, in a sentence."""
        wanted = self.meaning_of(error)
        return f"epsilon = {float(epsilon):g} was found for a stated error: {wanted}."

    def meaning_of(self, error: Number) -> str:
        """What an error says of people, or of rows where several of a person are counted."""
        return as_counted(str(read_error(error)), self.guarantee.rows > 1)

    def _with(self, epsilon: Fraction) -> Guarantee:
        known = self.guarantee
        return Guarantee(epsilon, known.delta, known.neighbours, rows=known.rows)

    def _price(self, amount: float) -> Price:
        return Price("rho" if self.guarantee.delta else "epsilon", Fraction(amount))

    def _epsilon_of(self, price: Price) -> Fraction:
        if price.measure == "epsilon":
            return price.amount
        return epsilon_of_rho(price.amount, self.guarantee.delta)

    def _error(self, epsilon: Fraction, price: Price) -> ExpectedError:
        found = planned(self.universe, self.plan, self.workload, price, self.guarantee.change)
        views = [*found.measured, *found.at_most, *found.possible]
        return ExpectedError(
            epsilon,
            max(view.noise.deviation for view in views),
            max(view.noise.reach(float(1 - SURE)) for view in views),
            self._share(found),
        )

    def _share(self, found: Planned) -> float | None:
        """The mean over the views that are published, or that questions are about."""
        if self.people is None:
            return None
        views = found.possible or (*found.measured, *found.at_most)
        moved = [view.n_cells * view.noise.mean_absolute / (2 * self.people) for view in views]
        return sum(moved) / len(moved)

    @property
    def about(self) -> str:
        """What the numbers are about, and what cannot be known beforehand."""
        said = [
            "This is the noise alone, computed from public information. A count is within the "
            "reach with a probability of at least 95 %."
        ]
        if self.people is not None:
            said.append(
                f"Of {counted(self.people, self._unit)}, the noise is expected to move this share "
                f"to another cell, on average over the views."
            )
        return " ".join([*said, *self.unknown])

    @property
    def unknown(self) -> list[str]:
        """What the noise does not include, because the data decides which views are measured."""
        if self.plan == "aim":
            return [
                '"aim" chooses which views it measures: the noise is that of a view of the '
                "workload in the first round, and later ones have no more. What is lost in views "
                "that are not measured depends on the data and is not known beforehand."
            ]
        if self.plan == "mst":
            return [
                '"mst" chooses a tree of pairs: the share is an upper limit for every tree. What '
                "is lost in pairs that are not measured depends on the data and is not known "
                "beforehand."
            ]
        return []

    @property
    def _unit(self) -> str:
        return "row" if self.guarantee.rows > 1 else "person"

    def rows(self) -> list[tuple[str, ...]]:
        """The table: ε, standard deviation, reach and share, as text."""
        shares = [] if self.people is None else [self._share_text]
        return [
            (
                f"{float(one.epsilon):g}",
                f"{one.deviation:,.3g}",
                f"{one.reach:,}",
                *(text(one) for text in shares),
            )
            for one in self.points
        ]

    @staticmethod
    def _share_text(one: ExpectedError) -> str:
        assert one.share is not None  # the number of people is known
        return percent(one.share) if one.share < 1 else "more than all"

    @property
    def heads(self) -> tuple[str, ...]:
        """The headings of the table."""
        unit = "rows" if self._unit == "row" else "people"
        share = () if self.people is None else (f"{unit} moved",)
        return ("epsilon", "standard deviation", "reach (95 %)", *share)

    def __str__(self) -> str:
        rows = [self.heads, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
            for row in rows
        ]
        return "\n".join([*lines, self.about])

    def _card_title(self) -> str:
        return "Error of a release with noise"

    def _card_parts(self) -> Sequence[Part]:
        return [Rows(self.rows(), self.heads), self.about]


def error_curve(
    schema: Schema | Table | RowsOfPeople,
    *,
    delta: Number = 0,
    views: Views = "aim",
    neighbours: Neighbours = "add or remove one person",
    domains: Mapping[str, Sequence[Value]] | None = None,
    levels: Mapping[str, int] | None = None,
    workload: int | Sequence[Sequence[str]] = 2,
    people: int | None = None,
    rows_per_person: int = 1,
    epsilons: Sequence[Number] = USUAL,
) -> ErrorCurve:
    """How large the error of a release with noise will be, for each ε; nothing is spent.

    `print` it for a table; `.epsilon_for("5%")` finds the ε that an error needs. A table gives its
    schema only: none of its rows is used.

    Args:
        people: about how many people there are (rows, where several of a person are counted), from
            public knowledge. It is needed for shares.
        rows_per_person: how many rows of a person are counted at most.
        epsilons: those that the table lists.

    The other arguments are those of `gy.publish(table, method="dp")`.
    """
    known = schema.schema if isinstance(schema, (Table, RowsOfPeople)) else schema
    instance(known, Schema, "schema", "give a gy.Schema or a table", RuleError)
    exact_d = parameters(1, delta)[1]
    plan = read_views(views)
    columns = None if isinstance(plan, str) else {column for view in plan for column in view}
    universe = public_columns(known, columns, domains, levels).universe
    if not isinstance(plan, str):
        plan = [list(universe.check(view)) for view in plan]
    curve = ErrorCurve(
        universe,
        plan,
        tuple(read_workload(universe, workload)) if plan == "aim" else (),
        Guarantee(Fraction(1), exact_d, neighbours, rows=rows_per_person),
        None if people is None else whole(people, "people", least=1),
    )
    listed = items(epsilons, "epsilons", "numbers, such as ['0.1', '1']")
    points = tuple(curve.at(epsilon) for epsilon in listed)  # type: ignore[arg-type]
    return ErrorCurve(universe, plan, curve.workload, curve.guarantee, curve.people, points=points)


def _rounded_up(number: Fraction) -> Fraction:
    """The number rounded up to a few significant digits."""
    up = Context(prec=_DIGITS, rounding=ROUND_CEILING)
    return Fraction(up.divide(Decimal(number.numerator), Decimal(number.denominator)))
