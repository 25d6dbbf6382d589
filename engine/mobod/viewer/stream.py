"""mb.view: a page in a browser that shows the States of a running program."""

import webbrowser
from types import TracebackType
from typing import Self, final

import numpy as np

from mobod.errors import StateError
from mobod.scene.placement import Placement, at_position
from mobod.system import State, System, check_state
from mobod.system.readable import Readable
from mobod.system.variable import CatalogueVariable
from mobod.version import mobod_version
from mobod.viewer.contact_marks import ContactMarks, weight_of
from mobod.viewer.deformation import names_of_deformation
from mobod.viewer.page import page
from mobod.viewer.page_server import PageServer
from mobod.viewer.run_page import scene_of, seen_matter


def view(system: System, *names: str, state: State | None = None, title: str | None = None, opens: bool = True) -> "View":
    """Open a page in a browser that shows the States of a running program.

        with mb.view(system, "lower.q") as view:
            while run.time < 10:
                run.step(0.01)
                view.show(run.state)

    names  of the variables that are plotted
    state  shown at first; default: the default State
    title  default: the name of the System
    opens  whether to open a browser; View.url is the address

    Raises InputError for a System without bodies; UnknownNameError; UnsupportedError without the extra `view`.
    """
    made = View(system, names, system.realize_topology() if state is None else state, title)
    if opens:
        webbrowser.open(made.url)
    return made


@final
class View(Readable):
    """A page that shows the States of a running program. Made by mobod.view.

    url   its address, which only this computer can reach
    """

    def __init__(self, system: System, names: tuple[str, ...], state: State, title: str | None) -> None:
        self._system = system
        self._matter = seen_matter(system)
        check_state(state, system)
        self._marks = ContactMarks.of(system, self._matter, state.layout)
        self._variables = [system.variable(state, name) for name in names]
        self._modal: list[CatalogueVariable] = []
        html = self._html(state, title).encode()
        self._server = PageServer(html, self._numbers(state))
        self.url = self._server.url

    def _summary(self) -> str:
        return f"of System '{self._system.name}' at {self.url}"

    def show(self, state: State) -> None:
        """Show the bodies in a State, and add its variables to the plots. Returns at once: a browser shows 60 States a second at most.

        Raises StateError for a State of another System, or if the view is closed.
        """
        check_state(state, self._system)
        if self._server.is_closed:
            raise StateError("this View is closed. mb.view(system) opens another one.")
        self._server.send(self._numbers(state))

    def wait_until_seen(self, seconds: float = 30.0) -> bool:
        """Wait until a browser shows the page; returns whether one does."""
        return self._server.wait_until_seen(seconds)

    def close(self) -> None:
        """End the page: it keeps its last picture."""
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """In notebooks: the page."""
        return f'<iframe src="{self.url}" style="width: 100%; border: 1px solid #8884; border-radius: 6px" height="480"></iframe>'

    def _numbers(self, state: State) -> bytes:
        """The message of a State: the time, for each body R_GB by rows and p_GB, the modal coordinates that deform bodies, the numbers of
        contacts, the values of the variables.
        """
        marks = self._marks.at(state) if self._marks.rows else np.zeros(0)
        poses = Placement.of(self._matter, at_position(self._system, state)).X_GB
        values = [np.ravel(self._system.value(state, variable)) for variable in self._variables]
        return (
            np.concatenate([[state.time], *(part for X in poses for part in (X.R.ravel(), X.p)), self._eta(state), marks.ravel(), *values])
            .astype("<f8")
            .tobytes()
        )

    def _eta(self, state: State) -> list[float]:
        return [self._system.value(state, each).item() for each in self._modal]

    def _html(self, state: State, title: str | None) -> str:
        placed = at_position(self._system, state)
        placement = Placement.of(self._matter, placed)
        variables = [
            {"name": name, "unit": unit} for each in self._variables for name, unit in zip(each.entry_names(), each.units, strict=True)
        ]
        scene = scene_of(self._system, placed, placement)
        self._modal = [self._system.variable(state, name) for name in names_of_deformation(scene)]
        header = {
            "title": title or self._system.name,
            "subtitle": "follows a running program",
            "footer": f"Made by mobod {mobod_version()}.",
            **scene,
            "stream": True,
            "time": state.time,
            "start": [*([*X.R.ravel().tolist(), *X.p.tolist()] for X in placement.X_GB), self._eta(placed)],
            "contacts": self._marks.to_data(weight_of(self._matter, placed)),
            "variables": variables,
            "shown": [each["name"] for each in variables],
        }
        return page(title or self._system.name, header, connects=True)
