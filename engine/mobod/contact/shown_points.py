"""The variables that a rigid contact shows of its points."""

from mobod.matter.constraint_rows.constraint_variables import MULTIPLIER_UNITS
from mobod.matter.unilateral.friction import ShownValue
from mobod.system import Stage


def shown_of_points(n: int, first: str, second: str, point: str) -> dict[str, ShownValue]:
    """Of n points; first, second, point: what descriptions call the two bodies and a point."""
    position, acceleration = Stage.POSITION, Stage.ACCELERATION
    return {
        "mode": ShownValue(acceleration, (n,), ("1",), "modes (0 free, 1 stick, 2 slip)"),
        "normal_force": ShownValue(acceleration, (n,), (MULTIPLIER_UNITS["m"],), "normal forces"),
        "friction_force": ShownValue(acceleration, (n, 3), ("N",), f"friction forces on {second} in Ground"),
        "slip": ShownValue(acceleration, (n, 3), ("m/s",), f"tangential velocities of {second} against {first} in Ground"),
        "slip_speed": ShownValue(acceleration, (n,), ("m/s",), "tangential speeds"),
        "contact_point": ShownValue(position, (n, 3), ("m",), "midpoints between both shapes in Ground"),
        "contact_normal": ShownValue(position, (n, 3), ("1",), f"normals from {first} to {second} in Ground"),
        "tangents": ShownValue(position, (2 * n, 3), ("1",), f"tangents in Ground, two of each {point}"),
        "contact_impulse": ShownValue(acceleration, (n, 3), ("N.s",), f"impulses on {second} in Ground"),
    }
