"""A method that is registered by one line publishes like the others."""

from __future__ import annotations

import numpy as np
import pytest

import gyges as gy
from gyges.errors import RuleError
from gyges.release.partition_of_cells import Partition
from gyges.search.methods import METHODS, Method

COLUMNS = {"age": [20, 21, 30, 31, 40, 41], "ill": ["Flu", "Gout"] * 3}
SCHEMA = gy.Schema(quasi_identifiers=["age"], sensitive="ill")


def search(cells, rules, *, parts=1, rng):
    """The toy: cells in the order of their codes, cut into parts of equal length."""
    assert rules and isinstance(rng, np.random.Generator)
    place = np.argsort(np.lexsort(cells.codes.T))
    return Partition(cells, (place * parts // len(place)).astype(np.int64), parts)


def test_a_toy_method_takes_its_search_and_one_line(monkeypatch, tmp_path):
    monkeypatch.setitem(METHODS, "toy", Method(search, "bucketized"))
    table = gy.read(COLUMNS, SCHEMA)
    release = gy.publish(table, [gy.KAnonymity(2)], method="toy", parts=3)
    assert release.method == "toy" and release.form == "bucketized"
    assert sorted(release.groups.sizes) == [2, 2, 2]
    directory = release.save(tmp_path / "toy")
    assert gy.verify(directory).holds and len(gy.load(directory).groups) == 3
    with pytest.raises(RuleError, match="the method toy has no option 'part'"):
        gy.publish(table, [gy.KAnonymity(2)], method="toy", part=3)
    with pytest.raises(RuleError, match=r"choose .*'toy'"):
        gy.publish(table, [gy.KAnonymity(2)], method="mine")


def test_what_a_search_finds_is_judged_before_it_is_published(monkeypatch):
    monkeypatch.setitem(METHODS, "toy", Method(search))
    with pytest.raises(gy.GygesError, match="the toy search found no safe release"):
        gy.publish(gy.read(COLUMNS, SCHEMA), [gy.KAnonymity(3)], method="toy", parts=3)


def test_methods_without_groups_take_neither_form_nor_limit(tmp_path):
    table = gy.read(COLUMNS, SCHEMA)
    for unwanted in ({"form": "generalized"}, {"memory_limit": "1GB"}):
        for method, more in (("marginals", {}), ("dp", {"epsilon": 1})):
            with pytest.raises(RuleError, match=f"the method {method} publishes no groups"):
                gy.publish(table, [gy.KAnonymity(2)], method=method, **unwanted, **more)
    views = gy.publish(table, [gy.KAnonymity(1)], method="marginals", time_limit=1, seed=1)
    assert gy.verify(views.save(tmp_path / "views")).holds
    with pytest.raises(RuleError, match="has no option 'parts'"):
        gy.publish(table, [gy.KAnonymity(2)], method="marginals", parts=1)
