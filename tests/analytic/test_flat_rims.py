"""Coins and cylinders that lie flat: points that are fixed on a rim hold them, and the nearest point alone is an error by name."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Circle, Cylinder, HalfSpace, Torus
from mobod.cosim import FmuFile
from mobod.errors import EventError, FmuError, IntegrationError
from tests.fmu.stepped import start

MASS, RADIUS, FRICTION, G = 0.05, 0.06, 0.3, 9.81
ABOUT_AXIS = MASS * RADIUS**2 / 2
OPTIONS = {"error control": {"accuracy": 1e-6}, "fixed steps": {"integrator": "velocity_level", "step": 1e-3}}
each_scheme = pytest.mark.parametrize("scheme", OPTIONS)


def on_floor(shape, height, mobilizer=mb.Free, restitution=0.0):
    """A body whose shape, at the origin of its frame, is above z = 0, and its contact."""
    system = mb.MultibodySystem("desk")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=G)
    inertia = mb.Inertia.cylinder(mass=MASS, radius=RADIUS, length=1e-3, axis="z")
    body = mobilizer(matter.ground, mb.MassProperties(MASS, [0, 0, 0], inertia), name="coin")
    mb.RigidContact(matter.ground, HalfSpace(), body, shape, static_friction=FRICTION, restitution=restitution, name="floor")
    if mobilizer is mb.Free:
        body.set_default_q([1, 0, 0, 0, 0, 0, height])
    return system, body


def simulation(system, scheme):
    return mb.Simulation(system, **OPTIONS[scheme])


@pytest.mark.fast("fixed steps")
@each_scheme
def test_a_coin_with_fixed_points_lies_and_its_spin_stops(scheme):
    """Four points that share the weight slow a spin by mu m g r / I."""
    system, coin = on_floor(Circle(RADIUS, points=4), 0.0)
    state = system.realize_topology()
    coin.set_u(state, [0, 0, 5.0, 0, 0, 0])
    slowing = FRICTION * MASS * G * RADIUS / ABOUT_AXIS

    u = simulation(system, scheme).run(state, until=0.06, report_every=0.01)["coin.u"]

    expected = np.maximum(0, 5.0 - slowing * np.arange(0, 0.061, 0.01))
    assert expected[2] > 1 > expected[-1] == 0
    assert_allclose(u[:, 2], expected, rtol=0, atol=1e-9 if scheme == "error control" else 1e-4)  # forces turn by 5 mrad in a step
    assert_allclose(np.delete(u, 2, axis=1), 0, atol=1e-9)


@pytest.mark.parametrize(
    ("shape", "contact"),
    [(Cylinder(RADIUS, 0.01), "rim_0"), (Circle(RADIUS), "point"), (Torus(RADIUS, 0.01), "point")],
    ids=["cylinder", "circle", "torus"],
)
@each_scheme
@pytest.mark.fast("fixed steps-cylinder")
def test_a_rim_that_lies_flat_is_an_error_that_says_what_to_do(scheme, shape, contact):
    system, body = on_floor(shape, 0.0 if isinstance(shape, Circle) else 0.01)
    state = system.realize_topology()
    body.set_u(state, [0, 0, 3.0, 0, 0, 0])

    with pytest.raises(
        (EventError, IntegrationError), match=rf"ontact 'floor\.{contact}' lies flat, .* points that are fixed on it \(points=4;"
    ):
        simulation(system, scheme).run(state, until=0.1)


def falling_coin(shape, restitution, lean, height=0.1):
    """A coin that falls on the floor, leaning by `lean` about x."""
    system, coin = on_floor(shape, height, restitution=restitution)
    coin.set_default_q([np.cos(lean / 2), np.sin(lean / 2), 0, 0, 0, 0, height])
    return system


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("shape", [Cylinder(RADIUS, 0.01), Circle(RADIUS), Torus(RADIUS, 0.01)], ids=["cylinder", "circle", "torus"])
def test_an_impact_of_a_rim_that_lies_flat_is_an_error_that_names_it(shape, restitution):
    """The impulse would tilt the rim about a point that round-off chooses."""
    system = falling_coin(shape, restitution, lean=0.0)
    bottom = shape.half_length if isinstance(shape, Cylinder) else getattr(shape, "tube_radius", 0.0)
    touches_at = np.sqrt(2 * (0.1 - bottom) / G)

    with pytest.raises(EventError, match=r"contact 'floor\.\w+' lies flat, .* points that are fixed on it") as error:
        mb.Simulation(system, backend="interpreted", accuracy=1e-9).run(system.realize_topology(), until=1.0)

    assert_allclose(float(str(error.value).split()[1]), touches_at, rtol=0, atol=1e-8)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_steps_that_have_no_end_at_a_rim_that_lies_flat_are_an_error_within_some_hundred(restitution):
    """Nearly flat: the impacts are determined, and what follows them is not."""
    system = falling_coin(Cylinder(RADIUS, 0.01), restitution, lean=3e-3)

    with pytest.raises(IntegrationError, match=r"contact 'floor\.rim_0' lies flat"):
        mb.Simulation(system, backend="interpreted", accuracy=1e-5, max_steps=3000).run(system.realize_topology(), until=1.0)


@pytest.mark.fast("error control")
@each_scheme
def test_a_coin_that_falls_over_is_an_error_when_it_lies(scheme):
    tilt = 0.3
    system, coin = on_floor(Circle(RADIUS), RADIUS * np.sin(tilt))
    state = system.realize_topology()
    coin.set_q(state, [np.cos(tilt / 2), np.sin(tilt / 2), 0, 0, 0, 0, RADIUS * np.sin(tilt)])

    with pytest.raises((EventError, IntegrationError), match=r"^[a-z ]*at 0\.0[67].* s.*'floor\.point' lies flat"):
        simulation(system, scheme).run(state, until=0.2)


@each_scheme
def test_a_piston_that_cannot_tilt_may_lie_flat(scheme):
    along_z = mb.Transform(mb.spatial.rotation_y(-np.pi / 2))
    system, piston = on_floor(
        Cylinder(RADIUS, 0.01), 0.0, mobilizer=lambda parent, mass, name: mb.Slider(parent, mass, along_z, along_z, name=name)
    )
    piston.set_default_q(0.02)

    final = simulation(system, scheme).run(system.realize_topology(), until=0.1).final_state

    assert_allclose(piston.q(final), 0.01, rtol=0, atol=1e-5)  # fixed steps sink by the tolerance


def test_a_wheel_may_turn_by_a_radian_in_a_step():
    system, wheel = on_floor(Circle(RADIUS), RADIUS)
    state = system.realize_topology()
    upright = np.sqrt(0.5)
    wheel.set_q(state, [upright, upright, 0, 0, 0, 0, RADIUS])
    wheel.set_u(state, [0, -1500.0, 0, -1500.0 * RADIUS, 0, 0])

    final = simulation(system, "fixed steps").run(state, until=0.02).final_state

    assert_allclose(wheel.u(final), wheel.u(state), rtol=0, atol=1e-4)


@pytest.mark.slow
@each_scheme
def test_an_fmu_says_the_same(tmp_path, scheme):
    system, _ = on_floor(Cylinder(RADIUS, 0.01), 0.01)
    options = {"integrator": "velocity_level", "step": 1e-3} if scheme == "fixed steps" else {}
    file = FmuFile(mb.export_fmu(system, tmp_path / "coin.fmu", inputs=[], outputs=["coin.q"], **options))

    with (
        pytest.raises(FmuError, match=r"contact 'floor\.rim_0' lies flat, .* points that are fixed on it \(points=4;"),
        start(file) as instance,
    ):
        instance.step(0.0, 0.1)
