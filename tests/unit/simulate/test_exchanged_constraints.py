"""Handlers that exchange constraints: velocities change as in an impact without restitution, weighted by the masses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import EventError

WIDTH, HEIGHT, MASS = 0.2, 0.5, 1.7  # m, kg: of a block that turns about one lower corner, then about the other
FALLING, RATE = 0.01, -1.0  # rad above the floor, rad/s


def pinned(matter, body, x, number=0, **options):
    """Keeps the lower corner of the block at x (from its middle) where it is when the block stands."""
    corner = np.array([x, -HEIGHT / 2, 0.0])
    directions = {"along": [1.0, 0.0, 0.0], "up": [0.0, 1.0, 0.0]}
    return [
        mb.PointInPlane(matter.ground, direction, corner @ direction, body, corner, name=f"corner {x:+g} {name} {number}", **options)
        for name, direction in directions.items()
    ]


def block(action, *, recordable=True, n_second=1):
    """(system, state, body); action: what the handler calls after exchanging the corners; n_second: how often the new one is pinned."""
    system = mb.MultibodySystem("block")
    matter = mb.MatterSubsystem(system)
    size = [WIDTH, HEIGHT, WIDTH]
    body = mb.Planar(matter.ground, mb.MassProperties(MASS, [0, 0, 0], mb.Inertia.box(mass=MASS, size=size)), name="block")
    first = pinned(matter, body, -WIDTH / 2)
    second = [each for number in range(n_second) for each in pinned(matter, body, WIDTH / 2, number, disabled=True)]

    def exchange(state, event):
        for constraint in first:
            constraint.disable(state)
        for constraint in second:
            constraint.enable(state)
        if action == "project":
            event.project()
        elif action == "apply_impulse":
            event.apply_impulse(second[0])

    options = {} if recordable else {"recordable": False, "sets": [f"{each.name}.disabled" for each in (*first, *second)]}
    mb.TriggeredEventHandler.of(system, lambda state: body.q(state)[0], exchange, direction="falling", name="exchange", **options)
    state = system.realize_topology()
    arm = np.array([[np.cos(FALLING), -np.sin(FALLING)], [np.sin(FALLING), np.cos(FALLING)]]) @ [WIDTH / 2, HEIGHT / 2]
    body.set_q(state, [FALLING, *(arm - [WIDTH / 2, HEIGHT / 2])])
    body.set_u(state, [RATE, -RATE * arm[1], RATE * arm[0]])
    return system, state, body


@pytest.mark.parametrize("action", ["project", "apply_impulse", "nothing"])
@pytest.mark.parametrize("recordable", [True, False])
def test_a_block_with_a_new_pivot_keeps_its_angular_momentum_about_it(action, recordable):
    """Only the new corner exerts an impulse. About it I_c w + m (r x v) before, with v = w x r_old, equals (I_c + m r^2) w_new."""
    central, squared = MASS * (WIDTH**2 + HEIGHT**2) / 12, (WIDTH**2 + HEIGHT**2) / 4
    expected = RATE * (central + MASS * (HEIGHT**2 - WIDTH**2) / 4) / (central + MASS * squared)  # -0.98 rad/s with unit weights
    system, state, body = block(action, recordable=recordable)
    results = mb.Simulation(system, 1e-10, backend="interpreted").run(state, until=2 * FALLING)
    (event,) = results.events
    final = results.final_state
    system.realize(final)
    # without gravity the rate stays constant; 100 times the accuracy of a step
    assert_allclose(body.u(final)[0], expected, rtol=1e-8)
    assert_allclose(event.y_before[3], RATE, rtol=1e-8)
    if action != "nothing":
        assert_allclose(event.y_after[3:], expected * np.array([1.0, -HEIGHT / 2, -WIDTH / 2]), rtol=1e-8)


def test_redundant_rows_do_not_change_the_impulse():
    once, twice = (
        mb.Simulation(system, 1e-10, backend="interpreted").run(state, until=1.5 * FALLING).y[-1]
        for system, state, _ in (block("project", n_second=n) for n in (1, 2))
    )
    assert_allclose(twice, once, atol=1e-12)  # round-off


def test_speeds_change_by_least_kinetic_energy_with_known_motion():
    """M du + G^T impulse = 0 by the State's mass matrix and constraint matrix, for the speeds that the motion leaves free."""
    system = mb.MultibodySystem("linkage")
    matter = mb.MatterSubsystem(system)
    mass = mb.MassProperties(mass=1.3, com=[0, -0.4, 0], inertia=[[0.5, 0, 0], [0, 0.2, 0], [0, 0, 0.6]])
    driven = mb.Slider(matter.ground, mass, name="driven")
    mb.SteadyMotion(driven, 0.3)
    upper = mb.Pin(driven, mass, name="upper")
    lower = mb.Universal(upper, mass, X_PF=mb.Transform(p=[0, -1, 0]), name="lower")
    held = [mb.ConstantSpeed(lower, which, speed, name=f"held {which}", disabled=True) for which, speed in ((0, -0.7), (1, 0.2))]

    def hold(state, event):
        for constraint in held:
            constraint.enable(state)
        event.project()

    mb.TriggeredEventHandler.of(system, lambda state: driven.q(state)[0] - 0.03, hold, name="hold")
    state = system.realize_topology()
    upper.set_q(state, -0.4)
    lower.set_q(state, [0.2, 0.1])
    upper.set_u(state, 3.0)
    lower.set_u(state, [1.0, 0.4])
    (event,) = mb.Simulation(system, 1e-8, backend="interpreted").run(state, until=0.11).events

    state.y = event.y_before
    for constraint in held:
        constraint.enable(state)
    system.realize(state, mb.Stage.DYNAMICS)
    M, G = matter.mass_matrix(state)[1:, 1:], matter.constraint_matrix(state)[:, 1:]
    impulse = np.linalg.solve(G @ np.linalg.solve(M, G.T), matter.constraint_velocity_errors(state))
    n_q = state.layout.n_q
    change = event.y_after - event.y_before
    assert_array_equal(change[: n_q + 1], 0)
    assert_allclose(change[n_q + 1 :], -np.linalg.solve(M, G.T @ impulse), atol=1e-9)  # the constraint tolerance
    assert np.abs(change[n_q + 1]) > 1e-3  # rad/s, of the pin, which is in no constraint


def test_a_new_constraint_that_cannot_stop_the_motion_is_an_error():
    """The handler enables a constraint of a coordinate that a motion drives."""
    system = mb.MultibodySystem("driven")
    matter = mb.MatterSubsystem(system)
    slider = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="slider")
    mb.SteadyMotion(slider, 0.5)
    stop = mb.ConstantSpeed(slider, 0, 0.0, name="stop", disabled=True)
    mb.TriggeredEventHandler.of(system, lambda state: slider.q(state)[0] - 0.1, lambda state, event: stop.enable(state), name="stopping")
    with pytest.raises(EventError, match=r"stopping.*does not satisfy constraint 'stop', and the projection leaves an error of 0\.5"):
        mb.Simulation(system, backend="interpreted").run(system.realize_topology(), until=1.0)
