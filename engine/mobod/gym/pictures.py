"""Pictures of episodes: what `render` shows or returns."""

from typing import Literal, final

import numpy as np

from mobod.errors import InputError
from mobod.scene.build import make_scene
from mobod.scene.drawing import Framing, draw_in, film_frame
from mobod.scene.modal_mesh import deformed_scene
from mobod.scene.placement import Placement, at_position
from mobod.scene.png import pixels
from mobod.scene.scene import Scene
from mobod.spatial import Transform
from mobod.system import State, System
from mobod.viewer.run_page import seen_matter
from mobod.viewer.stream import View, view

RenderMode = Literal["human", "rgb_array"]
RENDER_MODES: list[RenderMode] = ["human", "rgb_array"]
_WIDTH, _HEIGHT = 640, 480
_ROOM = 0.18  # at each side of the first picture, as a fraction of the height


def checked_render_mode(name: str, mode: object) -> RenderMode | None:
    """The mode. Raises InputError for one that does not exist."""
    if mode is None or mode == "human" or mode == "rgb_array":
        return mode
    raise InputError(f"{name}: render_mode must be None, 'human' or 'rgb_array', not {mode!r}.")


@final
class EpisodePictures:
    """Draws States of a System. The scale of all pictures is that of the first one, and their middle follows the bodies.

    Raises InputError for a System without bodies.
    """

    def __init__(self, system: System) -> None:
        self._system, self._matter = system, seen_matter(system)
        self._scene: Scene | None = None
        self._framing: Framing | None = None
        self._first = np.zeros(2)

    def picture(self, state: State) -> np.ndarray:
        """(480, 640, 3) uint8"""
        placed = Placement.of(self._matter, at_position(self._system, state)).X_GB
        if self._scene is None or self._framing is None:
            self._scene = make_scene(self._system, state, meshes=True)
            self._framing = film_frame(self._scene, _WIDTH, _HEIGHT, placed, _ROOM)
            self._first = self._center(placed, self._framing)
        moved = self._center(placed, self._framing) - self._first
        framing = Framing(self._framing.view, self._framing.middle + moved, self._framing.scale)
        scene = deformed_scene(self._scene, lambda each: self._system.value(state, each.variable).item())
        return pixels(draw_in(scene, framing, _WIDTH, _HEIGHT, placed))

    @staticmethod
    def _center(placed: list[Transform], framing: Framing) -> np.ndarray:
        """(2,) m, right and up as the camera sees them: the mean of the origins of the bodies."""
        mean = np.mean([X.p for X in placed[1:]], axis=0)
        seen: np.ndarray = framing.view.seen(mean[None])[0, :2]
        return seen


@final
class EpisodeWindow:
    """Shows States of a System in a browser, which opens with the first one."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._view: View | None = None

    def show(self, state: State) -> None:
        if self._view is None:
            self._view = view(self._system, state=state)
            return
        self._view.show(state)

    def close(self) -> None:
        if self._view is not None:
            self._view.close()
            self._view = None
