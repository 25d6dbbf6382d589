"""Power bonds of a network."""

import pytest

from mobod import errors
from mobod.cosim import Network, PythonComponent


@pytest.fixture
def network():
    network = Network()
    network.add(
        PythonComponent(lambda t, v: {"torque": 0.0, "heat": 0.0}, inputs={"speed": "rad/s"}, outputs={"torque": "N.m", "heat": "N"}),
        "motor",
    )
    network.add(PythonComponent(lambda t, v: {"speed": 0.0}, inputs={"torque": "N.m", "drag": "N"}, outputs={"speed": "rad/s"}), "shaft")
    return network


def test_a_bond_pairs_connections_in_opposite_directions(network):
    effort, flow = network.connect("motor.torque", "shaft.torque"), network.connect("shaft.speed", "motor.speed")
    bond = network.bond(effort, flow)
    assert network.bonds == [bond]
    assert network.copy().bonds == [bond]
    assert (bond.efforts, bond.flows) == ((effort,), (flow,))


def test_both_sides_count_the_same_power_if_inputs_are_outputs_also_through_gains(network):
    effort = network.connect("motor.torque", "shaft.torque", gain=-3.0)
    bond = network.bond([effort], [network.connect("shaft.speed", "motor.speed", gain=2.0)])
    torque, speed = 1.25, 0.5
    here, there = bond.powers([torque], [-3.0 * torque], [speed], [2.0 * speed])
    assert here == there == -3.0 * torque * speed
    here, there = bond.powers([torque + 0.5], [-3.0 * torque], [speed], [2.0 * speed])
    assert here - there == 3.0 * 0.5 * speed


def test_connections_that_carry_no_power_are_refused(network):
    effort, flow = network.connect("motor.torque", "shaft.torque"), network.connect("shaft.speed", "motor.speed")
    heat = network.connect("motor.heat", "shaft.drag", offset=0.0)
    for efforts, flows, message in [
        ([effort], [effort], "flows back, but there is motor.torque -> shaft.torque"),
        ([effort, effort], [flow], "2 efforts and 1 flows"),
        ([], [], "0 efforts"),
        ([heat], [flow], r"motor.heat in N and shaft.speed in rad/s is no power"),
    ]:
        with pytest.raises(errors.ConnectionError, match=message):
            network.bond(efforts, flows)
    assert not network.bonds


def test_an_offset_and_connections_of_another_network_or_bond_are_refused(network):
    effort = network.connect("motor.torque", "shaft.torque", offset=0.5)
    flow = network.connect("shaft.speed", "motor.speed")
    with pytest.raises(errors.ConnectionError, match="not proportional"):
        network.bond(effort, flow)
    other = Network()
    for name, component in network.components.items():
        other.add(component.model, name)
    effort = other.connect("motor.torque", "shaft.torque")
    flow = other.connect("shaft.speed", "motor.speed")
    with pytest.raises(errors.ConnectionError, match="no connection of this network"):
        network.bond(effort, flow)
    other.bond(effort, flow)
    with pytest.raises(errors.ConnectionError, match="another bond already"):
        other.bond(effort, flow)
