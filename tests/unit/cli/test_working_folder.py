"""No Python that a verb starts imports modules of the working folder."""

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest

import mobod as mb

# Runs a verb with all programs that start being written down: loky calls _posixsubprocess itself, which no audit event records
RUNNER = """
import json, os, sys
import _posixsubprocess

start = _posixsubprocess.fork_exec

def recorded(*arguments):
    environment = arguments[5] or [key + b"=" + value for key, value in os.environb.items()]
    with open(os.environ["STARTED"], "a") as file:
        is_safe = any(each.startswith(b"PYTHONSAFEPATH=") for each in environment)
        print(json.dumps([[os.fsdecode(each) for each in arguments[0]], is_safe]), file=file)
    return start(*arguments)

_posixsubprocess.fork_exec = recorded
from mobod.cli import main
main()
"""

ARM = """<robot name="arm"><link name="base"/><link name="rope"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="rope" type="continuous"><parent link="base"/><child link="rope"/><axis xyz="1 0 0"/></joint></robot>"""

VERBS = {
    "sweep": ["sweep", "arm.urdf", "--set", "rope.q=0,0.1,0.2,0.3", "--until", "0.01", "--processes", "2", "--out", "u.csv"],
    "validate": ["validate", "plant.fmu"],
    "simulate an FMU": ["simulate", "plant.fmu", "--until", "0.01"],
    "simulate": ["simulate", "arm.urdf", "--until", "0.01"],
    "export": ["export", "arm.urdf", "--out", "other.fmu", "--code", "interpreted"],
    "info": ["info", "plant.fmu"],
    "bench": ["bench", "arm.urdf"],
    "sweep an FMU": ["sweep", "plant.fmu", "--set", "rope.q_start=0,0.1", "--until", "0.01", "--processes", "2", "--out", "v.csv"],
    "view": ["view", "arm.urdf", "--out", "page.html"],
    "doctor": ["doctor"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which each module that any Python here could import leaves a mark."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "arm.urdf").write_text(ARM)
    system = mb.load_urdf(folder / "arm.urdf")
    mb.export_fmu(system, folder / "plant.fmu", outputs=["rope.q"], code="interpreted")
    installed = {name for name in importlib.metadata.packages_distributions() if name.isidentifier()}
    for name in sorted({*sys.stdlib_module_names, *installed, "sitecustomize", "usercustomize"}):
        text = f"from pathlib import Path\nPath({str(folder / 'RAN.txt')!r}).open('a').write({name!r} + chr(10))\n"
        (folder / f"{name}.py").write_text(text if name != "pathlib" else f"open({str(folder / 'RAN.txt')!r}, 'a').write('pathlib')\n")
    return folder


def is_python(program):
    return Path(program).name.startswith("python")


@pytest.mark.skipif(sys.platform == "win32", reason="programs are started otherwise on Windows")
@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_runs_no_module_of_the_working_folder(verb, folder, tmp_path, monkeypatch):
    started = tmp_path / "started.txt"
    started.touch()
    monkeypatch.setenv("STARTED", str(started))
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    command = [sys.executable, "-P", "-c", RUNNER, *VERBS[verb]]

    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert not (folder / "RAN.txt").exists(), (folder / "RAN.txt").read_text()
    pythons = [(arguments, is_safe) for arguments, is_safe in map(json.loads, started.read_text().splitlines()) if is_python(arguments[0])]
    assert [arguments for arguments, is_safe in pythons if "-P" not in arguments and not is_safe] == []
    if verb in ("sweep", "validate", "simulate an FMU"):
        assert pythons


@pytest.mark.slow
def test_modules_beside_a_users_script_load_in_the_workers_of_its_sweep(tmp_path):
    (tmp_path / "lengths.py").write_text("LENGTH = 0.75\n")
    (tmp_path / "study.py").write_text(
        """import mobod as mb
import lengths

def figure(results, *_):
    import lengths
    return {"f": lengths.LENGTH}

if __name__ == "__main__":
    system = mb.MultibodySystem("study")
    matter = mb.MatterSubsystem(system)
    mb.Pin(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, -lengths.LENGTH, 0]), name="pin")
    table = mb.sweep(system, {"pin.q": [0.0, 1.0]}, more_figures=figure, until=0.01, processes=2, backend="interpreted")
    print(list(table["f"]), table.errors)
"""
    )
    done = subprocess.run([sys.executable, "study.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "0.75" in done.stdout, done.stdout + done.stderr


def test_one_module_makes_the_commands_of_pythons():
    package = Path(mb.__file__).parent
    files = {str(path.relative_to(package)) for path in package.rglob("*.py") if "[sys.executable" in path.read_text()}
    assert files == {"child_python.py"}
