"""Bodies of a joint that have no inertia along its motions, and so cannot be at its end."""

import numpy as np

from mobod.errors import MobodError
from mobod.matter import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations, ReversedEquations
from mobod.spatial import MassProperties, Transform, cross_matrix
from mobod.spatial.relative_inertia import ROUND_OFF, relative_inertias


def has_idle_motion(equations: MobilizerEquations, q: np.ndarray, mass_properties: MassProperties, X_BM: Transform) -> bool:
    """Whether a body with mass has no inertia along some motion of a joint, at q and also in general.

    X_BM  pose of the joint's frame in the body's; F for the parent of a joint, with its ReversedEquations
    """
    if not mass_properties.mass or not equations.nu:
        return False
    inertia = _about(mass_properties, X_BM)
    general = q + np.random.default_rng(0).uniform(0.2, 0.7, q.shape)
    return all(_is_idle(equations, each, inertia) for each in (q, general))


def has_idle_motion_of_parent(joint: MobilizedBody, mass_properties: MassProperties) -> bool:
    """`has_idle_motion` of the body on the parent's side."""
    return has_idle_motion(ReversedEquations(joint.equations), joint.default_q, mass_properties, joint.X_PF)


def has_idle_motion_of_child(joint: MobilizedBody, mass_properties: MassProperties) -> bool:
    """`has_idle_motion` of the body on the child's side."""
    return has_idle_motion(joint.equations, joint.default_q, mass_properties, joint.X_BM)


def _is_idle(equations: MobilizerEquations, q: np.ndarray, inertia: np.ndarray) -> bool:
    try:
        R_MF, H_FM = equations.X_FM(q).R.T, np.asarray(equations.H_FM(q), dtype=float)
    except MobodError:
        return True  # q is outside of the range of a function: the other q decides
    values, _, _ = relative_inertias(np.vstack([R_MF @ H_FM[:3], R_MF @ H_FM[3:]]), inertia)
    return bool(values[0] <= ROUND_OFF)


def _about(mass_properties: MassProperties, X_BM: Transform) -> np.ndarray:
    """(6, 6) spatial inertia about the origin of M, in its axes."""
    R, p = X_BM.R, cross_matrix(X_BM.p)
    to_B = np.block([[R, np.zeros((3, 3))], [p @ R, R]])  # motions [w; v] of M to those of B: v_B = v_M + p x w
    return to_B.T @ mass_properties.spatial_inertia() @ to_B
