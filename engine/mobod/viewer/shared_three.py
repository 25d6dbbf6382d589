"""three.js once in a notebook: one output has it, and lends it to the pages of the others."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from mobod.notices import THREE, joined
from mobod.viewer.script import joined_script
from mobod.viewer.three import REVISION, three_source

_QUESTION = f"mobod: three.js r{REVISION}?"
_LATE = 20_000  # ms
_MISSING = (
    "three.js, which draws this page, is in the first output of this notebook that shows a mechanism, and that output is not there. "
    "Restart the kernel and run all cells."
)
# the notebook's document answers pages, which are in frames of their own
_LENDER = """(() => {
    const question = QUESTION;
    window.mobodThree = window.mobodThree ?? {};
    if (window.mobodThree[question] !== undefined) {
        return;
    }
    window.mobodThree[question] = SOURCE;
    addEventListener("message", (event) => {
        if (event.data === question) {
            event.source.postMessage({ question, three: window.mobodThree[question] }, "*");
        }
    });
})();"""
# a page asks until it gets an answer: the output that lends may be drawn later
_BORROWER = """(() => {
    const question = QUESTION;
    const asked = setInterval(() => parent.postMessage(question, "*"), 100);
    const late = setTimeout(() => {
        document.body.innerHTML = '<p class="failure" role="alert">MISSING</p>';
    }, LATE);
    const receive = (event) => {
        if (event.source !== parent || event.data?.question !== question) {
            return;
        }
        removeEventListener("message", receive);
        clearInterval(asked);
        clearTimeout(late);
        for (const text of [event.data.three, document.getElementById("start").textContent]) {
            const script = document.createElement("script");
            script.textContent = text;
            document.body.append(script);
        }
    };
    addEventListener("message", receive);
})();"""


def lending_script() -> str:
    """A script element for the notebook's document, which has three.js and lends it to pages."""
    source = json.dumps(three_source()).replace("<", "\\u003c")
    return f"<script>/*\n{joined([THREE])}*/\n{_LENDER.replace('QUESTION', json.dumps(_QUESTION)).replace('SOURCE', source)}</script>"


def borrowing(page: str) -> str:
    """The page without three.js, which it borrows from the document around its frame."""
    start = joined_script("start.js")
    borrower = _BORROWER.replace("QUESTION", json.dumps(_QUESTION)).replace("MISSING", _MISSING).replace("LATE", str(_LATE))
    return page.replace(f"<script>{three_source()}</script>\n", "").replace(
        f"<script>{start}</script>", f'<script type="text/plain" id="start">{start}</script>\n<script>{borrower}</script>'
    )


class Lender:
    """Which output of the notebook of this process has three.js."""

    def __init__(self) -> None:
        self._cell: object = None
        self._run: object = None  # the number of the cell's run

    def shared(self, page: str) -> tuple[str, str]:
        """(script for the notebook's document, page). The script is empty, except in one output of the notebook.

        A cell that runs again replaces its outputs, so it lends again. Where no cell is known, and in Colab, where each output is a
        document of its own, the page has three.js itself.
        """
        cell, run = _running_cell()
        if cell is None or "google.colab" in sys.modules:
            return "", page
        is_first = self._cell is None or (self._cell == cell and self._run != run)
        if is_first:
            self._cell, self._run = cell, run
        return lending_script() if is_first else "", borrowing(page)


def _running_cell() -> tuple[object, object]:
    """The id of the cell that runs, and the number of its run; (None, ...) outside of a notebook that says so."""
    ipython = sys.modules.get("IPython")
    shell: Any = None if ipython is None else ipython.get_ipython()
    request: Mapping[str, Mapping[str, object]] = getattr(shell, "get_parent", dict)() or {}
    cell = request.get("metadata", {}).get("cellId")
    if cell is None and request.get("content", {}).get("allow_stdin") is False:
        # nbclient, by which nbconvert, papermill, Voila and Quarto run notebooks, names no cell, and runs each of them once
        cell = request.get("header", {}).get("msg_id")
    return cell, getattr(shell, "execution_count", None)
