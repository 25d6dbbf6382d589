"""ContactSet: makes a contact for each pair of shapes that can touch."""

from collections.abc import Sequence
from operator import index
from pathlib import Path
from typing import Any, Literal, final, get_args

import numpy as np

from mobod.contact.compliant_contact import CompliantContact
from mobod.contact.contact_force import carrier
from mobod.contact.contact_pool import ContactPool
from mobod.contact.features import has_fewer_slots, touch_in_fixed_steps_only
from mobod.contact.hunt_crossley_force import HuntCrossleyForce
from mobod.contact.material import Combination, ContactMaterial, checked_material, combined_linear
from mobod.contact.near_shapes import are_near
from mobod.contact.pairs import pair_of
from mobod.contact.placed_shape import Coefficients, PlacedShape
from mobod.contact.pools_of_sets import pairs_in_pool, pool_of, rows_of
from mobod.contact.rigid_contact import RigidContact
from mobod.contact.shapes import ContactShape, HalfSpace
from mobod.errors import DuplicateNameError, InputError, ModelFileError, UnsupportedError
from mobod.forces import ForceSubsystem
from mobod.matter import Ground, MatterSubsystem, MobilizedBody
from mobod.spatial import Transform
from mobod.spatial.checked import checked_size
from mobod.system import Stage, State
from mobod.system.elements import checked_frame
from mobod.system.names import check_name, numbered

Unsupported = Literal["error", "skip"]
Pair = tuple[PlacedShape, PlacedShape]
FREE_SPEEDS = 6  # of a joint that leaves its body free
ROUND_OFF = 1e-9  # m


