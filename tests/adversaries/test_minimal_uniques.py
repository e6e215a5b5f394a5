"""Minimal sample uniques against their definition, set by set and person by person."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import gyges as gy
from gyges.adversaries.minimal_uniques import DistinctRows, minimal_uniques, weight


@st.composite
def tables(draw):
    d = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[st.integers(0, 2)] * d), min_size=1, max_size=14))
    return [list(row) for row in rows]


def distinct(rows):
    codes, counts = np.unique(np.array(rows), axis=0, return_counts=True)
    names = tuple(f"c{i}" for i in range(codes.shape[1]))
    return DistinctRows(names, codes, counts)


def unique_sets(rows, person):
    """Every set of columns on which one person is unique."""
    d = len(rows[0])
    for size in range(d + 1):
        for columns in combinations(range(d), size):
            alike = sum(all(r[c] == rows[person][c] for c in columns) for r in rows)
            if alike == 1:
                yield set(columns)


@given(tables(), st.integers(1, 4))
def test_minimal_sets_are_those_without_a_smaller_one(rows, most):
    shown = distinct(rows)
    found = minimal_uniques(shown, most)
    by_row = {}
    for columns, cells in zip(found.sets, found.rows, strict=True):
        for cell in cells:
            by_row.setdefault(tuple(shown.codes[cell].tolist()), []).append(columns)
    for person, row in enumerate(rows):
        sets = list(unique_sets(rows, person))
        minimal = [s for s in sets if not any(t < s for t in sets) and len(s) <= most]
        want = sorted(tuple(sorted(s)) for s in minimal)
        assert sorted(by_row.get(tuple(row), [])) == want
    scores = found.scores(len(shown.people))
    for cell, codes in enumerate(shown.codes.tolist()):
        want = sum(weight(len(s), found.most, len(codes)) for s in by_row.get(tuple(codes), []))
        assert scores[cell] == want


def test_an_audit_says_how_few_columns_single_people_out():
    people = {"age": [20, 21, 22, 22], "sex": list("FFMF"), "dis": list("xyxy")}
    table = gy.read(people, gy.Schema(quasi_identifiers=["age", "sex"], sensitive="dis"))
    found = gy.audit(gy.publish(table, gy.KAnonymity(1)))
    said = [one for one in found.findings if one.attacker == "few columns"]
    assert "3 of 4 rows (75%) on one column and 4 on 2 or fewer" in said[0].sentence
    assert said[0].measures["few_columns"].n_unique == (3, 4)
    assert "age" in said[1].sentence and said[0].witness == {"age": "20", "sex": "F"}
    safe = gy.audit(gy.publish(table, gy.KAnonymity(2)))
    assert not any(one.attacker == "few columns" for one in safe.findings)


def test_a_single_person_is_unique_whatever_is_known():
    """No column is needed, so "0 of 1 on one column" was wrong, and no column contributes."""
    found = gy.audit({"age": ["20"], "sex": ["F"]})
    [said] = [one for one in found.findings if one.attacker == "few columns"]
    assert "1 of 1 row (100%) on one column" in said.sentence and said.number == 1
