"""The view of a drawing: an orthographic projection that suits the mechanism."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.scene.scene import JointProgram, Scene, SceneBody
from mobod.spatial import Transform


@final
@dataclass(frozen=True)
class Camera:
    """axes  (3, 3): rows are the directions of the picture to the right, upward, and towards the viewer, in Ground"""

    axes: np.ndarray

    def seen(self, points: np.ndarray) -> np.ndarray:
        """(n, 3) right, up and towards the viewer, m, of points (n, 3) in Ground."""
        return points @ self.axes.T


def camera(scene: Scene, poses: list[Transform]) -> Camera:
    """A view from the front, the right and above, with `up` upward; almost at right angles to the plane of a planar mechanism."""
    up = np.array(scene.up)
    front = np.array([0.0, 0.0, 1.0]) if abs(up[2]) < 0.9 else np.array([0.0, -1.0, 0.0])
    front -= (front @ up) * up
    front /= np.linalg.norm(front)
    normal = _normal(scene, poses)
    if normal is None:
        towards = front + 0.62 * np.cross(up, front) + 0.48 * up
    else:
        if normal @ (front + 0.5 * up + 0.25 * np.cross(up, front)) < 0:
            normal = -normal
        is_horizontal = abs(normal @ up) > 0.9
        towards = normal + (0.9 * front if is_horizontal else 0.32 * np.cross(up, normal) + 0.22 * up)
    towards /= np.linalg.norm(towards)
    right = np.cross(up, towards)
    right /= np.linalg.norm(right)
    return Camera(np.array([right, np.cross(towards, right), towards]))


def _normal(scene: Scene, poses: list[Transform]) -> np.ndarray | None:
    """Of the plane in which all bodies move about parallel axes; None if there is none."""
    axes = [X.R @ body.X_BM.R[:, 2] for body, X in zip(scene.bodies, poses, strict=True) if turns_about_z(scene, body)]
    if not axes or len(axes) < len(scene.bodies) - 1:
        return None
    first: np.ndarray = axes[0]
    return first if all(abs(first @ axis) > 1 - 1e-9 for axis in axes) else None


def turns_about_z(scene: Scene, body: SceneBody) -> bool:
    """Whether the joint has one coordinate, which is an angle about z."""
    if body.program is None:
        return False
    program = scene.programs[body.program]
    is_constant = [register >= program.n_q and _operation(program, register) == "constant" for register in program.result]
    return program.n_q == 1 and is_constant == [False, False, True, False, False, True, True, True, True, True, True, True]


def _operation(program: JointProgram, register: int) -> str:
    return program.instructions[register - program.n_q - program.n_parameters][0]