@final
class ContactSet:
    """Shapes on bodies, from which contacts of all pairs that can touch are made. It is no part of the System, which has the contacts.

        contacts = mb.ContactSet(matter, forces)
        contacts.add(matter.ground, mb.contact.HalfSpace(), friction=0.8, name="floor")
        contacts.add(foot, mb.contact.Sphere(0.02), friction=0.8)
        contacts.rigid(restitution=0.0)

    Two shapes touch if each belongs to a group that the other's mask has: `one.group & other.mask and other.group & one.mask`, as
    categories and collide bits in ODE. Shapes of one body do not touch, nor those of bodies that are welded to each other, nor those of a
    body and its parent, unless the parent is Ground or the body moves freely in it (six degrees of freedom). Bodies that are
    welded to each other count as one here.

    matter  MatterSubsystem of the bodies
    forces  ForceSubsystem that compliant contacts are added to; rigid ones need none
    """

    def __init__(self, matter: MatterSubsystem, forces: ForceSubsystem | None = None):
        given: tuple[object, object] = matter, forces
        if not isinstance(given[0], MatterSubsystem):
            raise InputError(f"ContactSet: matter is a MatterSubsystem, not {type(matter).__name__}.")
        if not isinstance(given[1], (ForceSubsystem, type(None))):
            raise InputError(f"ContactSet: forces is a ForceSubsystem or None, not {type(forces).__name__}.")
        self.matter, self.forces = matter, forces
        self._shapes: dict[str, PlacedShape] = {}
        self._excluded: set[frozenset[MobilizedBody | Ground]] = set()

    @property
    def shapes(self) -> tuple[PlacedShape, ...]:
        """The shapes in the order in which they were added."""
        return tuple(self._shapes.values())

    def add(
        self,
        body: MobilizedBody | Ground,
        shape: ContactShape,
        X_BS: Transform | None = None,
        *,
        material: ContactMaterial | None = None,
        friction: float | Sequence[float] | None = None,
        group: int = 1,
        mask: int = ~0,
        name: str | None = None,
    ) -> PlacedShape:
        """Add a shape on a body.

        X_BS      Transform, the shape's frame on the body; default: the body's own
        material  mb.ContactMaterial, which compliant contacts need; rigid ones use its coefficients of friction
        friction  instead of a material: a coefficient, or (static, dynamic), for rigid contacts
        group     bits of the groups that it belongs to, at least 0
        mask      bits of the groups that it touches; default: all
        name      default: that of the body, from its second shape on with a number

        Raises InputError for a body of another System, for invalid numbers, and if both material and friction are given;
        DuplicateNameError.
        """
        what = "ContactSet.add" if name is None else f"ContactSet.add: {name!r}"
        self.matter.attachable(body, what)
        given: Any = shape
        if not isinstance(given, ContactShape):
            kind = f"{type(shape).__name__} of {type(shape).__module__}"
            raise InputError(f"{what}: a shape of mobod.contact is needed, such as mb.contact.Sphere(0.1), not {kind}.")
        if material is not None and friction is not None:
            raise InputError(f"{what}: both material and friction are given. A material has coefficients of friction: give it alone.")
        coefficients: Coefficients | None = None
        if material is not None:
            checked_material(material, f"{what}: material")
            coefficients = (material.static_friction, material.dynamic_friction, material.viscous_friction)
        elif friction is not None:
            coefficients = _coefficients(friction, what)
        placed = PlacedShape(
            name=numbered(body.name, self._shapes) if name is None else check_name(name, "A shape of contact"),
            body=body,
            shape=shape,
            X_BS=Transform() if X_BS is None else checked_frame(X_BS, f"{what}: X_BS"),
            material=material,
            friction=coefficients,
            group=_bits(group, f"{what}: group", least=0),
            mask=_bits(mask, f"{what}: mask"),
        )
        if placed.name in self._shapes:
            raise DuplicateNameError(f"ContactSet.add: there is a shape named '{placed.name}' already. Give another name.")
        self._shapes[placed.name] = placed
        return placed

    def exclude(self, body_a: MobilizedBody | Ground, body_b: MobilizedBody | Ground) -> None:
        """Let shapes of two bodies not touch each other. Raises InputError for one body given twice, and for those of another System."""
        for body in (body_a, body_b):
            self.matter.checked(body, "ContactSet.exclude")
        if body_a is body_b:
            raise InputError(f"ContactSet.exclude: both bodies are '{body_a.name}', whose shapes do not touch each other anyway.")
        self._excluded.add(frozenset((body_a, body_b)))

    def exclude_srdf(self, path: str | Path) -> None:
        """Let shapes of links not touch each other that an SRDF file keeps apart, by <disable_collisions>. A link is the body with its
        name, or the bodies of shapes with its name; others have no shapes here.

        Raises ModelFileError for a file that is none, and if it has no pair of two bodies of this set.
        """
        from mobod.files.robot.srdf import pairs_of_srdf

        bodies: dict[str, set[MobilizedBody | Ground]] = {}
        for each in self.shapes:
            for name in (each.name, each.body.name):
                bodies.setdefault(name, set()).add(each.body)
        listed = pairs_of_srdf(path)
        found = [frozenset((a, b)) for one, other in listed for a in bodies.get(one, ()) for b in bodies.get(other, ())]
        if listed and not found:
            raise ModelFileError(
                f"{path}: none of its {len(listed)} <disable_collisions> is of two bodies of this ContactSet. Add the shapes first, and "
                "name them or their bodies as the links."
            )
        self._excluded.update(each for each in found if len(each) == 2)

    def exclude_touching(self, state: State, within: float = 0.0) -> tuple[tuple[str, str], ...]:
        """Let shapes of two bodies not touch each other that are in contact in a State, as the links of many robots are where they join.
        Returns the names of these pairs of bodies.

        state   realized to POSITION here
        within  m, bodies whose shapes are not farther apart count, too, at least 0
        """
        least = checked_size(within, "ContactSet.exclude_touching: within", "m")
        self.matter.system.realize(state, Stage.POSITION)
        found: dict[tuple[MobilizedBody | Ground, MobilizedBody | Ground], None] = {}
        for one, other in self.pairs_allowed():
            if (one.body, other.body) not in found and are_near(one, other, state, least + ROUND_OFF):
                found[one.body, other.body] = None
        for bodies in found:
            self.exclude(*bodies)
        return tuple((one.name, other.name) for one, other in found)

    def pairs(self, *, unsupported: Unsupported = "error", in_fixed_steps: bool = False, exact_rows: bool = False) -> tuple[Pair, ...]:
        """The pairs of shapes that contacts are made of, in the order of the shapes; a half-space is the first of its pair.

        unsupported     'skip' leaves out pairs that mobod has no distance for, such as a box and a torus
        in_fixed_steps  whether pairs count that touch in fixed steps only, such as two boxes
        exact_rows      whether pairs count that do so unless their rigid contact has in_fixed_steps=False: a box and a capsule

        Raises UnsupportedError, which names both shapes, for such a pair.
        """
        if unsupported not in get_args(Unsupported):
            raise InputError(f"ContactSet: unsupported is {unsupported!r}. Valid values: 'error', 'skip'.")
        found = []
        for first, second in self.pairs_allowed():
            try:
                if not (in_fixed_steps and touch_in_fixed_steps_only(first.shape, second.shape)):
                    pair_of(first.shape, second.shape, of_rigid_contact=exact_rows)
            except UnsupportedError as error:
                if unsupported == "skip":
                    continue
                raise UnsupportedError(
                    f"ContactSet: '{first.name}' on '{first.body.name}' and '{second.name}' on '{second.body.name}': {error} Or let "
                    "them not touch, by groups and masks or `exclude`; unsupported='skip' leaves out all such pairs."
                ) from error
            found.append((second, first) if isinstance(second.shape, HalfSpace) else (first, second))
        return tuple(found)

    def pairs_allowed(self) -> tuple[Pair, ...]:
        """The pairs of shapes that may touch, also those that mobod has no distance for, in the order of the shapes."""
        shapes = self.shapes
        return tuple(
            (first, second)
            for number, first in enumerate(shapes)
            for second in shapes[number + 1 :]
            if first.touches(second) and self._can_touch(first.body, second.body)
        )

    def rigid(
        self,
        *,
        static_friction: float | None = None,
        dynamic_friction: float | None = None,
        stribeck_speed: float | None = None,
        torsional_friction: float | None = None,
        rolling_friction: float | None = None,
        restitution: float = 0.0,
        combination: Combination | None = None,
        unsupported: Unsupported = "error",
        in_fixed_steps: bool | None = None,
        slots: int | None = None,
    ) -> tuple[RigidContact | ContactPool, ...]:
        """Make a RigidContact of each pair, named '<first shape>_<second shape>'. Returns them in the order of `pairs`; last, if
        pairs share slots, their ContactPool.

        static_friction, dynamic_friction
                     of all pairs; default: 2 m1 m2 / (m1 + m2) of the coefficients of both shapes, or what `combination` gives
        stribeck_speed
                     m/s, of all pairs; see RigidContact
        torsional_friction, rolling_friction
                     m, of all pairs; see RigidContact
        restitution  of all pairs, 0 to 1
        combination  function (material1, material2) -> ContactMaterial, whose coefficients are taken. A shape that was given by its
                     friction alone has a material with stiffness 1.
        unsupported, in_fixed_steps
                     see `pairs`. A System with a pair that touches in fixed steps only has no other runs, and no derivatives: so such pairs
                     are left out, too, by unsupported='skip', unless in_fixed_steps=True; then hulls have at most 8 points on half-spaces.
                     With in_fixed_steps=False a box and a capsule have 22 rows that touch under error control, too: see RigidContact

        slots        how many points of contact may be near at one time, of all pairs of convex shapes, which then share as many slots in a
                     ContactPool; such pairs touch in fixed steps only. Default: pairs that touch in fixed steps only share slots if they
                     would have too many rows otherwise: for each body as many as its widest pair has points, 4 to 8, one
                     for each further shape of it, and 8

        Raises InputError for a shape without friction if static_friction is not given either.
        """
        given: Any = slots
        if given is not None and (isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 1):
            raise InputError(
                f"ContactSet.rigid: slots is {slots!r}. It is a whole number, at least 1: how many points may be near at one time."
            )
        slots = None if slots is None else int(slots)
        if static_friction is None and dynamic_friction is not None:
            raise InputError("ContactSet.rigid: dynamic_friction needs static_friction, which it must not exceed. Give both.")
        made: list[RigidContact | ContactPool] = []
        with_slots = unsupported == "error" if in_fixed_steps is None else in_fixed_steps
        exact_rows = in_fixed_steps is False
        pairs = self.pairs(unsupported=unsupported, in_fixed_steps=with_slots or slots is not None, exact_rows=exact_rows)
        moments = torsional_friction or 0.0, rolling_friction or 0.0
        in_pool = pairs_in_pool(
            pairs,
            is_wanted=slots is not None,
            in_fixed_steps=in_fixed_steps,
            n_rows=rows_of(self.matter),
            moments=[moments] * len(pairs),
        )
        friction = [
            _combined(one, other, combination)
            if static_friction is None
            else (static_friction, static_friction if dynamic_friction is None else dynamic_friction, 0.0)
            for one, other in pairs
        ]
        for (one, other), (static, dynamic, viscous), is_in_pool in zip(pairs, friction, in_pool, strict=True):
            if is_in_pool:
                continue
            contact = RigidContact(
                one.body,
                one.shape,
                other.body,
                other.shape,
                static_friction=static,
                dynamic_friction=dynamic,
                viscous_friction=viscous,
                stribeck_speed=stribeck_speed,
                torsional_friction=torsional_friction,
                rolling_friction=rolling_friction,
                restitution=restitution,
                X_B1S1=one.X_BS,
                X_B2S2=other.X_BS,
                in_fixed_steps=has_fewer_slots(one.shape, other.shape) or None if in_fixed_steps else in_fixed_steps,
                name=_name(one, other),
            )
            made.append(contact)
        if any(in_pool):
            shared = [(pair, (*each, *moments)) for pair, each, is_in_pool in zip(pairs, friction, in_pool, strict=True) if is_in_pool]
            made.append(
                pool_of(
                    shared,
                    slots,
                    restitution=restitution,
                    stribeck_speed=stribeck_speed,
                )
            )
        return tuple(made)

    def compliant(
        self,
        law: type[CompliantContact] | type[HuntCrossleyForce] = CompliantContact,
        *,
        unsupported: Unsupported = "error",
        convex_pairs: bool = True,
        **options: Any,
    ) -> tuple[CompliantContact | HuntCrossleyForce, ...]:
        """Make a compliant contact of each pair, named '<first shape>_<second shape>'. Returns them in the order of `pairs`.

        law          mb.CompliantContact or mb.HuntCrossleyForce
        unsupported  see `pairs`
        convex_pairs whether pairs of CompliantContact count whose points the runtime finds, such as two boxes
        options      of the law: transition_speed, combination, ...

        Raises InputError if the set has no ForceSubsystem, or a shape no material.
        """
        if self.forces is None:
            raise InputError("ContactSet.compliant: a ForceSubsystem is needed. Write mb.ContactSet(matter, forces).")
        if law not in (CompliantContact, HuntCrossleyForce):
            raise InputError(f"ContactSet.compliant: law is {law!r}. Valid values: mb.CompliantContact, mb.HuntCrossleyForce.")
        made = []
        for one, other in self.pairs(unsupported=unsupported, in_fixed_steps=convex_pairs and law is CompliantContact):
            for each in (one, other):
                if each.material is None:
                    raise InputError(
                        f"ContactSet.compliant: shape '{each.name}' on '{each.body.name}' has no material. Give one to `add`: "
                        "material=mb.ContactMaterial(stiffness=..., dynamic_friction=...)."
                    )
            make: Any = law
            contact = make(
                self.forces,
                one.body,
                one.shape,
                other.body,
                other.shape,
                X_B1S1=one.X_BS,
                X_B2S2=other.X_BS,
                material1=one.material,
                material2=other.material,
                name=_name(one, other),
                **options,
            )
            made.append(contact)
        return tuple(made)

    # internal
    def _can_touch(self, one: MobilizedBody | Ground, other: MobilizedBody | Ground) -> bool:
        carriers = carrier(one), carrier(other)
        if carriers[0] is carriers[1] or frozenset((one, other)) in self._excluded:
            return False
        return not any(
            isinstance(child, MobilizedBody)
            and child.nu < FREE_SPEEDS
            and not isinstance(parent, Ground)
            and carrier(child.parent) is parent
            for child, parent in (carriers, carriers[::-1])
        )


