"""A page in headless Chromium, for pictures, films and tests."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING

from mobod.errors import UnsupportedError

if TYPE_CHECKING:
    from playwright.sync_api import Page

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_ARGUMENTS = (
    "--use-angle=swiftshader",  # WebGL without a graphics card
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_SECONDS = 60.0


def chromium() -> str:
    """The program of an installed Chromium or Chrome; $MOBOD_CHROMIUM if it is set. Raises UnsupportedError."""
    found = os.environ.get("MOBOD_CHROMIUM") or next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if found is None:
        raise UnsupportedError(
            "pictures and films of a page need Chromium or Chrome, and none is on the path. Install one (Debian: apt install chromium), or "
            "set MOBOD_CHROMIUM to its program; or write a page: .html"
        )
    return found


@contextmanager
def opened_page(page: str, width: int, height: int, *, dark: bool = False) -> Iterator["Page"]:
    """A page, given as HTML, in headless Chromium, once it has drawn. Raises UnsupportedError if it shows an error, or without Chromium."""
    program = chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise UnsupportedError("pictures and films of a page need playwright. Install it: python -m pip install 'mobod[view]'") from error
    arguments = [*_ARGUMENTS, *(["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else [])]  # root has no sandbox
    with TemporaryDirectory(prefix="mobod-page-") as folder, sync_playwright() as playwright:
        file = Path(folder, "page.html")
        file.write_text(page, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        try:
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light")
            opened = context.new_page()
            opened.goto(file.as_uri())
            wait_until(opened, "window.page !== undefined || document.querySelector('.failure') !== null")
            failure = opened.query_selector(".failure")
            if failure is not None:
                raise UnsupportedError(f"{program}: {failure.inner_text()}")
            yield opened
        finally:
            browser.close()


def wait_until(opened: "Page", condition: str) -> None:
    """Wait until a JavaScript expression is true. (Playwright's own function needs eval, which a page forbids.) Raises UnsupportedError."""
    end = monotonic() + _SECONDS
    while not opened.evaluate(condition):
        if monotonic() > end:
            raise UnsupportedError(f"the page in Chromium was not ready after {_SECONDS:g} s.")
        opened.wait_for_timeout(10)
