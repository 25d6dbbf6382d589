"""<link>: mass properties, shapes, gravity."""

from typing import final

import numpy as np
from lxml import etree

from mobod.errors import InputError, UnsupportedError
from mobod.files.meshes.solids import mass_properties_of
from mobod.files.robot.links import RobotLink
from mobod.files.robot.masses import possible_mass_properties
from mobod.files.sdf.models import SdfPart
from mobod.files.sdf.shapes import SdfShapes
from mobod.files.sdf.values import number_in, pose_in, truth_in, truth_of
from mobod.files.xml_source import XmlSource
from mobod.spatial import MassProperties

ENTRIES = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}  # and what they are if they are not given
WATER = 1000.0  # kg/m^3: the density of shapes that have none
OF_LINK = ("pose", "inertial", "visual", "collision", "gravity", "self_collide", "sensor", "must_be_base_link")
NOT_MECHANICAL = ("enable_wind", "light", "projector", "audio_sink", "audio_source", "battery", "particle_emitter", "plugin")


@final
class Links:
    """Reads links. folders: where meshes are looked for."""

    def __init__(self, shapes: SdfShapes, folders: list[str]):
        self._shapes, self._folders = shapes, folders

    def link(self, part: SdfPart) -> RobotLink:
        """The link of a part."""
        source, element = part.scope.source, part.element
        source.check_content(element, (*OF_LINK, *NOT_MECHANICAL, "kinematic", "velocity_decay"), ("name", "type"))
        for tag in NOT_MECHANICAL:
            for child in element.findall(tag):
                source.ignore(child, f"<{tag}> of a <link> is ignored: it is no part of the mechanism.")
        if truth_in(source, element, "kinematic", default=False):
            source.note(element, "ignored", f"<kinematic> of link '{part.name}' is ignored: forces move it like any other link.")
        decay = element.find("velocity_decay")
        if decay is not None and any(number_in(source, decay, each, 0.0) for each in ("linear", "angular")):
            source.ignore(decay, "<velocity_decay> of a <link> is ignored. mb.BodyDamping can be added.")
        return RobotLink(
            name=part.name,
            path=source.path,
            line=element.sourceline or 0,
            mass_properties=self._mass_properties(part),
            visuals=self._shapes.visuals(part),
            collisions=self._shapes.collisions(part),
            gravity_compensation=0.0 if truth_in(source, element, "gravity", default=True) else 1.0,
            model=part.top,
            self_collide=part.self_collide,
        )

    def _mass_properties(self, part: SdfPart) -> MassProperties:
        source = part.scope.source
        inertial = source.only(part.element, "inertial")
        if inertial is None:
            if part.is_static:
                return MassProperties.massless()
            source.note(
                part.element,
                "inertial-missing",
                f"link '{part.name}' has no <inertial>. As in SDF, its mass is 1 kg, and its moments of inertia are 1 kg m^2.",
            )
            return MassProperties(1.0, [0, 0, 0], np.eye(3))
        known = ("pose", "mass", "inertia", "density", "auto_inertia_params", "fluid_added_mass", "frame")
        source.check_content(inertial, known, ("auto",))
        if (added := inertial.find("fluid_added_mass")) is not None:
            source.ignore(added, "<fluid_added_mass> is ignored: there is no fluid.")
        if truth_of(source, inertial, "auto"):
            return MassProperties.massless() if part.is_static else self._of_shapes(part, inertial)
        X_BI, _ = pose_in(source, inertial)
        mass = number_in(source, inertial, "mass", 1.0)
        inertia = source.only(inertial, "inertia")
        if inertia is not None:
            source.check_content(inertia, tuple(ENTRIES))
        given = ENTRIES if inertia is None else {entry: number_in(source, inertia, entry, default) for entry, default in ENTRIES.items()}
        matrix = np.array([[given["i" + "".join(sorted(row + column))] for column in "xyz"] for row in "xyz"])
        return possible_mass_properties(source, inertial, f"link '{part.name}'", mass, matrix, X_BI)

    def _of_shapes(self, part: SdfPart, inertial: etree._Element) -> MassProperties:
        """auto="true": solids of the shapes that touch; a given mass scales them."""
        source = part.scope.source
        of_link = number_in(source, inertial, "density", WATER)
        solids = []
        for collision in part.element.findall("collision"):
            density = number_in(source, collision, "density", of_link)
            solids.append((collision, density, self._solid(source, collision, density)))
        if not solids:
            source.fail(inertial, f"link '{part.name}': <inertial auto='true'> needs a <collision> whose mass can be computed.")
        total = sum((each.spatial_inertia() for _, _, each in solids), start=np.zeros((6, 6)))
        mass = float(total[5, 5])
        if not mass:
            source.fail(inertial, f"link '{part.name}': <inertial auto='true'>: its shapes have no mass.")
        mc = total[:3, 3:]
        com = np.array([mc[2, 1], mc[0, 2], mc[1, 0]]) / mass
        given = source.only(inertial, "mass")
        scale = 1.0 if given is None else number_in(source, inertial, "mass") / mass
        return MassProperties(mass * scale, com, total[:3, :3] * scale)

    def _solid(self, source: XmlSource, collision: etree._Element, density: float) -> MassProperties:
        pose, shape = self._shapes.solid(source, collision)
        try:
            return mass_properties_of(((pose, shape),), density, self._folders)
        except (InputError, UnsupportedError) as error:
            source.fail(collision, f"<inertial auto='true'>: {error}")
