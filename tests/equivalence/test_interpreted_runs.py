"""Runs of the C runtime with bytecode give the same bits as with compiled code: trees, loops, events, delays, limits and fixed steps."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.laws.random_states import random_state
from mobod.system import Stage
from tests.laws.mechanisms import random_mechanism


def tree():
    system = random_mechanism(11, n_bodies=4).system  # the code of every element is compared in test_kinds_in_c.py
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
    seen = mb.measures.Delay(system, angle, 0.05, name="seen")

    class Push(mb.PeriodicEventHandler):
        def handle_event(self, state, event):
            crank.set_u(state, crank.u(state) + 0.1 * seen.value(state))

    Push(system, 0.31, name="push")
    state = system.realize_topology()
    crank.set_q(state, 0.3)
    coupler.set_q(state, -1.2)
    return system, mb.Assembler(system).assemble(state)


def walk_in_space():
    """Quaternions, a loop closed by a rod, a prescribed motion, a lock, and a plane that limits a corner."""
    system = mb.MultibodySystem("walk")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0.1, 0.2, -1], magnitude=9.8)
    mass = mb.MassProperties(1.3, [0.1, -0.05, 0.2], mb.Inertia.box(mass=1.3, size=[0.3, 0.4, 0.5]).shifted([0.1, -0.05, 0.2]))
    box = mb.Free(matter.ground, mass, name="box")
    crank = mb.Pin(box, mass, X_PF=mb.Transform(p=[0.3, 0.1, 0]), name="crank")
    tip = mb.Ball(crank, mass, X_PF=mb.Transform(p=[0, 0.6, 0.1]), name="tip")
    locked = mb.Universal(box, mass, X_PF=mb.Transform(p=[-0.3, 0, 0]), name="locked")
    mb.SinusoidMotion(crank, amplitude=0.4, rate=3.0, phase=0.2)
    mb.Rod(matter.ground, [0.2, 0.4, 1.5], tip, [0.1, 0, 0.2], length=0.9, name="rod")
    mb.UnilateralConstraint(CornersOverFloor(), bodies=[matter.ground, box, tip], restitution=0.2, name="corners")
    state = system.realize_topology()
    box.set_q(state, [0.9, 0.1, -0.3, 0.2, 0.1, -0.2, 0.8])
    box.set_u(state, [0.4, -0.3, 0.9, 0.2, 0.1, -0.4])
    locked.set_q(state, [0.3, -0.5])
    locked.lock(state)
    with pytest.warns(mb.errors.MobodWarning, match=r"box\.u\[2\]"):  # the speeds that were set contradict the rod
        return system, mb.Assembler(system).assemble(state)


class CornersOverFloor(mb.ConstraintEquations):
    """Heights of a point of each of two bodies over Ground."""

    @property
    def position_units(self):
        return ("m", "m")

    def position_errors(self, motion):
        _, box, tip = motion.X
        return np.array([(box.p + box.R @ np.array([0.2, 0.1, -0.3]))[2], (tip.p + tip.R @ np.array([0.1, 0.3, -0.2]))[2]])


RUNS = {
    "tree": (tree, {}, 0.1),
    "four_bar": (four_bar_with_a_limit, {"accuracy": 1e-8}, 0.7),
    "four_bar, implicit": (four_bar_with_a_limit, {"accuracy": 1e-6, "integrator": "Rodas5P"}, 0.7),
    "fixed steps": (walk_in_space, {"integrator": "velocity_level", "step": 0.0025}, 0.6),
}


@pytest.mark.fast("four_bar", "four_bar, implicit")
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
    assert [(event.name, event.direction, event.time) for event in one.events] == [
        (event.name, event.direction, event.time) for event in other.events
    ]
    for constraint in system.matter.constraints:
        if isinstance(constraint, mb.UnilateralConstraint):
            assert_array_equal(constraint.impulses(other.final_state), constraint.impulses(one.final_state))
