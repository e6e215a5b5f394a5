"""Pictures stay small however large the groups of a release are."""

from __future__ import annotations

import gyges as gy
from gyges.report.figure import Figure
from gyges.report.page import report_page
from gyges.report.pictures import skyline_picture, spread


def test_points_are_spread_evenly_with_both_ends():
    assert spread(list(range(5)), 10) == [0, 1, 2, 3, 4]
    assert spread(list(range(101)), 5) == [0, 25, 50, 75, 100]


def test_a_skyline_of_thousands_of_points_is_drawn_in_part():
    points = [(0.0, float(i), float(3000 - i)) for i in range(3000)]
    figure = skyline_picture(points, "Flu")
    assert len(figure.data) < 40 and max(len(trace["x"]) for trace in figure.data) <= 500


def test_the_report_of_large_groups_says_how_many_combinations_it_lists():
    values = [value for value in "abcdefgh" for _ in range(300)]
    table = gy.read(
        {"age": [30] * 2400, "ill": values}, gy.Schema(quasi_identifiers=["age"], sensitive="ill")
    )
    release = gy.publish(table, [gy.KAnonymity(5)])
    page = report_page(release, gy.audit(release))
    assert "200 of " in page and len(page) < 8_000_000


def test_no_text_of_the_data_ends_the_script_of_a_picture():
    drawn = Figure([{"name": "</script><script>alert(1)</script>"}]).html()
    assert drawn.count("</script>") == 1 and "\\u003c/script>" in drawn


def test_a_page_is_the_same_each_time():
    points = [(0.0, 2.0, 1.0), (1.0, 0.0, 0.0)]
    assert skyline_picture(points, "Flu").html() == skyline_picture(points, "Flu").html()
