"""`mobod cosim` and `python -m mobod.cosim`."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from mobod.cli.commands.cosim import cosim
from mobod.cosim import Master, Network
from mobod.simulate.table import Table


@pytest.fixture
def run():
    def run(*arguments):
        return CliRunner().invoke(cosim, [str(argument) for argument in arguments])

    return run


def loop(fmus):
    return [
        fmus["spring_mass"],
        f"pd={fmus['pd_controller']}",
        *("--connect", "spring_mass.x=pd.position", "--connect", "pd.force=spring_mass.other"),
        *("--set", "pd.stiffness=0.6", "--set", "spring_mass.x=-0.3"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "feedthrough"), [("jacobi", "direct"), ("gauss-seidel", "direct"), ("jacobi", "delayed")])
def test_the_command_writes_the_results_of_the_master(run, fmus, tmp_path, algorithm, feedthrough):
    path = tmp_path / "run.csv"
    done = run(*loop(fmus), "--step", "0.05", "--until", "0.5", "--algorithm", algorithm, "--feedthrough", feedthrough, "-o", path)
    assert done.exit_code == 0, done.output

    network = Network()
    network.add(fmus["spring_mass"], start={"x": -0.3})
    network.add(fmus["pd_controller"], "pd", start={"stiffness": 0.6})
    network.connect("spring_mass.x", "pd.position")
    network.connect("pd.force", "spring_mass.other")
    expected = Master(network, step=0.05, algorithm=algorithm, feedthrough=feedthrough).run(until=0.5)
    written = Table.from_csv(path)
    assert list(written) == list(expected)
    for name in expected:
        assert written[name].tobytes() == expected[name].tobytes()
    # the table shows the last values
    assert f"{expected['pd.force'][-1]:.10g}" in done.output
    assert "spring_mass.v" in done.output


@pytest.mark.slow
def test_a_connection_takes_a_gain_and_an_offset_and_says_what_it_does(run, fmus, tmp_path):
    done = run(fmus["gain"], f"b={fmus['gain']}", "--connect", "gain.y=b.u offset=0.5 gain=-2", "--set", "gain.u=1.5", "--until", "0.02")
    assert done.exit_code == 0, done.output
    assert "gain.y -> b.u (times -2 plus 0.5)" in done.stderr
    network = Network()
    network.add(fmus["gain"], "gain", start={"u": 1.5})
    network.add(fmus["gain"], "b")
    network.connect("gain.y", "b.u", gain=-2, offset=0.5)
    assert f"{Master(network).run(until=0.02)['b.y'][-1]:.10g}" in done.stdout


def test_the_first_line_says_the_algorithm_and_its_options(run, fmus, tmp_path):
    masses = [f"{name}={fmus['spring_mass']}" for name in ("left", "right")]
    coupled = ["--connect", "left.x=right.other", "--connect", "right.x=left.other", "--set", "left.x=0.1"]
    options = ["--adaptive", "1e-3", "--input-order", "1", "--until", "0.2", "--algorithm", "gauss-seidel", "--pace", "10"]
    done = run(*masses, *coupled, *options)
    assert done.exit_code == 0, done.output
    first, second = done.stdout.splitlines()[:2]
    assert first == (
        "algorithm gauss-seidel; inputs by lines (of left, right held at their mean); steps by predictor and corrector, tolerance 0.001"
    )
    assert "in time" in second or "were late" in second
    refused = run(*loop(fmus), "--algorithm", "newton")
    assert refused.exit_code == 1
    assert "these components cannot save their state" in refused.output


def test_json_output_contains_the_final_values_and_nothing_else(run, fmus, tmp_path):
    done = run(fmus["all_types"], "--json", "--until", "0.02", "--set", "all_types.string_in=a=b", "--set", "all_types.boolean_in=false")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["time"], told["steps"], told["csv"]) == (0.02, 2, None)
    assert told["final"]["all_types.string_out"] == "a=b."
    assert told["final"]["all_types.boolean_out"] is True


def test_quiet_prints_nothing_and_output_selects_the_columns(run, fmus, tmp_path):
    path = tmp_path / "run.csv"
    done = run(fmus["all_types"], "--quiet", "--until", "0.02", "--output", "all_types.steps", "-o", path)
    assert (done.exit_code, done.output) == (0, "")
    assert path.read_text() == "time,all_types.steps\n0.0,0\n0.01,1\n0.02,2\n"


@pytest.mark.fast(13)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--connect", "gain.y=gain.uu"], "Did you mean 'u'"),
        (["--connect", "gain.y"], "no '='"),
        (["--connect", "gain.y=gain.u gain=two"], "the gain is 'two'"),
        (["--set", "gain.gain=much"], "type Real"),
        (["--set", "gain.y=1"], "cannot be given a start value"),
        (["--step", "-1"], "Give a positive one"),
        (["--algorithm", "gauss"], "Did you mean 'gauss-seidel'"),
        (["--step", "soon"], "not a valid float"),
        (["--output", "gain.z"], "variable of 'gain'"),
        (["-o", "no/such/folder/run.csv"], "no such folder"),
        (["-o", "/proc/run.csv"], "'/proc/run.csv' was not written"),
        (["--frobnicate"], "No such option"),
        (["--limit", "size=3"], "no limit is named 'size'"),
        (["--limit", "files=many"], "not a whole number"),
    ],
)
def test_wrong_usage_exits_2_with_one_message(run, fmus, arguments, message):
    done = run(fmus["gain"], *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.output


def test_failing_fmu_exits_1_with_its_log(run, fmus):
    done = run(fmus["failing"], "--until", "0.5")
    assert done.exit_code == 1
    assert "the spring broke" in done.stderr
    assert "Traceback" not in done.output


def test_an_output_that_is_not_finite_exits_1_and_the_rows_before_it_are_written(run, fmus, tmp_path):
    path = tmp_path / "run.csv"
    done = run(fmus["failing"], "--set", "failing.manner=nan", "--step", "0.1", "--until", "0.5", "-o", path)
    assert done.exit_code == 1
    assert "Error: FMU 'failing'" in done.stderr
    assert "failing.fmu): output 'y' at 0.3 s is nan." in done.stderr
    assert f"{path} contains the 3 rows until 0.2 s." in done.stderr
    rows, _, ended = path.read_text().partition("# ended: ")
    assert rows == "time,failing.y\n0.0,0.5\n0.1,0.5\n0.2,0.5\n"
    assert ended.startswith("FMU 'failing'")
    assert len(Table.from_csv(path).time) == 3


def test_an_error_before_the_first_row_keeps_the_existing_file(run, fmus, tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("the old one")
    done = run(f"one={fmus['failing']}", "--step", "-1", "-o", path)
    assert done.exit_code == 2
    assert path.read_text() == "the old one"


def test_an_option_sets_the_limits_of_fmus(run, fmus):
    refused = run(fmus["gain"], "--limit", "unpacked=1kB")
    assert refused.exit_code == 1
    assert "and the limit is 1000" in refused.stderr
    assert run(fmus["gain"], "--limit", "unpacked=1GB", "--limit", "files=90", "--until", "0.01").exit_code == 0


def test_file_that_is_no_fmu_exits_1(run, tmp_path):
    path = tmp_path / "letter.fmu"
    path.write_text("Dear Sir or Madam")
    done = run(path)
    assert done.exit_code == 1
    assert "letter.fmu: not an FMU" in done.stderr


@pytest.mark.slow
def test_module_runs_as_a_program_and_shows_a_traceback_only_with_debug(run, fmus):
    command = [sys.executable, "-m", "mobod.cosim", str(fmus["failing"]), "--until", "0.5"]
    plain = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert plain.returncode == 1
    assert plain.stderr.startswith("Error: FMU 'failing'")
    assert "Traceback" not in plain.stderr
    debug = run(fmus["failing"], "--until", "0.5", "--debug")
    assert debug.exit_code == 1
    assert "Traceback" in debug.stderr
