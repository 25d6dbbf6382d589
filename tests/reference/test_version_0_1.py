"""What mobod 0.1 has written is read, or refused with the reason: data/version_0_1, whose make.py wrote it."""

import importlib.util
import shutil
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

import mobod as mb
from mobod.runtime.targets import LINUX_X86, host_target

FOLDER = Path(__file__).parent / "data" / "version_0_1"
STEP = 0.01  # s, of the runs of make.py, which end at 0.2 s


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location("files_of_0_1", FOLDER / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def begun(component):
    network = mb.Network()
    network.add(component, "swing")
    return mb.Master(network, step=STEP).start()


def angle(run):
    return run.recorded["swing.lower.q"][-1]


def test_a_model_file_is_read_and_written_again_with_the_same_bytes(tmp_path):
    mb.save_model(mb.load_model(FOLDER / "model.json"), tmp_path / "model.json")

    assert (tmp_path / "model.json").read_bytes() == (FOLDER / "model.json").read_bytes()


def test_a_state_has_its_values(maker):
    system = maker.swing()

    state = mb.State.from_bytes(system, (FOLDER / "state.bin").read_bytes())

    assert {name: float(system.value(state, name).item()) for name in maker.VALUES} == maker.VALUES


def test_a_state_of_an_unknown_format_is_refused_with_both_numbers(maker):
    data = bytearray((FOLDER / "state.bin").read_bytes())
    at = len(b"mobod state\n")
    (number,) = struct.unpack_from("<I", data, at)
    struct.pack_into("<I", data, at, number + 1)

    with pytest.raises(mb.errors.StateError, match=f"have format {number + 1}; this version of mobod reads format {number}"):
        mb.State.from_bytes(maker.swing(), bytes(data))


def test_a_native_fmu_moves_as_the_system_does_now(maker):
    if host_target() != LINUX_X86:  # the only platform whose library the file has
        with pytest.raises(mb.MobodError, match=r"x86_64-linux|linux64"):
            begun(FOLDER / "native.fmu")
        return
    system = maker.swing()
    state = mb.State.from_bytes(system, (FOLDER / "state.bin").read_bytes())
    run = begun(FOLDER / "native.fmu")

    run.until(1.0)

    # both are within some accuracies, 1e-7, of the motion
    expected = mb.Simulation(system).run(state, until=1.0)["lower.q"][-1]
    np.testing.assert_allclose(angle(run), expected, atol=1e-6)


def test_a_checkpoint_of_a_native_fmu_goes_on_with_the_same_bits():
    if host_target() != LINUX_X86:
        return
    from_start, continued = begun(FOLDER / "native.fmu"), begun(FOLDER / "native.fmu")

    continued.restore(mb.Checkpoint.load(FOLDER / "fmu.checkpoint"))
    from_start.until(0.4)
    continued.until(0.4)

    assert angle(continued) == angle(from_start)


def test_a_checkpoint_of_a_native_fmu_is_refused_by_another_export(maker, tmp_path):
    mb.export_fmu(maker.swing(), tmp_path / "swing.fmu", outputs=["lower.q"], platforms="host", reference=False)
    checkpoint = mb.Checkpoint.load(FOLDER / "fmu.checkpoint")

    with pytest.raises(mb.errors.InputError, match=r"belongs to another FMU named 'swing': its identity is .* Use the same"):
        begun(tmp_path / "swing.fmu").restore(checkpoint)


def test_a_checkpoint_of_a_system_is_refused_with_the_version_as_reason(maker):
    checkpoint = mb.Checkpoint.load(FOLDER / "system.checkpoint")

    with pytest.raises(mb.errors.InputError, match=r"another System named 'swing'.* of the same version of mobod"):
        begun(maker.swing()).restore(checkpoint)


def test_a_python_fmu_is_refused_with_both_versions(tmp_path):
    """As the library of pythonfmu does: it imports the module of the FMU."""
    with zipfile.ZipFile(FOLDER / "python.fmu") as archive:
        archive.extractall(tmp_path)
    (module,) = (tmp_path / "resources").glob("*.py")
    spec = importlib.util.spec_from_file_location("slave_of_0_1", module)

    with pytest.raises(ImportError, match=rf"made with mobod 0\.1\.0, and mobod {mb.__version__} is in .*install mobod==0\.1\.0"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_the_journal_of_a_sweep_is_refused_since_rows_of_two_versions_would_differ(maker, tmp_path):
    shutil.copy(FOLDER / "runs.csv.unfinished", tmp_path)

    with pytest.raises(mb.errors.InputError, match=r"another sweep.* version of mobod differ"):
        mb.sweep(FOLDER / "native.fmu", maker.SWEPT, until=0.2, processes=1, file=tmp_path / "runs.csv")
