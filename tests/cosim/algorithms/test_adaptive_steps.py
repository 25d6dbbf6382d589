"""Steps whose size follows the error of the coupling, against exact solutions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import Checkpoint, EnergyResidual, Master, Network, PredictorCorrector, Richardson
from mobod.errors import InputError, MobodWarning, UnsupportedError
from tests.cosim.algorithms.oscillator import displacement_coupling, exact_half, force_coupling, force_half, giving_half, largest_error
from tests.cosim.algorithms.quarter_car import bonded_quarter_car, driving_quarter_car, errors, exact_driving, quarter_car
from tests.cosim.cut_pendulum import RECORDED, pendulum


def car_error(results):
    return np.abs(errors(results)).max()


CASES = {
    "displacement": (displacement_coupling, largest_error),
    "force": (force_coupling, largest_error),
    "quarter car": (quarter_car, car_error),
    "quarter car with a bond": (bonded_quarter_car, car_error),
}


CONTROLS = {PredictorCorrector: (1e-3, 1e-5), Richardson: (1e-4,)}  # and the tolerances of the fast tests
QUICK = [
    (PredictorCorrector, "displacement"),
    (PredictorCorrector, "quarter car with a bond"),
    (Richardson, "force"),
    (Richardson, "quarter car"),
]
ALL = [pytest.param(control, (1e-3, 1e-4, 1e-5), case, marks=pytest.mark.slow) for control in CONTROLS for case in CASES]


@pytest.mark.fast("Richardson-tolerances3-quarter car")
@pytest.mark.parametrize(("control", "tolerances", "case"), [*((control, CONTROLS[control], case) for control, case in QUICK), *ALL])
def test_the_error_is_within_three_tolerances_at_a_fifth_of_the_steps(control, tolerances, case):
    network, error_of = CASES[case]
    coarse = error_of(Master(network(), step=1e-3).run(until=1.0))  # 1000 steps of two components, an error of first order
    for tolerance in tolerances:
        with Master(network(), adaptive=control(tolerance=tolerance)).start() as run:
            error = error_of(run.until(1.0))
            calls = run.calls
        assert error < 3 * tolerance
        assert calls < 2000 * coarse / error / 5


JUMP = 0.5123  # s


def driving_error(results):
    """m"""
    found = np.array([results["body.z"], results["wheel.z"]]).T
    return np.abs(found - exact_driving(results.time, JUMP)[:, [0, 2]]).max()


@pytest.mark.fast(1)
@pytest.mark.parametrize(
    ("tolerance", "algorithm"),
    [
        (1e-2, "gauss-seidel"),
        (1e-3, "jacobi"),
        pytest.param(1e-2, "jacobi", marks=pytest.mark.slow),
        pytest.param(1e-3, "gauss-seidel", marks=pytest.mark.slow),
        pytest.param(1e-4, "jacobi", marks=pytest.mark.slow),
        pytest.param(1e-4, "gauss-seidel", marks=pytest.mark.slow),
    ],
)
def test_a_step_of_the_road_is_found_after_a_rest_with_long_steps(tolerance, algorithm):
    master = Master(driving_quarter_car(JUMP), step=0.01, algorithm=algorithm, adaptive=Richardson(tolerance=tolerance))
    results = master.run(until=2.0)
    assert driving_error(results) < tolerance
    assert np.diff(results.time)[results.time[1:] < JUMP].max() > 0.1


@pytest.mark.slow
def test_a_step_of_the_road_takes_a_fifth_of_the_calls_of_fixed_steps_of_the_same_order():
    with Master(driving_quarter_car(JUMP), step=0.01, adaptive=Richardson(tolerance=1e-3)).start() as run:
        error = driving_error(run.until(2.0))
        calls = run.calls
    fixed = Master(driving_quarter_car(JUMP), step=2.0 / round(5 * calls / 3), input_order=2)  # three components
    assert driving_error(fixed.run(until=2.0)) > 2 * error


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["gauss-seidel", "newton"])
def test_other_algorithms_adapt_their_steps_too(algorithm):
    results = Master(quarter_car(), algorithm=algorithm, adaptive=Richardson(tolerance=1e-4)).run(until=1.0)
    assert car_error(results) < 3e-4
    steps = np.diff(results.time)
    assert steps.max() > 2 * steps.min()  # the motion calms down
    assert results.time[-1] == 1.0


@pytest.mark.slow
def test_the_sum_of_estimates_is_near_the_error_where_nothing_is_damped():
    results = Master(displacement_coupling(), step=0.002, input_order=2, estimate_error=True).run(until=1.0)
    assert_allclose(results.time, np.arange(501) * 0.002, atol=1e-12)
    estimate = results["coupling_error"]
    assert largest_error(results) < estimate[-1] < 10 * largest_error(results)
    assert np.all(np.diff(estimate) >= 0)


def test_the_sum_of_estimates_is_a_bound_where_errors_decay():
    with Master(quarter_car(), step=0.005, estimate_error=True).start() as run:
        error = car_error(run.until(0.5))
        assert run.coupling_error is not None
        assert error < run.coupling_error < 100 * error


def test_the_energy_residual_controls_steps_by_bonds():
    network = bonded_quarter_car()
    efforts, flows = [network.connections[2]], [network.connections[1]]
    network.bond(efforts, flows)
    found = []
    for tolerance in (0.3, 0.1, 0.03):
        with Master(network, step=1e-3, adaptive=EnergyResidual(tolerance=tolerance), algorithm="gauss-seidel").start() as run:
            results = run.until(1.0)
            found.append((car_error(results), run.calls))
    assert found[2][0] < found[1][0] < found[0][0]
    assert found[2][1] > found[0][1]
    with pytest.raises(InputError, match="the network has no bond"):
        Master(quarter_car(), adaptive=EnergyResidual(tolerance=1e-3)).run(until=0.1)


def oscillator():
    """A literature oscillator: two masses of 1 kg, springs of 10, 100 and 1000 N/m, no damping; an energy of 10000 J."""
    network = Network()
    network.add(force_half(1.0, 10.0, 0.0, 100.0), "left")
    network.add(giving_half(1.0, 1000.0, 100.0, 0.0, -100.0), "right")
    network.connect("left.x", "right.other")
    network.connect("right.force", "left.force")
    return network


def energy(results):
    """(n,) J"""
    x, v, y, w = (results[name] for name in ("left.x", "left.v", "right.x", "right.v"))
    return (v**2 + w**2 + 10 * x**2 + 1000 * y**2 + 100 * (x - y) ** 2) / 2


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "order", "known"), [("jacobi", 0, 22671.2), ("jacobi", 1, 10003.3), ("gauss-seidel", 0, 12585.3)])
def test_the_energy_after_ten_seconds_is_the_known_one(algorithm, order, known):
    results = Master(oscillator(), step=1e-3, algorithm=algorithm, input_order=order, feedthrough="delayed").run(until=10.0)
    assert_allclose(energy(results)[-1], known, rtol=0, atol=0.051)  # known to a tenth


@pytest.mark.slow
def test_the_energy_after_a_second_is_exact_with_steps_that_vanish():
    results = Master(oscillator(), adaptive=Richardson(tolerance=1e-5)).run(until=1.0)
    # known to twelve digits after the point
    assert_allclose(
        [results[name][-1] for name in ("left.x", "left.v", "right.x", "right.v")],
        [-4.538448864121, -78.297309642318, -3.577411338828, 27.808720254376],
        rtol=0,
        atol=3e-5 * 100,  # of the largest speed
    )
    assert_allclose(energy(results)[-1], 1e4, rtol=1e-5)


def bonded_oscillator():
    """The same, undamped, with force and speed exchanged: the right half integrates the length of the spring between."""
    network = Network()
    network.add(force_half(1.0, 10.0, 0.0, 100.0), "left")
    A = [[0, 1, 0], [-1000, 0, 100], [0, -1, 0]]  # displacement and speed of the mass, and the length
    C = [[1, 0, 0], [0, 1, 0], [0, 0, -100]]
    right = exact_half(A, [[0], [0], [1]], C, np.zeros((3, 1)), [0, -100, 0], inputs=["speed"], outputs=["x", "v", "force"])
    network.add(right, "right")
    network.bond(network.connect("right.force", "left.force"), network.connect("left.v", "right.speed"))
    return network


@pytest.mark.fast("jacobi-1")
@pytest.mark.parametrize(("algorithm", "order"), [("jacobi", 0), ("jacobi", 1), ("jacobi", 2), ("gauss-seidel", 0)])
def test_the_energy_of_a_bond_is_what_the_coupling_adds(algorithm, order):
    results = Master(bonded_oscillator(), step=1e-3, algorithm=algorithm, input_order=order).run(until=0.5)
    x, v, y, w = (results[name] for name in ("left.x", "left.v", "right.x", "right.v"))
    length = -results["right.force"] / 100
    gained = (v**2 + w**2 + 10 * x**2 + 1000 * y**2 + 100 * length**2) / 2 - 1e4
    assert np.abs(results["right.force|left.v.energy"] - gained).max() < 0.02 * np.abs(gained).max()
    assert results.units["right.force|left.v.energy"] == "J"


def test_the_energy_of_a_bond_survives_repeated_steps():
    with Master(bonded_oscillator(), step=1e-3, estimate_error=True).start() as run:
        halves = run.until(0.1)
    single = Master(bonded_oscillator(), step=5e-4).run(until=0.1)
    assert_allclose(halves["right.force|left.v.energy"], single["right.force|left.v.energy"][::2], rtol=1e-12, atol=1e-12)


def test_a_restored_run_goes_on_with_the_same_bits_and_steps():
    for control in (Richardson(tolerance=1e-3), PredictorCorrector(tolerance=1e-3)):
        master = Master(quarter_car(), adaptive=control)
        with master.start() as run:
            run.until(0.1)
            checkpoint = run.checkpoint()
            first = run.until(0.4)
        with master.start() as other:
            other.restore(Checkpoint.from_bytes(checkpoint.to_bytes()))
            again = other.until(0.4)
        assert_array_equal(again.time, first.time)
        assert_array_equal(again["wheel.z"], first["wheel.z"])


@pytest.mark.slow
def test_fmus_and_systems_adapt_their_steps(halves):
    exact = pendulum(halves, "System", "System", algorithm="newton", input_order=2).run(until=0.15, outputs=RECORDED)
    for kind in ("System", "2.0", "3.0"):
        master = pendulum(halves, kind, kind, adaptive=Richardson(tolerance=1e-5))
        results = master.run(until=0.15, outputs=RECORDED)
        assert abs(results["upper.upper.q"][-1] - exact["upper.upper.q"][-1]) < 3e-5


def test_the_smallest_step_is_a_limit_of_which_a_run_warns():
    with pytest.warns(MobodWarning, match=r"times what is tolerated\) at the smallest step of 0\.005 s"):
        results = Master(quarter_car(), adaptive=Richardson(tolerance=1e-9, smallest=0.005)).run(until=0.1)
    assert np.diff(results.time).min() > 0.0049


@pytest.mark.slow
def test_what_can_be_used_is_chosen_and_said_in_one_line(fmus):
    rigid = Network()
    rigid.add(fmus["spring_mass"], "one")
    rigid.add(fmus["spring_mass"], "two")
    rigid.connect("one.x", "two.other")
    with Master(rigid, adaptive=1e-3).start() as run:
        assert run.choices == (
            "algorithm jacobi; inputs by parabolas (of two held at their mean); steps by predictor and corrector, tolerance 0.001"
        )
    with Master(quarter_car(), adaptive=1e-3).start() as run:
        assert run.choices == "algorithm jacobi; inputs by parabolas; steps by Richardson, tolerance 0.001"
    with Master(quarter_car()).start() as run:
        assert run.choices == "algorithm jacobi; inputs held; steps fixed"
    with pytest.raises(UnsupportedError, match="Richardson repeats steps"):
        Master(rigid, adaptive=Richardson(tolerance=1e-3)).run(until=0.1)


def test_wrong_options_are_refused():
    with pytest.raises(InputError, match="the smallest first"):
        Richardson(tolerance=1e-3, smallest=0.1, largest=0.01)
    with pytest.raises(InputError, match="horizon is a positive time"):
        Richardson(tolerance=1e-3, horizon=0.0)
    with pytest.raises(InputError, match="which are equal with algorithm 'newton'"):
        Master(quarter_car(), algorithm="newton", adaptive=PredictorCorrector(tolerance=1e-3)).run(until=0.1)
    with pytest.raises(InputError, match="for fixed steps"):
        Master(quarter_car(), adaptive=1e-3, estimate_error=True)
    with pytest.raises(InputError, match="adaptive is a tolerance"):
        Master(quarter_car(), adaptive="yes").run(until=0.1)


def test_adaptive_steps_are_public():
    assert mb.Richardson is Richardson
