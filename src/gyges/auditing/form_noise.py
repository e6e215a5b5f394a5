"""Noisy releases: the arithmetic of their promise and their tables, checked from the files.

That noise was drawn, and from the right distribution, cannot be seen in numbers drawn once; nor can
it be seen whether labels and views were settled before the data were looked at, and who the made-up
people are. These are listed as not checked. What can be seen is checked: the files are those
certified; every view lists every combination of the stated labels once; the fitted counts are those
of a fit; and the noise that is stated costs, by OpenDP's own map, no more than what is promised.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gyges.auditing.checks import Check
from gyges.auditing.form_of_release import Description, FormOfRelease
from gyges.auditing.noise_price import check_price, plan_of
from gyges.auditing.notes import about_rows
from gyges.dp.inference import fit
from gyges.dp.noise_certificate import StatedNoise
from gyges.dp.noisy_marginals import NoisyMarginal, NoisyMarginals
from gyges.dp.noisy_release import NoisyRelease, rounded
from gyges.dp.published_noise import (
    PublishedNoise,
    PublishedView,
    load_noise,
    read_noise,
    read_stated,
)
from gyges.dp.semantics import semantic_privacy
from gyges.dp.universe import Universe
from gyges.errors import EngineError, GygesError
from gyges.release.strict_model import quoted

_MOST = 2**53  # a noisy count is exact as a double, which is how it is fitted
_NEAR = 0.001  # of all people: how far a fitted count may be from one that is fitted again


def check_noise(directory: Path, stated: StatedNoise) -> list[Check]:
    """Everything that the files of a noisy release can tell."""
    published = read_noise(directory, stated)
    checks = [
        _check_view(published, number, view) for number, view in enumerate(published.views, start=1)
    ]
    checks += [_check_people(published), *check_price(published), _check_meaning(published)]
    if not any(check.holds is False for check in checks):
        checks.append(_check_fitted(published))
    return [*checks, *_not_checked(published)]


def _not_checked(published: PublishedNoise) -> Iterator[Check]:
    """What the promise rests on that no file can show."""
    claims = ["the noise was drawn as stated, from a source that nobody can guess"]
    if plan_of(published) == "listed":
        claims.append("the views were settled without looking at the data")
    claims.append("the labels of every column were settled without looking at the data")
    claims.append("the made-up people were drawn from the fitted counts")
    for claim in claims:
        yield Check(claim, "yes", "no file can show it: trust the publisher", None)


def _check_view(published: PublishedNoise, number: int, view: PublishedView) -> Check:
    """A view lists each combination of its columns' labels once, in order, with a whole number."""
    named = ", ".join(map(quoted, view.columns)) or "all people"
    claim = f"view {number} counts every combination of {named}, with whole numbers"
    labels = [published.columns[name] for name in view.columns]
    if view.rows.num_rows != math.prod(map(len, labels)):
        return Check(claim, "yes", "it has more or fewer rows", False)
    listed = zip(
        *(view.rows.column(place).to_pylist() for place in range(len(labels))), strict=True
    )
    if labels and any(
        one != other for one, other in zip(listed, itertools.product(*labels), strict=True)
    ):
        return Check(claim, "yes", "it lists other combinations", False)
    is_whole = all(_is_whole(text) for text in view.counts)
    return Check(claim, "yes", "yes" if is_whole else "a count is no whole number", is_whole)


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 16):
        return False
    return str(int(text)) == text and abs(int(text)) <= _MOST


def _check_people(published: PublishedNoise) -> Check:
    """Made-up people show stated labels only."""
    rows = published.synthetic
    foreign = [
        name
        for name in rows.column_names
        if not set(rows.column(name).unique().to_pylist()) <= set(published.columns[name])
    ]
    found = "yes" if not foreign else f"other labels in {quoted(foreign[0])}"
    if rows.num_rows == 0:
        found = "there is nobody"
    return Check("the made-up people show stated labels only", "yes", found, found == "yes")


def _check_meaning(published: PublishedNoise) -> Check:
    """What the promise means is made again from the promise and the number of made-up people."""
    promise, people = published.guarantee, max(published.synthetic.num_rows, 1)
    meaning = str(semantic_privacy(promise.epsilon, promise.delta, people=people))
    same = meaning == published.meaning
    claim = "the certificate explains the promise as gyges does"
    return Check(claim, "yes", "yes" if same else "it uses other words or numbers", same)


def _check_fitted(published: PublishedNoise) -> Check:
    """The fitted counts follow from the noisy ones; asked once everything else holds."""
    claim = "the fitted counts follow from the noisy ones, to within 0.1 % of all people"
    stated = [_numbers(view.fitted) for view in published.views]
    if any(numbers is None for numbers in stated):
        return Check(claim, "yes", "a fitted count is no number", False)
    total = float(sum(stated[0])) if stated[0] is not None else 0.0
    try:
        again = fit(_marginals(published, total))
        found = [rounded(again.counts(view.columns)) for view in published.views]
    except EngineError as problem:
        return Check(claim, "yes", str(problem), None)
    except GygesError as problem:
        return Check(claim, "yes", f"it could not be fitted again: {quoted(str(problem))}", None)
    furthest = max(
        float(np.abs(one - np.array(other)).max()) for one, other in zip(found, stated, strict=True)
    )
    is_near = furthest <= _NEAR * again.total + 0.01
    return Check(claim, "yes", "yes" if is_near else f"one is {furthest:.3g} off", is_near)


def _numbers(texts: list[str]) -> list[float] | None:
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return None
    is_plain = all(text.isascii() and len(text) <= 30 for text in texts)
    return numbers if is_plain and all(map(math.isfinite, numbers)) else None


def _marginals(published: PublishedNoise, total: float) -> NoisyMarginals:
    """The noisy counts as they were when they were fitted.

    Where people may be changed but not added, their number is public: that of the fitted counts.
    """
    universe = Universe(tuple(published.columns), tuple(published.columns.values()))
    marginals = tuple(
        NoisyMarginal(
            view.columns,
            tuple(published.columns[name] for name in view.columns),
            np.array([int(text) for text in view.counts]).reshape(universe.shape(view.columns)),
            view.noise,
        )
        for view in published.views
    )
    is_public = published.guarantee.neighbours == "change one person"
    known = max(1, round(total)) if is_public and abs(total) <= _MOST else None
    return NoisyMarginals(universe, marginals, published.guarantee, known, ())


def describe(release: PublishedNoise | NoisyRelease) -> Description:
    """Noisy tables and made-up people."""
    return Description(
        "A release with noise: noisy tables, and made-up people drawn from them.",
        about_rows(release.published.rows_are_people),
    )


NOISE = FormOfRelease(read=read_stated, load=load_noise, check=check_noise, describe=describe)
