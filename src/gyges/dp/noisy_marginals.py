"""Noisy marginals: counts of chosen columns, with noise that hides any one person."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

import numpy as np

from gyges.arguments import items, shown
from gyges.arrays import IntArray, frozen
from gyges.data.table import Table, check_table
from gyges.data.values import Value
from gyges.dp.accounting import largest_rho, parameters, rho_of_epsilon
from gyges.dp.choosing import choose_pairs
from gyges.dp.mechanisms import Guarantee, Neighbours, Noise, Price, add_noise
from gyges.dp.universe import Histogram, Universe, count
from gyges.errors import RuleError
from gyges.exact import Number

if TYPE_CHECKING:
    import pyarrow as pa

COUNT, FITTED = "count", "fitted"  # the columns of a published view besides its own
SYNTHETIC = "synthetic"  # the name of the table of synthetic people; no view has it


class Payer(Protocol):
    """Who pays for a release, such as an `Account`; it may refuse before noise is drawn."""

    def pay(self, guarantee: Guarantee, note: str) -> object:
        """Spend what the guarantee costs, or raise BudgetError."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class NoisyMarginal:
    """The noisy counts of some columns: unbiased, whole, possibly negative."""

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    counts: IntArray  # one axis a column
    noise: Noise

    def __post_init__(self) -> None:
        frozen(self.counts)

    def frame(self) -> pa.Table:
        """One row per cell: the label of each column, and the noisy count."""
        return as_rows(self.columns, self.labels, self.counts)


@dataclass(frozen=True, slots=True)
class Step:
    """A part of the price: for the noise on some views, or (without views) for choosing them."""

    price: Price
    views: tuple[tuple[str, ...], ...]


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
    table: Table,
    views: Sequence[Sequence[str]] | Literal["greedy"],
    *,
    epsilon: Number,
    delta: Number = 0,
    neighbours: Neighbours = "add or remove one person",
    domains: Mapping[str, Sequence[Value]] | None = None,
    levels: Mapping[str, int] | None = None,
    payer: Payer | None = None,
    before_paying: Callable[[Universe, list[tuple[str, ...]] | None], None] | None = None,
) -> NoisyMarginals:
    """Publish noisy counts of several views of a table, (ε, δ)-differentially private together.

    With δ = 0 the noise is discrete Laplace, otherwise discrete Gaussian (accounted as
    concentrated differential privacy). First everything that could fail is checked, then `payer`
    pays, then noise is drawn.

    Args:
        views: lists of columns (an empty list counts the people), or "greedy" for a tree of
            pairs chosen within the same budget.
        neighbours: which tables must be hard to distinguish. With "change one person" the number
            of people is public.
        domains, levels: see `universe.count`.
        before_paying: may refuse the views, for example because they cannot be fitted.
    """
    if check_table(table).schema.rows_per_person == "all":
        raise RuleError(
            "noise is measured for one row per person, and how all rows of a person are described "
            "depends on the data: keep one row per person (keep_row = 'first' or 'last')"
        )
    if payer is not None and not callable(getattr(payer, "pay", None)):
        raise RuleError(f"payer is {shown(payer)}: give an account with a method `pay`")
    exact_e, exact_d = parameters(epsilon, delta)
    guarantee = Guarantee(exact_e, exact_d, neighbours)
    price = _price(guarantee)
    guarantee = Guarantee(exact_e, exact_d, neighbours, rho=_rho(price))
    listed = _listed(views)
    columns = None if listed is None else {column for view in listed for column in view}
    histogram = count(table, columns, domains, levels)
    chosen = None if listed is None else [histogram.universe.check(view) for view in listed]
    if before_paying is not None:
        before_paying(histogram.universe, chosen)
    if payer is not None:
        payer.pay(guarantee, "greedy noisy marginals" if listed is None else "noisy marginals")
    if chosen is None:
        measured, steps = _greedy(histogram, price, guarantee.most_changed)
    else:
        measured = _measure(histogram, chosen, price, guarantee.most_changed)
        steps = [_step(price, measured)]
    fixed = table.n_people if neighbours == "change one person" else None
    return NoisyMarginals(
        histogram.universe,
        tuple(measured),
        guarantee,
        fixed,
        tuple(steps),
        rows_are_people=table.rows_are_people,
    )


