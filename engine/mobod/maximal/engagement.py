"""When a unilateral constraint becomes active, and when it is released."""

from mobod.couplings.records import CouplingConstraint


def distance_to_bounds(value: float, lower: float, upper: float) -> float:
    """The distance from the nearer bound, negative outside of the range."""
    return value - lower if abs(value - lower) < abs(value - upper) else upper - value


def update_engagement(
    constraint: CouplingConstraint, value: float, lower: float, upper: float, speed: float, release_speed: float = 0.0
) -> None:
    """Set `constraint.engaged` by the rule of ArtiSynth, and count the steps since then in `constraint.engaged_count`.

    At a bound and beyond it a constraint is engaged: 1 at the lower bound, -1 at the upper one. Between the bounds it stays engaged until
    it moves away at release_speed or faster, after more than one position correction.

    speed  rate of `value`: wrench_G . velGD

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
