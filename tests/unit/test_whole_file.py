"""Files of results, FMUs, models and checkpoints are written completely, or stay as they were."""

import errno
import os
import stat
import zipfile

import numpy as np
import pytest

import mobod as mb
from mobod.cosim.checkpoint import Checkpoint, ComponentState
from mobod.disk.whole_file import check_can_write, whole_file
from mobod.errors import MobodError, WriteError
from mobod.fmu.archive import write_archive
from mobod.simulate.table import Table

ROOM = 20_000  # bytes that a file may have when the disk is "full"


def write_table(path):
    Table(np.arange(3000) / 7, {"q": np.arange(3000) / 3}).to_csv(path)


def write_fmu(path):
    write_archive(path, {"resources/noise": np.random.default_rng(5).bytes(100_000)})


def write_model(path):
    system = mb.MultibodySystem("chain")
    link = mb.MatterSubsystem(system).ground
    for _ in range(150):
        link = mb.Pin(link, mb.MassProperties.point(1.3, [0, -0.8, 0]))
    mb.save_model(system, path)


def write_checkpoint(path):
    Checkpoint({"plant": ComponentState("{7d5a}", bytes(100_000))}, 0.5, 0.0, 50, 0.01).save(path)


WRITERS = [write_table, write_fmu, write_model, write_checkpoint]


@pytest.fixture
def little_room():
    """No file grows beyond ROOM: the operating system answers as on a full disk, in the middle of writing."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("write", WRITERS)
def test_a_full_disk_keeps_the_existing_file_and_is_an_error_that_names_it(write, tmp_path, little_room):
    path = tmp_path / "result.xyz"
    path.write_text("the old one")
    with pytest.raises(WriteError, match=r"result\.xyz' was not written: File too large\. The file that was there is unchanged") as error:
        write(path)
    assert error.value.errno == errno.EFBIG
    assert ".part" not in str(error.value)
    assert [each.name for each in tmp_path.iterdir()] == ["result.xyz"]
    assert path.read_text() == "the old one"


@pytest.mark.parametrize("write", WRITERS)
def test_a_full_disk_leaves_no_partial_file(write, tmp_path, little_room):
    with pytest.raises(WriteError, match="No part of it was kept"):
        write(tmp_path / "result.xyz")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_only_at_the_flush_is_an_error_too(tmp_path, monkeypatch):
    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match="No space left on device"):
        write_table(tmp_path / "run.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", WRITERS)
def test_a_read_only_folder_is_an_error_that_names_the_requested_file(write):
    with pytest.raises(WriteError, match=r"'/proc/x\.fmu' was not written: No such file") as error:
        write("/proc/x.fmu")
    assert isinstance(error.value, MobodError)
    assert ".part" not in str(error.value)


def test_checking_for_write_permission_leaves_no_trace(tmp_path):
    check_can_write(tmp_path / "run.csv")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(WriteError, match=r"'/proc/x\.fmu' was not written"):
        check_can_write("/proc/x.fmu")


def test_an_interrupt_keeps_the_existing_file(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("the old one")

    def interrupted():
        with whole_file(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [each.name for each in tmp_path.iterdir()] == ["run.csv"]
    assert path.read_text() == "the old one"


def test_a_symbolic_link_and_the_mode_of_a_file_are_kept(tmp_path):
    path, link = tmp_path / "run.csv", tmp_path / "link.csv"
    path.write_text("the old one")
    path.chmod(0o640)
    link.symlink_to(path)
    write_table(link)
    assert link.is_symlink()
    assert path.read_text().startswith("time,q\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    write_fmu(tmp_path / "x.fmu")
    assert (tmp_path / "x.fmu").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_the_longest_possible_name_can_be_written(tmp_path):
    path = tmp_path / ("x" * 251 + ".fmu")
    write_fmu(path)
    assert zipfile.is_zipfile(path)


def test_a_device_is_written_directly(tmp_path):
    write_table("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
