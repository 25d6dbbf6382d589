"""Joints that carry no inertia along their motion."""

from collections.abc import Mapping, Sequence

import numpy as np

from mobod.files.urdf_elements import UrdfJoint, UrdfLink
from mobod.files.urdf_mimics import start_of
from mobod.spatial import Transform
from mobod.spatial.rotation import cross_matrix

ROUND_OFF = 1e-13  # relative to the inertia that the joint carries: smaller values are rounding errors
NEAR = 1e-3  # m: an inertia is compared with at least that of the mass at this distance


def joints_without_resistance(links: Mapping[str, UrdfLink], joints: Mapping[str, UrdfJoint], outward: Sequence[str]) -> dict[str, bool]:
    """Names of joints with a motion without inertia -> whether they carry mass.

    outward  names of the joints of the tree, each after the one that leads to its parent

    Articulated inertias at the start, from the tips inward: P' = P - P H (H^T P H)^-1 H^T P, taken to the parent. A joint at which H^T P H
    is singular counts as fixed from there on. A joint that carries an end of a loop joint is skipped: the loop may restrict its motion.

    Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 7.3.
    """
    articulated = {name: link.mass_properties.spatial_inertia() for name, link in links.items()}  # of a link and everything that it carries
    composite = {name: inertia.copy() for name, inertia in articulated.items()}
    in_loops = {end for joint in joints.values() if joint.closes_loop for end in (joint.parent, joint.child)}
    found: dict[str, bool] = {}
    for joint in (joints[name] for name in reversed(outward)):
        P, whole, H = articulated[joint.child], composite[joint.child], motion_of(joint)
        if joint.child in in_loops:
            in_loops.add(joint.parent)
        elif H.shape[1]:
            if _is_singular(H.T @ P @ H, H, whole):
                found[joint.name] = bool(whole[5, 5] > 0)
            else:
                PH = P @ H
                P = P - PH @ np.linalg.solve(H.T @ PH, PH.T)
        to_parent = _force_transform(joint.X_PC @ joint.motion(start_of(joint, joints) if joint.has_one_coordinate else 0.0))
        articulated[joint.parent] = articulated[joint.parent] + to_parent @ P @ to_parent.T
        composite[joint.parent] = composite[joint.parent] + to_parent @ whole @ to_parent.T
    return found


def motion_of(joint: UrdfJoint) -> np.ndarray:
    """H (6, n), in the child's frame at its origin: [w; v] = H u."""
    axis, none = joint.axis[:, None], np.zeros((3, 1))
    match joint.kind:
        case "revolute" | "continuous":
            return np.vstack([axis, none])
        case "prismatic":
            return np.vstack([none, axis])
        case "planar":
            in_plane = np.linalg.svd(joint.axis[None, :])[2][1:].T
            return np.hstack([np.vstack([axis, none]), np.vstack([np.zeros((3, 2)), in_plane])])
        case "floating":
            return np.eye(6)
        case "spherical":
            return np.eye(6)[:, :3]
        case "fixed":
            return np.zeros((6, 0))


def _is_singular(D: np.ndarray, H: np.ndarray, whole: np.ndarray) -> bool:
    """Whether D (n, n) is singular relative to the inertia of all carried links: about the joint for rotations, their mass for
    translations.
    """
    mass = whole[5, 5]
    rotational = np.trace(whole[:3, :3]) + mass * NEAR**2
    sizes = np.where(np.abs(H[:3]).any(axis=0), rotational, mass)
    if not sizes.all():
        return True
    scale = 1 / np.sqrt(sizes)
    return bool(np.linalg.eigvalsh(scale[:, None] * D * scale).min() <= ROUND_OFF)


def _force_transform(X_PC: Transform) -> np.ndarray:
    """(6, 6): [torque; force] on the child at its origin, expressed in the parent, at the parent's origin."""
    R, nothing = X_PC.R, np.zeros((3, 3))
    return np.block([[R, cross_matrix(X_PC.p) @ R], [nothing, R]])
