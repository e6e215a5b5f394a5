"""Views: the small tables that are published, with their levels and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gyges.arguments import shown
from gyges.arrays import IntArray
from gyges.data.values import Value, text_of
from gyges.errors import ReleaseError, RuleError, suggestion
from gyges.marginals.counts import ViewCounts, project, sorted_counts
from gyges.marginals.induced import Attribute, Resolution, meet

COUNT = "count"  # the column of a view's frame that holds the people
MOST_PEOPLE = 2**50  # sums of counts stay exact, in whole numbers and in doubles


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class View:
    """One published table: some columns at some levels, and how many people each row counts."""

    levels: dict[str, int]  # by column, as it was asked for
    counts: ViewCounts
    attributes: tuple[Attribute, ...]

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def columns(self) -> list[str]:
        """The names of its columns, in the table's order."""
        return [attribute.name for attribute in self._shown()]

    @property
    def people(self) -> IntArray:
        """How many people each row counts."""
        return self.counts.people

    def frame(self) -> dict[str, list[str] | list[int]]:
        """The rows as lists of labels by column, and the people in each under `count`."""
        places = {attribute.name: place for place, attribute in enumerate(self.attributes)}
        shown: dict[str, list[str] | list[int]] = {}
        for attribute in self._shown():
            place = places[attribute.name]
            labels = attribute.labels[self.counts.resolution[place]]
            shown[attribute.name] = [labels[code] for code in self.counts.codes[:, place]]
        shown[count_name(self.columns)] = self.people.tolist()
        return shown

    def _shown(self) -> list[Attribute]:
        return [attribute for attribute in self.attributes if attribute.name in self.levels]

    def __str__(self) -> str:
        named = [f"{a.name} (level {self.levels[a.name]})" for a in self._shown()]
        return f"{' × '.join(named)}: {len(self):,} rows"


def count_name(columns: Sequence[str]) -> str:
    """`count`, or a longer name where a column of the table has that name."""
    name = COUNT
    while name in columns:
        name = f"{name} of people"
    return name


def read_levels(view: Mapping[str, int], attributes: Sequence[Attribute]) -> Resolution:
    """The resolutions of a view; refuse columns and levels that the table does not have."""
    if not isinstance(view, Mapping) or not view:
        raise RuleError("a view names its columns and their levels, such as {'age': 2, 'zip': 0}")
    by_name = {attribute.name: attribute for attribute in attributes}
    for name in view:
        if not isinstance(name, str) or name not in by_name:
            raise RuleError(
                f"a view names column {shown(name)}, which is neither a quasi-identifier nor the "
                f"sensitive column{suggestion(str(name), by_name)}"
            )
    return tuple(
        _resolution(attribute, view[attribute.name]) if attribute.name in view else 0
        for attribute in attributes
    )


def _resolution(attribute: Attribute, level: int) -> int:
    top = len(attribute.resolution_of_level) - 1
    is_whole = isinstance(level, (int, np.integer)) and not isinstance(level, bool)
    if is_whole and 0 <= level <= top:
        return attribute.resolution_of_level[level]
    if attribute.is_sensitive:
        raise RuleError(
            f"a view asks for level {shown(level)} of {attribute.name!r}: the sensitive column is "
            f"published at level 0 or omitted"
        )
    raise RuleError(
        f"a view asks for level {shown(level)} of {attribute.name!r}: its levels are 0 (the value "
        f"itself) to {top} (suppressed)"
    )


def levels_of(resolution: Resolution, attributes: Sequence[Attribute]) -> dict[str, int]:
    """A view in levels, without the columns it suppresses."""
    return {
        attribute.name: attribute.level_of(r)
        for attribute, r in zip(attributes, resolution, strict=True)
        if r > 0
    }


def read_frame(
    levels: Mapping[str, int],
    frame: Mapping[str, Sequence[Value]],
    attributes: Sequence[Attribute],
) -> ViewCounts:
    """Counts from a published frame of labels: the inverse of `View.frame`."""
    resolution = read_levels(levels, attributes)
    name = count_name(list(levels))
    if set(frame) != {*levels, name}:
        raise ReleaseError(
            f"a view of {', '.join(levels)} has these columns and {name!r}, no others"
        )
    try:
        listed = [int(str(n)) for n in frame[name]]
    except ValueError:
        raise ReleaseError(f"the column {name!r} of a view must hold whole numbers") from None
    if sum(map(abs, listed)) > MOST_PEOPLE:
        raise ReleaseError(f"a view counts more than {MOST_PEOPLE:,} people")
    if any(len(frame[column]) != len(listed) for column in levels):
        raise ReleaseError("the columns of a view must have the same length")
    people = np.array(listed, dtype=np.int64)
    if len(people) and people.min() < 1:
        raise ReleaseError("a view lists a combination that nobody has: remove such rows")
    codes = np.zeros((len(people), len(attributes)), dtype=np.int32)
    for place, (attribute, r) in enumerate(zip(attributes, resolution, strict=True)):
        if attribute.name in levels:
            codes[:, place] = _label_codes(attribute, r, frame[attribute.name])
    return sorted_counts(resolution, codes, people, attributes)


def _label_codes(attribute: Attribute, r: int, labels: Sequence[Value]) -> list[int]:
    if r == 0:
        return [0] * len(labels)
    known = {label: code for code, label in enumerate(attribute.labels[r])}
    try:
        return [known[text_of(label)] for label in labels]
    except KeyError:
        raise ReleaseError(
            f"a view has a label of {attribute.name!r} that does not belong to its level"
        ) from None


def refuse_contradictions(views: Sequence[ViewCounts], attributes: Sequence[Attribute]) -> None:
    """Refuse views that disagree on what they share: those of one table never do."""
    for place, one in enumerate(views):
        for other in views[:place]:
            shared = meet(one.resolution, other.resolution)
            mine, theirs = project(one, shared, attributes), project(other, shared, attributes)
            if not (
                np.array_equal(mine.codes, theirs.codes)
                and np.array_equal(mine.people, theirs.people)
            ):
                raise ReleaseError(
                    "two views contradict each other: they do not come from one table"
                )
