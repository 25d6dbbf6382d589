"""`mobod simulate` of FMUs: --set, --output, both interfaces, and all that can go wrong."""

import json
from math import exp, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mobod.simulate import Table
from tests.importer.foreign_fmus import build_foreign_fmu

ME = ("--interface", "model-exchange")
LOGGED = "returned error. The FMU's log ends with:\n  [error] logStatusError: "


def simulated(run, *arguments):
    """What `mobod simulate ... --json -o run.csv` prints, and its table."""
    done = run("simulate", *arguments, "--json", "-o", "run.csv")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout), Table.from_csv("run.csv")


@pytest.mark.slow
def test_an_fmu_of_mobod_runs_over_its_default_experiment_as_the_system_does(run):
    exported = run(
        "export", "models.py:crane", "-o", "crane.fmu", "--input", "winch.force", "--output", "load.q", "--output", "load.u", "-q"
    )
    assert exported.exit_code == 0, exported.output
    settings = ("--set", "winch.force=1.7", "--set", "gravity.magnitude=3.5", "--until", "1.5")

    told, of_fmu = simulated(run, "crane.fmu", "--set", "load.q_start=0.6", *settings, "--report-every", "0.25", "--accuracy", "1e-9")
    _, of_system = simulated(run, "models.py:crane", "--set", "load.q=0.6", *settings, "--report-every", "0.25", "--accuracy", "1e-9")

    assert_array_equal(of_fmu.time, of_system.time)
    assert list(of_fmu) == ["load.q", "load.u"]
    for name in of_fmu:
        assert_allclose(of_fmu[name], of_system[name], atol=1e-7)  # 100 times the accuracy of a step
    assert (told["interface"], told["terminated_by"], told["units"]["load.q"]) == ("co-simulation", None, "rad")
    assert told["final"]["load.q"] == of_fmu["load.q"][-1]


@pytest.mark.fast("interface1-1e-05")
@pytest.mark.parametrize(("interface", "error"), [((), 1e-14), (ME, 1e-5)])
def test_both_interfaces_of_fmi_3_follow_the_exact_solution(run, foreign, interface, error):
    told, rows = simulated(run, foreign["tank"], "--set", "u=3", "--set", "rate=2", "--until", "1.1", *interface, "--report-every", "0.1")

    assert_allclose(rows.time, np.linspace(0, 1.1, 12), atol=1e-15)
    assert_allclose(rows["level"], [1.5 - 0.5 * exp(-2 * t) for t in rows.time], atol=error)
    assert_allclose(rows["y[3]"], 3 * rows["level"])
    assert (told["evaluations"] is None) == (interface == ())
    assert told["final"]["y"] == [rows[f"y[{k}]"][-1] for k in (1, 2, 3)]


def test_settings_of_all_types_and_of_arrays_reach_the_fmu(run, foreign):
    settings = ["gains=4,5,6", "gains[2]=7.5", "mode=-3", "method=fast", "label=a b=c", "small=9", "switch=true", "n=3", "table[3]=2"]
    names = ["gains", "y", "seen", "method", "label", "small", "switch", "n", "table", "total", "height"]
    arguments = [part for each in settings[:-1] for part in ("--set", each)] + ["--set", "table=1,2,4"]
    told, _ = simulated(run, foreign["tank"], *arguments, *(part for name in names for part in ("--output", name)), "--until", "0.5")

    final = told["final"]
    level = exp(-2 * 0.5 * 0.5)  # `fast` doubles the rate
    assert final["gains"] == [4, 7.5, 6]
    assert_allclose(final["y"], [4 * level, 7.5 * level, 6 * level], rtol=1e-13)
    assert_allclose(final["height"], level, rtol=1e-13)
    assert (final["seen"], final["method"], final["label"], final["small"], final["switch"]) == (-3, 2, "a b=c", 9, True)
    assert (final["n"], final["table"], final["total"]) == (3, [1, 2, 4], 7)
    assert list(final) == names


@pytest.mark.slow
def test_state_events_of_model_exchange_are_located(run, foreign):
    told, rows = simulated(run, foreign["ball"], *ME, "--until", "1", "--report-every", "0.3")

    first = sqrt(0.2)  # s, of a fall from 1 m at 10 m/s2; the ball flies up at half the speed, and is back after the same time
    bounces = rows.time[1:][np.diff(rows.time) == 0]
    assert_allclose(bounces, [first, 2 * first], atol=1e-6)  # 100 times the tolerance of the default experiment
    assert_allclose(rows["v"][rows.time == bounces[0]], [-10 * first, 5 * first], atol=1e-6)
    assert told["final"]["bounces"] == 2
    after = 1 - 2 * first
    assert_allclose(told["final"]["h"], 2.5 * first * after - 5 * after**2, atol=1e-6)


