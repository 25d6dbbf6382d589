"""Contact of a robot, with a plane, with itself and with others."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, final, get_args

import numpy as np

from mobod.contact import ContactShape, ConvexMesh, Cylinder, HalfSpace
from mobod.contact.compliant_contact import CompliantContact
from mobod.contact.contact_force import carrier
from mobod.contact.contact_set import ContactSet
from mobod.contact.material import Combination, ContactMaterial, checked_material
from mobod.contact.placed_shape import PlacedShape
from mobod.errors import InputError, ModelFileError, UnknownNameError, UnsupportedError
from mobod.files.findings import Findings
from mobod.files.meshes.mesh_file import read_mesh
from mobod.files.meshes.reduction import reduced_hull
from mobod.files.robot.collisions import RobotCollision
from mobod.files.robot.contact_pairs import (
    FrictionOfShapes,
    PairFriction,
    compliant_contact,
    make_rigid,
    pairs_of_file,
    pairs_that_touch,
)
from mobod.files.robot.description import RobotDescription
from mobod.files.robot.links import RobotLink
from mobod.files.robot.parts import RobotParts
from mobod.files.robot.touching import TouchingKinds
from mobod.matter.bodies.decorations import Mesh, MeshFile
from mobod.matter.unilateral.friction import STRIBECK
from mobod.matter.unilateral.moments import ROLLING, TORSIONAL
from mobod.spatial import Transform
from mobod.system.named_arguments import named_arguments
from mobod.system.names import numbered

ContactKind = Literal["rigid", "compliant"]
IGNORED = "{} is ignored: shapes do not touch each other here. contact='rigid' or 'compliant' makes contacts of them."
FEWEST = 4  # vertices of a hull
BITS_OF_FLOOR, CONDIM_OF_FLOOR = (1, 1), 3  # as a shape of MuJoCo has them that has none in its file
Folders = Sequence[str | Path]
FRICTION = 1.0  # as in MuJoCo and Gazebo
STIFFNESS, DISSIPATION = 1e5, 1.0  # N/m, s/m: of a compliant robot if no material is given


@final
@named_arguments
@dataclass(frozen=True, kw_only=True)
class UrdfContact:
    """What load_urdf, load_sdf and load_mjcf make of the shapes of a robot that can touch others.

    kind              'rigid': mb.RigidContact; 'compliant': mb.CompliantContact with the linear law
    ground            True: the plane z = 0; a Transform: the frame of a half-space in Ground, below its z = 0; False: no plane; default:
                      the plane z = 0, unless the file has planes of its own
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
    in_fixed_steps    whether pairs touch that do so in fixed steps only, such as two boxes (see mb.ContactSet.rigid). Hulls then have at
                      most 8 points, and keep all of their vertices. For rigid contacts

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
        if self.kind == "compliant" and self.in_fixed_steps:
            raise InputError("UrdfContact: in_fixed_steps is for rigid contacts. Leave it out.")
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


def note_ignored(links: Iterable[RobotLink], findings: Findings, tag: str) -> None:
    """Note that shapes do not touch."""
    for link in links:
        for each in link.collisions:
            findings.note("ignored", IGNORED.format(tag), each.line, path=each.path)


