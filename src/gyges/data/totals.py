"""Lines of totals among the rows of a table: they are counted as people, and are not.

A line of totals has a word for it in some cell ("Total", "Summe A", "North subtotal"), and at least
half of its other cells are empty.
"""

from __future__ import annotations

import re

from gyges.data.encoding import dictionary
from gyges.data.source import Source
from gyges.errors import SourceError
from gyges.exact import counted

_WORDS = frozenset((
    "total", "totals", "subtotal", "subtotals", "sum", "sums", "summe", "summen", "gesamt",
    "gesamtsumme", "insgesamt", "zwischensumme", "teilsumme", "totale", "totali", "totaux", "somme",
    "suma", "sumas", "subtotale", "soma", "totaal", "subtotaal", "razem", "celkem", "součet",
    "spolu", "összesen", "summa", "yhteensä", "toplam", "итого", "всего",
))  # fmt: skip
_WORDS_BEFORE = ("grand", "sub", "sous", "overall")  # "grand total", "sub-total"


def count_totals(rows: Source) -> tuple[str, int] | None:
    """A column with words for totals, and how many lines of totals it has; None without any."""
    missing = rows.count_missing(rows.columns)
    if 2 * sum(n > 0 for n in missing.values()) < len(rows.columns) - 1:
        return None  # no row has that many empty cells
    found = [(name, n) for name in rows.columns if (n := _lines_named_in(rows, name))]
    return max(found, key=lambda one: one[1], default=None)


def refuse_totals(rows: Source) -> None:
    """Refuse a table with lines of totals."""
    found = count_totals(rows)
    if found is not None:
        raise SourceError(f"{rows.name}: {totals_in_words(*found)}")


def totals_in_words(column: str, n: int) -> str:
    """What is wrong with these lines, and what to do."""
    lines = counted(n, "row looks like a line of totals", "rows look like lines of totals")
    return (
        f"{lines}, not like a person: a word such as Total in column {column!r}, and at least half "
        f"of the other cells are empty. Remove {'it' if n == 1 else 'them'} from the data; if each "
        f"is a person, write totals_are_people = true under [data] in the project file"
    )


def _lines_named_in(rows: Source, name: str) -> int:
    """How many rows have a word for totals in this column, and few other cells."""
    import pyarrow as pa

    values, _ = dictionary(rows.count([name]).column(name), name)
    words = [value for value in values if isinstance(value, str) and _is_total(value)]
    others = [other for other in rows.columns if other != name]
    if not words or not others:
        return 0
    mapping = pa.table({name: words, "is total": [True] * len(words)})
    cells = rows.recode([name], mapping, others).fetch(others)
    empty = zip(*(column.is_null().to_pylist() for column in cells.columns), strict=True)
    return sum(2 * sum(row) >= len(others) for row in empty)


def _is_total(text: str) -> bool:
    """Whether a text begins or ends with a word for totals."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    significant = [word for word in words if word not in _WORDS_BEFORE]
    return bool({*significant[:1], *significant[-1:]} & _WORDS)
