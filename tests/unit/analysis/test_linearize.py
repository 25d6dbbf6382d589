"""Linear systems of Systems agree with the nonlinear ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import least_squares

import mobod as mb
from mobod.errors import AssemblyError, InputError, UnknownNameError, UnsupportedError
from tests.analytic.linkage import linkage
from tests.unit.analysis.mechanisms import ball_pendulum, begun, chain, four_bar, pendulum_at_its_limit

OUTPUTS = {
    "chain": ["link3.p_GB", "link2.q", "link3.a_GB"],
    "four_bar": ["coupler.p_GB", "coupler.q", "rod.multiplier"],
    "ball_pendulum": ["slider.p_GB", "slider.q", "slider.a_GB"],
    "pendulum_at_its_limit": ["link2.p_GB", "link2.q", "link1.limit.force"],
}
MADE = {"chain": chain, "four_bar": four_bar, "ball_pendulum": ball_pendulum, "pendulum_at_its_limit": pendulum_at_its_limit}


@pytest.mark.fast(1)
@pytest.mark.parametrize("name", MADE)
def test_markov_parameters_match_the_nonlinear_response(name):
    """After a step of the motor's force, outputs begin as D + C B t + C A B t^2 / 2 + ..."""
    system, _ = MADE[name]()
    start = system.realize_topology()
    if name == "four_bar":
        start.q = [0.3, -1.2]
    state = mb.find_equilibrium(system, start, tolerance=1e-11)
    A, B, C, D = system.linearize(state, inputs=["motor.force"], outputs=OUTPUTS[name])

    force, until = 0.3, 0.2
    responses = []
    for fraction in (1, -1, 0.5, -0.5):
        pushed = state.copy()
        system.set_value(pushed, "motor.force", fraction * force)
        results = mb.Simulation(system, accuracy=1e-13).run(pushed, until=until, report_every=until / 20)
        responses.append(np.column_stack([results[each].reshape(len(results.time), -1) for each in OUTPUTS[name]]))
    whole, half = (responses[0] - responses[1]) / (2 * force), (responses[2] - responses[3]) / force
    response = (4 * half - whole) / 3  # without the terms of third order in the force
    taylor = np.polynomial.polynomial.polyfit(results.time / until, response, 10)[:3].T / until ** np.arange(3)
    for k, markov in enumerate([D, C @ B, C @ A @ B / 2]):
        assert_allclose(taylor[:, k], markov[:, 0], atol=1e-7 * max(1.0, np.abs(markov).max()), err_msg=f"coefficient {k}")


def moving_chain():
    system, _ = chain()
    state = system.realize_topology()
    state.time, state.q, state.u = 0.3, [0.4, -1.1, 0.8], [2.0, -1.3, 0.7]
    return system, state, ["motor.force", "gravity.magnitude", "damper.damping"], ["link3.p_GB", "link3.a_GB", "energy"]


def moving_four_bar():
    """The length of the rod moves the dependent angle."""
    system, _ = four_bar()
    start = system.realize_topology()
    start.q, start.u = [0.3, -1.2], [2.0, -0.5]
    state = mb.Assembler(system).assemble(start, keep=["coupler.u"])
    return system, state, ["rod.length", "motor.force"], ["coupler.v_GB", "rod.multiplier", "crank.q", "coupler.u"]


def moving_ball_pendulum():
    system, (top, slider) = ball_pendulum()
    state = system.realize_topology()
    top.set_q(state, np.array([0.7, -0.2, 0.5, 0.4]) / np.linalg.norm([0.7, -0.2, 0.5, 0.4]))
    top.set_u(state, [1.2, -2.0, 0.7])
    slider.set_q(state, 0.1)
    slider.set_u(state, -0.6)
    return system, state, ["motor.force", "spring.stiffness"], ["slider.p_GB", "slider.a_GB", "top.q"]


def spinning_top():
    """A top on its tip, that spins, precesses and nutates."""
    system, matter, _ = begun("top")
    top = mb.Ball(matter.ground, mb.MassProperties(0.8, [0, 0.3, 0], np.diag([0.09, 0.01, 0.09])), name="top")
    state = system.realize_topology()
    top.set_q(state, np.array([np.cos(0.2), np.sin(0.2), 0.1, -0.05]) / np.linalg.norm([np.cos(0.2), np.sin(0.2), 0.1, -0.05]))
    top.set_u(state, [0.8, 40.0, -0.3])
    return system, state, ["gravity.magnitude"], ["top.p_GB", "top.alpha_GB", "momentum"]


