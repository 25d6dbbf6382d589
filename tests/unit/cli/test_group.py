"""`mobod` itself, and what all commands have in common."""

import importlib.metadata
import os
import shutil
import subprocess
import sys

import click
import pytest

from mobod.cli import main

COMMANDS = [
    "demo",
    "new",
    "info",
    "simulate",
    "sweep",
    "view",
    "plot",
    "compare",
    "export",
    "convert",
    "validate",
    "cosim",
    "ssp",
    "bench",
    "doctor",
]


def leaves(group, path=()):
    """All commands, also those of groups: (names, command)."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaves(command, (*path, name))
        else:
            yield (*path, name), command


LEAVES = dict(leaves(main))


def test_the_version_matches_the_package(run):
    done = run("--version")

    assert done.exit_code == 0
    assert done.output.strip() == f"mobod, version {importlib.metadata.version('mobod')}"


def test_these_are_all_commands():
    assert list(main.commands) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_is_listed_and_has_help(run, command):
    assert f"  {command} " in run("--help").output
    done = run(command, "-h")
    assert done.exit_code == 0
    assert done.output.startswith(f"Usage: mobod {command} ")


@pytest.mark.parametrize("names", LEAVES, ids=" ".join)
def test_each_help_has_an_example_and_each_result_can_be_json(run, names):
    done = run(*names, "--help")

    assert f"\n  mobod {' '.join(names)}" in done.output.partition("Options:")[0].partition("\n")[2]
    assert "--json" in done.output


@pytest.mark.parametrize("names", LEAVES, ids=" ".join)
def test_options_have_the_same_names_everywhere(names):
    spellings = [{*option.opts, *option.secondary_opts} for option in LEAVES[names].params if isinstance(option, click.Option)]

    for each in spellings:
        assert ("-o" in each) == ("--out" in each)
        assert ("-q" in each) == ("--quiet" in each)
        assert "--stop" not in each or "--until" in each
    assert any("--debug" in each for each in spellings)


def test_an_unknown_command_exits_2(run):
    done = run("exprot")

    assert done.exit_code == 2
    assert "exprot" in done.stderr


def mobod(folder, *arguments, **environment):
    command = [sys.executable, "-m", "mobod", *arguments]
    return subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
def test_the_package_runs_as_a_module(tmp_path):
    done = mobod(tmp_path, "compare", "--help")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage: python -m mobod compare ")


@pytest.mark.fast(1)
@pytest.mark.parametrize(
    ("shell", "words", "expected"),
    [
        ("bash_complete", {"COMP_WORDS": "mobod s", "COMP_CWORD": "1"}, ["plain,simulate", "plain,sweep", "plain,ssp"]),
        ("bash_complete", {"COMP_WORDS": "mobod ssp ", "COMP_CWORD": "2"}, ["plain,new", "plain,info", "plain,check", "plain,unpack"]),
        ("bash_complete", {"COMP_WORDS": "mobod simulate --unt", "COMP_CWORD": "2"}, ["plain,--until"]),
    ],
)
def test_the_shell_completes_commands_and_options(tmp_path, shell, words, expected):
    program = [sys.executable, "-c", "from mobod.cli import main; main(prog_name='mobod')"]
    done = subprocess.run(
        program,
        cwd=tmp_path,
        env={**os.environ, **words, "_MOBOD_COMPLETE": shell},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert sorted(done.stdout.split()) == sorted(expected)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_the_line_of_help_switches_completion_on_in_bash(run, tmp_path):
    (line,) = (line.split(maxsplit=1)[1] for line in run("--help").output.splitlines() if line.startswith("  ~/.bashrc "))
    (tmp_path / "mobod").write_text(f"#!/bin/sh\nexec {sys.executable} -c \"from mobod.cli import main; main(prog_name='mobod')\"\n")
    (tmp_path / "mobod").chmod(0o755)

    done = subprocess.run(
        ["bash", "--norc", "-c", f"{line}; complete -p mobod"],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.stdout == "complete -o nosort -F _mobod_completion mobod\n", done.stderr
