"""Survey weights as they are published: one for each group, made to add up to known totals.

Everyone in a group has the same weight, so weights tell no two of its people apart. They come from
the rounded means of the groups, the published labels and totals that are known without the table,
and from nothing else: that they add up to these totals reveals nothing more about anyone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.data.cells import Domain
from gyges.data.encoding import make_coder
from gyges.data.table import Table
from gyges.data.values import text_of
from gyges.errors import GygesError, SchemaError
from gyges.exact import Number, exactly, percent, text_of_fraction
from gyges.release.label_reading import covered_codes
from gyges.release.missing_labels import known_part
from gyges.release.statements import WeightTotal

PRECISION = Fraction(1, 10_000)  # to within which weights add up to their totals
_ROUNDS = 2_000  # of raking; more show that it does not converge
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Margin:
    """One column's totals: rows whose labels overlap have one total together."""

    column: str
    part_of_group: IntArray
    totals: list[Fraction]
    labels: list[tuple[str, ...]]


def group_weights(weights: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """The mean weight of each group to three significant digits.

    Each group stands for as many people of the population as before, up to rounding.
    """
    n = np.maximum(np.bincount(group, minlength=n_groups), 1)
    means = np.bincount(group, weights=weights, minlength=n_groups) / n
    return np.array([float(f"{mean:.2e}") for mean in means.tolist()])


def calibrated(
    weights: FloatArray, sizes: IntArray, table: Table, labels: Mapping[str, Sequence[str]]
) -> tuple[FloatArray, tuple[WeightTotal, ...]]:
    """The weights of groups raked to the totals of a schema, and what they then add up to.

    Raking multiplies the weights of all rows with a label by one number, column after column, until
    all totals are reached [Deming1940]. The result is rounded to six significant digits.
    """
    margins = [
        _margin(table, name, labels[name], totals)
        for name, totals in table.schema.weight_totals.items()
    ]
    raked = weights.copy()
    wanted = [np.array([float(total) for total in one.totals]) for one in margins]
    for _ in range(_ROUNDS):
        furthest = 0.0
        for one, totals in zip(margins, wanted, strict=True):
            found = np.bincount(one.part_of_group, raked * sizes, minlength=len(totals))
            factors = totals / found
            furthest = max(furthest, float(np.abs(factors - 1).max(initial=0)))
            raked = raked * factors[one.part_of_group]
        if furthest < _CLOSE:
            break
    rounded = np.array([float(f"{one:.5e}") for one in raked.tolist()])
    stated = tuple(
        WeightTotal(one.column, listed, text_of_fraction(total))
        for one in margins
        for listed, total in zip(one.labels, one.totals, strict=True)
    )
    sums = sums_of(stated, rounded.tolist(), sizes.tolist(), labels)
    for total, added in zip(stated, sums, strict=True):
        if not adds_up(total, added):
            missed = percent(abs(added / Fraction(total.total) - 1))
            raise SchemaError(
                f"no weights of the groups add up to all weight_totals: those of {total.column!r} "
                f"are missed by {missed}. The totals of all columns must be about the same "
                f"population; omit one of them"
            )
    return rounded, stated


def sums_of(
    totals: Sequence[WeightTotal],
    weights: Sequence[float | Fraction],
    counts: Sequence[int],
    labels: Mapping[str, Sequence[str]],
) -> Iterator[Fraction]:
    """What the weights of rows (each `counts` times) add up to, exactly, for each total."""
    by_label: dict[str, dict[str, Fraction]] = {one.column: {} for one in totals}
    for column, sums in by_label.items():
        for weight, n, text in zip(weights, counts, labels[column], strict=True):
            sums[text] = sums.get(text, Fraction(0)) + exactly(weight) * n
    for one in totals:
        shown = by_label[one.column]
        yield sum((shown.get(text, Fraction(0)) for text in one.labels), Fraction(0))


def adds_up(stated: WeightTotal, found: Fraction) -> bool:
    """Whether a sum is a stated total, as precisely as is promised."""
    total = Fraction(stated.total)
    return abs(found - total) <= PRECISION * total


def _margin(
    table: Table, name: str, labels: Sequence[str], stated: Mapping[str, Number]
) -> _Margin:
    [own] = [domain for domain in table.searched_cells.domains if domain.name == name]
    exact = {text: exactly(total) for text, total in stated.items()}
    domain, total_of = _domain_of(own, table, exact)
    distinct = list(dict.fromkeys(labels))
    everything = np.arange(len(domain))
    covered = covered_codes(distinct, domain)
    codes = [everything if known_part(one) is not None else covered[one] for one in distinct]
    part = everything.copy()
    for some in codes:  # labels that overlap are one part
        if len(some):
            part[np.isin(part, part[some])] = part[some].min()
    first = [int(part[some[0]]) if len(some) else -1 for some in codes]
    numbers = {one: place for place, one in enumerate(dict.fromkeys(first))}
    sums = dict.fromkeys(numbers, Fraction(0))
    for code, total in total_of.items():
        at = int(part[code])
        if at not in sums:
            raise SchemaError(
                f"weight_totals: nobody's label of {name!r} covers "
                f"{text_of(domain.values[code])!r}, so no weights can stand for its people: omit it"
            )
        sums[at] += total
    part_of_label = {text: numbers[one] for text, one in zip(distinct, first, strict=True)}
    groups = np.array([part_of_label[text] for text in labels], dtype=np.int64)
    listed = [
        tuple(sorted(text for text in distinct if part_of_label[text] == place))
        for place in range(len(sums))
    ]
    return _Margin(name, groups, list(sums.values()), listed)


def _domain_of(
    own: Domain, table: Table, stated: Mapping[str, Fraction]
) -> tuple[Domain, dict[int, Fraction]]:
    """A column's values and those with a total, and the total of each by its code."""
    there = [value for value, is_there in zip(own.values, own.present, strict=True) if is_there]
    known = {text_of(value) for value in there}
    lacking = sum(text not in stated for text in known)
    if lacking:
        raise SchemaError(
            f"weight_totals: {lacking:,} of the {len(known):,} values of {own.name!r} have no "
            f"total: give one for each value, as it is written in the table, or omit the column"
        )
    further = [text for text in stated if text not in known]
    try:
        coder = make_coder(
            own.name,
            [*there, *further],
            kind=own.kind,
            hierarchy=table.schema.hierarchies.get(own.name),
        )
    except GygesError as problem:
        raise SchemaError(f"weight_totals: {problem}") from None
    raw = {text_of(value): value for value in there}
    total_of = {coder.code_of_raw[raw.get(text, text)]: total for text, total in stated.items()}
    return coder.domain, total_of
