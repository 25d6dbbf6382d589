"""Realizing a State by compiled equations gives the same bits as bytecode (mobod.compilation)."""

import numpy as np
import pytest

import mobod as mb
from mobod.errors import InputError, NoCompilerError, UnsupportedError
from mobod.scalar.kernel_calls import LoadedFunction, LoadedProgram


class Wind(mb.CustomForce):
    """Runs as Python, between compiled pieces."""

    recordable = False

    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] += np.sin(state.time) * state.u[0]


def mechanism():
    """A System of a closed loop under gravity, a spring and a force in Python, and a State in motion."""
    system = mb.MultibodySystem("loop")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0.1, -1, 0.2], magnitude=9.81, name="gravity")
    mass = mb.MassProperties(1.2, [0.1, -0.4, 0.2], mb.Inertia.sphere(mass=1.2, radius=0.3).shifted([0.1, -0.4, 0.2]))
    X_PF = mb.Transform(p=[0.3, -0.9, 0.1])
    upper = mb.Pin(matter.ground, mass, name="upper")
    lower = mb.Ball(upper, mass, X_PF, name="lower")
    mb.Rod(matter.ground, [0.5, 0.1, 0.3], lower, [0, -0.7, 0.1], 1.6, name="rod")
    mb.MobilityLinearSpring(forces, upper, stiffness=3.0, q_zero=0.2, name="spring")
    Wind(forces, name="wind")
    return system, moving(system)


def moving(system):
    rng, state = np.random.default_rng(7), system.realize_topology()
    q = rng.normal(size=state.q.shape)
    q[1:] /= np.linalg.norm(q[1:])
    state.q, state.u, state.time = q, rng.normal(size=state.u.shape), 0.7
    return state


def all_values(system, state):
    system.realize(state, mb.Stage.REPORT)
    for variable in system.variables(state):
        system.value(state, variable)
    return state.values.copy()


def kernels(state):
    """The types of the kernels of sweeps."""
    functions = state.layout._functions.values()
    return {type(kernel) for each in functions for part in each.parts for kernel in getattr(part, "_loaded", ())}


def test_compiled_equations_give_the_same_bits():
    system, state = mechanism()
    interpreted = all_values(system, state)
    assert LoadedProgram in kernels(state)

    mb.compile(system)

    np.testing.assert_array_equal(all_values(system, moving(system)), interpreted)
    assert LoadedProgram not in kernels(state)
    assert LoadedFunction in kernels(state)
    state.invalidate(mb.Stage.INSTANCE)  # a State from before
    np.testing.assert_array_equal(all_values(system, state), interpreted)


def test_a_state_of_another_structure_is_compiled_separately():
    system = mb.MultibodySystem("top")
    matter = mb.MatterSubsystem(system)
    mb.Ball(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="top")
    matter.set_uses_euler_angles(angles := system.realize_topology(), True)
    system.realize_model(angles)

    mb.compile(system, angles)

    assert angles.layout.compiled
    assert not system.realize_topology().layout.compiled


def test_a_system_that_cannot_be_compiled_is_refused(monkeypatch):
    system, state = mechanism()
    with pytest.raises(InputError, match="compile takes a System"):
        mb.compile(state)
    system.as_text = True
    with pytest.raises(UnsupportedError, match="as_text"):
        mb.compile(system)
    system.as_text = False
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(NoCompilerError):
        mb.compile(system)
    system.realize(state)  # interpreted, as before
