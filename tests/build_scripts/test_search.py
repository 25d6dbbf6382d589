"""The list of questions leads to answers, and the search of the built handbook finds them by the words of the list."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote_plus

import pytest

import mobod as mb
from mobod.viewer.browser import chromium

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = re.findall(
    r"^\| \[(.+)\]\(([\w/]+)\.md(?:#([\w-]+))?\) \| (.+) \|$", (ROOT / "docs/questions.md").read_text(encoding="utf-8"), re.MULTILINE
)
FIRST = 3  # the page is among so many first results


def test_the_list_has_forty_questions_whose_answers_exist():
    assert len(QUESTIONS) >= 40
    assert len({question for question, *_ in QUESTIONS}) == len(QUESTIONS)
    for question, page, anchor, words in QUESTIONS:
        text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
        headings = [re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
        assert not anchor or anchor in headings, question
        assert len(words.split()) <= 5


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The address of the built handbook, served from this machine."""
    pytest.importorskip("playwright", reason="playwright, of the extra 'view', is not installed")
    for package in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(package, reason=f"{package}, of the extra 'docs', is not installed")
    try:
        chromium()
    except mb.errors.UnsupportedError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("handbook")
    command = ["sphinx", "--quiet", "-b", "html", "-d", str(folder / "read"), str(ROOT / "docs"), str(folder / "built")]
    subprocess.run([sys.executable, "-m", *command], check=True)
    with served(folder / "built") as address:
        yield address


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files, and writes no log."""

    def log_message(self, *_):
        pass


@contextmanager
def served(folder):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder))) as server:
        server.handle_error = lambda *_: None  # the browser leaves a page before all of it has arrived
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.slow
def test_the_search_finds_each_answer_by_obvious_words(built):
    from playwright.sync_api import sync_playwright

    places = {}
    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []  # root has no sandbox
        browser = playwright.chromium.launch(executable_path=chromium(), args=options)
        opened = browser.new_page()
        for question, page, _, words in QUESTIONS:
            found = results(opened, f"{built}search.html?q={quote_plus(words)}")
            places[question] = found.index(page) + 1 if page in found else None
        browser.close()

    assert {question: place for question, place in places.items() if place is None or place > FIRST} == {}


def results(opened, address):
    """The pages that a search finds, best first."""
    opened.goto(address)
    opened.wait_for_function("/Search finished|did not match/.test(document.querySelector('#search-results').innerText)")
    links = opened.evaluate("[...document.querySelectorAll('#search-results ul.search > li > a')].map(link => new URL(link.href).pathname)")
    return list(dict.fromkeys(link.removeprefix("/").removesuffix(".html") for link in links))
