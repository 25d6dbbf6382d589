"""`mobod simulate --input`: values over time from a CSV file."""

import json
from math import exp

import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mobod.simulate import Table

ME = ("--interface", "model-exchange")


@pytest.fixture
def simulated(run, foreign, tmp_path):
    """simulated("tank", "time,u\\n0,1\\n2,1\\n") runs the FMU with this file, and returns its table."""

    def result(fmu, content, *arguments):
        (tmp_path / "in.csv").write_text(content, encoding="utf-8")
        done = run("simulate", foreign.get(fmu, fmu), "--input", "in.csv", "-o", "run.csv", "-q", *arguments)
        assert done.exit_code == 0, done.output
        return Table.from_csv("run.csv")

    return result


def ramp(t, slope=1.5, rate=0.5):
    """The level of the tank from 1 m on, for an inflow of slope t."""
    far = -slope / rate**2  # of level - slope t / rate
    return far + slope * t / rate + (1 - far) * exp(-rate * t)


@pytest.mark.slow
def test_model_exchange_sees_continuous_inputs_at_each_evaluation(simulated):
    rows = simulated("tank", "time,u\n0,0\n2,3\n", *ME, "--accuracy", "1e-8", "--output", "level", "--output", "u")

    assert_allclose(rows["level"], [ramp(t) for t in rows.time], atol=1e-6)  # 100 times the accuracy
    assert_allclose(rows["u"], 1.5 * rows.time, atol=1e-12)


@pytest.mark.slow
def test_co_simulation_holds_continuous_inputs_within_a_step(simulated):
    coarse, fine = (simulated("tank", "time,u\n0,0\n2,3\n", "--step", step)["level"][-1] for step in ("0.01", "0.005"))

    assert abs(coarse - ramp(2.0)) / abs(fine - ramp(2.0)) == pytest.approx(2, rel=0.01)  # first order in the step


def test_an_fmu_that_interpolates_gets_the_slopes_of_inputs(simulated):
    rows = simulated("ball", "time,u\n0,0\n0.4,2\n1,0.5\n", "--step", "0.2", "--output", "integral")

    assert_allclose(rows["integral"], [0, 0.1, 0.4, 0.75, 1.0, 1.15], atol=1e-14)  # areas below the lines
    saw = simulated("ball", "time,u\n0,0\n0.4,2\n0.4,0\n0.8,2\n0.8,0\n1,0\n", "--step", "0.4", "--output", "integral")
    assert_allclose(saw["integral"], [0, 0.4, 0.8, 0.8], atol=1e-14)


@pytest.mark.fast(1)
@pytest.mark.parametrize("arguments", [("--step", "0.1"), ME])
def test_an_input_may_jump_between_communication_points(simulated, arguments):
    rows = simulated("tank", "time,u\n0,0\n0.33,0\n0.33,3\n1,3\n", *arguments, "--until", "1")

    jump = exp(-0.5 * 0.33)
    expected = [exp(-0.5 * t) if t <= 0.33 else 6 + (jump - 6) * exp(-0.5 * (t - 0.33)) for t in rows.time]
    assert_allclose(rows["level"], expected, atol=1e-5 if arguments == ME else 1e-14)
    assert 0.33 in rows.time


@pytest.mark.parametrize("arguments", [("--step", "0.25"), ME])
def test_discrete_inputs_and_tunable_parameters_are_held(simulated, arguments):
    content = "time,mode,gains[3],gains[1],gains[2],switch\n0,1,3,1,2,false\n0.5,2,6,4,5,true\n1,-3,0,0,0,1\n"
    outputs = [part for name in ("seen", "gains", "switch", "y", "level") for part in ("--output", name)]
    rows = simulated("tank", content, *arguments, "--report-every", "0.25", "--until", "1", *outputs)

    def at(time, name):
        return rows[name][rows.time == time][-1]  # after an event

    assert [at(time, "gains[3]") for time in (0, 0.25, 0.5, 0.75, 1)] == [3, 3, 6, 6, 0]
    assert [at(time, "switch") for time in (0.25, 0.5)] == [0, 1]
    assert_allclose(at(0.75, "y[1]"), 4 * at(0.75, "level"))
    assert at(0.75, "seen") == 2


@pytest.mark.slow
def test_an_fmu_of_mobod_takes_inputs_over_time(run, simulated, tmp_path):
    done = run("export", "models.py:crane", "-o", "crane.fmu", "--input", "winch.force", "--output", "trolley.q", "-q")
    assert done.exit_code == 0, done.output
    times, forces = [0, 0.5, 1], [0, 4, 4]
    content = "".join(f"{line}\n" for line in ["time,winch.force", *(f"{t},{f}" for t, f in zip(times, forces, strict=True))])
    held = simulated("crane.fmu", "time,winch.force\n0,4\n1,4\n", "--until", "1")["trolley.q"][-1]
    told = json.loads(run("simulate", "crane.fmu", "--set", "winch.force=4", "--until", "1", "--json").stdout)
    assert held == told["final"]["trolley.q"]
    assert 0 < simulated("crane.fmu", content, "--until", "1")["trolley.q"][-1] < held


