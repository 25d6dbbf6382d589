"""`mobod simulate`."""

import json
import runpy

import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.runtime.integrators import INTEGRATORS
from mobod.simulate import Table

ARGUMENTS = ("--set", "load.q=0.6", "--set", "winch.force=1.7", "--set", "gravity.magnitude=3.5", "--accuracy", "1e-9", "--until", "1.5")


def test_written_and_printed_results_match_the_python_interface(run, tmp_path):
    done = run("simulate", "models.py:crane", *ARGUMENTS, "--integrator", "RK45", "--report-every", "0.25", "-o", "run.csv", "--json")

    assert done.exit_code == 0, done.output
    system = runpy.run_path(str(tmp_path / "models.py"))["crane"]()
    state = system.realize_topology()
    for name, value in (("load.q", 0.6), ("winch.force", 1.7), ("gravity.magnitude", 3.5)):
        system.set_value(state, name, value)
    expected = mb.Simulation(system, 1e-9, integrator="RK45").run(state, 1.5, 0.25)
    written = Table.from_csv(tmp_path / "run.csv")
    assert_array_equal(written.time, [0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5])
    told = json.loads(done.stdout)
    assert list(written) == list(told["final"]) == ["trolley.q", "trolley.u", "load.q", "load.u"]
    for name in written:
        assert_array_equal(written[name], expected[name])
        assert told["final"][name] == written[name][-1]
    assert told["units"] == {"trolley.q": "m", "trolley.u": "m/s", "load.q": "rad", "load.u": "rad/s"}
    assert (told["time"], told["steps"], told["csv"], told["plot"]) == (1.5, expected.steps, "run.csv", None)


def test_fixed_steps_match_the_python_interface(run, tmp_path):
    steps = ["--integrator", "velocity_level", "--step", "0.01", "--engagement", "predictive", "--position-iterations", "2"]
    steps += ["--constraints-at", "begin"]
    done = run("simulate", "models.py:crane", "--set", "load.q=0.6", *steps, "--report-every", "0.25", "--json")

    assert done.exit_code == 0, done.output
    system = runpy.run_path(str(tmp_path / "models.py"))["crane"]()
    state = system.realize_topology()
    system.set_value(state, "load.q", 0.6)
    options = {"engagement": "predictive", "position_iterations": 2, "constraints_at": "begin"}
    expected = mb.Simulation(system, integrator="velocity_level", step=0.01, **options).run(state, 1.0)
    told = json.loads(done.stdout)
    assert (told["steps"], told["terminated_by"]) == (100, None)
    assert told["final"]["load.q"] == expected["load.q"][-1]


ROW = """
import mobod as mb
from mobod.contact import Sphere


def row():
    system = mb.MultibodySystem("row")
    matter = mb.MatterSubsystem(system)
    of_ball = mb.MassProperties(0.3, [0, 0, 0], mb.Inertia.sphere(mass=0.3, radius=0.05))
    balls = [mb.Slider(matter.ground, of_ball, X_PF=mb.Transform(p=[0.1 * i, 0, 0]), name=f"ball{i}") for i in range(3)]
    for i in range(2):
        mb.RigidContact(balls[i], Sphere(0.05), balls[i + 1], Sphere(0.05), restitution=1.0, name=f"contact{i}")
    return system
"""


def test_the_law_of_impacts_is_an_option(run, tmp_path):
    (tmp_path / "balls.py").write_text(ROW)
    law = ["--impacts", "sequential"]
    done = run("simulate", "balls.py:row", "--set", "ball0.u=1.5", *law, "--until", "0.01", "--output", "ball2.u", "--json")

    assert done.exit_code == 0, done.output
    assert_allclose(json.loads(done.stdout)["final"]["ball2.u"], 1.5, rtol=1e-12)
    refused = run("simulate", "balls.py:row", "--impacts", "sequencial")
    assert refused.exit_code == 2
    assert "'sequencial' is not one of 'simultaneous', 'sequential'" in refused.output


def test_the_event_that_ended_the_run_is_printed(run):
    done = run("simulate", "models.py:falling", "--until", "2", "--json")

    told = json.loads(done.stdout)
    assert told["terminated_by"] == "landing"
    assert abs(told["time"] - 1.0) < 1e-6
    assert "where 'landing' ended the run" in run("simulate", "models.py:falling", "--until", "2").output


def test_output_selects_the_columns_and_final_values_are_printed(run, tmp_path):
    done = run("simulate", "models.py:crane", *ARGUMENTS, "--output", "load.p_GB", "--output", "energy", "-o", "run.csv")

    assert done.exit_code == 0, done.output
    header = (tmp_path / "run.csv").read_text().partition("\n")[0]
    assert header == "time,load.p_GB[1],load.p_GB[2],load.p_GB[3],energy"
    last = Table.from_csv(tmp_path / "run.csv")["energy"][-1]
    assert f"{last:.10g}" in done.output
    assert "wrote run.csv" in done.output


