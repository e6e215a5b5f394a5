from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.earth_mover import ordered_flow, transport


@given(st.lists(st.lists(st.integers(-9, 9), min_size=4, max_size=4), min_size=1, max_size=6))
def test_what_flows_over_each_gap_of_a_line(rows):
    expected = [sum(abs(sum(row[: i + 1])) for i in range(len(row) - 1)) for row in rows]
    assert ordered_flow(np.array(rows)).tolist() == expected


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_on_a_line_the_program_finds_what_the_closed_form_says(seed, m):
    p, q = np.random.default_rng(seed).dirichlet(np.ones(m), 2)
    ground = np.abs(np.subtract.outer(np.arange(m), np.arange(m))) / (m - 1)
    assert transport(p, q, ground) == pytest.approx(ordered_flow((p - q)[None])[0] / (m - 1))
