"""What may stand in a column of numbers or dates, read one label at a time.

A value; and, where labels are general: `*`, a value whose end is stars, a set of values, a range or
a comparison with values as its ends, or a year, decade, quarter, month or week.
"""

from __future__ import annotations

import datetime
import re

STARRED = r"[\d:+T.e -]*\*+"
SPAN = r"\d{4}(-W\d\d|-\d\d|-Q[1-4]|s)?"
RANGES = {
    "number": [r"(\d+)-(\d+)", r"\[([^,\s]+), ([^,\s]+)[\])]", r"<(\S+)", r">=(\S+)"],
    "date": [r"([^.\s]+(?:\.\d+)?\S*?)\.\.(\S+)"],
}


def is_label(label, kind, only_values, any_spelling, missing):
    """Whether a label of a column of this kind is one of these."""
    if only_values:
        return is_value(label, kind, any_spelling, missing)
    if re.fullmatch(STARRED, label) or (kind == "date" and re.fullmatch(SPAN, label)):
        return True
    for pattern in RANGES[kind]:
        found = re.fullmatch(pattern, label)
        if found:
            return all(is_value(end, kind, any_spelling, missing) for end in found.groups())
    if label.startswith("{") and label.endswith("}") and ", " in label:
        members = [one.strip('"') for one in label[1:-1].split(", ")]
        return all(is_value(one, kind, any_spelling, missing) for one in members)
    return is_value(label, kind, any_spelling, missing)


def is_value(text, kind, any_spelling, missing):
    """A number or date as it is written in a release; a missing value has a word of its own."""
    if text in ("", missing):
        return True
    try:
        if kind == "date":
            moment = datetime.datetime.fromisoformat(text)
            plain = {moment.date().isoformat(), moment.isoformat(), moment.isoformat(" ")}
            return any_spelling or text in plain
        number = float(text)
    except ValueError:
        return False
    plain = str(int(number)) if number.is_integer() else repr(number)
    return any_spelling or text == plain
