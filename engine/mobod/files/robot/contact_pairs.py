"""The contact of each pair of shapes of a robot, with the friction that the file gives the pair."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple, final

from mobod.contact.compliant_contact import CompliantContact
from mobod.contact.contact_set import ContactSet
from mobod.contact.features import has_fewer_slots, touch_in_fixed_steps_only
from mobod.contact.pairs import pair_of
from mobod.contact.placed_shape import PlacedShape
from mobod.contact.pools_of_sets import pairs_in_pool, pool_of, rows_of
from mobod.contact.rigid_contact import RigidContact
from mobod.contact.shapes import HalfSpace
from mobod.errors import UnsupportedError
from mobod.files.robot.collisions import RobotCollision

Collisions = Mapping[str, RobotCollision]


@final
class PairFriction(NamedTuple):
    """Coefficients of two surfaces.

    dynamic             of a slip; None: static
    viscous             s/m
    torsional, rolling  m, against spin and against rolling, per normal force
    """

    static: float
    dynamic: float | None = None
    viscous: float = 0.0
    torsional: float = 0.0
    rolling: float = 0.0


FrictionOfShapes = Callable[[RobotCollision, RobotCollision], PairFriction]


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class RobotPair:
    """Two shapes that touch whatever groups and parents say."""

    name: str
    one: RobotCollision
    other: RobotCollision
    friction: PairFriction


def pairs_of_file(contacts: ContactSet, collisions: Collisions, pairs: Iterable[RobotPair]) -> dict[tuple[str, str], PairFriction]:
    """The friction of the pairs that the file names, by the names of their shapes; a half-space is the first one."""
    placed: dict[int, list[str]] = {}
    for name, collision in collisions.items():
        placed.setdefault(id(collision), []).append(name)
    shapes = {each.name: each for each in contacts.shapes}
    found = {}
    for pair in pairs:
        for names in product(placed.get(id(pair.one), ()), placed.get(id(pair.other), ())):
            found[names[::-1] if isinstance(shapes[names[1]].shape, HalfSpace) else names] = pair.friction
    return found


def pairs_that_touch(
    contacts: ContactSet, of_file: Iterable[tuple[str, str]], *, in_fixed_steps: bool
) -> list[tuple[PlacedShape, PlacedShape]]:
    """Those of groups and masks, then those of the file alone; without those that mobod has no distance for. in_fixed_steps: see
    ContactSet.pairs
    """
    found, shapes = list(contacts.pairs(unsupported="skip", in_fixed_steps=in_fixed_steps)), {each.name: each for each in contacts.shapes}
    known = {frozenset((one.name, other.name)) for one, other in found}
    for names in of_file:
        if frozenset(names) not in known:
            one, other = (shapes[name] for name in names)
            try:
                if not (in_fixed_steps and touch_in_fixed_steps_only(one.shape, other.shape)):
                    pair_of(one.shape, other.shape)
            except UnsupportedError:
                continue
            found.append((one, other))
    return found


def make_rigid(
    contacts: ContactSet,
    pairs: Sequence[tuple[PlacedShape, PlacedShape, PairFriction]],
    stribeck_speed: float | None,
    restitution: float,
    *,
    in_fixed_steps: bool,
) -> None:
    """Rigid contacts of pairs with their friction; pairs share slots where they would have too many rows otherwise. See
    ContactSet.rigid.
    """
    in_pool = pairs_in_pool(
        [(one, other) for one, other, _ in pairs],
        is_wanted=False,
        in_fixed_steps=in_fixed_steps or None,
        n_rows=rows_of(contacts.matter),
        moments=[(friction.torsional, friction.rolling) for _, _, friction in pairs],
    )
    shared = []
    for (one, other, friction), is_in_pool in zip(pairs, in_pool, strict=True):
        if is_in_pool:
            dynamic = friction.static if friction.dynamic is None else friction.dynamic
            shared.append(((one, other), (friction.static, dynamic, friction.viscous, friction.torsional, friction.rolling)))
        else:
            _rigid_contact(one, other, friction, stribeck_speed, restitution, in_fixed_steps=in_fixed_steps)
    if shared:
        pool_of(shared, None, restitution=restitution, stribeck_speed=stribeck_speed)


def _rigid_contact(
    one: PlacedShape,
    other: PlacedShape,
    friction: PairFriction,
    stribeck_speed: float | None,
    restitution: float,
    *,
    in_fixed_steps: bool,
) -> RigidContact:
    """See ContactSet.rigid."""
    return RigidContact(
        one.body,
        one.shape,
        other.body,
        other.shape,
        static_friction=friction.static,
        dynamic_friction=friction.dynamic,
        viscous_friction=friction.viscous,
        stribeck_speed=stribeck_speed,
        torsional_friction=friction.torsional or None,
        rolling_friction=friction.rolling or None,
        restitution=restitution,
        X_B1S1=one.X_BS,
        X_B2S2=other.X_BS,
        in_fixed_steps=(in_fixed_steps and has_fewer_slots(one.shape, other.shape)) or None,
        name=f"{one.name}_{other.name}",
    )


def compliant_contact(contacts: ContactSet, one: PlacedShape, other: PlacedShape, friction: PairFriction) -> CompliantContact:
    """See ContactSet.compliant."""
    assert contacts.forces is not None
    assert one.material is not None
    assert other.material is not None
    of_friction = {
        "static_friction": friction.static,
        "dynamic_friction": friction.static if friction.dynamic is None else friction.dynamic,
        "viscous_friction": friction.viscous,
    }
    return CompliantContact(
        contacts.forces,
        one.body,
        one.shape,
        other.body,
        other.shape,
        X_B1S1=one.X_BS,
        X_B2S2=other.X_BS,
        material1=replace(one.material, **of_friction),
        material2=replace(other.material, **of_friction),
        normal="linear",
        torsional_friction=friction.torsional,
        rolling_friction=friction.rolling,
        name=f"{one.name}_{other.name}",
    )
