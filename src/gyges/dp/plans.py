"""Which views a release with noise measures, and at which price: read from what the steward asks.

Listed views share one price. A tree of pairs ("mst") has three equal steps: every column alone, the
choice, the pairs. "aim" measures every column alone, then one view after another (adaptive.py).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from gyges.arguments import items
from gyges.dp.accounting import largest_rho
from gyges.dp.adaptive import CHOICE_SHARE, MOST_VIEW_CELLS, first_price, round_price
from gyges.dp.mechanisms import Change, Guarantee, Noise, Price, noise_for
from gyges.dp.public_labels import MOST_CELLS, Universe
from gyges.errors import RuleError
from gyges.exact import whole

Views: TypeAlias = Sequence[Sequence[str]] | Literal["aim", "mst", "greedy"]
Plan: TypeAlias = list[list[str]] | Literal["aim", "mst"]


def read_views(views: Views) -> Plan:
    """Read which views are wanted: lists of columns, or how they are chosen."""
    if isinstance(views, str) and views in ("aim", "mst", "greedy"):
        return "aim" if views == "aim" else "mst"
    of = "lists of columns, such as [['age', 'sex'], ['zip']], or 'aim' or 'mst'"
    listed = [items(view, "views: a view", "columns") for view in items(views, "views", of)]
    if not listed or not all(isinstance(name, str) for view in listed for name in view):
        raise RuleError(f"views are {of}")
    if len({frozenset(view) for view in listed}) < len(listed):
        raise RuleError("two views have the same columns: give one, which also needs less noise")
    return cast("list[list[str]]", listed)


def read_workload(
    universe: Universe, given: int | Sequence[Sequence[str]]
) -> list[tuple[str, ...]]:
    """The views that should be answered well; columns in the order of the table."""
    of = "the number of columns of a question, such as 2, or lists of columns"
    if isinstance(given, int):
        size = min(whole(given, "workload", least=1, most=4), len(universe.columns))
        return list(itertools.combinations(universe.columns, size))
    listed = [items(view, "workload: a view", "columns") for view in items(given, "workload", of)]
    if not listed or not all(listed):
        raise RuleError(f"workload is {of}")
    views = [universe.check(cast("list[str]", view)) for view in listed]
    return [tuple(sorted(view, key=universe.columns.index)) for view in views]


def price_of(guarantee: Guarantee) -> Price:
    """What a guarantee allows to spend: ε where δ is 0, otherwise the ρ that means (ε, δ)."""
    if guarantee.delta == 0:
        return Price("epsilon", guarantee.epsilon)
    return Price("rho", largest_rho(guarantee.epsilon, guarantee.delta))


@dataclass(frozen=True, slots=True)
class PlannedView:
    """A view that will or may be measured: its size, and the most noise that its counts get."""

    n_cells: int
    noise: Noise


@dataclass(frozen=True, slots=True)
class Planned:
    """What can be known of a release before anything is spent.

    `measured` holds the views that are measured for certain. Of the others the data decides: a tree
    has pairs with at most the cells of `at_most`; "aim" may measure any view of `possible`.
    """

    measured: tuple[PlannedView, ...]
    at_most: tuple[PlannedView, ...] = ()
    possible: tuple[PlannedView, ...] = ()


def planned(
    universe: Universe,
    plan: Plan,
    workload: Sequence[tuple[str, ...]],
    price: Price,
    change: Change,
) -> Planned:
    """The views and their noise, from public information only."""
    columns = universe.columns
    if not isinstance(plan, str):
        noise = noise_for(price, change=change, views=len(plan))
        return Planned(_with_noise(universe, plan, noise))
    alone = [(column,) for column in columns]
    if len(columns) == 1:
        return Planned(_with_noise(universe, alone, noise_for(price, change=change)))
    if plan == "mst":
        third = price.share(1, 3)
        noise = noise_for(third, change=change, views=len(columns))
        measured = _with_noise(universe, alone, noise)
        pairs = largest_tree(universe)
        if not pairs:
            return Planned(measured)
        noise = noise_for(third, change=change, views=len(pairs))
        return Planned(measured, at_most=_with_noise(universe, pairs, noise))
    noise = noise_for(first_price(price), change=change, views=len(columns))
    measured = _with_noise(universe, alone, noise)
    first = round_price(price, len(columns))
    rest = Price(price.measure, first.amount * (1 - CHOICE_SHARE[price.measure]))
    noise = noise_for(rest, change=change)
    views = [view for view in workload if math.prod(universe.shape(view)) <= MOST_VIEW_CELLS]
    return Planned(measured, possible=_with_noise(universe, views, noise))


def _with_noise(
    universe: Universe, views: Sequence[Sequence[str]], noise: Noise
) -> tuple[PlannedView, ...]:
    return tuple(PlannedView(math.prod(universe.shape(view)), noise) for view in views)


def largest_tree(universe: Universe) -> list[tuple[str, str]]:
    """The tree of pairs with the most cells; every tree that may be chosen has as many pairs."""
    pairs = itertools.combinations(universe.columns, 2)
    cells = {pair: math.prod(universe.shape(pair)) for pair in pairs}
    tree_of = {column: column for column in universe.columns}
    found = []
    for one, other in sorted(cells, key=lambda pair: -cells[pair]):
        if cells[one, other] <= MOST_CELLS and tree_of[one] != tree_of[other]:
            found.append((one, other))
            old, new = tree_of[other], tree_of[one]
            tree_of = {column: new if tree == old else tree for column, tree in tree_of.items()}
    return found
