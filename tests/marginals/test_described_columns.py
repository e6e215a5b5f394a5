"""What is published of the columns is enough to judge the views, and no more than they show."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

import gyges as gy
from gyges.marginals.described_columns import (
    as_published,
    describe_columns,
    labels_nest,
    read_columns,
)
from tests.marginals import tables
from tests.marginals.test_maxent import FIGURE_1B, FIGURE_1D, paper


def through_files(m):
    """The views as somebody has them who got only the files."""
    m = as_published(m)
    text = json.dumps(
        {
            "columns": describe_columns(m.attributes, m.views),
            "views": [{"levels": view.levels, "frame": view.frame()} for view in m.views],
        }
    )
    read = json.loads(text)
    views = [(view["levels"], view["frame"]) for view in read["views"]]
    back = gy.Marginals.from_frames(read_columns(read["columns"]), views)
    assert describe_columns(back.attributes, back.views) == read["columns"]
    return back


@given(tables.decomposable_cases(shapes=("flat2", "uneven", "deep"), max_views=3, max_rows=10))
def test_verdicts_from_the_files_alone_are_those_of_the_table(case):
    m = case.marginals
    back = through_files(m)
    assert back.decomposable and back.n_people == m.n_people
    for k in (1, 2, 3):
        assert back.k_link(k).risks == m.k_link(k).risks
        assert back.k_combinatorial(k).risks == m.k_combinatorial(k).risks
    for rule in (gy.RecursiveDiversity("2", 2), gy.EntropyDiversity(2), gy.DistinctDiversity(2)):
        assert back.judge(rule).risks == m.judge(rule).risks


def test_only_what_the_views_show_is_described():
    m = gy.Marginals.of(paper(), [FIGURE_1B])
    described = {column["name"]: column for column in describe_columns(m.attributes, m.views)}
    assert described["zip"]["rows"] == [["1306*"], ["1485*"]]
    assert "z14850" not in json.dumps(described) and "33" not in json.dumps(described)


def test_sensitive_values_that_no_view_shows_are_numbered():
    m = gy.Marginals.of(paper(), [{"zip": 0}])
    zips, condition = describe_columns(m.attributes, m.views)
    assert zips["name"] == "zip" and len(condition["rows"]) == 6
    assert "Measles" not in json.dumps(condition)
    assert through_files(m).maxent_diversity("1/2", 5).risks == (m.maxent_diversity("1/2", 5).risks)


def test_levels_that_split_nothing_are_found_again():
    h = gy.Hierarchy((("x", "X", "X*", "*"), ("y", "Y", "Y*", "*")))
    schema = gy.Schema(quasi_identifiers=["c"], sensitive="s", hierarchies={"c": h})
    table = gy.read({"c": ["x", "y"], "s": ["u", "v"]}, schema)
    m = gy.Marginals.of(table, [{"c": 2, "s": 0}])
    assert through_files(m).views[0].frame() == m.views[0].frame()


def broken(column, **changes):
    return [dict(column, **changes)]


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": [["a", "x"], ["b"]]},
        {"rows": [[]]},
        {"rows": [["a", "x"], ["a", "x"]]},  # a leaf twice
        {"rows": [["a", "x"], ["a", "y"]]},
        {"rows": None},
        {"sensitive": True},  # a sensitive column has its values only
    ],
)
def test_columns_that_are_no_hierarchy_are_refused(changes):
    column = {"name": "q", "sensitive": False, "rows": [["a", "x"], ["b", "x"]]}
    read_columns([column])
    with pytest.raises(gy.GygesError):
        read_columns(broken(column, **changes))


def test_a_label_under_two_parents_is_refused():
    rows = [["a", "x", "*"], ["b", "x", "*"], ["c", "x", "*"], ["c", "y", "*"]]
    with pytest.raises(gy.GygesError, match="do not form a hierarchy"):
        read_columns([{"name": "q", "sensitive": False, "rows": rows}])


def test_figures_1b_and_1d_are_refuted_from_the_files_alone():
    back = through_files(gy.Marginals.of(paper(), [FIGURE_1B, FIGURE_1D]))
    assert not back.judge([gy.KAnonymity(2), gy.RecursiveDiversity("2", 3, strict=False)]).safe


def test_labels_nest_where_their_text_says_so_and_each_fits_one_coarser_label_only():
    def nest(rows):
        return labels_nest(read_columns([{"name": "q", "sensitive": False, "rows": rows}])[0])

    assert nest([["30-34", "30-39"], ["35-39", "30-39"], ["40-44", "40-49"]])
    assert nest(
        [["14850", "1485*", "14***"], ["14853", "1485*", "14***"], ["13068", "1306*", "13***"]]
    )
    assert nest([["7"], ["8"]])
    assert nest([["30-34", "30-39"], ["40-44", "40-49"], ["(missing)", "(missing)"]])
    assert not nest([["30-34", "(missing)"], ["(missing)", "30-39"]])
    assert not nest([["30-34", "30-39"], ["40-44", "30-39"]])
    assert not nest([["30-34", "30-39"], ["40-44", "30-49"]])  # the first fits both
    assert not nest([["14850", "1306*"], ["13068", "1485*"]])
    assert not nest([["Sales", "white-collar"]])
    assert not nest([["34-30", "30-39"], ["35-39", "30-39"]])  # no range
    assert not nest([["2024-01", "2023"], ["2024-02", "2023"]])  # no numbers from 2024 to 1
