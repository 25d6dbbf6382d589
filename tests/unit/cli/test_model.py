"""The argument MODEL, for all commands."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from mobod.cli import main
from mobod.cli.models.kinds import MODEL_KINDS, kind_of
from mobod.cli.models.settings import SYSTEMS, KindOption

ROOT = Path(__file__).resolve().parents[3]
MODELS = {"python": "models.py:crane", "model file": "crane.json", "urdf": "crane.urdf", "sdf": "crane.sdf", "fmu": "crane.fmu"}


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


def values_for(option, file):
    """Arguments that give an option a value of its type."""
    if option.is_flag:
        return [option.opts[0]]
    of_type = {"float": "0.5", "integer": "2", "choice": getattr(option.type, "choices", [""])[0], "path": str(file), "file": str(file)}
    return [option.opts[0], of_type.get(option.type.name, "name=1")]


@pytest.mark.parametrize("name", ["info", "simulate", "view", "export", "convert", "bench", "sweep"])
def test_an_option_of_other_kinds_of_model_is_refused_before_the_work(run, tmp_path, name):
    (tmp_path / "file.csv").write_text("time\n0\n")
    needed = {"sweep": ["--out", "table.csv"], "export": ["-o", "crane.fmu"], "convert": ["-o", "crane.json"]}.get(name, [])
    tried = 0
    for option in main.commands[name].params:
        for kind, model in MODELS.items():
            if not isinstance(option, KindOption) or kind in option.of or (kind == "fmu" and name in ("export", "convert")):
                continue
            done = run(name, model, *values_for(option, tmp_path / "file.csv"), *needed)
            assert done.exit_code == 2, done.output
            assert f"{option.opts[0]} applies only to " in done.stderr
            assert f"MODEL '{model}' is none" in done.stderr
            tried += 1
    assert tried >= 8


def test_every_command_with_a_model_takes_it_in_the_same_way():
    commands = {name: command for name, command in main.commands.items() if any(each.name == "model" for each in command.params)}
    assert set(commands) == {"info", "simulate", "view", "export", "convert", "bench", "sweep"}
    for command in commands.values():
        options = {each.name: each for each in command.params if isinstance(each, KindOption)}
        assert {"urdf_settings", "sdf_settings", "allow_imports", "allow_macros"} <= set(options)
        assert isinstance(command.params[0], click.Argument)


def test_an_fmu_is_no_model_to_export(run):
    done = run("export", "crane.fmu", "-o", "other.fmu")
    assert done.exit_code == 2
    assert "MODEL 'crane.fmu' is an FMU" in done.stderr


@pytest.mark.parametrize(
    "start", ["<robot name='swing'>", "<?xml version='1.0'?>\n<!-- arm --><robot name='swing' xmlns='http://www.ros.org'>"]
)
def test_a_robot_file_is_known_by_its_root_element(run, tmp_path, start):
    link = "<link name='a'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    (tmp_path / "arm.xml").write_text(
        f"{start}<link name='world'/>{link}<joint name='hinge' type='continuous'><parent link='world'/><child link='a'/></joint></robot>"
    )
    assert kind_of(str(tmp_path / "arm.xml")).name == "urdf"
    done = run("info", "arm.xml", "--names")
    assert done.exit_code == 0, done.output
    assert "hinge.q" in done.stdout


@pytest.mark.parametrize(
    ("content", "exit_code", "message"),
    [("<scene/>", 2, "its root element is <scene>"), ("<robot>", 1, "not well-formed XML"), (None, 2, "the file does not exist")],
)
def test_xml_of_another_kind_is_refused_with_the_kinds_that_can_be_read(run, tmp_path, content, exit_code, message):
    if content is not None:
        (tmp_path / "arm.xml").write_text(content)
    done = run("info", "arm.xml")
    assert done.exit_code == exit_code
    assert message in done.stderr
    assert ("<robot> (URDF files)" in done.stderr) == (content == "<scene/>")


def test_the_page_on_trust_says_what_the_table_of_kinds_says():
    page = (ROOT / "docs" / "concepts" / "trust.md").read_text(encoding="utf-8")
    for kind in MODEL_KINDS:
        assert kind.allowed_by in page
        assert not kind.is_data or f"| {kind.may_do} |" in page
    assert {each.name for each in MODEL_KINDS} == {*SYSTEMS, "fmu"}


def test_info_says_how_a_model_was_read(run):
    assert "read as a Python program: the file was run" in run("info", "models.py:crane").stdout
