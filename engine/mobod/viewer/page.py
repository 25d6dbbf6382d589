"""A page: one HTML file with its data, its script and three.js, which asks nothing of a network."""

# Decision: docs/decisions/146-pages.md

import html
import json
from collections.abc import Mapping

from mobod.notices import OF_WEB, THREE, joined
from mobod.viewer.script import joined_script, page_file
from mobod.viewer.three import three_source

_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'"
_CUT_OFF = "This page is not complete: its file was cut off. Ask for it again."
# a script whose end is missing is not run: this one, which comes first, says so
_WATCH = f"""addEventListener("DOMContentLoaded", () => {{
    if (!document.getElementById("end")) {{
        document.body.innerHTML = '<p class="failure" role="alert">{_CUT_OFF}</p>';
    }}
}});"""


def page(title: str, data: Mapping[str, object], *, connects: bool = False) -> str:
    """The text of an HTML file.

    data      what the script reads, JSON
    connects  whether the script may connect to the server that the page comes from
    """
    policy = f"{_POLICY}; connect-src 'self'" if connects else _POLICY
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            f"<title>{html.escape(title)}</title>",
            f"<style>\n{page_file('style.css')}</style>",
            f"<script>{_WATCH}</script>",
            "</head>",
            "<body>",
            "<noscript>This page shows a mechanism by JavaScript, which is switched off here.</noscript>",
            page_file("page.html").rstrip(),
            f'<script type="application/json" id="data">{_as_json(data)}</script>',
            f"<script>/*\n{joined([THREE, *(OF_WEB if 'wasm' in data else ())])}*/</script>",
            f"<script>{three_source()}</script>",
            f"<script>{joined_script('start.js')}</script>",
            '<template id="end"></template>',
            "</body>",
            "</html>",
            "",
        ]
    )


def _as_json(data: Mapping[str, object]) -> str:
    """JSON that cannot end the script element which contains it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")
