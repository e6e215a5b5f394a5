"""What labels of coded rows cost, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyges.kernels.cell_labels import (
    FAR,
    TALL,
    clear,
    cover,
    label_cost,
    pair_cost,
    widened_cost,
)
from gyges.search import least_loss_problem
from tests.oracles import least_loss as oracle
from tests.search.made import category, make_cells, some_cells
from tests.search.posed import described, in_order, posed


@pytest.fixture(autouse=True, params=[1024, 0], ids=["tables", "tall trees"])
def trees(request, monkeypatch):
    monkeypatch.setattr(least_loss_problem, "_MOST_LEAVES", request.param)


@given(cells=some_cells(), labels=st.sampled_from(["usual", "nodes", "sets"]), data=st.data())
def test_a_label_costs_what_the_definition_says_however_it_was_widened(cells, labels, data):
    problem, columns = posed(cells, labels), described(cells, labels)
    rows, made = in_order(problem), problem.columns
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1))
    d, words = len(columns), max(int(made.word[-1]), 1)
    low, high, bits = np.empty(d, np.int64), np.empty(d, np.int64), np.empty(words, np.uint64)
    clear(low, high, bits)
    assert label_cost(made, low, high, bits) == 0
    cover(made, low, high, bits, chosen[0])
    for i in range(1, len(chosen)):
        cost = label_cost(made, low, high, bits)
        widened = widened_cost(made, cost, low, high, bits, chosen[i])
        cover(made, low, high, bits, chosen[i])
        expected = oracle.cost([rows[c] for c in chosen[: i + 1]], columns)
        assert np.isclose(widened, expected)
        assert np.isclose(label_cost(made, low, high, bits), expected)


@given(cells=some_cells(), data=st.data())
def test_the_cost_for_two_cells_is_that_of_their_label(cells, data):
    problem = posed(cells)
    rows, columns = in_order(problem), described(cells)
    a, b = (data.draw(st.integers(0, len(rows) - 1)) for _ in range(2))
    found = pair_cost(problem.columns, a, b, 0, len(columns), FAR)
    assert np.isclose(found, oracle.cost([rows[a], rows[b]], columns))
    assert pair_cost(problem.columns, a, b, 0, len(columns), found / 2) >= found / 2


def test_a_set_of_more_than_64_values_costs_a_step_for_each_but_one():
    cells = make_cells([category("q", 100)], [(0,), (70,), (99,)], [1, 1, 1], [])
    problem = posed(cells)
    assert problem.columns.kind[0] != TALL
    low, high = np.empty(1, np.int64), np.empty(1, np.int64)
    bits = np.empty(2, np.uint64)
    clear(low, high, bits)
    for cell in range(3):
        cover(problem.columns, low, high, bits, cell)
    assert label_cost(problem.columns, low, high, bits) == pytest.approx(2 / 99)
