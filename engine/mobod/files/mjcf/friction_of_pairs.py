"""The friction of two geoms."""

from mobod.files.robot.collisions import RobotCollision
from mobod.files.robot.contact_pairs import PairFriction

FRICTIONLESS, SLIDING, SPINNING = 1, 3, 4  # MuJoCo's condim; 6: with friction against rolling, too


def friction_of_geoms(one: RobotCollision, other: RobotCollision) -> PairFriction:
    """Of the geom with the higher priority, else the larger one of each kind, and of the larger condim."""
    geoms = (one, other) if one.priority == other.priority else (max(one, other, key=lambda each: each.priority),)
    return friction_by_condim(
        max(each.condim for each in geoms),
        max(each.friction or 0.0 for each in geoms),
        max(each.torsional_friction for each in geoms),
        max(each.rolling_friction for each in geoms),
    )


def friction_by_condim(condim: int, sliding: float, torsional: float, rolling: float) -> PairFriction:
    """The kinds that a contact of this condim has."""
    return PairFriction(
        static=sliding if condim > FRICTIONLESS else 0.0,
        torsional=torsional if condim >= SPINNING else 0.0,
        rolling=rolling if condim > SPINNING else 0.0,
    )
