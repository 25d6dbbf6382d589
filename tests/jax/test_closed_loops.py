"""Closed loops in JAX: accelerations, multipliers and projections are those of the System; what cannot be is refused by name."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import UnsupportedError
from tests.laws.loops import CONSTRAINTS, random_loops

jax = pytest.importorskip("jax", reason="needs the extra 'jax'")

ROUND_OFF = 1e-12  # times the condition of A = G M^-1 G^T, which is 1 here for one row

BAR = mb.MassProperties(1.3, [0.02, 0.5, 0], mb.Inertia.cylinder(mass=1.3, radius=0.03, length=1.0, axis="y").shifted([0.02, 0.5, 0]))


def four_bar(*, closed_by="rod", coupler=mb.Pin):
    """A crank that a motor turns, a coupler on a pin or a ball, a rod as the rocker; or a body on a pin, closed by a ball.

    The ball's third row is zero, since nothing moves along z.
    """
    system = mb.MultibodySystem("four bar")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0.1], name="gravity")
    crank = mb.Pin(matter.ground, BAR, name="crank")
    mb.MobilityForce(forces, crank, name="motor")
    middle = coupler(crank, BAR, X_PF=mb.Transform(p=[0, 1, 0]), name="coupler")
    if closed_by == "rod":
        mb.Rod(middle, [0, 1, 0], matter.ground, [2, 0, 0], 1.5, name="rod")
    else:
        rocker = mb.Pin(middle, BAR, X_PF=mb.Transform(p=[0, 1, 0]), name="rocker")
        mb.BallConstraint(rocker, [0, 1.1, 0], matter.ground, [2, 0, 0], name="ball")
    return system


def assembled(system, speed=0.8):
    state = system.realize_topology()
    crank = system.matter.body("crank")
    crank.set_q(state, 0.3)
    if isinstance(system.matter.body("coupler"), mb.Pin):
        system.matter.body("coupler").set_q(state, -1.2)
    state.u = np.linspace(speed, 1.3 * speed, len(state.u))
    return mb.Assembler(system).assemble(state, keep=["crank.u"])


def rates_in_jax(model, state, *arguments):
    return np.array(jax.jit(model.rates)(state.time, state.y, *arguments))


def states_of(system, state):
    """In the order of y."""
    return sorted((each for each in system.variables(state) if each.role == "state"), key=lambda each: each.slot.offset)


# quick: what is refused
def test_multipliers_of_redundant_rows_are_refused_by_name():
    system = four_bar(closed_by="ball")
    with pytest.raises(UnsupportedError, match=r"output 'ball\.multiplier' .* undetermined: ball\[3\]"):
        mb.to_jax(system, assembled(system), outputs=["coupler.p_GB", "ball.multiplier"])


def test_rates_of_multipliers_are_refused_by_name():
    system = four_bar()
    coupler = system.matter.body("coupler")
    felt = mb.measures.Custom(system, lambda state: coupler.A_GB(state)[2:5], shape=(3,), stage=mb.Stage.ACCELERATION, name="felt")
    mb.measures.Differentiate(system, felt, name="jerk")
    with pytest.raises(UnsupportedError, match=r"output 'jerk\.value' .* rates of multipliers"):
        mb.to_jax(system, outputs=["felt.value", "jerk.value"])


def test_an_input_cannot_enable_a_constraint():
    with pytest.raises(UnsupportedError, match=r"input 'rod\.enabled' decides"):
        mb.to_jax(four_bar(), inputs=["rod.enabled"])


def test_numbers_that_are_first_read_while_jax_traces_stay_numbers():
    model = mb.to_jax(four_bar(), inputs=["motor.force"])
    jax.eval_shape(lambda: (model.y0, model.inputs0, model.parameters))
    assert_allclose(model.y0, 0)
    assert float(model.parameters["rod.length"]) == 1.5


# values
@pytest.fixture(scope="module")
def bars():
    system = four_bar()
    return system, assembled(system)


@pytest.mark.slow
def test_accelerations_and_multipliers_are_those_of_the_system(bars):
    system, state = bars
    names = ["rod.multiplier", "rod.position_error", "crank.reaction", "coupler.p_GB"]
    model = mb.to_jax(system, state, inputs=["motor.force"], outputs=names)
    at_force = state.copy()
    system.set_value(at_force, "motor.force", 2.0)
    system.realize(at_force, "acceleration")
    assert_allclose(rates_in_jax(model, state, None, np.array([2.0])), at_force.y_dot, rtol=ROUND_OFF)
    outputs = jax.jit(model.outputs)(state.time, state.y, None, np.array([2.0]))
    for name in names:
        expected = system.value(at_force, name)
        assert_allclose(outputs[name], expected, rtol=ROUND_OFF, atol=ROUND_OFF * (1 + np.abs(expected).max()), err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("integrator", ["RK4", "SemiImplicitEuler"])
def test_projected_steps_are_those_of_a_run(integrator, bars):
    system, state = bars
    model, step = mb.to_jax(system, state), 0.02
    run = mb.Simulation(system, integrator=integrator, step=step, backend="interpreted").start(state)
    run.step(step)
    free, held = (
        jax.jit(lambda y, project=project: model.step(state.time, y, step=step, integrator=integrator, project=project))(state.y)
        for project in (False, True)
    )
    moved = np.abs(free - held).max()
    assert moved > 1e-10  # so that the projection does something
    # the runtime takes new directions in each iteration, JAX those of the start: along the loop they differ by the square of the change
    assert_allclose(held, run.state.y, rtol=0, atol=ROUND_OFF + 0.1 * moved**2)
    after = state.copy()
    after.time, after.y = step, np.array(held)
    system.realize(after, "velocity")
    rod = system.matter.constraints[0]
    assert_allclose([rod.position_errors(after)[0], rod.velocity_errors(after)[0]], 0, atol=1e-14)  # some roundings of 1 m, 1 m/s


@pytest.mark.slow
def test_projected_steps_of_a_loop_with_a_quaternion_and_a_prescribed_motion_are_those_of_a_run():
    system, step = four_bar(coupler=mb.Ball), 0.02
    mb.SinusoidMotion(system.matter.body("crank"), amplitude=0.4, rate=1.7, phase=-0.9, level="position")
    state = system.realize_topology()
    system.matter.body("coupler").set_q(state, [np.cos(-0.6), 0, 0, np.sin(-0.6)])
    state = mb.Assembler(system).assemble(state)  # with the speeds of least kinetic energy
    model = mb.to_jax(system, state)
    ys = jax.jit(lambda y: model.rollout(y, step=step, steps=2, project=True))(state.y)
    run = mb.Simulation(system, integrator="RK4", step=step, backend="interpreted").start(state)
    for k in (1, 2):
        run.step(step)
        assert_allclose(ys[k], run.state.y, rtol=0, atol=ROUND_OFF)


@pytest.mark.slow
def test_disabled_constraints_are_left_out(bars):
    system, state = bars
    system.matter.constraints[0].disable(free := state.copy())
    system.realize(free, "acceleration")
    assert_allclose(rates_in_jax(mb.to_jax(system, free), free), free.y_dot, rtol=ROUND_OFF)


def parallelogram():
    """Two cranks and a coupler; a third crank is redundant, on the loop only: its two rows and the ball's rows along z."""
    system = mb.MultibodySystem("parallelogram")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[1, -1, 0], name="gravity")
    first = mb.Pin(matter.ground, BAR, name="first")
    second = mb.Pin(matter.ground, BAR, X_PF=mb.Transform(p=[0.7, 0, 0]), name="second")
    third = mb.Pin(matter.ground, BAR, X_PF=mb.Transform(p=[1.5, 0, 0]), name="third")
    coupler = mb.Pin(first, BAR, X_PF=mb.Transform(p=[0, 1, 0]), name="coupler")
    mb.BallConstraint(coupler, [0.7, 0, 0], second, [0, 1, 0], name="ball")
    mb.BallConstraint(coupler, [1.5, 0, 0], third, [0, 1, 0], name="further ball")
    state = system.realize_topology()
    state.q, state.u = [0.4, 0.4, 0.4, -0.4], [0.9, 0.9, 0.9, -0.9]
    return system, state


