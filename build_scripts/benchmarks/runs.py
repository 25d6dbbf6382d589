"""Whole runs: a chain, a joint that hits its limits, the problems of IFToMM as long as published (docs/validation/validation.md)."""

import json
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np

import mobod as mb
from benchmarks.harness import Bench, Columns, Measure, calls, case
from mobod.couplings import CouplingMobilizer

_ROOT = Path(__file__).parents[2]
_BACKENDS: tuple[Literal["compiled", "interpreted"], ...] = ("compiled", "interpreted")
_PROBLEMS = ("a01_pendulum", "a02_four_bars", "a03_squeezer", "a04_bricard", "a05_governor")
_FIRST_ORDER = 0.05  # m or rad, error of steps of 1 ms over 5 s


@case("runs", "10 s of 7 pins, accuracy 1e-6")
def chain(bench: Bench) -> Columns:
    """The seven-pin chain of the reference data."""
    model = json.loads((_ROOT / "tests" / "reference" / "data" / "chains.json").read_text())["cases"][0]
    system = mb.MultibodySystem("chain")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    gravity = model["model"]["forces"][0]
    mb.Gravity(forces, matter, down=gravity["down"], magnitude=gravity["g"])
    bodies: list[Any] = [matter.ground]
    for body in model["model"]["bodies"][1:]:
        mass = mb.MassProperties(body["mass"], body["com"], body["inertia_about_origin"])
        frames = [mb.Transform(body[frame]["R"], body[frame]["p"]) for frame in ("X_PF", "X_BM")]
        bodies.append(mb.Pin(bodies[body["parent"]], mass, *frames, name=body["name"]))
    state = system.realize_topology()
    state.q, state.u = model["states"][0]["q"], model["states"][0]["u"]
    return _runs(bench, system, state, 10.0, 1e-6)


@case("runs", "5 s of a joint that hits its limits")
def limits(bench: Bench) -> Columns:
    """With events, at accuracy 1e-8."""

    def check(results: mb.Results) -> None:
        if [event.direction for event in results.events] != [-1, -1, 1]:
            raise SystemExit(f"the custom joint demo has other events than two impacts and a release: {results.events}")

    system = custom_joint_demo()
    return _runs(bench, system, system.realize_topology(), 5.0, 1e-8, check)


@case("runs", "the same by fixed steps of 1 ms")
def limits_in_steps(bench: Bench) -> Columns:
    system = custom_joint_demo()
    state = system.realize_topology()
    expected = mb.Simulation(system, accuracy=1e-8).run(state, 5.0, report_every=5.0)["hinge.q"][-1]

    def check(results: mb.Results) -> None:
        error = np.abs(results["hinge.q"][-1] - expected).max()
        if error > _FIRST_ORDER:
            raise SystemExit(f"the custom joint demo by fixed steps ends {error:.3g} away from where it must")

    simulation = mb.Simulation(system, integrator="velocity_level", step=0.001, backend="compiled")
    return {"compiled": partial(_run, bench, simulation, state, 5.0, check)}


@case("runs", "IFToMM {}, accuracy {:.0e}", *((name, accuracy) for accuracy in (1e-6, 1e-7, 1e-8) for name in _PROBLEMS))
def iftomm(bench: Bench, name: str, accuracy: float) -> Columns:
    if str(_ROOT / "examples") not in sys.path:
        sys.path.append(str(_ROOT / "examples"))
    problem = import_module(f"iftomm.{name}")
    system, state = problem.build()
    return _runs(bench, system, state, problem.UNTIL, accuracy)


def _runs(
    bench: Bench, system: mb.System, state: mb.State, until: float, accuracy: float, check: Callable[[mb.Results], None] | None = None
) -> Columns:
    return {backend: partial(_run, bench, mb.Simulation(system, accuracy, backend=backend), state, until, check) for backend in _BACKENDS}


def _run(
    bench: Bench, simulation: mb.Simulation, state: mb.State, until: float, check: Callable[[mb.Results], None] | None = None
) -> Measure:
    results = simulation.run(state, until, report_every=until)
    bench.figures["steps"] = results.steps
    if check is not None:
        check(results)
    return calls(lambda: simulation.run(state, until, report_every=until))


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