def rolling_ball():
    """A ball that rolls in Ground's plane y = 0: two of six speeds are free of the path, all positions in the plane are reached."""
    system, matter, _ = begun("rolling")
    ball = mb.Free(matter.ground, mb.MassProperties(1.1, [0.02, -0.03, 0.01], np.diag([0.03, 0.04, 0.05])), name="ball")
    plane = mb.Transform(mb.spatial.rotation_x(-np.pi / 2))
    mb.SphereOnPlaneContact(matter.ground, plane, ball, [0, 0, 0], 0.2, True, name="contact")
    start = system.realize_topology()
    start.q = np.array([0.9, 0.2, -0.3, 0.1, 0.4, 0.2, -0.5])
    start.u = [1.0, 0.4, -2.0, 0.0, 0.0, 0.0]  # rolling gives the last three
    rolling = mb.Assembler(system).assemble(start, keep=["ball.u[1]", "ball.u[2]", "ball.u[3]"])
    return system, rolling, ["gravity.magnitude"], ["ball.v_GB", "ball.a_GB"]


def overconstrained_linkage():
    made = linkage()
    return made.system, made.state, ["gravity.magnitude"], ["beam.p_GB", "crank2.u"]


def driven_four_bar():
    """The crank's angle is a function of time, so that nothing is left but the auxiliary variable of a measure."""
    system, (crank, coupler) = four_bar()
    square = mb.measures.Custom(system, lambda state: coupler.q(state)[0] ** 2 * state.time, stage=mb.Stage.POSITION, name="square")
    mb.measures.Integrate(system, square, name="area")
    mb.SinusoidMotion(crank, amplitude=0.3, rate=2.0, phase=0.4)
    start = system.realize_topology()
    start.time, start.q = 0.2, [0.3, -1.2]
    return (
        system,
        mb.Assembler(system).assemble(start),
        ["crank.motion.amplitude", "time", "rod.length"],
        ["coupler.q", "coupler.u", "coupler.a_GB"],
    )


MOVING = [moving_chain, moving_four_bar, moving_ball_pendulum, spinning_top, rolling_ball, overconstrained_linkage, driven_four_bar]


def rates_and_outputs(system, linear, x, inputs, at):
    """Of the nonlinear System, where dependent coordinates and speeds follow from the constraints."""
    state, names = linear.state.copy(), [each for entries in _state_names(system, linear.state) for each in entries]
    for name, number in zip(inputs, at, strict=True):
        if name == "time":
            state.time = number
        else:
            system.set_value(state, name, number)
    independent = [names.index(name) for name in linear.states]
    for kind, first, count in (("q", 0, state.layout.n_q), ("u", state.layout.n_q, state.layout.n_u)):
        dependent = [i for i in range(first, first + count) if i not in independent]

        def errors(numbers, kind=kind, dependent=dependent):
            y = np.array(state.y)
            y[independent], y[dependent] = x, numbers
            state.y = y
            system.realize(state, mb.Stage.VELOCITY)
            if kind == "u":
                return np.append(system.matter.constraint_velocity_errors(state), 0.0)
            return np.concatenate([system.matter.constraint_position_errors(state), system.matter.quaternion_errors(state), [0.0]])

        if dependent:
            found = least_squares(errors, np.array(state.y)[dependent], ftol=1e-15, xtol=1e-15, gtol=1e-15)
            assert np.abs(errors(found.x)).max() < 1e-12
        else:
            errors([])
    system.realize(state, mb.Stage.ACCELERATION)
    rates = state.y_dot[independent]
    return np.concatenate([rates, *(np.ravel(system.value(state, name)) for name in inputs_free(linear))])


def inputs_free(linear):
    """The names of whole variables among the outputs, in order."""
    return list(dict.fromkeys(name.partition("[")[0] for name in linear.outputs))


def _state_names(system, state):
    variables = [each for each in system.variables(state) if each.role == "state"]
    return [each.entry_names() for each in sorted(variables, key=lambda each: each.slot.offset)]


@pytest.mark.fast(1)
@pytest.mark.parametrize("made", MOVING, ids=lambda made: made.__name__)
def test_matrices_match_differences_along_a_motion(made):
    system, state, inputs, outputs = made()
    linear = system.linearize(state, inputs=inputs, outputs=outputs)
    names = [each for entries in _state_names(system, state) for each in entries]
    x = np.array(linear.state.y)[[names.index(name) for name in linear.states]]
    u = np.array([state.time if name == "time" else float(system.value(state, name)) for name in inputs])

    at = np.concatenate([x, u])
    columns = []
    for unit in np.eye(len(at)):
        shifted = [
            rates_and_outputs(system, linear, (at + step * unit)[: len(x)], inputs, (at + step * unit)[len(x) :])
            for step in (2e-4, -2e-4, 1e-4, -1e-4)
        ]
        columns.append((8 * (shifted[2] - shifted[3]) - (shifted[0] - shifted[1])) / (12 * 1e-4))
    differences = np.array(columns).T
    matrices = np.block([[linear.A, linear.B], [linear.C, linear.D]])
    # steps to the fourth power, and 1e-15 of the largest number / step
    assert_allclose(matrices, differences, atol=1e-8 * max(1.0, np.abs(differences).max()))
    assert_allclose(linear.rates, rates_and_outputs(system, linear, x, inputs, u)[: len(x)], atol=1e-9 * (1 + np.abs(linear.rates).max()))


