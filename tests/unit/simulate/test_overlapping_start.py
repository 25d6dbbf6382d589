"""Starts in which shapes overlap: fixed steps refuse them, as error control does, but not what an earlier fixed step has left."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import EventError

STEP = 0.002


def crate(height):
    """A box of half height 0.1 m above a floor."""
    system = mb.MultibodySystem("crate")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    body = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[0.4, 0.3, 0.2])), name="crate")
    box = mb.contact.Box([0.2, 0.15, 0.1])
    floor = mb.RigidContact(matter.ground, mb.contact.HalfSpace(), body, box, static_friction=0.6, name="floor")
    body.set_default_q([1, 0, 0, 0, 0, 0, height])
    return system, body, floor


def simulation(system):
    return mb.Simulation(system, integrator="velocity_level", step=STEP)


def test_a_start_that_overlaps_is_refused_with_the_contact_and_the_depth():
    system, *_ = crate(0.05)

    with pytest.raises(
        EventError, match=r"^at 0 s contact 'floor\.corner_0' overlaps: its distance is -0\.05 m, .* Move the bodies apart, "
    ):
        simulation(system).run(system.realize_topology(), until=0.1)


@pytest.mark.parametrize(
    "options", [{"integrator": "velocity_level", "step": STEP}, {"accuracy": 1e-6}], ids=["fixed steps", "error control"]
)
def test_of_several_that_overlap_the_deepest_is_named(options):
    """A crate that is lifted by that depth has a start that is accepted."""
    system, body, _ = crate(0.05)
    state = system.realize_topology()
    turned = np.array([np.cos(0.05), 0.03, np.sin(0.05), 0, 0, 0, 0.05])
    body.set_q(state, turned)

    with pytest.raises(EventError, match=r"'floor\.corner_4' .* its distance is -0\.0782504268 m"):
        mb.Simulation(system, **options).run(state, until=STEP)
    body.set_q(state, np.add(turned, [0, 0, 0, 0, 0, 0, 0.0782504269]))
    mb.Simulation(system, **options).run(state, until=STEP)


@pytest.mark.parametrize(("depth", "is_refused"), [(9.9e-4, False), (1.01e-3, True)])
def test_fixed_steps_allow_ten_tolerances(depth, is_refused):
    system, body, floor = crate(0.1 - depth)
    floor.tolerance = 1e-4
    state = system.realize_topology()

    if is_refused:
        with pytest.raises(EventError, match="overlaps"):
            simulation(system).run(state, until=STEP)
    else:
        height = body.q(simulation(system).run(state, until=0.1).final_state)[6]
        assert_allclose(height, 0.1 - 0.25e-4, rtol=0, atol=1e-8)  # corrected to a quarter of the tolerance


def test_a_run_goes_on_from_the_depth_that_the_last_step_has_left():
    system, body, floor = crate(0.099)
    floor.tolerance = 1.1e-3
    rest = simulation(system).run(system.realize_topology(), until=0.1).final_state
    assert_allclose(body.q(rest)[6], 0.099, rtol=0, atol=1e-6)

    floor.tolerance = 1e-5
    body.set_u(rest, [0, 0, 0, 0.1, 0, 0])
    results = simulation(system).run(rest, until=0.1 + 2 * STEP)

    assert np.isfinite(results["crate.q"]).all()


def test_limits_of_joints_are_reached_with_a_warning():
    system = mb.MultibodySystem("door")
    door = mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.0, [0.3, 0, 0]), name="door")
    door.set_limits(-0.5, 1.0)
    state = system.realize_topology()
    door.set_q(state, 1.2)

    with pytest.warns(mb.MobodWarning, match=r"was outside of its limits, and was changed: 'door\.q' from 1\.2 to 1\.0001 rad\."):
        final = simulation(system).run(state, until=STEP).final_state

    assert_allclose(door.q(final), 1.0, rtol=0, atol=1e-3)