@pytest.mark.slow
def test_the_plot_is_not_empty(run, tmp_path):
    from matplotlib.image import imread

    assert run("simulate", "models.py:crane", *ARGUMENTS, "--plot", "run.png").exit_code == 0

    pixels = imread(tmp_path / "run.png")[..., :3].reshape(-1, 3)
    is_coloured = pixels.max(axis=1) - pixels.min(axis=1) > 0.3  # the curves; text and frame are grey
    assert is_coloured.sum() > 1000


@pytest.mark.slow
def test_a_plot_has_500_intervals_by_default(run):
    assert run("simulate", "models.py:crane", *ARGUMENTS, "--plot", "run.png", "-o", "run.csv").exit_code == 0
    assert len(Table.from_csv("run.csv").time) == 501
    assert run("simulate", "models.py:crane", *ARGUMENTS, "--plot", "run.png", "-o", "run.csv", "--report-every", "0.5").exit_code == 0
    assert len(Table.from_csv("run.csv").time) == 4


def test_a_plot_on_a_full_disk_keeps_the_existing_file(run, tmp_path):
    resource = pytest.importorskip("resource")
    (tmp_path / "run.png").write_text("the old one")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        done = run("simulate", "models.py:crane", *ARGUMENTS, "--plot", "run.png")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert done.exit_code == 1
    assert "Error: 'run.png' was not written: File too large. The file that was there is unchanged." in done.stderr
    assert (tmp_path / "run.png").read_text() == "the old one"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["models.py", "run.png"]


def test_quiet_prints_nothing(run):
    done = run("simulate", "models.py:crane", "--quiet", "--until", "0.1")

    assert (done.exit_code, done.output) == (0, "")


@pytest.mark.fast(19)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "lood.q=1"], "Did you mean 'load.q'?"),
        (["--set", "load.q"], "it contains no '='"),
        (["--set", "load.q=far"], "'far' is not a number"),
        (["--set", "load.q=1,2"], "'load.q' has shape (1,)"),
        (["--set", "spring.stiffness=-3"], "'spring.stiffness' cannot be -3.0 N.m/rad: the least value is 0"),
        (["--set", "energy=1"], "'energy' cannot be set"),
        (["--output", "load.p"], "Did you mean 'load."),
        (["--until", "-1"], "it is -1.0 s"),
        (["--until", "nan"], "it is nan s"),
        (["--until", "soon"], "not a valid float"),
        (["--accuracy", "2"], "between 1e-14 and 0.1"),
        (["--report-every", "0"], "must be positive"),
        (["--integrator", "RK5"], f"Valid names: {', '.join(INTEGRATORS)}, velocity_level"),
        (["--integrator", "velocity_level"], "needs a positive and finite step"),
        (["--step", "0.01"], "step applies only to integrator='velocity_level'"),
        (["-o", "no/such/run.csv"], "no such folder"),
        (["-o", "/proc/run.csv"], "'/proc/run.csv' was not written"),
        (["-o", "."], "is a directory"),
        (["--plot", "run.xyz"], "must end with the type of picture"),
        (["--untill", "1"], "No such option"),
    ],
)
def test_wrong_usage_exits_2_with_one_message(run, arguments, message):
    done = run("simulate", "models.py:crane", *arguments)

    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_a_failing_run_exits_1_with_the_reason(run, tmp_path):
    done = run("simulate", "models.py:tangled", "--set", "load.q=3", "-o", "run.csv")

    assert done.exit_code == 1
    assert "Error: " in done.stderr
    assert "not finite" in done.stderr
    assert not (tmp_path / "run.csv").exists()


@pytest.mark.parametrize(
    "option",
    [
        ["--isolate"],
        ["--no-isolate"],
        ["--call-limit", "300"],
        ["--log", "run.log"],
        ["--log-category", "logEvents"],
        ["--log-level", "ok"],
        ["--log-limit", "1MB"],
    ],
)
def test_options_of_fmus_are_refused_for_systems(run, option):
    done = run("simulate", "models.py:crane", *option)

    assert done.exit_code == 2
    assert f"{option[0].replace('no-', '')} applies only to FMUs, and MODEL 'models.py:crane' is none." in done.stderr


@pytest.mark.parametrize("spelling", ["-o", "--out", "--csv"])
def test_the_file_of_results_has_three_spellings(run, tmp_path, spelling):
    assert run("simulate", "models.py:crane", "--until", "0.1", spelling, "run.csv", "-q").exit_code == 0
    assert Table.from_csv(tmp_path / "run.csv").time[-1] == 0.1


@pytest.mark.parametrize("command", ["simulate", "export"])
def test_the_help_names_all_integrators(run, command):
    words = run(command, "--help").stdout.replace("|", " ").replace(",", " ").replace(":", " ").replace(";", " ").split()
    assert {*INTEGRATORS, "velocity_level"} <= {word.strip("[].") for word in words}
