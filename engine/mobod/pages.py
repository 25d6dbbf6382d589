"""Pages of what lies in lower layers, such as Results: the layer `viewer` is imported when one is made."""

from importlib import import_module
from typing import Any


def made_page(module: str, function: str, *arguments: Any) -> Any:
    """The result of a function of a module of mobod.viewer."""
    return getattr(import_module(f"mobod.viewer.{module}"), function)(*arguments)


def notebook_html(shown: Any) -> str | None:
    """HTML of Results, of a State or of a System in a notebook; None if there is nothing to be seen: its repr is shown then."""
    html: str | None = made_page("notebook", "notebook_html", shown)
    return html
