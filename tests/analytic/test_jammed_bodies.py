"""Balls that jam between steep walls: problems of a step without a solution, unless its rows are frozen (listed_rows.h)."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.contact import HalfSpace, Sphere
from mobod.errors import MobodWarning

GRAVITY, RADIUS = 9.81, 0.1
BACKENDS = ("interpreted", "compiled")


def wall(lean, about):
    """The frame of a half-space whose normal leans upwards by an angle from the direction `about`, 5 mm from the ball at the start."""
    normal = np.array([np.cos(about) * np.cos(lean), np.sin(about) * np.cos(lean), np.sin(lean)])
    x = np.cross([0, 0, 1.0], normal)
    x /= np.linalg.norm(x)
    return mb.Transform.of(np.column_stack([x, np.cross(normal, x), normal]), -(RADIUS + 0.005) * normal * [1, 1, 0])


def ball_between_walls(seed):
    """(system, State, ball, contacts)"""
    random = np.random.default_rng(seed)
    system = mb.MultibodySystem("jam")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=GRAVITY)
    ball = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=RADIUS)), name="ball")
    n, lean = int(random.integers(2, 5)), random.uniform(0.02, 0.3)
    coefficients = {"static_friction": 0.6, "torsional_friction": 0.01, "rolling_friction": random.choice([0.005, 0.02])}
    contacts = []
    for i in range(n):
        frame = wall(lean + 0.02 * random.normal(), 2 * np.pi * i / n + 0.2 * random.normal())
        contacts.append(mb.RigidContact(matter.ground, HalfSpace(), ball, Sphere(RADIUS), name=f"wall{i}", X_B1S1=frame, **coefficients))
    state = system.realize_topology()
    ball.set_q(state, [1, 0, 0, 0, 0, 0, 0.1])
    ball.set_u(state, [*random.uniform(-9, 9, 3), *0.3 * random.normal(size=2), -1.0])
    return system, state, ball, contacts


@pytest.mark.filterwarnings("ignore:bodies jam")
@pytest.mark.parametrize("seeds", [(8, 34), pytest.param(range(200), marks=pytest.mark.slow)], ids=["few", "many"])
def test_a_ball_that_jams_between_walls_keeps_the_laws_of_friction(seeds):
    """Without frozen rows half of the runs end in "no impulses were found"."""
    for seed in seeds:
        system, state, ball, contacts = ball_between_walls(seed)
        system.realize(state)
        before = system.kinetic_energy(state) + GRAVITY * ball.X_GB(state).p[2]

        final = mb.Simulation(system, integrator="velocity_level", step=2e-3, backend="interpreted").run(state, 0.15).final_state

        system.realize(final, mb.Stage.ACCELERATION)
        assert system.kinetic_energy(final) + GRAVITY * ball.X_GB(final).p[2] < before, seed
        for contact in contacts:
            normal, friction, moment = contact.normal_force(final)[0], contact.friction_force(final)[0], contact.friction_moment(final)[0]
            axis = contact.contact_normal(final)[0]
            allowed = 1e-6 * max(normal, GRAVITY)
            assert normal >= 0
            assert np.linalg.norm(friction) <= 0.6 * normal + allowed
            assert abs(moment @ axis) <= 0.01 * normal + allowed
            rolling = contact.parameter(final, "rolling_friction")
            assert np.linalg.norm(moment - moment @ axis * axis) <= rolling * normal + allowed


def test_steps_in_which_bodies_jam_are_counted_and_warned_of():
    system, state, *_ = ball_between_walls(8)
    simulation = mb.Simulation(system, integrator="velocity_level", step=2e-3, backend="interpreted")

    with pytest.warns(MobodWarning, match="bodies jam in 1 step, at 0.087 s") as warned:
        results = simulation.run(state, 0.1)
    assert (len(warned), len(results.warnings), results.jammed_steps) == (1, 1, 1)

    with simulation.start(state) as run:
        run.step_to(0.086)
        saved, before = run.save(), run.jammed_steps
        run.step_to(0.1)
        after = run.jammed_steps
        with pytest.warns(MobodWarning, match="bodies jam in 1 step"):
            assert run.history().jammed_steps == 1
        run.restore(saved)
        restored = run.jammed_steps
        run.step_to(0.1)
        assert (before, after, restored, run.jammed_steps) == (0, 1, 0, 1)

    ensemble = mb.Ensemble(system, [state, state], integrator="velocity_level", step=2e-3, backend="interpreted")
    with pytest.warns(MobodWarning, match="run 0: bodies jam in 1 step"):
        runs = ensemble.run(0.1)
    assert [number for number, text in runs.warnings if "bodies jam in 1 step, at 0.087 s" in text] == [0, 1]


@pytest.mark.slow
def test_compiled_steps_count_the_same_jams():
    for seed in (8, 34):
        system, state, *_ = ball_between_walls(seed)
        with pytest.warns(MobodWarning, match="bodies jam"):
            results = [mb.Simulation(system, integrator="velocity_level", step=2e-3, backend=each).run(state, 0.15) for each in BACKENDS]
        assert results[0].warnings == results[1].warnings
        assert_array_equal(results[0].y, results[1].y)
