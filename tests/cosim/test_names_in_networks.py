"""Names of single numbers in networks: the grammar of all names."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mobod.cosim import Connection, Master, Network, PythonComponent, Signal
from mobod.errors import InputError, UnknownNameError
from tests.cosim.cut_pendulum import add

MATRIX = np.arange(6.0).reshape(2, 3)


def network_of(halves, kind):
    network = Network()
    add(network, halves, kind, "upper")
    taker = PythonComponent(
        lambda t, v: {"seen": v["m"], "turn": v["angle"]},
        inputs={"m": Signal(start=MATRIX), "angle": Signal(start=0.5)},
        outputs={"seen": Signal(start=MATRIX), "turn": Signal(start=0.5)},
    )
    network.add(taker, "b")
    return network


@pytest.mark.parametrize("kind", ["System", "2.0", "3.0"])
def test_a_connection_takes_every_name_of_a_number(halves, kind):
    network = network_of(halves, kind)
    for name in ("der(upper.u)", "der(upper.u)[1]", "der(upper.u[1])"):
        assert str(network.port(f"upper.{name}")) == "upper.der(upper.u)"
    single = network.connect("upper.upper.q[1]", "b.angle[1]")
    by_rows = network.connect("upper.elbow.p_GF[2]", "b.m[4]")
    assert all(isinstance(each, Connection) for each in (single, by_rows))
    assert [f"{each.source} -> {each.target}" for each in (single, by_rows)] == [
        "upper.upper.q -> b.angle",
        "upper.elbow.p_GF[2] -> b.m[2,1]",
    ]


def test_outputs_start_values_and_settings_take_every_name_of_a_number(halves):
    network = network_of(halves, "System")
    network.components["b"].set_start({"m[6]": -1.5, "angle[1]": 0.25})
    with Master(network, step=0.01).start(outputs=["b.seen[6]", "b.turn[1]", "upper.upper.q[1]", "b.seen"]) as run:
        run.until(0.01)
        run.set({"b.m[5]": 7.5})
        table = run.until(0.02)
    assert_array_equal(table["b.seen"][-1], [0.0, 1.0, 2.0, 3.0, 7.5, -1.5])
    assert_array_equal(table["b.seen[6]"], table["b.seen"][:, 5])
    assert table["b.turn[1]"][-1] == 0.25
    assert list(table.columns) == ["b.seen[6]", "b.turn[1]", "upper.upper.q[1]", "b.seen"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("upper.upper.q[2]", r"'upper\.q' has no element \[2\]: it is a single number"),
        ("upper.elbow.p_GF[4]", r"'elbow\.p_GF' has no element \[4\]: its shape is \(3,\)"),
        ("b.seen[3,1]", r"'seen' has no element \[3,1\]: its shape is \(2, 3\)"),
        ("upper.elbow.p_GF[02]", r"has no element \[02\]"),
        ("upper.elbow.p_G[2]", "Did you mean 'elbow.p_GF"),
    ],
)
def test_a_name_of_no_number_is_refused_with_the_reason(halves, name, message):
    with pytest.raises(UnknownNameError, match=message):
        network_of(halves, "System").port(name)


def test_the_name_of_an_array_is_no_name_of_a_number(halves):
    with pytest.raises(InputError, match=r"'b\.seen' is an array of 6 entries. Name one of them, such as 'b\.seen\[1,1\]'"):
        network_of(halves, "System").port("b.seen")
