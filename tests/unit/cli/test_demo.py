"""`mobod demo`. The results of the examples are tested in tests/examples."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mobod.cli import main
from mobod.cli.commands.demo import examples_folder
from mobod.errors import MobodError, NoCompilerError

REPOSITORY = Path(__file__).resolve().parents[3]
MADE = {
    "01_double_pendulum.py": ["double_pendulum.csv", "double_pendulum.html", "double_pendulum.png"],
    "02_export_fmu.py": ["driven_pendulum.fmu"],
    "03_cosimulate.py": ["controlled.csv", "pd_controller.fmu", "pendulum.fmu"],
}


def mobod(folder, *arguments):
    command = [sys.executable, "-c", "from mobod.cli import main; main()", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
def test_demo_shows_the_output_and_files_of_the_examples(tmp_path, monkeypatch):
    done = mobod(tmp_path, "demo")

    assert done.returncode == 0, done.stderr
    assert "rods are at -0.62508" in done.stdout
    for example, files in MADE.items():
        assert f"{example}: " in done.stdout
        for name in files:
            assert name in done.stdout.partition("what was made")[2]
            assert (tmp_path / "mobod_demo" / name).stat().st_size > 0
    assert re.search(r"double_pendulum_live\.html .* kB .*mobod demo", done.stdout.partition("what was made")[2])
    assert f"the files are in {tmp_path.resolve() / 'mobod_demo'}" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["mobod_demo"]

    # again, for a program, over the same files
    monkeypatch.chdir(tmp_path)
    again = CliRunner().invoke(main, ["demo", "--json"])
    assert again.exit_code == 0, again.stderr
    shown = json.loads(again.stdout)
    assert shown["files"] == {**MADE, "mobod demo": ["double_pendulum_live.html"]}
    assert shown["notes"] == []
    pages = [tmp_path.resolve() / "mobod_demo" / name for name in ("double_pendulum.html", "double_pendulum_live.html")]
    assert shown["pages"] == [str(page) for page in pages]
    for page in pages:
        assert f"  {page}  (" in done.stdout
    live = re.search(r'<script type="application/json" id="data">(.*?)</script>', pages[1].read_text(encoding="utf-8"), re.DOTALL)
    assert [each["name"] for each in json.loads(live[1])["live"]["variables"]][:3] == ["upper.q", "upper.u", "lower.q"]


@pytest.mark.slow
def test_demo_without_a_compiler_for_the_live_page_says_what_to_install(run, tmp_path, monkeypatch):
    def none():
        raise NoCompilerError("ziglang compiles it: python -m pip install ziglang.")

    monkeypatch.setattr("mobod.viewer.live_model.web_library", none)
    done = run("demo")

    assert done.exit_code == 0, done.stderr
    assert done.stdout.endswith("double_pendulum_live.html was not made: ziglang compiles it: python -m pip install ziglang.\n")
    assert f"  {tmp_path.resolve() / 'mobod_demo' / 'double_pendulum.html'}  (" in done.stdout
    assert not (tmp_path / "mobod_demo" / "double_pendulum_live.html").exists()


@pytest.mark.slow
def test_demo_without_a_compiler_exits_1_and_says_what_to_do(run, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")

    done = run("demo", "--quiet")

    assert done.exit_code == 1
    assert "CC is set to 'no-such-compiler'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_with_the_name_of_the_demo_folder_exits_1(run, tmp_path):
    (tmp_path / "mobod_demo").touch()

    done = run("demo")

    assert done.exit_code == 1
    assert "mobod_demo" in done.stderr


def test_a_checkout_shows_its_own_examples():
    assert examples_folder() == REPOSITORY / "examples"


def test_an_installed_package_shows_the_examples_inside_it_and_missing_ones_are_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(
        sys.modules["mobod.cli.commands.demo"], "__file__", str(tmp_path / "site" / "mobod" / "cli" / "commands" / "demo.py")
    )
    with pytest.raises(MobodError, match="Install mobod again"):
        examples_folder()

    inside = tmp_path / "site" / "mobod" / "_examples"
    inside.mkdir(parents=True)
    for name in MADE:
        (inside / name).touch()
    assert examples_folder() == inside