def test_the_states_are_the_chosen_coordinates_and_the_speeds_that_belong_to_them():
    system, state, inputs, _ = moving_four_bar()
    for chosen in ("crank", "coupler"):
        linear = system.linearize(state, inputs=inputs, coordinates=[f"{chosen}.q"])
        assert linear.states == (f"{chosen}.q", f"{chosen}.u")
        assert (linear.state_units, linear.input_units) == (("rad", "rad/s"), ("m", "N.m"))
        assert linear.outputs == ("crank.q", "coupler.q")  # the default: all coordinates
        assert_allclose(linear.rates[0], system.value(linear.state, f"{chosen}.u"), rtol=1e-12)
    with pytest.raises(InputError, match=r"'crank\.q', 'coupler\.q' cannot be independent together.* leave 1 independent, for example"):
        system.linearize(state, coordinates=["crank.q", "coupler.q"])
    with pytest.raises(InputError, match=r"'rod\.length' is neither a coordinate nor a speed"):
        system.linearize(state, coordinates=["rod.length"])


def test_three_of_a_quaternion_are_states_and_entries_are_inputs_and_outputs():
    system, state, _, _ = moving_ball_pendulum()
    linear = system.linearize(state, inputs=["gravity.down[1]", "time"], outputs=["top.q[1]", "der(top.q[3])"])
    assert linear.states == ("top.q[2]", "top.q[3]", "top.q[4]", "slider.q", "top.u[1]", "top.u[2]", "top.u[3]", "slider.u")
    assert linear.inputs == ("gravity.down[1]", "time")
    assert (linear.input_units, linear.output_units) == (("1", "s"), ("1", "1/s"))
    q = system.value(state, "top.q")
    assert_allclose(linear.C[0, :3], -q[1:] / q[0], rtol=1e-12)
    assert system.linearize(state).inputs == ("motor.force",)  # the default: all inputs
    assert system.linearize(state, coordinates=["top.q[1]", "top.q[2]", "top.q[3]"]).states[:3] == ("top.q[1]", "top.q[2]", "top.q[3]")
    with pytest.raises(InputError, match=r"'top\.q' has no element \[5\]: its shape is \(4,\)"):
        system.linearize(state, outputs=["top.q[5]"])
    with pytest.raises(InputError, match=r"inputs: 'slider\.q' is a state"):
        system.linearize(state, inputs=["slider.q"])
    with pytest.raises(InputError, match=r"there is no derivative along 'energy'"):
        system.linearize(state, inputs=["energy"])
    with pytest.raises(InputError, match=r"Write outputs=\['energy'\]"):
        system.linearize(state, outputs="energy")
    with pytest.raises(UnknownNameError, match=r"Did you mean 'slider\.q'"):
        system.linearize(state, outputs=["sliter.q"])


def test_a_state_far_from_the_constraints_is_refused_and_one_near_them_is_projected():
    system, state, _, _ = moving_four_bar()
    near = state.copy()
    near.q = state.q + np.array([1e-5, 0])
    moved = system.linearize(near).state
    system.realize(moved, mb.Stage.VELOCITY)
    assert abs(system.matter.constraint_position_errors(moved)[0]) < 1e-14
    assert_allclose(near.q, state.q + np.array([1e-5, 0]), rtol=0)
    far = state.copy()
    far.u = state.u + np.array([0.0, 0.5])
    with pytest.raises(InputError, match=r"does not satisfy the constraints: 'c.*\.u' would have to change from .* rad/s"):
        system.linearize(far)
    far.q = [1.5, 0.0]
    with pytest.raises((InputError, AssemblyError), match="Assembler"):
        system.linearize(far)


def test_a_system_with_python_hooks_has_no_linear_system():
    class Hook(mb.Subsystem):
        def realize_dynamics(self, state):
            state.time  # noqa: B018 - reading is all that it does

    system, _ = chain(1)
    Hook(system, "hook")
    with pytest.raises(UnsupportedError, match="subsystem 'hook' computes in Python hooks"):
        system.linearize(system.realize_topology())
