"""The same world elsewhere: turned with its gravity, and at another time. What is drawn of it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod.spatial.rotation import to_quaternion
from tests.meetings.draft import NEAT_ROTATIONS
from tests.meetings.mechanism import Element, Mechanism, quantity
from tests.meetings.runs import ACCURACY, quiet, simulated
from tests.meetings.same_bits import integration_of_seed
from tests.meetings.terrain import POOL
from tests.meetings.verdict import AGREEMENT, DoesNotApplyError, Verdict
from tests.meetings.within_tolerance import TIGHT, agree, fine, of_other, spread, steps_of_seed

# numbers along the axes of Ground
TURNED = {"Gravity": ("down",), "UniformGravity": ("gravity",), "ConstantForce": ("force",), "ConstantTorque": ("torque",)}
# whose forces or heights are along axes of Ground that are no numbers; a joint with Ground keeps shapes apart, unlike one with a free body
NOT_TURNED = {"DiscreteForces", "OwnFollower", "OwnFollower of a sensor", "UnilateralConstraint", "Port", POOL}
# elements that know the time
OF_TIME = {"SinusoidMotion", "SteadyMotion", "FunctionMotion", "PeriodicEventHandler", "ScheduledEventHandler", "handler that disables"}
OF_TIME |= {"SampleAndHold", "OwnFollower of a sensor"}
WORLD = 'mb.Weld(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia(np.eye(3))), X_PF={frame}, name="world")'


def turned(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """The world on a body that is welded to Ground in another pose."""
    if NOT_TURNED & set(mechanism.kinds):
        raise DoesNotApplyError("forces along axes of Ground")
    quaternion = rng.normal(size=4) if rng.random() < 0.5 else np.array(NEAT_ROTATIONS[int(rng.integers(len(NEAT_ROTATIONS)))])
    R, p = mb.spatial.from_quaternion(quaternion), np.round(rng.normal(scale=2.0, size=3), 1)
    pose = f"mb.Transform(from_quaternion({to_quaternion(R).tolist()}), {p.tolist()})"
    elements = tuple(_along(each, R) for each in mechanism.elements)
    other = replace(mechanism, elements=elements, ground=WORLD.format(frame=pose))
    return of_other(mechanism, other, "world, turned world", steps_of_seed(mechanism, rng))


def _along(element: Element, R: np.ndarray) -> Element:
    """With the numbers along axes of Ground turned."""
    changed = {
        name: quantity(R @ np.array(element.numbers[name].numbers), element.numbers[name].unit) for name in TURNED.get(element.kind, ())
    }
    return replace(element, numbers={**element.numbers, **changed})


def later(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """The same start at another time."""
    if OF_TIME & set(mechanism.kinds):
        raise DoesNotApplyError("elements that know the time")
    system, state = mechanism.build()
    steps = steps_of_seed(mechanism, rng)
    shifted = state.copy()
    shifted.time = float(rng.choice([0.25, 64.0, -0.5]))
    reference = fine(system, state, mechanism.duration, **steps)
    rows = simulated(system, shifted, mechanism.duration, **(steps or {"accuracy": TIGHT}))
    what = f"at 0 s, at {shifted.time:g} s {steps or ''}"
    return agree(reference, rows, what, lambda: spread(system, state, mechanism.duration, reference, **steps))


def drawn(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """A page of a run, and one that runs the System: they are written, with finite numbers alone."""
    system, state = mechanism.build()
    options: dict[str, Any] = {"accuracy": ACCURACY, "backend": "interpreted"}
    options |= integration_of_seed(mechanism, rng, may_be_bounded=False)
    if options.get("integrator") == "velocity_level":
        del options["accuracy"]
    with quiet():
        results = mb.Simulation(system, **options).run(state, 0.2 * mechanism.duration, 0.1 * mechanism.duration)
        results.animate(folder / "run.html")
        if mechanism.is_recorded:
            system.to_html(folder / "live.html", state=state, **options)
    for each in folder.glob("*.html"):
        text = each.read_text(encoding="utf-8")
        assert ":NaN" not in text, f"{each.name} has a number that is not finite"
    return AGREEMENT


MOVED = {"turned": turned, "later": later, "drawn": drawn}
