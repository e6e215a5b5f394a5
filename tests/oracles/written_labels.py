"""What may stand in a column of numbers, dates or months, read one label at a time.

A value; and, where labels are general: `*`, two or more values in a set, in order, two values as
the ends of a range, the smaller one first, or what the hierarchy calls some value, if it is a rule.
"""

from __future__ import annotations

import datetime
import math
import re
from fractions import Fraction

RANGES = {
    "number": [r"(\d+)-(\d+)", r"\[([^,\s]+), ([^,\s]+)[\])]"],
    "date": [r"([^.\s]+(?:\.\d+)?\S*?)\.\.(\S+)"],
    "month": [],
}


def is_label(label, kind, tree, only_values, any_spelling, missing):
    """Whether a label of a column of this kind and hierarchy is one of these."""
    if label in ("", missing):
        return True
    if only_values:
        return place(label, kind, any_spelling) is not None
    if label == "*" or is_node(label, tree):
        return True
    for pattern in RANGES[kind]:
        found = re.fullmatch(pattern, label)
        if found:
            low, high = (place(end, kind, any_spelling) for end in found.groups())
            is_unit = "-" in label[1:] and tree.get("rule") in ("intervals", "cuts") and low == high
            return None not in (low, high) and (low < high or (is_unit and label[0] != "["))
    if label.startswith("{") and label.endswith("}"):
        return is_set(label[1:-1].split(", "), kind, any_spelling, missing)
    return place(label, kind, any_spelling) is not None


def is_set(members, kind, any_spelling, missing):
    """At least two, from small to large; a missing value is the last one."""
    known = members[:-1] if members[-1] == missing else members
    places = [place(one.strip('"'), kind, any_spelling) for one in known]
    return len(members) > 1 and None not in places and places == sorted({*places})


def is_node(label, tree):
    """Whether some value has this ancestor, besides ranges, which have their own test."""
    rule, parameters = tree.get("rule"), tree.get("parameters")
    if rule == "cuts":
        first, last = (re.sub(r"\.0$", "", str(parameters[end])) for end in (0, -1))
        return label in (f"<{first}", f">={last}")
    if rule == "prefixes":
        return bool(re.fullmatch(r"[0-9:+T.e -]+\*+", label))
    return rule == "calendar" and any(re.fullmatch(SPANS[one][0], label) and SPANS[one][1](label)
                                      for one in parameters)  # fmt: skip


def is_week(label):
    year, week = label.split("-W")
    try:
        datetime.date.fromisocalendar(int(year), int(week), 1)
    except ValueError:
        return False
    return True


SPANS = {
    "week": (r"[0-9]{1,4}-W[0-9]{2}", is_week),
    "month": (r"[0-9]{4}-[0-9]{2}", lambda label: label > "0001" and "01" <= label[-2:] <= "12"),
    "quarter": (r"[0-9]{4}-Q[1-4]", lambda label: label > "0001"),
    "year": (r"[0-9]{4}", lambda label: label >= "0001"),
    "decade": (r"(0|[1-9][0-9]{0,2})?0s", lambda label: not re.fullmatch("00+s", label)),
}


def place(text, kind, any_spelling):
    """Where a number, a moment or a month is among its likes; None where it is none."""
    if kind == "number":
        return of_number(text, any_spelling)
    try:
        if kind == "month":
            is_plain = re.fullmatch(r"[0-9]{4}-(0[1-9]|1[0-2])", text)
            return text if is_plain else None
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    plain = {moment.date().isoformat(), moment.isoformat(), moment.isoformat(" ")}
    return moment.isoformat() if any_spelling or text in plain else None


def of_number(text, any_spelling):
    try:
        number = int(text)
    except ValueError:
        try:
            number = float(text)
        except ValueError:
            return None
    if isinstance(number, float) and not math.isfinite(number):
        return None
    is_whole = isinstance(number, int) or number.is_integer()
    plain = str(int(number)) if is_whole else repr(number)
    return Fraction(number) if any_spelling or text == plain else None
