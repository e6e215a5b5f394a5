"""Mondrian against plain loops, minimality by brute force, and safety judged afresh."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.errors import NothingSafeError, RuleError
from gyges.search import partition
from tests.oracles import partition as oracle
from tests.search.made import as_lists, make_cells, number, plain, some_cells


def histogram(group, held):
    return sum((Counter(held[cell]) for cell in group), Counter())


@given(cells=some_cells(), k=st.integers(1, 6))
def test_groups_of_at_least_k_agree_with_plain_loops(cells, k):
    people, _, columns = plain(cells)
    if cells.n_people < k:
        with pytest.raises(NothingSafeError, match="already break"):
            partition.search(cells, gy.KAnonymity(k))
        return
    found = partition.search(cells, gy.KAnonymity(k))
    expected = oracle.descend(
        people,
        people,
        columns,
        lambda group: oracle.size(group, people) >= k,
        lambda group: oracle.by_width(group, columns),
        k,
    )
    assert as_lists(found) == expected
