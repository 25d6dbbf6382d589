"""The joints of a URDF file as joints of a MultibodyBuilder."""

# Decision: docs/decisions/164-missing-inertia.md

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path

from mobod.errors import InputError, ModelFileError
from mobod.files.urdf.elements import UrdfJoint, along
from mobod.graph import CoordinateLimits, MultibodyBuilder
from mobod.matter import MobilizedBody
from mobod.matter.mobilizers import Ball, Free, Pin, Planar, Slider, Weld
from mobod.spatial import Transform

STOP_YIELD = 0.01  # rad or m: deflection of a joint's stop under the greatest effort of the joint
MOBILIZERS: dict[str, type[MobilizedBody]] = {
    "revolute": Pin,
    "continuous": Pin,
    "prismatic": Slider,
    "planar": Planar,
    "floating": Free,
    "fixed": Weld,
    "spherical": Ball,
}


def add_joint(builder: MultibodyBuilder, joint: UrdfJoint, stop_stiffness: float | None) -> None:
    """Add a joint between bodies of its links. Raises ModelFileError at its place in the file.

    stop_stiffness  N/m or N m/rad; default: by the greatest effort of the joint
    """
    remaining = joint.remaining
    with errors_at(joint.place):
        if remaining is not None:
            builder.add_joint(
                joint.name,
                remaining.mobilizer,
                joint.parent,
                joint.child,
                joint.X_PC @ Transform(remaining.R_CF),
                remaining.X_CM,
                default_q=remaining.default_q,
                must_be_loop_joint=joint.closes_loop,
                **remaining.parameters,
            )
            return
        R = along("x" if joint.kind == "prismatic" else "z", joint.axis) if joint.kind not in ("floating", "fixed", "spherical") else None
        X_CM = Transform(R)
        builder.add_joint(
            joint.name,
            MOBILIZERS[joint.kind],
            joint.parent,
            joint.child,
            joint.X_PC @ X_CM,
            X_CM,
            limits=_coordinate_limits(joint, stop_stiffness),
            must_be_loop_joint=joint.closes_loop,
        )


@contextmanager
def errors_at(place: str | Path) -> Iterator[None]:
    """A context in which errors become ModelFileErrors at a place of the file."""
    try:
        yield
    except InputError as error:
        raise ModelFileError(f"{place}: {error}") from error


def known_effort(joint: UrdfJoint) -> float | None:
    """N or N m; None if the file does not give it, or says 0 or the largest double, as some do for an unlimited effort."""
    effort = 0.0 if joint.limits is None else joint.limits.effort
    return effort if 0 < effort / STOP_YIELD < inf else None


def _coordinate_limits(joint: UrdfJoint, stop_stiffness: float | None) -> tuple[CoordinateLimits, ...]:
    if joint.limits is None or (joint.limits.lower == -inf and joint.limits.upper == inf):
        return ()
    effort = known_effort(joint)
    if stop_stiffness is None and effort is not None:
        stop_stiffness = effort / STOP_YIELD
    return (CoordinateLimits(lower=joint.limits.lower, upper=joint.limits.upper, stop_stiffness=stop_stiffness),)
