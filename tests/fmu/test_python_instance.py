"""An instance of the C runtime with callbacks to Python: its state after a callback fails."""

import pytest

import mobod as mb
from mobod.errors import ElementError, FmuError
from mobod.fmu.python.memory import memory_from_bytes, memory_to_bytes
from tests.fmu.python_instances import begun
from tests.fmu.users_elements import fragile_pendulum

NAMES = ("time", "upper.q", "lower.u", "der(lower.u)")


@pytest.fixture
def fragile():
    """A pendulum whose force fails from 0.35 s on, at 0.3 s; and a function that gets its values."""
    instance, references = begun(*fragile_pendulum())
    assert instance.do_step(0.0, 0.3)

    def values():
        return instance.get([references[name] for name in NAMES], "real")

    return instance, references, values


@pytest.mark.slow
def test_an_error_in_a_value_does_not_affect_the_instance(fragile):
    instance, references, values = fragile
    before = values()
    until = [references["fragile.until"]]
    instance.set(until, [0.1], "real")
    for _ in range(2):
        with pytest.raises(ElementError, match="rope is gone"):
            values()
    assert instance.get([references["upper.q"]], "real") == before[1:2]
    instance.set(until, [0.35], "real")
    assert values() == before


@pytest.mark.slow
def test_a_failed_step_changes_nothing_and_a_restored_state_continues_bit_for_bit(fragile):
    instance, _, values = fragile
    before, saved = values(), instance.save()
    with pytest.raises(ElementError, match="rope is gone"):
        instance.do_step(0.3, 0.2)
    assert values() == before
    with pytest.raises(FmuError, match="fmi2DoStep: not allowed in the mode error: restore a saved state"):
        instance.do_step(0.3, 0.02)
    instance.restore(saved)
    assert instance.do_step(0.3, 0.02)

    other, references = begun(*fragile_pendulum())
    assert other.do_step(0.0, 0.3)
    assert other.do_step(0.3, 0.02)
    assert values() == other.get([references[name] for name in NAMES], "real")


class Diary(mb.Subsystem):
    """Stores times in an object, outside of the runtime's numbers."""

    def realize_topology(self, state):
        self.times = state.allocate_discrete_variable(self, "times", (), mb.Stage.DYNAMICS)


def pushed():
    """A block that is pushed every 0.1 s, in proportion to the length of the diary; the third push fails if the block is fragile."""
    system = mb.MultibodySystem("pushed")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    block = mb.Slider(matter.ground, mb.MassProperties.point(1.3, [0, 0, 0]), name="block")
    spring = mb.MobilityLinearSpring(forces, block, stiffness=2.0, name="spring")
    diary = Diary(system, "diary")

    def push(state, event):
        times = (*state.get(diary.times), state.time)
        state.set(diary.times, times)
        if len(times) == 3 and spring.stiffness(state) > 5:
            raise ValueError("the third page is torn")
        block.set_u(state, block.u(state) + 0.1 * len(times))

    mb.PeriodicEventHandler.of(system, 0.1, push, name="push", recordable=False)
    return system, system.realize_topology()


@pytest.mark.slow
def test_a_saved_state_contains_variables_that_are_not_numeric():
    instance, references = begun(*pushed())
    names = [references[name] for name in ("block.q", "block.u")]
    assert instance.do_step(0.0, 0.15)
    saved, ends = instance.save(), []
    for restored in (saved, memory_from_bytes(memory_to_bytes(saved), instance.state.system)):
        instance.restore(restored)
        assert instance.do_step(0.15, 0.2)
        ends.append(instance.get(names, "real"))
    assert ends[0] == ends[1]
    first, _ = begun(*pushed())
    assert first.do_step(0.0, 0.15)
    assert first.do_step(0.15, 0.2)
    assert first.get(names, "real") == ends[0]


@pytest.mark.slow
def test_a_failed_step_restores_variables_that_are_not_numeric():
    instance, references = begun(*pushed())
    (times,) = [each for each in instance.state.discrete_variables if each.name == "times"]
    assert instance.do_step(0.0, 0.05)
    before = instance.state.get(times)
    assert before == (0.0,)
    instance.set([references["spring.stiffness"]], [7.0], "real")
    with pytest.raises(ElementError, match="the third page is torn"):
        instance.do_step(0.05, 0.2)
    assert instance.state.get(times) == before
