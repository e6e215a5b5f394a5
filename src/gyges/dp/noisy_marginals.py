"""Noisy marginals: counts of chosen columns, with noise that hides any one person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol

from gyges.arguments import shown
from gyges.data.rows_of_people import RowsOfPeople
from gyges.data.table import Table, check_table
from gyges.data.values import Value
from gyges.dp.accounting import parameters, rho_of_epsilon
from gyges.dp.adaptive import choose_adaptively
from gyges.dp.choosing import choose_pairs
from gyges.dp.measurements import SYNTHETIC, NoisyMarginal, Step, measure, unused_name
from gyges.dp.mechanisms import Change, Guarantee, Neighbours, Noise, Price
from gyges.dp.plans import Views, price_of, read_views, read_workload
from gyges.dp.public_labels import Universe
from gyges.dp.universe import Histogram, count
from gyges.errors import RuleError
from gyges.exact import Number

if TYPE_CHECKING:
    import pyarrow as pa


class Payer(Protocol):
    """Who pays for a release, such as an `Account`; it may refuse before noise is drawn."""

    def pay(self, guarantee: Guarantee, note: str) -> object:
        """Spend what the guarantee costs, or raise BudgetError."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class NoisyMarginals:
    """Noisy marginals of one table, and what they promise together."""

    universe: Universe
    marginals: tuple[NoisyMarginal, ...]
    guarantee: Guarantee
    n_people: int | None  # where it is public: when people may be changed but not added
    steps: tuple[Step, ...]
    rows_are_people: bool = True  # unless a column of the table identifies people

    def __getitem__(self, view: Sequence[str]) -> NoisyMarginal:
        for marginal in self.marginals:
            if set(marginal.columns) == set(view):
                return marginal
        raise RuleError(f"there is no marginal of {', '.join(view)}")

    @property
    def tables(self) -> dict[str, pa.Table]:
        """One table for each marginal, by name."""
        named: dict[str, pa.Table] = {}
        for marginal in self.marginals:
            name = "-".join(marginal.columns) or "total"
            named[unused_name(name, [*named, SYNTHETIC])] = marginal.frame()
        return named

    def statement(self) -> dict[str, object]:
        """What the certificate states, for JSON; fractions as text."""
        noises = [(marginal.columns, marginal.noise) for marginal in self.marginals]
        return stated_guarantee(self.guarantee, noises, self.steps, self.engine)

    @property
    def engine(self) -> str:
        """What drew the noise, with its version."""
        return f"OpenDP {version('opendp')}"

    def __str__(self) -> str:
        views = "; ".join(", ".join(m.columns) or "the number of people" for m in self.marginals)
        widest = max(m.noise.deviation for m in self.marginals)
        return (
            f"{len(self.marginals)} noisy tables ({views}), together {self.guarantee}; "
            f"the noise of a count has a standard deviation of at most {widest:.3g}"
        )


def stated_guarantee(
    promise: Guarantee,
    views: Iterable[tuple[Sequence[str], Noise]],
    steps: Iterable[Step],
    engine: str,
) -> dict[str, Any]:
    """A guarantee and its parts, as a certificate states them."""
    return {
        "epsilon": str(promise.epsilon),
        "delta": str(promise.delta),
        "rho": None if promise.rho is None else str(promise.rho),
        "neighbours": promise.neighbours,
        "rows": promise.rows,
        "engine": engine,
        "views": [
            {"columns": list(columns), "noise": noise.kind, "scale": noise.scale}
            for columns, noise in views
        ],
        "steps": [
            {
                "measure": step.price.measure,
                "amount": str(step.price.amount),
                "views": [list(view) for view in step.views],
            }
            for step in steps
        ],
    }


