"""Ctrl-C while FMUs run: the run ends, recorded results are kept, and all resources are freed."""

import os
import signal
import subprocess
import sys

import pytest
from numpy.testing import assert_allclose

from mobod.cosim import FmuFile, Instance, Master, Network
from mobod.fmi import fmu_log
from mobod.simulate.table import Table

# SIGINT from a thread, as soon as a good many rows are recorded, wherever the main thread is then
PROGRAM = """
import os, signal, sys, threading, time
from mobod.cli import main
from mobod.cosim.recorder import Recorder

rows, append = [], Recorder.append

def counted(self, *added):
    append(self, *added)
    rows.extend(added[0])

def interrupt():
    while len(rows) < 50:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

Recorder.append = counted
threading.Thread(target=interrupt, daemon=True).start()
main()
"""


pytestmark = pytest.mark.usefixtures("ctrl_c")


@pytest.fixture
def started(fmus):
    """An instance of an FMU in C whose steps log a hundred messages each."""
    with Instance(FmuFile(fmus["failing"]), "it") as instance:
        instance.set_up(0.0, 1.0, None)
        instance.set({"manner": "chatter", "limit": 0.0})
        instance.enter_initialization()
        instance.exit_initialization()
        yield instance


def test_ctrl_c_ends_the_command_with_130_and_keeps_the_earlier_rows(fmus, tmp_path):
    rows = tmp_path / "run.csv"
    # hours of work, nearly all of it in callbacks
    options = ["--set", "failing.manner=chatter", "--set", "failing.limit=0", "--until", "10000", "-o", str(rows)]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "cosim", str(fmus["failing"]), *options],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 130, done.stderr
    table = Table.from_csv(rows)
    assert len(table.time) >= 50
    assert done.stderr == f"{rows} contains the {len(table.time)} rows until {table.time[-1]:.12g} s.\nInterrupted.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["run.csv"]


def test_an_exception_in_the_logger_is_raised_by_the_call(started, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(fmu_log, "LogLine", interrupted)
        with pytest.raises(KeyboardInterrupt):
            started.step(0.0, 0.1)
    started.step(0.1, 0.1)
    assert len(started.log.lines) == 100


def test_ctrl_c_in_the_logger_is_raised_by_the_call_without_losing_a_message(started, monkeypatch):
    def interrupted(*content, line=fmu_log.LogLine):
        if not started.log.lines:
            signal.raise_signal(signal.SIGINT)
        return line(*content)

    monkeypatch.setattr(fmu_log, "LogLine", interrupted)
    with pytest.raises(KeyboardInterrupt):
        started.step(0.0, 0.1)
    assert len(started.log.lines) == 100


def test_ctrl_c_in_the_code_of_a_python_fmu_is_not_an_error_of_the_fmu(fmus, monkeypatch):
    network = Network()
    network.add(fmus["gain"], isolate=False)
    with Master(network, step=0.1).start() as run:
        run.until(0.2)

        def do_step(slave, time, step):
            signal.raise_signal(signal.SIGINT)
            return True

        monkeypatch.setattr(sys.modules["mobod_test_slave_gain"].Gain, "do_step", do_step)
        with pytest.raises(KeyboardInterrupt):
            run.until(1.0)
        assert_allclose(run.recorded.time, [0.2, 0.3], rtol=1e-14)  # the step was completed
