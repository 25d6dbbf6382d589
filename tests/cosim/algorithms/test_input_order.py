"""Inputs that are held, or follow lines and parabolas within a step: known coupling errors, and the same for all kinds of components."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.cosim import Master, Network, PythonComponent, Signal
from mobod.errors import InputError
from tests.cosim.algorithms.oscillator import displacement_coupling, force_coupling, largest_error
from tests.cosim.algorithms.quarter_car import errors, quarter_car

# largest errors on [0, 1] s for steps of 10, 5, 2.5 and 1.25 ms, with halves that are advanced exactly
KNOWN = {
    ("displacement", "jacobi", 0): [4.0403e-1, 1.9860e-1, 9.8850e-2, 4.9367e-2],
    ("displacement", "jacobi", 1): [3.3397e-2, 8.3032e-3, 2.0738e-3, 5.1833e-4],
    ("displacement", "jacobi", 2): [5.3968e-3, 7.0849e-4, 9.0127e-5, 1.1346e-5],
    ("displacement", "gauss-seidel", 0): [1.0417e-1, 5.2226e-2, 2.6147e-2, 1.3082e-2],
    ("displacement", "gauss-seidel", 1): [1.5401e-2, 3.8888e-3, 9.7501e-4, 2.4408e-4],
    ("force", "jacobi", 0): [8.8382e-1, 3.6631e-1, 1.6481e-1, 7.8099e-2],
    ("force", "jacobi", 1): [8.0138e-2, 1.9656e-2, 4.8970e-3, 1.2234e-3],
    ("force", "jacobi", 2): [1.3632e-2, 1.8330e-3, 2.3544e-4, 2.9764e-5],
}
COUPLINGS = {"displacement": displacement_coupling, "force": force_coupling}
STEPS = [1e-2, 5e-3, 2.5e-3, 1.25e-3]


@pytest.mark.fast(3)
@pytest.mark.parametrize("n", [2, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("coupling", "algorithm", "order"), KNOWN)
def test_the_error_on_two_masses_is_that_of_the_order(coupling, algorithm, order, n):
    options = {"algorithm": algorithm, "input_order": order, "feedthrough": "delayed"}
    found = [largest_error(Master(COUPLINGS[coupling](), step=step, **options).run(until=1.0)) for step in STEPS[:n]]
    assert_allclose(found, KNOWN[coupling, algorithm, order][:n], rtol=5e-5)  # known to five digits


def test_gauss_seidel_with_force_and_displacement_has_the_known_errors():
    found = [largest_error(Master(force_coupling(), step=step, algorithm="gauss-seidel").run(until=1.0)) for step in (1e-2, 1.25e-3)]
    assert_allclose(found, [2.6376e-1, 3.0036e-2], rtol=5e-5)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["jacobi", "gauss-seidel"])
def test_inputs_held_at_their_mean_give_the_second_order_too(algorithm):
    found = [
        largest_error(Master(displacement_coupling(input_order=0), step=step, algorithm=algorithm, input_order=1).run(until=1.0))
        for step in STEPS[:3]
    ]
    assert np.all(np.log2(found[:-1]) - np.log2(found[1:]) > 1.9)
    held = largest_error(Master(displacement_coupling(input_order=0), step=0.01, algorithm=algorithm).run(until=1.0))
    assert found[0] < held / 6


@pytest.mark.parametrize("input_order", [0, 2])  # of the halves
def test_a_quarter_car_is_right_to_a_tenth_of_a_millimetre_with_lines(input_order):
    results = Master(quarter_car(input_order=input_order), step=0.01, input_order=1).run(until=0.1)
    assert np.abs(errors(results)[-1, [0, 2]]).max() < 1e-4
    held = Master(quarter_car(), step=0.01).run(until=0.1)
    assert np.abs(errors(held)[-1, [0, 2]]).max() > 2e-4


# kinds of components ---------------------------------------------------------------------------------------------------------------------


def arm():
    matter = mb.MatterSubsystem(mb.MultibodySystem("arm"))
    forces = mb.ForceSubsystem(matter.system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81)
    mb.MobilityForce(forces, mb.Pin(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, -1, 0]), name="arm"), name="motor")
    return matter.system


@pytest.fixture(scope="module")
def arms(tmp_path_factory):
    """By kind."""
    folder = tmp_path_factory.mktemp("arms")
    files = {
        version: mb.export_fmu(arm(), folder / f"arm{version}.fmu", inputs=["motor.force"], outputs=["arm.q"], fmi_version=version)
        for version in ("2.0", "3.0")
    }
    return {"System": arm(), **files, "2.0 ME": files["2.0"], "3.0 ME": files["3.0"]}


def driven(arms, kind, order, step=0.01, isolate=False):
    network = Network()
    interface, isolation = ("model-exchange" if kind.endswith("ME") else None), {"isolate": True} if isolate else {}
    network.add(arms[kind], "arm", interface=interface, **isolation)
    network.add(PythonComponent(lambda t, v: np.sin(5 * t), outputs=["torque"]), "motor")
    network.connect("motor.torque", "arm.motor.force")
    return Master(network, step=step, input_order=order, tolerance=1e-10).run(until=0.5)["arm.arm.q"]


@pytest.mark.fast("2")
@pytest.mark.parametrize("order", [1, 2])
def test_all_kinds_of_components_follow_the_same_inputs(arms, order):
    expected = driven(arms, "System", order)
    accurate = driven(arms, "System", 2, step=0.0005)[::20]
    held = np.abs(driven(arms, "System", 0) - accurate).max()
    assert np.abs(expected - accurate).max() < held / 15  # the first step has no slope yet
    for kind in ("2.0", "3.0", "2.0 ME", "3.0 ME"):
        assert_allclose(driven(arms, kind, order), expected, rtol=0, atol=1e-14, err_msg=kind)


@pytest.mark.parametrize(("kind", "order"), [("3.0", 1), ("3.0", 2), ("2.0", 2)])
@pytest.mark.fast(1)
def test_inputs_change_within_the_steps_of_an_isolated_fmu(arms, kind, order):
    assert driven(arms, kind, order, isolate=True).tobytes() == driven(arms, kind, order).tobytes()


def test_entries_of_an_array_without_a_connection_are_held(tmp_path):
    matter = mb.MatterSubsystem(mb.MultibodySystem("ball"))
    mb.Port(mb.Translation(matter.ground, mb.MassProperties.point(mass=2.0, p=[0, 0, 0]), name="ball"), mb.Transform(), name="hand")
    path = mb.export_fmu(matter.system, tmp_path / "ball.fmu", inputs=["hand.force"], outputs=["ball.u"], fmi_version="3.0")
    network = Network()
    network.add(path, "ball", start={"hand.force": [4.0, 0.0, -6.0]})
    network.add(PythonComponent(lambda t, v: 8 * t, outputs=["force"]), "ramp")
    network.connect("ramp.force", "ball.hand.force[2]")
    results = Master(network, step=0.25, input_order=1).run(until=1.0)
    # the first step has no slope yet: the force is 0 in it, and exact after it
    assert_allclose(results["ball.ball.u"][-1], [2.0, (8 / 2 - 8 * 0.25**2 / 2) / 2, -3.0], rtol=1e-12)


def test_a_function_without_a_state_ends_a_step_with_the_value_of_the_polynomial():
    network = Network()
    network.add(PythonComponent(lambda t, v: t * t, outputs=["y"]), "source")
    network.add(PythonComponent(lambda t, v: -v["u"], inputs=["u"], outputs=["y"]), "minus")
    network.connect("source.y", "minus.u")
    results = Master(network, step=0.5, input_order=2).run(until=3.0)
    assert_allclose(results["minus.y"][3:], -(results.time[3:] ** 2), rtol=1e-14)  # after three points


def test_values_that_are_not_real_are_held():
    network = Network()
    network.add(PythonComponent(lambda t, v: int(10 * t), outputs={"n": Signal(kind="integer", start=0)}), "source")
    integral = PythonComponent(
        lambda t, v, x: x, update=lambda t, h, v, x: x + h * v["n"], state=0.0, inputs={"n": Signal(kind="integer", start=0)}, outputs=["y"]
    )
    network.add(integral, "sink")
    network.connect("source.n", "sink.n")
    # 0, 2, 5 and 7 are held for a quarter of a second each
    assert Master(network, step=0.25, input_order=2).run(until=1.0)["sink.y"].tolist() == [0.0, 0.0, 0.5, 1.75, 3.5]


def test_an_order_above_2_is_refused():
    with pytest.raises(InputError, match="input_order is 0, 1 or 2"):
        Master(displacement_coupling(), input_order=3)


def test_a_function_that_takes_derivatives_needs_a_state():
    with pytest.raises(InputError, match="for an update with a state"):
        PythonComponent(lambda t, v: v["u"], inputs=["u"], outputs=["y"], input_order=1)
