"""The line on a terminal that says what is compiled."""

import logging

import pytest

import mobod.cli.compiling
from mobod.runtime.compiler import build_library

BUILDS = """
from mobod.runtime.compiler import build_library
import mobod as mb

def build():
    build_library("lever", {"lever.c": "int lever(void) { return 3; }"})
    system = mb.MultibodySystem("lever")
    mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.3, [0, -1, 0]), name="pin")
    return system
"""


@pytest.fixture
def stderr_is(monkeypatch, tmp_path):
    """stderr_is(terminal): whether it is one. The cache is empty, and models.py has a model that needs a compiled library."""

    class Stream:
        def __init__(self, is_terminal):
            self.isatty = lambda: is_terminal

    def stderr_is(is_terminal):
        monkeypatch.setattr(mobod.cli.compiling, "sys", type("sys", (), {"stderr": Stream(is_terminal)}))

    (tmp_path / "lever.py").write_text(BUILDS)
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "cache"))
    return stderr_is


def test_a_terminal_shows_what_is_compiled_once(run, stderr_is):
    stderr_is(True)

    assert run("info", "lever.py:build", "--names").stderr == "compiling lever ...\n"
    assert run("info", "lever.py:build", "--names").stderr == ""  # it is in the cache


@pytest.mark.parametrize(("is_terminal", "options"), [(False, []), (True, ["--json"])])
def test_neither_pipes_nor_programs_get_it(run, stderr_is, is_terminal, options):
    stderr_is(is_terminal)

    assert run("info", "lever.py:build", *options).stderr == ""


def test_quiet_commands_do_not_say_it(run, stderr_is):
    stderr_is(True)

    assert "compiling" not in run("simulate", "lever.py:build", "--until", "0.1", "-q").stderr


def test_the_log_is_as_before_afterwards(run, stderr_is, tmp_path):
    log = logging.getLogger("mobod.builds")
    before = (log.level, list(log.handlers))
    run("info", "lever.py:build")

    assert (log.level, log.handlers) == before
    assert build_library("lever", {"lever.c": "int lever(void) { return 4; }"}).is_file()
