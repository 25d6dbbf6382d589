"""The friction of two geoms."""

from mobod.files.robot.collisions import RobotCollision


def friction_of_geoms(one: RobotCollision, other: RobotCollision) -> float:
    """The coefficient of the geom with the higher priority, else the larger one; none where both have condim 1."""
    if one.priority != other.priority:
        chosen = max(one, other, key=lambda each: each.priority)
        return (chosen.friction or 0.0) if chosen.has_friction else 0.0
    if not (one.has_friction or other.has_friction):
        return 0.0
    return max(one.friction or 0.0, other.friction or 0.0)