@pytest.mark.parametrize(
    "content",
    [
        '"time","u","mode"\n0,1,0\n2,1,1\n',
        "\ufefftime, u, mode\r\n0, 1, 0\r\n2, 1, 1\r\n\r\n",
        'Time,"u",mode\n"0","1","0"\n2.0,1e0,1.0\n',
        'time;"u";mode\n0;1;0\n2;1,0;1\n',
        "time\tu\tmode\n0\t1\t0\n2\t1\t1\n",
        "# measured on \"Monday\n\ntime,u,mode\n# the start\n0,1,0\n  # it's the end\n2,1,1\n",
        "# time; u; mode\n0; 1,0e0; 0\n2; 1.0; 1\n",
    ],
)
def test_quotes_spaces_and_empty_lines_do_not_matter(simulated, content):
    rows = simulated("tank", content, "--output", "level")
    assert_allclose(rows["level"][-1], 2 - exp(-1), rtol=1e-14)


@pytest.mark.parametrize("arguments", [("--step", "0.25"), ME])
def test_a_shorter_table_than_the_run_holds_its_last_values_with_a_warning(run, simulated, foreign, arguments):
    """The level of the tank for an inflow that jumps from 0 to 3 in the last row."""
    content = "time,u,mode\n0,0,1\n0.5,0,1\n0.5,3,7\n"
    rows = simulated("tank", content, "--until", "1.5", *arguments, "--output", "level", "--output", "u", "--output", "mode")
    jump = exp(-0.25)
    assert_allclose(rows["level"][-1], 6 + (jump - 6) * exp(-0.5), atol=1e-5 if arguments == ME else 1e-14)
    assert (rows["u"][-1], rows["mode"][-1]) == (3, 7)
    done = run("simulate", foreign["tank"], "--input", "in.csv", "--until", "1.5", "--json")
    (warning,) = json.loads(done.stdout)["warnings"]
    assert "in.csv: its last row is at 0.5 s, but the run ends at 1.5 s. From there on its last values are held" in warning
    assert f"Warning: {warning}" in run("simulate", foreign["tank"], "--input", "in.csv", "--until", "1.5", "-q").stderr


def test_a_longer_table_than_the_run_is_cut(simulated):
    rows = simulated("tank", "time,u\n-1,0\n0,1\n7,8\n", "--until", "0.5", "--output", "u", "--step", "0.25")
    assert_array_equal(rows["u"], [1, 1.25, 1.5])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("time,v\n0,0\n2,0\n", "no variable of tank.fmu is named 'v'"),
        ("time,rate\n0,0\n2,0\n", "'rate' cannot change during a run (causality parameter, variability fixed)"),
        ("time,level\n0,0\n2,0\n", "'level' cannot change during a run (causality output"),
        ("t,u\n0,0\n2,0\n", "the first line must begin with time, then the names of the inputs, but it begins with 't'"),
        ("time:u\n0:0\n2:0\n", "but it begins with 'time:u'"),
        ("", "but it begins with nothing"),
        ("time\n0\n2\n", "none for an input"),
        ("time,u,u\n0,0,0\n", "two columns named 'u'"),
        ("time,u,\n0,0,0\n", "a column without a name"),
        ("time,u\n", "it has no row of values"),
        ("time,u\n0,0\n1\n2,0\n", "in.csv, line 3: 1 cells, but the first line has 2 names"),
        ("time,u\n0,0\n1,\n2,0\n", "in.csv, line 3: the cell of 'u' is empty"),
        ("time,u\n0,0\n1,x\n2,0\n", "in.csv, line 3, column 'u': 'u' is of type Float64, but was given 'x'"),
        ("time,u\n0,0\n1,inf\n2,0\n", "in.csv, line 3, column 'u': 'u' was given inf. Give a finite number"),
        ("time,u\n0,0\n1,200\n2,0\n", "in.csv, line 3, column 'u': 'u' cannot be 200.0: the greatest value is 100"),
        ("time,mode\n0,0\n1,0.5\n2,0\n", "in.csv, line 3, column 'mode': 'mode' is of type Int32"),
        ("time,u\n0,0\n1,0\n0.5,0\n2,0\n", "in.csv, line 4: time 0.5 s is before 1 s in the row above"),
        ("time,u\n0,0\n1,0\n1,1\n1,2\n2,0\n", "in.csv, line 5: time 1 s occurs three times"),
        ("time,u\n0,0\nnan,0\n2,0\n", "in.csv, line 3: time is 'nan'"),
        ("time,u\n0.5,0\n2,0\n", "its first row is at 0.5 s, but the run starts at 0 s"),
        ("# a\n# time;u\n0;0\n# b\n1,5;x\n2;0\n", "in.csv, line 5, column 'u': 'u' is of type Float64, but was given 'x'"),
        ("time,gains\n0,0\n2,0\n", "'gains' is an array of 3 elements. Give each a column: gains[1], ..."),
        ("time,gains[1],gains[3]\n0,0,0\n2,0,0\n", "there is no column 'gains[2]'"),
        ("time,gains[4]\n0,0\n2,0\n", "'gains' has no element [4]"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_with_its_place(run, foreign, tmp_path, content, message):
    (tmp_path / "in.csv").write_text(content)
    done = run("simulate", foreign["tank"], "--input", "in.csv")

    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.output


def test_a_file_that_is_not_text_or_not_there_is_refused(run, foreign, tmp_path):
    (tmp_path / "in.csv").write_bytes(b"time,u\n0,\xff\n")
    assert "not a CSV file in UTF-8" in run("simulate", foreign["tank"], "--input", "in.csv").stderr
    assert "does not exist" in run("simulate", foreign["tank"], "--input", "none.csv").stderr
    (tmp_path / "in.csv").write_text("time,u\n0,1\n2,1\n")
    assert "mobod export models.py:crane -o model.fmu" in run("simulate", "models.py:crane", "--input", "in.csv").stderr
    assert "a start value and a column" in run("simulate", foreign["tank"], "--input", "in.csv", "--set", "u=1").stderr
