"""What FMUs log and print is in a file on request: a line for each message, in a file of limited size, whatever ends the run."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from mobod.cli import main
from mobod.cosim import LogFile, Master, Network
from mobod.errors import FmuError, InputError, UnknownNameError, WriteError
from mobod.fmi.message_file import MessageFile

HEADER = "# time (s)\tFMU\tstatus\tcategory\tmessage"


def messages(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text().splitlines() if not line.startswith("#")]


def run_harmful(fmus, name: str, log: object, *, isolate: bool) -> None:
    network = Network()
    network.add(fmus["harmful"], name, isolate=isolate)
    with pytest.raises(FmuError):
        Master(network, step=0.1).run(0.5, log=log)


@pytest.mark.parametrize("isolate", [True, False])
def test_a_line_has_time_fmu_status_category_and_text(fmus, tmp_path, isolate):
    path, name = tmp_path / "run.log", "unknown_in_fmi2DoStep"
    run_harmful(fmus, name, path, isolate=isolate)
    first, line, last = path.read_text().splitlines()
    assert first == HEADER
    assert line.split("\t") == ["0.2", name, "warning", "logAll", f"now {name}"]  # a category that the FMU does not declare
    assert last.startswith(f"# ended: FMU '{name}' ({fmus['harmful']}): fmi2DoStep at 0.2 s returned status 77")


@pytest.mark.parametrize("function", ["fmi2Instantiate", "fmi2FreeInstance"])
def test_messages_at_the_start_and_the_end_are_there(fmus, tmp_path, function):
    path = tmp_path / "run.log"
    run_harmful(fmus, f"crash_in_{function}", path, isolate=True)
    assert messages(path) == [
        ["-" if "Inst" in function[:9] else "0.5", f"crash_in_{function}", "warning", "logAll", f"now crash_in_{function}"]
    ]


@pytest.mark.fast("2.0-False")
@pytest.mark.parametrize("isolate", [True, False])
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_fmus_are_asked_for_the_wanted_categories(halves, tmp_path, version, isolate):
    network = Network()
    network.add(halves[version, "upper"], "upper", isolate=isolate)

    def logged(*categories: str) -> list[list[str]]:
        path = tmp_path / "run.log"
        with Master(network, step=0.01).start(log=LogFile(path, categories)) as run:
            run.until(0.02)
        return messages(path)

    assert [line[:4] for line in logged("logSteps")] == [[at, "upper", "ok", "logSteps"] for at in ("0", "0", "0.01")]
    assert logged() == logged("logAll") == logged("logSteps")
    assert logged("logStatusWarning") == []


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_without_a_log_fmus_log_failures_alone(halves, version):
    component = Network().add(halves[version, "upper"], "upper")
    with component.model.instance("upper") as upper:
        upper.set_up(0.0, None, None)
        upper.enter_initialization()
        upper.exit_initialization()
        upper.step(0.0, 0.01)
        with pytest.raises(FmuError, match=r"\[error\] logStatusError: fmi.ExitInitializationMode: not allowed in the mode"):
            upper.exit_initialization()
        assert [line.category for line in upper.loaded.log.lines] == ["logStatusError"]


def test_a_log_changes_no_number(halves, tmp_path):
    network = Network()
    network.add(halves["3.0", "upper"], "upper")
    plain, logged = Master(network).run(0.2), Master(network).run(0.2, log=tmp_path / "run.log")
    assert len(plain) > 0
    assert [plain[name].tobytes() for name in plain] == [logged[name].tobytes() for name in plain]


@pytest.mark.slow
def test_messages_milder_than_the_level_are_left_out(fmus, tmp_path):
    path = tmp_path / "run.log"
    run_harmful(fmus, "crash_in_fmi2DoStep", LogFile(path, level="warning"), isolate=True)
    assert len(messages(path)) == 1
    run_harmful(fmus, "crash_in_fmi2DoStep", LogFile(path, level="error"), isolate=True)
    assert messages(path) == []
    assert LogFile(path, level="fatal").takes(77, "any")


def test_a_category_that_no_fmu_has_is_a_warning(fmus, tmp_path, caplog):
    run_harmful(fmus, "crash_in_fmi2DoStep", LogFile(tmp_path / "run.log", ["lgoAll", "printed"]), isolate=True)
    assert [each.message.partition("' has ")[2] for each in caplog.records] == [
        "no message of the category 'lgoAll'. Categories of these FMUs: printed"
    ]


@pytest.mark.slow
def test_the_first_and_the_last_messages_are_kept_and_the_others_counted(tmp_path):
    path, written = tmp_path / "run.log", Counter()
    with MessageFile(LogFile(path, limit=10**5)) as file:
        for k in range(20_000):
            fmu, category = ("valve", "tank")[k % 2], f"log{k % 3}"
            file.write(0.01 * k, fmu, "ok", category, f"message {k} {'x' * (k % 57)}")
            written[fmu, category] += 1
    assert path.stat().st_size < 101_000
    kept = messages(path)
    numbers = [int(line[4].split()[1]) for line in kept]
    gap = next(k for k, (one, two) in enumerate(pairwise(numbers)) if two != one + 1)
    assert numbers == [*range(gap + 1), *range(20_000 - (len(numbers) - gap - 1), 20_000)]
    assert min(gap, len(numbers) - gap) > 500
    left_out = Counter()
    for line in path.read_text().splitlines():
        if line.startswith("# left out of "):
            fmu, count, category, what = line.removeprefix("# left out of ").split("\t")
            left_out[fmu.strip("':"), category] = int(count)
            assert what == "messages"
    assert left_out + Counter((line[1], line[3]) for line in kept) == written
    notice = f"# {left_out.total()} messages are left out here, since the log is limited to 100000 bytes"
    assert path.read_text().splitlines()[gap + 2] == notice


@pytest.mark.slow
def test_the_file_has_its_size_while_it_is_written(tmp_path):
    path = tmp_path / "run.log"
    file = MessageFile(LogFile(path, limit=10**5))
    for k in range(20_000):
        file.write(0.0, "valve", "ok", "log", f"message {k}")
    assert path.stat().st_size <= 10**5
    newest, mark, *_ = [line for line in path.read_text().splitlines() if "message 19999" in line or line.startswith("# the newest")]
    assert newest.endswith("message 19999")
    assert mark == "# the newest message is above, the oldest one is below"
    file.__exit__(None, None, None)


def test_any_number_of_categories_is_counted(tmp_path):
    path = tmp_path / "run.log"
    with MessageFile(LogFile(path, limit=10**5)) as file:
        for k in range(20_000):
            file.write(None, "valve", "ok", f"category {k}", "text")
    lines = [line for line in path.read_text().splitlines() if line.startswith("# left out")]
    assert len(lines) <= 1001
    assert sum(int(line.split("\t")[1]) for line in lines) + len(messages(path)) == 20_000


def test_a_message_is_one_line_and_controls_no_terminal(tmp_path):
    path = tmp_path / "run.log"
    with MessageFile(LogFile(path)) as file:
        file.write(1 / 3, "valve", "ok", "a\tb", "two\nlines \x1b[31m" + "y" * 10_000)
    text = "two\\nlines \\x1b[31m"
    assert path.read_text() == f"{HEADER}\n0.333333333333\tvalve\tok\ta\\tb\t{text}{'y' * (8000 - 15)} ... (2015 more characters)\n"


def test_a_flood_in_one_step_is_counted(fmus, tmp_path):
    path = tmp_path / "run.log"
    run_harmful(fmus, "flood_in_fmi2DoStep", path, isolate=True)
    assert messages(path)[-1][4] == "the spring moves for the 999999th time"
    (left_out,) = [line for line in path.read_text().splitlines() if line.startswith("# left out")]
    assert int(left_out.split("\t")[1]) + len(messages(path)) - 1 == 1_000_001  # one line says that some were lost
    assert left_out.endswith("\tlogAll\tmessages")


@pytest.mark.slow
def test_what_an_isolated_fmu_prints_is_in_the_log(fmus, tmp_path):
    path = tmp_path / "run.log"
    run_harmful(fmus, "print_in_fmi2DoStep", LogFile(path, ["printed"]), isolate=True)
    lines = messages(path)
    assert lines[-1] == ["0.2", "print_in_fmi2DoStep", "ok", "printed", f"{999999:099d}"]
    (left_out,) = [line for line in path.read_text().splitlines() if line.startswith("# left out")]
    count = int(left_out.split("\t")[1])
    assert count + sum(len(line[4]) + 1 for line in lines) == 10**8
    assert left_out.endswith("\tprinted\tbytes")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGKILL, -9), (signal.SIGTERM, 143)])
def test_a_signal_leaves_the_messages(halves, tmp_path, number, exit_code):
    path = tmp_path / "run.log"
    command = [
        sys.executable,
        "-m",
        "mobod.cosim",
        f"upper={halves['2.0', 'upper']}",
        "--step",
        "1e-3",
        "--until",
        "1e3",
        "--pace",
        "2",
        "--quiet",
    ]
    program = subprocess.Popen([*command, "--isolate", "--log", str(path)], env={**os.environ, "TMPDIR": str(tmp_path)})
    deadline = time.monotonic() + 60
    while not (path.exists() and path.stat().st_size > 20_000) and time.monotonic() < deadline:
        time.sleep(0.02)
    program.send_signal(number)
    assert program.wait(60) == exit_code
    lines = messages(path)
    assert len(lines) > 100
    assert [line[3] for line in lines] == ["logSteps"] * len(lines)
    assert ("\n# ended: 143" in path.read_text()) == (number == signal.SIGTERM)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_a_full_disk_ends_the_log_and_not_the_run(halves, tmp_path, caplog):
    network = Network()
    network.add(halves["2.0", "upper"], "upper")
    results = Master(network).run(0.05, log="/dev/full", csv=tmp_path / "run.csv")
    assert len(results.time) == 6
    assert (tmp_path / "run.csv").exists()
    (warning,) = [each.message for each in caplog.records]
    assert warning.startswith("'/dev/full' is not written any further: No space left on device. It has the messages until - s.")


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="only root can mount a small file system")
def test_a_small_disk_keeps_whole_lines(tmp_path, caplog):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], check=False, capture_output=True).returncode:
        pytest.skip("this system allows no mount")
    try:
        with MessageFile(LogFile(disk / "run.log")) as file:
            for k in range(3000):
                file.write(0.5 * k, "valve", "ok", "log", f"message {k}")
        lines = messages(disk / "run.log")
        assert [line[4] for line in lines] == [f"message {k}" for k in range(len(lines))]
        assert f"It has the messages until {lines[-1][0]} s." in caplog.text
        assert 1000 < len(lines) < 3000
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_the_commands_write_a_log(fmus, halves, tmp_path):
    path, upper = tmp_path / "run.log", str(halves["2.0", "upper"])
    for command in (["cosim", f"upper={upper}"], ["simulate", upper, "--isolate"]):
        done = CliRunner().invoke(
            main, [*command, "--until", "0.02", "--step", "0.01", "--log", str(path), "--log-category", "logSteps", "--log-limit", "1MB"]
        )
        assert done.exit_code == 0
        assert [line[0] for line in messages(path)] == ["0", "0", "0.01"]
    wrong = CliRunner().invoke(main, ["cosim", f"upper={upper}", "--log-level", "error"])
    assert wrong.exit_code == 2
    assert "--log FILE" in wrong.stderr


def test_options_of_a_log_are_checked(tmp_path):
    with pytest.raises(UnknownNameError, match="level of a log"):
        LogFile("run.log", level="info")
    with pytest.raises(InputError, match="at least 100000"):
        LogFile("run.log", limit=1000)
    with pytest.raises(InputError, match="list of names"):
        LogFile("run.log", "logAll")
    with pytest.raises(WriteError, match="nowhere"):
        MessageFile(LogFile(tmp_path / "nowhere" / "run.log"))
