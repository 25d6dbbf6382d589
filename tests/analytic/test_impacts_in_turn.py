"""impacts='sequential': in each round all that approach bounce, and what is at rest takes no part, in both schemes."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import HalfSpace, Sphere
from mobod.ensembles import Ensemble
from mobod.errors import InputError
from tests.reference.rows_of_balls import RADIUS, row_of_balls, speeds_of, started

STEP = 1e-3
FIXED = {"integrator": "velocity_level", "step": STEP}
SCHEMES = [{}, FIXED, FIXED | {"constraints_at": "begin"}]
GRAVITY, LENGTH = 9.81, 0.4


def after(start, until, **options):
    options = {"impacts": "sequential", "backend": "interpreted"} | options
    final = mb.Simulation(start.system, **options).run(start, until).final_state
    start.system.realize(final, mb.Stage.VELOCITY)
    return final


@pytest.mark.parametrize("options", SCHEMES)
@pytest.mark.parametrize("gap", [0.0, 1e-4, 3e-3])
def test_as_many_balls_leave_as_arrive_with_and_without_gaps(options, gap):
    for speeds, expected in (
        ([1, 0, 0, 0, 0], [0, 0, 0, 0, 1]),
        ([1, 1, 0, 0, 0], [0, 0, 0, 1, 1]),
        ([1, 0, 0, 0, -1], [-1, 0, 0, 0, 1]),
    ):
        system, balls, _ = row_of_balls([0.3] * 5, gaps=gap)

        with warnings.catch_warnings():
            warnings.simplefilter("error")  # the law gives the order: no impact is ambiguous
            final = after(started(system, balls, speeds), 0.04, **options)

        assert_allclose(speeds_of(final, balls), expected, atol=1e-12)


def cradle():
    """(system, balls) of five pendulums that touch at rest."""
    system = mb.MultibodySystem("cradle")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=GRAVITY)
    inertia = mb.Inertia.sphere(mass=0.3, radius=RADIUS).shifted([0, -LENGTH, 0])
    of_ball = mb.MassProperties(0.3, [0, -LENGTH, 0], inertia)
    balls = [mb.Pin(matter.ground, of_ball, X_PF=mb.Transform(p=[2 * RADIUS * i, 0, 0]), name=f"ball{i}") for i in range(5)]
    at = mb.Transform(p=[0, -LENGTH, 0])
    for i in range(4):
        mb.RigidContact(balls[i], Sphere(RADIUS), balls[i + 1], Sphere(RADIUS), X_B1S1=at, X_B2S2=at, restitution=1.0, name=f"contact{i}")
    return system, balls


@pytest.mark.parametrize(("options", "tolerance"), [({"accuracy": 1e-9}, 1e-6), (FIXED, 1e-2)])  # of first order at impacts
def test_a_cradle_swings_from_end_to_end(options, tolerance):
    system, balls = cradle()
    state = system.realize_topology()
    for ball in balls[:2]:
        ball.set_q(state, -0.3)
    period = 2 * np.pi * np.sqrt((LENGTH + 0.4 * RADIUS**2 / LENGTH) / GRAVITY) * (1 + 0.3**2 / 16 + 11 * 0.3**4 / 3072)

    final = after(state, period / 2, **options)

    assert_allclose([ball.q(final)[0] for ball in balls], [0, 0, 0, 0.3, 0.3], atol=tolerance)


def heap(rng):
    """(system, State) of balls that touch, on a floor, with friction and unequal restitutions, and random speeds."""
    system = mb.MultibodySystem("heap")
    matter = mb.MatterSubsystem(system)
    at, balls, n = np.array([0, 0, RADIUS]), [], int(rng.integers(3, 6))
    for i in range(n):
        mass = 10 ** rng.uniform(-1, 1)
        of_ball = mb.MassProperties(mass, [0, 0, 0], mb.Inertia.sphere(mass=mass, radius=RADIUS))
        balls.append(mb.Free(matter.ground, of_ball, name=f"ball{i}"))
        balls[-1].set_default_q([1, 0, 0, 0, *at])
        direction = rng.normal(size=3)
        at = at + 2 * RADIUS * np.array([*direction[:2], abs(direction[2])]) / np.linalg.norm(direction)
    for i in range(n - 1):
        friction, restitution = rng.choice([0, 0.3, 0.8]), float(rng.choice([0, rng.uniform(0, 1), 1]))
        pair = balls[i], Sphere(RADIUS), balls[i + 1], Sphere(RADIUS)
        mb.RigidContact(*pair, static_friction=friction, restitution=restitution, name=f"contact{i}")
    floor = matter.ground, HalfSpace(), balls[0], Sphere(RADIUS)
    mb.RigidContact(*floor, static_friction=0.5, restitution=float(rng.choice([0, 0.6, 1])), name="floor")
    state = system.realize_topology()
    for ball in balls:
        ball.set_u(state, rng.normal(size=6) * [5, 5, 5, 1, 1, 1])
    return system, state


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 300), marks=pytest.mark.slow)])
def test_impacts_with_friction_and_unequal_restitutions_never_gain_energy(seeds):
    for seed in seeds:
        system, state = heap(np.random.default_rng(seed))
        system.realize(state, mb.Stage.VELOCITY)
        before = system.kinetic_energy(state)

        for options in SCHEMES[::2]:  # rows at the middle of a step have an error of its order
            final = after(state, 1e-4, **({**options, "step": 1e-4} if options else {}))

            assert system.kinetic_energy(final) <= before * (1 + 1e-12), (seed, options)
            for contact in system.matter.constraints:
                assert contact.distances(final)[0] >= -1e-10
                assert contact.velocity_errors(final)[0] >= -1e-8  # what still approaches is captured


def kept_by_impacts(state):
    """What the impacts leave of the kinetic energy, under error control."""
    return state.system.kinetic_energy(after(state, 0.0)) / state.system.kinetic_energy(state)


def test_the_energy_that_the_middle_of_a_step_adds_shrinks_with_the_step():
    gains = []
    for step in (1e-3, 1e-4, 1e-5):
        worst = 0.0
        for seed in range(4):
            system, state = heap(np.random.default_rng(seed))
            system.realize(state, mb.Stage.VELOCITY)
            final = after(state, step, integrator="velocity_level", step=step)
            worst = max(worst, abs(system.kinetic_energy(final) / system.kinetic_energy(state) - kept_by_impacts(state)))
        gains.append(worst)

    assert gains[1] < 0.2 * gains[0]
    assert gains[2] < 0.2 * gains[1]  # of first order: 0.1


def test_the_ball_on_a_ball_on_a_floor_has_friction_round_by_round():
    """The upper ball hits the lower one, then that hits the floor, then they hit again: each time Newton's law and Coulomb's."""
    system = mb.MultibodySystem("two balls")
    matter = mb.MatterSubsystem(system)
    of_ball = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=RADIUS))
    balls = [mb.Free(matter.ground, of_ball, name=name) for name in ("lower", "upper")]
    for ball, height in zip(balls, (RADIUS, 3 * RADIUS), strict=True):
        ball.set_default_q([1, 0, 0, 0, 0, 0, height])
    mb.RigidContact(balls[0], Sphere(RADIUS), balls[1], Sphere(RADIUS), static_friction=0.1, restitution=0.8, name="between")
    mb.RigidContact(matter.ground, HalfSpace(), balls[0], Sphere(RADIUS), static_friction=0.2, restitution=0.5, name="floor")
    state = system.realize_topology()
    balls[1].set_u(state, [0, 0, 0, 3.0, 0, -1.0])  # slides over the lower one fast: all friction is at its limit

    def hit(v_upper, v_lower, e):
        """(impulse, speeds after) of two equal balls."""
        impulse = 0.5 * (1 + e) * (v_lower - v_upper)
        return impulse, v_upper + impulse, v_lower - impulse

    first, upper, lower = hit(-1.0, 0.0, 0.8)
    of_floor = 1.5 * -lower
    second, upper, lower = hit(upper, lower + of_floor, 0.8)
    lower *= -0.5  # the floor is hit once more, and then nothing approaches
    between = 0.1 * (first + second)  # along -x on the upper ball
    spin = between * RADIUS / (0.4 * RADIUS**2)  # about y
    for options in ({}, FIXED | {"step": 1e-5}):
        final = after(state, 1e-5 if options else 0.0, **options)
        u_lower, u_upper = balls[0].u(final), balls[1].u(final)
        tolerance = 5e-4 if options else 1e-12  # half a step turns the normal by 1.5e-4 rad
        assert_allclose(u_upper[[3, 5]], [3.0 - between, upper], atol=tolerance)
        assert_allclose(u_upper[1], spin, rtol=tolerance)
        assert_allclose(u_lower[5], lower, atol=tolerance)


def test_with_restitutions_of_zero_both_laws_have_the_same_bits():
    for options in SCHEMES:
        system, balls, _ = row_of_balls([0.3, 0.7, 0.2, 1.1], 0.0, friction=0.3)
        state = started(system, balls, [1.3, 0.2, 0, -0.4])

        ends = [after(state, 0.02, impacts=law, **options).y.tobytes() for law in ("simultaneous", "sequential")]

        assert ends[0] == ends[1]


@pytest.mark.fast(1)
@pytest.mark.parametrize("options", [{}, FIXED])
def test_compiled_interpreted_stepped_restored_and_ensemble_runs_have_the_same_bits(options):
    system, balls, _ = row_of_balls([0.3, 0.7, 0.2, 0.5], [1.0, 0.7, 0.4], gaps=[0.0, 2e-3, 0.0], friction=0.2)
    states = [started(system, balls, [1.3, 0.2, 0, -speed]) for speed in (0.4, 0.9, 1.7)]
    options = options | {"impacts": "sequential"}
    expected = [after(state, 0.02, **options).y.tobytes() for state in states]

    compiled = mb.Simulation(system, backend="compiled", **options)
    assert [compiled.run(state, 0.02).final_state.y.tobytes() for state in states] == expected
    ensemble = Ensemble(system, states, backend="compiled", threads=1, **options).run(0.02)
    assert [final.y.tobytes() for final in ensemble.final_states] == expected
    if options.get("step"):
        run = compiled.start(states[1])
        run.step_to(0.001)
        saved = run.save()
        for _ in range(2):
            run.restore(saved)
            for k in range(2, 21):
                run.step_to(k * STEP)
            assert_allclose(run.state.y, np.frombuffer(expected[1]), rtol=0, atol=1e-15)  # times of steps have round-off


def test_another_law_is_refused_by_name(tmp_path):
    system, *_ = row_of_balls([1.0, 1.0])
    words = "impacts must be one of 'simultaneous', 'sequential', not 'sequencial'"
    with pytest.raises(InputError, match=f"Simulation: {words}"):
        mb.Simulation(system, impacts="sequencial")
    with pytest.raises(InputError, match=f"export_fmu: {words}"):
        mb.export_fmu(system, tmp_path / "row.fmu", impacts="sequencial", outputs=[])


def test_the_speed_of_the_last_ball_has_the_derivatives_of_rounds():
    """From ball to ball with e = 0.8 and equal masses: each round passes on (1 + e) / 2 of the speed."""
    system, balls, _ = row_of_balls([0.3] * 4, 0.8, gaps=[1e-2, 0, 0])
    state = started(system, balls, [1.3, 0, 0, 0])

    options = {"impacts": "sequential", "backend": "interpreted"}
    found = mb.sensitivities(mb.Simulation(system, 1e-9, **options), state, ["ball0.u"], ["ball3.u"], until=0.02)

    speeds = np.array(speeds_of(after(state, 0.02), balls))
    assert_allclose(found.derivatives[-1].ravel(), [speeds[3] / 1.3], rtol=1e-6)  # the law is homogeneous
    assert speeds[3] >= 0.9**3 * 1.3
