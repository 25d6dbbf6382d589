"""three.js once in a notebook."""

import html
import re
import sys
from types import SimpleNamespace

import pytest

import mobod as mb
from mobod.viewer.browser import chromium
from mobod.viewer.shared_three import Lender
from mobod.viewer.three import three_source


@pytest.fixture(scope="module")
def page():
    system = mb.MultibodySystem("pendulum")
    mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="pin")
    return html.unescape(re.search(r'srcdoc="(.*)"></iframe>', system._repr_html_(), re.DOTALL)[1])


class Notebook:
    """A stand-in for a notebook: `run(cell)` is the begin of a cell's run."""

    def __init__(self, monkeypatch):
        self.cell, self.execution_count, self.allows_input = None, 0, True
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: self))

    def get_parent(self):
        return {
            "header": {"msg_id": f"run {self.execution_count}"},
            "metadata": {} if self.cell is None else {"cellId": self.cell},
            "content": {"allow_stdin": self.allows_input},
        }

    def run(self, cell):
        self.cell, self.execution_count = cell, self.execution_count + 1


def test_one_output_of_a_notebook_has_three_js_also_when_its_cell_runs_again(page, monkeypatch):
    notebook, lender = Notebook(monkeypatch), Lender()
    has_it = []
    for cell, n_outputs in (("a", 2), ("b", 1), ("c", 1), ("a", 2), ("b", 1)):
        notebook.run(cell)
        for _ in range(n_outputs):
            script, shown = lender.shared(page)
            assert three_source() not in shown
            assert len(shown) < len(page) - 600_000
            has_it.append(bool(script))
    assert has_it == [True, False, False, False, True, False, False]


def test_a_notebook_that_nbconvert_runs_has_three_js_once(page, monkeypatch):
    notebook, lender = Notebook(monkeypatch), Lender()
    notebook.allows_input = False  # nbclient answers no `input()`, and names no cell
    scripts = []
    for _ in range(3):
        notebook.run(None)
        script, shown = lender.shared(page)
        assert three_source() not in shown
        scripts.append(bool(script))
    assert scripts == [True, False, False]


def test_without_a_known_cell_and_in_colab_each_page_has_it(page, monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert Lender().shared(page) == ("", page)  # no notebook
    notebook = Notebook(monkeypatch)
    assert Lender().shared(page) == ("", page)  # a shell that does not tell its cells
    notebook.run("a")
    assert Lender().shared(page) != ("", page)
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    assert Lender().shared(page) == ("", page)


@pytest.mark.slow  # draws pages in Chromium
def test_pages_of_a_notebook_draw_with_the_borrowed_three_js(page, monkeypatch, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    notebook, lender = Notebook(monkeypatch), Lender()
    outputs = []
    for cell in "ab":
        notebook.run(cell)
        script, shown = lender.shared(page)
        outputs.append((script, f'<iframe sandbox="allow-scripts" width="600" height="300" srcdoc="{html.escape(shown)}"></iframe>'))
    whole, alone = tmp_path / "whole.html", tmp_path / "alone.html"
    whole.write_text("".join(frame for _, frame in outputs) + "".join(script for script, _ in outputs))  # it comes last
    alone.write_text(outputs[1][1])
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        )
        opened = browser.new_page()
        opened.goto(whole.as_uri())
        for frame in opened.frames[1:]:
            frame.wait_for_selector("canvas", timeout=30_000)
            assert frame.evaluate("window.page.frames") > 0
        opened.goto(alone.as_uri())
        missing = opened.frames[1].wait_for_selector(".failure", timeout=40_000)
        assert "Restart the kernel and run all cells" in missing.inner_text()
        browser.close()
