"""The energy that passive systems gain or lose in fixed steps: the tables of docs/numerics/integrators.md.

    python build_scripts/energy_of_fixed_steps.py [--short]

prints, for steps of 1, 0.5 and 0.25 ms, the largest change of the energy in a run and that at its end, in % of the largest kinetic energy:
of steps at velocity level with their rows at the beginning and at the middle, of semi-implicit Euler, and of RK4.
"""

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import mobod as mb
from mobod.spatial import rotation_x

STEPS = (1e-3, 5e-4, 2.5e-4)  # s
Model = tuple[mb.MultibodySystem, mb.State]


def _on_earth(name: str, gravity: float = 9.81) -> tuple[mb.MultibodySystem, mb.MatterSubsystem]:
    system = mb.MultibodySystem(name)
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=gravity)
    return system, matter


def _rod(length: float) -> mb.MassProperties:
    """A rod of 1 kg/m along x, from the origin of its frame."""
    inertia = mb.Inertia.cylinder(mass=length, radius=0.02, length=length, axis="x").shifted([length / 2, 0, 0])
    return mb.MassProperties(length, [length / 2, 0, 0], inertia)


def rolling_disc(friction: float = 1.0) -> Model:
    """A thin disc of 1 kg that rolls freely on its edge: it leans into a curve, and nods."""
    lean, radius, spin = 0.3, 0.1, 5.0  # rad, m, rad/s
    system, matter = _on_earth("disc")
    inertia = mb.Inertia.cylinder(mass=1.0, radius=radius, length=1e-3, axis="z")
    disc = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], inertia), name="disc")
    mb.RigidContact(matter.ground, mb.contact.HalfSpace(), disc, mb.contact.Circle(radius), static_friction=friction, name="floor")
    state = system.realize_topology()
    angle = np.pi / 2 - lean
    R = rotation_x(angle)
    to_floor = R @ [0, -radius, 0]
    w = R @ [0, 0, spin]
    disc.set_q(state, [np.cos(angle / 2), np.sin(angle / 2), 0, 0, 0, 0, -to_floor[2]])
    disc.set_u(state, [*w, *-np.cross(w, to_floor)])
    return system, state


def planar_loop() -> Model:
    """A four-bar linkage with a crank that turns over."""
    system, matter = _on_earth("planar loop")
    X = mb.Transform(rotation_x(np.pi / 2))  # rods turn about y of the ground
    crank = mb.Pin(matter.ground, _rod(0.2), X_PF=X, name="crank")
    coupler = mb.Pin(crank, _rod(0.5), X_PF=mb.Transform(p=[0.2, 0, 0]), name="coupler")
    rocker = mb.Pin(matter.ground, _rod(0.4), X_PF=mb.Transform(X.R, [0.45, 0, 0]), name="rocker")
    mb.PointOnLine(coupler, [0, 0, 1], [0.5, 0, 0], rocker, [0.4, 0, 0], name="joint")
    state = system.realize_topology()
    crank.set_q(state, 0.4)
    coupler.set_q(state, 0.6)
    rocker.set_q(state, 1.2)
    crank.set_u(state, 12.0)
    return system, mb.Assembler(system).assemble(state, keep=["crank.q", "crank.u"])


def spatial_loop() -> Model:
    """Three rods on balls between two points: coordinates are quaternions."""
    system, matter = _on_earth("spatial loop")
    below: Any = matter.ground
    lengths, p, rods = (0.3, 0.4, 0.25), np.zeros(3), []
    for i, length in enumerate(lengths):
        below = mb.Ball(below, _rod(length), X_PF=mb.Transform(p=p), name=f"rod{i}")
        p = np.array([length, 0, 0])
        rods.append(below)
    mb.BallConstraint(matter.ground, [0.6, 0.1, 0], below, p, name="end")
    state = system.realize_topology()
    for rod, q in zip(rods, ([0.9, 0.1, 0.4, 0.2], [0.8, -0.3, 0.1, -0.5], [0.7, 0.2, -0.5, 0.3]), strict=True):
        rod.set_q(state, np.array(q) / np.linalg.norm(q))
    rods[0].set_u(state, [9.0, 14.0, -10.0])
    rods[1].set_u(state, [0.0, 3.0, 12.0])
    return system, mb.Assembler(system).assemble(state, keep=["rod0.u", "rod1.u[2]", "rod1.u[3]"])


