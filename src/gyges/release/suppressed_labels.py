"""Texts by which software says that a value is not shown."""

from __future__ import annotations

import re

from gyges.data.values import MISSING
from gyges.release.label_spans import MASK

# How other tools write that a value is suppressed; it covers everybody, though it be a value too.
SUPPRESSED = frozenset({"", "na", "n/a", "n.a.", "nan", "<na>", "null", "none", ".", "-", "any",
                        "all", "suppressed", "[suppressed]", "missing", MISSING})  # fmt: skip
# What says so unless it is a value: Adult has "?".
_HIDDEN_WORDS = frozenset({"unknown", "redacted", "withheld", "hidden", "masked", "suppressed",
                           "not available", "not stated", "anonymized", "anonymised", "blank",
                           "null", "nil", "\\n", "#n/a", "#null!", "#value!", "all", "any",
                           "any value", "all values"})  # fmt: skip
_MASKED = re.compile(rf"[{re.escape(MASK)}.…-]+|[\[(<{{][*?][\])>}}]")
STARS = re.compile(r"\*+")


def is_suppressed(text: str) -> bool:
    """Whether a text is one by which tools say that a value is not shown.

    >>> is_suppressed("*"), is_suppressed(" NA "), is_suppressed("20-29")
    (True, True, False)
    """
    return bool(STARS.fullmatch(text)) or text.strip().lower() in SUPPRESSED


def hides_everything(label: str) -> bool:
    """Whether a text that is nobody's value hides all characters, or says that it is hidden.

    >>> hides_everything("#####"), hides_everything("[redacted]"), hides_everything("Other")
    (True, True, False)
    """
    text = label.strip().lower()
    return bool(_MASKED.fullmatch(text)) or text.strip("[]()<>{}") in _HIDDEN_WORDS
