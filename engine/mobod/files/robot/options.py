"""How a System is made of a robot: the options that load_urdf, load_sdf and load_mjcf share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature
from math import isfinite
from pathlib import Path
from typing import Literal, TypedDict, final, get_args

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError
from mobod.files.robot.contact_options import ContactKind, UrdfContact, contact_of
from mobod.files.robot.friction import FRICTION_SPEED, FrictionMode, check_friction
from mobod.files.robot.motors import MotorKind, checked_motors
from mobod.graph.builder import LimitsMode

EqualityMode = Literal["rigid", "ignore"]


class RobotArguments(TypedDict, total=False):
    """See Robot.build."""

    floating_base: bool | None
    gravity: float | ArrayLike | None
    motors: bool | MotorKind
    velocity_gain: float | None
    drives: bool
    drive_limits: bool
    limits: LimitsMode
    stop_stiffness: float | None
    friction: FrictionMode
    friction_speed: float
    equality: EqualityMode
    contact: ContactKind | UrdfContact | None
    links: Iterable[str] | None
    sensors: bool
    mesh_folders: Sequence[str | Path]


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class RobotOptions:
    """The arguments of Robot.build, checked. Raises InputError for invalid ones."""

    floating_base: bool | None = None
    gravity: float | ArrayLike | None = None
    motors: bool | MotorKind = True
    velocity_gain: float | None = None
    drives: bool = True
    drive_limits: bool = True
    limits: LimitsMode = "rigid"
    stop_stiffness: float | None = None
    friction: FrictionMode = "regularised"
    friction_speed: float = FRICTION_SPEED
    equality: EqualityMode = "rigid"
    contact: ContactKind | UrdfContact | None = None
    links: Iterable[str] | None = None
    sensors: bool = True
    mesh_folders: Sequence[str | Path] = ()

    def __post_init__(self) -> None:
        check_friction(self.friction, self.friction_speed)
        contact = contact_of(self.contact)
        if self.velocity_gain is not None and checked_motors(self.motors) != "velocity":
            raise InputError(f"velocity_gain applies only to motors='velocity', but motors is {self.motors!r}. Omit velocity_gain.")
        if self.stop_stiffness is not None and self.limits != "stops":
            raise InputError(
                f"stop_stiffness applies only to elastic stops, but limits is {self.limits!r}. Write limits='stops', or omit "
                "stop_stiffness."
            )
        if self.equality not in get_args(EqualityMode):
            raise InputError(f"equality is {self.equality!r}. Valid values: {', '.join(map(repr, get_args(EqualityMode)))}.")
        if self.links is not None and contact is None:
            raise InputError("links are those that touch others, but contact is None. Write contact='rigid' or 'compliant', or omit links.")
        if isinstance(self.links, str):
            raise InputError(f"links is {self.links!r}. Give several names, such as [{self.links!r}].")
        if isinstance(self.mesh_folders, (str, Path)):
            raise InputError(f"mesh_folders is {str(self.mesh_folders)!r}. Give a list of folders.")

    def gravity_of(self, of_file: np.ndarray) -> np.ndarray:
        """(3,) m/s^2: that of the file, unless another one is given. Raises InputError."""
        if self.gravity is None:
            return of_file
        given = real_numbers(self.gravity, "gravity")
        if given.shape == ():
            given = np.array([0.0, 0.0, -float(given)])
        if given.shape != (3,) or not all(isfinite(each) for each in given):
            raise InputError(f"gravity is {self.gravity!r}. It is a magnitude along -z, or a vector of three numbers, in m/s^2.")
        return given


def signature_with(*own: str) -> Signature:
    """Of a loader with arguments of its own beside those of Robot.build."""
    names = (*own, *RobotArguments.__annotations__)
    return Signature([Parameter(name, Parameter.KEYWORD_ONLY) for name in names])
