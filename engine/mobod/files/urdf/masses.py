"""The mass properties in <inertial> of a link, or the nearest possible ones."""

import numpy as np
from lxml import etree

from mobod.errors import InputError, MassPropertiesError
from mobod.files.urdf.places import ABSURD, read_origin
from mobod.files.xml_source import XmlSource
from mobod.spatial import Inertia, MassProperties
from mobod.spatial.nearest_inertia import nearest_inertia

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
    if mass < 0:
        source.fail(inertial, f"link '{name}': its mass is {mass:g} kg. It cannot be negative.")
    if mass == 0:
        if matrix.any():
            largest = np.abs(matrix).max()
            source.mend(
                inertial,
                "inertia-without-mass",
                f"link '{name}': the mass is 0 kg, but the inertia has a moment of {largest:g} kg m^2.",
                "The inertia is ignored: only a body with mass has one.",
            )
        return MassProperties.massless()
    if not matrix.any():
        where = ", ".join(f"{each:g}" for each in X_BI.p)
        source.note(
            inertial, "mass-without-inertia", f"link '{name}' has a mass of {mass:g} kg and no inertia: it is a point mass at {where} m."
        )
    try:
        about_com = _possible(source, inertial, name, matrix).rotated(X_BI.R)
        return MassProperties(mass, X_BI.p, about_com.shifted(X_BI.p, mass=mass))
    except InputError as error:
        source.fail(inertial, f"link '{name}': {error}")


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


def _possible(source: XmlSource, inertial: etree._Element, name: str, matrix: np.ndarray) -> Inertia:
    """The inertia of the matrix, or the nearest physically possible one."""
    try:
        return Inertia(matrix)
    except MassPropertiesError as error:
        nearest = nearest_inertia(matrix)
        change = np.linalg.norm(nearest - matrix)
        before, after = (", ".join(f"{moment:.6g}" for moment in np.linalg.eigvalsh(each)) for each in (matrix, nearest))
        if source.findings.strict:
            source.fail(inertial, f"link '{name}': {error}")
        source.note(
            inertial,
            "inertia",
            f"link '{name}': no rigid body has its inertia, whose principal moments are {before} kg m^2: none can be negative or exceed "
            f"the sum of the others. The nearest with the same axes is used, {after} kg m^2. It differs by {change:.3g} kg m^2, "
            f"{change / np.linalg.norm(matrix):.2g} of its size.",
        )
        return Inertia(nearest)
