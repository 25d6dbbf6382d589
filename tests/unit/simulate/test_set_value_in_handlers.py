"""Variables set by their catalogue names in event handlers: the same effect as the elements' setters, on all backends."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod import measures
from mobod.compilation.source.model_source import generate
from mobod.errors import ElementError, EventError, InputError, RecordingError, UnknownNameError
from mobod.scalar import where


def driven(handle, recordable=True):
    """A pin with a motor, a spring and a measure 'gain', which a handler sets every 0.1 s; (system, state).

    handle  (system, elements, state) -> None
    """
    system = mb.MultibodySystem("driven")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mass = mb.MassProperties(mass=1.3, com=[0.2, 0.1, 0], inertia=mb.Inertia.sphere(mass=1.3, radius=0.3).shifted([0.2, 0.1, 0]))
    pin = mb.Pin(matter.ground, mb.RigidBody(mass), name="pin")
    motor = mb.MobilityForce(forces, pin, name="motor")
    spring = mb.MobilityLinearSpring(forces, pin, stiffness=3.0, name="spring")
    gain = measures.Variable(system, 0.5, name="gain")
    elements = {"pin": pin, "motor": motor, "spring": spring, "gain": gain}
    mb.PeriodicEventHandler.of(system, 0.1, lambda s, e: handle(system, elements, s), name="driver", recordable=recordable)
    return system, system.realize_topology()


def by_elements(system, elements, state):
    pin, motor, spring, gain = elements.values()
    gain.set_value(state, gain.value(state) + 0.25)
    motor.set_force(state, -2.0 * pin.q(state)[0] + gain.value(state))
    spring.set_stiffness(state, where(state.time > 0.15, 1.5, 3.0))
    state.set(system.events.event("driver").handle(state, "enabled"), state.time < 0.35)
    pin.set_u(state, 0.5 * pin.u(state))


def by_names(system, elements, state):
    def value(name):
        return system.value(state, system.variable(state, name))[()]

    system.set_value(state, "gain.value", value("gain.value") + 0.25)
    system.set_value(state, "motor.force", -2.0 * value("pin.q").item() + value("gain.value"))
    system.set_value(state, "spring.stiffness", where(state.time > 0.15, 1.5, 3.0))
    system.set_value(state, "driver.enabled", state.time < 0.35)
    system.set_value(state, "pin.u", 0.5 * value("pin.u").item())


@pytest.mark.fast(2)
@pytest.mark.parametrize(("backend", "recordable"), [("interpreted", True), ("interpreted", False), ("compiled", True)])
def test_setting_by_name_matches_the_elements_setters(backend, recordable):
    found = []
    for handle in (by_elements, by_names):
        system, state = driven(handle, recordable)
        final = mb.Simulation(system, backend=backend).run(state, until=0.55).final_state
        found.append(np.array([*final.y, *(system.value(final, system.variable(final, name)).item() for name in WATCHED)]))
    assert_array_equal(found[0], found[1])
    assert found[0][-2:].tolist() == [1.5, 0.0]  # the stiffness that the handler set, and that the handler has disabled itself


WATCHED = ["gain.value", "motor.force", "spring.stiffness", "driver.enabled"]


def test_an_fmu_has_the_same_c_code_for_both_ways_of_setting():
    texts = [generate(*driven(handle)).source([]) for handle in (by_elements, by_names)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("handle", "error", "message"),
    [
        (lambda system, of, s: system.set_value(s, "motor.forc", s.time), UnknownNameError, "motor.force"),
        (lambda system, of, s: system.set_value(s, "pin.u_dot", s.time), UnknownNameError, "pin.u_dot"),
        (lambda system, of, s: system.set_value(s, "energy", s.time), InputError, "'energy' cannot be set: it is computed"),
        (lambda system, of, s: system.set_value(s, "motor.force", of["pin"].q(s)[[0, 0]]), InputError, "has shape"),
        (lambda system, of, s: system.set_value(s, "motor.force", np.nan), InputError, "not a finite number"),
        (lambda system, of, s: system.set_value(s, "spring.stiffness", -1.0), InputError, "the least value is 0"),
    ],
)
def test_variables_that_cannot_be_set_are_refused_by_name_without_side_effects(handle, error, message):
    for _ in range(2):  # incomplete tables of a failed attempt are not reused
        with pytest.raises(error, match=message):
            driven(handle)


def test_a_recorded_value_out_of_bounds_is_an_error_of_the_run():
    system, state = driven(lambda system, of, s: system.set_value(s, "spring.stiffness", 0.25 - s.time))
    with pytest.raises(EventError, match=r"'driver'.*-0\.05"):
        mb.Simulation(system).run(state, until=0.5)


def test_a_repeated_attempt_with_an_unrecordable_handler_gives_the_same_error():
    system, _ = driven(lambda system, of, s: None)
    mb.PeriodicEventHandler.of(system, 0.1, lambda s, e: {}[3], name="faulty")
    for _ in range(2):
        with pytest.raises(ElementError, match=r"'faulty'.*KeyError: 3"):
            system.realize_topology()


def test_a_witness_can_read_variables_by_name_but_set_none():
    system, _ = driven(lambda system, of, s: None)
    mb.TriggeredEventHandler.of(system, lambda s: system.set_value(s, "motor.force", 1.0), lambda s, e: None, name="setter")
    with pytest.raises(InputError, match=r"'motor\.force' cannot be set here: this function may only read its State"):
        system.realize_topology()


def test_reading_by_name_in_a_recorded_force_is_an_error_with_a_remedy():
    class Named(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            system.value(state, system.variable(state, "pin.q"))

    system, _ = driven(lambda system, of, s: None)
    forces = next(each for each in system.subsystems if isinstance(each, mb.ForceSubsystem))
    Named(forces, name="named")
    with pytest.raises(RecordingError, match=r"found by name only in event handlers and outside of recorded code.*body\.q\(state\)"):
        system.realize_topology()
