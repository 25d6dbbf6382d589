"""Contact of a robot, with a plane, with itself and with others."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

from mobod.contact import HalfSpace, HeightField, TerrainMesh
from mobod.contact.compliant_contact import CompliantContact
from mobod.contact.contact_force import carrier
from mobod.contact.contact_set import ContactSet
from mobod.contact.material import Combination, ContactMaterial
from mobod.contact.placed_shape import PlacedShape
from mobod.errors import UnknownNameError
from mobod.files.findings import Findings
from mobod.files.robot.collision_shapes import CollisionShapes
from mobod.files.robot.collisions import RobotCollision
from mobod.files.robot.contact_options import UrdfContact
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
from mobod.files.robot.srdf import links_kept_apart
from mobod.files.robot.touching import TouchingKinds
from mobod.spatial import Transform
from mobod.system.names import numbered

IGNORED = "{} is ignored: shapes do not touch each other here. contact='rigid' or 'compliant' makes contacts of them."
BITS_OF_FLOOR, CONDIM_OF_FLOOR = (1, 1), 3  # as a shape of MuJoCo has them that has none in its file


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
    shapes = []
    for link in links.values():
        is_fixed = carrier(parts.body_of_link(link.name)) is system.matter.ground
        if link.name in names or is_fixed:
            maker = CollisionShapes(options, system.mesh_folders, findings, link.name, is_fixed=is_fixed)
            shapes += [(link, collision, shape) for collision in link.collisions for shape in maker.shapes(collision)]
    self_collision = True if options.srdf is not None and options.self_collision is None else options.self_collision
    contacts, touching = ContactSet(system.matter, parts.forces), TouchingKinds(self_collision=self_collision)
    has_plane = any(isinstance(shape, (HalfSpace, HeightField, TerrainMesh)) for _, _, shape in shapes)
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
    apart = () if options.srdf is None else links_kept_apart(options.srdf, links, findings)
    for one, other in (*description.excluded, *apart):
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
        contacts.compliant(
            normal="linear",
            torsional_friction=torsional,
            rolling_friction=rolling,
            unsupported="skip",
            convex_pairs=options.in_fixed_steps,
        )
    else:
        _add_compliant(contacts, parts, of_pair, options)


def _combined(of_pair: Callable[[float, float], float], one: ContactMaterial, other: ContactMaterial) -> ContactMaterial:
    """The first material, with the coefficients of friction of both."""
    static = of_pair(one.static_friction, other.static_friction)
    return replace(one, static_friction=static, dynamic_friction=min(static, of_pair(one.dynamic_friction, other.dynamic_friction)))


def _add_compliant(contacts: ContactSet, parts: RobotParts, of_pair: Combination, options: UrdfContact) -> None:
    """Add compliant contacts whose materials both have the coefficients of the pair, so that a saved model contains no function."""
    for one, other in contacts.pairs(unsupported="skip", in_fixed_steps=options.in_fixed_steps):
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
