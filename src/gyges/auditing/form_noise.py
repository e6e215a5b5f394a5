"""Noisy releases: the arithmetic of their guarantee and their tables, checked from the files.

Numbers drawn once cannot show that noise was drawn, and from the right distribution. Nor can the
files show that labels and views were fixed before anyone looked at the data, and how the synthetic
people were drawn. These are listed as not checked. The rest is checked: the files are those
certified; every view lists every combination of the stated labels once; the fitted counts result
from a fit; and the stated noise costs, by OpenDP's own map, no more than promised.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gyges.auditing.checks import Check
from gyges.auditing.form_of_release import Description, FormOfRelease
from gyges.auditing.noise_price import check_price, plan_of
from gyges.auditing.noise_views import MOST_COUNT, check_view
from gyges.auditing.notes import TRUST, about_rows
from gyges.dp.inference import fit, model_megabytes
from gyges.dp.measurements import NoisyMarginal
from gyges.dp.noise_certificate import StatedNoise
from gyges.dp.noisy_marginals import NoisyMarginals
from gyges.dp.noisy_release import rounded
from gyges.dp.published_noise import (
    Noisy,
    PublishedNoise,
    load_noise,
    read_noise,
    read_stated,
)
from gyges.dp.semantics import meaning_of_noise
from gyges.errors import EngineError, GygesError
from gyges.release.strict_model import quoted

_EXPLAINED = 3  # the first format whose words and fit are those of today
_MOST_FITTING = 400.0  # megabytes of the model × views: about a minute
_FIT_TOLERANCE = 0.001  # of all people: how far a fitted count may be from the recomputed one


def check_noise(directory: Path, stated: StatedNoise) -> list[Check]:
    """Check everything that the files of a noisy release can show."""
    published = read_noise(directory, stated)
    checks = [
        check_view(published, number, view) for number, view in enumerate(published.views, start=1)
    ]
    if published.columns:
        checks.append(_check_people(published))
    checks += [*check_price(published), _check_meaning(published)]
    if not any(check.holds is False for check in checks):
        checks.append(_check_fitted(published))
    return [*checks, *_not_checked(published)]


def _not_checked(published: PublishedNoise) -> Iterator[Check]:
    """What the guarantee depends on that no file can show."""
    claims = ["the noise was drawn as stated, from an unpredictable source"]
    if plan_of(published) == "listed":
        claims.append("the views were chosen without looking at the data")
    if published.columns:
        claims.append("the labels of every column were chosen without looking at the data")
        claims.append("the synthetic people were drawn from the fitted counts")
    for claim in claims:
        yield Check(claim, "yes", f"no file can show it: {TRUST}", None)


def _check_people(published: PublishedNoise) -> Check:
    """Check that synthetic people have only stated labels."""
    rows = published.synthetic
    foreign = [
        name
        for name in rows.column_names
        if not set(rows.column(name).unique().to_pylist()) <= set(published.columns[name])
    ]
    found = "yes" if not foreign else f"no, there are other labels in {quoted(foreign[0])}"
    if rows.num_rows == 0:
        found = "there are no synthetic people"
    return Check("the synthetic people have only stated labels", "yes", found, found == "yes")


def _check_meaning(published: PublishedNoise) -> Check:
    """Check the stated meaning of the guarantee, recomputed from its numbers."""
    promise = published.guarantee
    claim = "the certificate explains its guarantee correctly"
    if published.format < _EXPLAINED and promise.delta:
        return Check(claim, "yes", "an earlier version of gyges explained it in other words", None)
    by_rows = published.rows_are_people
    meaning = meaning_of_noise(promise.epsilon, promise.delta, promise.rho, rows_are_people=by_rows)
    same = meaning == published.meaning
    return Check(claim, "yes", "yes" if same else "no, its words or numbers differ", same)


def _check_fitted(published: PublishedNoise) -> Check:
    """Check that the fitted counts follow from the noisy ones, if everything else holds."""
    claim = "the fitted counts follow from the noisy ones, to within 0.1 % of all people"
    if published.format < _EXPLAINED:
        return Check(claim, "yes", "an earlier version of gyges fitted them in another way", None)
    stated = [_numbers(view.fitted) for view in published.views]
    if any(numbers is None for numbers in stated):
        return Check(claim, "yes", "no, a fitted count is not a number", False)
    total = float(sum(stated[0])) if stated[0] is not None else 0.0
    try:
        noisy = _marginals(published, total)
        views = [view.columns for view in published.views]
        if model_megabytes(noisy.universe, views) * len(views) > _MOST_FITTING:
            return Check(claim, "yes", "fitting this many views again would take too long", None)
        again = fit(noisy)
        found = [rounded(again.counts(view.columns)) for view in published.views]
    except EngineError as problem:
        return Check(claim, "yes", str(problem), None)
    except GygesError as problem:
        return Check(claim, "yes", f"could not be fitted again: {quoted(str(problem))}", None)
    furthest = max(
        float(np.abs(one - np.array(other)).max()) for one, other in zip(found, stated, strict=True)
    )
    is_near = furthest <= _FIT_TOLERANCE * again.total + 0.01
    return Check(claim, "yes", "yes" if is_near else f"no, one is off by {furthest:.3g}", is_near)


def _numbers(texts: list[str]) -> list[float] | None:
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return None
    is_plain = all(text.isascii() and len(text) <= 30 for text in texts)
    return numbers if is_plain and all(map(math.isfinite, numbers)) else None


def _marginals(published: PublishedNoise, total: float) -> NoisyMarginals:
    """The noisy counts as they were before the fit.

    Where neighbouring tables have the same size, the number of people is public: that of the fitted
    counts.
    """
    universe = published.universe
    marginals = tuple(
        NoisyMarginal(
            view.columns,
            tuple(universe.labels_of(name) for name in view.columns),
            np.array([int(text) for text in view.counts]).reshape(universe.shape(view.columns)),
            view.noise,
        )
        for view in published.views
    )
    promise = published.guarantee
    is_public = promise.neighbours == "change one person" and promise.rows == 1
    known = max(1, round(total)) if is_public and abs(total) <= MOST_COUNT else None
    return NoisyMarginals(universe, marginals, published.guarantee, known, ())


def describe(release: Noisy) -> Description:
    """Describe noisy tables and synthetic people."""
    return Description(
        "A noisy release: tables with noisy counts, and synthetic people drawn from them.",
        (*about_rows(release.published.rows_are_people), *_about_bound(release.published)),
    )


def _about_bound(published: PublishedNoise) -> tuple[str, ...]:
    """How many rows of a person were counted, where that is not one."""
    rows = published.guarantee.rows
    if rows == 1:
        return ()
    return (
        f"Up to {rows:,} rows of each person were counted, and their further rows were left out. "
        f"The guarantee is about people, with all of these rows.",
    )


NOISE = FormOfRelease(read=read_stated, load=load_noise, check=check_noise, describe=describe)
