"""Sentences of other rooms in the words of a page.

They are written for a project file and a terminal. On a page nothing is written by hand: what a
sentence says about keys and options is said about the fields that do the same here.
"""

from __future__ import annotations

import re

_FIELDS = (  # how a sentence names a key or an option, and the field that does it
    (
        r"; if (it|each) is a person, write totals_are_people = true under \[data\] in the "
        r"project file",
        r"; if \1 is a person, say so on the page Columns",
    ),
    (
        r": state their format, such as formats = \{.*?\}",
        ": choose beside their role how they are written",
    ),
    (
        r", or state the format of its dates under `formats`",
        ", or choose beside its role how its dates are written",
    ),
    (
        r"state its encoding \(encoding = '…' under \[data\]\)",
        "choose on the page Open how its letters are written",
    ),
    (
        r"the encoding ('.*?') is unknown: write utf-8, cp1252, latin-1, utf-16, …",
        r"the encoding \1 is unknown: choose another one on the page Open",
    ),
    (r"choose another column for keep_row_by, which", "choose another column on Columns, which"),
    (r"keep_row_by names ('.*?'), which", r"the column \1 cannot order the rows: it"),
    (r"try method='(\w+)'", r"choose the method \1 on the page Publish"),
    (
        r"choose another directory, or replace it \(--overwrite\)",
        "choose another folder, or tick “Replace an older release”",
    ),
    (r" \(in Python: despite_exposure=True\)", ""),
    (r"use --despite-exposure", "tick “Publish despite exposure”"),
    (
        r' \(method = "dp" in \[publish\]; `gyges publish` then lists everything else that it '
        r"needs\)",
        " (a card on the page Attackers and rules does that)",
    ),
    (
        r"If so, write missing_marks = (\[.*?\]) under \[data\]\.",
        r"If so, list them on the page Columns, beside “Missing values”.",
    ),
    (
        r': write values_per_person = "set" and separator = ".*?" under \[columns\]\.',
        ": choose “several in one cell” at this column on the page Columns.",
    ),
    (r"list it under identifiers", "give it the role identifier"),
    (r": give --quasi and --sensitive", ": choose its columns below"),
)


def in_page_words(said: str) -> str:
    """A sentence that names fields of the page instead of keys and options.

    >>> in_page_words("it is refused: use --despite-exposure (in Python: despite_exposure=True)")
    'it is refused: tick “Publish despite exposure”'
    """
    for pattern, field in _FIELDS:
        said = re.sub(pattern, field, said)
    return said
