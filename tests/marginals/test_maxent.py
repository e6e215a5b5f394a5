"""The closed form of decomposable views, against proportional fitting in fractions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

import gyges as gy
from tests.marginals import tables
from tests.oracles import marginals as oracle


def paper():
    """Figure 1(a) with the zip codes' first digits and ages up to or over 40."""
    zips = "14850 14853 14853 14853 14850 14850 14850 14853 14853 13063 13063 13068 13068"
    ill = "Measles Allergy Gout Cancer Flu Heart Flu Cancer Heart Flu Cancer Cancer Heart"
    columns = {
        "zip": [f"z{code}" for code in zips.split()],
        "age": [33, 26, 22, 32, 48, 47, 46, 53, 51, 24, 38, 38, 30],
        "condition": ill.split(),
    }
    h = gy.Hierarchy.from_tree({"1485*": ["z14850", "z14853"], "1306*": ["z13063", "z13068"]})
    ages = gy.Hierarchy(
        tuple(
            (
                str(age),
                f"{(age - 1) // 10 * 10 + 1}-{(age - 1) // 10 * 10 + 10}",
                "<=40" if age <= 40 else ">40",
                "*",
            )
            for age in range(21, 61)
        )
    )
    schema = gy.Schema(
        quasi_identifiers=["zip", "age"],
        sensitive="condition",
        hierarchies={"zip": h, "age": ages},
    )
    return gy.read(columns, schema)


FIGURE_1B = {"zip": 1, "age": 2, "condition": 0}
FIGURE_1D = {"zip": 0, "condition": 0}
FIGURE_1E = {"zip": 0, "age": 1}


@given(tables.decomposable_cases(shapes=("flat2", "uneven", "deep"), max_columns=2))
def test_closed_form_agrees_with_fitting_in_fractions(case):
    exact = oracle.reconstruct(case.rows, case.paths, case.views)
    assert exact is not None, "fitting decomposable views comes to rest"
    cells = list(exact)
    found = case.marginals.maxent([case.as_row(cell) for cell in cells])
    assert np.allclose(found, [float(exact[cell]) for cell in cells], rtol=1e-12, atol=0)


@given(tables.decomposable_cases(max_views=4))
def test_the_divergence_is_that_of_the_reconstructed_table(case):
    share = oracle.reconstruct(case.rows, case.paths, case.views)
    expected = oracle.kl_divergence(case.rows, share)
    assert math.isclose(case.marginals.kl_divergence(), expected, abs_tol=1e-9)


@given(tables.decomposable_cases(max_views=4), tables.st.data())
def test_theorem_6_3_more_edges_and_vertices_never_hurt(case, data):
    """Views of any decomposable set made from coarser views of another approximate no better."""
    coarser = []
    for view in case.views:
        levels = {
            column: data.draw(tables.st.integers(level, case.heights[column]))
            for column, level in view.items()
            if column != case.sensitive
        }
        keeps = case.sensitive in view and data.draw(tables.st.booleans())
        coarser.append(levels | ({case.sensitive: 0} if keeps else {}))
    coarse = tables.Case(case.rows, case.paths, [v or {case.sensitive: 0} for v in coarser if v])
    if coarse.views and tables.is_decomposable(coarse):
        assert case.marginals.kl_divergence() <= coarse.marginals.kl_divergence() + 1e-9


def test_an_attribute_in_no_view_is_spread_over_its_whole_domain():
    m = gy.Marginals.of(paper(), [{"condition": 0}])
    row = {"zip": "z14850", "age": 33, "condition": "Measles"}
    assert np.isclose(m.maxent([row])[0], 1 / 13 / 4 / 40)


def test_children_of_uneven_siblings_share_what_their_own_parent_has():
    """[[a,b,c],[d]] with one person in each branch: d has three times as much as a."""
    h = gy.Hierarchy.from_tree({"x": ["a", "b", "c"], "y": ["d"]})
    schema = gy.Schema(quasi_identifiers=["q"], sensitive="s", hierarchies={"q": h})
    table = gy.read({"q": ["a", "d"], "s": ["u", "v"]}, schema)
    m = gy.Marginals.of(table, [{"q": 1}])
    found = m.maxent([{"q": "a", "s": "u"}, {"q": "d", "s": "u"}])
    assert np.allclose(found, [1 / 12, 1 / 4])


def test_no_views_mean_the_uniform_distribution():
    m = gy.Marginals.of(paper(), [])
    assert np.isclose(
        m.maxent([{"zip": "z13063", "age": 40, "condition": "Flu"}])[0], 1 / 4 / 40 / 6
    )
    assert m.decomposable and m.k_link(5).safe and m.k_combinatorial(5).safe
    assert m.maxent_diversity("1", 6).safe and not m.maxent_diversity("1/2", 6).safe
    assert len(m.sample(3, np.random.default_rng(0))) == 3


def test_a_combination_that_no_view_has_has_probability_0():
    m = gy.Marginals.of(paper(), [FIGURE_1B, FIGURE_1D])
    assert m.maxent([{"zip": "z13063", "age": 50, "condition": "Flu"}])[0] == 0


def test_everything_published_tells_everything():
    m = gy.Marginals.of(paper(), [{"zip": 0, "age": 0, "condition": 0}])
    assert abs(m.kl_divergence()) < 1e-12


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"zip": "z14850", "age": 33}, "row 1 has no value of 'condition'"),
        ({"zip": "z1", "age": 33, "condition": "Flu"}, "row 1 has a value of 'zip' that is not"),
    ],
)
def test_a_row_outside_the_domain_is_refused_without_repeating_it(row, says):
    with pytest.raises(gy.GygesError, match=says) as refused:
        gy.Marginals.of(paper(), [FIGURE_1D]).maxent([row])
    assert "z1'" not in str(refused.value)


@tables.FEW
@given(tables.decomposable_cases(max_views=3))
def test_samples_are_possible_rows_and_meet_small_probabilities_rarely(case):
    """Every drawn row has a positive probability; the shares of one column are about right."""
    m = case.marginals
    drawn = m.sample(400, np.random.default_rng(7)).to_pylist()
    assert (m.maxent(drawn) > 0).all()


@pytest.mark.slow
def test_samples_follow_the_closed_form():
    """Pearson's statistic over all 2-way cells of Figures 1(b) and 1(d) stays near its mean."""
    m = gy.Marginals.of(paper(), [FIGURE_1B, FIGURE_1D])
    n = 40_000
    drawn = m.sample(n, np.random.default_rng(11)).to_pylist()
    tally = {}
    for row in drawn:
        key = (row["zip"], row["age"] <= 40, row["condition"])
        tally[key] = tally.get(key, 0) + 1
    statistic, cells = 0.0, 0
    for key in tally:
        ages = range(21, 41) if key[1] else range(41, 61)
        expected = n * sum(m.maxent([{"zip": key[0], "age": a, "condition": key[2]} for a in ages]))
        statistic += (tally[key] - expected) ** 2 / expected
        cells += 1
    assert statistic < cells + 4 * math.sqrt(2 * cells)
