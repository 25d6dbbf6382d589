"""Reading: the compiled model, its names, the start, and findings, which all parts of the reader share."""

from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np

from mobod.errors import ModelFileError
from mobod.files.findings import Findings
from mobod.files.mjcf.compiled_names import CompiledNames
from mobod.files.mjcf.mujoco_package import mujoco
from mobod.spatial import Transform, from_quaternion

SoftMode = Literal["rigid", "compliant"]
JOINT_KINDS = ("free", "ball", "slide", "hinge")  # in the order of mujoco.mjtJoint
WRAP_KINDS = ("none", "joint", "pulley", "site", "sphere", "cylinder")  # in the order of mujoco.mjtWrap


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """m     the compiled model, a mujoco.MjModel
    key      the number of the keyframe; None: qpos0
    armature whether joints have rotor inertia
    soft     what soft constraints become
    """

    m: Any
    names: CompiledNames
    findings: Findings
    key: int | None
    armature: bool
    soft: SoftMode

    def is_off(self, what: str) -> bool:
        """Whether the file switches something off; what: as in <flag>, such as 'gravity'."""
        flag = getattr(mujoco().mjtDisableBit, f"mjDSBL_{what.upper()}", None)
        return flag is not None and bool(int(self.m.opt.disableflags) & int(flag))

    @property
    def q(self) -> np.ndarray:
        """(nq,) MuJoCo's coordinates of the start."""
        return np.array(self.m.qpos0 if self.key is None else self.m.key_qpos[self.key])

    def joint_kind(self, j: int) -> str:
        return JOINT_KINDS[int(self.m.jnt_type[j])]

    def has_one_coordinate(self, j: int) -> bool:
        return self.joint_kind(j) in ("slide", "hinge")

    def left_out(self, kind: str, message: str, joint: str | None = None, link: str | None = None) -> None:
        """A finding of what changes the motion. Raises ModelFileError if findings are strict."""
        if self.findings.strict:
            raise ModelFileError(f"{self.findings.path}: {message}")
        self.findings.note(kind, message, joint=joint, link=link)

    def field(self, name: str, number: int, default: float = 0.0) -> np.ndarray:
        """An entry of a field that older versions of MuJoCo lack."""
        found = getattr(self.m, name, None)
        return np.array(default) if found is None else np.array(found[number])

    def tendon_terms(self, t: int) -> list[tuple[int, float]] | None:
        """The joints of a fixed tendon with their coefficients; None for a spatial tendon."""
        first = int(self.m.tendon_adr[t])
        wraps = range(first, first + int(self.m.tendon_num[t]))
        if any(WRAP_KINDS[int(self.m.wrap_type[w])] != "joint" for w in wraps):
            return None
        return [(int(self.m.wrap_objid[w]), float(self.m.wrap_prm[w])) for w in wraps]


def pose(p: np.ndarray, quaternion: np.ndarray) -> Transform:
    """A pose of MuJoCo."""
    return Transform(from_quaternion(quaternion), np.array(p, dtype=float))


def unit_quaternion(quaternion: np.ndarray) -> np.ndarray:
    size = float(np.linalg.norm(quaternion))
    return np.array(quaternion) / size if size else np.array([1.0, 0.0, 0.0, 0.0])
