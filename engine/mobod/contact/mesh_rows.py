"""The rows of an elastic foundation: functions of slots for one face of the mesh, which are recorded once for all faces.

Frame A is that of contact_rows. The other shape is shape 1, the mesh shape 2.
"""

from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np

from mobod.contact.contact_rows import contact
from mobod.contact.laws import ContactEvaluation, ContactLaw
from mobod.contact.shapes import ContactShape
from mobod.forces.contact_laws import hunt_crossley, linear
from mobod.forces.friction.friction_laws import hollars_over_speed, step5_over_speed
from mobod.scalar import Array, Scalar, maximum, norm, where
from mobod.spatial import Transform

NO_CURVATURES = np.zeros((1, 2))


@final
@dataclass(frozen=True)
class FoundationLaw(ContactLaw):
    """numbers: those of a ContactMaterial with the stiffness in Pa/m, share, transition_speed, and the area of the face."""

    friction: Literal["hollars", "step5"]

    def energy(self, numbers: Array, x: Scalar, curvatures: Array) -> Scalar:
        """See ContactLaw."""
        return linear(x, numbers[0] * numbers[-1])[1]

    def shift(self, numbers: Array, x: Scalar) -> Scalar:
        """See ContactLaw."""
        return maximum(x, 0.0) * (0.5 - numbers[5])

    def friction_at_rest(self, numbers: Array) -> tuple[Scalar, Scalar]:
        """See ContactLaw."""
        return numbers[2], numbers[6]

    def evaluate(self, numbers: Array, x: Scalar, x_dot: Scalar, slip: Array, curvatures: Array, z: Array) -> ContactEvaluation:
        """See ContactLaw."""
        stiffness, dissipation, static, dynamic, viscous, _, transition_speed, area = numbers
        normal_force, _, loss = hunt_crossley(*linear(x, stiffness * area), dissipation, x_dot)
        over_speed = hollars_over_speed if self.friction == "hollars" else step5_over_speed
        friction = -normal_force * over_speed(norm(slip), static, dynamic, viscous, transition_speed) * slip
        return ContactEvaluation(normal_force, friction, loss - friction @ slip, np.zeros(3))


def face_proximity(
    shape: ContactShape,
    face: Array,
    lengths: Array,
    R_B1S1: Array,
    p_B1S1: Array,
    R_B2S2: Array,
    p_B2S2: Array,
    R_GB1: Array,
    r1: Array,
    p_GM1: Array,
    R_GB2: Array,
    r2: Array,
    p_GM2: Array,
) -> tuple[Scalar, Array, Array, Array]:
    """(distance (), normal (3,), arm1 (3,), arm2 (3,)): of the centroid from the shape; arms to the middle between both.

    face  (4,)  m, m^2: centroid in the frame of the mesh, and area
    """
    shape = shape.with_parameters(lengths)
    from_1_to_2 = p_GM2 - p_GM1
    X_A1 = Transform.of(R_GB1 @ R_B1S1, r1 + R_GB1 @ p_B1S1)
    centroid = from_1_to_2 + r2 + R_GB2 @ (p_B2S2 + R_B2S2 @ face[:3])
    distance, normal = shape.gap_of_point(centroid, X_A1)
    middle = centroid - distance / 2 * normal
    return distance, normal, middle, middle - from_1_to_2


def face_energy(law: ContactLaw, enabled: Scalar, distance: Scalar, face: Array, *numbers: Scalar) -> Scalar:
    return where(enabled, law.energy(np.array([*numbers, face[3]]), -distance, NO_CURVATURES[0]), 0.0)


def face_loss(law: ContactLaw, *inputs: Any) -> Scalar:
    return face_contact(law, *inputs)[4]


def face_contact(
    law: ContactLaw, enabled: Scalar, distance: Scalar, normal: Array, arm1: Array, arm2: Array, face: Array, p_GM1: Array, *others: Any
) -> tuple[Scalar, Array, Scalar, Array, Scalar, Array, Array]:
    """As contact_rows.contact, of one face; others: V_GM of both bodies, then the numbers of the law without the area."""
    at_position = np.array([distance]), normal[None], arm1[None], arm2[None], NO_CURVATURES
    *of_face, force1, force2 = contact(law, False, enabled, *at_position, p_GM1, *others, face[3])
    normal_force, friction, speed, point, lost = (each[0] for each in of_face)
    return normal_force, friction, speed, point, lost, force1, force2