def test_time_events_of_model_exchange_are_exact(run, foreign):
    told, rows = simulated(run, foreign["tank"], *ME, "--set", "tick=0.3", "--report-every", "0.5", "--until", "1.0")

    assert_allclose(rows.time, [0, 0.3, 0.3, 0.5, 0.6, 0.6, 0.9, 0.9, 1.0], atol=1e-15)
    assert_array_equal(rows["ticks"], [0, 0, 1, 1, 1, 2, 2, 3, 3])
    assert told["final"]["ticks"] == 3


@pytest.mark.fast("tank-arguments0-0.7", "ball-arguments2-0.25")
@pytest.mark.parametrize(
    ("fmu", "arguments", "time"),
    [
        ("tank", ("--set", "end_at=0.7"), 0.7),
        ("tank", ("--set", "end_at=0.7", *ME), 0.7),
        ("ball", ("--set", "fault=end"), 0.25),
        ("ball", ("--set", "most=2", *ME), 2 * sqrt(0.2)),
    ],
)
def test_an_fmu_that_ends_the_run_is_no_failure(run, foreign, fmu, arguments, time):
    told, rows = simulated(run, foreign[fmu], *arguments)

    assert told["terminated_by"] == fmu.capitalize()
    assert_allclose([told["time"], rows.time[-1]], time, atol=1e-6)
    assert "where the FMU ended the run" in run("simulate", foreign[fmu], *arguments).stdout


@pytest.mark.parametrize(
    ("fmu", "arguments", "message"),
    [
        ("tank", ("--set", "fail_at=0.6"), f"fmi3DoStep at 0.5 s {LOGGED}the pipe burst"),
        ("tank", ("--set", "fail_at=0.6", *ME), f"{LOGGED}the pipe burst"),
        ("ball", ("--set", "fault=discard"), "cannot take this step of 0.002 s; it came to 0.25 s"),
        ("ball", ("--set", "fault=nan"), "output 'h' at 0.252 s is nan"),
        ("ball", ("--set", "fault=error", *ME), f"fmi2GetDerivatives at 0.25 s {LOGGED}the ball was lost"),
        ("ball", ("--set", "fault=discard", *ME), "CVODE stopped with code"),
        ("ball", ("--set", "fault=endless event", *ME), "after 1000 updates it still wants another"),
        ("ball", ("--set", "fault=events at once", *ME), "1000 events follow each other without progress in time"),
    ],
)  # fmt: skip
def test_a_failure_is_one_message_with_the_fmu_s_log_and_the_rows_are_kept(run, foreign, capfd, fmu, arguments, message):
    done = run("simulate", foreign[fmu], *arguments, "-o", "run.csv")

    assert done.exit_code == 1
    assert message in done.stderr
    assert "run.csv holds the" in done.stderr
    assert "Traceback" not in done.output
    assert capfd.readouterr().err == ""  # from C
    rows = Table.from_csv("run.csv")
    assert 0.2 < rows.time[-1] < 0.6
    assert np.isfinite(rows[next(iter(rows))]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "rat=1"], "Did you mean 'rate'?"),
        (["--set", "rate"], "it contains no '='"),
        (["--set", "rate=far"], "'rate' is of type Float64, but was given 'far'. Give a number."),
        (["--set", "rate=nan"], "Give a finite number"),
        (["--set", "rate=-3"], "'rate' cannot be -3.0: the least value is 0"),
        (["--set", "u=101"], "'u' cannot be 101.0: the greatest value is 100"),
        (["--set", "mode=1.5"], "Give a whole number"),
        (["--set", "mode=3000000000"], "Type Int32 goes from -2147483648 to 2147483647"),
        (["--set", "small=10"], "the greatest value is 9"),
        (["--set", "switch=2"], "Give true or false"),
        (["--set", "method=quick"], "no item of 'method' is named 'quick'"),
        (["--set", "method=3"], "Its items are: slow (1), fast (2)"),
        (["--set", "gains=1,2"], "'gains' has 3 elements, but was given 2"),
        (["--set", "gains[4]=1"], "'gains' has no element [4]"),
        (["--set", "table[1]=2", "--set", "n=3", "--set", "table[2]=1"], "'table' has no start value for each of its 3 elements"),
        (["--set", "seen=1"], "'seen' cannot be given a start value: the FMU computes it (causality output"),
        (["--set", "time=1"], "cannot be given a start value"),
        (["--output", "levl"], "Did you mean 'level'?"),
        (["--output", "time"], "named 'time'"),
        (["--until", "-1"], "Give a finite end after its start"),
        (["--until", "nan"], "Give a finite end after its start"),
        (["--accuracy", "2"], "between 0 and 1"),
        (["--step", "0"], "step must be positive"),
        (["--step", "1e-9"], "the limit is 1e+07"),
        (["--report-every", "-1"], "report_every must be positive"),
        (["--report-every", "0.3", "--step", "0.2"], "must be a whole number of steps of 0.2 s"),
        (["--step", "0.1", *ME], "step applies to co-simulation"),
        (["--integrator", "RK45"], "--integrator applies only to Systems"),
        (["--interface", "scheduled"], "is not one of"),
        (["--plot", "run.xyz"], "must end with the type of picture"),
    ],
)
def test_wrong_usage_exits_2_with_one_message(run, foreign, arguments, message):
    done = run("simulate", foreign["tank"], *arguments)

    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_an_interface_or_a_platform_that_an_fmu_lacks_is_named(run, tmp_path):
    only = build_foreign_fmu("ball", tmp_path / "ball.fmu", ('<ModelExchange modelIdentifier="ball"/>', ""))
    assert "it is not for model-exchange, only for co-simulation" in run("simulate", only, *ME).stderr
    other = build_foreign_fmu("ball", tmp_path / "ball.fmu", ('CoSimulation modelIdentifier="ball"', 'CoSimulation modelIdentifier="bat"'))
    assert "it has no library for this platform" in run("simulate", other).stderr


