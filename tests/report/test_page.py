"""The report in a real browser, on a wide screen and on a phone."""

from __future__ import annotations

import json
import re
import shutil
from itertools import pairwise

import pytest

import gyges as gy
from gyges.auditing.tradeoff import tradeoffs
from gyges.data.examples import hospital, hospital_schema, hospital_with_several_diseases
from gyges.report.page import report_page, report_pages

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


def test_values_are_escaped_and_nothing_is_loaded_from_elsewhere(page_file):
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
        assert page.title() == "What this release reveals, and to whom"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        browser.close()
    assert not wrong
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    headings = ["What is promised", "What is not promised", "What attackers can learn",
                "What the worst attacker needs", "Risk and utility"]  # fmt: skip
    for words in [*headings, "Every group has at least 5 people"]:
        assert words in shown


def test_the_summary_says_what_the_worst_attacker_needs(page_file):
    text = page_file.read_text(encoding="utf-8")
    assert "every row looks the same as at least 4 others" in text
    assert "The worst attacker needs" in text


@pytest.mark.parametrize(
    ("method", "several"),
    [
        *((method, False) for method in ("partition", "lattice", "suppression")),
        *((method, False) for method in ("buckets", "microaggregation")),
        *((method, True) for method in ("partition", "lattice", "suppression")),
        ("microaggregation", True),
    ],
)
def test_every_form_has_a_public_report_that_needs_no_original(method, several):
    columns = hospital_with_several_diseases(120) if several else hospital(120)
    table = gy.read(columns, hospital_schema(several=several))
    pages = report_pages(gy.publish(table, [gy.KAnonymity(4)], method=method))
    assert set(pages) == {"report.html", "report.json"}
    found = json.loads(pages["report.json"])
    assert found["people"] == 120 and found["audit"]["utility"] == {}
    for patient in map(str, columns["patient"]):
        assert patient not in pages["report.html"] and patient not in pages["report.json"]


def test_a_release_without_a_sensitive_column_has_a_report():
    columns = {name: values for name, values in hospital(60).items() if name != "disease"}
    schema = gy.Schema(identifiers=["patient"], quasi_identifiers=["age", "zip", "sex"])
    pages = report_pages(gy.publish(gy.read(columns, schema), [gy.KAnonymity(4)]))
    assert "only people&#x27;s identity is protected" in pages["report.html"]


def test_the_inside_report_draws_risk_against_utility():
    table = gy.read(hospital(200), hospital_schema())
    release = gy.publish(table, [gy.KAnonymity(5)])
    found = tradeoffs(table)
    assert [one.k for one in found] == [2, 3, 5, 10, 20, 50, 100]
    assert all(a.gcp <= b.gcp for a, b in pairwise(found))
    page = report_page(release, gy.audit(release), found)
    assert "detail lost" in page and "detail lost" not in report_page(release, gy.audit(release))


def test_a_claim_that_the_files_do_not_show_is_not_said_to_hold():
    table = gy.read(hospital(120), hospital_schema())
    release = gy.publish(table, [gy.KAnonymity(4), gy.Beliefs("0.3", "1")], method="lattice")
    page = report_pages(release)["report.html"]
    promised = page.partition("What is promised</h2>")[2].partition("<h2>")[0]
    states = re.findall("<td>(.*?)</td>", promised)
    assert len(states) == 2 and all(state.startswith("worst case: ") for state in states)
    assert [state.endswith("; the published files alone do not show it") for state in states] == [
        False,
        True,
    ]
    assert "holds" not in promised
