"""A yes about views that do not decompose is true of the maximum entropy distribution."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import gyges as gy
from gyges.marginals import certified_fit as certified
from gyges.marginals.induced import maximal
from gyges.marginals.support import incidence, prove_impossible
from tests.marginals import tables
from tests.oracles import marginals as oracle

SLOW = settings(
    parent=tables.FEW, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
FLAT = {"a": 2, "b": 2, "c": 2, "s": 2}


def fitted(m):
    return certified.certified_fit(
        m.attributes, [m._store.counts(r) for r in maximal(m.resolutions)]
    )


def assert_within_its_error(case, m, twin):
    """Each cell of labels holds what the twin's cells of values hold, up to the stated error."""
    found = fitted(m)
    assert found.error is not None
    held = {}
    for cell, people in twin.items():
        codes = m._codes([case.as_row(cell)])[0]
        labels = tuple(
            int(a.codes[r][code])
            for a, r, code in zip(m.attributes, found.finest, codes, strict=True)
        )
        held[labels] = held.get(labels, Decimal(0)) + people
    assert {tuple(cell) for cell in found.cells.tolist()} == {c for c, n in held.items() if n}
    for cell, people in zip(found.cells.tolist(), found.people, strict=True):
        assert abs(float((Decimal(float(people)) / held[tuple(cell)]).ln())) <= found.error
    assert found.error < 1e-9


@SLOW
@given(tables.tangled_cases(max_rows=3))
def test_every_cell_is_within_the_error_of_a_fit_in_sixty_digits(case):
    """With structural zeros: the twin enumerates which cells can be filled at all."""
    possible = oracle.possible_cells(case.rows, case.paths, case.views)
    twin = oracle.maxent(case.rows, case.paths, case.views, possible)
    assume(twin is not None)
    assert_within_its_error(case, case.marginals, twin)


@st.composite
def uneven_cases(draw):
    """All pairs of three columns with two to three values, counted from 1 to 400 people a cell."""
    n_values = [draw(st.integers(2, 3)) for _ in range(3)]
    paths = [
        {f"{c}{i}": (f"{c}{i}", "*") for i in range(n)}
        for c, n in zip("abs", n_values, strict=True)
    ]
    times = st.sampled_from([1, 1, 1, 2, 3, 20, 400])
    rows = [cell for cell in oracle.domain(paths) for _ in range(draw(times))]
    return tables.Case(rows, paths, [{0: 0, 1: 0}, {1: 0, 2: 0}, {0: 0, 2: 0}])


@SLOW
@given(uneven_cases(), st.sampled_from([2, 3]), st.data())
def test_no_rule_passes_that_the_definition_refuses(case, l, data):
    """The threshold is put beside the true risk: near it a careless check says yes."""
    twin = oracle.maxent(case.rows, case.paths, case.views)
    assume(twin is not None)
    m = case.marginals
    assert_within_its_error(case, m, twin)
    vectors = list(oracle.groups_of(twin, case.sensitive).values())
    tails = [sum(sorted(v, reverse=True)[l - 1 :]) for v in vectors]
    if all(tails):
        worst = max(Fraction(max(v)) / Fraction(t) for v, t in zip(vectors, tails, strict=True))
        nudge = data.draw(st.sampled_from(["-1e-3", "-1e-9", "-1e-14", "1e-6", "1e-3"]))
        verdict = m.maxent_diversity(worst * (1 + Fraction(nudge)), l)
        assert verdict.safe == (not nudge.startswith("-"))
    share = max(Fraction(max(v)) / Fraction(sum(v)) for v in vectors)
    assert not m.judge(gy.ProbabilisticDiversity(1 / share * (1 + Fraction("1e-13")))).safe
    assert m.judge(gy.ProbabilisticDiversity(1 / share * (1 - Fraction("1e-7")))).safe
    least = min(oracle.exp_entropy([Fraction(x) for x in v]) for v in vectors)
    assert not m.judge(gy.EntropyDiversity(least * (1 + 1e-12))).safe
    assert m.judge(gy.EntropyDiversity(max(1.0, least * (1 - 1e-7)))).safe


