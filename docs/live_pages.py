"""Live pages in the handbook: where a page has the line `<!-- live page -->`, it shows the model that its code above that line built, or
if there is none the first block below it.
"""

import re
from pathlib import Path

from page_program import run_blocks
from sphinx.application import Sphinx

MARK = "<!-- live page -->"
_PYTHON = re.compile(r"^```python\n.*?^```", re.DOTALL | re.MULTILINE)


def show_live_pages(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the mark by an iframe, and write its page."""
    before, mark, after = source[0].partition(MARK)
    if not mark:
        return
    name = f"live/{docname.replace('/', '-')}.html"
    names = run_blocks(
        before if _PYTHON.search(before) else after[: _PYTHON.search(after).end()]
    )
    path = Path(app.outdir, name)
    path.parent.mkdir(exist_ok=True, parents=True)
    system, state = names["system"], names.get("state")
    system.to_html(
        path, state=state if state is not None and state.system is system else None
    )
    address = "../" * docname.count("/") + name
    style = "width: 100%; height: 460px; border: 1px solid #8884; border-radius: 6px"
    frame = f'<iframe src="{address}" title="the model, running" style="{style}" loading="lazy"></iframe>'
    source[0] = f"{before}```{{raw}} html\n{frame}\n```\n{after}"
