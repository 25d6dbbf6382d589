"""Networks of FMUs of FMI 2.0 and 3.0, Systems, functions and tables, against exact solutions and against each other."""

from math import exp, pi

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import Checkpoint, Master, Network, PythonModel, Signal, TableSource
from mobod.errors import InputError, MobodError, UnknownNameError, UnsupportedError
from mobod.simulate.table import Table
from tests.importer.foreign_fmus import build_foreign_fmu
from tests.unit.simulate.event_systems import HEIGHT, RESTITUTION, bounce_times, bouncing_mass

END = mb.Transform(p=[0, -1, 0])
MOTION = {"elbow.p_GF": "elbow.motion.q", "elbow.v_GF": "elbow.motion.u", "elbow.a_GF": "elbow.motion.u_dot"}


def rod(mass):
    return mb.MassProperties(mass, [0, -0.5, 0], mb.Inertia.cylinder(mass=mass, radius=0.02, length=1.0, axis="y").shifted([0, -0.5, 0]))


def half(name):
    """The upper or the lower half of a double pendulum that is cut at its elbow."""
    matter = mb.MatterSubsystem(mb.MultibodySystem(name))
    mb.Gravity(mb.ForceSubsystem(matter.system), matter, down=[0, -1, 0], magnitude=9.8, name="gravity")
    if name == "upper":
        upper = mb.Pin(matter.ground, rod(10.0), name="upper")
        upper.set_default_q(1.0)
        mb.Port(upper, END, name="elbow")
    else:
        elbow = mb.Translation(matter.ground, mb.MassProperties(0, [0, 0, 0], np.zeros((3, 3))), name="elbow")
        mb.InputMotion(elbow)
        mb.Pin(elbow, rod(1.0), name="lower").set_default_q(-0.4)
    return matter.system


OUTPUTS = {"upper": ["upper.q", *MOTION], "lower": ["lower.q", "elbow.motion.load"]}


@pytest.fixture(scope="module")
def halves(tmp_path_factory):
    """The halves by kind: '2.0' and '3.0' are FMUs, 'System' is a System."""
    folder = tmp_path_factory.mktemp("halves")
    made = {}
    for name, inputs in (("upper", ["elbow.force"]), ("lower", list(MOTION.values()))):
        made["System", name] = half(name)
        for version in ("2.0", "3.0"):
            path = folder / f"{name}_{version}.fmu"
            made[version, name] = mb.export_fmu(half(name), path, inputs=inputs, outputs=OUTPUTS[name], fmi_version=version)
    return made


def pendulum(halves, upper, lower, **options):
    network = Network()
    network.add(halves[upper, "upper"], "upper")
    network.add(halves[lower, "lower"], "lower")
    for output, follower in MOTION.items():
        network.connect_vectors(f"upper.{output}", f"lower.{follower}")
    network.connect_vectors("lower.elbow.motion.load", "upper.elbow.force")
    return Master(network, step=0.01, tolerance=1e-9, **options)


RECORDED = ["upper.upper.q", "lower.lower.q", "upper.elbow.p_GF", "lower.elbow.motion.load"]


@pytest.mark.parametrize("algorithm", ["jacobi", "gauss-seidel"])
def test_the_cut_pendulum_moves_alike_whatever_its_halves_are(halves, algorithm):
    expected = pendulum(halves, "2.0", "2.0", algorithm=algorithm).run(until=0.2, outputs=RECORDED)
    assert expected["upper.elbow.p_GF"].shape == (21, 3)
    for upper, lower in (("3.0", "3.0"), ("System", "System"), ("2.0", "System"), ("System", "3.0")):
        run = pendulum(halves, upper, lower, algorithm=algorithm).run(until=0.2, outputs=RECORDED)
        for name in RECORDED:
            assert_array_equal(run[name], expected[name], err_msg=f"{upper} and {lower}: {name}")


@pytest.mark.parametrize("kind", ["3.0", "System"])
def test_a_restored_run_goes_on_with_the_same_bits_and_so_does_another_run(halves, kind):
    master = pendulum(halves, kind, kind, algorithm="gauss-seidel")
    with master.start(outputs=RECORDED) as run:
        run.until(0.1)
        checkpoint = run.checkpoint()
        first = run.until(0.3)
        run.restore(checkpoint)
        again = run.until(0.3)
    with master.start(outputs=RECORDED) as other:
        other.restore(Checkpoint.from_bytes(checkpoint.to_bytes()))
        elsewhere = other.until(0.3)
    for name in RECORDED:
        assert_array_equal(again[name], first[name])
        assert_array_equal(elsewhere[name], first[name])


def test_a_checkpoint_of_another_system_is_refused(halves):
    network = Network()
    network.add(bouncing_mass()[0], "upper")
    network.add(halves["System", "lower"], "lower")
    with pendulum(halves, "System", "System").start() as run:
        checkpoint = run.checkpoint()
    with Master(network).start() as other, pytest.raises(InputError, match="another System named 'upper'"):
        other.restore(checkpoint)


