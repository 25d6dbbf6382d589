"""Pages of what lies in lower layers, such as Results: the layer `viewer` is imported when one is made."""

from importlib import import_module
from typing import Any


def made_page(module: str, function: str, *arguments: Any) -> Any:
    """The result of a function of a module of mobod.viewer."""
    return getattr(import_module(f"mobod.viewer.{module}"), function)(*arguments)


class ShownInNotebooks:
    """Base class of Results, States and Systems, which notebooks show as a page."""

    def _repr_html_(self) -> str | None:
        """HTML for a notebook; None if there is nothing to be seen: it shows the repr then."""
        html: str | None = made_page("notebook", "notebook_html", self)
        return html
