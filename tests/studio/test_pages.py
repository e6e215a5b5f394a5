"""Pages as text: hostile names, contrast, and the real command that starts them."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import gyges.studio
from tests.cli.commands import write_csv
from tests.studio.browser import CHROMIUM, Window, chromium
from tests.studio.served import people, serving, write_people

pytestmark = [
    pytest.mark.xdist_group("studio"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
EVIL = "<img src=x onerror=document.title=1><script>alert(1)</script>\"'{{7*7}}"
STATIC = Path(gyges.studio.__file__).parent / "static"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    table = people(200)
    table["disease"] = [EVIL if one == "Flu" else one for one in table["disease"]]
    table = {**table, EVIL: [place % 3 for place in range(200)]}
    cells = {_cell(name): [_cell(str(one)) for one in held] for name, held in table.items()}
    write_csv(folder / "evil.csv", cells)
    with serving(folder) as running:
        assert running.do("open", path="evil.csv").status == 200
        yield running


def _cell(text):
    return '"' + text.replace('"', '""') + '"'


def test_values_and_names_are_text_in_every_part(served):
    for name in ("look", "columns", "values", "state", "explore", "risk"):
        answer = served.part(name)
        assert answer.headers["x-state"] == "done", answer.text
        assert "<img" not in answer.text and "<script>alert" not in answer.text
        assert "49" not in re.findall(r"&#39;(\d+)", answer.text), "no template runs on values"
    for name in ("open", "columns", "publish"):
        assert "<img src=x" not in served.ask("GET", f"/{name}").text


_CUT_OFF = """() => {
  const right = (one) => one.getBoundingClientRect().right;
  const controls = ".card :is(input, select, button), .top [aria-current]";
  return [...document.querySelectorAll(controls)]
    .filter((one) => one.checkVisibility() && !one.closest(".wide"))
    .filter((one) => right(one) > right(one.closest(".card, .top")) + 1)
    .map((one) => one.outerHTML.slice(0, 90));
}"""


_COVERED = """() => {  // what the page says must be readable wherever one has scrolled to
    say("a sentence");
    const found = [];
    for (const top of [0, 300, 1000]) {
        scrollTo(0, top);
        const said = document.querySelector("#message p").getBoundingClientRect();
        const header = document.querySelector(".top").getBoundingClientRect();
        if (said.top < header.bottom && said.bottom > header.top) found.push(top);
    }
    say("");
    return found;
}"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1000, "dark"), (1600, "light")])
def test_a_browser_runs_nothing_of_them_and_nothing_is_cut_off(served, width, scheme):
    with chromium() as browser:
        window = Window(browser, served, width=width, scheme=scheme)
        for name in ("open", "columns", "rules", "explore", "risk", "publish", "check"):
            window.go(name)
            assert window.page.title() not in ("1", "taken")
            assert window.page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert window.page.locator("img[src=x]").count() == 0
            unnamed = window.page.evaluate(
                """() => [...document.querySelectorAll("input, select, button")].filter((one) =>
                    !one.labels?.length && !one.ariaLabel && !one.textContent.trim()).length"""
            )
            assert unnamed == 0, name
            assert window.page.evaluate(_CUT_OFF) == [], name
            assert window.page.locator("h1").count() == 1
            assert window.page.evaluate(_COVERED) == [], name
        assert window.problems == [] and window.strangers() == []


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_the_contrast_that_aa_asks_for(scheme):
    text = (STATIC / "studio.css").read_text()
    light, dark = re.findall(r":root \{(.*?)\}", text, re.DOTALL)
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", light))
    if scheme == "dark":
        colours |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", dark))
    pairs = [
        *((ink, paper) for ink in ("ink", "soft", "accent") for paper in ("paper", "card", "code")),
        ("accent", "accent-soft"), ("ink", "accent-soft"), ("accent-ink", "accent"),
        ("good", "good-soft"), ("bad", "bad-soft"), ("ink", "bad-soft"), ("good", "card"),
        ("bad", "card"), ("ink", "good-soft"),
    ]  # fmt: skip
    weak = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}


