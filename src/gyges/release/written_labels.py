"""Labels of numbers and dates, as gyges writes them: anything else in such a column is refused.

In a generalized release a label is a value, `*`, a set of values, a range or comparison whose ends
are values, a period of the calendar, or a value with stars. In a microaggregated one it is a value.
So no word hides in a label. The labels of a hierarchy that is a table are words of the publisher's
own, and are not looked at.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterator

from gyges.data.hierarchy_rules import TOP
from gyges.data.values import MISSING, Kind, Value, as_kind, text_of
from gyges.errors import GygesError, ReleaseError
from gyges.release.missing_labels import known_part
from gyges.release.set_labels import members_of

# Two ends, of which one may be missing.
_NUMBERS = re.compile(
    r"(?P<a>\d+)-(?P<b>\d+)|\[(?P<c>[^,\s]+), (?P<d>[^,\s]+)[\])]|(?:<|>=)(?P<e>\S+)"
)
_DATES = re.compile(r"(?P<a>[^.\s]+(?:\.\d+)?\S*?)\.\.(?P<b>\S+)")
_PERIOD = re.compile(r"\d{4}(?:-W\d\d|-\d\d|-Q[1-4]|s)?")
_MASKED = re.compile(r"[\d:+T.e -]*\*+")


def refuse_other_labels(
    name: str, kind: Kind, labels: Collection[str], *, are_values: bool, is_strict: bool = True
) -> None:
    """Refuse a label of a column of numbers or dates that gyges would not write.

    Args:
        are_values: each label is one value, no range.
        is_strict: each value is spelled as gyges spells it.
    """
    ends = {label: [label] if are_values else _values_in(label, kind) for label in {*labels}}
    texts = {text for held in ends.values() if held for text in held} - {MISSING, ""}
    wrong = {*_misspelled(name, kind, texts, is_strict)}
    for label, held in ends.items():
        if held is None or not wrong.isdisjoint(held):
            what = f"{kind.value}s" if are_values else f"{kind.value}s, ranges or sets of them"
            raise ReleaseError(
                f"the column {name!r} holds {label[:80]!r}, and gyges writes only {what} there"
            )


def _values_in(label: str, kind: Kind) -> list[str] | None:
    """The values that a label is made of; None where it is no label."""
    label = known_part(label) or label
    if label == TOP or _MASKED.fullmatch(label):
        return []
    if kind is Kind.DATE and _PERIOD.fullmatch(label):
        return []
    found = (_NUMBERS if kind is Kind.NUMBER else _DATES).fullmatch(label)
    if found is not None:
        return [end for end in found.groups() if end is not None]
    return members_of(label) or [label]


def _misspelled(name: str, kind: Kind, texts: Collection[str], is_strict: bool) -> Iterator[str]:
    """The texts that are no values of a kind, or another spelling of one."""
    try:
        values = as_kind([*texts], kind, name)
    except GygesError:
        values = []
    if values and all(map(_is_spelling, texts, values)):
        return
    for text in texts:
        try:
            [value] = as_kind([text], kind, name)
        except GygesError:
            yield text
            continue
        if is_strict and not _is_spelling(text, value):
            yield text


def _is_spelling(text: str, value: Value) -> bool:
    """Whether gyges spells a value so; the end of a range of moments may be written as a moment."""
    if isinstance(value, datetime.date) and text == value.isoformat():
        return True
    return text == text_of(value)
