"""An instance of the C runtime that calls back what runs as Python: what is left when that fails."""

import pytest

from mobod.errors import ElementError, FmuError
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


def test_a_value_that_fails_is_an_error_and_no_more(fragile):
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


def test_a_step_that_fails_leaves_what_was_before_it_and_a_restored_state_goes_on_to_the_bit(fragile):
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
