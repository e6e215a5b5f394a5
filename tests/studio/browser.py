"""A browser that can reach the studio and nothing else."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

CHROMIUM = shutil.which("chromium")
# Whatever is not this machine goes to a proxy that nobody runs.
_ALONE = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--proxy-server=127.0.0.1:9", "--proxy-bypass-list=127.0.0.1", "--enable-unsafe-swiftshader",
]  # fmt: skip
PATIENCE = 240_000  # milliseconds: kernels may be compiled while other tests compile theirs


@contextmanager
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=_ALONE)
        try:
            yield made
        finally:
            made.close()


class Window:
    """One window of a browser, and everything that it complained about or asked for."""

    def __init__(self, browser, served, *, width=1600, scheme="light"):
        size = {"width": width, "height": 1000}
        self.context = browser.new_context(
            viewport=size, color_scheme=scheme, accept_downloads=True
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.place = served.server.place
        self.problems, self.asked = [], []
        self.page.on("pageerror", lambda problem: self.problems.append(str(problem)))
        self.page.on("dialog", lambda dialog: self.problems.append(dialog.message))
        self.page.on("console", self._heard)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(served.server.new_address())
        self.settle()  # the page goes on by itself

    def _heard(self, message):
        if message.type == "error":
            self.problems.append(message.text)

    def go(self, name):
        self.page.goto(f"{self.place}/{name}")
        self.settle()

    def settle(self):
        """Wait until the page listens and has the answer to all it asked, as it says itself."""
        self.see("body[data-state=ready]")

    def see(self, selector, **how):
        """Wait until something is shown; if it never is, say what the page says instead."""
        from playwright.sync_api import TimeoutError as NeverShownError

        try:
            return self.page.wait_for_selector(selector, **how)
        except NeverShownError:
            state = self.page.get_attribute("body", "data-state")
            said = f"{self.page.url} ({state}): {self.text('body')[:3000]}"
            raise AssertionError(f"no {selector}: {self.problems}\n{said}") from None

    def text(self, selector="main"):
        return self.page.inner_text(selector)

    def strangers(self):
        """Addresses that are not the studio's."""
        own = (f"{self.place}/", "data:", "blob:")
        return [url for url in self.asked if not url.startswith(own)]