@pytest.mark.slow
def test_redundant_rows_have_the_accelerations_of_the_system():
    system, state = parallelogram()
    system.realize(state, "acceleration")
    assert len(system.matter.analyze_constraints(state).redundant) == 3
    model, largest = mb.to_jax(system, state), np.abs(state.y_dot).max()
    assert_allclose(rates_in_jax(model, state), state.y_dot, rtol=0, atol=1e-9 * largest)
    along = np.array([1, 1, 1, -1, 0.3, 0.3, 0.3, -0.3])  # a direction in which the loops stay closed
    turned = [each.name for each in states_of(system, state)]
    exact = system.directional_derivative(state, [f"der({name})" for name in turned], dict(zip(turned, along[:, None], strict=True)))
    _, found = jax.jit(lambda y, way: jax.jvp(lambda y: model.rates(0.0, y), (y,), (way,)))(state.y, along)
    assert_allclose(found, [exact[f"der({name})"][0] for name in turned], rtol=0, atol=1e-9 * largest)
    # off the loops, as in a stage of a step, rows that depend on each other differ a little
    nearly = state.copy()
    nearly.q = state.q + 1e-6 * np.array([1, -2, 3, 1])
    system.realize(nearly, "acceleration")
    assert_allclose(rates_in_jax(model, nearly), nearly.y_dot, rtol=0, atol=1e-4 * largest)  # inconsistent rows: which hold is a choice


# every constraint, derivatives, many members
@pytest.fixture(scope="module")
def loops():
    return random_loops(70)