def add_contacts(parts: RobotParts, description: RobotDescription, options: UrdfContact, chosen: Iterable[str] | None) -> None:
    """Make contacts of the shapes of links.

    chosen  names of the links whose shapes touch, beside those that are fixed to Ground; None: all

    Raises UnknownNameError.
    """
    system, findings, links = parts.system, parts.findings, description.links
    names = set(links if chosen is None else chosen)
    for name in names:
        UnknownNameError.check("link", name, links)
    shapes = [
        (link, collision, shape)
        for link in links.values()
        if link.name in names or carrier(parts.body_of_link(link.name)) is system.matter.ground
        for collision in link.collisions
        if (shape := _checked(collision, link.name, options, system.mesh_folders, findings)) is not None
    ]
    contacts, touching = ContactSet(system.matter, parts.forces), TouchingKinds(self_collision=options.self_collision)
    has_plane = any(isinstance(shape, HalfSpace) for _, _, shape in shapes)
    has_floor = options.ground is not False and not (options.ground is None and has_plane)
    of_floor = touching.kind(None, BITS_OF_FLOOR if any(collision.bits for _, collision, _ in shapes) else None)
    kinds = [touching.kind(link, collision.bits) for link, collision, _ in shapes]
    if has_floor:
        frame = options.ground if isinstance(options.ground, Transform) else Transform()
        group, mask = touching.bits(of_floor)
        material = options.of_shape(None)
        contacts.add(system.matter.ground, HalfSpace(), frame, material=material, group=group, mask=mask, name="floor")
    placed: dict[str, RobotCollision] = {}
    for (link, collision, shape), kind in zip(shapes, kinds, strict=True):
        name = numbered(link.name, {each.name for each in contacts.shapes})
        group, mask = touching.bits(kind)
        material = options.of_shape(collision.friction, collision.stiffness, collision.dissipation)
        contacts.add(parts.body_of_link(link.name), shape, collision.X_BS, material=material, group=group, mask=mask, name=name)
        placed[name] = collision
    for one, other in description.excluded:
        bodies = parts.body_of_link(one), parts.body_of_link(other)
        if bodies[0] is not bodies[1]:
            contacts.exclude(*bodies)
    _note_without_distance(contacts, findings, in_fixed_steps=options.in_fixed_steps)
    of_pair = None if description.friction_of_pair is None else partial(_combined, description.friction_of_pair)
    if description.friction_of_shapes is not None:
        _make_pairs(contacts, placed, description, description.friction_of_shapes, options)
        return
    if options.kind == "rigid":
        contacts.rigid(
            stribeck_speed=options.stribeck_speed,
            torsional_friction=options.torsional_friction,
            rolling_friction=options.rolling_friction,
            restitution=options.restitution,
            combination=of_pair,
            unsupported="skip",
            in_fixed_steps=options.in_fixed_steps,
        )
    elif of_pair is None:
        torsional, rolling = options.torsional_friction or 0.0, options.rolling_friction or 0.0
        contacts.compliant(normal="linear", torsional_friction=torsional, rolling_friction=rolling, unsupported="skip")
    else:
        _add_compliant(contacts, parts, of_pair, options)


def _combined(of_pair: Callable[[float, float], float], one: ContactMaterial, other: ContactMaterial) -> ContactMaterial:
    """The first material, with the coefficients of friction of both."""
    static = of_pair(one.static_friction, other.static_friction)
    return replace(one, static_friction=static, dynamic_friction=min(static, of_pair(one.dynamic_friction, other.dynamic_friction)))


def _add_compliant(contacts: ContactSet, parts: RobotParts, of_pair: Combination, options: UrdfContact) -> None:
    """Add compliant contacts whose materials both have the coefficients of the pair, so that a saved model contains no function."""
    for one, other in contacts.pairs(unsupported="skip"):
        assert one.material is not None
        assert other.material is not None
        CompliantContact(
            parts.forces,
            one.body,
            one.shape,
            other.body,
            other.shape,
            normal="linear",
            X_B1S1=one.X_BS,
            X_B2S2=other.X_BS,
            material1=of_pair(one.material, other.material),
            material2=of_pair(other.material, one.material),
            torsional_friction=options.torsional_friction or 0.0,
            rolling_friction=options.rolling_friction or 0.0,
            name=f"{one.name}_{other.name}",
        )


def _make_pairs(
    contacts: ContactSet,
    collisions: Mapping[str, RobotCollision],
    description: RobotDescription,
    friction_of_shapes: FrictionOfShapes,
    options: UrdfContact,
) -> None:
    """Make a contact of each pair, with the friction that the file gives it, unless the options do; with a floor that is not in the file
    that of the shape.
    """
    of_file, found = pairs_of_file(contacts, collisions, description.pairs), list[tuple[PlacedShape, PlacedShape, PairFriction]]()
    for one, other in pairs_that_touch(contacts, of_file, in_fixed_steps=options.in_fixed_steps):
        first, second = (collisions.get(each.name) for each in (one, other))
        if (one.name, other.name) in of_file:
            friction = of_file[one.name, other.name]
        elif (of_shape := first or second) is not None and (first is None or second is None):
            friction = friction_of_shapes(of_shape, replace(of_shape, condim=max(of_shape.condim, CONDIM_OF_FLOOR)))
        else:
            assert first is not None
            assert second is not None
            friction = friction_of_shapes(first, second)
        found.append((one, other, _as_asked(friction, options)))
    if options.kind == "rigid":
        make_rigid(contacts, found, options.stribeck_speed, options.restitution, in_fixed_steps=options.in_fixed_steps)
        return
    for one, other, friction in found:
        compliant_contact(contacts, one, other, friction)


