"""Builds in a process of their own: they end with their parent, leave no lock, and are shared."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mobod.disk.folder_lock import folder_lock
from mobod.errors import CompileError
from mobod.runtime.build_process import build_apart
from mobod.runtime.compiler import library_order
from tests.unit.runtime.test_library_cache import ANSWER, answer, calls, own_cache  # noqa: F401 # fixtures

posix = pytest.mark.skipif(sys.platform == "win32", reason="process groups are of POSIX")


@posix
def test_two_builds_of_one_library_compile_it_once(calls):  # noqa: F811 # the argument is the fixture
    order = library_order("answer", ANSWER)
    with ThreadPoolExecutor(2) as pool:
        libraries = set(pool.map(build_apart, [order, order]))
    assert [answer(library) for library in libraries] == [21.0]
    assert len(calls()) == 2  # compiles and links


def test_an_error_of_the_compiler_is_that_of_a_build_in_this_process():
    with pytest.raises(CompileError, match=r"'answer\.c' did not compile"):
        build_apart(library_order("answer", {"answer.c": "double answer(double x) { return }"}))


def test_where_the_cache_cannot_be_used_the_library_outlives_the_process_that_built_it(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "file"))
    assert answer(build_apart(library_order("answer", ANSWER))) == 21.0


@posix
@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.fast("killed")
@pytest.mark.parametrize("end", ["killed", "exits", "interrupted", "killed, in a process of a sweep"])
def test_a_build_ends_with_its_parent_and_leaves_no_lock(end, tmp_path, own_cache):  # noqa: F811 # the argument is the fixture
    started, compiler = tmp_path / "started", tmp_path / "cc"
    answers = '[ "$1" = --version ] && exit 0\n'
    compiler.write_text(f'#!/bin/sh\n{answers}echo $$ $PPID > "{started}.new"\nmv "{started}.new" "{started}"\nexec sleep 60\n')
    compiler.chmod(0o700)
    program = (
        "import os, sys, threading\n"
        "from mobod.runtime.build_process import build_apart\n"
        "from mobod.runtime.compiler import build_library, library_order\n"
        "from mobod.sweeps.parent_watch import end_with_parent\n"
        f"answer = 'answer', {ANSWER!r}\n"
        + (
            "end_with_parent(os.getppid())\nbuild_library(*answer)\n"
            if "sweep" in end
            else "threading.Thread(target=build_apart, args=(library_order(*answer),), daemon=True).start()\nsys.stdin.read()\n"
        )
    )
    parent = subprocess.Popen([sys.executable, "-c", program], env={**os.environ, "CC": str(compiler)}, stdin=subprocess.PIPE)
    try:
        wait_until(started.exists, "the build does not start")
        processes = [int(each) for each in started.read_text().split()]
        if end == "exits":
            parent.stdin.close()
        else:
            parent.send_signal(signal.SIGINT if end == "interrupted" else signal.SIGKILL)
        parent.wait()
        wait_until(lambda: not any(map(is_alive, processes)), "the build outlives its parent")
    finally:
        parent.kill()
        parent.wait()
        parent.stdin.close()
    for folder in [own_cache / "builds", *(own_cache / "libraries").iterdir()]:
        with folder_lock(folder) as is_free:
            assert is_free, folder
    assert answer(build_apart(library_order("answer", ANSWER))) == 21.0


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_that_ends_leaves_the_build_of_its_parent(tmp_path):
    program = (
        "import os, sys, threading, time\n"
        "from mobod.runtime import build_process\n"
        "from mobod.runtime.compiler import library_order\n"
        f"order = library_order('answer', {ANSWER!r})\n"
        "building = threading.Thread(target=lambda: print(build_process.build_apart(order)))\n"
        "building.start()\n"
        "while not build_process._running: time.sleep(0.01)\n"
        "child = os.fork()\n"
        "if not child: sys.exit()\n"
        "os.waitpid(child, 0)\n"
        "building.join()\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True)
    assert answer(Path(done.stdout.strip())) == 21.0


def wait_until(is_so, otherwise):
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.02)


def is_alive(process):
    """Whether a process runs; one that has ended and is not yet collected does not."""
    try:
        os.kill(process, 0)
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # it has just ended, or the system has no such files
        return not Path("/proc/self").exists()
