"""Reconstruction from views against the enumeration of all tables with their counts."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.marginals.published_views import publish_marginals

pytestmark = pytest.mark.filterwarnings("ignore::gyges.errors.GygesWarning")
NAMES = ["a", "b", "c"]
ROWS = st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=1, max_size=5)
PAIRS = [*combinations(NAMES, 2), ("a",), ("a", "b", "c")]
VIEWS = st.lists(st.sampled_from(PAIRS), min_size=1, max_size=3, unique=True)


def marginals(rows, views):
    table = gy.read(
        {name: [f"v{row[i]}" for row in rows] for i, name in enumerate(NAMES)},
        gy.Schema(quasi_identifiers=NAMES),
    )
    return gy.Marginals.of(table, [dict.fromkeys(view, 0) for view in views])


def tables_with(rows, views):
    """Every table of as many people in which all views have the same counts."""
    shown = sorted({name for view in views for name in view})
    domains = [sorted({row[NAMES.index(name)] for row in rows}) for name in shown]
    wanted = [Counter(tuple(row[NAMES.index(n)] for n in view) for row in rows) for view in views]

    def extend(left, cells, made):
        if not cells:
            if not left:
                yield made
            return
        for n in range(left + 1):
            yield from extend(left - n, cells[1:], made + [cells[0]] * n)

    for made in extend(len(rows), [*product(*domains)], []):
        counts = [
            Counter(tuple(row[shown.index(n)] for n in view) for row in made) for view in views
        ]
        if counts == wanted:
            yield {tuple(zip(shown, row, strict=True)) for row in made}


@settings(max_examples=40)
@given(ROWS, VIEWS)
def test_certain_rows_are_those_of_every_table(rows, views):
    made = marginals(rows, views)
    found = made.reconstruct(np.random.default_rng(0))
    certain = set.intersection(*tables_with(rows, views))
    stated = {
        tuple((name, int(label[1:])) for name, label in found.labels(place).items())
        for place in np.flatnonzero(found.is_certain)
    }
    assert found.is_complete and stated == certain
    assert found.n_tables == 20 and (found.times[found.is_certain] == 20).all()
    ranked = found.times[~found.is_certain]
    assert (np.diff(ranked) <= 0).all()


def people(n, seed):
    rng = np.random.default_rng(seed)
    town = rng.choice(6, n, p=[0.5, 0.3, 0.1, 0.05, 0.03, 0.02])
    age = (town + rng.integers(0, 3, n)) % 6
    job = (age * 2 + rng.integers(0, 2, n)) % 6
    return [*zip(town.tolist(), age.tolist(), job.tolist(), strict=True)]


def test_confident_rows_are_true_more_often_than_likely_ones():
    """The ranking beats the baseline: the most probable rows if columns were independent."""
    rows = people(60, 1)
    made = marginals(rows, [("a", "b"), ("b", "c"), ("a", "c")])
    found = made.reconstruct(np.random.default_rng(0))
    true = set(rows)
    n = int((found.times == found.n_tables).sum())
    assert n >= 10
    ranked = [tuple(int(label[1:]) for label in found.labels(i).values()) for i in range(n)]
    shares = [Counter(row[i] for row in rows) for i in range(3)]

    def share(row):
        return np.prod([of[value] for of, value in zip(shares, row, strict=True)])

    likely = sorted(product(range(6), repeat=3), key=share, reverse=True)[:n]
    assert sum(row in true for row in ranked) > 1.3 * sum(row in true for row in likely)
    certain = [row for row, is_sure in zip(ranked, found.is_certain, strict=False) if is_sure]
    assert certain and set(certain) <= true


def test_an_audit_of_views_says_which_rows_they_prove():
    rows = [(0, 0, 0)] * 3 + [(1, 1, 1)] * 4
    release = publish_marginals(marginals(rows, [("a", "b"), ("b", "c")]), gy.KAnonymity(3))
    [one] = [f for f in gy.audit(release).findings if f.attacker == "reconstructs rows"]
    assert one.number == 2 and one.is_checked and one.witness == {"a": "v0", "b": "v0", "c": "v0"}
    assert "prove that 2 combinations of all published columns are in the original" in one.sentence


def test_what_is_too_large_is_not_computed():
    rng = np.random.default_rng(0)
    names = [f"c{i}" for i in range(5)]
    table = gy.read(
        {name: [f"v{x}" for x in rng.integers(0, 6, 400)] for name in names},
        gy.Schema(quasi_identifiers=names),
    )
    release = publish_marginals(
        gy.Marginals.of(table, [{name: 0} for name in names]), gy.KAnonymity(2)
    )
    [one] = [f for f in gy.audit(release).findings if f.attacker == "reconstructs rows"]
    assert not one.is_checked and one.number is None and "integer programs" in one.sentence
