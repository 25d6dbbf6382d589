"""Values of measures of time, of numbers and of other measures."""

import copy
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import measures
from mobod.errors import DuplicateNameError, InputError, StageError
from mobod.system.measures.units import per_second, times_second


@pytest.fixture
def system():
    return mb.System("clockwork")


def realized(system, time=0.0):
    state = system.realize_topology()
    state.time = time
    system.realize(state)
    return state


def test_given_values_can_be_read(system):
    number = measures.Constant(system, 2.5, unit="m")
    table = measures.Constant(system, [[1.0, -2.0, 0.5], [4.0, 3.0, 7.0]], name="table")
    state = system.realize_topology()
    assert number.value(state) == 2.5
    assert_array_equal(table.value(state), [[1.0, -2.0, 0.5], [4.0, 3.0, 7.0]])
    assert_array_equal(system.value(state, system.variable(state, "table.value")), table.value(state))


def test_a_variable_can_be_set_in_a_state_and_in_new_states(system):
    gain = measures.Variable(system, [0.5, 0.25], unit="N", name="gain", invalidates=mb.Stage.VELOCITY)
    state = realized(system)
    gain.set_value(state, [1.5, -1.0])
    assert state.stage == mb.Stage.POSITION
    assert_array_equal(gain.value(state), [1.5, -1.0])
    system.set_value(state, "gain.value", [2.0, 3.0])
    assert_array_equal(gain.value(state), [2.0, 3.0])
    with pytest.raises(InputError, match="'gain' cannot be"):
        gain.set_value(state, [np.nan, 1.0])

    gain.set_default_value([7.0, 8.0])
    assert_array_equal(gain.value(system.realize_topology()), [7.0, 8.0])
    assert_array_equal(gain.default_value, [7.0, 8.0])


@pytest.mark.parametrize("as_text", [False, True])
def test_a_sinusoid_follows_time_and_can_be_tuned(system, as_text):
    system.as_text = as_text
    wave = measures.Sinusoid(system, 2.0, 3.0, 0.4, unit="m", name="wave")
    time = measures.Time(system)
    state = realized(system, 0.7)
    assert time.value(state) == 0.7
    assert_allclose(wave.value(state), 2.0 * np.sin(3.0 * 0.7 + 0.4), rtol=1e-15)

    system.set_value(state, "wave.frequency", 5.0)
    wave.set_parameter(state, "amplitude", 1.5)
    system.realize(state)
    assert_allclose(wave.value(state), 1.5 * np.sin(5.0 * 0.7 + 0.4), rtol=1e-15)
    assert wave.parameter(state, "frequency") == 5.0
    assert wave.default_parameter("frequency") == 3.0
    with pytest.raises(InputError, match=r"measure 'wave' \(Sinusoid\) has no parameter 'rate'. It has: \['amplitude', 'frequency'"):
        wave.parameter(state, "rate")
    wave.set_default_parameter("phase", -0.4)
    assert wave.parameter(system.realize_topology(), "phase") == -0.4


def test_sums_differences_and_multiples_are_elementwise(system):
    a = measures.Constant(system, [1.0, 2.0], unit="m")
    b = measures.Custom(system, lambda state: np.array([np.cos(state.time), state.time]), shape=(2,), stage=mb.Stage.TIME, unit="m")
    state_measures = [measures.Plus(system, a, b), measures.Minus(system, a, b), measures.Scale(system, -3.0, b, name="scaled")]
    state = realized(system, 0.3)
    one, expected = np.array([1.0, 2.0]), np.array([np.cos(0.3), 0.3])
    for measure, value in zip(state_measures, (one + expected, one - expected, -3 * expected), strict=True):
        assert_allclose(measure.value(state), value, rtol=1e-15)
        assert measure.units == ("m",)
    system.set_value(state, "scaled.factor", 2.0)
    system.realize(state)
    assert_allclose(state_measures[2].value(state), 2 * expected, rtol=1e-15)