@pytest.mark.parametrize("kind", ["2.0", "3.0", "System"])
def test_directional_derivatives_are_those_of_the_system(halves, kind):
    network = Network()
    model = network.add(halves[kind, "upper"], "upper").model
    assert model.capabilities.directional_derivatives
    system = halves["System", "upper"]
    exact = system.directional_derivative(system.realize_topology(), ["elbow.a_GF"], {"elbow.force": [0.3, -0.7, 0]})["elbow.a_GF"]
    with model.instance("upper") as instance:
        instance.set_up(0.0, None, None)
        instance.enter_initialization()
        instance.exit_initialization()
        unknowns = [f"elbow.a_GF[{i}]" for i in (1, 2, 3)]
        found = instance.directional_derivative(unknowns, ["elbow.force[2]", "elbow.force[1]"], [-0.7, 0.3])
    assert_allclose(found, exact, rtol=1e-12, atol=1e-14)


def test_an_output_depends_on_the_same_inputs_in_a_system_and_in_its_fmus(halves):
    network = Network()
    for half_name in ("upper", "lower"):
        models = {kind: network.add(halves[kind, half_name], f"{half_name}{kind[0]}").model for kind in ("2.0", "3.0", "System")}
        for name in OUTPUTS[half_name]:
            for entry in (each for each in models["2.0"].variables if each == name or each.startswith(f"{name}[")):
                of_fmu = models["2.0"].inputs_of(entry, at_start=False)
                of_system = models["System"].inputs_of(entry, at_start=False)
                assert of_system & set(network.components[f"{half_name}2"].inputs) == of_fmu
                assert models["3.0"].inputs_of(entry, at_start=False) >= of_fmu  # those of the whole array
    assert network.components["upperS"].model.inputs_of("elbow.a_GF[1]", at_start=False) >= {"elbow.force[1]", "elbow.force[2]"}


# events ----------------------------------------------------------------------------------------------------------------------------------


def height(t):
    """m: of the ball that bounces, exactly."""
    start, speed, since = HEIGHT, 0.0, 0.0
    for bounce in bounce_times(1.5):
        if bounce > t:
            break
        speed = RESTITUTION * (9.8 * (bounce - since) - speed)
        start, since = 0.0, bounce
    return start + speed * (t - since) - 4.9 * (t - since) ** 2


@pytest.mark.parametrize("kind", ["2.0", "3.0", "System"])
def test_events_within_a_step_are_where_they_are_exactly(kind, tmp_path):
    system, state, _ = bouncing_mass()
    what, options = system, {"state": state}
    if kind != "System":
        what = mb.export_fmu(system, tmp_path / "ball.fmu", outputs=["ball.q"], state=state, fmi_version=kind, code="interpreted")
        options = {}
    network = Network()
    component = network.add(what, "it", **options)
    assert component.model.capabilities.handles_events == ("event mode" if kind == "3.0" else "inside")
    run = Master(network, step=0.3, tolerance=1e-11).run(until=1.2)
    assert_allclose(run["it.ball.q"], [height(t) for t in run.time], atol=1e-9)  # a hundred times the tolerance


def test_a_system_that_ends_the_simulation_ends_the_run(tmp_path):
    system, state, _ = bouncing_mass(stop_at=2)
    network = Network()
    network.add(mb.Simulation(system, accuracy=1e-10), "ball", state=state)
    run = Master(network, step=0.3).run(until=3.0)
    assert run.terminated_by == "ball"
    assert_allclose(run.time[-1], bounce_times(2.0)[1], rtol=1e-9)


def with_event_mode(tmp_path):
    element = '<CoSimulation modelIdentifier="tank" '
    return build_foreign_fmu("tank", tmp_path / "tank.fmu", (element, f'{element}hasEventMode="true" '))


def test_time_events_of_an_fmu_with_event_mode_are_handled_between_communication_points(tmp_path):
    network = Network()
    network.add(with_event_mode(tmp_path), "tank", start={"tick": 0.3, "u": 0.2, "limit": 0.9})
    run = Master(network, step=0.5).run(until=2.0)
    assert_array_equal(run["tank.ticks"], [0, 1, 3, 5, 6])
    assert_array_equal(run["tank.crossings"], [0, 0, 1, 1, 1])  # it is seen at the next event
    assert_allclose(run["tank.level"], 0.4 + 0.6 * np.exp(-0.5 * run.time), rtol=1e-14)


