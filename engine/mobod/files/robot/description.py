"""All that a file says of a robot, whatever its format."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np

from mobod.files.robot.contact_pairs import FrictionOfShapes, RobotPair
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
    friction_of_shapes  the friction of two shapes, in place of friction_of_pair
    pairs               shapes that touch whatever groups and parents say
    collision_tag       the element of the format that describes a shape that touches
    lifts_bases         whether free bases that overlap a plane at the start are lifted out of it, for rigid contacts
    keyframes           names of the starts that the file has, '' for one without a name
    defaults            options of build in place of their defaults
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
    friction_of_shapes: FrictionOfShapes | None = None
    pairs: tuple[RobotPair, ...] = ()
    collision_tag: str = "<collision>"
    lifts_bases: bool = False
    keyframes: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
