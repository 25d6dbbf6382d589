"""Reference results in an FMU are those of the FMU itself."""

import csv
import itertools
import logging
import time
from types import SimpleNamespace

import fmpy
import numpy as np
import pytest
from lxml import etree
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.fmu.documentation.reference import _TimeLimit
from tests.fmu.archive_content import content

FOLDER = "extra/org.fmi-standard.fmi-ls-ref/"
ROD = mb.MassProperties(1.0, [0, -0.5, 0], mb.Inertia.cylinder(mass=1.0, radius=0.02, length=1.0, axis="y").shifted([0, -0.5, 0]))


def pendulum(name="arm 2"):
    system = mb.MultibodySystem(name)
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    upper = mb.Pin(matter.ground, ROD, name="upper")
    lower = mb.Ball(upper, ROD, mb.Transform(p=[0, -1, 0]), name="lower")
    mb.MobilityForce(forces, upper, force=0.7, name="motor")
    state = system.realize_topology()
    upper.set_q(state, 0.4)
    lower.set_u(state, [0.1, 0.2, 0.3])
    return system, state


def table(text):
    """Name -> column."""
    head, *rows = csv.reader(text.decode().splitlines())
    return dict(zip(head, np.array(rows, dtype=float).T, strict=True))


def read_reference(fmu, name):
    """The columns, and the options."""
    files = content(fmu)
    options = {key: float(value) for key, value in csv.reader(files[f"{FOLDER}{name}_ref.opt"].decode().splitlines())}
    return table(files[f"{FOLDER}{name}_ref.csv"]), options


def by_fmpy(fmu, options, names):
    """The same columns, of a run of the FMU with these options."""
    results = fmpy.simulate_fmu(
        str(fmu),
        fmi_type="CoSimulation",
        start_time=options["StartTime"],
        stop_time=options["StopTime"],
        output_interval=options["StepSize"],
        relative_tolerance=options["RelTol"],
    )
    columns = {}
    for name in names:
        whole, _, index = name.partition("[")
        columns[name] = results[name] if name in results.dtype.names else results[whole][:, int(index.rstrip("]")) - 1]
    return columns


def assert_agrees(fmu, name):
    """At each row of the reference, bit for bit."""
    columns, options = read_reference(fmu, name)
    assert options.keys() == {"StartTime", "StopTime", "StepSize", "RelTol"}
    assert columns["time"][-1] == options["StopTime"]
    run = by_fmpy(fmu, options, columns)
    rows = np.searchsorted(run["time"], columns["time"] - 1e-9)
    for each in columns:
        assert_array_equal(columns[each], run[each][rows], err_msg=each)
    return columns, options


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"code": "interpreted"}, {"code": "interpreted", "fmi_version": "3.0"}, {"kind": "python"}])
def test_an_fmu_gives_its_reference_results(tmp_path, options):
    system, state = pendulum()
    fmu = mb.export_fmu(system, tmp_path / "x.fmu", inputs=["motor.force"], outputs=["upper.q", "lower.p_GB"], state=state, **options)
    columns, _ = assert_agrees(fmu, "arm_2")
    assert list(columns) == ["time", "lower.p_GB[1]", "lower.p_GB[2]", "lower.p_GB[3]", "upper.q"]
    assert len(columns["time"]) == 251
    assert columns["time"][-1] == 10
    files = content(fmu)
    assert files[f"{FOLDER}arm_2_ref.csv"].startswith(b'"time","lower.p_GB[1]"')
    assert files[f"{FOLDER}arm_2_in.csv"] == b'"time","motor.force"\n0.0,0.7\n10.0,0.7\n'
    manifest = etree.fromstring(files[f"{FOLDER}fmi-ls-manifest.xml"])
    assert {each.get("source"): each.get("role") for each in manifest} == {
        "arm_2_in.csv": "testcase",
        "arm_2_ref.csv": "result",
        "arm_2_ref.opt": "configuration",
    }
    assert manifest.get("{http://fmi-standard.org/fmi-ls-manifest}fmi-ls-name") == "org.fmi-standard.fmi-ls-ref"


@pytest.mark.slow
def test_the_results_are_those_of_a_simulation(tmp_path):
    """To the tolerance: a simulation takes steps across the communication points."""
    system, state = pendulum()
    fmu = mb.export_fmu(system, tmp_path / "x.fmu", outputs=["upper.q"], state=state, code="interpreted")
    columns, _ = read_reference(fmu, "arm_2")
    results = mb.Simulation(system, accuracy=1e-9, backend="interpreted").run(state, until=2.0, report_every=0.04)
    np.testing.assert_allclose(columns["upper.q"][:51], results["upper.q"], atol=1e-4)  # 100 times the tolerance of the FMU


