"""The code in the README and the commands of the command line's page run and give the shown results."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from matplotlib.image import imread
from pythonfmu.builder import FmuBuilder

from mobod.cli import main

REPOSITORY = Path(__file__).resolve().parents[2]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_the_python_code_of_the_readme_runs_and_prints_the_shown_output(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    first, by_fmpy = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (shown,) = re.findall(r"It prints\n\n```\n(.*?)```", README, re.DOTALL)

    exec(compile(first, "README.md", "exec"), {})
    assert capsys.readouterr().out == shown

    exec(compile(by_fmpy, "README.md", "exec"), {})
    assert capsys.readouterr().out.split()[2] == re.search(r"# (-?\d\.\d+)$", by_fmpy, re.MULTILINE)[1]


@pytest.mark.slow
def test_the_commands_of_the_page_on_the_command_line_run(tmp_path, monkeypatch):
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mobod_demo").mkdir()  # as the demo makes it
    FmuBuilder.build_FMU(tmp_path / "examples" / "pd_controller.py", dest=tmp_path / "mobod_demo" / "pd_controller.fmu")
    page = (REPOSITORY / "docs" / "how_do_i" / "command_line.md").read_text(encoding="utf-8")
    block = re.search(r"```\n(mobod info .*?)```", page, re.DOTALL)[1]
    commands = [shlex.split(command) for command in block.replace("\\\n", " ").splitlines()]

    assert [command[1] for command in commands] == ["info", "simulate", "export", "info", "simulate", "validate", "cosim", "ssp", "cosim"]
    for command in commands:
        done = CliRunner().invoke(main, command[1:])
        assert done.exit_code == 0, done.output

    for name in ("run.csv", "run.png", "plant.fmu", "system.ssp"):
        assert (tmp_path / name).stat().st_size > 0


def test_every_link_of_the_readmes_leads_to_an_existing_file():
    for readme in [REPOSITORY / "README.md", *(REPOSITORY / "engine").rglob("README.md"), *(REPOSITORY / "fmu_src").rglob("README.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", readme.read_text(encoding="utf-8")):
            assert target.startswith("https://") or (readme.parent / target).exists(), f"{readme}: {target}"


def test_the_picture_is_small_enough_for_a_page():
    picture = REPOSITORY / re.search(r"!\[[^]]*\]\(([^)]+)\)", README)[1]

    assert picture.stat().st_size < 60_000
    assert imread(picture).shape[:2] == (480, 758)


def test_the_readme_is_one_page():
    assert len(README.splitlines()) < 120
