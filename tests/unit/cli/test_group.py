"""`mobod` itself."""

import importlib.metadata

import pytest


def test_the_version_matches_the_package(run):
    done = run("--version")

    assert done.exit_code == 0
    assert done.output.strip() == f"mobod, version {importlib.metadata.version('mobod')}"


@pytest.mark.parametrize("command", ["demo", "info", "simulate", "export", "validate", "cosim", "plot", "compare"])
def test_each_command_is_listed_and_has_help(run, command):
    assert f"  {command} " in run("--help").output
    done = run(command, "-h")
    assert done.exit_code == 0
    assert done.output.startswith(f"Usage: mobod {command} ")


def test_an_unknown_command_exits_2(run):
    done = run("exprot")

    assert done.exit_code == 2
    assert "exprot" in done.stderr
