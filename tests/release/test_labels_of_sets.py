"""Sets of values are written alike by both ways of finding them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.ragged import Ragged
from gyges.release import labels

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")


@given(
    st.lists(st.lists(st.integers(0, 6), min_size=1), min_size=1),
    st.lists(st.integers(0, 6), max_size=3),
)
def test_a_label_is_the_set_of_the_values_of_a_group(held, others):
    """Few values are a number of bits, many are looked at one by one."""
    letters = [f"v{code}" for code in range(7)]
    shown = sorted({code for group in held for code in group} | set(others))
    table = gy.read(
        {"pet": [letters[code] for code in shown], "ill": ["Flu"] * len(shown)},
        gy.Schema(quasi_identifiers=["pet"], sensitive="ill"),
    )
    [domain] = table.cells.domains
    place = {code: domain.values.index(letters[code]) for code in shown}
    codes = [np.array([place[code] for code in group], dtype=np.int32) for group in held]
    ragged = Ragged.from_parts(codes)
    found = labels.local_labels(domain, ragged, "usual").listed()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(labels, "_MOST_BITS", 0)
        assert labels.local_labels(domain, ragged, "usual").listed() == found
    for label, group in zip(found, held, strict=True):
        distinct = sorted({letters[code] for code in group})
        if len(distinct) == 1:
            assert label == distinct[0]
        elif len(distinct) == len(shown):
            assert label == "*"
        else:
            assert label == "{" + ", ".join(distinct) + "}"
