"""Sweeps: each run is a run of its own, in any number of processes, also after a kill."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import InputError, UnknownNameError
from mobod.sweeps import SweepTable, sweep
from tests.sweeps.models import bouncing, deadly, pendulum

ROOT = Path(__file__).resolve().parents[2]
VALUES = {"gravity.magnitude": "5:15:3", "motor.force": "normal(0, 0.1)", "pin.q": "uniform(-0.5, 0.5)"}
OPTIONS = {"until": 1.0, "runs": 4, "backend": "interpreted"}


def same(one, other):
    assert list(one) == list(other)
    assert one.errors == other.errors
    for name in one:
        assert_array_equal(one[name], other[name])


@pytest.fixture(scope="module")
def table():
    return sweep(pendulum(), VALUES, figures=["pin.q", "pin.p_GB[2]", "energy"], processes=1, **OPTIONS)


def test_each_run_is_a_simulation_with_its_values(table):
    system = pendulum()
    assert len(table) == 12
    assert list(table) == [*VALUES, "pin.q at the end", "pin.p_GB[2]", "energy"]
    for number in (0, 5, 11):
        state = system.realize_topology()
        for name in VALUES:
            system.set_value(state, name, table[name][number])
        results = mb.Simulation(system, backend="interpreted").run(state, 1.0)
        assert_array_equal(table["pin.q at the end"][number], results["pin.q"][-1])
        assert_allclose(table["energy"][number], results["energy"][-1], rtol=1e-12)


@pytest.mark.slow
def test_a_run_depends_neither_on_its_companions_nor_on_processes(table):
    same(sweep(pendulum(), VALUES, figures=["pin.q", "pin.p_GB[2]", "energy"], processes=2, **OPTIONS), table)
    alone = sweep(
        pendulum(),
        {name: [table[name][7]] for name in VALUES},
        figures=["pin.q"],
        until=1.0,
        backend="interpreted",
        processes=1,
    )
    assert alone["pin.q at the end"] == table["pin.q at the end"][7]


def test_handlers_of_the_start_see_the_values():
    system = bouncing()
    table = sweep(system, {"ball.q": [0.5, 1.0, 2.0]}, figures=["ball.q", "ball.u"], until=0.9, processes=1, backend="interpreted")
    for number, height in enumerate((0.5, 1.0, 2.0)):
        state = system.realize_topology()
        system.set_value(state, "ball.q", height)
        final = mb.Simulation(system, backend="interpreted").run(state, 0.9)
        assert_array_equal(table["ball.q at the end"][number], final["ball.q"][-1])


def test_figures_over_time_and_a_users_function():
    system = pendulum()
    table = sweep(
        system,
        {"pin.q": [0.001, 0.002]},
        figures=["max(pin.u)", "min(pin.q)", "mean(pin.q)", "rms(pin.q)", "final(pin.q)"],
        more_figures=lambda results: {"rows": len(results.time), "start": results["pin.q"][0]},
        until=2 * np.pi / np.sqrt(9.81),
        processes=1,
        backend="interpreted",
        accuracy=1e-10,
    )
    assert_allclose(table["max(pin.u)"], np.array([1e-3, 2e-3]) * np.sqrt(9.81), rtol=1e-4)
    assert_allclose(table["min(pin.q)"], [-1e-3, -2e-3], rtol=1e-4)
    assert_allclose(table["mean(pin.q)"], 0.0, atol=1e-8)
    assert_allclose(table["rms(pin.q)"], np.array([1e-3, 2e-3]) / np.sqrt(2), rtol=1e-4)
    assert_allclose(table["final(pin.q)"], [1e-3, 2e-3], rtol=1e-4)
    assert_array_equal(table["rows"], [501, 501])
    assert_array_equal(table["start"], [1e-3, 2e-3])


def test_a_failed_run_keeps_its_message_and_disturbs_no_other():
    table = sweep(deadly(), {"trap.danger": [0.0, -2.0, 0.5]}, figures=["pin.q"], until=0.01, processes=1)
    assert [bool(error) for error in table.errors] == [False, True, False]
    assert "too cold" in table.failed[0][1]
    assert table.failed[0][0] == 2
    assert np.isnan(table["pin.q"]).tolist() == [False, True, False]
    assert table["pin.q"][0] == table["pin.q"][2]


@pytest.mark.slow
def test_a_run_that_ends_its_process_is_one_failed_run():
    table = sweep(deadly(), {"trap.danger": [0.0, 2.0, 0.5]}, figures=["pin.q"], until=0.01, processes=2)
    assert [bool(error) for error in table.errors] == [False, True, False]
    assert "process" in table.failed[0][1]


def test_a_table_is_written_as_csv_and_parquet(table, tmp_path):
    pytest.importorskip("pyarrow", reason="needs pyarrow (extra sweep)")
    from pyarrow import parquet

    for path in (tmp_path / "table.csv", tmp_path / "table.parquet"):
        again = sweep(pendulum(), VALUES, figures=["pin.q", "pin.p_GB[2]", "energy"], processes=1, file=path, **OPTIONS)
        same(again, table)
        assert os.listdir(tmp_path).count(f"{path.name}.unfinished") == 0
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert lines[0] == "run,gravity.magnitude,motor.force,pin.q,pin.q at the end,pin.p_GB[2],energy,error"
    cells = np.array([[float(cell) for cell in line.split(",")[:-1]] for line in lines[1:]])
    assert_array_equal(cells[:, 1:], np.column_stack([table[name] for name in table]))
    read = parquet.read_table(tmp_path / "table.parquet")
    assert read.column_names == lines[0].split(",")
    assert_array_equal(read["energy"].to_numpy(), table["energy"])


SCRIPT = """
import sys
from tests.sweeps.models import deadly
from mobod.sweeps import sweep
values = {"trap.danger": "uniform(0, 1)", "pin.q": "uniform(0, 1)"}
sweep(deadly(), values, runs=40, figures=["pin.q"], until=0.2, processes=1, file=sys.argv[1])
"""


def test_an_interrupted_sweep_goes_on_to_the_same_table(table, tmp_path):
    class StopError(Exception):
        pass

    def stop_at(count):
        def stop(done, total):
            if count <= done < total:
                raise StopError

        return stop

    path, unfinished = tmp_path / "table.csv", tmp_path / "table.csv.unfinished"
    options = {"figures": ["pin.q", "pin.p_GB[2]", "energy"], "processes": 1, "file": path, **OPTIONS}
    for count in (3, 7):
        with pytest.raises(StopError):
            sweep(pendulum(), VALUES, progress=stop_at(count), **options)
        assert count <= len(unfinished.read_text().splitlines()) - 1 < 12
    with unfinished.open("a") as file:
        file.write("[11, [0.1")  # half a line
    same(sweep(pendulum(), VALUES, **options), table)
    assert not unfinished.exists()
    assert len(path.read_text().splitlines()) == 13


@pytest.mark.slow
@pytest.mark.skipif("os.name != 'posix'", reason="the test kills a process by a signal of POSIX")
def test_a_killed_sweep_goes_on_to_the_same_table(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "engine"), str(ROOT)])}
    unfinished = tmp_path / "table.csv.unfinished"
    seen = 0
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path / "table.csv")], env=environment, start_new_session=True)
        end = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < end:
            if unfinished.exists() and len(unfinished.read_bytes().splitlines()) >= seen + 6:
                os.killpg(process.pid, signal.SIGKILL)
                break
            time.sleep(0.01)
        process.wait()
        before, seen = seen, len(unfinished.read_bytes().splitlines())
        assert before < seen < 41  # it was killed before its end, and the second run continued the first
    with unfinished.open("a") as file:
        file.write("[39, [0.1")  # half a line
    subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path / "table.csv")], env=environment, check=True)
    subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path / "whole.csv")], env=environment, check=True)
    assert (tmp_path / "table.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert not unfinished.exists()


@pytest.mark.slow
@pytest.mark.skipif("not Path('/dev/shm').exists()", reason="the test counts the semaphores in /dev/shm")
def test_a_killed_sweep_leaves_neither_processes_nor_semaphores(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "engine"), str(ROOT)])}
    script = SCRIPT.replace("processes=1", "processes=2").replace("until=0.2", "until=1000.0")
    sweeping = subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "table.csv")], env=environment, start_new_session=True)

    def left():
        """The processes of the sweep's session, and its semaphores."""
        fields = (path.read_text().rpartition(")")[2].split() for path in Path("/proc").glob("[0-9]*/stat"))
        processes = [each for each in fields if int(each[3]) == sweeping.pid and each[0] != "Z"]
        return len(processes), len(list(Path("/dev/shm").glob(f"sem.loky-{sweeping.pid}-*")))

    end = time.monotonic() + 120
    while (left()[0] < 4 or left()[1] == 0) and time.monotonic() < end:  # itself, a tracker, two workers
        time.sleep(0.1)
    assert left()[1] > 0
    sweeping.kill()
    sweeping.wait()
    end = time.monotonic() + 60
    while left() != (0, 0) and time.monotonic() < end:
        time.sleep(0.1)
    assert left() == (0, 0)


