"""Runs of all kinds have one driver: they begin alike, and the same failure has the same words."""

import warnings

import numpy as np
import pytest

import mobod as mb
from mobod.errors import IntegrationError, MobodError


@pytest.fixture(scope="module")
def shaken():
    """A cart on a stiff spring, from which it is far: System, State."""
    system = mb.MultibodySystem("shaken")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    cart = mb.Slider(matter.ground, mb.MassProperties.point(1.3, [0, 0, 0]), name="cart")
    mb.MobilityLinearSpring(forces, cart, stiffness=4e4, name="spring")
    state = system.realize_topology()
    cart.set_q(state, 0.7)
    return system, state


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_steps": 5}, "5 steps were tried"),
        ({"integrator": "RK4", "step": 0.1}, "the motion diverges. The speed 'cart.u' has reached"),
        ({"integrator": "velocity_level", "step": 0.1}, "the motion diverges. The speed 'cart.u' has reached"),
    ],
)
def test_a_failure_has_the_same_words_in_each_kind_of_run(shaken, options, words):
    system, state = shaken
    simulation, until = mb.Simulation(system, backend="interpreted", **options), 20.0

    def stepped():
        with simulation.start(state) as run:
            run.step_to(until)

    def member():
        ensemble = mb.Ensemble(system, [state], outputs=["cart.q"], backend="interpreted", **options)
        ((_, message),) = ensemble.run(until, report_every=until).failed
        raise MobodError(message.removeprefix("run 0: "))

    def sensitivity():
        mb.sensitivities(simulation, state, ["spring.stiffness"], ["cart.q"], until=until)

    with pytest.raises(IntegrationError) as expected:
        simulation.run(state, until, report_every=until)
    assert words in str(expected.value)
    for kind in (stepped, member, sensitivity):
        with pytest.raises(MobodError) as raised:
            kind()
        assert str(raised.value) == str(expected.value), kind.__name__


@pytest.mark.parametrize("options", [{}, {"integrator": "velocity_level", "step": 0.01}])
def test_each_kind_of_run_begins_from_the_same_projected_start(options):
    system = mb.MultibodySystem("loop")
    matter = mb.MatterSubsystem(system)
    first = mb.Slider(matter.ground, mb.MassProperties.point(1.1, [0, 0, 0]), name="first")
    second = mb.Slider(matter.ground, mb.MassProperties.point(0.4, [0, 0, 0]), name="second")
    mb.CoordinateCoupler(matter, mb.functions.Linear([1.0, -2.0, 0.3]), [first, second], [0, 0], name="gear")
    state = system.realize_topology()
    first.set_q(state, 0.25)  # the gear asks for other coordinates
    simulation, found = mb.Simulation(system, backend="interpreted", **options), []
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        found.append(simulation.run(state, 0.0).y[0])
        with simulation.start(state) as run:
            found.append(run.state.y)
        found.append(mb.Ensemble(system, [state], backend="interpreted", **options).run(0.0).final_states[0].y)
        sensitivities = mb.sensitivities(simulation, state, ["second.u"], ["first.q", "second.q"], until=0.01)
    (changes,) = {str(each.message).partition("the start at ")[2] for each in issued}
    assert "did not satisfy the constraints" in changes
    for y in found[1:]:
        np.testing.assert_array_equal(y, found[0])
    np.testing.assert_allclose(sensitivities.values[0], found[0][:2], rtol=1e-14)
