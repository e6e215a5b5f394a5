"""Listing, running, printing and the page, on small experiments and the worked examples."""

from __future__ import annotations

import json
import math
import shutil
import sys
import xml.etree.ElementTree
from pathlib import Path

import pytest

import gyges as gy
from gyges.cli import main as installed
from reproduction import registry
from reproduction.__main__ import main
from reproduction.experiment import (
    Curve,
    Experiment,
    Findings,
    Outcome,
    Plot,
    RunOptions,
    Sheet,
    Statement,
)
from reproduction.page import TITLES, reproduction_page
from reproduction.pictures import plot_svg
from reproduction.text import as_sheet, readable

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium")
ODD = "<b>&\"' {x}"


def odd_outcome(held: bool | None = False, because: str = "") -> Outcome:
    statement = Statement(ODD, held, ODD, ODD, because)
    plot = Plot(ODD, ODD, ODD, [Curve(ODD, [1, 2, 3], [0.1, math.nan, 5.0])], log_y=True)
    findings = Findings([statement], [plot], [Sheet(ODD, [ODD], [[ODD]])], [ODD])
    one = Experiment("odd-1", "Martin2007", ODD, ODD, ODD, lambda asked: findings)
    return Outcome(one, findings, RunOptions(), 0.5, {"adult": "ab" * 32})


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
    names = [one.name for one in registry.EXPERIMENTS]
    assert len(names) == len(set(names))
    for one in registry.EXPERIMENTS:
        assert one.paper in TITLES and one.paper.lower().startswith(one.name.partition("-")[0])


def test_an_unknown_experiment_is_one_sentence():
    with pytest.raises(gy.GygesError, match="did you mean 'martin-"):
        registry.experiment("martin-0")
    with pytest.raises(gy.GygesError, match="no experiment 'x'"):
        registry.experiment("x")


def test_the_command_lists_runs_one_and_gives_json(capsys):
    assert main(["list"]) == 0
    assert "martin-1" in capsys.readouterr().out
    assert main(["run", "martin-1"]) == 0
    assert "DID NOT HOLD" in capsys.readouterr().out
    assert main(["run", "martin-1", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["name"] == "martin-1" and told["statements"][0]["held"] is True
    assert main(["run", "martin-0"]) == 2
    assert main(["run"]) == main(["run", "martin-1", "--all"]) == 2


def test_all_writes_a_page_says_what_was_not_run_and_fails_on_the_unexplained(
    monkeypatch, capsys, tmp_path
):
    def fails(options):
        raise gy.GygesError("no data here")

    lost = Experiment("odd-2", "Martin2007", "Figure 0", "t", "s", fails)
    monkeypatch.setattr(registry, "EXPERIMENTS", (odd_outcome().experiment, lost))
    page = tmp_path / "page.html"
    assert main(["run", "--all", "--out", str(page)]) == 1
    told = capsys.readouterr()
    assert "1 UNEXPLAINED" in told.out and "not run: odd-2: no data here" in told.err
    assert "no data here" in page.read_text() and "odd-1" in page.read_text()
    assert main(["run", "--all", "--out", str(tmp_path / "no" / "p.html")]) == 2


def test_the_installed_command_says_where_the_reproduction_is(monkeypatch, capsys):
    """The folder and the target that it names are there."""
    for words in ([], ["--json"]):
        monkeypatch.setattr(sys, "argv", ["gyges", "reproduce", *words])
        with pytest.raises(SystemExit) as left:
            installed.run()
        assert not left.value.code
    out = capsys.readouterr().out
    said = json.loads(out[out.index("{") :])
    assert said["text"] in out and "make papers" in said["text"]
    assert (ROOT / said["where"] / "__main__.py").is_file()
    assert "\npapers:" in (ROOT / "Makefile").read_text()


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("width", [1000, 390])
def test_a_browser_shows_the_page_and_asks_for_nothing_else(tmp_path, width):
    from playwright.sync_api import sync_playwright

    real = registry.rerun(registry.experiment("martin-1"), RunOptions())
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