def unused_name(name: str, used: Collection[str]) -> str:
    """The name, or a longer one where a column or table has it already."""
    while name in used:
        name = f"{name} of people"
    return name


def as_rows(
    columns: Sequence[str], labels: Sequence[Sequence[str]], counts: np.ndarray
) -> pa.Table:
    """A dense array of counts as a table: one row per cell, the last column varies fastest."""
    import pyarrow as pa

    places = np.indices(counts.shape, dtype=np.int32).reshape(len(columns), counts.size)
    by_name = {
        name: pa.DictionaryArray.from_arrays(
            pa.array(place), pa.array(list(label), type=pa.string())
        ).dictionary_decode()
        for name, label, place in zip(columns, labels, places, strict=True)
    }
    return pa.table({**by_name, unused_name(COUNT, columns): pa.array(counts.ravel())})


def _listed(views: Sequence[Sequence[str]] | Literal["greedy"]) -> list[list[str]] | None:
    if isinstance(views, str) and views == "greedy":
        return None
    of = "lists of columns, such as [['age', 'sex'], ['zip']], or 'greedy'"
    listed = [items(view, "views: a view", "columns") for view in items(views, "views", of)]
    if not listed or not all(isinstance(name, str) for view in listed for name in view):
        raise RuleError(f"views are {of}")
    if len({frozenset(view) for view in listed}) < len(listed):
        raise RuleError("two views have the same columns: give one, which also needs less noise")
    return cast("list[list[str]]", listed)


def _price(guarantee: Guarantee) -> Price:
    if guarantee.delta == 0:
        return Price("epsilon", guarantee.epsilon)
    return Price("rho", largest_rho(guarantee.epsilon, guarantee.delta))


def _rho(price: Price) -> Fraction:
    return price.amount if price.measure == "rho" else rho_of_epsilon(price.amount)


def _measure(
    histogram: Histogram, views: Sequence[tuple[str, ...]], price: Price, most_changed: int
) -> list[NoisyMarginal]:
    """All views at once: one vector, one mechanism, one loss."""
    exact = [histogram.of(view) for view in views]
    together = np.concatenate([counts.ravel() for counts in exact])
    noisy, noise = add_noise(together, price, most_changed=most_changed, views=len(views))
    parts = np.split(noisy, np.cumsum([counts.size for counts in exact])[:-1])
    known = histogram.universe
    return [
        NoisyMarginal(
            view,
            tuple(known.labels[known.columns.index(column)] for column in view),
            part.reshape(counts.shape),
            noise,
        )
        for view, counts, part in zip(views, exact, parts, strict=True)
    ]


def _greedy(
    histogram: Histogram, price: Price, most_changed: int
) -> tuple[list[NoisyMarginal], list[Step]]:
    """Every column alone, then a tree of pairs: a third of the price for each step."""
    columns = histogram.universe.columns
    if len(columns) == 1:
        only = _measure(histogram, [(columns[0],)], price, most_changed)
        return only, [_step(price, only)]
    third = price.share(1, 3)
    alone = _measure(histogram, [(column,) for column in columns], third, most_changed)
    # A tree over n columns has n - 1 pairs, and a column alone got noise for n views.
    error = alone[0].noise.deviation * (len(columns) - 1) / len(columns)
    pairs = choose_pairs(
        histogram,
        {marginal.columns[0]: marginal.counts for marginal in alone},
        third,
        most_changed=most_changed,
        error=error,
    )
    steps = [_step(third, alone), Step(third, ())]
    if not pairs:
        return alone, steps
    together = _measure(histogram, pairs, third, most_changed)
    return alone + together, [*steps, _step(third, together)]


def _step(price: Price, measured: Sequence[NoisyMarginal]) -> Step:
    return Step(price, tuple(marginal.columns for marginal in measured))
