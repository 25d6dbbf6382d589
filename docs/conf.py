"""The handbook, made by Sphinx: `python build_scripts/check.py docs`."""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [
    str(DOCS.parent / "engine"),
    str(DOCS.parent / "build_scripts"),
    str(DOCS),
]

from concept_pictures import with_pictures, write_pictures  # noqa: E402 - lies in build_scripts
from element_pictures import element_pictures  # noqa: E402 - lies in build_scripts
from live_pages import show_live_pages  # noqa: E402 - lies here
from reference_pages import write_reference  # noqa: E402 - lies in build_scripts
from sphinx.application import Sphinx  # noqa: E402

from mobod.version import mobod_version  # noqa: E402 - lies in engine

project = "mobod"
author = "The mobod authors"
release = version = mobod_version()
extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 3  # links to headings, as GitHub has them
suppress_warnings = ["myst.strikethrough"]

exclude_patterns = ["examples_of_elements"]  # the pages of public names show them

html_theme = "furo"
html_title = "mobod"
html_theme_options = {"footer_icons": []}
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_css_files = ["handbook.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_search_scorer = str(DOCS / "search_scores.js")
highlight_language = "none"  # of blocks that name none: shown output, tables
pygments_style = "tango"
pygments_dark_style = "monokai"

# the pages of public names are made from docstrings, and pictures by scripts, in folders that git ignores
write_reference(DOCS / "reference", element_pictures)
write_pictures(DOCS / "pictures")


# pages that lay in the root before 2026-11-27: their addresses lead to where they are now
MOVED = {
    "concepts": "system_and_state elements friction_and_contact closed_loops contact_shapes limits_and_impacts rotations recording "
    "kernels_and_runtime accuracy_and_steps architecture fmi fmus_in_other_tools cosimulation ensembles scene view trust contributing",
    "numerics": "integrators velocity_level linearising equilibrium_and_modes inverse_dynamics",
    "validation": "validation acceptance",
    "tutorials": "files planar_loops joints_with_limits extending cutting fitting step_by_step",
    "how_do_i": "sweeps results progress threads_and_cache command_line simulating_fmus",
}
NOW = {
    name: f"{folder}/{name}"
    for folder, names in MOVED.items()
    for name in names.split()
} | {
    "concepts": "concepts/index",
    "numerics": "numerics/index",
    "tutorials": "tutorials/index",
    "validation_pages": "validation/index",
}


def setup(app: Sphinx) -> None:
    app.connect("build-finished", write_old_addresses)
    app.connect("source-read", show_pictures)
    app.connect("source-read", show_live_pages)
    app.connect("source-read", name_what_lies_outside)
    app.connect("doctree-read", leave_out_of_navigation)


def show_pictures(app: Sphinx, docname: str, source: list[str]) -> None:
    """Marks of pictures become images."""
    source[0] = with_pictures(source[0], "../" * docname.count("/") + "pictures")


def name_what_lies_outside(app: Sphinx, docname: str, source: list[str]) -> None:
    """Links to folders and to READMEs of the repository, which the handbook does not have, become their names."""
    folder = (DOCS / docname).parent

    def name_or_link(link: re.Match[str]) -> str:
        target = (folder / link[2]).resolve()
        is_outside = DOCS not in target.parents and (
            target.is_dir() or target.suffix == ".md"
        )
        return f"`{target.relative_to(DOCS.parent)}`" if is_outside else link[0]

    source[0] = re.sub(r"\[([^]]*)\]\(([^)#:]+)(?:#[^)]*)?\)", name_or_link, source[0])


def leave_out_of_navigation(app: Sphinx, _: object) -> None:
    """Decisions and public names are reached by their lists: each page has the whole navigation, which would grow to some megabytes."""
    docname = app.env.docname
    if (
        docname.startswith(
            ("decisions/0", "decisions/1", "decisions/2", "decisions/superseded")
        )
        or docname.count("/") == 2
    ):
        app.env.metadata[docname]["orphan"] = True


def write_old_addresses(app: Sphinx, error: Exception | None) -> None:
    """A page at each old address, which leads to the new one, with the same place in the page."""
    if error is not None or app.builder.format != "html":
        return
    for old, new in NOW.items():
        address = f"{new}.html"
        if not Path(app.outdir, address).exists():
            raise FileNotFoundError(f"{old} has moved to {new}, which is no page")
        Path(app.outdir, f"{old}.html").write_text(
            f'<!DOCTYPE html><meta charset="utf-8"><title>Moved</title><link rel="canonical" href="{address}">'
            f'<script>location.replace("{address}" + location.hash)</script><a href="{address}">This page has moved.</a>\n',
            encoding="utf-8",
        )
