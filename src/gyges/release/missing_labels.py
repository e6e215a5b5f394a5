"""Labels of groups in which values are missing that match anything.

`30-39 or (missing)` is true of everyone in the group: each has a value that `30-39` covers, or none
is known. Nobody who reads the release can tell who of the group that is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from gyges.arrays import BoolArray
from gyges.data.column_names import some_of
from gyges.data.hierarchy_rules import TOP
from gyges.data.values import MISSING
from gyges.release.coded_labels import CodedLabels

OR_MISSING = f" or {MISSING}"


def known_part(label: str) -> str | None:
    """What a label says of those whose value is known; None where it speaks of nobody else.

    >>> known_part("30-39 or (missing)"), known_part("30-39")
    ('30-39', None)
    """
    return label.removesuffix(OR_MISSING) if label.endswith(OR_MISSING) else None


def about_labels(labels: Mapping[str, Collection[str]]) -> list[str]:
    """What labels with missing values say, if a release has any."""
    names = [name for name, column in labels.items() if any(map(known_part, column))]
    if not names:
        return []
    return [
        f"A missing value of {some_of([*map(repr, names)])} may be any value: people without one "
        f"share groups with others, and the labels of these groups end with {OR_MISSING.strip()!r}."
    ]


def with_missing(labels: CodedLabels, some: BoolArray) -> CodedLabels:
    """The labels of groups in which some people may lack the value.

    >>> import numpy as np
    >>> shown = CodedLabels.of_listed(["30-39", "40-49", "*"])
    >>> with_missing(shown, np.array([True, False, True])).listed()
    ['30-39 or (missing)', '40-49', '*']
    """
    lacking = [text if text == TOP else text + OR_MISSING for text in labels.texts]
    place = labels.place + len(labels.texts) * some
    return CodedLabels.of([*labels.texts, *lacking], place)
