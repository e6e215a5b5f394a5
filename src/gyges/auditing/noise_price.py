"""What a noisy release costs, made again from its steps.

Only two plans exist. Views that somebody listed are measured in one step. Views that were chosen
cost three equal parts: every column alone, the choice, and the pairs that were chosen, which form
a tree. A step that is missing, added, free or of another kind is no plan of ours.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal, TypeAlias

from gyges.auditing.checks import Check
from gyges.dp.accounting import epsilon_of_rho, rho_of_epsilon
from gyges.dp.mechanisms import loss_of
from gyges.dp.noisy_marginals import Step
from gyges.dp.published_noise import PublishedNoise
from gyges.dp.universe import MOST_CELLS
from gyges.errors import EngineError, GygesError

Plan: TypeAlias = Literal["listed", "chosen"]
_NEARLY = Fraction(1, 1_000_000)  # how much of a price a mechanism may leave unspent
_ROUNDING = Fraction(1, 10**9)  # of conversions between kinds of loss


def plan_of(published: PublishedNoise) -> Plan | None:
    """Which plan the steps follow; None where they follow neither."""
    views = tuple(view.columns for view in published.views)
    steps, columns = published.steps, tuple(published.columns)
    if len(steps) == 1 and steps[0].views == views:
        return "listed"
    alone = tuple((column,) for column in columns)
    pairs = views[len(alone) :]
    expected = (alone, (), pairs) if pairs else (alone, ())
    is_chosen = (
        len(columns) > 1
        and views[: len(alone)] == alone
        and tuple(step.views for step in steps) == expected
        and len({step.price.amount for step in steps}) == 1
        and _is_whole_tree(published, pairs)
    )
    return "chosen" if is_chosen else None


def _is_whole_tree(published: PublishedNoise, pairs: tuple[tuple[str, ...], ...]) -> bool:
    """Whether pairs join columns that were not joined before, until no pair could be added."""
    columns = list(published.columns)
    tree_of = {column: column for column in columns}
    for pair in pairs:
        if len(pair) != 2 or columns.index(pair[0]) > columns.index(pair[1]):
            return False
        one, other = tree_of[pair[0]], tree_of[pair[1]]
        if one == other:
            return False
        tree_of = {column: one if tree == other else tree for column, tree in tree_of.items()}
    return not any(
        tree_of[one] != tree_of[other]
        and len(published.columns[one]) * len(published.columns[other]) <= MOST_CELLS
        for one, other in itertools.combinations(columns, 2)
    )


def check_price(published: PublishedNoise) -> Iterator[Check]:
    """The plan, each step's noise against its price, and all prices against the promise."""
    plan = plan_of(published)
    claim = "the steps are those of a release whose views were listed, or chosen with noise"
    yield Check(claim, "yes", "yes" if plan else "other steps", plan is not None)
    if plan is None:
        return
    try:
        for number, step in enumerate(published.steps, start=1):
            yield _check_step(published, number, step)
        yield from _check_promise(published)
    except EngineError as problem:
        yield Check("the noise costs what is stated", "yes", str(problem), None)
    except GygesError as problem:
        yield Check("the noise costs what is stated", "yes", str(problem), False)


def _check_step(published: PublishedNoise, number: int, step: Step) -> Check:
    """The noise of a step costs its price and hardly less; a choice leaves no trace but its price.

    So the price of a choice is the one that the plan gives it, which `plan_of` has compared.
    """
    measure = "rho" if published.guarantee.delta else "epsilon"
    stated = _shown(step.price.amount)
    if step.price.measure != measure or step.price.amount <= 0:
        return Check(f"step {number} is paid for in {measure}", stated, "it is not", False)
    if not step.views:
        claim = f"step {number}, the choice of views, is paid for like the other steps"
        return Check(claim, stated, stated, True)
    noises = {view.noise for view in published.views if view.columns in step.views}
    claim = f"the noise of step {number} costs {measure} = {stated}"
    if len(noises) != 1:
        return Check(claim, stated, "its views have different noise", False)
    loss = loss_of(
        noises.pop(), most_changed=published.guarantee.most_changed, views=len(step.views)
    )
    is_paid = step.price.amount * (1 - _NEARLY) <= loss.amount <= step.price.amount
    return Check(claim, stated, _shown(loss.amount), loss.measure == measure and is_paid)


def _check_promise(published: PublishedNoise) -> Iterator[Check]:
    promise = published.guarantee
    total = sum((step.price.amount for step in published.steps), Fraction(0))
    found = epsilon_of_rho(total, promise.delta) if promise.delta else total
    claim = f"the release is {promise}"
    yield Check(claim, _shown(promise.epsilon), _shown(found), found <= promise.epsilon)
    spent = total if promise.delta else rho_of_epsilon(promise.epsilon)
    stated = promise.rho or Fraction(0)
    is_same = spent <= stated * (1 + _ROUNDING) and stated <= _most_rho(published, spent)
    claim = f"its concentrated loss is rho = {_shown(stated)}"
    yield Check(claim, _shown(stated), _shown(spent), is_same)


def _most_rho(published: PublishedNoise, spent: Fraction) -> Fraction:
    """Without any pair to choose a third is left unspent."""
    unspent = Fraction(3, 2) if len(published.steps) == 2 else 1
    return spent * unspent * (1 + _ROUNDING)


def _shown(number: Fraction) -> str:
    value = float(number) if number < 10**300 else math.inf
    return f"{value:.6g}"
