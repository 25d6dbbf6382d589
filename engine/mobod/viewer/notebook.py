"""Results, States and Systems in notebooks."""

import html
from functools import singledispatch
from typing import Any

from mobod.errors import MobodError
from mobod.scene.placement import matter_of
from mobod.simulate import Results
from mobod.system import State, System
from mobod.viewer.run_page import run_page, state_page
from mobod.viewer.shared_three import Lender

_LENDER = Lender()
_HEIGHT = 480  # pixels
_STYLE = "width: 100%; border: 1px solid #8884; border-radius: 6px"


def notebook_html(shown: object) -> str | None:
    """An iframe with its page; None if there is nothing to be seen, or it cannot be made: a notebook shows the repr then."""
    try:
        page = _page(shown)
    except MobodError:  # showing a value must not fail: the same error comes from animate
        return None
    if page is None:
        return None
    script, page = _LENDER.shared(page)
    return f'{script}<iframe sandbox="allow-scripts" style="{_STYLE}" height="{_HEIGHT}" srcdoc="{html.escape(page)}"></iframe>'


@singledispatch
def _page(shown: object) -> str | None:
    return None


@_page.register
def _(results: Results) -> str | None:
    return run_page(results) if _has_bodies(results.system) and len(results.time) else None


@_page.register
def _(state: State) -> str | None:
    system: Any = state.system
    return state_page(state) if _has_bodies(system) else None


@_page.register
def _(system: System) -> str | None:
    return state_page(system.realize_topology()) if _has_bodies(system) else None


def _has_bodies(system: System) -> bool:
    matter = matter_of(system)
    return matter is not None and bool(matter.bodies)
