"""Publish without groups: views that are safe together, or tables with noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from gyges.errors import RuleError
from gyges.search.method_options import refuse_unknown_options

if TYPE_CHECKING:
    import numpy as np

    from gyges.criteria.base import Criterion
    from gyges.data.rows_of_people import RowsOfPeople
    from gyges.data.table import Table
    from gyges.dp.noisy_release import NoisyRelease
    from gyges.marginals.model import Marginals
    from gyges.marginals.published_views import PublishedMarginals
    from gyges.marginals.selection import SelectionProgress


def publish_views(
    table: Table, rules: list[Criterion[Any]], options: dict[str, Any], rng: np.random.Generator
) -> PublishedMarginals:
    """Views that satisfy the rules together and keep as much information as possible."""
    from gyges.marginals.published_views import publish_marginals  # networkx

    select_marginals, asked = search_views(), cast("list[Any]", rules)
    refuse_unknown_options(select_marginals, options, "marginals")
    chosen = select_marginals(table, asked, rng=rng, **options)
    published = publish_marginals(chosen, asked)
    notices = (*published.notices, *table.people_notices)
    return replace(published, kl_divergence=chosen.kl_divergence(), notices=notices)


def publish_with_noise(
    table: Table | RowsOfPeople,
    rules: list[Criterion[Any]],
    options: dict[str, Any],
    rng: np.random.Generator,
) -> NoisyRelease:
    """Noisy counts; differential privacy protects each person and needs no groups."""
    if rules:
        raise RuleError(
            "a release with noise has no groups, so no rule applies to it: omit the rules (in a "
            "project file the [[require]] sections) and give epsilon"
        )
    if "epsilon" not in options and "error" not in options:
        raise RuleError("a release with noise needs epsilon, such as epsilon=1, or error='5%'")
    publish_noisy = search_noise()
    refuse_unknown_options(publish_noisy, options, "dp")
    release = publish_noisy(table, rng=rng, **options)
    noted = getattr(table, "people_notices", ())  # rows of people have none
    return replace(release, notices=(*release.notices, *noted))


def watch_views(
    step: Callable[[str, float, float], object],
) -> Callable[[SelectionProgress], None]:
    """The option `progress` of the selection of views, from a function that shows steps."""

    def say(now: SelectionProgress) -> None:
        text = f"{now.n_tried:,} sets tried, the best loses {now.kl_divergence:.4g}"
        step(text, min(now.share, 1.0), 1.0)

    return say


def search_views() -> Callable[..., Marginals]:
    """The function that selects views."""
    from gyges.marginals.selection import select_marginals  # networkx

    return select_marginals


def search_noise() -> Callable[..., NoisyRelease]:
    """The function that adds noise."""
    from gyges.dp.noisy_release import publish_noisy

    return publish_noisy
