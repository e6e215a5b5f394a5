"""The report as a person sees it: in a real browser, on a wide screen and on a phone."""

from __future__ import annotations

import shutil

import pytest

import gyges as gy
from gyges.data.examples import hospital, hospital_schema
from gyges.report.page import report_page

CHROMIUM = shutil.which("chromium")
EVIL = "<script>document.title='taken'</script>"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    columns = hospital(300)
    columns["disease"] = [EVIL if d == "Flu" else d for d in columns["disease"]]
    release = gy.publish(gy.read(columns, hospital_schema()), [gy.KAnonymity(5)])
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report_page(release, gy.audit(release)), encoding="utf-8")
    return path


def test_values_are_escaped_and_nothing_is_loaded_from_anywhere(page_file):
    text = page_file.read_text(encoding="utf-8")
    assert EVIL not in text
    assert "<script src=" not in text and "<link" not in text and "@import" not in text


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("width", [1000, 390])
def test_a_browser_shows_the_page_with_its_pictures(page_file, width):
    from playwright.sync_api import sync_playwright

    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=quiet)
        page = browser.new_page(viewport={"width": width, "height": 900})
        wrong, asked = [], []
        page.on("pageerror", lambda problem: wrong.append(str(problem)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(page_file.as_uri())
        page.wait_for_selector(".js-plotly-plot .main-svg")
        shown = page.inner_text("body")
        assert page.title() == "What this release tells"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        browser.close()
    assert not wrong
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    for words in ("What is promised", "What is not promised", "every group has at least 5 people"):
        assert words in shown
