"""The checks that run an FMU find planted faults, each by the right rule and clause; and nothing in FMUs that are right."""

import re
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.acceptance import validate_fmu
from mobod.acceptance.behaviour.walk import bounded
from mobod.acceptance.declared_checks import CHECKS
from tests.acceptance.planted_fmu import planted_fmu, run_check_here
from tests.importer.foreign_fmus import build_foreign_fmu

# fault of planted.c: check, rule, clause of FMI 2.0.5, severity, part of the message
FAULTS = {
    "guid": ("load", "wrong-token", "2.1.5", "warning", "although the guid is not that"),
    "prints": ("load", "prints", "2.1 ", "warning", "hello"),
    "chdir": ("load", "global-settings", "2.1 ", "error", "the working directory"),
    "files": ("load.folder", "files", "2.1.5", "warning", "log.txt"),
    "uri": ("load.folder", "folder", "2.1.5", "warning", "returned no instance"),
    "start": ("start.co-simulation", "start-value", "2.2.7", "error", "'k' is 3 in Initialization Mode, but its start value is 2"),
    "lost": ("start.model-exchange", "value-lost", "2.1.7", "error", "'d' was set to 0.300"),
    "stale": ("first.model-exchange", "first-values", "2.1.7", "error", "'y' is 0 when it is read first, and 1 after"),
    "behind": ("first.co-simulation", "first-values", "2.1.7", "error", "'y' is 0 after the initialization, and 1 in model exchange"),
    "reset": ("calls.co-simulation", "reset", "2.1.6", "error", "after fmi2Reset in the run"),
    "order": ("order.co-simulation", "call-order", "4.2.4", "warning", "fmi2DoStep of a new instance"),
    "reference": ("order.model-exchange", "value-reference", "2.1.2", "error", "fmi2GetReal returns ok for the value reference"),
    "constant": ("order.co-simulation", "constant", "2.1.2", "error", "'least' can be set"),
    "nan": ("run.co-simulation", "not-finite", "2.1.7", "error", "'y' is nan at 0.26 s"),
    "step": ("run.co-simulation", "step-dependence", "4.2.2", "error", "does not bring these outputs together: y, z"),
    "time": ("run.co-simulation", "communication-point", "4.2.2", "error", "'time' is 0.0205"),
    "exchange": ("run.model-exchange", "interfaces-differ", "3.2.2", "error", "different outputs: y, z"),
    "random": ("steps.co-simulation", "not-repeatable", "2.1 ", "error", "'z' at point 0"),
    "stop": ("steps.co-simulation", "stop-time", "2.1.6", "warning", "beyond the stop time"),
    "derivative": (
        "derivatives.model-exchange", "directional-derivative", "2.1.9", "error", "'der(v)' with respect to 'v' is 0.",
    ),
    "small": ("derivatives.model-exchange", "directional-derivative", "2.1.9", "error", "'z' with respect to 'v' is 1."),
    "near": ("derivatives.co-simulation", "directional-derivative", "2.1.9", "error", "'y' with respect to 'u' is 1."),
    "discards": ("derivatives.model-exchange", "directional-derivative", "2.1.9", "error", "returns discard for each"),
    "feedthrough": ("dependencies.co-simulation", "undeclared-dependency", "2.2.8", "error", "'z' depends on 'u'"),
    "nonlinear": ("dependencies.model-exchange", "dependency-kind", "2.2.8", "error", "'y' is not linear in 'u'"),
    "state": ("state.co-simulation", "state", "2.1.8", "error", "after a restored state the run differs: 'z' at point 10"),
    "bytes": ("bytes.model-exchange", "state", "2.1.8", "error", "a state from bytes in another instance"),
    "shared": ("instances.co-simulation", "instances", "2.1.5", "error", "while another one runs: 'y' at point"),
    "threads": ("threads.co-simulation", "threads", "2.1 ", "error", "disturb each other: 'y' at point"),
    "leak": ("leaks.model-exchange", "leak", "2.1.5", "error", "bytes of memory behind"),
}  # fmt: skip