@pytest.mark.slow
@pytest.mark.parametrize("moved", [False, True], ids=["free", "with motions and locks"])
def test_constraints_of_every_kind_have_the_accelerations_of_the_system(moved, loops):
    state = loops.state_with(np.random.default_rng(63), *CONSTRAINTS, moved=moved)
    rates = [f"der({each.name})" for each in states_of(loops.system, state)]
    names = [*rates, *(f"{each.name}.multiplier" for each in loops.constraints.values())]
    model = mb.to_jax(loops.system, state, outputs=names)
    table = loops.matter.constraint_sweeps(state.layout).table
    condition = np.linalg.cond(table.products(state.values, table.active(state.values)))
    with jax.disable_jit():  # 58,000 operations, which XLA compiles for many minutes
        outputs = model.outputs(state.time, state.y)
    largest = np.abs(state.y_dot).max()
    for name, found in outputs.items():
        expected = loops.system.value(state, name)
        size = largest if name in rates else np.abs(expected).max()
        assert_allclose(found, expected, rtol=0, atol=1e-12 * condition * (1 + size), err_msg=name)


# derivatives, many members, other integrators
@pytest.mark.slow
@pytest.mark.parametrize("coupler", [mb.Pin, mb.Ball], ids=["pins", "a quaternion"])
def test_derivatives_of_accelerations_are_those_of_the_system(coupler):
    system = four_bar(coupler=coupler)
    state = assembled(system)
    model, rng = mb.to_jax(system, state), np.random.default_rng(4)
    variables = states_of(system, state)
    along = [rng.normal(size=each.slot.shape) for each in variables]
    rates = [f"der({each.name})" for each in variables]
    exact = system.directional_derivative(state, rates, {each.name: way for each, way in zip(variables, along, strict=True)})
    J = jax.jit(jax.jacfwd(model.rates, argnums=1))(state.time, state.y)
    expected = np.concatenate([np.ravel(exact[name]) for name in rates])
    assert_allclose(J @ np.concatenate([np.ravel(way) for way in along]), expected, rtol=0, atol=1e-10 * np.abs(expected).max())


@pytest.mark.slow
def test_in_the_tangent_space_of_the_projection_the_jacobian_is_the_matrix_of_the_linear_system(bars):
    system, state = bars
    model = mb.to_jax(system, state)
    linear = system.linearize(state)
    names = [each.name for each in states_of(system, state)]
    chosen = [names.index(name) for name in linear.states]
    J = np.array(jax.jit(jax.jacfwd(model.rates, argnums=1))(0.0, state.y))
    # a step of no length is the projection alone
    P = np.array(jax.jit(jax.jacfwd(lambda y: model.step(0.0, y, step=0.0, project=True)))(state.y))
    assert_allclose(P @ P, P, rtol=0, atol=1e-12)
    tangent = P[:, chosen] @ np.linalg.inv(P[np.ix_(chosen, chosen)])
    assert_allclose((J @ tangent)[chosen], linear.A, rtol=0, atol=1e-10 * np.abs(linear.A).max())


@pytest.mark.slow
def test_gradients_through_projected_steps_match_differences(bars):
    system, state = bars
    model = mb.to_jax(system, state, inputs=["motor.force"])

    def loss(mass, length, force):
        held = {"crank.mass": mass, "rod.length": 1.5 + length}
        return jax.numpy.sum(model.rollout(model.y0, held, [force], step=0.02, steps=20, project=True)[-1] ** 2)

    at, change = (1.3, 0.0, 0.4), 1e-5
    value, gradient = jax.jit(loss), jax.jit(jax.grad(loss, argnums=(0, 1, 2)))(*at)
    for i in range(3):
        more, less = (value(*(each + sign * change * (k == i) for k, each in enumerate(at))) for sign in (1, -1))
        # central differences are wrong by change^2 and by round-off / change
        assert_allclose(gradient[i], (more - less) / (2 * change), rtol=1e-7, atol=1e-8)


@pytest.mark.slow
def test_members_of_a_batch_have_the_numbers_of_an_ensemble(bars):
    system, state = bars
    model, forces = mb.to_jax(system, state, inputs=["motor.force"]), np.linspace(-2.0, 2.0, 1000)

    def end(force):
        return model.rollout(model.y0, None, force[None], step=5e-3, steps=10, project=True)[-1]

    found = jax.jit(jax.vmap(end))(forces)
    names = ["crank.q", "coupler.q", "crank.u", "coupler.u"]
    ensemble = mb.Ensemble(
        system, state, parameters={"motor.force": forces}, integrator="RK4", step=5e-3, backend="interpreted", outputs=names
    )
    results = ensemble.run(0.05)
    for i, name in enumerate(names):
        assert_allclose(found[:, i], results[name][:, -1], rtol=1e-11, atol=1e-11)  # 10 steps, projected in other directions


@pytest.mark.slow
def test_diffrax_follows_the_motion_of_a_simulation(bars):
    diffrax = pytest.importorskip("diffrax", reason="needs diffrax")
    system, state = bars
    model = mb.to_jax(system, state)
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(model.vector_field),
        diffrax.Dopri8(),
        t0=0.0,
        t1=1.0,
        dt0=1e-2,
        y0=model.y0,
        stepsize_controller=diffrax.PIDController(rtol=1e-11, atol=1e-11),
    )
    results = mb.Simulation(system, 1e-11, backend="interpreted").run(state, 1.0)
    assert_allclose(solution.ys[-1][:2], [results["crank.q"][-1], results["coupler.q"][-1]], rtol=0, atol=1e-7)
