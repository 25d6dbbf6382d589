"""Contact of a robot from a URDF file, with a plane and with itself."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, final, get_args

import numpy as np

from mobod.contact import ContactShape, ConvexMesh, Cylinder, HalfSpace
from mobod.contact.contact_set import ContactSet
from mobod.contact.material import ContactMaterial, checked_material
from mobod.errors import InputError, ModelFileError, UnsupportedError
from mobod.files.findings import Findings
from mobod.files.meshes.mesh_file import read_mesh
from mobod.files.urdf.collisions import UrdfCollision
from mobod.files.urdf.elements import UrdfLink
from mobod.forces import ForceSubsystem
from mobod.matter import Ground, MobilizedBody, MultibodySystem
from mobod.matter.bodies.decorations import MeshFile
from mobod.matter.unilateral.friction import STRIBECK
from mobod.matter.unilateral.moments import ROLLING, TORSIONAL
from mobod.spatial import Transform
from mobod.system.named_arguments import named_arguments
from mobod.system.names import numbered

ContactKind = Literal["rigid", "compliant"]
IGNORED = "<collision> is ignored: shapes do not touch each other here. contact='rigid' or 'compliant' makes contacts of them."
FRICTION = 1.0  # as in MuJoCo and Gazebo
STIFFNESS, DISSIPATION = 1e5, 1.0  # N/m, s/m: of a compliant robot if no material is given
FLOOR, ROBOT = 0b01, 0b10  # groups


@final
@named_arguments
@dataclass(frozen=True, kw_only=True)
class UrdfContact:
    """What load_urdf makes of the <collision> shapes of a robot.

    kind              'rigid': mb.RigidContact; 'compliant': mb.CompliantContact with the linear law
    ground            True: the plane z = 0; a Transform: the frame of a half-space in Ground, below its z = 0; False: no plane
    static_friction   coefficient of all contacts at rest; default: 1, as in MuJoCo and Gazebo
    dynamic_friction  coefficient of a slip; default: static_friction
    stribeck_speed    m/s, of rigid contacts; default: the coefficient falls to that of a slip at once
    torsional_friction, rolling_friction
                      m, of all contacts: moments against spin and against rolling, per normal force; default: none
    restitution       of rigid contacts, 0 to 1
    material          of all surfaces, for compliant contacts: mb.ContactMaterial with stiffness in N/m; instead of the coefficients
    self_collision    whether links touch each other, except a link and its parent. Pairs without a distance in mobod are left out
    cylinder_points   0: the lowest points of both rims touch, as for wheels; 3 or more: this many fixed points of each rim
    mesh_vertices     a mesh, which stands for its convex hull, has at most this many vertices

    Raises InputError for invalid values.
    """

    kind: ContactKind = "rigid"
    ground: bool | Transform = True
    static_friction: float | None = None
    dynamic_friction: float | None = None
    stribeck_speed: float | None = None
    torsional_friction: float | None = None
    rolling_friction: float | None = None
    restitution: float = 0.0
    material: ContactMaterial | None = None
    self_collision: bool = False
    cylinder_points: int = 0
    mesh_vertices: int = 32

    def __post_init__(self) -> None:
        if self.kind not in get_args(ContactKind):
            raise InputError(f"UrdfContact: kind is {self.kind!r}. Valid values: 'rigid', 'compliant'.")
        if not isinstance(self.ground, (bool, Transform)):
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
        _ = self.of_shapes, Cylinder(1.0, 1.0, self.cylinder_points)

    @property
    def of_shapes(self) -> ContactMaterial:
        """The material of all surfaces."""
        if self.material is not None:
            return self.material
        static, dynamic = self.static_friction, self.dynamic_friction
        if static is None:
            static = FRICTION if dynamic is None else dynamic
        return ContactMaterial(STIFFNESS, DISSIPATION, static_friction=static, dynamic_friction=static if dynamic is None else dynamic)


def contact_of(given: object) -> UrdfContact | None:
    """The options of contact. Raises InputError for anything else than None, 'rigid', 'compliant' and a UrdfContact."""
    if given is None or isinstance(given, UrdfContact):
        return given
    if isinstance(given, str) and given in get_args(ContactKind):
        return UrdfContact(kind=given)  # type: ignore[arg-type] # mypy does not narrow a str by `in`
    raise InputError(f"contact is {given!r}. Valid values: 'rigid', 'compliant', an mb.UrdfContact, or None.")


def note_ignored(links: Iterable[UrdfLink], findings: Findings) -> None:
    """Note that shapes do not touch."""
    for link in links:
        for each in link.collisions:
            findings.note("ignored", IGNORED, each.line, path=each.path)


def add_contacts(
    system: MultibodySystem,
    forces: ForceSubsystem,
    links: Iterable[UrdfLink],
    body_of: Callable[[str], MobilizedBody | Ground],
    options: UrdfContact,
    findings: Findings,
) -> None:
    """Make contacts of the shapes of the links. body_of(link) is its body."""
    contacts, material = ContactSet(system.matter, forces), options.of_shapes
    if options.ground is not False:
        frame = Transform() if options.ground is True else options.ground
        contacts.add(system.matter.ground, HalfSpace(), frame, material=material, group=FLOOR, name="floor")
    mask = FLOOR | ROBOT if options.self_collision else FLOOR
    for link in links:
        for collision in link.collisions:
            shape = _checked(collision, link.name, options, system.mesh_folders, findings)
            if shape is not None:
                name = numbered(link.name, {each.name for each in contacts.shapes})
                contacts.add(body_of(link.name), shape, collision.X_BS, material=material, group=ROBOT, mask=mask, name=name)
    if options.self_collision:
        _note_without_distance(contacts, findings)
    if options.kind == "rigid":
        contacts.rigid(
            stribeck_speed=options.stribeck_speed,
            torsional_friction=options.torsional_friction,
            rolling_friction=options.rolling_friction,
            restitution=options.restitution,
            unsupported="skip",
        )
    else:
        torsional, rolling = options.torsional_friction or 0.0, options.rolling_friction or 0.0
        contacts.compliant(normal="linear", torsional_friction=torsional, rolling_friction=rolling, unsupported="skip")


def _checked(
    collision: UrdfCollision, link: str, options: UrdfContact, folders: Sequence[str | Path], findings: Findings
) -> ContactShape | None:
    for each in collision.findings:
        findings.note(each.kind, each.message, *each.lines, path=each.path, link=link)
    if collision.error:
        if findings.strict:
            raise ModelFileError(collision.error)
        message = re.sub(r"^line \d+: ", "", collision.error.removeprefix(f"{collision.path}, "))
        findings.note("collision", f"{message} The shape touches nothing.", collision.line, path=collision.path, link=link)
    match collision.shape:
        case MeshFile():
            return _hull(collision, collision.shape, options, folders)
        case Cylinder():
            return replace(collision.shape, points=options.cylinder_points)
        case _:
            return collision.shape


def _hull(collision: UrdfCollision, mesh: MeshFile, options: UrdfContact, folders: Sequence[str | Path]) -> ConvexMesh:
    try:
        hull = ConvexMesh.hull_of(np.concatenate([part.vertices for part in read_mesh(mesh, folders)]))
    except (InputError, UnsupportedError) as error:
        raise ModelFileError(f"{collision.place}: the mesh '{mesh.path}' cannot touch anything: {error}") from error
    if len(hull.vertices) > options.mesh_vertices:
        raise ModelFileError(
            f"{collision.place}: the convex hull of the mesh '{mesh.path}' has {len(hull.vertices)} vertices, and the limit is "
            f"{options.mesh_vertices}: each costs a row. Give a simpler mesh or several shapes, or mb.UrdfContact(mesh_vertices=...)."
        )
    return hull


def _note_without_distance(contacts: ContactSet, findings: Findings) -> None:
    found = {frozenset((one.name, other.name)) for one, other in contacts.pairs(unsupported="skip")}
    for one, other in contacts.pairs_allowed():
        if frozenset((one.name, other.name)) not in found:
            kinds = f"a {type(one.shape).__name__} and a {type(other.shape).__name__}"
            findings.note("collision", f"'{one.name}' and '{other.name}' do not touch each other: mobod has no distance between {kinds}.")
