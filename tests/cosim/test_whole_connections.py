"""Connections of vectors and ports as a whole, with units, gains and offsets."""

import numpy as np
import pytest
from fmpy.model_description import Unit
from numpy.testing import assert_array_equal

import mobod as mb
from mobod import errors
from mobod.cosim import Master, Network, PythonComponent, Signal
from mobod.cosim.connections.unit_conversion import UnitConversion, conversion
from mobod.cosim.connections.unit_names import unit_named, unit_of_fmu
from mobod.errors import UnknownNameError
from tests.cosim.cut_pendulum import RECORDED, add, half, pendulum


@pytest.mark.parametrize(("upper", "lower"), [("2.0", "3.0"), ("System", "2.0"), ("3.0", "System")])
def test_a_port_connects_to_an_input_motion_as_its_vectors_do_and_is_a_bond(halves, upper, lower):
    network = Network()
    add(network, halves, upper, "upper")
    add(network, halves, lower, "lower")
    connections = network.connect("lower.elbow.motion", "upper.elbow")
    by_vector = pendulum(halves, upper, lower).network
    assert {(str(each.source), str(each.target)) for each in connections} == {
        (str(each.source), str(each.target)) for each in by_vector.connections
    }
    (bond,) = network.bonds
    assert [str(each.source) for each in bond.efforts] == [f"lower.elbow.motion.load[{k}]" for k in (1, 2, 3)]
    assert [str(each.target) for each in bond.flows] == [f"lower.elbow.motion.u[{k}]" for k in (1, 2, 3)]


def test_a_run_of_connected_ports_is_that_of_connected_vectors(halves):
    whole = Network()
    add(whole, halves, "System", "upper")
    add(whole, halves, "3.0", "lower")
    whole.connect("upper.elbow", "lower.elbow.motion")
    by_vector = pendulum(halves, "System", "3.0").run(until=0.05, outputs=RECORDED)
    results = Master(whole, step=0.01, tolerance=1e-9).run(until=0.05, outputs=RECORDED)
    for name in RECORDED:
        assert_array_equal(results[name], by_vector[name])


def test_a_port_that_lacks_a_motion_or_meets_a_port_or_a_variable_is_refused(halves, tmp_path):
    network = Network()
    network.add(mb.export_fmu(half("upper"), tmp_path / "upper.fmu", inputs=["elbow.force"], outputs=["elbow.p_GF"]), "upper")
    add(network, halves, "System", "lower")
    add(network, halves, "System", "upper", "other")
    for source, target, message in [
        ("upper.elbow", "lower.elbow.motion", r"'lower.elbow.motion' takes v_GF\[1\], .* which 'upper.elbow' does not give"),
        ("upper.elbow", "other.elbow", "no output of one is an input of the other"),
        ("other.elbow", "lower.elbow.motion.q", "'other.elbow' is a port, and 'lower.elbow.motion.q' is none"),
    ]:
        with pytest.raises(errors.ConnectionError, match=message):
            network.connect(source, target)
    with pytest.raises(errors.ConnectionError, match="take no gain"):
        network.connect("other.elbow", "lower.elbow.motion", gain=2.0)
    with pytest.raises(UnknownNameError, match="Did you mean 'elbow'"):
        network.connect("upper.elbo", "lower.elbow.motion")
    assert not network.connections


def test_a_vector_of_a_mechanism_becomes_the_array_of_a_function_in_its_unit(halves):
    target = PythonComponent(
        lambda t, v: {"seen": v["target"], "turn": v["angle"]},
        inputs={"target": Signal(start=np.zeros(3), unit="mm"), "angle": "deg"},
        outputs={"seen": Signal(start=np.zeros(3), unit="mm"), "turn": "deg"},
    )
    network = Network()
    add(network, halves, "2.0", "upper")
    network.add(target, "b")
    network.connect("upper.elbow.p_GF", "b.target", gain=[1.0, -2.0, 1.0], offset=[0.0, 0.0, 5.0])
    network.connect("upper.upper.q", "b.angle")
    results = Master(network, step=0.01).run(until=0.02, outputs=["upper.elbow.p_GF", "upper.upper.q", "b.seen", "b.turn"])
    np.testing.assert_allclose(results["b.seen"][0], [1e3, -2e3, 1e3] * results["upper.elbow.p_GF"][0] + [0, 0, 5], rtol=1e-14)
    np.testing.assert_allclose(results["b.turn"][0], np.rad2deg(results["upper.upper.q"][0]), rtol=1e-14)
    assert [each.change for each in network.connections] == [
        "m to mm, times 1000",
        "m to mm, times -2000",
        "m to mm, times 1000 plus 5",
        "rad to deg, times 57.2958",
    ]


def test_temperatures_are_converted_with_their_zero_and_differences_without():
    network = Network()
    network.add(PythonComponent(lambda t, v: {"T": 20.5}, outputs={"T": "degC"}), "a")
    network.add(PythonComponent(lambda t, v: v["T"], inputs={"T": "K"}, outputs={"seen": "K"}), "b")
    connection = network.connect("a.T", "b.T")
    assert connection.taken(20.5) == 20.5 + 273.15