@pytest.mark.slow
def test_a_dask_cluster_that_loses_a_worker_gives_the_same_table(tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs distributed (extra sweep)")
    values = {"trap.danger": "uniform(0, 1)", "pin.q": "uniform(0, 1)"}
    options = {"runs": 60, "figures": ["pin.q"], "until": 0.05}
    killed = []

    def kill_one(done, total):
        if done >= 10 and not killed:
            worker = next(iter(cluster.workers.values()))
            killed.append(worker)
            worker.process.process.kill()

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        on_cluster = sweep(deadly(), values, cluster=cluster.scheduler_address, progress=kill_one, **options)
    assert len(killed) == 1
    same(on_cluster, sweep(deadly(), values, processes=1, **options))


def test_a_sweep_that_was_killed_after_its_last_run_has_the_figures_of_its_function(tmp_path, monkeypatch):
    def more(results):
        return {"twice": 2 * results["pin.q"][-1]}

    def stop(*_):
        raise KeyboardInterrupt

    options = {
        "figures": ["pin.q"],
        "more_figures": more,
        "processes": 1,
        "file": tmp_path / "table.csv",
        "until": 0.1,
        "backend": "interpreted",
    }
    with monkeypatch.context() as patch:
        patch.setattr(SweepTable, "write", stop)
        with pytest.raises(KeyboardInterrupt):
            sweep(pendulum(), {"pin.q": [0.1, 0.2]}, **options)
    table = sweep(pendulum(), {"pin.q": [0.1, 0.2]}, **options)
    assert table.failed == []
    assert_array_equal(table["twice"], 2 * table["pin.q at the end"])


def test_the_rest_of_another_sweep_is_not_mixed_in(tmp_path):
    path = tmp_path / "table.csv"
    (tmp_path / "table.csv.unfinished").write_text('{"sweep": "another"}\n[0, [1.0], ""]\n')
    with pytest.raises(InputError, match="another sweep"):
        sweep(pendulum(), {"pin.q": [0.1]}, figures=["pin.q"], until=0.1, processes=1, file=path)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ({"gravity.magnitud": [1]}, {}, "gravity.magnitude"),
        ({"pin.p_GB": [1]}, {}, "3 numbers"),
        ({"gravity.magnitude": [1]}, {"figures": ["pin.p_GB"]}, "3 numbers"),
        ({"gravity.magnitude": [1]}, {"figures": ["largest(pin.q)"]}, "largest"),
        ({"gravity.magnitude": [1]}, {"until": None}, "until"),
        ({"gravity.magnitude": [1]}, {"processes": 0}, "processes"),
        ({"gravity.magnitude": [1]}, {"integrator": "Euler"}, "Euler"),
        ({"gravity.magnitude": [1]}, {"file": "table.xls"}, "csv"),
    ],
)
def test_wrong_sweeps_are_refused_before_any_run(values, options, message):
    with pytest.raises((InputError, UnknownNameError), match=message):
        sweep(pendulum(), values, **{"until": 1.0, "processes": 1, **options})