BY_NAME = {check.name: check for check in CHECKS}
RUNNING = [check.name for check in CHECKS if check.runs]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_by_its_check(fault, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # and back, after the fault that changes it
    name, rule, clause, severity, text = FAULTS[fault]
    findings = run_check_here(planted_fmu(tmp_path, fault), name).findings
    found = [each for each in findings if each.rule == rule]
    assert found, findings
    assert {each.rule for each in findings} == {rule}
    assert all(each.clause.startswith(f"FMI 2.0.5, {clause}") and each.severity == severity for each in found)
    assert any(text in each.message for each in found), found


@pytest.mark.fast(2)
@pytest.mark.parametrize(
    ("fault", "name", "rule", "text"),
    [
        ("null", "run.co-simulation", "crash", "(SIGSEGV) during: fmi2DoStep from 0.2"),
        ("exit", "run.co-simulation", "exit", "(exit code 0) during: fmi2DoStep from 0.2"),
        ("endless", "run.co-simulation", "no-answer", "no answer within 2 s, during: fmi2DoStep from 0.2"),
        ("truncated", "bytes.co-simulation", "crash", "with damaged bytes of a state: no bytes"),
    ],
)
def test_a_crash_an_exit_and_an_endless_loop_are_found_with_the_call(fault, name, rule, text, tmp_path):
    report = validate_fmu(planted_fmu(tmp_path, fault), checks=[name], timeout=2.0)
    (finding,) = report.findings
    assert (finding.rule, finding.severity) == (rule, "error")
    assert text in finding.message
    assert not report.is_valid


def test_a_derivative_of_round_off_size_is_right_where_differences_are_zero(tmp_path):
    """The derivative of z, which is 0, by v is given as 2.3e-13, beside 1 for that of x'; 2.3e-9 is a fault, see above."""
    result = run_check_here(planted_fmu(tmp_path, "residue"), "derivatives.model-exchange")
    assert list(result.findings) == []
    assert "In Continuous-Time Mode 7 derivatives were compared with differences." in result.notes


def test_at_a_kink_a_derivative_of_one_side_is_right(tmp_path):
    """The slope of y by u is 2 below and 2.004 above the value of u, and is given as 2; 2.002 without a kink is a fault, see above."""
    assert list(run_check_here(planted_fmu(tmp_path, "kink"), "derivatives.co-simulation").findings) == []


def test_a_known_that_is_zero_up_to_round_off_is_changed_by_more_than_round_off(tmp_path):
    """u is 1e-22, and y is (x + 2 u) - x, which changes of u in proportion to its value do not change."""
    result = run_check_here(planted_fmu(tmp_path, "residual"), "derivatives.co-simulation")
    assert list(result.findings) == []


def test_differences_that_change_with_their_step_prove_no_fault(tmp_path):
    """y is the sum of other terms and 2^18, less 2^18: its round-off of 6e-11, over steps of 1e-7, is 2e-4 of the derivative."""
    assert list(run_check_here(planted_fmu(tmp_path, "cancelled"), "derivatives.co-simulation").findings) == []


def test_a_step_of_eulers_method_changes_no_state_by_more_than_a_tenth():
    """So a walk of a stiff model, whose steps would grow by a factor each, stays where the model is defined."""
    sizes = np.array([2.0, 0.5])
    assert_allclose(bounded(np.array([4.0, -3.0]), sizes), [0.1 * 4 / 6, -0.1 * 0.5])
    assert_allclose(bounded(np.array([0.1, -0.04]), sizes), [0.1, -0.04])


def test_derivatives_that_an_fmu_discards_in_one_mode_are_noted(tmp_path):
    result = run_check_here(planted_fmu(tmp_path, "unknown_at_start"), "derivatives.model-exchange")
    assert list(result.findings) == []
    assert any(note.startswith("In Initialization Mode it gives no derivatives with respect to x, v, d, u") for note in result.notes)
    assert "In Continuous-Time Mode 7 derivatives were compared with differences." in result.notes


def test_adjoints_of_round_off_size_are_right_where_friction_holds_all(tmp_path):
    system = mb.MultibodySystem("held")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0.1, -1, 0.2], magnitude=9.7, name="gravity")
    body = matter.ground
    for name in ("one", "two", "three"):
        body = mb.Pin(body, mb.MassProperties(1.3, [0.2, -0.3, 0.1], np.diag([0.6, 0.7, 0.8])), mb.Transform(p=[0.1, -0.7, 0.2]), name=name)
        mb.JointFriction(forces, body, limit=100.0, transition_speed=None, name=f"brake {name}")
        mb.MobilityForce(forces, body, name=f"motor {name}")
    inputs = [f"motor {name}.force" for name in ("one", "two", "three")]
    options = {"fmi_version": "3.0", "code": "interpreted", "reference": False}
    path = mb.export_fmu(system, tmp_path / "held.fmu", inputs=inputs, outputs=["three.p_GB", "three.a_GB"], **options)
    result = run_check_here(path, "derivatives.model-exchange")
    assert list(result.findings) == []
    assert "In Event Mode adjoint derivatives agree with directional ones." in result.notes


