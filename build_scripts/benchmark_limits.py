"""The custom joint demo of ArtiSynth's guide: a coupling with limits, with impacts, rest and release."""

from collections.abc import Callable
from time import perf_counter
from typing import Literal

import numpy as np

import mobod as mb
from mobod.couplings import CouplingMobilizer

_FIRST_ORDER = 0.05  # m or rad, error of steps of 1 ms over 5 s


def custom_joint_demo() -> mb.MultibodySystem:
    """A damped plate in a horizontal slot of 1 m, released at -45 degrees: two impacts, a rest and a release in 5 s."""
    system = mb.MultibodySystem("custom_joint_demo")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.8)
    plate = mb.MassProperties(139.86878278916902, [0, 0, 0], 19.894916758394704 * np.diag([0.5, 0.5, 1.0]))
    hinge = mb.CouplingJoint(mb.SlottedHingeCoupling((-0.5, 0.5)), plate, matter.ground, X_AC=mb.Transform(p=[0, -0.5, 0]), name="hinge")
    assert isinstance(hinge, CouplingMobilizer)  # because the plate is new
    mb.BodyDamping(forces, hinge, angular_damping=1.0, linear_damping=50.0)
    hinge.set_default_q([0, -np.pi / 4])
    return system


def run_of_limits(backend: Literal["interpreted", "compiled"]) -> Callable[[int], float]:
    """A function that simulates 5 s at accuracy 1e-8 n times, and returns the seconds of one run."""

    def check(results: mb.Results) -> None:
        if [event.direction for event in results.events] != [-1, -1, 1]:
            raise SystemExit(f"the custom joint demo has other events than two impacts and a release: {results.events}")

    system = custom_joint_demo()
    return _timed(mb.Simulation(system, accuracy=1e-8, backend=backend), system.realize_topology(), check)


def run_of_fixed_steps(backend: Literal["interpreted", "compiled"]) -> Callable[[int], float]:
    """A function that simulates 5 s with steps of 1 ms at velocity level n times, and returns the seconds of one run."""
    system = custom_joint_demo()
    state = system.realize_topology()
    expected = mb.Simulation(system, accuracy=1e-8).run(state, 5.0, report_every=5.0)["hinge.q"][-1]

    def check(results: mb.Results) -> None:
        error = np.abs(results["hinge.q"][-1] - expected).max()
        if error > _FIRST_ORDER:
            raise SystemExit(f"the custom joint demo by fixed steps ends {error:.3g} away from where it must")

    return _timed(mb.Simulation(system, integrator="velocity_level", step=0.001, backend=backend), state, check)


def _timed(simulation: mb.Simulation, state: mb.State, check: Callable[[mb.Results], None]) -> Callable[[int], float]:
    def seconds(n: int) -> float:
        start = perf_counter()
        for _ in range(n):
            results = simulation.run(state, 5.0, report_every=5.0)
        taken = (perf_counter() - start) / n
        check(results)
        return taken

    return seconds
