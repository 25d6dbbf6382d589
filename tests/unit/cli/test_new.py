"""`mobod new`."""

import json
import re
import runpy
import shlex

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from mobod.cli.commands.new import TEMPLATE


def test_the_new_model_runs_and_swings_as_a_damped_rod(run, tmp_path):
    done = run("new", "arm.py")

    assert done.exit_code == 0, done.output
    assert done.output == "wrote arm.py. Run it: mobod simulate arm.py:build --until 5 --plot arm.png\n"
    assert "pendulum.py" not in (tmp_path / "arm.py").read_text(encoding="utf-8")
    shown = json.loads(run("simulate", "arm.py:build", "--until", "2", "--set", "motor.force=0.3", "--accuracy", "1e-9", "--json").output)
    inertia = 1 / 12 + 0.02**2 / 4 + 0.5**2  # kg m^2, of a rod about its end
    swing = solve_ivp(
        lambda _, y: [y[1], (0.3 - 0.05 * y[1] - 9.81 * 0.5 * np.sin(y[0])) / inertia], (0, 2), [0.5, 0], rtol=1e-10, atol=1e-12
    )
    assert shown["final"]["upper.q"] == pytest.approx(swing.y[0, -1], abs=1e-7)


def test_it_runs_as_a_program(run, tmp_path, capsys):
    run("new", "arm.py", "-q")
    runpy.run_path(str(tmp_path / "arm.py"), run_name="__main__")

    assert re.fullmatch(r"at 5 s the pendulum is at -?0\.\d{6} rad from the vertical\n", capsys.readouterr().out)


def test_the_commands_in_its_comments_run(run, tmp_path, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    run("new", "pendulum.py")
    commands = re.findall(r"^# (mobod [^#\n]*?)(?:  .*)?$", (tmp_path / "pendulum.py").read_text(encoding="utf-8"), re.MULTILINE)

    assert len(commands) == 4
    for command in commands:
        done = run(*shlex.split(command)[1:])
        assert done.exit_code == 0, done.output


def test_the_second_rod_can_be_switched_on(run, tmp_path):
    text = TEMPLATE.read_text(encoding="utf-8")
    assert text.count("    # lower = ") == 1
    (tmp_path / "double.py").write_text(text.replace("    # lower = ", "    lower = "), encoding="utf-8")

    assert run("info", "double.py:build", "--names").output.splitlines()[:4] == ["upper.q", "upper.u", "lower.q", "lower.u"]


def test_an_existing_file_is_not_changed(run, tmp_path):
    (tmp_path / "mine.py").write_text("x = 1\n")
    done = run("new", "mine.py")

    assert done.exit_code == 2
    assert done.stderr == "Error: mine.py exists already, and is not changed. Name a new file.\n"
    assert (tmp_path / "mine.py").read_text() == "x = 1\n"


@pytest.mark.parametrize("name", ["pendulum", "pendulum.json"])
def test_other_names_are_refused(run, tmp_path, name):
    done = run("new", name)

    assert done.exit_code == 2
    assert "ends with .py" in done.stderr
    assert not (tmp_path / name).exists()


def test_json_has_the_model(run):
    assert json.loads(run("new", "arm.py", "--json").output) == {"file": "arm.py", "model": "arm.py:build"}