def rare_marks(n_marks=5, n_people=3_000):
    """Each mark is on five people, four of them ill; nobody has two. Two marks form a view."""
    names = [f"mark{i}" for i in range(n_marks)]
    rows = [
        {**dict.fromkeys(names, 0), name: 1, "s": "ill" if i < 4 else "well"}
        for name in names
        for i in range(5)
    ]
    ill = sum(row["s"] == "ill" for row in rows)
    rest = n_people - len(rows)
    others = n_people // 2 - ill
    rows += [{**dict.fromkeys(names, 0), "s": "ill" if i < others else "well"} for i in range(rest)]
    columns = {name: [row[name] for row in rows] for name in [*names, "s"]}
    schema = gy.Schema(
        quasi_identifiers=names, sensitive="s", kinds=dict.fromkeys(names, "category")
    )
    views = [*({name: 0, "s": 0} for name in names), {names[0]: 0, names[1]: 0}]
    return gy.Marginals.of(gy.read(columns, schema), views)


def test_a_combination_that_hardly_anybody_has_is_judged_all_the_same():
    """All five marks together have a probability near 1e-14, and there "ill" is most certain."""
    m = rare_marks()
    everybody = dict.fromkeys([f"mark{i}" for i in range(5)], 1)
    p = m.maxent([{**everybody, "s": s} for s in ("ill", "well")])
    assert p.sum() == 0 or p.sum() < 1e-11  # the first two marks exclude each other
    four = {**everybody, "mark0": 0}
    ill, well = m.maxent([{**four, "s": s} for s in ("ill", "well")])
    assert 0 < ill + well < 1e-10
    worst = ill / well
    assert worst > 200  # about 4⁴
    assert m.maxent_diversity(worst * 1.001, 2).safe
    assert not m.maxent_diversity(worst * 0.999, 2).safe
    assert not m.maxent_diversity(70, 2).safe


def test_a_smaller_combination_still_fails():
    """Below 1e-12, where combinations used to be ignored: eight marks, 4⁷ to 1."""
    m = rare_marks(n_marks=8)
    verdict = m.maxent_diversity(10_000, 2)
    [risk] = verdict.risks.values()
    assert not verdict.safe
    assert risk == pytest.approx(4**7, rel=0.1)


def test_an_error_that_cannot_be_bounded_is_no_yes(monkeypatch):
    m = rare_marks(n_marks=3)
    assert m.maxent_diversity(10_000, 2).safe
    monkeypatch.setattr(certified, "LARGEST_ERROR", 1e-30)
    verdict = m.maxent_diversity(10_000, 2)
    assert not verdict.safe
    assert "undecided" in str(verdict)


def test_too_many_counts_are_refused(monkeypatch):
    monkeypatch.setattr(certified, "MOST_WORK", 100)
    with pytest.raises(gy.GygesError, match="too many to bound the error"):
        rare_marks(n_marks=3).maxent_diversity(10_000, 2)


def test_cells_are_called_impossible_only_with_a_proof():
    """No whole weights exclude a cell that a consistent table fills."""
    case = tables.Case(
        [(a, b, s) for a in ("a0", "a1") for b in ("b0", "b1") for s in ("s0", "s1")],
        [{f"{c}{i}": (f"{c}{i}", "*") for i in range(2)} for c in "abs"],
        [{0: 0, 1: 0}, {1: 0, 2: 0}, {0: 0, 2: 0}],
    )
    m = case.marginals
    counts = [m._store.counts(r) for r in maximal(m.resolutions)]
    finest = (1, 1, 1)
    cells = np.argwhere(np.ones((2, 2, 2), dtype=bool))
    inside = incidence(cells[1:], m.attributes, finest, counts)
    outside = incidence(cells[:1], m.attributes, finest, counts)
    assert not prove_impossible(inside, outside)


def test_the_error_is_small_where_cells_are_tiny():
    found = fitted(rare_marks(n_marks=8))
    assert found.people.min() / found.people.sum() < 1e-20
    assert found.error is not None and found.error < 1e-8
    assert math.isfinite(found.error)
