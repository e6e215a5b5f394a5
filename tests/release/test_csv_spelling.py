"""A CSV has one spelling, whichever way it is written: quotes only where they are needed."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from gyges.release.tables import csv_head, csv_pieces

ODD = ["", "a,b", 'say "x"', "two\nlines", "back\r", "=1+1", "'-x", "-x", "-5", "é"]
texts = st.one_of(st.none(), st.sampled_from(["a", "b c", "1.5"]), st.sampled_from(ODD))
plain = st.one_of(st.none(), st.sampled_from(["a", "b c", "1.5", "é", "-5"]))
counts = st.one_of(st.none(), st.integers(-9, 9))


@st.composite
def tables(draw):
    n, columns = draw(st.integers(0, 6)), {}
    cells = draw(st.sampled_from([texts, plain]))
    for place in range(draw(st.integers(1, 3))):
        made = draw(st.lists(draw(st.sampled_from([cells, counts])), min_size=n, max_size=n))
        kind = pa.int64() if all(isinstance(one, int | None) for one in made) else pa.string()
        column = pa.array(made, kind)
        is_coded = kind == pa.string() and draw(st.booleans())
        columns[f"column {place}"] = column.dictionary_encode() if is_coded else column
    return pa.table(columns)


def spelled(value: object, with_guards: bool) -> str:
    """The twin: one value after the other."""
    if value is None:
        return ""
    text = str(value)
    is_number = text.lstrip("+-").replace(".", "").isdigit()
    if with_guards and isinstance(value, str) and not is_number:
        text = "'" + text if text.lstrip("'")[:1] in tuple("=+-@\t\r") else text
    needs_quotes = not text or any(mark in text for mark in '",\r\n')
    return '"' + text.replace('"', '""') + '"' if needs_quotes else text


@given(tables(), st.booleans())
def test_a_csv_has_one_spelling(table, with_guards):
    lines = [",".join(spelled(value, with_guards) for value in row) for row in listed(table)]
    pieces = csv_pieces(table, with_guards=with_guards)
    assert b"".join(map(bytes, pieces)).decode() == "".join(f"{line}\n" for line in lines)


def listed(table: pa.Table) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def test_the_head_is_quoted_like_the_rest():
    assert csv_head(["a", "b,c"]) == b'a,"b,c"\n'
