"""The line on a terminal that says what is compiled."""

import contextlib
import logging
import os
import re
import subprocess
import sys

import pytest

from mobod.runtime.compiler import build_library
from mobod.runtime.library import runtime

WORK = """
import click, logging
from mobod.cli.compiling import compilations_shown
from mobod.progress import progress_bar

with click.Context(click.Command("work")), compilations_shown(), progress_bar("work", wanted=True) as progress:
    progress(1, 2)
    logging.getLogger("mobod.builds").info("compiling lever ...")
    progress(2, 2)
"""
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
    """stderr_is(terminal): whether it is one. The cache is empty, and lever.py has a model that needs a compiled library."""

    def stderr_is(is_terminal):
        monkeypatch.setattr("mobod.cli.compiling._is_terminal", lambda: is_terminal)

    (tmp_path / "lever.py").write_text(BUILDS)
    runtime()  # which need not be compiled into this cache
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


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_the_line_stands_above_the_progress_bar():
    """On a real terminal."""
    import pty

    controller, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    done = subprocess.run([sys.executable, "-c", WORK], env=environment, stdout=subprocess.PIPE, stderr=terminal, timeout=120, check=False)
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # Linux: the other end is closed
        while more := os.read(controller, 65536):
            shown += more
    os.close(controller)

    assert done.returncode == 0, shown
    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()))
    assert "compiling lever ..." in [line.strip() for line in lines]
    assert any(line.startswith("work ") for line in lines)
