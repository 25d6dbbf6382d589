"""What an FMU contains about itself besides its description: pictures, a scene for viewers, and reference results."""

from dataclasses import dataclass
from functools import cached_property
from typing import final

from mobod.fmu.arrays import arrays, name_of
from mobod.fmu.documentation.reference import Reference, reference_files
from mobod.fmu.interface import Interface
from mobod.scene import Scene, make_scene
from mobod.scene.drawing import draw
from mobod.scene.patches import Drawing
from mobod.scene.placement import Placement, at_position, matter_of
from mobod.scene.png import png
from mobod.scene.svg import svg
from mobod.spatial import Transform
from mobod.system import State, System

SCENE = "extra/org.mobod/scene.json"
ICON = "terminalsAndIcons/icon.png"
_SIZE = 160  # pixels


@final
@dataclass(frozen=True)
class Explanation:
    """state: realized to POSITION; reference: results, or the reason why there are none; None if they were not wanted"""

    system: System
    state: State
    scene: Scene
    reference: Reference | str | None

    @property
    def has_pictures(self) -> bool:
        return bool(self.diagram.parts)

    @cached_property
    def diagram(self) -> Drawing:
        return draw(self.scene, 720, 480, placed=self._placed)

    @cached_property
    def icon(self) -> Drawing:
        return draw(self.scene, _SIZE, _SIZE, placed=self._placed, line=0.6)

    @cached_property
    def _placed(self) -> list[Transform]:
        matter = matter_of(self.system)
        return Placement.of(matter, self.state).X_GB if matter else []


def explain(system: System, state: State, interface: Interface, reference: Reference | str | None) -> Explanation:
    """The explanation of an FMU, with the names of its variables."""
    state, names = at_position(system, state), {}
    for first, size in arrays(interface):
        for i, row in enumerate(interface.rows[first : first + size]):
            names[row.at] = (name_of(interface, first, size), i if size > 1 else None)
    return Explanation(system, state, make_scene(system, state, names), reference)


def explanation_files(interface: Interface, explanation: Explanation | None) -> dict[str, bytes]:
    """Path in the archive -> content.

    Source of the names: FMI specification 3.0.2, sections 2.5.1 and 2.4.9; 2.0.5, section 2.3.
    """
    if explanation is None:
        return {}
    files = {SCENE: explanation.scene.to_json().encode()} if explanation.scene.bodies else {}
    if explanation.has_pictures:
        title, icon = interface.model_name, png(explanation.icon)
        files |= {"documentation/diagram.png": png(explanation.diagram), "documentation/diagram.svg": svg(explanation.diagram, title)}
        files |= {ICON: icon, "terminalsAndIcons/icon.svg": svg(explanation.icon, title)}
        if interface.fmi_version == "2.0":
            files["model.png"] = icon
    if isinstance(explanation.reference, Reference):
        files |= reference_files(interface, explanation.reference)
    return files
