"""Springs by a curve or a table: closed forms, FMUs, model files, and errors."""

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, UnsupportedError
from mobod.functions import Constant, Function, Linear, MultiPoly, Polynomial, Sinusoid, Spline, Step

TABLE = Spline.fit([-0.2, 0.1, 0.3, 0.6], [-7.0, 1.0, 4.0, 19.0], degree=1)


@pytest.fixture
def cart():
    """A mass of 1.7 kg on a slider."""
    system = mb.MultibodySystem("track")
    return mb.Slider(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.7, [0, 0, 0]), name="cart")


@pytest.fixture
def forces(cart):
    return mb.ForceSubsystem(cart.matter.system)


def state_at(cart, q, u):
    state = cart.matter.system.realize_topology()
    cart.set_q(state, q)
    cart.set_u(state, u)
    cart.matter.system.realize(state, mb.Stage.ACCELERATION)
    return state


def test_the_force_is_that_of_the_table_with_its_zero_and_scale(cart, forces):
    spring = mb.MobilityTableSpring(forces, cart, TABLE, q_zero=0.15, scale=1.3, name="spring")
    state = state_at(cart, 0.55, 0.3)  # 0.4 from its zero: a third of the way from (0.3, 4) to (0.6, 19)
    assert_allclose(cart.u_dot(state), [-1.3 * 9.0 / 1.7], rtol=1e-13)
    from_zero_to_table_point = np.trapezoid([TABLE(0.0), 1.0], [0.0, 0.1]) + np.trapezoid([1.0, 4.0], [0.1, 0.3])
    energy = from_zero_to_table_point + np.trapezoid([4.0, 9.0], [0.3, 0.4])
    assert_allclose(spring.calc_potential_energy_contribution(state), 1.3 * energy, rtol=1e-13)
    assert spring.calc_power_dissipation_contribution(state) == 0


def test_a_linear_curve_is_a_linear_spring(cart, forces):
    found = []
    for spring in (
        mb.MobilityTableSpring(forces, cart, Linear([35.0, 0.0]), q_zero=0.2, name="by a curve"),
        mb.MobilityLinearSpring(forces, cart, stiffness=35.0, q_zero=0.2, name="linear"),
    ):
        state = state_at(cart, 0.55, 0.3)
        found.append((*spring.calc_force_contribution(state)[1], spring.calc_potential_energy_contribution(state)))
    assert_allclose(found[0], found[1], rtol=1e-15)


def test_of_q_and_u_what_vanishes_at_rest_is_dissipated(cart, forces):
    spring = mb.MobilityTableSpring(forces, cart, Function.of(lambda x: 4 * x[0] ** 3 + (2 + x[0]) * x[1], 2), name="strut")
    state = state_at(cart, 0.5, 0.3)
    assert_allclose(spring.calc_force_contribution(state)[1], [-(4 * 0.125 + 2.5 * 0.3)], rtol=1e-14)
    assert_allclose(spring.calc_power_dissipation_contribution(state), 2.5 * 0.3**2, rtol=1e-13)
    assert spring.calc_potential_energy_contribution(state) == 0  # no antiderivative is known of a callable


@pytest.mark.parametrize(
    "function",
    [
        Constant(2.3),
        Constant(2.3, 2),
        Linear([1.2, 0.4]),
        Linear([1.2, -0.3, 0.4]),
        MultiPoly(2, [(3.0, (2, 0)), (-1.5, (1, 4))]),
        Polynomial([0.4]),
        Polynomial([0.4, -1.0, 0.3, 2.0]),
        Sinusoid(1.3, 0.7, 0.2),
        Sinusoid(1.3, 0.0, 0.2),
        Spline.fit(np.linspace(-1, 1, 7), np.exp(np.linspace(-1, 1, 7))),
        Spline.fit(np.linspace(-1, 1, 7), np.exp(np.linspace(-1, 1, 7)), outside="error"),
        Spline.fit(np.linspace(-1, 1, 7), [0.3, 1.0, -1.0, 2.0, 0.5, 0.1, 0.3], outside="periodic"),
        Spline.fit([-1, 0, 1], [[1, 2], [0.5, 3], [2, 2]], degree=2),
        Step(0.4, 1.7, -0.3, 0.5),
        Step(0.4, 1.7, 0.5, -0.3),
    ],
    ids=repr,
)
def test_the_derivative_of_an_antiderivative_is_the_function(function):
    integral = function.antiderivative()
    assert integral.argument_size == function.argument_size
    reaches = [-0.9, -0.31, 0.1, 0.47, 0.9] + ([] if getattr(function, "outside", "") == "error" else [-3.3, 2.6])
    for x in ([at, 0.7][: function.argument_size] for at in reaches):
        assert_allclose(integral.derivative([0], x), function.value(x), rtol=1e-11, atol=1e-12)


def test_the_integral_of_a_periodic_table_is_continuous_over_periods():
    integral = Spline.fit([0, 0.5, 1.2, 2], [1.0, 3.0, 0.0, 1.0], degree=1, outside="periodic").antiderivative()
    one = 0.5 * 2.0 + 0.7 * 1.5 + 0.8 * 0.5
    assert_allclose([integral([x]) for x in (0.0, 2.0 - 1e-12, 2.0, 6.0, -2.0)], [0, one, one, 3 * one, -one], atol=1e-11)