def bouncing():
    """A block that falls on a limit, with a bounce, and stops the simulation when it passes 2 m sideways."""
    system = mb.MultibodySystem("bouncing")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    rail = mb.Slider(matter.ground, mb.MassProperties.massless(), name="rail")
    turned = mb.Transform([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    block = mb.Slider(rail, mb.MassProperties.point(1.0, [0, 0, 0]), turned, turned, name="block")
    block.set_limits(0.0, np.inf, restitution=0.6)
    state = system.realize_topology()
    block.set_q(state, 1.0)
    rail.set_u(state, 0.5)
    return system, state


def with_end(system):
    rail = system.matter.body("rail")
    mb.TriggeredEventHandler.of(
        system, lambda state: rail.q(state)[0] - 2.03, lambda state, actions: actions.terminate(), name="arrival", stage=mb.Stage.POSITION
    )


@pytest.mark.slow
def test_events_and_limits_are_in_the_reference(tmp_path):
    system, state = bouncing()
    fmu = mb.export_fmu(system, tmp_path / "b.fmu", outputs=["block.q", "rail.q"], state=state, code="interpreted")
    columns, _ = assert_agrees(fmu, "bouncing")
    assert columns["block.q"].min() > -1e-6
    assert (np.diff(np.sign(np.diff(columns["block.q"]))) > 0).any()  # it bounces


@pytest.mark.slow
def test_fixed_steps_at_velocity_level_are_in_the_reference(tmp_path):
    system, state = bouncing()
    options = {"integrator": "velocity_level", "step": 0.004}
    fmu = mb.export_fmu(system, tmp_path / "b.fmu", outputs=["block.q"], state=state, code="interpreted", **options)
    _, options = assert_agrees(fmu, "bouncing")
    assert options["StepSize"] == 0.08  # whole fixed steps


@pytest.mark.slow
def test_without_outputs_the_reference_has_the_states(tmp_path):
    system, state = bouncing()
    fmu = mb.export_fmu(system, tmp_path / "b.fmu", outputs=[], state=state, code="interpreted")
    columns, _ = read_reference(fmu, "bouncing")
    assert list(columns) == ["time", "rail.q", "block.q", "rail.u", "block.u"]
    assert f"{FOLDER}bouncing_in.csv" not in content(fmu)


def reason_on_page(fmu):
    page = content(fmu)["documentation/index.html"].decode()
    return page.partition("Reference results</h2>")[2].partition("<h2>")[0]


@pytest.mark.slow
def test_an_event_that_ends_the_simulation_ends_the_reference(tmp_path):
    system, _ = bouncing()
    with_end(system)
    state = system.realize_topology()
    system.matter.body("rail").set_u(state, 0.5)
    fmu = mb.export_fmu(system, tmp_path / "b.fmu", outputs=["rail.q"], state=state, code="interpreted")
    columns, options = read_reference(fmu, "bouncing")
    assert columns["time"][-1] == options["StopTime"]
    assert 4.0 < options["StopTime"] <= 4.06  # it arrives at 4.06 s; there is a row every 0.04 s
    assert "event 'arrival' has ended the simulation" in reason_on_page(fmu)


@pytest.mark.slow
def test_a_start_state_that_breaks_constraints_gives_no_reference_but_a_warning(tmp_path, caplog):
    system, _ = pendulum()
    mb.Rod(system.matter.ground, [0, 0, 0], system.matter.body("upper"), [0, -1, 0], length=2.0, name="too long")
    with caplog.at_level(logging.WARNING, logger="mobod"):
        fmu = mb.export_fmu(system, tmp_path / "x.fmu", outputs=["upper.q"], code="interpreted")
    assert not [name for name in content(fmu) if name.startswith(FOLDER)]
    (message,) = (record.getMessage() for record in caplog.records)
    assert message.startswith("'arm 2' has no reference results. ")
    assert "too long" in message
    assert "There are none. " in reason_on_page(fmu)
    assert "too long" in reason_on_page(fmu)


def test_a_failing_force_of_a_user_gives_no_reference_but_a_warning(fragile, caplog):
    assert not [name for name in content(fragile) if name.startswith(FOLDER)]
    assert "There are none." in reason_on_page(fragile)


@pytest.mark.slow
def test_the_work_is_limited(tmp_path, monkeypatch):
    """A shorter experiment, or none; each depends on the model alone, not on time."""
    system, state = pendulum()
    size = len(state.values)
    monkeypatch.setattr("mobod.fmu.documentation.reference._MOST_WORK", 400 * size)
    fmu = mb.export_fmu(system, tmp_path / "x.fmu", outputs=["upper.q"], state=state, code="interpreted")
    columns, options = assert_agrees(fmu, "arm_2")
    assert options["StopTime"] == columns["time"][-1] == pytest.approx(2.0)  # 200 of the 1000 communication steps
    assert "takes too many steps" in reason_on_page(fmu)
    monkeypatch.setattr("mobod.fmu.documentation.reference._MOST_WORK", 100 * size)
    fmu = mb.export_fmu(system, tmp_path / "y.fmu", outputs=["upper.q"], state=state, code="interpreted")
    assert "too large" in reason_on_page(fmu)


def test_a_busy_machine_leaves_the_results_in_the_fmu(tmp_path, monkeypatch):
    """The limit is of the processor time of this thread."""
    system, state = pendulum()
    readings = itertools.chain([0.0], itertools.repeat(30.0))  # s: other programs have the processor for half a minute
    clock = SimpleNamespace(monotonic=lambda: next(readings), thread_time=time.thread_time)
    monkeypatch.setattr("mobod.fmu.documentation.reference.time", clock)
    fmu = mb.export_fmu(system, tmp_path / "x.fmu", outputs=["upper.q"], state=state, code="interpreted")
    assert read_reference(fmu, "arm_2")
    for name, step, said in [("monotonic", 61.0, "60 s, most of which the model waits"), ("thread_time", 5.1, "5 s.")]:
        monkeypatch.setattr(clock, name, itertools.count(0.0, step).__next__)
        with pytest.raises(mb.MobodError, match=f"takes longer than {said}"):
            _TimeLimit().check()


@pytest.mark.slow
def test_no_reference_is_computed_if_none_is_wanted(tmp_path, caplog):
    system, state = pendulum()
    fmu = mb.export_fmu(system, tmp_path / "x.fmu", outputs=["upper.q"], state=state, code="interpreted", reference=False)
    assert not [name for name in content(fmu) if name.startswith(FOLDER)]
    assert reason_on_page(fmu) == ""
    assert not caplog.records
