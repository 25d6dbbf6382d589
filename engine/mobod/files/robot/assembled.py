"""Robots whose start violates closed loops or equalities: a start near it at which they hold, in the rigid limits."""

import numpy as np

from mobod.errors import AssemblyError
from mobod.files.robot.parts import RobotParts
from mobod.simulate.assembly.assembly import Assembler

NOTED = 1e-6  # rad or m; a smaller change of a coordinate is the rounding of a file
ACCURACY = 1e-9  # of the Assembler, of coordinates relative to their size
MOST_NAMES = 3


def assemble_start(parts: RobotParts) -> None:
    """Set the default coordinates to a start at which all equalities and closed loops hold, with a finding of the changes.

    If none is found, the start stays, with a finding.
    """
    system = parts.system
    assembler = Assembler(system, ACCURACY)
    state = system.realize_topology()
    if assembler.error(state) <= assembler.tolerance:
        return
    try:
        found = assembler.assemble(state)
    except AssemblyError as error:
        parts.findings.note("start", f"no start was found at which closed loops and equalities hold in the limits: {error}")
        return
    bodies = [body for body in system.matter.bodies if body.nq]
    start, q = ([np.atleast_1d(body.q(each)) for body in bodies] for each in (state, found))
    for body, value in zip(bodies, q, strict=True):
        body.set_default_q(value)
    sizes = ((body.name, float(np.abs(new - old).max())) for body, old, new in zip(bodies, start, q, strict=True))
    changes = {name: size for name, size in sizes if size > NOTED}
    if changes:
        largest = sorted(changes, key=lambda name: -changes[name])
        names = ", ".join(f"'{name}' by {changes[name]:.3g}" for name in largest[:MOST_NAMES])
        more = f" and {len(largest) - MOST_NAMES} others" if len(largest) > MOST_NAMES else ""
        parts.findings.note(
            "start",
            f"closed loops or equalities do not hold at the start of the file. Coordinates are changed so that they do, in the limits: "
            f"{names} (rad or m){more}.",
        )