def test_matrices_of_equal_shape_connect_by_rows_and_gains_need_real_numbers():
    def component(**inputs):
        return PythonComponent(
            lambda t, v: dict(v),
            inputs=inputs,
            outputs={"y": Signal(start=np.arange(6.0).reshape(2, 3)), "m": Signal(start=1, kind="integer")},
        )

    network = Network()
    network.add(component(), "a")
    network.add(component(u=Signal(start=np.zeros((2, 3))), wide=Signal(start=np.zeros((3, 2))), n=Signal(start=1, kind="integer")), "b")
    connections = network.connect("a.y", "b.u")
    assert str(connections[3]) == "a.y[2,1] -> b.u[2,1]"
    with pytest.raises(errors.ConnectionError, match="matrices of 2 x 3 and 3 x 2"):
        network.connect("a.y", "b.wide")
    with pytest.raises(errors.ConnectionError, match="Only real numbers take a gain"):
        network.connect("a.m", "b.n", gain=2.0)
    for gain in (0.0, np.inf):
        with pytest.raises(errors.ConnectionError, match="Give finite numbers, and a gain that is not 0"):
            network.connect("a.y[1,1]", "b.wide[1,1]", gain=gain)


def test_units_are_known_by_their_names():
    for given, wanted, factor in [
        ("deg/s", "rad/s", np.pi / 180),
        ("rpm", "rad/s", 2 * np.pi / 60),
        ("km/h", "m/s", 1 / 3.6),
        ("L", "cm3", 1e3),
    ]:
        one, other = unit_named(given), unit_named(wanted)
        np.testing.assert_allclose(conversion(one, other).factor, factor, rtol=1e-15)
    assert conversion(unit_named("kN.mm"), unit_named("N.m")).factor == 1
    assert unit_named("furlong").baseUnit is None
    assert conversion(unit_named("degC"), unit_named("K"), relative=(True, True)) == UnitConversion()
    assert conversion(unit_named("degC"), unit_named("K"), relative=(True, False)) is None


def factor_and_exponents(name):
    base = unit_named(name).baseUnit
    return base.factor, {letter: power for letter in ("kg", "m", "s", "A", "K", "mol", "cd", "rad") if (power := getattr(base, letter))}


@pytest.mark.parametrize(
    ("name", "factor", "exponents"),  # of the definitions: 1 in = 0.0254 m, 1 lb = 0.45359237 kg, 1 gn = 9.80665 m/s2
    [
        ("mH", 1e-3, {"kg": 1, "m": 2, "s": -2, "A": -2}),
        ("uF", 1e-6, {"kg": -1, "m": -2, "s": 4, "A": 2}),
        ("Wb/m2", 1.0, {"kg": 1, "s": -2, "A": -1}),
        ("lbf", 0.45359237 * 9.80665, {"kg": 1, "m": 1, "s": -2}),
        ("ft.lbf", 0.3048 * 0.45359237 * 9.80665, {"kg": 1, "m": 2, "s": -2}),
        ("slug", 0.45359237 * 9.80665 / 0.3048, {"kg": 1}),
        ("psi", 6894.757293168361, {"kg": 1, "m": -1, "s": -2}),
        ("hp", 745.6998715822702, {"kg": 1, "m": 2, "s": -3}),
        ("kWh", 3.6e6, {"kg": 1, "m": 2, "s": -2}),
        ("mph", 0.44704, {"m": 1, "s": -1}),
    ],
)
def test_units_of_other_systems_have_their_factors_and_exponents(name, factor, exponents):
    found = factor_and_exponents(name)
    assert found[0] == pytest.approx(factor, rel=1e-15)
    assert found[1] == exponents


@pytest.mark.parametrize("names", [
    ("N.m", "N m", "Nm", "N*m", "newton * meter", "N·m"), ("m/s2", "m/s^2", "m/s**2", "meter / second ** 2", "m/s²", "m / s / s"),
    ("lbf", "pound_force", "force_pound"), ("deg", "°", "degrees"), ("mm", "millimeter"), ("degC", "°C", "degree_Celsius"),
    ("W/(m2.K)", "W / meter ** 2 / kelvin"), ("um", "µm"),
])  # fmt: skip
def test_spellings_of_a_unit_are_the_same_unit(names):
    first, *others = map(unit_named, names)
    assert first.baseUnit is not None
    assert [conversion(each, first) for each in others] == [UnitConversion()] * len(others)


def test_a_unit_of_fahrenheit_converts_with_its_zero():
    found = conversion(unit_named("degF"), unit_named("degC"))
    assert found.factor * 212 + found.offset == pytest.approx(100, abs=1e-12)  # round-off of 373 K
    assert found.factor * 32 + found.offset == pytest.approx(0, abs=1e-12)


def test_a_unit_that_an_fmu_does_not_define_has_the_meaning_of_its_name():
    defined = {"deg": unit_named("deg"), "turns": Unit(name="turns"), "N.m": Unit(name="N.m")}
    assert conversion(unit_of_fmu("rpm", defined), unit_of_fmu("rad/s", {})).factor == pytest.approx(2 * np.pi / 60)
    assert conversion(unit_of_fmu("N.m", defined), unit_named("J")) == UnitConversion()
    assert unit_of_fmu("deg", defined) is defined["deg"]
