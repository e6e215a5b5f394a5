"""The privacy loss of a noisy release, recomputed from its steps.

There are only three plans. Views that the publisher listed are measured in one step. A tree of
pairs costs three equal parts: every column alone, the selection, and the selected pairs. Views
selected one after another cost a first step for every column alone, and then in each round a
selection and the measurement of one view, which cost fixed shares of the round. Any other list of
steps follows no plan, so a selection that is missing or made cheaper is noticed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal, TypeAlias

from gyges.auditing.checks import Check
from gyges.dp.accounting import epsilon_of_rho, rho_of_epsilon
from gyges.dp.adaptive import CHOICE_SHARE
from gyges.dp.measurements import Step
from gyges.dp.mechanisms import Noise, loss_of
from gyges.dp.public_labels import MOST_CELLS
from gyges.dp.published_noise import PublishedNoise
from gyges.errors import EngineError, GygesError
from gyges.exact import upper_text

Plan: TypeAlias = Literal["listed", "tree", "adaptive"]
_UNSPENT = Fraction(1, 1_000_000)  # the share of its price that a step may leave unspent
_ROUNDING = Fraction(1, 10**9)  # of conversions between measures of loss


def plan_of(published: PublishedNoise) -> Plan | None:
    """The plan that the steps follow; None where they follow none.

    In every plan the steps measure the views in the order in which they are listed, each once.
    """
    views = tuple(view.columns for view in published.views)
    steps, columns = published.steps, tuple(published.columns)
    if tuple(itertools.chain.from_iterable(step.views for step in steps)) != views:
        return None
    if len(steps) == 1 and len({frozenset(view) for view in views}) == len(views):
        return None if published.universe.coarser else "listed"
    alone = tuple((column,) for column in columns)
    if len(columns) < 2 or steps[0].views != alone:
        return None
    if len(steps) > 3 and _is_adaptive(published):
        return "adaptive"
    pairs = views[len(alone) :]
    expected = (alone, (), pairs) if pairs else (alone, ())
    is_tree = (
        tuple(step.views for step in steps) == expected
        and len({step.price.amount for step in steps}) == 1
        and not published.universe.coarser
        and _is_whole_tree(published, pairs)
    )
    return "tree" if is_tree else None


def _is_adaptive(published: PublishedNoise) -> bool:
    """Whether each round after the first step pays for its choice and measures one view."""
    rounds = published.steps[1:]
    return len(rounds) % 2 == 0 and all(
        not choice.views
        and len(measured.views) == 1
        and choice.price.measure == measured.price.measure
        and choice.price.amount * (1 - CHOICE_SHARE[choice.price.measure])
        == measured.price.amount * CHOICE_SHARE[choice.price.measure]
        for choice, measured in zip(rounds[::2], rounds[1::2], strict=True)
    )


def _is_whole_tree(published: PublishedNoise, pairs: tuple[tuple[str, ...], ...]) -> bool:
    """Whether pairs connect columns without a circle, until no allowed pair could be added."""
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


_PRICE = "the privacy loss of the noise is as stated"


def check_price(published: PublishedNoise) -> Iterator[Check]:
    """Check the plan, each step's noise against its price, and all prices against the promise."""
    plan = plan_of(published)
    claim = "the steps follow a known plan: views listed in advance, or selected with noise"
    yield Check(claim, "yes", "yes" if plan else "no, other steps", plan is not None)
    if plan is None:
        return
    try:
        first = 0  # of the step's views among all views
        for number, step in enumerate(published.steps, start=1):
            noises = {view.noise for view in published.views[first : first + len(step.views)]}
            yield _check_step(published, number, step, noises)
            first += len(step.views)
        yield from _check_promise(published)
    except EngineError as problem:
        yield Check(_PRICE, "yes", str(problem), None)
    except GygesError as problem:
        yield Check(_PRICE, "yes", str(problem), False)


def _check_step(published: PublishedNoise, number: int, step: Step, noises: set[Noise]) -> Check:
    """Check that the noise of a step costs its price, and hardly less.

    A selection leaves no trace in the files: its price is the plan's, which `plan_of` compared.
    """
    measure = "rho" if published.guarantee.delta else "epsilon"
    stated = _number_text(step.price.amount)
    if step.price.measure != measure or step.price.amount <= 0:
        return Check(f"step {number} states its loss in {measure}", stated, "it does not", False)
    if not step.views:
        claim = f"step {number}, a selection of views, costs the share that its plan fixes"
        return Check(claim, stated, stated, True)
    claim = f"the noise of step {number} costs {measure} = {stated}"
    if len(noises) != 1:
        return Check(claim, stated, "its views have different noise", False)
    loss = loss_of(noises.pop(), change=published.guarantee.change, views=len(step.views))
    is_paid = step.price.amount * (1 - _UNSPENT) <= loss.amount <= step.price.amount
    return Check(claim, stated, _number_text(loss.amount), loss.measure == measure and is_paid)


def _check_promise(published: PublishedNoise) -> Iterator[Check]:
    promise = published.guarantee
    total = sum((step.price.amount for step in published.steps), Fraction(0))
    found = epsilon_of_rho(total, promise.delta) if promise.delta else total
    claim = f"the release is {promise}"
    yield Check(claim, _number_text(promise.epsilon), _number_text(found), found <= promise.epsilon)
    spent = total if promise.delta else rho_of_epsilon(promise.epsilon)
    stated = promise.rho or Fraction(0)
    is_same = spent <= stated * (1 + _ROUNDING) and stated <= _most_rho(published, spent)
    claim = f"its loss in concentrated differential privacy is rho = {_number_text(stated)}"
    yield Check(claim, _number_text(stated), _number_text(spent), is_same)


def _most_rho(published: PublishedNoise, spent: Fraction) -> Fraction:
    """Without any pair to select, a third of the budget remains unspent."""
    unspent = Fraction(3, 2) if len(published.steps) == 2 else 1
    return spent * unspent * (1 + _ROUNDING)


def _number_text(number: Fraction) -> str:
    return upper_text(number if number < 10**300 else math.inf, 6)
