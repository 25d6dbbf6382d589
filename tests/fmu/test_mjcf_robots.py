"""Robots that Gymnasium installs: MJCF files become FMUs in one command, which FMPy steps."""

from pathlib import Path

import fmpy
import gymnasium
import numpy as np
import pytest
from click.testing import CliRunner
from fmpy.validation import validate_fmu

from mobod.cli import main

ASSETS = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"


@pytest.mark.slow
@pytest.mark.parametrize(("robot", "drives", "base"), [("humanoid", 17, "root"), ("ant", 8, "root"), ("half_cheetah", 6, "rootz")])
def test_a_robot_of_gymnasium_falls_as_an_fmu(robot, drives, base, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["export", str(ASSETS / f"{robot}.xml"), "--code", "interpreted", "--quiet"])
    assert done.exit_code == 0, done.output
    assert validate_fmu(f"{robot}.fmu") == []
    variables = fmpy.read_model_description(f"{robot}.fmu").modelVariables
    assert sum(each.causality == "input" for each in variables) == drives
    height = f"{base}.q[7]" if base == "root" else f"{base}.q"  # a quaternion comes before the position
    run = fmpy.simulate_fmu(f"{robot}.fmu", stop_time=0.2, output_interval=0.02, output=[height])
    fall = run[height] - run[height][0]
    assert np.all(np.diff(fall) < 0)
    assert fall[-1] == pytest.approx(-9.81 * 0.2**2 / 2, rel=0.2)  # its joints move its base, too
