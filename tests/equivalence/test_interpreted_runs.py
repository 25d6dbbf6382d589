"""Runs of the C runtime with programs give the bits of those with compiled code: trees, loops, events, delays, limits and fixed steps."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.laws.random_states import random_state
from mobod.system import Stage
from tests.laws.mechanisms import random_mechanism


def tree():
    system = random_mechanism(11).system
    return system, random_state(system, np.random.default_rng(12))


def four_bar_with_a_limit():
    """A closed loop, a joint that strikes its limit, and a delayed angle that an event handler reads."""
    system = mb.MultibodySystem("four_bar")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7)
    bar = mb.MassProperties(1.0, [0, 0.5, 0], mb.Inertia.cylinder(mass=1.0, radius=0.02, length=1.0, axis="y").shifted([0, 0.5, 0]))
    crank = mb.Pin(matter.ground, bar, name="crank")
    coupler = mb.Pin(crank, bar, X_PF=mb.Transform(p=[0, 1, 0]), name="coupler")
    mb.Rod(coupler, [0, 1, 0], matter.ground, [2, 0, 0], 1.5, name="rod")
    crank.set_limits(-0.6, 0.9, restitution=0.4)
    angle = mb.measures.Custom(system, lambda state: crank.q(state)[0], stage=Stage.POSITION, unit="rad", name="angle")
    mb.measures.Delay(system, angle, 0.05, name="seen")
    state = system.realize_topology()
    crank.set_q(state, 0.3)
    coupler.set_q(state, -1.2)
    return system, state


def pushed_box():
    """A box on limits, whose speed an event handler reverses."""
    system, box = box_on_limits()

    class Turn(mb.PeriodicEventHandler):
        def handle_event(self, state, event):
            box.set_u(state, -box.u(state))

    Turn(system, 0.31, name="turn")
    return system, thrown(system, box)


def thrown_box():
    system, box = box_on_limits()
    return system, thrown(system, box)


def thrown(system, box):
    state = system.realize_topology()
    box.set_q(state, [0.4, -0.7, 0.9])
    box.set_u(state, [0.2, 0.5, -0.3])
    return state


def box_on_limits():
    system = mb.MultibodySystem("box")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.7)
    box = mb.Translation(matter.ground, mb.MassProperties.point(1.3, [0, 0, 0]), name="box")
    box.set_limits([-2.0, -2.0, 0.0], [2.0, 2.0, 5.0], restitution=0.5)
    return system, box


RUNS = {
    "tree": (tree, {}, 0.1),
    "four_bar": (four_bar_with_a_limit, {"accuracy": 1e-8}, 0.7),
    "box": (pushed_box, {"accuracy": 1e-8}, 1.5),
    "fixed steps": (thrown_box, {"integrator": "velocity_level", "step": 0.002}, 0.6),
}


@pytest.mark.parametrize("name", RUNS)
def test_programs_and_compiled_code_give_the_same_bits(name):
    make, options, duration = RUNS[name]
    system, state = make()

    one, other = (
        mb.Simulation(system, backend=backend, **options).run(state, state.time + duration) for backend in ("interpreted", "compiled")
    )

    assert (one.backend, other.backend) == ("interpreted", "compiled")
    assert_array_equal(one.time, other.time)
    names = [variable.name for variable in system.variables(one.final_state) if variable.role == "state"]
    assert len(one.time) > 10
    assert names
    for each in names:
        assert_array_equal(one[each], other[each], err_msg=each)
    assert [event.time for event in one.events] == [event.time for event in other.events]
