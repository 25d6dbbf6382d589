"""The log of a `simbody-ref/1` file with the number of evaluations of gravity and the validity of its cache, operation by operation."""

from typing import Any

import numpy as np

import mobod as mb


def differences(case: dict[str, Any]) -> dict[str, float]:
    """For each operation of the log, how many of its numbers differ here. If an operation has no value, a general one is used."""
    system, gravity = _two_pins()
    state = system.realize_topology()

    def realize(stage):
        return lambda: system.realize(state, stage)

    def set_and_realize(what, value):
        def act():
            setattr(state, what, value)
            system.realize(state, mb.Stage.ACCELERATION)

        return act

    operations = {
        "after realizeTopology (state at Model)": lambda: None,
        "realize Position": realize(mb.Stage.POSITION),
        "realize Dynamics": realize(mb.Stage.DYNAMICS),
        "realize Dynamics with g=0": realize(mb.Stage.DYNAMICS),
        "realize Dynamics while disabled": realize(mb.Stage.DYNAMICS),
        "realize Acceleration": realize(mb.Stage.ACCELERATION),
        "getPotentialEnergy": lambda: gravity.potential_energy(state),
        "getBodyForces": lambda: gravity.body_forces(state),
        "getBodyForces with g=0": lambda: gravity.body_forces(state),
        "getBodyForces while disabled (still computed)": lambda: gravity.body_forces(state),
        "system.calcPotentialEnergy": lambda: system.potential_energy(state),
        "change u, realize Acceleration": set_and_realize("u", [0.3, -0.4]),
        "change t, realize Acceleration": set_and_realize("time", 1.5),
        "change q": lambda: setattr(state, "q", [0.2, 0.9]),
        "setMagnitude same value": lambda: gravity.set_magnitude(state, gravity.magnitude(state)),
        "setMagnitude 9.8": lambda: gravity.set_magnitude(state, 9.8),
        "setMagnitude 0": lambda: gravity.set_magnitude(state, 0.0),
        "setMagnitude 5": lambda: gravity.set_magnitude(state, 5.0),
        "setZeroHeight": lambda: gravity.set_zero_height(state, 2.5),
        "exclude body 1": lambda: gravity.set_body_is_excluded(state, 1, True),
        "disable (Instance-stage change)": lambda: gravity.disable(state),
        "enable": lambda: gravity.enable(state),
        "invalidateForceCache": lambda: gravity.invalidate_force_cache(state),
        "setGravityVector 0": lambda: gravity.set_gravity_vector(state, [0, 0, 0]),
        "setDownDirection with g=0": lambda: gravity.set_down_direction(state, [1, 2, 3]),
    }
    values = {
        "applied force on body 2 while disabled": lambda: gravity.matter.body_forces(state)[2].reshape(2, 3),
        "down direction after zero vector": lambda: gravity.down_direction(state),
    }
    found = {}
    for number, entry in enumerate(case["log"]):
        if "value" in entry:
            wrong = int(not np.array_equal(values[entry["op"]](), np.array(entry["value"], dtype=float)))
            wrong += int("system_pe" in entry and system.potential_energy(state) != entry["system_pe"])
        else:
            operations[entry["op"]]()
            seen = (gravity.num_evaluations, gravity.is_force_cache_valid(state), state.stage.name)
            expected = (entry["num_evaluations"], entry["cache_valid"], entry["system_stage"].upper())
            wrong = sum(ours != theirs for ours, theirs in zip(seen, expected, strict=True))
        found[f"log[{number}]: {entry['op']}"] = float(wrong)
    return found


def _two_pins() -> tuple[mb.MultibodySystem, mb.Gravity]:
    """The mechanism of the file: two Pin bodies, Force::Gravity(-Z, 50, zero height 17); masses and frames are general ones."""
    system = mb.MultibodySystem("two pins")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    first = mb.MassProperties(1.3, [0.1, -0.4, 0.2], mb.Inertia.sphere(mass=1.3, radius=0.3).shifted([0.1, -0.4, 0.2]))
    second = mb.MassProperties(0.7, [-0.2, 0.3, 0.5], mb.Inertia.box(mass=0.7, size=[0.1, 0.4, 0.3]).shifted([-0.2, 0.3, 0.5]))
    upper = mb.Pin(matter.ground, first, mb.Transform(p=[0.1, 0.2, -0.3]), name="upper")
    mb.Pin(upper, second, mb.Transform(p=[0.0, -1.0, 0.4]), mb.Transform(p=[0.3, 0.1, -0.2]), name="lower")
    return system, mb.Gravity(forces, matter, name="gravity", down=[0, 0, -1], magnitude=50.0, zero_height=17.0)
