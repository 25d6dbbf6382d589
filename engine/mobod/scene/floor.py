"""The height of the floor on which a mechanism stands."""

from collections.abc import Iterator, Sequence

import numpy as np

from mobod.contact import HalfSpace
from mobod.matter.bodies.decorations import Box, Cylinder, Ellipsoid, Mesh, Sphere
from mobod.scene.camera import turns_about_z
from mobod.scene.contact_shapes import Contact
from mobod.scene.reach import reach
from mobod.scene.scene import Scene
from mobod.spatial import Transform
from mobod.system import State

_LEVEL = 1e-4  # rad: a half-space that leans less is a floor
_STANDS = 0.9  # a base reaches above its joints by less than this fraction of how far it reaches below them
_SOLID = (Box, Cylinder, Ellipsoid, Mesh, Sphere)


def floor_height(scene: Scene, contacts: Sequence[Contact], state: State, X_GB: Sequence[Transform], centers: np.ndarray) -> float | None:
    """m along `up` from Ground's origin; None if nothing says where the floor is.

    It is the lowest level half-space that bodies touch; else the lowest point of the base, which is Ground and what is welded to it, if its
    shapes reach farther below the joints that it carries than above them, or as far, if these joints turn about `up` and carry bodies that
    are above them.

    centers  (n, 3) m: the mass centers of the bodies, in their frames
    """
    up = np.array(scene.up)
    fixed = _fixed(scene)
    planes = [
        float((X_GB[body.index] @ X).p @ up)
        for contact in contacts
        for body, X, shape in contact.placed_shapes(state)
        if isinstance(shape, HalfSpace)
        and body.index in fixed
        and np.linalg.norm(np.cross(X_GB[body.index].R @ X.R[:, 2], up)) < _LEVEL
        and (X_GB[body.index].R @ X.R[:, 2]) @ up > 0
    ]
    if planes:
        return min(planes)
    carried = [number for number, body in enumerate(scene.bodies) if number not in fixed and body.parent in fixed and len(body.q) < 6]
    joints = [X_GB[scene.bodies[each].parent or 0] @ scene.bodies[each].X_PF for each in carried]
    if not joints:
        return None
    lowest_joint = min(float(X_GF.p @ up) for X_GF in joints)
    spans = np.array(list(_spans(scene, fixed, X_GB, up, (None, "mass", "contact"))))
    foot, top = (float(spans[:, 0].min()), float(spans[:, 1].max())) if len(spans) else (lowest_joint, lowest_joint)
    below, above = lowest_joint - foot, top - lowest_joint
    if below > 0 and above < _STANDS * below:
        return foot
    if above > 0 and below < _STANDS * above:
        return None
    upright = all(
        turns_about_z(scene, scene.bodies[each]) and abs(X_GF.R[:, 2] @ up) > 1 - _LEVEL for each, X_GF in zip(carried, joints, strict=True)
    )
    heights = [float(X_GB[number].apply(centers[number]) @ up) for number in range(len(scene.bodies)) if number not in fixed]
    if not (upright and np.mean(heights) > lowest_joint):
        return None
    return min([foot, *(low for low, _ in _spans(scene, {*fixed, *carried}, X_GB, up, ("axis",)))])


def _fixed(scene: Scene) -> set[int]:
    """Ground, and the bodies that are welded to it."""
    fixed = {0}
    for number, body in enumerate(scene.bodies):  # parents come before their children
        if body.parent in fixed and not body.q:
            fixed.add(number)
    return fixed


def _spans(
    scene: Scene, numbers: set[int], X_GB: Sequence[Transform], up: np.ndarray, roles: Sequence[str | None]
) -> Iterator[tuple[float, float]]:
    """The heights between which each solid shape of some bodies is."""
    for number in numbers:
        for shape in scene.bodies[number].shapes:
            if shape.role in roles and isinstance(shape.geometry, _SOLID):
                X_GS = X_GB[number] @ shape.X
                height, direction = float(X_GS.p @ up), X_GS.R.T @ up
                yield height - reach(shape.geometry, -direction), height + reach(shape.geometry, direction)
