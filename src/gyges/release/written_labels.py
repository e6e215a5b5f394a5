"""Labels of numbers, dates and months, as gyges writes them: anything else there is refused.

In a generalized release a label is a value, `*`, a set of values, a range whose ends grow, or a
node of the hierarchy where that is a rule: a comparison with the outer points of cuts, a period of
its calendar, a value with stars for its prefixes. In a microaggregated one it is a value. So no
word hides in a label, and no label says what the stated hierarchy cannot say. The labels of a
hierarchy that is a table are words of the publisher's own, and are not looked at.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from gyges.data.hierarchy_rules import TOP, calendar_rows
from gyges.data.values import MISSING, Kind, Value, as_kind, sort_key, text_of
from gyges.errors import GygesError, ReleaseError
from gyges.release.missing_labels import known_part
from gyges.release.set_labels import members_of

_RANGES = {
    Kind.NUMBER: re.compile(r"(\d+)-(\d+)|\[([^,\s]+), ([^,\s]+)[\])]"),
    Kind.DATE: re.compile(r"([^.\s]+(?:\.\d+)?\S*?)\.\.(\S+)"),
}
_OUTER = re.compile(r"(<|>=)(\S+)")
_PERIOD = re.compile(
    r"(?P<year>\d{1,4})(?:-W(?P<week>\d\d)|-(?P<month>\d\d)|-Q(?P<quarter>[1-4]))?|(?P<decade>\d{1,4})s",
    re.ASCII,
)
_MASKED = re.compile(r"[0-9:+T.e -]+\*+")


def refuse_other_labels(
    name: str,
    kind: Kind,
    labels: Collection[str],
    *,
    tree: Mapping[str, object],
    are_values: bool,
    is_strict: bool = True,
) -> None:
    """Refuse a label of a column of numbers, dates or months that gyges would not write.

    Args:
        tree: the hierarchy that is stated, a rule and its parameters; empty where there is none.
        are_values: each label is one value, no range.
        is_strict: each value is spelled as gyges spells it.
    """
    held = {label: [label] if are_values else _values_in(label, kind, tree) for label in {*labels}}
    texts = {text for ends in held.values() if ends for text in ends} - {MISSING, ""}
    known = _read(name, kind, texts, is_strict)
    for label, ends in held.items():
        if ends is None or not _grow(ends, known):
            what = f"{kind.value}s" if are_values else f"{kind.value}s, ranges or sets of them"
            raise ReleaseError(
                f"the column {name!r} holds {label[:80]!r}, and gyges writes only {what} there"
            )


def range_ends(label: str, kind: Kind) -> tuple[str, str] | None:
    """The texts of both ends of a range; None where a label is none.

    >>> range_ends("20-39", Kind.NUMBER), range_ends("[-2.5, 0)", Kind.NUMBER)
    (('20', '39'), ('-2.5', '0'))
    """
    found = _RANGES[kind].fullmatch(label) if kind in _RANGES else None
    if found is None:
        return None
    low, high = (end for end in found.groups() if end is not None)
    return low, high


def _grow(texts: Sequence[str], known: Mapping[str, Value]) -> bool:
    """Whether texts are values, each greater than the one before; a missing value comes last."""
    if len(texts) == 1 and texts[0] in ("", MISSING):
        return True
    if not all(text in known or text == MISSING for text in texts):
        return False
    places = [sort_key(known.get(text, MISSING)) for text in texts]
    return all(one < other for one, other in pairwise(places))


def _values_in(label: str, kind: Kind, tree: Mapping[str, object]) -> list[str] | None:
    """The values that a label is made of; None where it is no label."""
    label = known_part(label) or label
    if label == TOP or _is_node(label, tree):
        return []
    ends = range_ends(label, kind)
    if ends is not None:
        low, high = ends
        if MISSING in ends:
            return None
        is_unit = low == high and label == f"{low}-{high}" and _rule(tree) in ("intervals", "cuts")
        return [low] if is_unit else [low, high]
    members = members_of(label)
    if members is None:
        return [label]
    return members if len(members) > 1 else None  # a set of one is the value itself


def _rule(tree: Mapping[str, object]) -> object:
    return tree.get("rule")


def _is_node(label: str, tree: Mapping[str, object]) -> bool:
    """Whether a label that is no range is a node of a hierarchy of a rule."""
    parameters: Sequence[object] = tree.get("parameters", ())  # type: ignore[assignment]
    if _rule(tree) == "cuts":
        outer = {"<": parameters[0], ">=": parameters[-1]}
        found = _OUTER.fullmatch(label)
        return found is not None and found[2] == text_of(outer[found[1]])  # type: ignore[arg-type]
    if _rule(tree) == "calendar":
        day = _first_day(label)
        return day is not None and label in calendar_rows([day], parameters)[0]  # type: ignore[arg-type]
    return _rule(tree) == "prefixes" and _MASKED.fullmatch(label) is not None


def _first_day(label: str) -> datetime.date | None:
    """The first day of a period; None where there is no such period."""
    found = _PERIOD.fullmatch(label)
    if found is None:
        return None
    part = {name: int(text) for name, text in found.groupdict().items() if text is not None}
    year = max(part.get("year", part.get("decade", 0)), 1)
    try:
        if "week" in part:
            return datetime.date.fromisocalendar(year, part["week"], 1)
        return datetime.date(year, part.get("month", 3 * part.get("quarter", 1) - 2), 1)
    except ValueError:
        return None


def _read(name: str, kind: Kind, texts: Iterable[str], is_strict: bool) -> dict[str, Value]:
    """The values of those texts that are values of a kind, in its spelling if it is strict."""
    listed = [*texts]
    try:
        values = as_kind([*listed], kind, name)
    except GygesError:
        values = []
    if values and all(map(_is_spelling, listed, values)):
        return dict(zip(listed, values, strict=True))
    found = {}
    for text in listed:
        try:
            [value] = as_kind([text], kind, name)
        except GygesError:
            continue
        if not is_strict or _is_spelling(text, value):
            found[text] = value
    return found


def _is_spelling(text: str, value: Value) -> bool:
    """Whether gyges spells a value so; the end of a range of moments may be written as a moment."""
    if isinstance(value, datetime.date) and text == value.isoformat():
        return True
    return text == text_of(value)
