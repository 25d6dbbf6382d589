"""The argument MODEL, for all commands."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("models.py", "names no function. Write path.py:function"),
        ("models", "names no function. Write path.py:function"),
        ("models.py:cran", "no function of models.py is named 'cran'. Did you mean 'crane'?"),
        ("models.py:mb", "'mb' of models.py is of type module"),
        ("models.py:returns_text", "returns str, not a System"),
        ("modles.py:crane", "the file modles.py does not exist"),
        ("models.txt:crane", "models.txt is not a Python file"),
        ("crane.urdf", "MODEL 'crane.urdf': the file does not exist"),
        ("crane.json", "MODEL 'crane.json': the file does not exist"),
    ],
)
def test_an_invalid_model_argument_exits_2(run, model, message):
    done = run("info", model)

    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("models.py:divides_by_zero", "models.py, line 22, in divides_by_zero: ZeroDivisionError: division by zero"),
        ("models.py:negative_mass", "models.py, line 18, in negative_mass: Inertia.point: mass is -1 kg"),
        ("models.py:gives_up", "models.py: it called sys.exit('no more')"),
        ("broken.py:crane", "broken.py: SyntaxError: '(' was never closed"),
        ("broken.urdf", "broken.urdf, line 1: it is not well-formed XML"),
        ("broken.json", "broken.json, line 1, column 1: it is not JSON"),
    ],
)
def test_a_failing_model_exits_1_with_the_place(run, tmp_path, model, message):
    (tmp_path / "broken.py").write_text("def crane(")
    (tmp_path / "broken.json").write_text("crane")
    (tmp_path / "broken.urdf").write_text("<robot>")

    done = run("info", model)

    assert done.exit_code == 1
    assert message in done.stderr
    assert "Traceback" not in done.output


@pytest.mark.slow
def test_a_traceback_is_shown_with_debug(tmp_path, run):
    command = [sys.executable, "-c", "from mobod.cli import main; main()", "info", "models.py:divides_by_zero", "--debug"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "return 1 / 0" in done.stderr


def test_a_model_imports_its_neighbours_and_may_define_dataclasses(run, tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "crane_sizes.py").write_text("MASS = 4.25  # kg")
    (tmp_path / "site" / "yard.py").write_text(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "import crane_sizes\n"
        "import mobod as mb\n"
        "@dataclass\n"
        "class Yard:\n"
        "    mass: float = crane_sizes.MASS\n"
        "def build():\n"
        "    system = mb.MultibodySystem('yard')\n"
        "    matter = mb.MatterSubsystem(system)\n"
        "    mb.Slider(matter.ground, mb.MassProperties.point(Yard().mass, [0, 0, 0]), name='cart')\n"
        "    return system\n"
    )

    done = run("info", "site/yard.py:build")

    assert done.exit_code == 0, done.output
    assert "4.25" in done.output
