"""The mass properties in <inertial> of a link, or the nearest possible ones."""

import numpy as np
from lxml import etree

from mobod.files.robot.masses import possible_mass_properties
from mobod.files.robot.sizes import ABSURD
from mobod.files.urdf.places import read_origin
from mobod.files.xml_source import XmlSource
from mobod.spatial import MassProperties

DIAGONAL, PRODUCTS = ("ixx", "iyy", "izz"), ("ixy", "ixz", "iyz")


def read_mass_properties(source: XmlSource, link: etree._Element, name: str) -> MassProperties:
    """Mass properties of a link; massless without <inertial>. A mass without inertia is a point mass; an inertia without mass is
    ignored.
    """
    inertial = source.only(link, "inertial")
    if inertial is None:
        return MassProperties.massless()
    source.check_content(inertial, ("origin", "mass", "inertia"))
    X_BI = read_origin(source, inertial)
    mass, matrix = _mass(source, inertial), _inertia(source, inertial, name)
    return possible_mass_properties(source, inertial, f"link '{name}'", mass, matrix, X_BI)


def _mass(source: XmlSource, inertial: etree._Element) -> float:
    element = source.only(inertial, "mass")
    if element is None:
        source.mend(inertial, "mass-missing", "<inertial> has no <mass>.", "It is taken as 0 kg.")
        return 0.0
    source.check_content(element, (), ("value",))
    return source.number(element, "value", most=ABSURD)


def _inertia(source: XmlSource, inertial: etree._Element, name: str) -> np.ndarray:
    """(3, 3) inertia about the mass center, in the axes of <inertial>'s <origin>."""
    element = source.only(inertial, "inertia")
    if element is None:
        source.mend(inertial, "inertia-missing", f"link '{name}': <inertial> has no <inertia>.", "It is taken as 0.")
        return np.zeros((3, 3))
    source.check_content(element, (), (*DIAGONAL, *PRODUCTS))
    missing = [entry for entry in PRODUCTS if element.get(entry) is None]
    if missing:
        wrong = "".join(f"<inertia> has no attribute '{entry}'. " for entry in missing).strip()
        source.mend(element, "inertia-missing", wrong, "It is taken as 0." if len(missing) == 1 else "They are taken as 0.")
    given = {entry: 0.0 if entry in missing else source.number(element, entry, most=ABSURD) for entry in (*DIAGONAL, *PRODUCTS)}
    return np.array([[given["i" + "".join(sorted(row + column))] for column in "xyz"] for row in "xyz"])
