"""Induced attributes: a column with a hierarchy as the path from the top down to a value.

Kifer and Gehrke turn each column into attributes L_1, L_2, …: L_i says which child is taken at
the i-th step down [Kifer2006, Sect. 6.1]. A column at *resolution* r is L_1, …, L_r together.
So a view is a tuple of resolutions, one for each column; what two views share is the smaller
resolution of each column, and one view can be made from another exactly when no resolution is
larger. Everything in this room is expressed in these tuples.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from gyges.arrays import FloatArray, IntArray
from gyges.data.cells import Domain
from gyges.data.table import Table
from gyges.data.values import Value, text_of
from gyges.errors import RuleError

Resolution: TypeAlias = tuple[int, ...]

SUPPRESSED = "*"


@dataclass(frozen=True, eq=False, repr=False)
class Attribute:
    """One column at each resolution, from suppressed (0) to the values themselves (the last).

    Levels of a hierarchy that split nothing further have the same resolution.
    """

    name: str
    values: tuple[Value, ...]
    labels: tuple[tuple[str, ...], ...]  # by resolution
    codes: tuple[IntArray, ...]  # by resolution: the label of each value
    resolution_of_level: tuple[int, ...]
    is_sensitive: bool = False

    @property
    def height(self) -> int:
        """The resolution of the values themselves."""
        return len(self.labels) - 1

    @cached_property
    def code_of_text(self) -> dict[str, int]:
        """The code of each value by its text."""
        return {text_of(value): code for code, value in enumerate(self.values)}

    @cached_property
    def leaves(self) -> tuple[IntArray, ...]:
        """By resolution, how many values of the domain each label covers: `child` of Eq. (6)."""
        return tuple(
            np.bincount(codes, minlength=len(labels))
            for codes, labels in zip(self.codes, self.labels, strict=True)
        )

    @cached_property
    def log_leaves(self) -> tuple[FloatArray, ...]:
        """The logarithms of `leaves`."""
        return tuple(np.log(leaves) for leaves in self.leaves)

    @cached_property
    def _one_value_of(self) -> tuple[IntArray, ...]:
        return tuple(np.unique(codes, return_index=True)[1] for codes in self.codes)

    def coarsen(self, fine: int, coarse: int) -> IntArray:
        """The label at resolution `coarse` of each label at resolution `fine`."""
        return self.codes[coarse][self._one_value_of[fine]]

    def level_of(self, resolution: int) -> int:
        """The finest level of the hierarchy that has this resolution."""
        return self.resolution_of_level.index(resolution)


def attributes_of(table: Table) -> tuple[Attribute, ...]:
    """The columns of a table, quasi-identifiers first, the sensitive column last."""
    cells = table.cells
    if table.schema.sensitive is None:
        return tuple(make_attribute(domain) for domain in cells.domains)
    if cells.values_per_person != "one":
        raise RuleError(
            "marginals need one sensitive value per person, and this table has several: remove "
            "the sensitive column, or choose one value for each person"
        )
    name = table.schema.sensitive
    hierarchy = table.schema.hierarchies.get(name)
    leaves = hierarchy.leaves if hierarchy is not None else ()
    sensitive = make_sensitive(name, cells.sensitive.values, leaves)
    return (*(make_attribute(domain) for domain in cells.domains), sensitive)


def make_attribute(domain: Domain) -> Attribute:
    """A quasi-identifier; without a hierarchy it is either shown or suppressed."""
    everything = np.zeros(len(domain), dtype=np.int64)
    if domain.ladder is None:
        texts = tuple(text_of(value) for value in domain.values)
        steps = [((SUPPRESSED,), everything), (texts, np.arange(len(domain)))]
        resolutions = [1, 0]
    else:
        ladder = domain.ladder
        steps, resolutions = [], []
        for level in range(ladder.height, -1, -1):
            labels = ladder.labels[level]
            if not steps or len(labels) > len(steps[-1][0]):
                steps.append((labels, ladder.ancestors[level]))
            else:  # the same parts under other names: keep the names of the finer level
                steps[-1] = (labels, ladder.ancestors[level]) if len(steps) > 1 else steps[-1]
            resolutions.insert(0, len(steps) - 1)
    return Attribute(
        name=domain.name,
        values=domain.values,
        labels=tuple(labels for labels, _ in steps),
        codes=tuple(codes for _, codes in steps),
        resolution_of_level=tuple(resolutions),
    )


def make_sensitive(name: str, present: Sequence[Value], leaves: Iterable[str] = ()) -> Attribute:
    """The sensitive column: shown with its own values or suppressed, never generalized."""
    known = {text_of(value) for value in present}
    values = (*present, *(leaf for leaf in leaves if leaf not in known))
    return Attribute(
        name=name,
        values=values,
        labels=((SUPPRESSED,), tuple(text_of(value) for value in values)),
        codes=(np.zeros(len(values), dtype=np.int64), np.arange(len(values))),
        resolution_of_level=(1,),
        is_sensitive=True,
    )


def meet(one: Resolution, other: Resolution) -> Resolution:
    """What two views share: the induced attributes that are in both."""
    return tuple(map(min, one, other))


def is_within(one: Resolution, other: Resolution) -> bool:
    """Whether the first view can be made from the second by summing."""
    return all(map(operator.le, one, other))


def maximal(resolutions: Iterable[Resolution]) -> list[Resolution]:
    """The views that no other view contains, each once, in a fixed order."""
    distinct = sorted(set(resolutions))
    return [
        one
        for one in distinct
        if not any(other != one and is_within(one, other) for other in distinct)
    ]


def sensitive_place(attributes: Sequence[Attribute]) -> int | None:
    """The place of the sensitive attribute, if there is one."""
    places = [place for place, attribute in enumerate(attributes) if attribute.is_sensitive]
    return places[0] if places else None
