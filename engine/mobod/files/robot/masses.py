"""Mass properties of a link from the numbers of a file, or the nearest possible ones."""

import numpy as np
from lxml import etree

from mobod.errors import InputError, MassPropertiesError
from mobod.files.xml_source import XmlSource
from mobod.spatial import Inertia, MassProperties, Transform
from mobod.spatial.nearest_inertia import nearest_inertia


def possible_mass_properties(
    source: XmlSource, inertial: etree._Element, link: str, mass: float, matrix: np.ndarray, X_BI: Transform
) -> MassProperties:
    """A mass without inertia is a point mass; an inertia without mass is ignored; an impossible one becomes the nearest possible one.

    matrix  (3, 3) kg m^2 about the mass center, which is the origin of frame I, in the axes of I
    X_BI    pose of I in the link's frame
    """
    if mass < 0:
        source.fail(inertial, f"{link}: its mass is {mass:g} kg. It cannot be negative.")
    if mass == 0:
        if matrix.any():
            largest = np.abs(matrix).max()
            source.mend(
                inertial,
                "inertia-without-mass",
                f"{link}: the mass is 0 kg, but the inertia has a moment of {largest:g} kg m^2.",
                "The inertia is ignored: only a body with mass has one.",
            )
        return MassProperties.massless()
    if not matrix.any():
        where = ", ".join(f"{each:g}" for each in X_BI.p)
        source.note(inertial, "mass-without-inertia", f"{link} has a mass of {mass:g} kg and no inertia: it is a point mass at {where} m.")
    try:
        about_com = _possible(source, inertial, link, matrix).rotated(X_BI.R)
        return MassProperties(mass, X_BI.p, about_com.shifted(X_BI.p, mass=mass))
    except InputError as error:
        source.fail(inertial, f"{link}: {error}")


def _possible(source: XmlSource, inertial: etree._Element, link: str, matrix: np.ndarray) -> Inertia:
    """The inertia of the matrix, or the nearest physically possible one."""
    try:
        return Inertia(matrix)
    except MassPropertiesError as error:
        nearest = nearest_inertia(matrix)
        change = np.linalg.norm(nearest - matrix)
        before, after = (", ".join(f"{moment:.6g}" for moment in np.linalg.eigvalsh(each)) for each in (matrix, nearest))
        if source.findings.strict:
            source.fail(inertial, f"{link}: {error}")
        source.note(
            inertial,
            "inertia",
            f"{link}: no rigid body has its inertia, whose principal moments are {before} kg m^2: none can be negative or exceed "
            f"the sum of the others. The nearest with the same axes is used, {after} kg m^2. It differs by {change:.3g} kg m^2, "
            f"{change / np.linalg.norm(matrix):.2g} of its size.",
        )
        return Inertia(nearest)
