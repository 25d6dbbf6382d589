"""Steps of a network in C: the bits are those of calls from Python, whatever the types, the order and the number of threads."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import Master, Network, PythonComponent, Signal
from mobod.cosim.algorithms.explicit import Explicit
from mobod.cosim.exchange import steps_in_c
from mobod.cosim.exchange.threads import ThreadChoice
from mobod.errors import FmuCallError, FmuError, InputError
from mobod.fmi.loaded_fmu import LoadedFmu
from tests.cosim.coupled_masses import CONNECTIONS, HALVES, INPUTS, OUTPUTS, export_halves, half, network_of
from tests.cosim.other_masters import ecos_run, libcosim_run
from tests.importer.foreign_fmus import build_foreign_fmu

STEP = 1e-3  # s


@pytest.fixture(scope="module", params=["2.0", "3.0"])
def masses(request, tmp_path_factory):
    return export_halves(tmp_path_factory.mktemp("masses"), fmi_version=request.param, integrator="RK4", step=STEP)


def bits(table):
    return {name: np.asarray(table[name]).tobytes() for name in table}


@pytest.mark.fast("2.0-gauss-seidel-delayed")
@pytest.mark.parametrize(("algorithm", "feedthrough"), [("jacobi", "direct"), ("gauss-seidel", "delayed")])
def test_c_gives_the_bits_of_calls_from_python(masses, algorithm, feedthrough, monkeypatch):
    master = Master(network_of(masses), step=STEP, algorithm=algorithm, feedthrough=feedthrough)
    in_c = master.run(until=0.3)
    monkeypatch.setattr(LoadedFmu, "observer", lambda call: None)  # then C leaves all calls of FMUs to Python
    assert bits(master.run(until=0.3)) == bits(in_c)
    assert np.ptp(in_c["left.mass.q"]) > 0.1


def ring_of(fmu, n):
    """n equal FMUs, each of which drives the next one."""
    network = Network()
    for k in range(n):
        network.add(fmu, f"mass{k}")
    for k in range(n):
        for output, target in zip(OUTPUTS, INPUTS, strict=True):
            network.connect(f"mass{k}.{output}", f"mass{(k + 1) % n}.{target}")
    return network


def functions_called(call):
    """The number of calls of functions in Python."""
    found = []
    sys.setprofile(lambda frame, event, _: found.append(frame.f_code.co_name) if event == "call" else None)
    try:
        call()
    finally:
        sys.setprofile(None)
    return len(found)


@pytest.mark.fast("3.0")
def test_python_does_nothing_for_single_fmus_in_a_step(masses):
    numbers = set()
    for n in (2, 4):
        with Master(ring_of(masses["left"], n), step=STEP, threads=1).start() as run:
            run.until(3 * STEP)
            numbers.add(functions_called(lambda run=run: run.until(run.time + STEP)))
    assert len(numbers) == 1


@pytest.mark.fast("3.0")
def test_c_calls_no_fmu_that_was_closed(masses):
    with Master(network_of(masses), step=STEP).start() as run:
        run.until(3 * STEP)
        run._instances["right"].close()
        with pytest.raises(FmuCallError, match=r"'right'.*was closed"):
            run.until(4 * STEP)
        assert run._instances["left"].time == run.time


def chain_and_loop():
    """A plant whose output passes through two gains, of which the second one is in an algebraic loop, and comes back."""
    network = Network()
    plant = PythonComponent(
        lambda t, v, x: {"x": x, "m": int(10 * x)},
        update=lambda t, h, v, x: x + h * (v["u"] + v["n"] / 100),
        state=1.0,
        inputs={"u": Signal(), "n": Signal(start=0, kind="integer")},
        outputs={"x": Signal(), "m": Signal(start=0, kind="integer")},
        is_direct=False,
    )
    network.add(plant, "plant")
    for name in ("first", "second", "third"):
        network.add(PythonComponent(lambda t, v: -0.7 * v["u"] + 0.2 * v["w"], inputs=["u", "w"], outputs=["y"]), name)
    connections = [
        ("plant.x", "first.u"),
        ("first.y", "second.u"),
        ("second.y", "third.w"),
        ("third.y", "second.w"),
        ("second.y", "plant.u"),
    ]
    for source, target in [*connections, ("plant.m", "plant.n")]:
        network.connect(source, target)
    return network


@pytest.mark.parametrize("algorithm", ["jacobi", "gauss-seidel"])
@pytest.mark.parametrize("feedthrough", ["direct", "delayed"])
def test_operations_in_c_are_what_the_algorithm_does_in_python(algorithm, feedthrough, monkeypatch):
    master = Master(chain_and_loop(), step=0.05, algorithm=algorithm, feedthrough=feedthrough)
    in_c = master.run(until=1.0)
    monkeypatch.setattr(Explicit, "operations", lambda _: None)
    assert bits(master.run(until=1.0)) == bits(in_c)
    assert abs(in_c["plant.x"][-1] - 1) > 0.1


@pytest.mark.slow
def test_parts_of_a_run_one_step_at_a_time_and_threads_give_the_same_bits(masses, monkeypatch):
    network = network_of(masses)
    whole = Master(network, step=STEP, threads=1).run(until=0.2)
    with Master(network, step=STEP).start() as run:
        parts = [run.until(time) for time in (0.05, 0.2)]
    assert np.concatenate([parts[0]["left.mass.q"][:-1], parts[1]["left.mass.q"]]).tobytes() == whole["left.mass.q"].tobytes()
    monkeypatch.setattr(steps_in_c, "_MOST_STEPS", 1)
    assert bits(Master(network, step=STEP).run(until=0.2)) == bits(whole)
    monkeypatch.undo()
    helped = []
    monkeypatch.setattr(ThreadChoice, "next", lambda choice: choice.most > 1)
    help_in_c = steps_in_c.Plan.help
    monkeypatch.setattr(steps_in_c.Plan, "help", lambda plan: helped.append(help_in_c(plan)))
    assert bits(Master(network, step=STEP, threads=3).run(until=0.2)) == bits(whole)
    assert helped


def test_threads_are_used_where_they_are_faster_and_tried_again():
    choice = ThreadChoice(2)
    choice.note(False, 1e-6)
    assert not choice.next()  # a step is too short
    choice = ThreadChoice(2)
    used = []
    for _ in range(40):
        used.append(choice.next())
        choice.note(used[-1], 60e-6 if used[-1] else 100e-6)
    assert 0.8 < np.mean(used[10:]) < 1
    assert not ThreadChoice(1).next()
    with pytest.raises(InputError, match="threads"):
        Master(Network(), threads=0)


@pytest.mark.slow
def test_numbers_of_all_types_arrays_and_texts_pass_as_by_python(fmus, tmp_path, monkeypatch):
    """Integers, booleans and arrays in C; texts and integers of 64 bits by Python; a part of an array, which keeps its other entries."""
    tank = build_foreign_fmu("tank", tmp_path / "tank.fmu")
    network = Network()
    for name in ("all", "next"):
        network.add(fmus["all_types"], name)
    for kind in ("real", "integer", "boolean", "string"):
        network.connect(f"all.{kind}_out", f"next.{kind}_in")
    network.add(tank, "tank")
    network.add(PythonComponent(lambda t, v: v["u"], inputs=["u"], outputs=["y"]), "function")
    network.connect("tank.y[2]", "function.u", gain=-2.0, offset=0.25)
    master = Master(network, step=0.05)
    in_c = master.run(until=0.5)
    assert_allclose(in_c["function.y"], 0.25 - 2 * in_c["tank.y"][:, 1], rtol=1e-15)
    monkeypatch.setattr(LoadedFmu, "observer", lambda call: None)
    by_python = master.run(until=0.5)
    for name in by_python:
        assert in_c[name].dtype == by_python[name].dtype
        assert_array_equal(in_c[name], by_python[name])


def test_one_output_goes_to_many_inputs_each_with_its_gain():
    network = Network()
    network.add(PythonComponent(lambda t, v: {"y": 1 + t}, outputs=["y"]), "source")
    network.add(
        PythonComponent(lambda t, v: dict(zip(("a", "b", "c"), v.values(), strict=True)), inputs=["u", "v", "w"], outputs=["a", "b", "c"]),
        "f",
    )
    for name, gain in (("u", 1.0), ("v", -3.0), ("w", 0.5)):
        network.connect("source.y", f"f.{name}", gain=gain)
    run = Master(network, step=0.25).run(until=1.0)
    assert_array_equal(run["f.b"], -3 * run["source.y"])
    assert_array_equal(run["f.c"], 0.5 * run["source.y"])


@pytest.mark.slow
def test_after_an_error_of_an_fmu_the_rows_before_are_kept_and_instances_know_their_time(tmp_path):
    """The neighbour is suddenly so far away that the force of the spring is no number."""
    network = Network()
    network.add(export_halves(tmp_path, integrator="RK4", step=STEP)["left"], "left")
    network.add(PythonComponent(lambda t, v: {"y": 0.0 if t < 0.05 else 1e308}, outputs={"y": "m"}), "wild")
    network.connect("wild.y", "left.neighbour.motion.q")
    with Master(network, step=STEP).start() as run:
        with pytest.raises(FmuError, match=r"FMU 'left' .* at 0\.\d+ s") as caught:
            run.until(1.0)
        rows = run.recorded
    assert f" at {rows.time[-1]:.12g} s" in str(caught.value) or f" at {rows.time[-1] + STEP:.12g} s" in str(caught.value)
    assert len(rows.time) > 10
    assert np.isfinite(rows["left.mass.q"]).all()


def test_fmus_log_failures_alone(masses):
    with Master(network_of(masses), step=STEP).start() as run:
        run.until(0.01)
        logs = [str(run._instances[name].loaded.log) for name in HALVES]
    assert logs == ["The FMU logged nothing."] * 2


@pytest.mark.slow
@pytest.mark.parametrize("other", [libcosim_run, ecos_run])
def test_libcosim_and_ecos_have_the_same_numbers(other, tmp_path):
    """Both hold inputs, and exchange values between steps as Jacobi does."""
    halves = export_halves(tmp_path, integrator="RK4", step=STEP)
    results = Master(network_of(halves), step=STEP, feedthrough="delayed").run(until=0.4)
    try:
        with other(halves, CONNECTIONS, STEP) as run:
            run.step(400)
            found = {f"{name}.mass.{q}": run.value(f"{name}.mass.{q}") for name in HALVES for q in "qu"}
    except ImportError as missing:
        pytest.skip(f"the other master cannot be used here: {missing}")
    for name, value in found.items():
        assert abs(value - results[name][-1]) <= 1e-13


@pytest.mark.fast("3.0")
def test_systems_give_nearly_the_numbers_of_their_fmus(masses):
    network = Network()
    for name in HALVES:
        network.add(mb.Simulation(half(name), integrator="RK4", step=STEP), name)
    for source, target in CONNECTIONS:
        network.connect(source, target)
    ours = Master(network, step=STEP).run(until=0.1)
    theirs = Master(network_of(masses), step=STEP).run(until=0.1)
    assert_allclose(ours["left.mass.q"], theirs["left.mass.q"], rtol=1e-13)
