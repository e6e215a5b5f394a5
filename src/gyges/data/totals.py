"""Lines of totals among the rows of a table: they are counted as people, and are not.

A line of totals has a word for it in some cell ("Total", "Summe A", "North subtotal"), and at least
half of its other cells are empty, or one holds the sum of the rows without such a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from gyges.data.arrow_arrays import numbers_of
from gyges.data.encoding import dictionary
from gyges.data.source import COUNT, Source
from gyges.errors import SourceError
from gyges.exact import counted

_WORDS = frozenset((
    "total", "totals", "subtotal", "subtotals", "sum", "sums", "summe", "summen", "gesamt",
    "gesamtsumme", "insgesamt", "zwischensumme", "teilsumme", "totale", "totali", "totaux", "somme",
    "suma", "sumas", "subtotale", "soma", "totaal", "subtotaal", "razem", "celkem", "součet",
    "spolu", "összesen", "summa", "yhteensä", "toplam", "итого", "всего",
))  # fmt: skip
_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?")
_MOST_ROWS = 10_000  # of a table whose rows are compared with sums
_WORDS_BEFORE = ("grand", "sub", "sous", "overall")  # "grand total", "sub-total"


def count_totals(rows: Source) -> tuple[str, int] | None:
    """A column with words for totals, and how many lines of totals it has; None without any."""
    missing = rows.count_missing(rows.columns)
    may_be_empty = 2 * sum(n > 0 for n in missing.values()) >= len(rows.columns) - 1
    may_be_sums = int(numbers_of(rows.count([]).column(COUNT))[0]) <= _MOST_ROWS
    if not may_be_empty and not may_be_sums:
        return None  # no row has that many empty cells
    found = [(name, n) for name in rows.columns if (n := _lines_named_in(rows, name, may_be_sums))]
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
        f"of the other cells are empty or one is the sum of its column. Remove "
        f"{'it' if n == 1 else 'them'} from the data; if {'it' if n == 1 else 'each'} is a person, "
        f"write totals_are_people = true under [data] in the project file"
    )


def _lines_named_in(rows: Source, name: str, may_be_sums: bool) -> int:
    """How many rows have a word for totals in this column, and few other cells or a sum."""
    import pyarrow as pa

    try:
        values, _ = dictionary(rows.count([name]).column(name), name)
    except SourceError:  # lists and records hold no such word
        return 0
    words = [value for value in values if isinstance(value, str) and _is_total(value)]
    others = [other for other in rows.columns if other != name]
    if not words or not others:
        return 0
    mapping = pa.table({name: words, "is total": [True] * len(words)})
    cells = rows.recode([name], mapping, others).fetch(others)
    empty = zip(*(column.is_null().to_pylist() for column in cells.columns), strict=True)
    are_empty = [2 * sum(row) >= len(others) for row in empty]
    if may_be_sums:
        for other in others:
            held = [_number(value) for value in cells.column(other).to_pylist()]
            if any(number is not None for number in held):
                total = _sum_without(rows, other, held)
                are_empty = [
                    one or (n is not None and n == total)
                    for one, n in zip(are_empty, held, strict=True)
                ]
    return sum(are_empty)


def _sum_without(rows: Source, name: str, lines: Sequence[Fraction | None]) -> Fraction | None:
    """The sum of a column of numbers without some lines; None if a single row may make it up."""
    counted = rows.count([name])
    known = [_number(value) for value in counted.column(name).to_pylist()]
    people = numbers_of(counted.column(COUNT)).tolist()
    numbers = Counter[Fraction]()
    for number, n in zip(known, people, strict=True):
        if number is not None:
            numbers[number] += n
    numbers.subtract(one for one in lines if one is not None)
    left = {number: n for number, n in numbers.items() if n > 0}
    total = sum((number * n for number, n in left.items()), Fraction(0))
    return total if left and abs(total) > max(map(abs, left)) else None


def _number(value: object) -> Fraction | None:
    """The number that a cell holds."""
    text = str(value).strip().replace(",", ".")
    return Fraction(text) if _NUMBER.fullmatch(text) else None


def _is_total(text: str) -> bool:
    """Whether a text begins or ends with a word for totals."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    significant = [word for word in words if word not in _WORDS_BEFORE]
    return bool({*significant[:1], *significant[-1:]} & _WORDS)
