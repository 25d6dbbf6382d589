"""The name of one number is understood at every door."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.errors import InputError


@pytest.fixture(scope="module")
def spun():
    """A body that spins and flies, and a pendulum on it: Simulation, State, Results."""
    system = mb.MultibodySystem("spun")
    mass = mb.MassProperties(1.3, [0.1, 0, 0], np.diag([0.4, 0.5, 0.6]))
    free = mb.Free(mb.MatterSubsystem(system).ground, mass, name="free")
    mb.Pin(free, mass, name="pin")
    state = system.realize_topology()
    free.set_u(state, [0.3, 0.2, -0.1, 0.5, 0.4, 0.6])
    simulation = mb.Simulation(system, backend="interpreted")
    return simulation, state, simulation.run(state, 0.1, 0.05)


NAMES = ["free.q[2]", "free.R_GB[1,3]", "free.R_GB[3]", "der(free.q[2])", "der(free.q)[2]", "pin.q[1]", "der(pin.u)[1]"]
WHOLE = {"free.q[2]": ("free.q", 1), "free.R_GB[1,3]": ("free.R_GB", 2), "free.R_GB[3]": ("free.R_GB", 2)}
WHOLE |= {"der(free.q[2])": ("der(free.q)", 1), "der(free.q)[2]": ("der(free.q)", 1)}


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_one_number_gives_it_in_results_and_in_stepped_runs(spun, name):
    simulation, state, results = spun
    whole, entry = WHOLE.get(name, (name.replace("[1]", ""), None))
    expected = results[whole] if entry is None else results[whole][:, entry]
    assert_array_equal(results[name], expected)
    assert_array_equal(results.table(name)[name], expected)
    assert name in results
    assert simulation.start(state)[name] == expected[0]


@pytest.mark.parametrize("name", ["free.q[2]", "der(free.q[2])", "der(free.q)[2]", "pin.q[1]"])
def test_linear_systems_and_sensitivities_understand_it_and_give_the_printed_name(spun, name):
    simulation, state, _ = spun
    printed = {"der(free.q)[2]": "der(free.q[2])", "pin.q[1]": "pin.q"}.get(name, name)
    assert state.system.linearize(state, outputs=[name]).outputs == (printed,)
    assert mb.sensitivities(simulation, state, ["free.u[1]"], [name], until=0.01).outputs == [printed]


@pytest.mark.parametrize(
    "name", ["free.q[02]", "free.q[8]", "free.q[0]", "der(free.q[8])", "pin.q[2]", "free.R_GB[4,1]", "free[1]", "free.q[2"]
)
def test_numbers_that_are_not_there_are_refused_at_each_door(spun, name):
    simulation, state, results = spun
    assert name not in results
    doors = [
        lambda: results[name],
        lambda: results.table(name),
        lambda: simulation.start(state)[name],
        lambda: state.system.linearize(state, outputs=[name]),
        lambda: mb.sensitivities(simulation, state, ["free.u[1]"], [name], until=0.01),
    ]
    for door in doors:
        with pytest.raises(InputError, match=r"free|pin"):
            door()
