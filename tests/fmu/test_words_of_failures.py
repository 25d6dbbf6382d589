"""An FMU's log and an error of Python name the cause of a failure by the same words, and then what can be done by their own options."""

from re import sub

import pytest

import mobod as mb
from mobod.errors import EventError, FmuError, IntegrationError
from tests.fmu.python_instances import instance_of
from tests.unit.simulate.test_delays import feedback


def outside():
    """A hinge that starts 0.05 rad above its limit."""
    system = mb.MultibodySystem("outside")
    matter = mb.MatterSubsystem(system)
    hinge = mb.Pin(matter.ground, mb.MassProperties(0.7, [0, 0, 0], mb.Inertia.sphere(mass=0.7, radius=0.1)), name="hinge")
    hinge.set_limits(-0.4, 0.9)
    state = system.realize_topology()
    hinge.set_q(state, 0.95)
    return system, state


def words_of_python(system, state):
    with pytest.raises((IntegrationError, EventError)) as caught:
        mb.Simulation(system, accuracy=1e-10).run(state, until=1.0)
    return sub(r"^(at|the integration stopped at) \S+ s:? ", "", str(caught.value))


def words_of_fmu(system, state):
    instance, _ = instance_of(system, state, outputs=[])
    instance.set_up_experiment(0.0, None, 1e-10)
    instance.enter_initialization()
    with pytest.raises(FmuError) as caught:
        _run(instance)
    return sub(r"(?s).*at time \S+ s ", "", str(caught.value))


def _run(instance):
    instance.exit_initialization()
    instance.do_step(0.0, 1.0)


@pytest.mark.parametrize(
    ("make", "cause", "of_python", "of_fmu"),
    [
        (lambda: feedback(capacity=10), r"delay 'felt late' is full", "accuracy", "Export the model again"),
        (outside, r"'hinge.upper_limit' is outside its limit: its distance is -0.05 rad", "and its limit is 0.9 rad", ""),
    ],
    ids=["full record", "outside"],
)
def test_python_and_an_fmu_have_the_same_words_for_a_cause_and_their_own_for_what_to_do(make, cause, of_python, of_fmu):
    python, fmu = words_of_python(*make()), words_of_fmu(*make())

    n_common = next((i for i, (a, b) in enumerate(zip(python, fmu, strict=False)) if a != b), min(len(python), len(fmu)))
    common = python[:n_common]
    assert cause in common
    assert common.rstrip().endswith(".")  # whole sentences
    assert of_python in python.removeprefix(common)
    assert of_fmu in fmu.removeprefix(common)
