"""Live pages in the handbook: where a page has the line `<!-- live page -->`, it shows the model that its code above that line built."""

import contextlib
import io
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

MARK = "<!-- live page -->"
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def show_live_pages(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the mark by an iframe, and write its page."""
    before, mark, after = source[0].partition(MARK)
    if not mark:
        return
    name = f"live/{docname.replace('/', '-')}.html"
    names = run_blocks(before)
    path = Path(app.outdir, name)
    path.parent.mkdir(exist_ok=True, parents=True)
    system, state = names["system"], names.get("state")
    system.to_html(path, state=state if state is not None and state.system is system else None)
    address = "../" * docname.count("/") + name
    style = "width: 100%; height: 460px; border: 1px solid #8884; border-radius: 6px"
    frame = f'<iframe src="{address}" title="the model, running" style="{style}" loading="lazy"></iframe>'
    source[0] = f"{before}```{{raw}} html\n{frame}\n```\n{after}"


def run_blocks(text: str, folder: Path | None = None) -> dict[str, Any]:
    """The names that the Python blocks of a text define, as one program in an empty folder, or in this one, with a copy of the examples."""
    names: dict[str, Any] = {"__name__": "page"}
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(io.StringIO()):
        where = folder or Path(scratch)
        shutil.copytree(EXAMPLES, where / "examples")
        os.chdir(where)
        try:
            for code in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
                exec(compile(code, "page", "exec"), names)
        finally:
            os.chdir(here)
    return names
