"""The method "partition": Mondrian's cuts, or with an effort or a time limit the least loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, get_args

from numpy.typing import ArrayLike

from gyges.arguments import choice as one_of
from gyges.criteria.base import Criterion
from gyges.data.cells import Cells
from gyges.errors import RuleError
from gyges.exact import percent
from gyges.release.partition_of_cells import Labels, Partition
from gyges.search import mondrian
from gyges.search.bound_purpose import BoundPurpose
from gyges.search.descent import BLOCK
from gyges.search.simulatable import Choice

if TYPE_CHECKING:
    from gyges.search.least_loss import Effort, Progress


def watch(step: Callable[[str, float, float], object]) -> Progress:
    """The option `progress` of the search, from a function that shows steps; True ends it."""
    return lambda loss, bound, done: step(_loss_words(loss, bound), min(done, 1.0), 1.0)


def _loss_words(loss: float, bound: float) -> str:
    """How good the groups are that were found so far, and how good any can be.

    >>> _loss_words(0.1477, 0.0), _loss_words(0.1477, 0.0912)
    ('14.8% of the detail is lost so far', '14.8% of the detail is lost so far, and at least 9.1% \
with any groups')
    """
    at_least = Fraction(math.floor(bound * 1000), 1000)  # never more than was proven
    least = f", and at least {percent(at_least)} with any groups" if at_least > 0 else ""
    return f"{percent(loss)} of the detail is lost so far{least}"


def search(
    cells: Cells,
    criteria: Criterion[Any] | Iterable[Criterion[Any]],
    *,
    order: mondrian.Order = "range",
    relaxed: bool = False,
    classes: ArrayLike | None = None,
    block: int = BLOCK,
    choice: Choice = "finest",
    purpose: BoundPurpose | None = None,
    labels: Labels = "usual",
    effort: Effort | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Partition:
    """Groups that satisfy every rule: those of Mondrian at once, or better ones with more effort.

    `order`, `relaxed`, `classes`, `block`, `choice` and `purpose` are options of
    `mondrian.search`; `effort`, `time_limit` and `progress` of `least_loss.search`.
    """
    one_of(labels, get_args(Labels), "labels")
    if purpose is not None and choice != "finest":
        raise RuleError(
            f"choice={choice!r} is checked by repeating the search, which a certificate describes "
            f"without a purpose: omit one or the other"
        )
    if effort is None and time_limit is None:
        found = mondrian.search(
            cells,
            criteria,
            order=order,
            relaxed=relaxed,
            classes=classes,
            block=block,
            choice=choice,
            purpose=purpose,
        )
        return replace(found, labels=labels)
    is_usual = order == "range" and relaxed is False and choice == "finest"
    if not is_usual or classes is not None or purpose is not None:
        raise RuleError(
            "order, relaxed, classes, choice and a purpose are about Mondrian's cuts, and with "
            "effort or time_limit groups are chosen by their loss: omit one or the other"
        )
    from gyges.search import least_loss

    return least_loss.search(
        cells, criteria, effort=effort, time_limit=time_limit, labels=labels, progress=progress
    )