def test_a_value_out_of_bounds_is_a_failed_run():
    table = sweep(pendulum(), {"gravity.magnitude": [-1.0, 9.81]}, figures=["pin.q"], until=0.1, processes=1)
    assert [bool(error) for error in table.errors] == [True, False]
    assert "least value" in table.failed[0][1]


@pytest.mark.slow
def test_an_fmu_gives_the_same_figures_as_its_system(tmp_path):
    system = pendulum()
    path = mb.export_fmu(system, tmp_path / "pendulum.fmu", inputs=["motor.force"], outputs=["pin.q", "pin.p_GB"], code="interpreted")
    values = {"gravity.magnitude": "5:15:2", "pin.q_start": [0.1, 0.3]}
    table = sweep(path, values, figures=["pin.q", "pin.p_GB[2]", "max(pin.q)"], until=0.5, step=0.5, accuracy=1e-8, processes=1)
    assert table.failed == []
    expected = sweep(
        system,
        {"gravity.magnitude": "5:15:2", "pin.q": [0.1, 0.3]},
        figures=["final(pin.q)", "pin.p_GB[2]"],
        until=0.5,
        accuracy=1e-8,
        processes=1,
    )
    assert_allclose(table["pin.q"], expected["final(pin.q)"], atol=1e-7)
    assert_allclose(table["pin.p_GB[2]"], expected["pin.p_GB[2]"], atol=1e-7)
    assert_allclose(table["max(pin.q)"], [0.1, 0.3] * 2)


def test_a_notebook_shows_the_runs_with_the_messages_of_those_that_failed():
    table = SweepTable(["a"], np.array([[1.0], [2.5]]), ["q"], np.array([[0.5], [np.nan]]), ["", "no <convergence>"])
    shown = table._repr_html_()
    assert "<th>run</th><th>a</th><th>q</th><th>error</th>" in shown
    assert "<tr><td>2</td><td>2.5</td><td>nan</td><td>no &lt;convergence&gt;</td></tr>" in shown