def _name(one: PlacedShape, other: PlacedShape) -> str:
    return f"{one.name}_{other.name}"


def _bits(value: Any, what: str, least: int | None = None) -> int:
    try:
        bits = index(value)
    except TypeError:
        raise InputError(f"{what} is {value!r}. It is a whole number, each bit of which stands for a group.") from None
    if least is not None and bits < least:
        raise InputError(f"{what} is {bits}. It is at least {least}: each bit stands for a group.")
    return bits


def _coefficients(friction: object, what: str) -> Coefficients:
    values = tuple(friction) if isinstance(friction, Sequence) else (friction, friction)
    if len(values) != 2 or isinstance(friction, str):
        raise InputError(f"{what}: friction is {friction!r}. It is a coefficient, or two: (static, dynamic).")
    material = ContactMaterial(1.0, static_friction=values[0], dynamic_friction=values[1])
    return material.static_friction, material.dynamic_friction, material.viscous_friction


def _combined(one: PlacedShape, other: PlacedShape, combination: Combination | None) -> Coefficients:
    """(static, dynamic, viscous) of a pair."""
    materials = []
    for each in (one, other):
        if each.of_friction is None:
            raise InputError(
                f"ContactSet.rigid: shape '{each.name}' on '{each.body.name}' has no friction. Give friction= or material= to `add`, or "
                "static_friction= for all pairs."
            )
        materials.append(each.of_friction)
    of_both: Any = (combination or combined_linear)(*materials)
    checked_material(of_both, "ContactSet.rigid: what combination returns")
    return of_both.static_friction, of_both.dynamic_friction, of_both.viscous_friction