def test_discrete_inputs_are_set_in_event_mode_when_they_change(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr("mobod.fmi.loaded_fmu.LoadedFmu.observer", calls.append)
    network = Network()
    network.add(with_event_mode(tmp_path), "tank")
    network.add(Table(np.array([0.0, 0.15, 1.0]), {"mode": np.array([1, 5, 5], dtype=np.int32)}), "plan")
    network.connect("plan.mode", "tank.mode")
    run = Master(network, step=0.1).run(until=0.4)
    assert_array_equal(run["tank.seen"], [1, 1, 1, 5, 5])
    assert [call for call in calls if "EnterEventMode" in call] == ["fmi3EnterEventMode from 0.2 s"]


def test_an_fmu_of_fmi_3_may_end_the_run(tmp_path):
    network = Network()
    network.add(build_foreign_fmu("tank", tmp_path / "tank.fmu"), "tank", start={"end_at": 0.27})
    run = Master(network, step=0.1).run(until=1.0)
    assert (run.terminated_by, run.time[-1]) == ("tank", 0.27)


# arrays and types of FMI 3.0 -------------------------------------------------------------------------------------------------------------


def test_arrays_are_connected_set_and_recorded_as_vectors(tmp_path):
    tank = build_foreign_fmu("tank", tmp_path / "tank.fmu")
    network = Network()
    component = network.add(tank, "tank", start={"gains": [2.0, 3.0, 4.0], "n": 3, "rate": 0.7})
    component.set_start({"gains[2]": 5.0, "table": [1.0, 2.0, 3.0]})
    recorded = ["tank.y", "tank.y[2]", "tank.total"]
    run = Master(network, step=0.1).run(until=0.2, outputs=recorded)
    level = np.exp(-0.7 * run.time)
    assert_allclose(run["tank.y"], np.outer(level, [2.0, 5.0, 4.0]), rtol=1e-14)
    assert_array_equal(run["tank.y[2]"], run["tank.y"][:, 1])
    assert_array_equal(run["tank.total"], 6.0)
    with pytest.raises(InputError, match=r"'tank\.y' is an array of 3 entries.*connect_vectors"):
        network.connect("tank.y", "tank.u")
    with pytest.raises(InputError, match=r"'tank\.gains' has 3 entries, but was given 2"):
        component.set_start({"gains": [1.0, 2.0]})


def test_types_of_other_ranges_and_clocks_are_refused(tmp_path, described):
    tank = build_foreign_fmu("tank", tmp_path / "tank.fmu")
    network = Network()
    network.add(tank, "tank")
    with pytest.raises(InputError, match=r"'tank\.small' was given 256\. Type UInt8 goes from 0 to 255"):
        network.components["tank"].set_start({"small": 256})
    network.add(PythonModel(lambda t, v: 1, outputs={"wide": Signal(kind="integer"), "flag": Signal(kind="boolean")}), "it")
    network.connect("it.wide", "tank.mode")
    with pytest.raises(mb.errors.ConnectionError, match="types are Boolean and Int32"):
        network.connect("it.flag", "tank.mode")
    clock = '<Clock name="tick_tock" valueReference="99" causality="output" intervalVariability="triggered"/></ModelVariables>'
    with pytest.raises(UnsupportedError, match="it has clocks, which mobod does not activate: tick_tock"):
        network.add(described(tank, ("</ModelVariables>", clock), name="clocked.fmu"), "clocked")


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
    control = PythonModel(lambda t, v: -v["gain"] * v["x"], inputs={"x": "m"}, outputs=output, parameters={"gain": Signal(start=3.0)})
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
    network.add(PythonModel(function, outputs=["y"]), "bad")
    with pytest.raises(MobodError, match=message):
        Master(network).run(until=0.1)


def test_what_cannot_be_a_component_is_refused(halves):
    network = Network()
    with pytest.raises(InputError, match=r"3\.7 cannot be a component"):
        network.add(3.7, "number")
    with pytest.raises(InputError, match="'state' is for a System"):
        network.add(halves["2.0", "upper"], "upper", state=halves["System", "upper"].realize_topology())
    with pytest.raises(UnknownNameError, match=r"Did you mean 'upper\.q'"):
        network.add(halves["System", "upper"], "upper", outputs=["uper.q"])
    with pytest.raises(InputError, match="state and its update together"):
        PythonModel(lambda t, v: 0.0, outputs=["y"], state=1.0)
    network.add(halves["System", "upper"], "upper")
    with Master(network).start() as run, pytest.raises(InputError, match=r"'upper\.upper\.q' cannot be set during a run"):
        run.set({"upper.upper.q": 0.3})
    assert list(network.components) == ["upper"]


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
    network.add(rows, "short")
    with pytest.raises(
        InputError, match=r"component 'short': the rows of .*rows\.csv go from 0 s to 2 s, but the run goes from 0 s to 2\.5 s"
    ):
        Master(network, step=0.25).run(until=2.5)
    with Master(network, step=0.25).start() as run, pytest.raises(InputError, match="Add rows"):
        run.until(3.0)
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
