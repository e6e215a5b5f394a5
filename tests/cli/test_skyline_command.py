"""`gyges skyline`: the table of points, the sentences, the page; and `publish --memory`."""

from __future__ import annotations

import json
import math
import shutil

import duckdb
import pytest

import gyges as gy
from tests.cli.commands import gyges, gyges_alone


@pytest.fixture
def release(tmp_path):
    ages = list(range(20, 40))
    sick = ["AIDS", "Flu", "Flu", "Gout", "Cold"] * 4
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease")
    table = gy.read({"age": ages, "disease": sick}, schema)
    gy.publish(table, [gy.KAnonymity(10)]).save(tmp_path / "out")
    return tmp_path


def test_every_point_has_its_line_and_its_sentence(release):
    points = gy.skyline_find(gy.load(release / "out").groups, "AIDS", "0.9")
    code, text, _ = gyges(
        "skyline", "out", "--value", "AIDS", "--confidence", "0.9", folder=release
    )
    lines = text.splitlines()
    assert code == 0 and lines[1].split() == ["l", "k", "m"] and len(lines) == 2 + len(points)
    for line, point in zip(lines[2:], points, strict=True):
        assert tuple(map(int, line.split()[:3])) == point and "safe as long as" in line


def test_nothing_safe_is_said_in_words(release):
    code, text, _ = gyges("skyline", "out", "--value", "Flu", "--confidence", "0.1", folder=release)
    assert code == 0 and "knows nothing but the release" in text


def test_a_value_that_nobody_has_is_an_error_and_not_safe(release):
    """A misspelled value was "safe, however much is known"."""
    words = ("skyline", "out", "--value", "Aids", "--picture", "sky.html")
    code, text, notes = gyges(*words, folder=release)
    assert code == 2 and text == "" and not (release / "sky.html").exists()
    assert "nobody in the release has the value 'Aids' (did you mean 'AIDS'?)" in notes
    groups = gy.load(release / "out").groups
    assert gy.skyline_find(groups, "Aids", "0.9") == [(math.inf,) * 3]
    assert gy.breach(groups, "Aids", l=0, k=0, m=0).probability == 0


@pytest.mark.parametrize("target", ["picture.png", "nowhere/picture.html"])
def test_a_picture_that_cannot_be_written_is_refused(release, target):
    code, _, notes = gyges("skyline", "out", "--value", "Flu", "--picture", target, folder=release)
    assert code == 2 and "--picture" in notes


def test_the_picture_turns_and_loads_nothing(release):
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("there is no Chromium here")
    words = ("skyline", "out", "--value", "AIDS", "--confidence", "0.9", "--picture", "sky.html")
    assert gyges(*words, folder=release)[0] == 0
    page_of = (release / "sky.html").as_uri()
    problems = []
    with playwright.sync_playwright() as play:
        flags = ["--no-sandbox", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
        chromium = play.chromium.launch(executable_path=browser, args=flags)
        page = chromium.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda asked: problems.append(asked.url))
        page.goto(page_of)
        eye = "document.querySelector('.plotly-graph-div')._fullLayout.scene.camera.eye.x"
        page.wait_for_function(f"window.Plotly && {eye} !== undefined")
        first = page.evaluate(eye)
        page.wait_for_function(f"{eye} !== {first}")
        assert page.locator("table tr").count() > 2
        chromium.close()
    assert [p for p in problems if p != page_of and not p.startswith(("data:", "blob:"))] == []


def test_publishing_within_a_memory_limit(tmp_path):
    duckdb.sql(
        "COPY (SELECT (hash(i) % 90)::INT AS age, (hash(i + 7) % 9000)::INT AS town, "
        "'v' || hash(i * 3) % 9 AS disease FROM range(500000) t(i)) "
        f"TO '{tmp_path / 'rows.parquet'}'"
    )
    words = ("publish", "rows.parquet", "--quasi", "age,town", "--sensitive", "disease")
    words = (*words, "--k", "20", "--format", "parquet", "--json")
    code, text, notes = gyges_alone(*words, "--memory", "700MiB", "--out", "a", folder=tmp_path)
    assert code == 0 and "part by part" in notes, notes
    limited = json.loads(text)
    code, text, _ = gyges_alone(*words, "--no-report", "--out", "b", folder=tmp_path)
    free = json.loads(text)
    assert limited["parts"] > 1 and limited["people"] == 500_000
    assert limited["groups"] == free["groups"] and limited["claims"] == free["claims"]
    code, _, notes = gyges_alone(
        *words, "--memory", "700MiB", "--inside", "i", "--out", "c", folder=tmp_path
    )
    assert code == 2 and "--inside needs them all" in notes
    code, _, notes = gyges_alone(*words, "--memory", "lots", folder=tmp_path)
    assert code == 2 and "such as '2GB'" in notes


@pytest.fixture
def two_columns(tmp_path):
    sick = ["AIDS", "Flu", "Flu", "Gout", "Cold"] * 4
    schema = gy.Schema(quasi_identifiers=["age"], sensitive="disease", also_sensitive=["religion"])
    rows = {"age": list(range(20, 40)), "disease": sick, "religion": ["A", "B", "C", "D"] * 5}
    gy.publish(gy.read(rows, schema), [gy.KAnonymity(10)]).save(tmp_path / "out")
    return tmp_path


def test_each_of_several_sensitive_columns_has_its_skyline(two_columns):
    """The values were texts of JSON, of which nobody could name one."""
    loaded = gy.load(two_columns / "out")
    for column, value in (("disease", "AIDS"), ("religion", "C")):
        points = gy.skyline_find(loaded.about(column).groups, value, "0.95")
        words = ("skyline", "out", "--value", value, "--sensitive", column)
        code, text, notes = gyges(*words, folder=two_columns)
        lines = text.splitlines()
        assert code == 0 and len(lines) == len(points) + 3, notes
        other = "religion" if column == "disease" else "disease"
        assert lines[-1].startswith(f"This attacker does not know {other} of their target")
    code, text, _ = gyges("ask", "out", "1.1 = C", "--sensitive", "religion", folder=two_columns)
    share = gy.probability(loaded.about("religion").groups, "1.1 = C")
    assert code == 0 and f"is {share} " in text


@pytest.mark.parametrize("words", [("skyline", "out", "--value", "C"), ("ask", "out", "1.1 = C")])
def test_which_of_several_sensitive_columns_is_meant_must_be_said(two_columns, words):
    code, _, notes = gyges(*words, folder=two_columns)
    assert code == 2 and "several sensitive columns, disease, religion: name one with" in notes
    code, _, notes = gyges(*words, "--sensitive", "age", folder=two_columns)
    assert code == 2 and "it has 'disease', 'religion'" in notes
