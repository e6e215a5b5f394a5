"""Make the pictures of docs/studio: `python -m tests.studio.screenshots` (not a test)."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.studio.browser import Window, chromium
from tests.studio.served import serving, write_people

TARGET = Path(__file__).resolve().parents[2] / "docs" / "studio"
_SIZE = {"width": 1360, "height": 850}


def shoot(window, name, selector=None):
    """One picture of what the window shows now, from an element on."""
    window.page.set_viewport_size(_SIZE)
    window.settle()
    if selector:
        window.page.locator(selector).scroll_into_view_if_needed()
        window.page.evaluate("(one) => document.querySelector(one).scrollIntoView()", selector)
    else:
        window.page.evaluate("() => scrollTo(0, 0)")
    window.page.wait_for_timeout(700)
    window.page.screenshot(path=TARGET / f"{name}.png")


def journey(window):
    """Every page once, as a person goes through them."""
    for name in ("open", "columns"):
        window.go(name)
        shoot(window, name)
    window.go("rules")
    window.page.click("[data-rule=safety] [data-rule-toggle]")
    window.see("[data-rule=safety].on .witness")
    shoot(window, "rules")
    window.go("explore")
    window.see("[data-explore] .main-svg")
    shoot(window, "explore")
    window.page.locator("tr:has(th:has-text('groups of at least 20')) [data-pin]").check()
    window.page.click("[data-compare]")
    window.see("#compare .sides article:nth-of-type(2)")
    shoot(window, "compare", "#compare")
    window.go("risk")
    window.page.click("[data-form=skyline] button")
    window.see("#skyline .js-plotly-plot")
    window.page.click("#skyline details summary")
    window.page.wait_for_timeout(3000)
    shoot(window, "skyline", "#skyline")
    window.go("publish")
    window.page.check("[name=confirmed]")
    window.page.check("[name=inside]")
    window.page.click("button:has-text('Publish: the release leaves the building')")
    window.see("#published .done")
    shoot(window, "publish", "#published")
    window.go("check")
    window.page.fill("[data-form=check] input", "release")
    window.page.click("[data-form=check] button")
    window.see("#checked .checks")
    shoot(window, "check", "#checked")


def main():
    with tempfile.TemporaryDirectory() as made, chromium() as browser:
        folder = Path(made) / "hospital"
        folder.mkdir()
        write_people(folder / "patients.csv", 1500)
        with serving(folder) as served:
            assert served.do("open", path="patients.csv").status == 200
            journey(Window(browser, served, width=_SIZE["width"]))
            dark = Window(browser, served, width=_SIZE["width"], scheme="dark")
            dark.go("rules")
            shoot(dark, "dark")


if __name__ == "__main__":
    main()
