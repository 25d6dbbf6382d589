"""When a unilateral constraint takes hold and when it lets go."""

from mobod.couplings.records import CouplingConstraint


def distance_to_bounds(value: float, lower: float, upper: float) -> float:
    """The distance from the nearer bound, negative outside of the range."""
    return value - lower if abs(value - lower) < abs(value - upper) else upper - value


def update_engagement(
    constraint: CouplingConstraint, value: float, lower: float, upper: float, speed: float, release_speed: float = 0.0
) -> None:
    """Decide by the rule of the source, with the sign that a constraint presses with and the steps that it has held for.

    A constraint is engaged at its bounds and beyond. It is let go outside of its region alone, if it moves away at release_speed or faster
    and has held through more than one position correction.

    speed  of `value`: wrench_G . velGD

    Source: ArtiSynth Modeling Guide, section 4.10.2, and RigidBodyCoupling, which takes >= where the guide has >.
    """
    if value <= lower:
        if constraint.engaged != 1:
            constraint.engaged, constraint.engaged_count = 1, 0
    elif value >= upper:
        if constraint.engaged != -1:
            constraint.engaged, constraint.engaged_count = -1, 0
    elif constraint.engaged and distance_to_bounds(value, lower, upper) > 0:
        moves_away = constraint.engaged * speed >= release_speed and constraint.engaged_count > 1
        if constraint.is_engagement_reset or moves_away:
            constraint.engaged, constraint.engaged_count, constraint.multiplier = 0, 0, 0.0
    constraint.is_engagement_reset = False
    if constraint.engaged:
        constraint.engaged_count += 1