@pytest.mark.slow
def test_nothing_is_found_in_an_fmu_without_faults(tmp_path):
    report = validate_fmu(planted_fmu(tmp_path), checks=RUNNING)
    assert [(check.name, check.detail) for check in report.checks if check.findings] == []
    assert {check.outcome for check in report.checks if check.name != "events.co-simulation"} == {"passed"}
    assert {each.verdict for each in report.differences} == {"agree"}
    assert report.is_valid


def test_the_notes_of_a_right_fmu_say_what_was_done(tmp_path):
    fmu = planted_fmu(tmp_path)
    exchange = run_check_here(fmu, "run.model-exchange")
    assert "Co-simulation and model exchange agree." in exchange.notes
    assert [curve.plot for curve in exchange.curves] == ["y", "z"]
    run = run_check_here(fmu, "run.co-simulation")
    assert len(run.curves) == 6  # two outputs at three steps
    assert len(run.curves[0].time) == 51
    derivatives = run_check_here(fmu, "derivatives.model-exchange")
    assert "In Continuous-Time Mode 7 derivatives were compared with differences." in derivatives.notes
    damage = run_check_here(fmu, "damage.co-simulation")
    assert any(note.startswith("Of 43 damaged states (seed 7)") for note in damage.notes)


@pytest.mark.fast(1)
@pytest.mark.parametrize("fmi_version", ["2.0", "3.0"])
def test_nothing_is_found_in_exports_of_mobod(fmi_version, tmp_path):
    fmu = mb.export_fmu(
        driven_pendulum(), tmp_path / "pendulum.fmu", fmi_version=fmi_version, code="interpreted", inputs=["motor.force"],
        outputs=["arm.q", "arm.u", "energy"],
    )  # fmt: skip
    report = validate_fmu(fmu, until=0.5, checks=[each for each in RUNNING if not each.startswith(("leaks", "threads", "speed"))])
    assert [(check.name, check.detail) for check in report.checks if check.findings] == []
    assert all(check.outcome == "passed" for check in report.checks if check.name != "events.co-simulation" or fmi_version == "3.0")


def driven_pendulum():
    system = mb.MultibodySystem("pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    arm = mb.Pin(matter.ground, mb.MassProperties.point(1.3, [0.2, -0.7, 0]), name="arm")
    mb.MobilityForce(forces, arm, name="motor")
    arm.set_default_q(0.4)
    return system


def test_first_values_are_compared_with_reference_results(tmp_path):
    fmu = mb.export_fmu(driven_pendulum(), tmp_path / "pendulum.fmu", code="interpreted", outputs=["arm.q", "arm.p_GB"])
    assert "4 first values were compared with pendulum_ref.csv." in run_check_here(fmu, "first.co-simulation").notes
    path = tmp_path / "other.fmu"
    with zipfile.ZipFile(fmu) as source, zipfile.ZipFile(path, "w") as target:
        for entry in source.infolist():
            content = source.read(entry)
            target.writestr(entry.filename, content.replace(b",0.4\n", b",0.5\n") if "_ref.csv" in entry.filename else content)
    (finding,) = run_check_here(path, "first.co-simulation").findings
    assert finding.rule == "first-values"
    assert finding.message == "'arm.q' is 0.4 after the initialization, and 0.5 in the first row of pendulum_ref.csv"


@pytest.mark.parametrize("name", ["load", "start.co-simulation", "run.co-simulation", "state.co-simulation"])
def test_a_tank_of_fmi_3_with_arrays_and_all_types_runs(name, tmp_path):
    result = run_check_here(build_foreign_fmu("tank", tmp_path / "tank.fmu"), name)
    # this FMU checks neither its token nor a saved state
    assert [each.rule for each in result.findings] == (["wrong-token"] * 2 if name == "load" else [])
    assert (result.not_checked is None) == (name != "state.co-simulation")


def test_checks_of_an_interface_that_the_fmu_does_not_have_are_left_out(tmp_path):
    path = build_foreign_fmu(
        "tank",
        tmp_path / "tank.fmu",
        ('<ModelExchange modelIdentifier="tank" providesDirectionalDerivatives="false"/>', ""),
    )
    report = validate_fmu(path, checks=["start.co-simulation", "start.model-exchange"])
    assert [check.name for check in report.checks] == ["start.co-simulation"]


def test_an_fmu_for_other_platforms_is_not_run(tmp_path):
    path = tmp_path / "elsewhere.fmu"
    with zipfile.ZipFile(planted_fmu(tmp_path)) as source, zipfile.ZipFile(path, "w") as target:
        for entry in source.infolist():
            target.writestr(re.sub("^binaries/[^/]*", "binaries/plan9", entry.filename), source.read(entry))
    result = run_check_here(path, "start.co-simulation")
    assert result.not_checked is not None
    assert "no library for this platform" in result.not_checked