def test_incompatible_operands_are_refused(system):
    length, time = measures.Constant(system, 1.0, unit="m", name="length"), measures.Time(system, name="time now")
    with pytest.raises(InputError, match=r"Plus: 'length' and 'time now' differ in their unit: \('m',\) and \('s',\)"):
        measures.Plus(system, length, time)
    assert measures.Plus(system, length, time, unit="1").units == ("1",)
    with pytest.raises(InputError, match=r"Minus: .* differ in their shape"):
        measures.Minus(system, length, measures.Constant(system, [1.0], unit="m"))
    with pytest.raises(InputError, match="Scale takes a measure, not float"):
        measures.Scale(system, 2.0, 3.0)
    with pytest.raises(InputError, match="Integrate: measure 'length' belongs to System 'clockwork', not to 'another'"):
        measures.Integrate(mb.System("another"), length)
    with pytest.raises(DuplicateNameError, match=r"the name 'length' is taken by a measure \(Constant\)"):
        measures.Time(system, name="length")
    with pytest.raises(InputError, match="has one unit, or one for each entry"):
        measures.Constant(system, [1.0, 2.0, 3.0], unit=("m", "rad"))
    with pytest.raises(InputError, match="its stage is one from INSTANCE to REPORT, not MODEL"):
        measures.Custom(system, lambda state: state.time, stage=mb.Stage.MODEL)


def test_a_value_is_not_available_before_its_stage(system):
    wave = measures.Sinusoid(system, 2.0, 3.0, name="wave")
    state = system.realize_topology()
    with pytest.raises(StageError, match="the value of 'wave' needs a State realized to TIME; this one is at MODEL"):
        wave.value(state)


def test_a_custom_measure_may_read_measures_made_before_it(system):
    wave = measures.Sinusoid(system, 2.0, 3.0, name="wave")
    square = measures.Custom(system, lambda state: wave.value(state) ** 2, stage=mb.Stage.TIME)
    state = realized(system, 0.7)
    assert_allclose(square.value(state), wave.value(state) ** 2, rtol=1e-15)


def test_a_custom_measure_that_reads_one_made_after_it_is_refused(system):
    measures.Custom(system, lambda state: late.value(state), stage=mb.Stage.TIME, name="early")
    late = measures.Sinusoid(system, 2.0, 3.0, name="late")
    with pytest.raises(InputError, match="the function of measure 'early' reads measure 'late', which is computed after it"):
        system.realize_topology()


def test_a_custom_measure_has_the_shape_of_its_result(system):
    measures.Custom(system, lambda state: np.array([state.time, 1.0]), stage=mb.Stage.TIME, name="pair")
    with pytest.raises(InputError, match=r"the function of measure 'pair' returns what has shape \(2,\). Say so"):
        realized(system)


def test_a_copy_of_a_system_has_measures_of_its_own(system):
    wave = measures.Sinusoid(system, 2.0, 3.0, name="wave")
    doubled = measures.Custom(system, partial(_doubled, wave), stage=mb.Stage.TIME, name="doubled")
    copied = copy.deepcopy(system)
    state = realized(copied, 0.7)
    value = copied.value(state, copied.variable(state, "doubled.value"))
    wave.set_default_parameter("amplitude", 5.0)
    assert_allclose(value, 4.0 * np.sin(2.1), rtol=1e-15)
    assert_allclose(doubled.value(realized(system, 0.7)), 10.0 * np.sin(2.1), rtol=1e-15)


def _doubled(wave, state):
    return 2 * wave.value(state)


@pytest.mark.parametrize(
    ("unit", "rate"),
    [
        ("1", "1/s"),
        ("m", "m/s"),
        ("m/s", "m/s2"),
        ("m/s2", "m/s3"),
        ("N/rad", "N/(rad.s)"),
        ("N.m.s/rad", "N.m.s/(rad.s)"),
        ("1/s", "1/s2"),
        ("W/(m2.s)", "W/(m2.s2)"),
        ("kg/mol", "kg/(mol.s)"),
    ],
)
def test_the_unit_of_a_rate_is_per_second(unit, rate):
    assert per_second(unit) == rate
    assert times_second(rate) == unit


def test_seconds_and_their_integrals_have_units_too():
    assert per_second("s") == "1"
    assert times_second("1") == "s"
    assert times_second("W") == "W.s"
    assert times_second("N/rad") == "N.s/rad"