def noisy_marginals(
    table: Table | RowsOfPeople,
    views: Views,
    *,
    epsilon: Number,
    delta: Number = 0,
    neighbours: Neighbours = "add or remove one person",
    domains: Mapping[str, Sequence[Value]] | None = None,
    levels: Mapping[str, int] | None = None,
    impossible: Sequence[Mapping[str, object]] = (),
    workload: int | Sequence[Sequence[str]] = 2,
    payer: Payer | None = None,
    before_paying: Callable[[Universe, list[tuple[str, ...]] | None], None] | None = None,
) -> NoisyMarginals:
    """Publish noisy counts of several views of a table, (ε, δ)-differentially private together.

    With δ = 0 the noise is discrete Laplace, otherwise discrete Gaussian (accounted as
    concentrated differential privacy). First everything that could fail is checked, then `payer`
    pays, then noise is drawn.

    Args:
        views: lists of columns (an empty list counts the people); "aim": views chosen one after
            another where the fit is worst, within the same budget; "mst" (or "greedy"): a tree
            of pairs, chosen at once.
        neighbours: which tables must be hard to distinguish. With "change one person" the number
            of people is public.
        domains, levels, impossible: see `universe.count`.
        workload: what "aim" should answer well: all sets of so many columns, or lists of columns.
        before_paying: may refuse the views, for example because they cannot be fitted.
    """
    _refuse_input(table, payer)
    exact_e, exact_d = parameters(epsilon, delta)
    rows_of_one = table.most if isinstance(table, RowsOfPeople) else 1
    guarantee = Guarantee(exact_e, exact_d, neighbours, rows=rows_of_one)
    price = price_of(guarantee)
    guarantee = replace(guarantee, rho=_rho(price))
    plan = read_views(views)
    listed = None if isinstance(plan, str) else plan
    columns = None if listed is None else {column for view in listed for column in view}
    histogram = count(table, columns, domains, levels, impossible, with_coarser=plan == "aim")
    chosen = None if listed is None else [histogram.universe.check(view) for view in listed]
    answered = read_workload(histogram.universe, workload)
    if before_paying is not None:
        before_paying(histogram.universe, chosen)
    if payer is not None:
        payer.pay(guarantee, "noisy marginals" if listed is not None else f"{plan} noisy marginals")
    fixed = public_number(table, neighbours)
    if chosen is not None:
        measured = measure(histogram, chosen, price, guarantee.change)
        steps = [Step.of(price, measured)]
    elif plan == "aim" and len(histogram.universe.columns) > 1:
        measured, steps = choose_adaptively(
            histogram,
            price,
            change=guarantee.change,
            n_people=fixed,
            workload=answered,
        )
    else:
        measured, steps = _tree(histogram, price, guarantee.change)
    return NoisyMarginals(
        histogram.universe.only([one.columns for one in measured]),
        tuple(measured),
        guarantee,
        fixed,
        tuple(steps),
        rows_are_people=isinstance(table, Table) and table.rows_are_people,
    )


def public_number(table: Table | RowsOfPeople, neighbours: Neighbours) -> int | None:
    """How many are counted, where that is public: people who may be changed but not added.

    Changing a person may change how many rows they have, so a number of rows is never public.
    """
    is_public = neighbours == "change one person" and isinstance(table, Table)
    return table.n_people if is_public else None


def _refuse_input(table: Table | RowsOfPeople, payer: Payer | None) -> None:
    """Refuse a table that noise cannot protect, and what cannot pay."""
    if not isinstance(table, RowsOfPeople) and check_table(table).schema.rows_per_person == "all":
        raise RuleError(
            "noise is measured for one row per person, and how all rows of a person are described "
            "depends on the data: keep one row per person (keep_row = 'first' or 'last'), or count "
            "up to so many rows of each (gy.read_rows; rows_per_person = 3 in [dp])"
        )
    if payer is not None and not callable(getattr(payer, "pay", None)):
        raise RuleError(f"payer is {shown(payer)}: give an account with a method `pay`")


def _rho(price: Price) -> Fraction:
    return price.amount if price.measure == "rho" else rho_of_epsilon(price.amount)


def _tree(
    histogram: Histogram, price: Price, change: Change
) -> tuple[list[NoisyMarginal], list[Step]]:
    """Every column alone, then a tree of pairs: a third of the price for each step."""
    columns = histogram.universe.columns
    if len(columns) == 1:
        only = measure(histogram, [(columns[0],)], price, change)
        return only, [Step.of(price, only)]
    third = price.share(1, 3)
    alone = measure(histogram, [(column,) for column in columns], third, change)
    # A tree over n columns has n - 1 pairs, and a column alone got noise for n views.
    error = alone[0].noise.deviation * (len(columns) - 1) / len(columns)
    pairs = choose_pairs(
        histogram,
        {marginal.columns[0]: marginal.counts for marginal in alone},
        third,
        most_changed=change.total,
        error=error,
    )
    steps = [Step.of(third, alone), Step(third, ())]
    if not pairs:
        return alone, steps
    together = measure(histogram, pairs, third, change)
    return alone + together, [*steps, Step.of(third, together)]
