"""Folders of runs: each is removed at its end, and those of killed processes by the next one."""

import subprocess
import sys
import tempfile
from contextlib import ExitStack

import pytest

from mobod.fmi import run_folder as module
from mobod.fmi.run_folder import run_folder

KILLED = """
import os, signal
from contextlib import ExitStack
from mobod.fmi.run_folder import run_folder
print(run_folder(ExitStack()), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def parent(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(module, "_NEW", 0.0)
    module._remove_abandoned.cache_clear()
    return tmp_path


def test_a_folder_is_removed_at_the_end(parent):
    with ExitStack() as resources:
        folder = run_folder(resources)
        (folder / "large").write_bytes(b"x")
        assert len(list(parent.iterdir())) == 1
    assert list(parent.iterdir()) == []


def test_the_folder_of_a_killed_process_is_removed_by_the_next_one(parent):
    subprocess.run([sys.executable, "-c", KILLED], check=False)
    (killed,) = parent.iterdir()
    with ExitStack() as resources:
        mine = run_folder(resources)
        assert not killed.exists()
        assert mine.exists()


def test_a_folder_in_use_and_a_new_one_stay(parent, monkeypatch):
    with ExitStack() as resources:
        in_use = run_folder(resources)
        module._remove_abandoned.cache_clear()
        run_folder(resources)
        assert in_use.exists()
    (new := parent / "mobod_fmu_new").mkdir()
    monkeypatch.setattr(module, "_NEW", 60.0)
    module._remove_abandoned.cache_clear()
    with ExitStack() as resources:
        run_folder(resources)
        assert new.exists()
