"""Connections of vectors and ports as a whole, with units, gains and offsets."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod import errors
from mobod.cosim import Master, Network, PythonComponent, Signal
from mobod.cosim.connections.unit_conversion import UnitConversion, conversion
from mobod.cosim.connections.unit_names import unit_named
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
