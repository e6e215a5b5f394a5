"""Listing, running, printing and the page, on small experiments and the worked examples."""

from __future__ import annotations

import json
import math
import shutil
import sys
import xml.etree.ElementTree

import pytest

from gyges.cli import main
from gyges.errors import GygesError, SourceError
from gyges.papers import registry
from gyges.papers.experiment import (
    Asked,
    Curve,
    Experiment,
    Findings,
    Outcome,
    Plot,
    Sheet,
    Statement,
)
from gyges.papers.page import reproduction_page
from gyges.papers.pictures import plot_svg
from gyges.papers.text import as_sheet, readable

CHROMIUM = shutil.which("chromium")
ODD = "<b>&\"' {x}"


def odd_outcome(held: bool | None = False, because: str = "") -> Outcome:
    statement = Statement(ODD, held, ODD, ODD, because)
    plot = Plot(ODD, ODD, ODD, [Curve(ODD, [1, 2, 3], [0.1, math.nan, 5.0])], log_y=True)
    findings = Findings([statement], [plot], [Sheet(ODD, [ODD], [[ODD]])], [ODD])
    one = Experiment("odd-1", "Martin2007", ODD, ODD, ODD, lambda asked: findings)
    return Outcome(one, findings, Asked(), 0.5, {"adult": "ab" * 32})


def test_everything_on_the_page_is_escaped_and_it_loads_nothing():
    page = reproduction_page([odd_outcome()], [(odd_outcome().experiment, ODD)])
    assert ODD not in page and "<b>" not in page and "<script" not in page
    assert "src=" not in page and "url(" not in page and "&lt;b&gt;" in page


@pytest.mark.parametrize("y", [[1.0], [0.0, 0.0], [-3.0, 4.0], [1e-9, 1e9], [math.nan], []])
@pytest.mark.parametrize("is_log", [False, True])
def test_any_curve_can_be_drawn(y, is_log):
    plot = Plot("t", "x", "y", [Curve("c", range(len(y)), y)], log_x=is_log, log_y=is_log)
    xml.etree.ElementTree.fromstring(plot_svg(plot))


def test_bars_carry_their_names():
    plot = Plot("t", "x", "y", [Curve("c", [0, 1], [3.0, 0.0])], labels=["A+", "<b>"])
    drawn = "".join(xml.etree.ElementTree.fromstring(plot_svg(plot)).itertext())
    assert "A+" in drawn and "<b>" in drawn
    assert as_sheet(plot).rows == [("A+", "3"), ("<b>", "0")]


def test_a_plot_as_a_table_has_every_curve_and_the_last_point():
    plot = Plot("t", "x", "y", [Curve("a", range(100), range(100)), Curve("b", [99], [7.0])])
    sheet = as_sheet(plot)
    assert sheet.columns == ("x", "a", "b") and sheet.rows[-1] == ("99", "99", "7")
    assert sheet.rows[0] == ("0", "0", "") and len(sheet.rows) < 20


def test_a_curve_whose_ends_differ_in_length_is_refused():
    with pytest.raises(ValueError, match="2 x and 1 y"):
        Curve("a", [1, 2], [1])


def test_a_statement_that_did_not_hold_is_open_until_it_is_explained():
    assert odd_outcome(False).unexplained and not odd_outcome(False, "why").unexplained
    assert not odd_outcome(True).failed and not odd_outcome(None).failed
    assert "DID NOT HOLD" in readable(odd_outcome(False))


def test_names_are_unique_and_begin_with_their_paper():
    names = [one.name for one in registry.experiments()]
    assert len(names) == len(set(names))
    for paper in registry.MODULES:
        for one in registry.experiments(paper):
            assert one.name.startswith(f"{paper}-") and one.paper in registry.TITLES


def test_an_unknown_experiment_is_one_sentence():
    with pytest.raises(GygesError, match="did you mean 'martin-"):
        registry.experiment("martin-0")
    with pytest.raises(GygesError, match="no experiment 'x'"):
        registry.experiment("x")


def call(monkeypatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["gyges", *arguments])
    monkeypatch.setattr(main, "app", type(main.app)(add_completion=False))
    with pytest.raises(SystemExit) as left:
        main.run()
    return int(left.value.code or 0)


def test_the_command_lists_runs_one_and_gives_json(monkeypatch, capsys):
    assert call(monkeypatch, "reproduce") == 0
    assert "martin-1" in capsys.readouterr().out
    assert call(monkeypatch, "reproduce", "martin-1") == 0
    assert "DID NOT HOLD" in capsys.readouterr().out
    assert call(monkeypatch, "reproduce", "martin-1", "--json") == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["name"] == "martin-1" and told["statements"][0]["held"] is True
    assert call(monkeypatch, "reproduce", "martin-0") == 2


def test_all_writes_a_page_says_what_was_not_run_and_fails_on_the_unexplained(
    monkeypatch, capsys, tmp_path
):
    def fails(asked):
        raise SourceError("no data here")

    lost = Experiment("odd-2", "Martin2007", "Figure 0", "t", "s", fails)
    monkeypatch.setattr(registry, "MODULES", {"odd": ("odd",)})
    monkeypatch.setattr(registry, "experiments", lambda: [odd_outcome().experiment, lost])
    page = tmp_path / "page.html"
    assert call(monkeypatch, "reproduce", "--all", "--out", str(page)) == 1
    told = capsys.readouterr()
    assert "1 UNEXPLAINED" in told.out and "not run: odd-2: no data here" in told.err
    assert "no data here" in page.read_text() and "odd-1" in page.read_text()
    assert call(monkeypatch, "reproduce", "--all", "--out", str(tmp_path / "no" / "p.html")) == 2


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("width", [1000, 390])
def test_a_browser_shows_the_page_and_asks_for_nothing_else(tmp_path, width):
    from playwright.sync_api import sync_playwright

    real = registry.rerun(registry.experiment("martin-1"), Asked())
    path = tmp_path / "page.html"
    path.write_text(reproduction_page([real, odd_outcome()]), encoding="utf-8")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        shown = page.inner_text("body")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("svg circle").count() == 2
        browser.close()
    assert asked == [path.as_uri()]
    assert "did not hold" in shown.lower() and "10/19" in shown
