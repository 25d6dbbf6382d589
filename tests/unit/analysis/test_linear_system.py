"""LinearSystem against closed forms of an oscillator with mass m, damping d and stiffness k."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod import LinearSystem
from mobod.errors import InputError, UnsupportedError

M, D, K = 2.0, 0.6, 50.0


def oscillator(C=((1.0, 0.0),), outputs=("block.q",)):
    return LinearSystem(
        A=np.array([[0, 1], [-K / M, -D / M]]),
        B=np.array([[0], [1 / M]]),
        C=np.array(C),
        D=np.zeros((len(outputs), 1)),
        states=("block.q", "block.u"),
        inputs=("motor.force",),
        outputs=outputs,
        state_units=("m", "m/s"),
        input_units=("N",),
        output_units=("m",) * len(outputs),
        rates=np.zeros(2),
    )


def test_it_unpacks_to_four_matrices_and_shows_its_names():
    linear = oscillator()
    A, B, C, D = linear
    assert A is linear.A
    assert (B.shape, C.shape, D.shape) == ((2, 1), (1, 2), (1, 1))
    assert repr(linear).splitlines() == [
        "LinearSystem",
        "  states (2): block.q, block.u",
        "  inputs (1): motor.force",
        "  outputs (1): block.q",
    ]


def test_frequency_response_poles_and_zeros_match_the_oscillator():
    linear = oscillator(((3.0, 1.5), (1.0, 0.0)), ("sum", "block.q"))
    omegas = np.array([0.0, 2.0, 5.0, 40.0])
    s = 1j * omegas
    response = linear.frequency_response(omegas)
    assert response.shape == (2, 1, 4)
    denominator = M * s**2 + D * s + K
    assert_allclose(response[:, 0], [(3 + 1.5 * s) / denominator, 1 / denominator], rtol=1e-13)
    assert_allclose(linear.poles(), (-D + np.array([1j, -1j]) * np.sqrt(4 * M * K - D**2)) / (2 * M), rtol=1e-13)
    assert_allclose(oscillator(((3.0, 1.5),)).zeros(), [-2.0], rtol=1e-12)
    assert oscillator().zeros().size == 0
    with pytest.raises(UnsupportedError, match=r"zeros need as many inputs as outputs\. This LinearSystem has 1 and 2"):
        linear.zeros()
    with pytest.raises(InputError, match="not an array of shape"):
        linear.frequency_response([[1.0]])


def test_at_a_pole_the_response_is_refused():
    linear = oscillator()
    linear.A[1] = [-25.0, 0.0]
    with pytest.raises(InputError, match="5 rad/s is a pole"):
        linear.frequency_response([1.0, 5.0])


@pytest.mark.slow
def test_python_control_gets_the_matrices_and_names(monkeypatch):
    control = pytest.importorskip("control", reason="to_control needs python-control")
    system = oscillator().to_control()
    assert isinstance(system, control.StateSpace)
    assert (system.state_labels, system.input_labels, system.output_labels) == (["block_q", "block_u"], ["motor_force"], ["block_q"])
    assert_allclose(control.frequency_response(system, [3.0]).frdata[0, 0], oscillator().frequency_response([3.0])[0, 0], rtol=1e-12)


def test_without_python_control_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(UnsupportedError, match=r"python -m pip install 'mobod\[control\]'"):
        oscillator().to_control()
