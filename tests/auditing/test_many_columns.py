"""Tables with very many columns: an audit ends, and says what it did not compute."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

import gyges as gy
from gyges.auditing.tells_apart import _MOST_SETS, _largest


def test_an_audit_of_a_thousand_columns_ends():
    """2 ** 1200 sets of columns did not fit into a float."""
    rng = np.random.default_rng(3)
    columns = {f"item {i}": rng.integers(0, 3, 40).tolist() for i in range(1200)}
    schema = gy.Schema(quasi_identifiers=list(columns), sensitive="s")
    table = gy.read(columns | {"s": rng.integers(0, 3, 40).tolist()}, schema)
    release = gy.publish(table, [gy.KAnonymity(5)])
    said = [
        f.sentence
        for f in gy.audit(release, utility=False).findings
        if f.attacker == "tells people apart"
    ]
    assert any(one.startswith("Of 1,200 sets of columns") for one in said)


@pytest.mark.parametrize("n", [1, 2, 9, 10, 11, 19, 20, 46, 47, 400])
def test_all_sets_up_to_a_size_are_taken_as_long_as_they_are_few(n):
    sizes = [sum(comb(n, size) for size in range(1, most + 1)) for most in range(1, n + 1)]
    few = [most for most, n_sets in enumerate(sizes, 1) if n_sets <= _MOST_SETS] or [1]
    assert _largest(n) == (few[-1], sizes[few[-1] - 1])
