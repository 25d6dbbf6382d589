"""The page that runs a model itself."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

from mobod.runtime.integrators import DEFAULT_ACCURACY
from mobod.scene.placement import Placement, at_position
from mobod.system import State, System
from mobod.system.number_names import array_of
from mobod.version import mobod_version
from mobod.viewer.frames import SHOWN_AT_FIRST
from mobod.viewer.live_model import live_data
from mobod.viewer.page import page
from mobod.viewer.run_page import scene_of, seen_matter
from mobod.viewer.write import check_page_name, write_page


def write_live_page(
    system: System,
    path: str | PathLike[str],
    names: Sequence[str],
    state: State | None,
    title: str | None,
    accuracy: float,
    options: dict[str, Any],
) -> None:
    """System.to_html."""
    check_page_name(path)
    write_page(live_page(system, state, names, title=title, accuracy=accuracy, **options), path)


def live_page(
    system: System,
    state: State | None = None,
    names: Sequence[str] = (),
    *,
    title: str | None = None,
    accuracy: float = DEFAULT_ACCURACY,
    **options: Any,
) -> str:
    """The HTML of a page that runs the System from a State.

    state     default: the default State
    names     of the variables that are plotted at first; default: the coordinates
    accuracy, options  the arguments of Simulation

    Raises InputError for a System without bodies; UnsupportedError, which names the element, for plain Python; UnknownNameError;
    NoCompilerError; the errors of Simulation.
    """
    matter = seen_matter(system)
    state = system.realize_topology() if state is None else state
    realized = at_position(system, state)
    data = live_data(system, state, accuracy, outputs=names, **options)
    known = [each["name"] for each in data["variables"]]
    chosen = {system.variable(state, name).name for name in names}
    shown = [name for name in known if not {name, array_of(name)}.isdisjoint(chosen)]
    if not names:
        q = realized.layout.q
        shown = [each["name"] for each in data["variables"] if q.offset <= each["at"] < q.offset + q.size][:SHOWN_AT_FIRST]
    header = {
        "title": title or system.name,
        "subtitle": "runs in this page",
        "footer": f"Made by mobod {mobod_version()}. This page runs the model itself, by {data['integrator']} with accuracy {accuracy:g}.",
        **scene_of(system, realized, Placement.of(matter, realized)),
        "shown": shown,
        "live": data,
    }
    return page(title or system.name, header)