def _as_asked(friction: PairFriction, options: UrdfContact) -> PairFriction:
    """That of the file, with the coefficients that the options give."""
    asked = options.material
    if asked is not None:
        friction = friction._replace(static=asked.static_friction, dynamic=asked.dynamic_friction, viscous=asked.viscous_friction)
    elif options.static_friction is not None or options.dynamic_friction is not None:
        of_both = options.of_shape(None)
        friction = friction._replace(static=of_both.static_friction, dynamic=of_both.dynamic_friction)
    if options.torsional_friction is not None:
        friction = friction._replace(torsional=options.torsional_friction)
    if options.rolling_friction is not None:
        friction = friction._replace(rolling=options.rolling_friction)
    return friction


def _checked(collision: RobotCollision, link: str, options: UrdfContact, folders: Folders, findings: Findings) -> ContactShape | None:
    for each in collision.findings:
        findings.note(each.kind, each.message, *each.lines, path=each.path, link=link)
    if collision.error:
        if findings.strict:
            raise ModelFileError(collision.error)
        message = re.sub(r"^line \d+: ", "", collision.error.removeprefix(f"{collision.path}, "))
        findings.note("collision", f"{message} The shape touches nothing.", collision.line, path=collision.path, link=link)
    if isinstance(collision.shape, (MeshFile, Mesh)):
        return _hull(collision, collision.shape, link, options, folders, findings)
    return None if collision.shape is None else _with_rims(collision.shape, options)


def _with_rims(shape: ContactShape, options: UrdfContact) -> ContactShape:
    """A cylinder with as many fixed points of its rims as the options say; other shapes as they are."""
    return replace(shape, points=options.cylinder_points) if isinstance(shape, Cylinder) else shape


def _hull(
    collision: RobotCollision, mesh: MeshFile | Mesh, link: str, options: UrdfContact, folders: Folders, findings: Findings
) -> ConvexMesh:
    what = mesh.path if isinstance(mesh, MeshFile) else collision.name
    try:
        parts = read_mesh(mesh, folders) if isinstance(mesh, MeshFile) else [mesh]
        points = np.concatenate([part.vertices for part in parts])
        hull = ConvexMesh.hull_of(points)
        if len(hull.vertices) <= options.mesh_vertices or options.in_fixed_steps:
            return hull
        vertices, outside = reduced_hull(np.array(hull.vertices), options.mesh_vertices)
        smaller = ConvexMesh.hull_of(vertices)
    except (InputError, UnsupportedError) as error:
        raise ModelFileError(f"{collision.place}: the mesh '{what}' cannot touch anything: {error}") from error
    changed = (
        f"the convex hull of the mesh '{what}' has {len(hull.vertices)} vertices, and the limit is {options.mesh_vertices}: each "
        "costs a row."
    )
    advice = "mb.UrdfContact(mesh_vertices=...) sets another limit; with in_fixed_steps=True there is none."
    if findings.strict:
        raise ModelFileError(f"{collision.place}: {changed} {advice}")
    size = float(np.ptp(points, axis=0).max())
    findings.note(
        "mesh",
        f"{changed} {len(smaller.vertices)} of them are used; the others are up to {outside:.3g} m outside, {outside / size:.2g} of its "
        f"size. {advice}",
        collision.line,
        path=collision.path,
        link=link,
    )
    return smaller


def _note_without_distance(contacts: ContactSet, findings: Findings, *, in_fixed_steps: bool) -> None:
    touching = contacts.pairs(unsupported="skip", in_fixed_steps=in_fixed_steps)
    found = {frozenset((one.name, other.name)) for one, other in touching}
    missing: dict[tuple[str, ...], list[str]] = {}
    for one, other in contacts.pairs_allowed():
        if frozenset((one.name, other.name)) not in found:
            kinds = tuple(sorted((type(one.shape).__name__, type(other.shape).__name__)))
            missing.setdefault(kinds, []).append(f"'{one.name}' and '{other.name}'")
    for (first, second), pairs in missing.items():
        more = f" So it is with {len(pairs) - 1} other pairs." if len(pairs) > 1 else ""
        message = f"{pairs[0]} do not touch each other: mobod has no distance between a {first} and a {second}.{more}"
        findings.note("collision", message)
