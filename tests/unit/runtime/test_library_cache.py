"""The cache of compiled libraries: damaged files are rebuilt, folders of other users are not used, interrupted builds leave no files."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mobod.errors import CompileError
from mobod.runtime.compiler import build_library, library_suffix
from mobod.runtime.library_cache import LibraryCache, cache_directory, checked_content

ANSWER = {"answer.c": '__attribute__((visibility("default"))) double answer(double x) { return 42 * x; }\n'}
posix = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes of folders, and signals, are of POSIX")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """Records the arguments of each call of the C compiler by a wrapper."""
    log, compiler = tmp_path / "calls", tmp_path / "cc"
    compiler.write_text(f'#!/bin/sh\necho "$@" >> "{log}"\nexec "{shutil.which("cc")}" "$@"\n')
    compiler.chmod(0o700)
    monkeypatch.setenv("CC", str(compiler))
    return lambda: [line for line in log.read_text().splitlines() if line != "--version"]


def answer(library: Path) -> float:
    function = ctypes.CDLL(str(library)).answer
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    return function(0.5)


def damaged(content: bytes, how: str) -> bytes:
    middle = len(content) // 2
    return {
        "cut": content[:middle],
        "empty": b"",
        "one bit": content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :],
        "longer": content + b"\0",
    }[how]


@pytest.mark.fast(1)
@posix
@pytest.mark.parametrize("how", ["cut", "empty", "one bit", "longer"])
def test_a_damaged_library_is_linked_again(calls, how):
    library = build_library("answer", ANSWER)
    whole = library.read_bytes()
    library.write_bytes(damaged(whole, how))

    assert build_library("answer", ANSWER) == library
    assert answer(library) == 21.0
    assert library.read_bytes() == whole
    assert [" -c " in call for call in calls()] == [True, False, False]  # compiled once, linked twice


@posix
def test_one_of_several_simultaneous_builds_compiles_and_the_others_take_its_library(calls):
    with ThreadPoolExecutor(3) as pool:
        libraries = set(pool.map(lambda _: build_library("answer", ANSWER), range(3)))
    assert [answer(library) for library in libraries] == [21.0]
    assert len(calls()) == 2  # compiles and links


@pytest.mark.slow
@posix
def test_a_damaged_object_is_compiled_again(own_cache, calls):
    library = build_library("answer", ANSWER)
    (built,) = (own_cache / "objects").glob("*.o")
    whole = built.read_bytes()
    built.write_bytes(damaged(whole, "one bit"))
    library.unlink()

    assert answer(build_library("answer", ANSWER)) == 21.0
    assert built.read_bytes() == whole
    assert [" -c " in call for call in calls()] == [True, False, True, False]


@pytest.mark.fast(1)
@pytest.mark.parametrize("sum_of_it", [None, "", "0" * 64 + "  answer\n", "\u00e9"])
def test_a_library_with_a_wrong_sum_is_built_again(sum_of_it):
    library = build_library("answer", ANSWER)
    beside = library.with_name(library.name + ".sha256")
    right = beside.read_text()
    if sum_of_it is None:
        beside.unlink()
    else:
        beside.write_text(sum_of_it, encoding="utf-8")

    assert checked_content(library) is None
    assert build_library("answer", ANSWER) == library
    assert beside.read_text() == right
    assert checked_content(library) == library.read_bytes()


def test_the_sum_can_be_checked_by_sha256sum():
    library = build_library("answer", ANSWER)
    program = shutil.which("sha256sum")
    if program is None:
        pytest.skip("sha256sum, which checks the sums, is not installed")
    subprocess.run([program, "--check", "--status", library.name + ".sha256"], cwd=library.parent, check=True)


@posix
def test_all_folders_are_closed_to_others(own_cache, tmp_path, monkeypatch):
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "new" / "cache"))
    build_library("answer", ANSWER)
    folders = [path for path in [tmp_path / "new", *(tmp_path / "new").rglob("*")] if path.is_dir()]
    assert len(folders) >= 6
    assert {oct(folder.stat().st_mode & 0o777) for folder in folders} == {"0o700"}


def plant(library: Path) -> None:
    """Replaces a library by another one with a valid checksum."""
    other = build_library("answer", {"answer.c": ANSWER["answer.c"].replace("42", "666")})
    for suffix in ("", ".sha256"):
        shutil.copyfile(f"{other}{suffix}", f"{library}{suffix}")


@pytest.mark.fast(1)
@posix
@pytest.mark.parametrize("level", ["the cache itself", "libraries", "folder of one library"])
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o1777])
def test_folders_that_others_can_write_to_are_not_used(own_cache, caplog, level, mode):
    library = build_library("answer", ANSWER)
    plant(library)
    assert answer(build_library("answer", ANSWER)) == 333.0  # as long as it is the user who did that
    shutil.copyfile(library, planted := library.with_name("kept"))
    folder = {"the cache itself": own_cache, "libraries": own_cache / "libraries", "folder of one library": library.parent}[level]
    folder.chmod(mode)

    elsewhere = build_library("answer", ANSWER)
    assert own_cache not in elsewhere.parents
    assert answer(elsewhere) == 21.0
    assert library.read_bytes() == planted.read_bytes()
    assert f"others can write to '{folder}' (mode {mode:o})" in caplog.text
    assert f"chmod 700 '{folder}'" in caplog.text


@posix
def test_folders_of_other_users_are_not_used(own_cache, caplog, monkeypatch):
    library = build_library("answer", ANSWER)
    plant(library)
    owner = os.geteuid()
    monkeypatch.setattr("os.geteuid", lambda: owner + 1)

    with pytest.raises(PermissionError, match=f"user id {owner}, not {owner + 1}"):
        LibraryCache(own_cache).folder("libraries")
    assert LibraryCache(own_cache).content(*library.relative_to(own_cache).parts) is None
    assert checked_content(library) is None


def test_if_the_cache_is_not_writable_libraries_are_built_in_a_temporary_folder(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "file"))
    library = build_library("answer", ANSWER)
    assert tmp_path / "file" not in library.parents
    assert answer(library) == 21.0
    assert build_library("answer", ANSWER) == library
    (record,) = [record for record in caplog.records if str(tmp_path / "file") in record.getMessage()]  # said once
    assert "set MOBOD_CACHE" in record.getMessage()


def test_a_library_in_a_read_only_cache_is_used(own_cache, monkeypatch):
    library = build_library("answer", ANSWER)
    monkeypatch.setattr("tempfile.mkdtemp", lambda **_: pytest.fail("something is built"))
    assert build_library("answer", ANSWER) == library


def test_if_nothing_is_writable_the_error_names_the_variables_to_set(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mobod.runtime.library_cache._replace", full)
    with pytest.raises(CompileError, match=r"No space left on device\. Set TMPDIR"):
        build_library("unanswered", ANSWER)


@pytest.mark.slow
def test_the_temporary_folder_is_removed_with_its_process(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "temporary").mkdir()
    script = f"from mobod.runtime.compiler import build_library\nprint(build_library('answer', {ANSWER!r}))"
    environment = {**os.environ, "MOBOD_CACHE": str(tmp_path / "file"), "TMPDIR": str(tmp_path / "temporary")}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert str(tmp_path / "temporary") in done.stdout
    assert list((tmp_path / "temporary").iterdir()) == []


@posix
def test_the_folder_of_a_killed_build_is_removed_by_the_next_one_and_a_running_one_is_kept(own_cache, tmp_path, monkeypatch):
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exit 0\ntouch "{tmp_path}/reached-$PPID"\nexec sleep 60\n')
    slow.chmod(0o700)
    build = "from mobod.runtime.compiler import build_library\nbuild_library('answer', {})"
    scripts = [build.format({"answer.c": ANSWER["answer.c"] + blank}) for blank in ("\n", "\n\n")]  # equal ones would not be built at once
    environment = {**os.environ, "CC": str(slow)}
    processes = [subprocess.Popen([sys.executable, "-c", script], env=environment, start_new_session=True) for script in scripts]
    try:
        deadline = time.monotonic() + 60
        while not all((tmp_path / f"reached-{process.pid}").exists() for process in processes):
            assert time.monotonic() < deadline, "the builds do not start"
            time.sleep(0.02)
        killed, running = processes
        killed.kill()
        killed.wait()
        builds = own_cache / "builds"
        assert {folder.name.split("-")[0] for folder in builds.iterdir()} == {str(killed.pid), str(running.pid)}

        assert answer(build_library("answer", ANSWER)) == 21.0
        assert [folder.name.split("-")[0] for folder in builds.iterdir()] == [str(running.pid)]
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_the_environment_determines_the_cache_folder(monkeypatch, tmp_path):
    assert cache_directory() == tmp_path / "cache"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOBOD_CACHE", "relative")
    assert cache_directory() == tmp_path / "relative"
    monkeypatch.delenv("MOBOD_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_directory() == tmp_path / "xdg" / "mobod"
    monkeypatch.setenv("HOME", str(tmp_path))
    for ignored in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert cache_directory() == tmp_path / ".cache" / "mobod"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "Local"))
    assert cache_directory() == tmp_path / "Local" / "mobod"


def test_a_user_without_a_home_folder_has_a_temporary_cache(monkeypatch, tmp_path, caplog):
    for name in ("MOBOD_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("pathlib.Path.home", homeless)
    assert answer(build_library("answer", ANSWER)) == 21.0
    assert "the user has no home folder" in caplog.text


def test_the_suffix_is_that_of_this_machine():
    assert build_library("answer", ANSWER).name == "answer" + library_suffix()
