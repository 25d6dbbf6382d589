"""UrdfContact: what loaders make of the shapes of a robot that can touch others."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, final, get_args

from mobod.contact import Cylinder
from mobod.contact.material import ContactMaterial, checked_material
from mobod.errors import InputError
from mobod.matter.unilateral.friction import STRIBECK
from mobod.matter.unilateral.moments import ROLLING, TORSIONAL
from mobod.spatial import Transform
from mobod.system.named_arguments import named_arguments

ContactKind = Literal["rigid", "compliant"]
TerrainKind = Literal["triangles", "smooth"]
FEWEST = 4  # vertices of a hull
FRICTION = 1.0  # as in MuJoCo and Gazebo
STIFFNESS, DISSIPATION = 1e5, 1.0  # N/m, s/m: of a compliant robot if no material is given


@final
@named_arguments
@dataclass(frozen=True, kw_only=True)
class UrdfContact:
    """What load_urdf, load_sdf and load_mjcf make of the shapes of a robot that can touch others.

    kind              'rigid': mb.RigidContact; 'compliant': mb.CompliantContact with the linear law
    ground            True: the plane z = 0; a Transform: the frame of a half-space in Ground, below its z = 0; False: no plane; default:
                      the plane z = 0, unless the file has planes or terrain of its own
    static_friction   coefficient of all contacts at rest; default: that of the file, else 1, as in MuJoCo and Gazebo
    dynamic_friction  coefficient of a slip; default: static_friction
    stribeck_speed    m/s, of rigid contacts; default: the coefficient falls to that of a slip at once
    torsional_friction, rolling_friction
                      m, of all contacts: moments against spin and against rolling, per normal force; 0: none; default: those of the
                      file, else none
    restitution       of rigid contacts, 0 to 1
    material          of all surfaces, for compliant contacts: mb.ContactMaterial with stiffness in N/m; instead of the coefficients
    self_collision    whether links touch each other, except a link and its parent; default: as the file says, and not where it does not.
                      Pairs without a distance in mobod are left out
    cylinder_points   0: the lowest points of both rims touch, as for wheels; 3 or more: this many fixed points of each rim
    mesh_vertices     a mesh, which stands for its convex hull, has at most this many vertices: a hull with more is replaced by one of
                      some of its vertices, with a finding that says how far the others are outside
    mesh_parts        a concave mesh is divided into at most this many convex parts, each of which touches (mb.contact.convex_parts, which
                      needs mobod[parts]); default: 1, its hull
    terrain           'triangles': meshes that are fixed to Ground touch by their triangles, as mb.contact.TerrainMesh, and are not
                      filled by their hulls; 'smooth': height fields are splines, which balls touch, instead of triangles; default: meshes
                      stand for their hulls, height fields have triangles. Triangles need in_fixed_steps=True
    srdf              path of an SRDF file, whose <disable_collisions> keep pairs of links apart; with it self_collision is True by default
    in_fixed_steps    whether pairs touch whose points the runtime finds, such as two boxes. Rigid contacts then need fixed steps (see
                      mb.ContactSet.rigid), and hulls have at most 8 points and keep all of their vertices; compliant ones need none, but
                      push apart what overlaps in the file

    Raises InputError for invalid values.
    """

    kind: ContactKind = "rigid"
    ground: bool | Transform | None = None
    static_friction: float | None = None
    dynamic_friction: float | None = None
    stribeck_speed: float | None = None
    torsional_friction: float | None = None
    rolling_friction: float | None = None
    restitution: float = 0.0
    material: ContactMaterial | None = None
    self_collision: bool | None = None
    cylinder_points: int = 0
    mesh_vertices: int = 32
    in_fixed_steps: bool = False
    mesh_parts: int = 1
    terrain: TerrainKind | None = None
    srdf: str | Path | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(ContactKind):
            raise InputError(f"UrdfContact: kind is {self.kind!r}. Valid values: 'rigid', 'compliant'.")
        if not isinstance(self.ground, (bool, Transform, type(None))):
            raise InputError(f"UrdfContact: ground is {self.ground!r}. Give True, False, or the Transform of a half-space.")
        if self.material is not None:
            checked_material(self.material, "UrdfContact: material")
            if self.static_friction is not None or self.dynamic_friction is not None:
                raise InputError("UrdfContact: material has coefficients of friction. Give no others.")
        if self.kind == "compliant" and self.restitution:
            raise InputError("UrdfContact: a compliant contact has no restitution. Give the material a dissipation.")
        if self.stribeck_speed is not None:
            STRIBECK.checked(self.stribeck_speed, "UrdfContact: stribeck_speed")
            if self.kind == "compliant":
                raise InputError("UrdfContact: a compliant contact has no stribeck_speed. Leave it out.")
        for parameter, value in ((TORSIONAL, self.torsional_friction), (ROLLING, self.rolling_friction)):
            if value is not None:
                parameter.checked(value, f"UrdfContact: {parameter.name}")
        parts: object = self.mesh_parts
        if not isinstance(parts, int) or parts < 1:
            raise InputError(f"UrdfContact: mesh_parts is {self.mesh_parts!r}. It is a whole number, at least 1.")
        if self.terrain not in (None, *get_args(TerrainKind)):
            raise InputError(f"UrdfContact: terrain is {self.terrain!r}. Valid values: 'triangles', 'smooth', None.")
        if self.terrain == "triangles" and not self.in_fixed_steps:
            raise InputError("UrdfContact: terrain='triangles' needs in_fixed_steps=True: the runtime finds the points of triangles.")
        if not isinstance(self.srdf, (str, Path, type(None))):
            raise InputError(f"UrdfContact: srdf is {self.srdf!r}. It is the path of a file.")
        if self.mesh_vertices < FEWEST:
            raise InputError(f"UrdfContact: mesh_vertices is {self.mesh_vertices!r}. A hull has at least {FEWEST} vertices.")
        _ = self.of_shape(None), Cylinder(1.0, 1.0, self.cylinder_points)

    def of_shape(self, friction: float | None, stiffness: float | None = None, dissipation: float = 0.0) -> ContactMaterial:
        """The material of the surface of a shape for which the file has this coefficient of friction, stiffness and dissipation."""
        if self.material is not None:
            return self.material
        if stiffness is None:
            stiffness, dissipation = STIFFNESS, DISSIPATION
        static, dynamic = self.static_friction, self.dynamic_friction
        if static is None:
            of_file = FRICTION if friction is None else friction
            static = of_file if dynamic is None else dynamic
        return ContactMaterial(stiffness, dissipation, static_friction=static, dynamic_friction=static if dynamic is None else dynamic)


def contact_of(given: object) -> UrdfContact | None:
    """The options of contact. Raises InputError for anything else than None, 'rigid', 'compliant' and a UrdfContact."""
    if given is None or isinstance(given, UrdfContact):
        return given
    if isinstance(given, str) and given in get_args(ContactKind):
        return UrdfContact(kind=given)  # type: ignore[arg-type] # mypy does not narrow a str by `in`
    raise InputError(f"contact is {given!r}. Valid values: 'rigid', 'compliant', an mb.UrdfContact, or None.")
