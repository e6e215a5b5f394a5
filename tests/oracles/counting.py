"""Counting a table row by row, as the definitions read. Never imports gyges."""

from __future__ import annotations

from collections import Counter

MISSING = "(missing)"


def count_rows(rows, quasi, sensitive, missing):
    """{combination: (people, Counter of values)} where each row is a person with one value.

    `rows` is a list of dicts, None is missing; `missing` is "drop" or "value".
    """
    found = {}
    for row in rows:
        cells = [row[name] for name in [*quasi, sensitive]]
        if missing == "drop" and None in cells:
            continue
        cells = [MISSING if cell is None else cell for cell in cells]
        people, values = found.get(tuple(cells[:-1]), (0, Counter()))
        found[tuple(cells[:-1])] = (people + 1, values + Counter([cells[-1]]))
    return found


def count_people(rows, person, quasi, sensitive, kind, missing):
    """The same where a person has several rows; without a value, they may hold a missing one."""
    everybody = {}
    for row in rows:
        everybody.setdefault(row[person], []).append(row)
    found = {}
    for about in everybody.values():
        cells = [about[0][name] for name in quasi]
        held = [row[sensitive] for row in about]
        if missing == "drop" and None in [*cells, *held]:
            continue
        cells = tuple(MISSING if cell is None else cell for cell in cells)
        held = [MISSING if value is None else value for value in held]
        held = set(held) if kind == "set" else held
        people, values = found.get(cells, (0, Counter()))
        found[cells] = (people + 1, values + Counter(held))
    return found