def test_the_energy_of_a_swing_through_a_table_stays_the_same(cart, forces):
    """Kinks of the table are ends of pieces of a polynomial, so that error control finds them."""
    mb.MobilityTableSpring(forces, cart, TABLE, name="spring")
    state = state_at(cart, 0.55, 0.3)
    results = mb.Simulation(cart.matter.system, accuracy=1e-9, backend="interpreted").run(state, until=2.0)
    assert_allclose(results["energy"], results["energy"][0], rtol=1e-6)  # 1000 times the accuracy of a step
    assert results["cart.q"].min() < -0.2  # beyond the table, where its ends go on


@pytest.mark.parametrize(
    ("characteristic", "error", "message"),
    [
        (3.0, InputError, "the function is a Function, not 3.0"),
        (Linear([1.0, 2.0, 3.0, 4.0]), InputError, "has 3 arguments. It is a function of q, or of q and u."),
        (Constant([1.0, 2.0]), InputError, r"has values of shape \(2,\). One number is needed."),
    ],
)
def test_what_is_no_characteristic_is_refused(cart, forces, characteristic, error, message):
    with pytest.raises(error, match=message):
        mb.MobilityTableSpring(forces, cart, characteristic)


def test_a_function_of_plain_numbers_alone_is_refused(cart, forces):
    class Measured(Function):
        recordable = False

        def value(self, x):
            return float(x[0])

    with pytest.raises(UnsupportedError, match=r"MobilityTableSpring needs exact derivatives, and function 'Measured' says recordable"):
        mb.MobilityTableSpring(forces, cart, Measured())


def test_a_run_that_leaves_a_table_that_ends_stops_with_an_error(cart, forces):
    mb.MobilityTableSpring(forces, cart, Spline.fit([0.1, 0.2], [0.0, 1.0], degree=1, outside="error"), name="spring")
    state = cart.matter.system.realize_topology()
    cart.set_q(state, 0.15)
    cart.set_u(state, 2.0)
    with pytest.raises(mb.MobodError, match=r"stopped at 0.025.*'cart\.u'"):
        mb.Simulation(cart.matter.system, backend="interpreted").run(state, until=1.0)


def test_a_table_can_be_called_in_a_force_of_a_user(cart, forces):
    surface = MultiPoly(2, [(2.0, (1, 0)), (0.5, (0, 1))])

    class Strut(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] -= TABLE(cart.q(state)) + surface(cart.q(state)[0], cart.u(state)[0])

    Strut(forces, name="strut")
    state = state_at(cart, 0.4, 0.3)
    assert_allclose(cart.u_dot(state), [-(9.0 + 0.8 + 0.15) / 1.7], rtol=1e-13)


@pytest.mark.parametrize(
    "text",
    [
        "angle,torque\n0,1\n0.5,2.5\n2,-1\n",
        "# measured\nangle;torque\n0;1\n\n0,5;2,5\n# the last\n2;-1e0\n",
        "angle\ttorque\n0\t1\n.5\t2.5\n2\t-1\n",
        "0 1\n0.5  2.5\n2 -1\n",
        '"time","torque","angle"\n9,1,0\n9,2.5,0.5\n9,-1,2\n',
    ],
    ids=["commas", "semicolons and decimal commas", "tabs", "blanks without names", "other columns"],
)
def test_points_of_a_csv_file_make_a_table(tmp_path, text):
    path = tmp_path / "spring.csv"
    path.write_text(text)
    names = ("angle", "torque") if "time" in text else ()
    table = Spline.from_csv(path, *names, degree=1)
    assert table == Spline.fit([0, 0.5, 2], [1, 2.5, -1], degree=1)


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        ("", (), "it has no lines with numbers"),
        ("a,b\n1,2\n3\n", (), "spring.csv, line 3: 1 cells, but the first line has 2"),
        ("a,b\n1,2\n3,x\n", (), "spring.csv, line 3: 'x' is not a number"),
        ("a,b\n1,2\n3,4\n", ("a", "c"), "no column of .*spring.csv is named 'c'"),
        ("1,2\n3,4\n", ("a", "b"), "column 'a' was asked for, but the first line has numbers"),
        ("1\n3\n", (), "it has 1 column. A table of points needs two"),
        ("a,b\n3,2\n1,2\n", (), "x must increase, but number 1 is 1, after 3"),
    ],
)
def test_files_that_are_no_table_are_refused(tmp_path, text, names, message):
    path = tmp_path / "spring.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        Spline.from_csv(path, *names, degree=1)


def test_a_model_file_holds_the_table(cart, forces, tmp_path):
    mb.MobilityTableSpring(forces, cart, TABLE, q_zero=0.15, scale=1.3, name="spring")
    mb.save_model(cart.matter.system, tmp_path / "track.json")
    loaded = mb.load_model(tmp_path / "track.json")
    one, other = (state_at(each, 0.55, 0.3) for each in (cart, loaded.matter.body("cart")))
    for name in ("energy", "der(cart.u)", "spring.scale"):
        assert cart.matter.system.value(one, cart.matter.system.variable(one, name)) == loaded.value(other, loaded.variable(other, name))


@pytest.mark.slow  # compiles
def test_zero_and_scale_of_a_table_are_parameters_of_an_fmu(cart, forces, tmp_path):
    mb.MobilityTableSpring(forces, cart, TABLE, name="spring")
    path = mb.export_fmu(cart.matter.system, tmp_path / "track.fmu", outputs=["cart.q", "der(cart.u)"])
    starts = {"spring.scale": 1.3, "spring.q_zero": -0.4}
    found = fmpy.simulate_fmu(str(path), stop_time=1e-3, start_values=starts, output=["der(cart.u)"])
    assert_allclose(found["der(cart.u)"][0], -1.3 * 9.0 / 1.7, rtol=1e-13)
