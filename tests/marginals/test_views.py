"""What a caller may ask for as a view, and what it looks like when published."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import gyges as gy
from tests.marginals import tables
from tests.marginals.test_maxent import FIGURE_1D, FIGURE_1E, paper
from tests.oracles import marginals as oracle


def test_figure_1d_is_printed_as_in_the_paper():
    [view] = gy.Marginals.of(paper(), [FIGURE_1D]).views
    frame = view.frame()
    assert list(frame) == ["zip", "condition", "count"]
    rows = list(zip(*frame.values(), strict=True))
    assert ("z14850", "Flu", 2) in rows and ("z14853", "Cancer", 2) in rows
    assert len(view) == len(rows) == 11 and view.people.sum() == 13
    assert str(view) == "zip (level 0) × condition (level 0): 11 rows"


@given(tables.cases())
def test_a_view_lists_every_combination_that_occurs_with_its_count(case):
    for view, spec in zip(case.marginals.views, case.views, strict=True):
        frame = view.frame()
        *labels, people = frame.values()
        found = dict(zip(zip(*labels, strict=True), people, strict=True))
        assert found == oracle.count(case.rows, case.paths, spec)


@tables.FEW
@given(tables.decomposable_cases(max_views=3))
def test_published_views_are_read_back_to_the_same_verdicts(case):
    m = case.marginals
    back = gy.Marginals.from_frames(m.attributes, [(v.levels, v.frame()) for v in m.views])
    assert back.resolutions == m.resolutions and back.n_people == m.n_people
    for k in (1, 2, 3):
        assert back.k_link(k).risks == m.k_link(k).risks
        assert back.k_combinatorial(k).risks == m.k_combinatorial(k).risks
    assert back.maxent_diversity("2", 2).risks == m.maxent_diversity("2", 2).risks
    rows = [case.as_row(cell) for cell in oracle.domain(case.paths)]
    assert np.array_equal(back.maxent(rows), m.maxent(rows))
    with pytest.raises(gy.GygesError, match="read without their table"):
        back.kl_divergence()


def published(view):
    [made] = gy.Marginals.of(paper(), [view]).views
    return made.levels, {name: list(column) for name, column in made.frame().items()}


def test_columns_that_can_be_read_once_are_read_whole():
    """A check of them must not use them up."""
    attributes = gy.Marginals.of(paper(), []).attributes
    levels, frame = published(FIGURE_1D)
    once = {name: iter(column) for name, column in frame.items()}
    [view] = gy.Marginals.from_frames(attributes, iter([(levels, once)])).views
    assert view.frame() == gy.Marginals.from_frames(attributes, [(levels, frame)]).views[0].frame()


def test_files_that_count_different_people_are_refused():
    attributes = gy.Marginals.of(paper(), []).attributes
    one, other = published(FIGURE_1D), published(FIGURE_1E)
    gy.Marginals.from_frames(attributes, [one, other])
    other[1]["count"][0] += 1
    with pytest.raises(gy.GygesError, match="contradict each other"):
        gy.Marginals.from_frames(attributes, [one, other])


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("count", 0, "that nobody has"),
        ("count", "many", "must hold whole numbers"),
        ("zip", "z99999", "a label of 'zip' that does not belong to its level"),
    ],
)
def test_files_that_are_no_views_are_refused(column, value, says):
    attributes = gy.Marginals.of(paper(), []).attributes
    levels, frame = published(FIGURE_1D)
    frame[column][0] = value
    with pytest.raises(gy.GygesError, match=says):
        gy.Marginals.from_frames(attributes, [(levels, frame)])


def test_a_file_with_other_columns_is_refused():
    attributes = gy.Marginals.of(paper(), []).attributes
    levels, frame = published(FIGURE_1D)
    del frame["count"]
    with pytest.raises(gy.GygesError, match="has these columns and 'count'"):
        gy.Marginals.from_frames(attributes, [(levels, frame)])


@pytest.mark.parametrize(
    ("view", "says"),
    [
        ({}, "names its columns"),
        ({"zap": 0}, "did you mean 'zip'"),
        ({"zip": 3}, "levels are 0 .* to 2"),
        ({"zip": -1}, "levels are 0"),
        ({"zip": "0"}, "levels are 0"),
        ({"zip": True}, "levels are 0"),
        ({"condition": 1}, "published at level 0 or omitted"),
    ],
)
def test_views_that_the_table_does_not_have_are_refused(view, says):
    with pytest.raises(gy.GygesError, match=says):
        gy.Marginals.of(paper(), [view])


def test_a_suppressed_column_is_shown_but_says_nothing():
    m = gy.Marginals.of(paper(), [{"zip": 2, "condition": 0}])
    assert set(m.views[0].frame()["zip"]) == {"*"}
    same = gy.Marginals.of(paper(), [{"condition": 0}])
    assert m.kl_divergence() == same.kl_divergence()


def test_several_values_per_person_are_refused():
    schema = gy.Schema(
        quasi_identifiers=["q"], sensitive="s", values_per_person="set", separator=";"
    )
    table = gy.read({"q": ["x", "y"], "s": ["a;b", "a"]}, schema)
    with pytest.raises(gy.GygesError, match="one sensitive value per person"):
        gy.Marginals.of(table, [{"q": 0}])


def test_a_column_called_count_does_not_hide_the_counts():
    table = gy.read(
        {"count": ["x", "y"], "s": ["a", "b"]},
        gy.Schema(quasi_identifiers=["count"], sensitive="s"),
    )
    [view] = gy.Marginals.of(table, [{"count": 0}]).views
    assert list(view.frame()) == ["count", "count of people"]


def test_a_sensitive_hierarchy_widens_the_domain_but_not_the_view():
    """A leaf that nobody has is possible where nothing is said of the column, else impossible."""
    schema = gy.Schema(
        quasi_identifiers=["q"],
        sensitive="s",
        hierarchies={"s": gy.Hierarchy.from_tree({"any": ["a", "b", "c"]})},
    )
    table = gy.read({"q": ["x", "y"], "s": ["a", "b"]}, schema)
    row = [{"q": "x", "s": "c"}]
    assert np.isclose(gy.Marginals.of(table, [{"q": 0}]).maxent(row)[0], 1 / 6)
    assert gy.Marginals.of(table, [{"q": 0, "s": 0}]).maxent(row)[0] == 0


def test_columns_of_a_view_have_one_length():
    """A column of one label was taken to be that of every row."""
    attributes = gy.Marginals.of(paper(), []).attributes
    levels, frame = published(FIGURE_1D)
    for column in ("zip", "count"):
        shorter = frame | {column: frame[column][:1]}
        with pytest.raises(gy.GygesError, match="same length"):
            gy.Marginals.from_frames(attributes, [(levels, shorter)])