def double_pendulum() -> Model:
    """Two rods on pins whose axes are skew."""
    system, matter = _on_earth("double pendulum")
    upper = mb.Pin(matter.ground, _rod(0.5), X_PF=mb.Transform(rotation_x(np.pi / 2)), name="upper")
    lower = mb.Pin(upper, _rod(0.4), X_PF=mb.Transform(rotation_x(0.7), [0.5, 0, 0]), name="lower")
    state = system.realize_topology()
    upper.set_q(state, 0.3)
    lower.set_q(state, -0.9)
    lower.set_u(state, 4.0)
    return system, state


def tumbling_box() -> Model:
    """A free box that tumbles about its middle axis."""
    system, matter = _on_earth("tumbling box", gravity=0.0)
    box = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.box(mass=1.0, size=[0.1, 0.2, 0.3])), name="box")
    state = system.realize_topology()
    box.set_u(state, [0.3, 12.0, 0.2, 0.4, -0.1, 0.2])
    return system, state


def oscillator() -> Model:
    """A mass on a spring, with 100 rad/s."""
    system = mb.MultibodySystem("oscillator")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mass = mb.Slider(matter.ground, mb.MassProperties.point(mass=0.5, p=[0, 0, 0]), name="mass")
    mb.MobilityLinearSpring(forces, mass, stiffness=5000.0)
    state = system.realize_topology()
    mass.set_q(state, 0.1)
    return system, state


MODELS: dict[str, tuple[Callable[[], Model], float]] = {
    "rolling disc": (rolling_disc, 4.0),
    "planar loop": (planar_loop, 0.6),
    "spatial loop": (spatial_loop, 0.6),
    "double pendulum": (double_pendulum, 4.0),
    "tumbling box": (tumbling_box, 4.0),
    "oscillator": (oscillator, 4.0),
}


METHODS: dict[str, dict[str, Any]] = {
    "velocity_level, begin": {"integrator": "velocity_level", "constraints_at": "begin"},
    "velocity_level, middle": {"integrator": "velocity_level", "constraints_at": "middle"},
    "SemiImplicitEuler": {"integrator": "SemiImplicitEuler"},
    "RK4": {"integrator": "RK4"},
}


def change_of_energy(model: Model, until: float, **options: Any) -> tuple[float, float]:
    """The largest change of the energy in a run, and that at its end, relative to the largest kinetic energy."""
    system, state = model
    results = mb.Simulation(system, **options).run(state, until, report_every=1e-2)
    change = results["energy"] - results["energy"][0]
    largest = results["kinetic_energy"].max()
    return float(np.abs(change).max() / largest), float(change[-1] / largest)


def main() -> int:
    parser = argparse.ArgumentParser(description="Changes of the energy of passive systems in fixed steps, in % of their kinetic energy.")
    parser.add_argument("--short", action="store_true", help="little of everything, to see that it runs")
    is_short = parser.parse_args().short
    print(f"| | method | {' | '.join(f'{1e3 * step:g} ms, end' for step in STEPS)} |\n|---|---|{'---|' * len(STEPS)}")
    for name, (make, until) in MODELS.items():
        model, duration = make(), until / 10 if is_short else until
        for method, options in METHODS.items():
            if name == "rolling disc" and "constraints_at" not in options:
                continue  # a contact with friction is solved as a whole at velocity level alone
            found = [change_of_energy(model, duration, step=step, **options) for step in STEPS]
            print(f"| {name}, {duration:g} s | {method} | {' | '.join(f'{100 * most:.2g}, {100 * end:+.1g}' for most, end in found)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
