"""Python functions and tables as components of networks."""

from math import exp, pi

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cli.commands.cosim import cosim
from mobod.cosim import Checkpoint, Master, Network, PythonComponent, Signal, TableSource
from mobod.errors import InputError, MobodError, MobodWarning, UnknownNameError
from mobod.simulate.table import Table
from tests.importer.foreign_fmus import build_foreign_fmu

# functions -------------------------------------------------------------------------------------------------------------------------------


def test_a_function_controls_a_system_as_its_equation_says():
    """A mass between walls with a force that a function computes: discrete in time, so it has a closed recurrence."""
    matter = mb.MatterSubsystem(mb.MultibodySystem("cart"))
    cart = mb.Slider(matter.ground, mb.MassProperties.point(mass=2.0, p=[0, 0, 0]), name="cart")
    mb.MobilityForce(mb.ForceSubsystem(matter.system), cart, name="motor")
    cart.set_default_q(1.0)
    network = Network()
    network.add(matter.system, "plant")
    output = {"force": "N"}
    control = PythonComponent(lambda t, v: -v["gain"] * v["x"], inputs={"x": "m"}, outputs=output, parameters={"gain": Signal(start=3.0)})
    network.add(control, "controller", start={"gain": 5.0})
    network.connect("plant.cart.q", "controller.x")
    network.connect("controller.force", "plant.motor.force")
    h = 0.1
    run = Master(network, step=h, algorithm="gauss-seidel", order=["controller", "plant"]).run(until=1.0)
    x, u = 1.0, 0.0
    for k in range(1, 11):
        a = -5.0 * x / 2.0
        x, u = x + h * u + a * h**2 / 2, u + h * a
        assert_allclose([run["plant.cart.q"][k], run["plant.cart.u"][k]], [x, u], rtol=1e-12)


def half_of_two_masses(x):
    """One of the two masses of preCICE's tutorial, 1 kg, which is moved exactly with the other mass at rest in each step."""
    k, coupling = 4 * pi**2, 16 * pi**2  # N/m
    omega = np.sqrt(k + coupling)

    def update(t, h, values, state):
        rest = coupling * values["other"] / omega**2
        x, v = state["x"] - rest, state["v"]
        c, s = np.cos(omega * h), np.sin(omega * h)
        return {"x": rest + c * x + s * v / omega, "v": c * v - omega * s * x}

    state = {"x": x, "v": 0.0}
    return PythonComponent(lambda t, v, state: state["x"], update=update, state=state, inputs=["other"], outputs=["x"], is_direct=False)


@pytest.mark.parametrize(
    ("algorithm", "left", "right"), [("jacobi", 0.0461304811826, 0.4928525856984), ("gauss-seidel", 0.26599962, 0.58207392)]
)
def test_two_masses_as_functions_have_the_known_coupling_error(algorithm, left, right):
    network = Network()
    network.add(half_of_two_masses(1.0), "left")
    network.add(half_of_two_masses(0.0), "right")
    network.connect("left.x", "right.other")
    network.connect("right.x", "left.other")
    run = Master(network, step=0.01, algorithm=algorithm).run(until=0.9)
    assert_allclose([run["left.x"][-1], run["right.x"][-1]], [left, right], atol=1e-8)  # the digits that are known


class Lag:
    """A first-order lag of two signals, exact for inputs that are held."""

    is_direct = False

    def __init__(self):
        self.inputs = {"u": Signal(start=[0.0, 0.0], unit="V")}
        self.outputs = {"y": Signal(start=[0.0, 0.0], unit="V")}
        self.parameters = {"tau": Signal(start=0.5, unit="s")}
        self.state = {"x": np.array([0.25, -0.5]), "steps": 0}

    def output(self, time, values, state):
        return {"y": state["x"]}

    def update(self, time, step, values, state):
        return {"x": values["u"] + (state["x"] - values["u"]) * exp(-step / values["tau"]), "steps": state["steps"] + 1}


def test_an_object_with_a_state_is_a_component_that_can_be_saved():
    network = Network()
    network.add(Lag(), "lag", start={"u": [1.0, 2.0]})
    master = Master(network, step=0.1)
    with master.start() as run:
        run.until(0.3)
        checkpoint = Checkpoint.from_bytes(run.checkpoint().to_bytes())
        run.set({"lag.tau": 7.0})
        run.until(0.5)
        run.restore(checkpoint)
        end = run.until(1.0)
    decay = np.outer(np.exp(-end.time / 0.5), [0.75, 2.5])
    assert_allclose(end["lag.y"], np.array([1.0, 2.0]) - decay, rtol=1e-13)
    assert_array_equal(master.run(until=1.0)["lag.y"][0], [0.25, -0.5])  # a run leaves the start as it was


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t, v: 1 / (t - t), r"component 'bad': function .* at 0 s raised ZeroDivisionError"),
        (lambda t, v: {"z": 1.0}, "returned no 'y'. Return a dictionary of the outputs in their shapes: y"),
        (lambda t, v: [1.0, 2.0], "'y' with 2 numbers"),
        (lambda t, v: float("nan"), "component 'bad': 'y' at 0 s is nan"),
    ],
)
def test_errors_of_functions_name_the_component(function, message):
    network = Network()
    network.add(PythonComponent(function, outputs=["y"]), "bad")
    with pytest.raises(MobodError, match=message):
        Master(network).run(until=0.1)


