"""A user's script of 50 lines: type checkers accept it, and it runs."""

import builtins
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import mobod as mb
from mobod.errors import InputError

SCRIPT = Path(__file__).resolve().parents[1] / "typed" / "users_script.py"


@pytest.mark.slow  # mypy and pyright read all of the package
@pytest.mark.parametrize("checker", [["mypy", "--strict"], ["pyright"]], ids=lambda checker: checker[0])
def test_a_type_checker_accepts_a_users_script(checker, tmp_path):
    pytest.importorskip(checker[0], reason="pyright is a program of others (extra peers)")
    script = tmp_path / "script.py"  # outside of the project and its settings
    script.write_text(SCRIPT.read_text())
    ran = subprocess.run([sys.executable, "-m", *checker, str(script)], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout


@pytest.mark.slow  # mypy again
def test_a_type_checker_finds_an_integrator_that_does_not_exist_and_what_only_bodies_have(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import mobod as mb\n"
        "def run(system: mb.MultibodySystem, state: mb.State) -> None:\n"
        "    mb.Simulation(system, integrator='RK5')\n"
        "    reveal_type(system.matter.body('arm'))\n"
        "    reveal_type(system.matter.body('ground'))\n"
    )
    ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(script)], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    wrong, body, ground = (line for line in ran.stdout.splitlines() if line.startswith((str(script), "script.py")))
    assert re.search(r"script.py:3: error: .*Literal\['RK5'\]", wrong)
    assert "MobilizedBody" in body
    assert "Ground" in ground


@pytest.mark.slow  # exports
def test_the_script_runs(tmp_path, capsys):
    runpy.run_path(str(SCRIPT))["main"](tmp_path)
    assert (tmp_path / "pendulum.fmu").is_file()
    assert (tmp_path / "run.csv").is_file()
    assert "['brake', 'brake', 'brake']" in capsys.readouterr().out


def pendulum(name="pendulum"):
    system = mb.MultibodySystem(name)
    mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="pin").set_default_q(1.0)
    return system


class Terminal:
    """A stand-in for standard error that is a terminal."""

    encoding = "utf-8"

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return True


def test_progress_true_draws_a_bar_on_a_terminal_and_nothing_elsewhere(monkeypatch, capsys):
    system = pendulum()
    simulation, state = mb.Simulation(system, backend="interpreted"), system.realize_topology()
    plain = simulation.run(state, until=0.1, progress=True)
    assert capsys.readouterr().err == ""
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    results = simulation.run(state, until=0.1, progress=True)
    assert "System 'pendulum'" in terminal.text
    assert "100%" in terminal.text
    assert (results.y == plain.y).all()


def test_progress_true_draws_a_bar_in_a_notebook_without_ipywidgets_and_removes_it(monkeypatch):
    drawn = []
    display = SimpleNamespace(update=drawn.append)
    module = SimpleNamespace(HTML=str, display=lambda shown, display_id: drawn.append(shown) or display)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)  # not installed
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)  # by which rich finds out that it is in a notebook

    system = pendulum("a < b")
    mb.Simulation(system, backend="interpreted").run(system.realize_topology(), until=0.1, progress=True)

    assert drawn[0] == 'System &#x27;a &lt; b&#x27; <progress max="100" value="0"></progress> 0 %'
    assert 'value="100"' in drawn[-2]
    assert drawn[-1] == ""


def test_progress_is_a_function_or_true():
    system = pendulum()
    simulation, state = mb.Simulation(system, backend="interpreted"), system.realize_topology()
    calls = []
    simulation.run(state, until=0.1, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (0.1, 0.1)
    simulation.run(state, until=0.1, progress=False)
    with pytest.raises(InputError, match=r"Simulation\.run: progress is 'yes'\. It is True for a bar, or a function"):
        simulation.run(state, until=0.1, progress="yes")