def test_an_fmu_of_constant_steps_gets_equal_steps_alone(run, tmp_path):
    rigid = build_foreign_fmu(
        "tank", tmp_path / "tank.fmu", ('canHandleVariableCommunicationStepSize="true"', 'fixedInternalStepSize="0.1"')
    )
    done = run("simulate", rigid, "--until", "0.95")
    assert done.exit_code == 2
    assert "is no whole number of steps of 0.1 s" in done.stderr
    told, rows = simulated(run, rigid, "--until", "0.9")
    assert told["steps"] == 9
    assert len(rows.time) == 10


@pytest.mark.slow
def test_a_default_experiment_with_a_step_or_tolerance_of_0_has_none(run, tmp_path):
    fmu = build_foreign_fmu("tank", tmp_path / "tank.fmu", ('stepSize="0.125"', 'stepSize="0" tolerance="0"'))
    assert simulated(run, fmu)[0]["steps"] == 500
    assert simulated(run, fmu, *ME)[0]["final"]["level"] == pytest.approx(exp(-1), abs=1e-5)  # of 1e-6 in a step


@pytest.mark.slow
def test_an_fmu_without_outputs_records_its_states(run, tmp_path):
    silent = build_foreign_fmu("ball", tmp_path / "ball.fmu", (' causality="output"', ""))
    _, rows = simulated(run, silent, "--until", "0.1")
    assert list(rows) == ["h", "v", "integral"]  # the continuous states
    _, rows = simulated(run, silent, "--until", "0.1", "--output", "bounces", "--output", "u")
    assert list(rows) == ["bounces", "u"]


@pytest.mark.slow
def test_tables_quiet_and_plots_are_those_of_a_system(run, foreign, tmp_path):
    done = run("simulate", foreign["tank"], "--plot", "run.png", "-o", "run.csv")
    assert "Tank at 2 s, after 16 steps of co-simulation" in done.stdout
    assert "wrote run.csv" in done.stdout
    assert (tmp_path / "run.png").stat().st_size > 5000
    quiet = run("simulate", foreign["tank"], "--quiet")
    assert (quiet.exit_code, quiet.output) == (0, "")


def test_an_element_of_an_array_of_a_system_can_be_set(run):
    down = ("--set", "load.q=0.4", "--until", "0.3", "--output", "load.q")
    one, _ = simulated(run, "models.py:crane", *down, "--set", "gravity.down[1]=0.5")
    all_three, _ = simulated(run, "models.py:crane", *down, "--set", "gravity.down=0.5,-1,0")
    assert one["final"] == all_three["final"]
    assert "has no element [4]" in run("simulate", "models.py:crane", "--set", "gravity.down[4]=1").stderr
    assert "is a single number" in run("simulate", "models.py:crane", "--set", "gravity.down[1]=1,2").stderr
