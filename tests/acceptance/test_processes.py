"""A check in a process of its own: its result comes back, and what ends the process is a finding."""

import threading
import time
from pathlib import Path

import pytest

from mobod.acceptance import forked
from mobod.acceptance.declared_checks import DeclaredCheck
from mobod.acceptance.processes import run_check
from mobod.acceptance.subject import Subject
from mobod.cosim import FmuLimits

ROOT = Path(__file__).resolve().parents[2]
SERVER = forked._ForkServer()

needs_signals = pytest.mark.skipif("os.name != 'posix'", reason="the test sends a signal of POSIX")


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    # a server that an earlier test has started may not find the checks of this folder
    monkeypatch.setattr(forked, "_server", SERVER)

    def run(name, timeout=60.0, cancelled=None):
        declared = DeclaredCheck(name, "claim", f"tests.acceptance.misbehaving:{name}")
        return run_check(declared, Subject(tmp_path / "model.fmu", FmuLimits(), tmp_path, None), timeout, cancelled)

    return run


@pytest.mark.slow
def test_the_result_of_a_check_comes_back(run):
    check = run("pass_by")
    assert (check.outcome, check.detail) == ("passed", "model.fmu was seen")


@needs_signals
def test_a_crash_is_a_finding_that_names_the_call(run):
    check = run("crash")
    (finding,) = check.findings
    assert check.outcome == "failed"
    assert finding.rule == "crash"
    assert "SIGSEGV" in finding.message
    assert "fmi2DoStep from 0.3 s" in finding.message


def test_an_fmu_that_ends_the_process_is_a_finding(run):
    (finding,) = run("end").findings
    assert finding.rule == "exit"
    assert "fmi2Terminate" in finding.message


@pytest.mark.slow
def test_a_check_that_never_returns_is_ended_with_a_finding(run):
    (finding,) = run("hang", timeout=3.0).findings
    assert finding.rule == "no-answer"
    assert "3 s" in finding.message
    assert "fmi2DoStep from 0.5 s" in finding.message
    assert "waiting" in finding.message  # what the process has written


def test_an_error_of_the_check_itself_shows_its_traceback(run):
    (finding,) = run("fail").findings
    assert "not the FMU's fault" in finding.message


def test_a_cancelled_check_ends_at_once(run):
    cancelled = threading.Event()
    cancelled.set()
    before = time.monotonic()
    check = run("hang", cancelled=cancelled)
    assert time.monotonic() - before < 30  # not the 60 s of its time-out
    assert check.outcome == "failed"
