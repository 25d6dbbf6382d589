"""All that a file says of a robot, whatever its format."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import numpy as np

from mobod.files.robot.drives import RobotDrive
from mobod.files.robot.equalities import Equality
from mobod.files.robot.joints import RobotJoint
from mobod.files.robot.links import RobotLink, RobotSite
from mobod.files.robot.sensors import RobotSensor
from mobod.files.robot.tendons import RobotTendon
from mobod.forces.gravity import STANDARD_GRAVITY


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class RobotDescription:
    """Names are those of the file. A link named 'world' is Ground.

    gravity             (3,) m/s^2
    equalities          between links or coordinates, beside the joints that close loops
    excluded            pairs of links whose shapes do not touch
    friction_of_pair    min or max of the coefficients of friction of two shapes; None: as ContactSet combines them
    has_world           whether joints with is_base connect root links with the link 'world'
    mesh_folders        folders in which meshes are looked for, beside that of the file
    """

    name: str
    path: Path
    links: dict[str, RobotLink]
    joints: dict[str, RobotJoint]
    gravity: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, -STANDARD_GRAVITY]))
    sites: dict[str, RobotSite] = field(default_factory=dict)
    equalities: tuple[Equality, ...] = ()
    tendons: tuple[RobotTendon, ...] = ()
    drives: tuple[RobotDrive, ...] = ()
    sensors: tuple[RobotSensor, ...] = ()
    excluded: tuple[tuple[str, str], ...] = ()
    friction_of_pair: Callable[[float, float], float] | None = None
    has_world: bool = False
    mesh_folders: tuple[Path, ...] = ()
