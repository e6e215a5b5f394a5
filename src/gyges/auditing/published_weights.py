"""Whether published survey weights are what a certificate states: the same in each group, and
adding up to totals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from gyges.arrays import IntArray, distinct_pairs
from gyges.auditing.checks import Check
from gyges.data.column_names import some_of
from gyges.exact import counted, decimal_text, exactly, readable_number
from gyges.release.group_weights import adds_up, sums_of
from gyges.release.refined_groups import alike
from gyges.release.statements import Roles, WeightTotal
from gyges.release.tables import as_text

if TYPE_CHECKING:
    import pyarrow as pa


def check_weights(tables: Mapping[str, pa.Table], roles: Roles) -> Iterator[Check]:
    """The checks of published weights; none where no weights are published."""
    if roles.weight is None:
        return
    rows = as_text(tables["people"] if "people" in tables else tables["data"])
    exact = [_number(text) for text in rows.column(roles.weight).to_pylist()]
    what = f"everyone in a group has the same weight in {roles.weight!r}, a positive number"
    shown = [name for name in rows.column_names if name in roles.quasi_identifiers]
    if roles.group_column in rows.column_names:
        shown = [roles.group_column]
    group = alike(rows, shown)
    n_differing = _n_differing(group, alike(rows, [*shown, roles.weight]))
    if None in exact:
        yield Check(what, "yes", "some weights are no positive numbers", False)
        return
    found = f"no, not in {counted(n_differing, 'group')}" if n_differing else "yes"
    yield Check(what, "yes", found, not n_differing)
    if not roles.weight_totals:
        return
    weights = [one for one in exact if one is not None]
    labels = {name: rows.column(name).to_pylist() for name in roles.quasi_identifiers}
    ones = [1] * len(weights)
    sums = sums_of(roles.weight_totals, weights, ones, labels)
    for total, added in zip(roles.weight_totals, sums, strict=True):
        unseen = {*total.labels} - {*labels[total.column]}
        found = "no row has some of these labels" if unseen else decimal_text(added, 7)
        yield Check(_claim(total), total.total, found, not unseen and adds_up(total, added))


def _number(text: str | None) -> Fraction | None:
    """A published weight, exactly; None where it is no positive number."""
    try:
        found = exactly(text)
    except (ValueError, TypeError, ZeroDivisionError):
        return None
    return found if found > 0 else None


def _n_differing(group: IntArray, of_weight: IntArray) -> int:
    """How many groups have rows with different weights."""
    of_group, _ = distinct_pairs(group, of_weight)
    return int((np.bincount(of_group) > 1).sum())


def _claim(one: WeightTotal) -> str:
    """What weights add up to, in words; a certificate may list many labels."""
    labels, total = some_of([*map(repr, one.labels)], "labels"), Fraction(one.total)
    sum_of_them = f"{int(total):,}" if total.denominator == 1 else readable_number(total)
    return (
        f"the weights of all rows with {one.column!r} {labels} add up to "
        f"{sum_of_them} (to within 0.01 %)"
    )
