"""Results of a run are written while it goes on, and are kept whatever ends it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mobod.cosim import Master, Network
from mobod.errors import FmuError, WriteError
from mobod.simulate.table import Table
from mobod.simulate.table_files import csv_stream

CRASHES = "crash_in_fmi2DoStep"


def network(fmus, name: str = "well", isolate: bool | None = None) -> Network:
    made = Network()
    made.add(fmus["harmful"], name, isolate=isolate)
    return made


def test_a_streamed_file_is_that_of_the_table(fmus, tmp_path):
    streamed, whole = tmp_path / "streamed.csv", tmp_path / "whole.csv"
    Master(network(fmus), step=0.01).run(until=1.0, csv=streamed).to_csv(whole)
    assert streamed.read_bytes() == whole.read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["streamed.csv", "whole.csv"]


def test_rows_are_written_while_the_run_goes_on(fmus, tmp_path, monkeypatch):
    monkeypatch.setattr(csv_stream, "_INTERVAL", 0.0)
    seen = []
    path = tmp_path / "run.csv"
    part = tmp_path / "run.csv.part"
    with Master(network(fmus), step=0.1).start() as run:
        run.until(0.3, csv=path, pace=100.0, progress=lambda done, _: seen.append((done, len(part.read_text().splitlines()))))
    assert seen == [(1, 3), (2, 4), (3, 5)]


def test_a_file_says_in_its_last_line_which_error_ended_it(fmus, tmp_path):
    path = tmp_path / "run.csv"
    with pytest.raises(FmuError):
        Master(network(fmus, CRASHES, isolate=True), step=0.1).run(0.5, csv=path)
    assert Table.from_csv(path).time.tolist() == [0.0, 0.1, 0.2]
    assert path.read_text().splitlines()[-1].startswith(f"# ended: FMU '{CRASHES}'")


def test_an_error_before_the_first_row_keeps_the_file_that_was_there(fmus, tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("old")
    with pytest.raises(FmuError), Master(network(fmus, "crash_in_fmi2GetReal", isolate=True), step=0.1).start() as run:
        run.until(0.5, csv=path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "exit_code", "is_whole"), [(signal.SIGKILL, -9, False), (signal.SIGTERM, 143, True), (signal.SIGINT, 130, True)]
)
def test_a_signal_leaves_all_rows(fmus, tmp_path, number, exit_code, is_whole):
    path = tmp_path / "run.csv"
    command = [
        sys.executable,
        "-m",
        "mobod.cosim",
        str(fmus["harmful"]),
        "--step",
        "1e-3",
        "--until",
        "1e3",
        "--pace",
        "2",
        "-o",
        str(path),
        "--quiet",
    ]
    program = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(tmp_path)})
    part = tmp_path / "run.csv.part"
    try:
        deadline = time.monotonic() + 60
        while not (part.exists() and part.stat().st_size > 50_000) and time.monotonic() < deadline:
            time.sleep(0.02)
        program.send_signal(number)
        assert program.wait(60) == exit_code
    finally:
        program.kill()
    if not is_whole:  # the signal may have come within a row
        part.write_bytes(part.read_bytes()[: part.read_bytes().rfind(b"\n") + 1])
    kept = Table.from_csv(path if is_whole else part)
    assert len(kept.time) > 1000
    assert part.exists() != is_whole
    assert ("# ended: " in (path if is_whole else part).read_text()) == is_whole


def test_a_full_disk_is_said_with_what_was_kept(fmus, tmp_path, monkeypatch):
    class FullFile:
        """A file with room for some bytes."""

        def __init__(self, file, room):
            self._file, self._room = file, room

        def write(self, data):
            if len(data) > self._room - self._file.tell():
                self._file.write(data[: self._room - self._file.tell()])
                raise OSError(28, "No space left on device")
            return self._file.write(data)

        def __getattr__(self, name):
            return getattr(self._file, name)

    monkeypatch.setattr(csv_stream, "_INTERVAL", 0.0)
    monkeypatch.setattr(csv_stream, "open", lambda path, mode, buffering: FullFile(path.open(mode, buffering), 60), raising=False)
    path = tmp_path / "run.csv"
    with Master(network(fmus), step=0.1).start() as run, pytest.raises(WriteError, match="No space left on device") as caught:
        run.until(2.0, csv=path, pace=1e3)
    part = Path(f"{path}.part")
    rows = Table.from_csv(part).time
    assert f"'{part}' has the {len(rows)} rows until {rows[-1]:.12g} s." in str(caught.value)
    assert 1 < len(rows) < 20
    assert not path.exists()


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="only root can mount a small file system")
def test_a_small_disk_that_is_full(fmus, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], check=False, capture_output=True).returncode:
        pytest.skip("this system allows no mount")
    try:
        with pytest.raises(WriteError, match="No space left on device"):
            Master(network(fmus), step=1e-4).run(until=2.0, csv=disk / "run.csv")
        assert len(Table.from_csv(disk / "run.csv.part").time) > 100
    finally:
        subprocess.run(["umount", str(disk)], check=True)
