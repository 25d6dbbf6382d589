"""What a run costs before its first step."""

from functools import partial

import mobod as mb
from benchmarks.fixed_steps import balls, boxes
from benchmarks.harness import Bench, Columns, calls, case
from benchmarks.mechanisms import in_mobod, pins
from benchmarks.quadruped import STEP, quadruped

GROUP = "starts"


@case(GROUP, "a run of {} of one step", "1 pin", "30 pins", "the quadruped")
def short_run(bench: Bench, name: str) -> Columns:
    """The same Simulation again; the quadruped in fixed steps."""
    if name == "the quadruped":
        system, state = quadruped("stands")
        simulation, end = mb.Simulation(system, integrator="velocity_level", step=STEP), STEP
    else:
        system, state = in_mobod(pins(int(name.split()[0]), is_general=True))
        simulation, end = mb.Simulation(system), 1e-3
    return {"run": lambda: calls(partial(simulation.run, state, end, report_every=end))}


@case(GROUP, "first step of {} balls on a floor", 10, 40, 80, short=(2,), is_once=True)
def first_step_of_balls(bench: Bench, n: int) -> Columns:
    return _first_step(balls(n))


@case(GROUP, "first step of a stack of {} boxes", 10, 20, short=(2,), is_once=True)
def first_step_of_boxes(bench: Bench, n: int) -> Columns:
    return _first_step(boxes(n))


def _first_step(system: mb.MultibodySystem) -> Columns:
    """Start and first step of a new Simulation, interpreted: recording, assembly, contacts."""
    state = system.realize_topology()

    def first() -> None:
        mb.Simulation(system, integrator="velocity_level", step=1e-3, backend="interpreted").start(state).step(1e-3)

    return {"interpreted": lambda: calls(first)}
