"""Gravity of a robot, and links whose weight is compensated."""

from collections.abc import Mapping

import numpy as np

from mobod.files.robot.links import RobotLink
from mobod.files.robot.parts import RobotParts
from mobod.forces import ConstantForce, Gravity
from mobod.matter import MobilizedBody

DOWN = np.array([0.0, 0.0, -1.0])


def add_gravity(parts: RobotParts, links: Mapping[str, RobotLink], vector: np.ndarray) -> None:
    """Add the force 'gravity', vector (3,) m/s^2, which excludes links whose weight is compensated wholly; a part of it, or all of it where
    the limit of a joint's drives counts it, is a ConstantForce '<link>_gravity_compensation'.
    """
    magnitude = float(np.linalg.norm(vector)) if vector[:2].any() else abs(float(vector[2]))
    down = vector / magnitude if magnitude else DOWN
    gravity = Gravity(parts.forces, parts.system.matter, down=down, magnitude=magnitude, name=parts.free("gravity"))
    is_counted = any(joint.limits is not None and joint.limits.counts_compensation for joint in parts.joints.values())
    for link in links.values():
        fraction, body = link.gravity_compensation, parts.body_of_link(link.name) if link.gravity_compensation else None
        if not isinstance(body, MobilizedBody) or not link.mass_properties.mass:
            continue
        if fraction == 1 and not is_counted:
            gravity.set_default_body_is_excluded(body, True)
        else:
            weight = link.mass_properties.mass * vector
            name = parts.free(f"{link.name}_gravity_compensation")
            force = ConstantForce(parts.forces, body, link.mass_properties.com, -fraction * weight, name=name)
            parts.compensations.append(force)
