"""Random typed tables about people, as Arrow, for every engine alike; and cells as plain data."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import strategies as st

TEXTS = ["Flu", "Gout", "Ärger", "a,b", 'q"q', "x\ny", "ß|;\t", " lead", "NULL", "01234", "日本"]
_DAY = datetime.date(2020, 2, 28)
_TIME = datetime.datetime(1999, 12, 31, 23, 59, 59)

# name → (Arrow type, values to choose from)
COLUMNS = {
    "age": (pa.int32(), [0, 7, 42, -3, 119]),
    "a number": (pa.int64(), [2**53, 2**53 + 1, -(2**62), 5, 1]),
    "zip": (pa.string(), ["00501", "14850", "02139", "501"]),
    'ha"rd, ñame': (pa.string(), TEXTS),
    "born": (pa.date32(), [_DAY + datetime.timedelta(days=d) for d in (-30000, 0, 1, 2)]),
    "seen": (
        pa.timestamp("us"),
        [_TIME + datetime.timedelta(microseconds=d) for d in (0, 1, 500_000, 10**12)],
    ),
    "midnight": (pa.timestamp("us"), [datetime.datetime(2001, 1, d) for d in (1, 2, 3)]),
    "cost": (pa.decimal128(10, 2), [Decimal("1.50"), Decimal("-2.00"), Decimal("99999.99")]),
    "whole": (pa.decimal128(12, 0), [Decimal(7), Decimal(-10), Decimal(10**11)]),
    "height": (pa.float64(), [1.5, 0.1, -1e-7, 3.0, 1e22]),
    "smokes": (pa.bool_(), [True, False]),
    "Group": (pa.string(), ["a", "B", "b", "A"]),
}


@st.composite
def tables(draw, max_rows=12, nulls=True):
    """(table, names of its quasi-identifiers) with a sensitive column "disease" of text."""
    quasi = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=3, unique=True))
    n_rows = draw(st.integers(1, max_rows))
    arrays = {}
    for name in quasi:
        kind, values = COLUMNS[name]
        one = st.sampled_from([*values, None] if nulls else values)
        arrays[name] = pa.array(draw(st.lists(one, min_size=n_rows, max_size=n_rows)), kind)
    one = st.sampled_from([*TEXTS, None] if nulls else TEXTS)
    arrays["disease"] = pa.array(draw(st.lists(one, min_size=n_rows, max_size=n_rows)), pa.string())
    return pa.table(arrays), quasi


@st.composite
def long_tables(draw, nulls=True):
    """(table, quasi) in long form: several rows a person, who keeps his quasi-identifiers."""
    people, quasi = draw(tables(max_rows=5, nulls=nulls))
    n_values = draw(st.lists(st.integers(1, 4), min_size=len(people), max_size=len(people)))
    rows = np.repeat(np.arange(len(people)), n_values)
    one = st.sampled_from([*TEXTS[:4], None] if nulls else TEXTS[:4])
    values = draw(st.lists(one, min_size=len(rows), max_size=len(rows)))
    order = draw(st.permutations(range(len(rows))))
    table = people.drop_columns(["disease"]).append_column(
        "who", pa.array([f"person {i}" for i in range(len(people))])
    )
    table = table.take(pa.array(rows)).append_column("disease", pa.array(values, pa.string()))
    return table.take(pa.array(order)), quasi


def as_csv_knows_it(rows: pa.Table) -> pa.Table:
    """A CSV file has no true and false, only their texts."""
    for place, column in enumerate(rows.schema):
        if pa.types.is_boolean(column.type):
            texts = pc.if_else(rows.column(place), "true", "false")
            rows = rows.set_column(place, column.name, texts)
    return rows


def described(cells) -> dict:
    """Cells as plain data that can be compared, types included."""
    domains = [*cells.domains, cells.sensitive]
    return {
        "domains": [
            (d.name, str(d.kind), [(type(v).__name__, v) for v in d.values], d.present.tolist())
            for d in domains
        ],
        "codes": cells.codes.tolist(),
        "people": cells.people.tolist(),
        "starts": cells.starts.tolist(),
        "value_codes": cells.value_codes.tolist(),
        "value_counts": cells.value_counts.tolist(),
        "types": [str(a.dtype) for a in (cells.codes, cells.people, cells.value_codes)],
        "kind": cells.values_per_person,
    }
