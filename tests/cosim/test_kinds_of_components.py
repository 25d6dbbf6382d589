"""Networks of FMUs of FMI 2.0 and 3.0, Systems, functions and tables, against exact solutions and against each other."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import errors
from mobod.cosim import Checkpoint, Master, Network, PythonComponent, Signal
from mobod.errors import InputError, UnknownNameError, UnsupportedError
from mobod.simulate.table import Table
from tests.cosim.cut_pendulum import OUTPUTS, RECORDED, add, pendulum
from tests.importer.foreign_fmus import build_foreign_fmu
from tests.unit.simulate.event_systems import HEIGHT, RESTITUTION, bounce_times, bouncing_mass


@pytest.mark.fast(1)
@pytest.mark.parametrize(
    ("algorithm", "has_loop"),
    [
        ("gauss-seidel", False),
        ("jacobi", True),
        pytest.param("jacobi", False, marks=pytest.mark.slow),
        pytest.param("gauss-seidel", True, marks=pytest.mark.slow),
    ],
)
def test_the_cut_pendulum_moves_alike_whatever_its_halves_are(halves, algorithm, has_loop):
    """Bit for bit if there is no loop to be solved, whose size depends on what the halves declare; FMI 3.0 declares for whole arrays."""
    options = {"algorithm": algorithm, "has_loop": has_loop}
    expected = pendulum(halves, "2.0", "2.0", **options).run(until=0.2, outputs=RECORDED)
    assert expected["upper.elbow.p_GF"].shape == (21, 3)
    for upper, lower in (("3.0", "3.0"), ("System", "System"), ("2.0 ME", "2.0 ME"), ("System", "3.0 ME"), ("3.0", "2.0")):
        run = pendulum(halves, upper, lower, **options).run(until=0.2, outputs=RECORDED)
        for name in RECORDED:
            # with a loop, to ten times its tolerance
            assert_allclose(run[name], expected[name], rtol=1e-9 * has_loop, atol=1e-9 * has_loop, err_msg=f"{upper} and {lower}: {name}")


@pytest.mark.fast("3.0", "2.0 ME")
@pytest.mark.parametrize("kind", ["3.0", "System", "2.0 ME", "3.0 ME"])
def test_a_restored_run_goes_on_with_the_same_bits_and_so_does_another_run(halves, kind):
    master = pendulum(halves, kind, kind, algorithm="gauss-seidel")
    with master.start(outputs=RECORDED) as run:
        run.until(0.1)
        checkpoint = run.checkpoint()
        first = run.until(0.2)
        run.restore(checkpoint)
        again = run.until(0.2)
    with master.start(outputs=RECORDED) as other:
        other.restore(Checkpoint.from_bytes(checkpoint.to_bytes()))
        elsewhere = other.until(0.2)
    for name in RECORDED:
        assert_array_equal(again[name], first[name])
        assert_array_equal(elsewhere[name], first[name])


@pytest.mark.parametrize("data", [b"", b"[" * 10_000, b"{}\n", b"null\n", b'{"events": [], "grid": 3}\n'])
def test_a_checkpoint_whose_states_are_no_states_is_refused(halves, data):
    with pendulum(halves, "System", "System").start() as run:
        good = run.checkpoint()
        components = {name: replace(each, data=data + each.data.partition(b"\n")[2]) for name, each in good.components.items()}
        with pytest.raises(InputError, match=r"the checkpoint is damaged: the state of a component|no bytes of a saved state"):
            run.restore(replace(good, components=components))
        run.restore(good)


def test_a_checkpoint_of_another_system_is_refused(halves):
    network = Network()
    network.add(bouncing_mass()[0], "upper")
    network.add(halves["System", "lower"], "lower")
    with pendulum(halves, "System", "System").start() as run:
        checkpoint = run.checkpoint()
    with Master(network).start() as other, pytest.raises(InputError, match="another System named 'upper'"):
        other.restore(checkpoint)


@pytest.mark.parametrize("kind", ["2.0", "3.0", "System", "2.0 ME", "3.0 ME"])
def test_directional_derivatives_are_those_of_the_system(halves, kind):
    network = Network()
    model = add(network, halves, kind, "upper").model
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


@pytest.mark.fast("System", "3.0 ME")
@pytest.mark.parametrize("kind", ["2.0", "3.0", "System", "2.0 ME", "3.0 ME"])
def test_events_within_a_step_are_where_they_are_exactly(kind, tmp_path):
    system, state, _ = bouncing_mass()
    what, options = system, {"state": state}
    if kind != "System":
        what = mb.export_fmu(system, tmp_path / "ball.fmu", outputs=["ball.q"], state=state, fmi_version=kind[:3], code="interpreted")
        options = {"interface": "model-exchange" if kind.endswith("ME") else None}
    network = Network()
    component = network.add(what, "it", **options)
    assert component.model.capabilities.handles_events == ("inside" if kind in ("2.0", "System") else "event mode")
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
    assert_array_equal(run["tank.seen"], [1, 1, 5, 5, 5])
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
    with pytest.raises(errors.ConnectionError, match=r"'tank\.y' cannot be connected to 'tank\.u': they have 3 and 1 entries"):
        network.connect("tank.y", "tank.u")
    with pytest.raises(InputError, match=r"'tank\.y' is an array of 3 entries. Name one of them, such as 'tank\.y\[1\]'"):
        network.port("tank.y")
    with pytest.raises(InputError, match=r"'tank\.gains' has 3 entries, but was given 2"):
        component.set_start({"gains": [1.0, 2.0]})


def test_a_vector_of_variables_of_fmi_2_takes_a_list_as_start():
    parameters = {f"load[{entry}]": Signal(unit="N") for entry in (1, 2, 3)}
    network = Network()
    component = PythonComponent(lambda t, v: v["load[1]"] + 10 * v["load[3]"], parameters=parameters, outputs={"sum": "N"})
    crane = network.add(component, "crane", start={"load": [0.5, 0, -19.6]})
    assert crane.start == {"load[1]": 0.5, "load[2]": 0, "load[3]": -19.6}
    assert_array_equal(Master(network, step=0.1).run(until=0.1)["crane.sum"], 0.5 + 10 * -19.6)
    with pytest.raises(InputError, match=r"'crane\.load' has 3 entries, but was given 2"):
        crane.set_start({"load": [1.0, 2.0]})
    with pytest.raises(InputError, match=r"'crane\.load' is an array of 3 entries. Name one of them, such as 'crane\.load\[1\]'"):
        network.port("crane.load")


def test_types_of_other_ranges_and_clocks_are_refused(tmp_path, described):
    tank = build_foreign_fmu("tank", tmp_path / "tank.fmu")
    network = Network()
    network.add(tank, "tank")
    with pytest.raises(InputError, match=r"'tank\.small' was given 256\. Type UInt8 goes from 0 to 255"):
        network.components["tank"].set_start({"small": 256})
    network.add(PythonComponent(lambda t, v: 1, outputs={"wide": Signal(kind="integer"), "flag": Signal(kind="boolean")}), "it")
    network.connect("it.wide", "tank.mode")
    with pytest.raises(mb.errors.ConnectionError, match="types are Boolean and Int32"):
        network.connect("it.flag", "tank.mode")
    clock = '<Clock name="tick_tock" valueReference="99" causality="output" intervalVariability="triggered"/></ModelVariables>'
    with pytest.raises(UnsupportedError, match="it has clocks, which mobod does not activate: tick_tock"):
        network.add(described(tank, ("</ModelVariables>", clock), name="clocked.fmu"), "clocked")


def test_what_cannot_be_a_component_is_refused(halves):
    network = Network()
    with pytest.raises(InputError, match=r"3\.7 cannot be a component"):
        network.add(3.7, "number")
    with pytest.raises(InputError, match="'state' is for a System"):
        network.add(halves["2.0", "upper"], "upper", state=halves["System", "upper"].realize_topology())
    with pytest.raises(UnknownNameError, match=r"Did you mean 'upper\.q'"):
        network.add(halves["System", "upper"], "upper", outputs=["uper.q"])
    with pytest.raises(InputError, match="state and its update together"):
        PythonComponent(lambda t, v: 0.0, outputs=["y"], state=1.0)
    network.add(halves["System", "upper"], "upper")
    with Master(network).start() as run, pytest.raises(InputError, match=r"'upper\.upper\.q' cannot be set during a run"):
        run.set({"upper.upper.q": 0.3})
    assert list(network.components) == ["upper"]
