"""Every real parameter of every force has a default, a value in a State, and a name in an FMU."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mobod import Stage
from mobod.errors import InputError, StateError
from tests.laws.mechanisms import FORCES, random_mechanism

# these have methods of their own names, tested by themselves
WITH_OWN_METHODS = ("Gravity", "DiscreteForces", "HuntCrossleyForce", "CompliantContact", "ElasticFoundationForce")
NAMED = [name for name in FORCES if name not in WITH_OWN_METHODS]


@pytest.fixture(scope="module")
def mechanism():
    return random_mechanism(14, n_bodies=4)


def another(parameter, value):
    """A valid value of the parameter that differs from the current one; a bound moves away from zero, so that its range stays one."""
    change = np.linspace(0.25, 0.5, num=max(1, value.size)).reshape(value.shape) if value.shape else 0.25
    return value - change if parameter.is_bound and value < 0 else value + change


def parameters(mechanism, name):
    force = mechanism.forces[name]
    return [(force, parameter, np.array(getattr(force, f"default_{parameter.name}"))) for parameter in force.parameters]


@pytest.mark.parametrize("name", NAMED)
def test_setting_a_parameter_changes_only_its_state_and_catalogue_entry(mechanism, name):
    system = mechanism.system
    for force, parameter, default in parameters(mechanism, name):
        state, other = system.realize_topology(), system.realize_topology()
        assert_array_equal(getattr(force, parameter.name)(state), default)
        system.realize(state, Stage.REPORT)
        value = another(parameter, default)

        assert getattr(force, f"set_{parameter.name}")(state, value) is force
        assert state.stage == Stage.VELOCITY
        assert_array_equal(getattr(force, parameter.name)(state), value)
        assert_array_equal(system.value(state, system.variable(state, f"{force.name}.{parameter.name}")), value)
        assert_array_equal(getattr(force, parameter.name)(other), default)


@pytest.mark.parametrize("name", NAMED)
def test_setting_the_same_value_changes_nothing(mechanism, name):
    state = mechanism.system.realize_topology()
    mechanism.system.realize(state, Stage.REPORT)
    for force, parameter, default in parameters(mechanism, name):
        getattr(force, f"set_{parameter.name}")(state, default)
        assert state.stage == Stage.REPORT


@pytest.mark.parametrize("name", NAMED)
def test_a_read_array_is_an_independent_copy(mechanism, name):
    for force, parameter, default in parameters(mechanism, name):
        if default.shape:
            state = mechanism.system.realize_topology()
            for read in (getattr(force, parameter.name)(state), getattr(force, f"default_{parameter.name}")):
                read[:] = 99.0
            assert_array_equal(getattr(force, parameter.name)(state), default)
            assert_array_equal(getattr(force, f"default_{parameter.name}"), default)


@pytest.mark.fast(11)
@pytest.mark.parametrize("name", NAMED)
def test_a_default_is_topological(mechanism, name):
    for force, parameter, default in parameters(mechanism, name):
        state, value = mechanism.system.realize_topology(), another(parameter, default)
        assert getattr(force, f"set_default_{parameter.name}")(value) is force
        with pytest.raises(StateError, match="the topology of System 'mechanism 14' changed"):
            getattr(force, parameter.name)(state)
        assert_array_equal(getattr(force, parameter.name)(mechanism.system.realize_topology()), value)


@pytest.mark.parametrize("name", NAMED)
def test_an_invalid_parameter_value_is_refused_by_name(mechanism, name):
    state = mechanism.system.realize_topology()
    for force, parameter, default in parameters(mechanism, name):
        wrong = [np.full(default.shape, np.nan), np.zeros((*default.shape, 2)), "strong"]
        wrong += [default * 0 - 0.5] * (parameter.least is not None)
        for value in wrong:
            for put in (
                lambda value, force=force, parameter=parameter: getattr(force, f"set_default_{parameter.name}")(value),
                lambda value, force=force, parameter=parameter: getattr(force, f"set_{parameter.name}")(state, value),
            ):
                with pytest.raises(InputError, match=f"'{force.name}.{parameter.name}'"):
                    put(value)
        assert_array_equal(getattr(force, parameter.name)(state), default)


@pytest.mark.parametrize("name", NAMED)
def test_the_methods_of_a_parameter_have_names_and_docstrings(mechanism, name):
    for force, parameter, _ in parameters(mechanism, name):
        for method in (parameter.name, f"set_{parameter.name}", f"set_default_{parameter.name}"):
            assert getattr(force, method).__name__ == method
            assert getattr(force, method).__doc__
        assert getattr(type(force), f"default_{parameter.name}").__doc__
