"""FMUs in processes of their own: the same numbers, and no harm from one that crashes, ends its process, never returns or floods."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import mobod as mb
from mobod.cli import main
from mobod.cli.commands.cosim import cosim
from mobod.cosim import Isolation, Master, Network
from mobod.errors import FmuError, FmuFileError, InputError, UnsupportedError
from mobod.simulate.table import Table
from tests.cosim.cut_pendulum import MOTION

FUNCTIONS = ["SetupExperiment", "EnterInitializationMode", "ExitInitializationMode", "SetReal", "DoStep", "GetReal", "Terminate"]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The folder for temporary files, empty."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def children() -> set[str]:
    """The processes that this one has started, also those that have ended and were not waited for."""
    return set(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split())


def has_ended(process: int) -> bool:
    """Whether a process ends within some seconds; one that waits to be read by its parent has ended."""
    status, deadline = Path(f"/proc/{process}/status"), time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            if "State:\tZ" in status.read_text():
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


def run(fmus, name: str, *, seconds: float = 20.0, isolate: bool = True):
    """Run a healthy FMU with a harmful one, which gets its input."""
    network = Network()
    network.add(fmus["harmful"], "healthy")
    network.add(fmus["harmful"], name, isolate=Isolation(seconds) if isolate else False)
    network.connect("healthy.y", f"{name}.u")
    with Master(network, step=0.1).start() as run:
        try:
            return run.until(0.5)
        except FmuError as error:
            error.rows = run.recorded.time
            raise


def fails(fmus, folder, name: str, *, seconds: float = 20.0) -> FmuError:
    before = children()
    with pytest.raises(FmuError) as caught:
        run(fmus, name, seconds=seconds)
    assert list(folder.iterdir()) == []
    assert children() <= before
    return caught.value


@pytest.mark.fast(3)
@pytest.mark.parametrize("function", [*FUNCTIONS, "Instantiate", "FreeInstance"])
def test_a_crash_is_an_error_of_its_fmu_in_every_function(fmus, folder, function):
    message = str(fails(fmus, folder, f"crash_in_fmi2{function}"))
    assert f"FMU 'crash_in_fmi2{function}' ({fmus['harmful']}): fmi2{function}" in message
    assert "crashed. Its process was ended by SIGSEGV (Segmentation fault)" in message
    assert f"[warning] logAll: now crash_in_fmi2{function}" in message


def test_the_rows_before_a_crash_are_kept(fmus, folder):
    assert fails(fmus, folder, "crash_in_fmi2DoStep").rows.tolist() == [0.0, 0.1, 0.2]


@pytest.mark.fast(4)
@pytest.mark.parametrize("function", [*FUNCTIONS, "Instantiate", "FreeInstance"])
def test_an_fmu_that_ends_its_process_ends_no_other(fmus, folder, function):
    assert "ended its process with exit code 0" in str(fails(fmus, folder, f"exit_in_fmi2{function}"))


@pytest.mark.fast(1)
@pytest.mark.parametrize("function", ["Instantiate", "DoStep", "FreeInstance"])
def test_a_call_that_takes_too_long_is_ended(fmus, folder, function):
    started = time.monotonic()
    message = str(fails(fmus, folder, f"hang_in_fmi2{function}", seconds=0.3))
    assert "did not return within 0.3 s. Its process was ended" in message
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("function", ["DoStep", "FreeInstance"])
def test_what_an_fmu_prints_before_it_aborts_is_in_the_message(fmus, folder, function):
    message = str(fails(fmus, folder, f"abort_in_fmi2{function}"))
    assert "SIGABRT" in message
    assert "printed: free(): invalid pointer" in message


@pytest.mark.slow
def test_the_end_of_100_mb_of_output_is_kept(fmus, folder, capfd):
    message = str(fails(fmus, folder, "print_in_fmi2DoStep"))
    assert message.rstrip().endswith(f"{999999:099d}")
    assert len(message) < 100_000
    assert capfd.readouterr().out == ""


@pytest.mark.slow
def test_the_last_of_a_million_messages_are_kept(fmus, folder):
    message = str(fails(fmus, folder, "flood_in_fmi2DoStep"))
    assert message.endswith("the spring moves for the 999999th time")
    assert len(message) < 10_000


@pytest.mark.slow
def test_an_unknown_status_and_a_fatal_error_are_named(fmus, folder):
    assert "fmi2DoStep at 0.2 s returned status 77 (unknown to FMI)" in str(fails(fmus, folder, "unknown_in_fmi2DoStep"))
    assert "fmi2DoStep at 0.2 s returned fatal" in str(fails(fmus, folder, "fatal_in_fmi2DoStep"))
    assert "returned no instance" in str(fails(fmus, folder, "unknown_in_fmi2Instantiate"))


def test_a_value_that_is_not_finite_is_named(fmus, folder):
    assert "output 'y' at 0.3 s is nan" in str(fails(fmus, folder, "nan_in_fmi2GetReal"))


@pytest.mark.fast(1)
@pytest.mark.parametrize(("harm", "expected"), [("crash", "SIGABRT"), ("hang", "did not return within 0.3 s")])
def test_a_library_that_cannot_be_loaded(fmus, folder, monkeypatch, harm, expected):
    monkeypatch.setenv("MOBOD_TEST_HARMFUL_LOAD", harm)
    network = Network()
    network.add(fmus["harmful"], isolate=Isolation(0.3))
    with pytest.raises(FmuFileError, match=f"cannot be loaded: .*{expected}"):
        Master(network).run(1.0)
    assert list(folder.iterdir()) == []


@pytest.mark.fast("3.0 ME")
@pytest.mark.parametrize("kind", ["2.0", "3.0 ME", *(pytest.param(each, marks=pytest.mark.slow) for each in ("3.0", "2.0 ME"))])
def test_bits_are_those_of_fmus_in_this_process(halves, folder, kind):
    def motion(isolate: bool) -> mb.Table:
        network = Network()
        interface = "model-exchange" if kind.endswith(" ME") else None
        for name in ("upper", "lower"):
            network.add(halves[kind.removesuffix(" ME"), name], name, interface=interface, isolate=isolate)
        for output, follower in MOTION.items():
            network.connect_vectors(f"upper.{output}", f"lower.{follower}")
        network.connect_vectors("lower.elbow.motion.load", "upper.elbow.force")
        with Master(network, step=0.01, algorithm="gauss-seidel").start() as run:
            run.until(0.1)
            saved = run.checkpoint()
            run.until(0.15)
            run.restore(saved)
            return run.until(0.2)

    isolated, here = motion(True), motion(False)
    assert len(here) >= 4
    for name in here:
        assert isolated[name].tobytes() == here[name].tobytes()


@pytest.mark.slow
def test_directional_derivatives_are_those_of_fmus_in_this_process(halves, folder):
    def derivative(isolate: bool) -> list[float]:
        component = Network().add(halves["2.0", "upper"], "upper", isolate=isolate)
        with component.model.instance("upper") as upper:
            upper.set_up(0.0, None, None)
            upper.enter_initialization()
            upper.exit_initialization()
            return upper.directional_derivative(["elbow.a_GF[1]", "elbow.a_GF[2]"], ["elbow.force[1]"], [1.0])

    assert derivative(True) == derivative(False)
    assert 0 not in derivative(True)


@pytest.mark.slow
def test_a_run_without_error_leaves_nothing(fmus, folder):
    before = children()
    run(fmus, "healthy_too")
    assert children() <= before
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_a_process_ends_when_that_of_the_master_is_killed(fmus, tmp_path):
    script = tmp_path / "master.py"
    script.write_text(
        "import os, signal, sys\n"
        "from mobod.cosim import Isolation, Master, Network\n"
        "network = Network()\n"
        "network.add(sys.argv[1], 'hang_in_fmi2DoStep', isolate=Isolation(None))\n"
        "with Master(network, step=0.1).start() as run:\n"
        "    children = open(f'/proc/{os.getpid()}/task/{os.getpid()}/children').read().split()\n"
        "    print(*children, flush=True)\n"
        "    run.until(1.0)\n"
    )
    master = subprocess.Popen([sys.executable, str(script), str(fmus["harmful"])], stdout=subprocess.PIPE, text=True)
    with master:
        (child,) = master.stdout.readline().split()
        time.sleep(0.2)
        assert Path(f"/proc/{child}").exists()
        master.kill()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{child}").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not Path(f"/proc/{child}").exists()


@pytest.mark.slow
def test_an_fmu_that_allows_one_instance_in_a_process_runs_twice_in_two(fmus, described):
    once = described(fmus["harmful"], ("<CoSimulation ", '<CoSimulation canBeInstantiatedOnlyOncePerProcess="true" '))
    network = Network()
    for name in ("one", "two"):
        network.add(once, name, isolate=True)
    assert Master(network, step=0.1).run(0.3)["two.y"][-1] == pytest.approx(0.3)
    network = Network()
    network.add(once, "one", isolate=False)
    with pytest.raises(UnsupportedError, match="isolate=True"):
        network.add(once, "two", isolate=False)


@pytest.mark.slow
def test_the_command_isolates_fmus_that_others_have_made(fmus, tmp_path):
    path = tmp_path / "run.csv"
    options = ["--step", "0.1", "--until", "0.5", "-o", str(path)]
    crashed = CliRunner().invoke(cosim, [f"exit_in_fmi2DoStep={fmus['harmful']}", *options])
    assert crashed.exit_code == 1
    assert "fmi2DoStep at 0.2 s ended its process with exit code 0" in crashed.stderr
    assert len(Table.from_csv(path).time) == 3
    late = CliRunner().invoke(cosim, [f"hang_in_fmi2DoStep={fmus['harmful']}", *options, "--call-limit", "0.2"])
    assert late.exit_code == 1
    assert "did not return within 0.2 s" in late.stderr


@pytest.mark.slow
def test_simulating_an_fmu_that_others_have_made_isolates_it_too(fmus, described, folder, tmp_path):
    crashing = described(fmus["harmful"], ('modelName="harmful"', 'modelName="crash_in_fmi2DoStep"'))
    path = tmp_path / "run.csv"
    crashed = CliRunner().invoke(main, ["simulate", str(crashing), "--step", "0.1", "--until", "0.5", "-o", str(path)])
    assert crashed.exit_code == 1
    assert "fmi2DoStep at 0.2 s crashed. Its process was ended by SIGSEGV" in crashed.stderr
    assert Table.from_csv(path).time.tolist() == [0.0, 0.1, 0.2]
    assert list(folder.iterdir()) == []
    hanging = described(fmus["harmful"], ('modelName="harmful"', 'modelName="hang_in_fmi2DoStep"'))
    late = CliRunner().invoke(main, ["simulate", str(hanging), "--call-limit", "0.2"])
    assert late.exit_code == 1
    assert "did not return within 0.2 s" in late.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("version", "interface"), [("2.0", "co-simulation"), ("3.0", "model-exchange")])
def test_simulating_an_isolated_fmu_gives_the_same_file(halves, tmp_path, version, interface):
    files = []
    for option in ("--isolate", "--no-isolate"):
        files.append(tmp_path / f"run{option}.csv")
        command = ["simulate", str(halves[version, "upper"]), option, "--interface", interface, "--until", "0.2", "-o", str(files[-1])]
        assert CliRunner().invoke(main, command).exit_code == 0
    assert files[0].read_bytes() == files[1].read_bytes()


def test_an_fmu_that_names_mobod_as_its_tool_is_isolated_all_the_same(fmus, described, tmp_path):
    claim = described(fmus["harmful"], ('guid="harmful"', 'guid="harmful" generationTool="mobod 9.9"'))
    path = tmp_path / "run.csv"
    done = CliRunner().invoke(cosim, [f"exit_in_fmi2DoStep={claim}", "--step", "0.1", "--until", "0.5", "-o", str(path)])
    assert done.exit_code == 1
    assert "fmi2DoStep at 0.2 s ended its process with exit code 0" in done.stderr
    assert len(Table.from_csv(path).time) == 3


def test_isolation_of_foreign_fmus_alone_is_deprecated_and_isolates_all(halves):
    with pytest.warns(DeprecationWarning, match=r"isolates all FMUs.*isolate=False"):
        isolation = Isolation(7.0, only_foreign=True)
    assert Network().add(halves["2.0", "upper"], "upper", isolate=isolation).model.fmu.archive.isolation.seconds == 7.0


@pytest.mark.parametrize(("isolate", "is_isolated"), [(None, False), (Isolation(), True), (True, True)])
def test_an_ssp_isolates_fmus_as_a_network_does(fmus, tmp_path, isolate, is_isolated):
    network = Network()
    network.add(fmus["harmful"], "other")
    path = network.to_ssp(tmp_path / "other.ssp")
    read = Network.from_ssp(path, isolate=isolate)
    assert (read.components["other"].model.fmu.archive.isolation is not None) == is_isolated


def test_a_process_that_a_crashed_fmu_has_started_ends_with_it(fmus, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("MOBOD_TEST_CHILD", str(tmp_path / "child"))
    assert "SIGSEGV" in str(fails(fmus, folder, "fork_in_fmi2DoStep"))
    assert has_ended(int((tmp_path / "child").read_text()))


@pytest.mark.slow
def test_a_process_that_an_fmu_has_started_ends_with_a_killed_master(fmus, tmp_path):
    child = tmp_path / "child"
    command = [f"stay_in_fmi2DoStep={fmus['harmful']}", "--step", "0.1", "--until", "0.5", "-o", str(tmp_path / "run.csv"), "--quiet"]
    environment = {**os.environ, "MOBOD_TEST_CHILD": str(child), "TMPDIR": str(tmp_path)}
    master = subprocess.Popen([sys.executable, "-m", "mobod.cosim", *command], env=environment)
    try:
        deadline = time.monotonic() + 60
        while not (child.exists() and child.read_text()) and time.monotonic() < deadline:
            time.sleep(0.02)
    finally:
        master.kill()
        master.wait()
    assert has_ended(int(child.read_text()))


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.slow
def test_ctrl_c_ends_a_call_that_does_not_return(fmus):
    network = Network()
    network.add(fmus["harmful"], "hang_in_fmi2DoStep", isolate=Isolation(None))
    with Master(network, step=0.1).start() as run:
        threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt):
            run.until(0.5)
        assert run.recorded.time.tolist() == [0.0, 0.1, 0.2]


@pytest.mark.slow
def test_a_thousand_starts_leave_nothing(fmus, folder):
    network = Network()
    network.add(fmus["harmful"], isolate=True)
    master, before, files = Master(network, step=0.1), children(), set(os.listdir("/proc/self/fd"))
    for _ in range(1000):
        master.run(0.1)
    assert children() <= before
    assert set(os.listdir("/proc/self/fd")) <= files
    assert list(folder.iterdir()) == []


def test_a_time_limit_is_positive():
    with pytest.raises(InputError, match="seconds is -1"):
        Isolation(-1)