# tables ----------------------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("time,f,p[1],p[2]\n0,1,0,1\n1,3,2,1\n1,7,2,5\n2,7,0,5\n")
    return path


def test_a_table_is_interpolated_or_held_and_jumps_where_a_time_is_twice(rows):
    network = Network()
    network.add(rows, "linear")
    network.add(TableSource(rows, interpolation="held"), "held")
    network.add(TableSource(rows, held=["f"], beyond="hold"), "mixed")
    run = Master(network, step=0.25).run(until=2.0)
    assert_allclose(run["linear.f"], [1, 1.5, 2, 2.5, 7, 7, 7, 7, 7], rtol=1e-15)
    assert_array_equal(run["held.f"], [1, 1, 1, 1, 7, 7, 7, 7, 7])
    assert_array_equal(run["mixed.f"], run["held.f"])
    assert_allclose(run["mixed.p[2]"], run["linear.p[2]"], rtol=1e-15)


def test_a_run_beyond_a_table_is_refused_before_it_starts_or_holds_the_last_values(rows):
    network = Network()
    network.add(TableSource(rows, beyond="error"), "short")
    with pytest.raises(
        InputError, match=r"component 'short': the rows of .*rows\.csv go from 0 s to 2 s, but the run goes from 0 s to 2\.5 s"
    ):
        Master(network, step=0.25).run(until=2.5)
    with Master(network, step=0.25).start() as run, pytest.raises(InputError, match="Add rows"):
        run.until(3.0)
    warned = Network()
    warned.add(rows, "short")
    with pytest.warns(MobodWarning, match=r"the last row of .*rows\.csv is at 2 s, but the run ends at 3 s") as caught:
        run = Master(warned, step=0.25).run(until=3.0)
    assert len(caught) == 1
    assert_array_equal(run["short.f"][-4:], [7, 7, 7, 7])
    with pytest.raises(InputError, match="Add rows"):
        Master(warned, step=0.25).run(until=2.0, start=-0.5)
    longer = Network()
    longer.add(TableSource(rows, beyond="hold"), "source")
    run = Master(longer, step=0.25).run(until=3.0, start=-0.5)
    assert_array_equal(run["source.f"][[0, 1, -1]], [1, 1, 7])


def test_tables_that_are_none_are_refused(tmp_path, rows):
    with pytest.raises(UnknownNameError, match=r"'linaer'.*Did you mean 'linear'"):
        TableSource(rows, interpolation="linaer")
    with pytest.raises(UnknownNameError, match="Did you mean 'f'"):
        TableSource(rows, held=["ff"])
    with pytest.raises(InputError, match="time must be finite and increase"):
        TableSource(Table(np.array([0.0, 1.0, 0.5]), {"f": np.zeros(3)}))
    with pytest.raises(InputError, match="column 'f' has a value that is not finite"):
        TableSource(Table(np.array([0.0, 1.0]), {"f": np.array([0.0, np.inf])}))


def test_a_table_drives_a_system_along_the_exact_motion():
    """A mass on which a force acts that is held in each step: the table's values at its start."""
    matter = mb.MatterSubsystem(mb.MultibodySystem("cart"))
    cart = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.5, p=[0, 0, 0]), name="cart")
    mb.MobilityForce(mb.ForceSubsystem(matter.system), cart, name="motor")
    times = np.linspace(0.0, 1.0, 5)
    network = Network()
    network.add(matter.system, "cart")
    network.add(Table(times, {"force": np.sin(pi * times)}, {"force": "N"}), "source")
    network.connect("source.force", "cart.motor.force")
    run = Master(network, step=0.25).run(until=1.0)
    speed = np.cumsum([0.0, *(0.25 * np.sin(pi * times[:-1]) / 1.5)])
    assert_allclose(run["cart.cart.u"], speed, rtol=1e-12, atol=1e-14)


def test_the_command_takes_tables_and_fmus_of_fmi_3(tmp_path, rows):
    tank = build_foreign_fmu("tank", tmp_path / "tank.fmu")
    csv = tmp_path / "run.csv"
    arguments = [str(tank), f"plan={rows}", "--connect", "plan.f=tank.u", "--set", "tank.rate=0.25", "--step", "0.5", "--until", "2"]
    result = CliRunner().invoke(cosim, [*arguments, "--output", "tank.level", "--quiet", "-o", str(csv)])
    assert result.exit_code == 0, result.output
    level = [1.0]
    for u in (1.0, 2.0, 7.0, 7.0):
        level.append(4 * u + (level[-1] - 4 * u) * exp(-0.125))
    assert_allclose(Table.from_csv(csv)["tank.level"], level, rtol=1e-14)
