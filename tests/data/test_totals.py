"""Lines of totals by their sums: compared with adding up the other rows."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from gyges.data.totals import count_totals
from gyges.engines.in_memory import MemorySource

NUMBERS = st.lists(st.sampled_from(["0", "1", "2", "3,5", "10", "-4", "1e9", "", "x"]), min_size=1)


@given(cells=NUMBERS, total=st.integers(-20, 60), halves=st.booleans())
def test_a_line_is_a_total_if_a_cell_is_the_sum_of_the_other_rows(cells, total, halves):
    import pyarrow as pa

    last = f"{total},5" if halves and total >= 0 else str(total)
    names = [f"row {i}" for i in range(len(cells))] + ["Total"]
    other = ["a"] * len(names)  # no cell is empty: only the sum tells
    table = pa.table({"name": names, "n": [*cells, last], "b": other, "c": other})
    known = [Fraction(c.replace(",", ".")) for c in cells if c not in ("", "x", "1e9")]
    stated = Fraction(last.replace(",", "."))
    is_sum = bool(known) and sum(known) == stated and abs(stated) > max(map(abs, known))
    assert count_totals(MemorySource(table)) == (("name", 1) if is_sum else None)
