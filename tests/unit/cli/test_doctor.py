"""`mobod doctor`."""

import importlib.metadata
import json
import platform
import sys

import pytest

from mobod.cli import installation
from mobod.runtime.library import runtime


def checks(done):
    return {each["name"]: each for each in json.loads(done.output)["checks"]}


@pytest.fixture
def without(monkeypatch):
    """without("numpy"): it is as if these packages were not installed."""

    def without(*names):
        version = importlib.metadata.version

        def known(name):
            if name in names:
                raise importlib.metadata.PackageNotFoundError(name)
            return version(name)

        monkeypatch.setattr(importlib.metadata, "version", known)

    return without


@pytest.mark.slow
def test_a_good_installation_exits_0(run):
    done = run("doctor")

    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-1] == "all that is needed works"
    for name in ("Python", "C compiler", "zig", "cache", "pictures of pages", "FMUs"):
        assert f"  {name} " in done.output
    assert platform.python_version() in done.output


@pytest.mark.slow
def test_json_has_the_folder_and_the_size_of_the_cache(run, tmp_path, monkeypatch):
    runtime()  # which need not be compiled into this cache
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "kept"))
    found = checks(run("doctor", "--json"))

    cache = found["cache"]["facts"]
    files = [file for file in (tmp_path / "kept").rglob("*") if file.is_file()]
    assert cache == {"folder": str(tmp_path / "kept"), "bytes": sum(file.stat().st_size for file in files), "files": len(files)}
    assert found["C compiler"]["state"] == "works"  # it compiled into this cache
    assert files


def test_without_a_compiler_models_still_run_and_the_command_to_get_one_is_named(run, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    done = run("doctor")

    assert "missing" in next(line for line in done.output.splitlines() if line.startswith("  C compiler "))
    assert 'C compiler: python -m pip install "mobod[compiler]"' in done.output


@pytest.mark.slow
def test_a_compiler_that_fails_is_broken(run, tmp_path, monkeypatch):
    compiler = tmp_path / "bad-cc"
    compiler.write_text('#!/bin/sh\n[ "$1" = --version ] && echo bad 1.0 && exit 0\necho error: no >&2; exit 1\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    found = checks(run("doctor", "--json"))

    assert found["C compiler"]["state"] == "broken"
    assert "error: no" in found["C compiler"]["details"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes that forbid writing to a folder")
@pytest.mark.slow
def test_a_cache_of_others_is_broken_but_not_needed(run, tmp_path, monkeypatch):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("MOBOD_CACHE", str(folder))
    done = run("doctor", "--json")

    found = checks(done)["cache"]
    assert found["state"] == "broken"
    assert "others can write" in found["details"]
    assert "MOBOD_CACHE" in found["mend"]
    assert not found["is_needed"]


@pytest.mark.slow
def test_a_missing_package_exits_1_with_the_command(run, without):
    without("scipy")
    done = run("doctor")

    assert done.exit_code == 1
    assert "scipy missing" in done.output
    assert "packages: python -m pip install 'scipy>=" in done.output
    assert done.output.splitlines()[-1] == "broken: packages"
    assert json.loads(run("doctor", "--json").output)["works"] is False


def test_a_missing_extra_exits_0_with_the_command(run, without):
    without("ziglang")
    done = run("doctor", "--json")

    assert done.exit_code == 0
    extra = checks(done)["extra compiler"]
    assert (extra["state"], extra["mend"]) == ("missing", 'python -m pip install "mobod[compiler]"')


@pytest.mark.slow
def test_without_chromium_the_command_is_named(run, monkeypatch):
    monkeypatch.delenv("MOBOD_CHROMIUM", raising=False)
    monkeypatch.setattr("mobod.viewer.browser._PROGRAMS", ())
    done = run("doctor", "--json")

    assert done.exit_code == 0
    found = checks(done)["pictures of pages"]
    assert found["state"] == "missing"
    assert "apt install chromium" in found["mend"]


def test_a_check_that_fails_unforeseen_is_a_broken_part(run, monkeypatch):
    def falls():
        raise RuntimeError("a disk fell")

    monkeypatch.setitem(installation._CHECKS, "C runtime", falls)
    done = run("doctor")

    assert done.exit_code == 1
    assert "RuntimeError: a disk fell" in done.output
    assert "Traceback" not in done.output


@pytest.mark.slow
def test_an_invalid_variable_is_named(run, monkeypatch):
    monkeypatch.setenv("MOBOD_SIMD", "mmx")
    done = run("doctor")

    assert "MOBOD_SIMD is set to 'mmx'" in done.output
    assert "Traceback" not in done.output
