"""The rows of a compliant contact: functions of slots, which are recorded.

The common frame A of both shapes has the axes of Ground and its origin at that of body 1's mobilizer frame M, so that nothing is lost far
from Ground's origin; forces are summed about the origins of the frames M.
"""

from typing import Any

import numpy as np

from mobod.contact.curvature import Curvature, relative_curvatures
from mobod.contact.laws import ContactEvaluation, ContactLaw
from mobod.contact.pairs import pair_of
from mobod.contact.proximity import ABSENT
from mobod.contact.shapes import ContactShape
from mobod.forces.station import force_at, velocity_at
from mobod.scalar import Array, Scalar, norm, where
from mobod.spatial import Transform

WITHOUT_CURVATURE = 0.0
SAME_ENERGY = 1e-9  # relative; where the nearest points are an end, both energies differ by round-off alone


def proximity(
    shape1: ContactShape,
    shape2: ContactShape,
    curvature: Curvature,
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
) -> tuple[Array, Array, Array, Array, Array]:
    """(distance (n,), normal (n, 3), arm1 (n, 3), arm2 (n, 3), curvatures (n, 2)): of each feature; arms from the origins of M to the
    midpoint of the gap.

    lengths    the parameters of both shapes
    """
    shape1, shape2 = shape1.with_parameters(lengths[: shape1.n_parameters]), shape2.with_parameters(lengths[shape1.n_parameters :])
    from_1_to_2 = p_GM2 - p_GM1
    X_A1 = Transform.of(R_GB1 @ R_B1S1, r1 + R_GB1 @ p_B1S1)
    X_A2 = Transform.of(R_GB2 @ R_B2S2, from_1_to_2 + r2 + R_GB2 @ p_B2S2)
    pair = pair_of(shape1, shape2)
    found = pair.proximities(shape1, X_A1, shape2, X_A2)
    distances = [each.gap for each in found[:-1]] if pair.has_line else [each.distance for each in found[:-1]]
    curvatures = [
        (WITHOUT_CURVATURE,) * 2
        if curvature == "none"
        else relative_curvatures(shape1, X_A1, shape2, X_A2, each.normal, as_simbody=curvature == "simbody")
        for each in found
    ]
    arms1 = np.array([each.point for each in found])
    return (
        np.array([*distances, found[-1].distance]),
        np.array([each.normal for each in found]),
        arms1,
        arms1 - from_1_to_2,
        np.array(curvatures),
    )


def energy(law: ContactLaw, has_line: bool, enabled: Scalar, distance: Array, curvatures: Array, *numbers: Scalar) -> Scalar:
    values = np.array(numbers)
    distance = distances_that_count(law, has_line, distance, curvatures, values)
    total = sum(law.energy(values, -d, each) for d, each in zip(distance, curvatures, strict=True))
    return where(enabled, total, 0.0)


def distances_that_count(law: ContactLaw, has_line: bool, distance: Array, curvatures: Array, values: Array) -> Array:
    """(n,) m: ABSENT for features that do not push, since others push in their place.

    has_line  see ContactPair. Either the ends push or the nearest points: those that store more energy. So the energy is continuous as
              the nearest points move along the line to an end, and as the line turns.
    """
    if not has_line:
        return distance
    energies = [law.energy(values, -d, each) for d, each in zip(distance, curvatures, strict=True)]
    ends_push = sum(energies[:-1]) > (1 + SAME_ENERGY) * energies[-1]
    return np.array([*(where(ends_push, d, ABSENT) for d in distance[:-1]), where(ends_push, ABSENT, distance[-1])])


def loss(law: ContactLaw, has_line: bool, *inputs: Any) -> Scalar:
    return np.sum(contact(law, has_line, *inputs)[4])


def contact(
    law: ContactLaw,
    has_line: bool,
    enabled: Scalar,
    distance: Array,
    normal: Array,
    arm1: Array,
    arm2: Array,
    curvatures: Array,
    p_GM1: Array,
    V_GM1: Array,
    V_GM2: Array,
    *numbers: Scalar,
) -> tuple[Array, ...]:
    """(normal force (n,), friction (n, 3), slip speed (n,), point (n, 3) in Ground, loss (n,), with moments those (n, 3), spatial forces on
    body 1 and body 2).
    """
    no_bristles = np.zeros(3 * len(distance))
    results = bristled(
        law, has_line, enabled, distance, normal, arm1, arm2, curvatures, p_GM1, V_GM1, V_GM2, np.eye(3), np.eye(3), no_bristles, *numbers
    )
    return results[:-1]


def bristled_loss(law: ContactLaw, has_line: bool, *inputs: Any) -> Scalar:
    return np.sum(bristled(law, has_line, *inputs)[4])


def bristled(
    law: ContactLaw,
    has_line: bool,
    enabled: Scalar,
    distance: Array,
    normal: Array,
    arm1: Array,
    arm2: Array,
    curvatures: Array,
    p_GM1: Array,
    V_GM1: Array,
    V_GM2: Array,
    R_GB1: Array,
    R_B1S1: Array,
    bristles: Array,
    *numbers: Scalar,
) -> tuple[Array, ...]:
    """The same, and the rates of the bristles' deflections (3 n,), which are kept in the frame of shape 1."""
    values, R_GS1 = np.array(numbers), R_GB1 @ R_B1S1
    force1, force2, turns = np.zeros(6), np.zeros(6), V_GM2[:3] - V_GM1[:3]
    moments: list[Array] = []
    columns: tuple[list[Array], ...] = ([], [], [], [], [], [])
    for i, d in enumerate(distances_that_count(law, has_line, distance, curvatures, values)):
        n, z_S1 = normal[i], bristles[3 * i : 3 * i + 3]
        approach, z = velocity_at(arm2[i], V_GM2) - velocity_at(arm1[i], V_GM1), R_GS1 @ z_S1
        x_dot = -(n @ approach)  # the same at all points of the normal
        shift = law.shift(values, -d) * n
        v = velocity_at(arm2[i] + shift, V_GM2) - velocity_at(arm1[i] + shift, V_GM1)
        slip = v - (n @ v) * n
        found: ContactEvaluation = law.evaluate(values, -d, x_dot, slip, curvatures[i], z - (n @ z) * n)
        on_2 = where(enabled, found.normal_force * n + found.friction, 0.0)
        force1, force2 = force1 + force_at(arm1[i] + shift, -on_2), force2 + force_at(arm2[i] + shift, on_2)
        lost_by_feature = found.loss
        if law.has_moments:
            moment = where(enabled, law.moment(values, found.normal_force, n, turns), 0.0)
            pure, lost_by_feature = np.concatenate([moment, np.zeros(3)]), found.loss - moment @ turns
            force1, force2 = force1 - pure, force2 + pure
            moments.append(moment)
        rates = where(enabled, R_GS1.T @ found.z_dot - where(found.normal_force > 0, 0.0, law.relaxation(values)) * z_S1, 0.0)
        of_feature = (found.normal_force, found.friction, norm(slip), p_GM1 + arm1[i] + shift, lost_by_feature, rates)
        for column, value, is_force in zip(columns, of_feature, (True, True, False, False, True, False), strict=True):
            column.append(where(enabled, value, 0.0) if is_force else value)
    normal_force, friction, speed, point, lost, z_dot = (np.array(column) for column in columns)
    further = (np.array(moments),) if law.has_moments else ()
    return normal_force, friction, speed, point, lost, *further, force1, force2, np.ravel(z_dot)
