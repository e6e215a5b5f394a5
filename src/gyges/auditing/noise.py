"""Checking a noisy release from its files: the arithmetic of its promise, and its tables.

That noise was drawn, and from the right distribution, cannot be seen in numbers drawn once. What
can be: the files are those certified; every view lists every combination of public labels; and
the noise that is stated costs, by OpenDP's own map, no more than what is promised.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pyarrow as pa

from gyges.auditing.checks import Check
from gyges.dp.accounting import epsilon_of_rho
from gyges.dp.files import PublishedNoise, load_noisy
from gyges.dp.mechanisms import loss_of
from gyges.dp.noisy_marginals import COUNT
from gyges.errors import EngineError


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that was looked at; `holds` is None where files cannot tell."""

    claim: str
    stated: str
    found: str
    holds: bool | None


def check_noise(published: PublishedNoise) -> Iterator[Found]:
    """Everything that the files of a noisy release can tell."""
    for number, (columns, _, rows) in enumerate(published.views, start=1):
        yield _check_view(published, number, columns, rows)
    yield _check_people(published)
    yield from _check_price(published)
    yield Found(
        "the noise was drawn as stated",
        "yes",
        "numbers drawn once cannot tell: trust the run",
        None,
    )


def _check_view(
    published: PublishedNoise, number: int, columns: tuple[str, ...], rows: pa.Table
) -> Found:
    """A view lists each combination of its columns' public labels once, with a whole number."""
    claim = f"view {number} counts every combination of {', '.join(columns) or 'nobody'}"
    problem = "every combination, whole numbers"
    try:
        listed = Counter(zip(*(rows.column(name).to_pylist() for name in columns), strict=True))
        expected = Counter(itertools.product(*(published.columns[name] for name in columns)))
        if columns and listed != expected:
            problem = "other combinations"
        [int(text) for text in rows.column(COUNT).to_pylist()]
    except (KeyError, ValueError) as error:
        problem = f"not a table of whole counts ({type(error).__name__})"
    stated = "every combination, whole numbers"
    return Found(claim, stated, problem, problem == stated)


def _check_people(published: PublishedNoise) -> Found:
    """Made-up people show public labels only."""
    rows = published.synthetic
    foreign = [
        name
        for name in rows.column_names
        if not set(rows.column(name).unique().to_pylist()) <= set(published.columns.get(name, ()))
    ]
    found = "public labels" if not foreign else f"other labels in {foreign[0]!r}"
    return Found("the made-up people show public labels only", "public labels", found, not foreign)


def _check_price(published: PublishedNoise) -> Iterator[Found]:
    """Each step's noise costs no more than stated, and all steps no more than is promised."""
    promise = published.guarantee
    claim = f"the release is {promise}"
    try:
        covered = sorted(view for step in published.steps for view in step.views)
        if covered != list(range(len(published.views))):
            yield Found(claim, str(promise.epsilon), "a view that no step pays for", False)
            return
        if len({step.price.measure for step in published.steps}) != 1:
            yield Found(claim, str(promise.epsilon), "prices of two kinds", False)
            return
        total = sum(_cost(published, step.views, step.price.amount) for step in published.steps)
        is_pure = published.steps[0].price.measure == "epsilon"
        if not is_pure and promise.delta == 0:
            yield Found(claim, str(promise.epsilon), "a noise that needs delta", False)
            return
        found = Fraction(total) if is_pure else epsilon_of_rho(Fraction(total), promise.delta)
    except EngineError as problem:
        yield Found(claim, str(promise.epsilon), str(problem), None)
        return
    holds = found <= promise.epsilon
    yield Found(claim, f"{float(promise.epsilon):.6g}", f"{float(found):.6g}", holds)


def _cost(published: PublishedNoise, views: tuple[int, ...], stated: Fraction) -> Fraction:
    """What a step costs: the noise by its scale, a choice (which left no trace) as stated."""
    if not views:
        return stated
    noises = {published.views[view][1] for view in views}
    dearest = max(
        loss_of(noise, most_changed=published.guarantee.most_changed, views=len(views)).amount
        for noise in noises
    )
    return max(dearest, stated)


def check_noisy(directory: Path) -> list[Check]:
    """Every claim about a noisy release, recomputed from its files."""
    published = load_noisy(directory)
    return [Check(one.claim, one.stated, one.found, one.holds) for one in check_noise(published)]