def started(folder, *words):
    return subprocess.Popen(
        [sys.executable, "-c", "from gyges.cli.start import run; run()", "studio", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_command_prints_the_address_and_a_second_one_on_the_project_says_so(tmp_path):
    write_people(tmp_path / "patients.csv", 60)
    with started(tmp_path, "patients.csv", "--no-browser") as first:
        line = first.stdout.readline()
        assert re.fullmatch(r"Gyges Studio: http://127\.0\.0\.1:\d+/\?token=[\w-]{40,}\n", line)
        assert (tmp_path / "gyges.toml").exists()
        with started(tmp_path, "gyges.toml", "--no-browser") as second:
            out, said = second.communicate(timeout=300)
        assert second.returncode == 2 and not out and "another studio" in said
        first.send_signal(signal.SIGINT)
        _, said = first.communicate(timeout=300)
    assert "Traceback" not in said
    shown = {str(one) for one in people(60)["patient"]}
    assert not any(one in said for one in shown), "no value of the table is in the log"


def test_a_file_that_does_not_exist_is_refused_in_one_sentence(tmp_path):
    with started(tmp_path, "nothing.csv", "--no-browser") as command:
        out, said = command.communicate(timeout=300)
    assert command.returncode == 2 and not out and "nothing.csv" in said
    assert "Traceback" not in said and list(tmp_path.iterdir()) == []


_UNFOLD = "() => { for (const one of document.querySelectorAll('details')) one.open = true; }"
_PLACES = """() =>
  [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")]
  .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0).length"""
_FOCUSED = """() => {
  const one = document.activeElement, style = getComputedStyle(one);
  one.dataset.reached = "yes";
  return [one.tagName, one.id, style.outlineStyle !== "none" || style.position === "absolute"];
}"""
_MISSED = """() =>
  [...document.querySelectorAll("main button, main select, main summary, main input")]
  .filter((one) => one.checkVisibility() && !one.disabled && one.type !== "radio")
  .filter((one) => !one.dataset.reached).map((one) => one.outerHTML.slice(0, 90))"""
_COLOURS = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_that_a_browser_shows_has_the_contrast_of_aa(served, scheme):
    """Colours as they are computed, with what lies behind and above them."""
    with chromium() as browser:
        window = Window(browser, served, width=1200, scheme=scheme)
        for name in ("open", "columns", "rules", "explore", "risk", "publish", "check"):
            window.go(name)
            window.page.evaluate(
                "() => document.querySelectorAll('details').forEach((d) => d.open = true)"
            )
            window.settle()
            assert window.page.evaluate(_COLOURS) == [], name
        window.page.evaluate("() => { document.querySelector('.lead').style.color = '#777'; }")
        assert len(window.page.evaluate(_COLOURS)) == 1, "a weak one is found"


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_everything_is_reached_and_used_with_the_keyboard(served):
    """Each place of the Tab key shows that it has the focus; a slider answers to an arrow key."""
    with chromium() as browser:
        window = Window(browser, served, width=1200)
        for name in ("columns", "rules", "publish"):
            window.go(name)
            seen = []
            for _ in range(window.page.evaluate(_PLACES) + 5):
                window.page.keyboard.press("Tab")
                seen.append(window.page.evaluate(_FOCUSED))
            assert all(is_shown for tag, _, is_shown in seen if tag != "BODY"), name
            assert window.page.evaluate(_MISSED) == [], name
        window.go("rules")
        slider = "[data-rule=k-anonymity] input[type=range]"
        window.page.focus(slider)
        before = window.page.input_value("[data-rule=k-anonymity] [data-exact]")
        window.page.keyboard.press("ArrowRight")
        exact = window.page.input_value("[data-rule=k-anonymity] [data-exact]")
        assert int(exact) == int(before) + 1
        assert window.page.get_attribute(slider, "aria-valuetext") == exact
        window.settle()
        live = window.page.get_attribute("[data-rule=k-anonymity] .answer", "aria-live")
        assert live == "polite" and window.page.evaluate("document.activeElement.type") == "range"
