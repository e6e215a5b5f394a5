"""Whether a table shows what the stated shapes of its columns would have made coarser.

A shape (bottom, top, round, period) was applied when the table was read, so no published value may
lie beyond its ends, between its steps, or within its periods. A range holds some shaped value;
averages are not looked at: they are nobody's values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gyges.data.encoding import dictionary
from gyges.data.shape import Shape
from gyges.data.values import MISSING, Kind, as_kind, guess_kind, text_of
from gyges.errors import ReleaseError
from gyges.exact import exactly
from gyges.release.group_forms import GROUP_FORMS, Form
from gyges.release.missing_labels import known_part
from gyges.release.set_labels import members_of
from gyges.release.statements import Roles
from gyges.release.written_labels import range_ends

if TYPE_CHECKING:
    import pyarrow as pa

_PERIODS = {
    "year": re.compile(r"\d{1,4}", re.ASCII),
    "quarter": re.compile(r"\d{4}-Q[1-4]", re.ASCII),
    "month": re.compile(r"\d{4}-\d\d", re.ASCII),
    "week": re.compile(r"\d{4}-W\d\d", re.ASCII),
}


def refuse_unshaped_values(rows: pa.Table, roles: Roles, form: Form) -> None:
    """Refuse a table with a value that the shape of its column would have changed."""
    for name, shape in roles.shapes.items():
        is_label = name in roles.quasi_identifiers and not GROUP_FORMS[form].is_exact
        is_free = "levels" in roles.hierarchies.get(name, {}) or GROUP_FORMS[form].is_averaged
        if name not in rows.column_names or (is_label and is_free):
            continue
        fits = _label_fits if is_label else _is_shaped
        for text in map(str, dictionary(rows.column(name))[0]):
            if not fits(text, shape):
                raise ReleaseError(
                    f"the column {name!r} holds {text[:80]!r}, which its stated shape would have "
                    f"changed"
                )


def _label_fits(label: str, shape: Shape) -> bool:
    """Whether a label may be one of shaped values: each of a set, and some of a range."""
    label = known_part(label) or label
    if (members := members_of(label)) is not None:
        return all(_is_shaped(member, shape) for member in members)
    if shape.period is not None:
        return guess_kind([label]) is not Kind.DATE
    low, high = range_ends(label, Kind.NUMBER) or (label, label)
    if not {guess_kind([low]), guess_kind([high])} <= {Kind.NUMBER}:
        return True  # not a number, so a general term
    if low == high:
        return _is_shaped(low, shape)
    is_above = shape.top is not None and exactly(low) > exactly(shape.top)
    return not (is_above or (shape.bottom is not None and exactly(high) < exactly(shape.bottom)))


def _is_shaped(text: str, shape: Shape) -> bool:
    """Whether a text is a value as the shape leaves it."""
    if text in ("", MISSING):
        return True
    if shape.period is not None:
        return _PERIODS[shape.period].fullmatch(text) is not None
    if guess_kind([text]) is not Kind.NUMBER:
        return False
    [value] = as_kind([text], Kind.NUMBER, "")
    ends = [text_of(end) for end in (shape.bottom, shape.top) if end is not None]
    return text in [*ends, text_of(shape.of(value))]
