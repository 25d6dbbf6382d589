"""Interpreted FMUs give the same bits as compiled ones, and are exported without a compiler."""

import logging
import struct
import zipfile
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave
from fmpy.simulation import simulate_fmu
from fmpy.validation import validate_fmu
from lxml import etree

import mobod as mb
from mobod.cosim import FmuFile, Instance
from mobod.cosim.saved_state import SavedState
from mobod.errors import FmuError, InputError, NoCompilerError, UnsupportedError
from mobod.fmu.native_export import TABLES
from mobod.runtime.compiler import build_library
from mobod.runtime.packaged import INTERPRETED
from mobod.runtime.targets import LINUX_ARM, LINUX_X86, MACOS_ARM, MACOS_X86, TARGETS, WINDOWS_ARM, WINDOWS_X86, host_target
from mobod.runtime.universal import universal_library
from tests.fmu.stepped import start, walk
from tests.native.test_flipped_states import contacts, everything

FIXED = {"integrator": "velocity_level", "step": 0.01}
MODELS = {"everything": (everything, {}), "fixed steps": (contacts, FIXED)}


@pytest.fixture(scope="module", params=MODELS)
def both(request, tmp_path_factory):
    """The same model, compiled and interpreted."""
    folder = tmp_path_factory.mktemp("both")
    make, options = MODELS[request.param]
    fmus = []
    for code in ("compiled", "interpreted"):
        system, state = make()
        fmus.append(mb.export_fmu(system, folder / f"{code}.fmu", name="model", outputs=[], state=state, code=code, **options))
    return fmus


@pytest.fixture(scope="module")
def interpreted(tmp_path_factory):
    return export(tmp_path_factory.mktemp("interpreted") / "pendulum.fmu")


def pendulum():
    system = mb.MultibodySystem("pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    rod = mb.MassProperties(mass=1.0, com=[0, -0.5, 0], inertia=mb.Inertia.sphere(mass=1.0, radius=0.2).shifted([0, -0.5, 0]))
    mb.Pin(matter.ground, mb.RigidBody(rod), name="rod").set_default_q(0.4)
    return system


def export(path, **options):
    return mb.export_fmu(pendulum(), path, outputs=["rod.q"], **{"code": "interpreted", **options})


def names_of(fmu):
    return [variable.name for variable in fmpy.read_model_description(str(fmu)).modelVariables]


def unzipped(fmu, folder):
    """The unzipped FMU for FMPy, not yet instantiated."""
    description = fmpy.read_model_description(str(fmu))
    fmpy.extract(str(fmu), unzipdir=str(folder))
    identifier = description.coSimulation.modelIdentifier
    return FMU2Slave(guid=description.guid, unzipDirectory=str(folder), modelIdentifier=identifier, instanceName="it")


@pytest.mark.fast("fixed steps")
def test_interpreted_and_compiled_fmus_give_the_same_bits(both):
    results = [simulate_fmu(str(fmu), stop_time=1.2, output_interval=0.05, relative_tolerance=1e-5, output=names_of(fmu)) for fmu in both]
    assert len(results[0].dtype.names) > 10
    assert np.abs(results[0]["upper.q"]).max() > 0.1
    for name in results[0].dtype.names:
        assert np.array_equal(results[0][name], results[1][name], equal_nan=True), name


@pytest.mark.slow
def test_descriptions_differ_only_in_file_names(both):
    descriptions = []
    for fmu in both:
        with zipfile.ZipFile(fmu) as archive:
            root = etree.fromstring(archive.read("modelDescription.xml"))
        for files in root.iter("SourceFiles"):
            files.clear()
        descriptions.append(etree.tostring(root))
    assert descriptions[0] == descriptions[1]


@pytest.mark.fast(2)
@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0)], ids=["of compiled", "of interpreted"])
def test_each_restores_saved_states_of_the_other(both, first, second):
    of_first, of_second = FmuFile(both[first]), FmuFile(both[second])
    names, later = [name for name in names_of(both[0]) if name != "time"], [0.37, 0.4, 0.77]
    with start(of_first, 1e-6) as saver, start(of_second, 1e-6) as other:
        walk(saver, [0.0, 0.2, 0.37], [])
        with SavedState.of(saver) as saved:
            data = saved.to_bytes()
        own = walk(saver, later, names)
        with SavedState.from_bytes(other, data, later[0]) as saved:
            saved.restore()
        assert np.array_equal(walk(other, later, names), own, equal_nan=True)


def test_a_validator_finds_no_problem(interpreted):
    assert validate_fmu(str(interpreted)) == []


def test_the_same_model_makes_the_same_bytes(interpreted, tmp_path):
    assert export(tmp_path / "again.fmu").read_bytes() == interpreted.read_bytes()


@pytest.mark.parametrize("folder", ["with spaces", "Räder 50%", "a#b?c"])
def test_an_interpreted_fmu_runs_from_any_folder(interpreted, folder, tmp_path):
    slave = unzipped(interpreted, tmp_path / folder)
    slave.instantiate(callbacks=None)
    slave.freeInstance()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: None, "there is no such file"),
        (lambda content: b"", "they are not the tables of a model"),
        (lambda content: content[:-9], "they were changed after they were written"),
        (lambda content: content[:8] + bytes(8) + content[16:], "they were written by another version of mobod"),
    ],
    ids=["missing", "empty", "cut off", "other format"],
)
def test_invalid_tables_are_refused_by_name(interpreted, change, message, tmp_path):
    changed = tmp_path / "changed.fmu"
    with zipfile.ZipFile(interpreted) as archive, zipfile.ZipFile(changed, "w") as other:
        for name in archive.namelist():
            content = change(archive.read(name)) if name == TABLES else archive.read(name)
            if content is not None:
                other.writestr(name, content)
    with pytest.raises(FmuError, match=f"the tables of the model, 'model.mobod' in '.*', cannot be used: {message}"):
        Instance(FmuFile(changed), "it")


# ------------------------------------------------------------------------------------------------------------------- without a compiler


@pytest.fixture
def no_compiler(monkeypatch, tmp_path):
    """An environment with an installed wheel and no compiler."""
    monkeypatch.setattr("mobod.fmu.native_export.AUTO_COMPILES", True)
    headers = Path(fmpy.__file__).parent / "c-code"
    library = INTERPRETED["2.0"]
    packaged = build_library(library.name, library.sources(), include_directories=[headers])
    monkeypatch.setattr("mobod.fmu.libraries.packaged_library", lambda _, target: packaged if target == host_target() else None)
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("mobod.runtime.compiler.has_zig", lambda: False)
    monkeypatch.setattr("mobod.fmu.libraries.has_zig", lambda: False)


@pytest.mark.slow
def test_without_a_compiler_an_fmu_is_interpreted_and_the_log_says_so(no_compiler, tmp_path, caplog):
    with caplog.at_level(logging.WARNING, logger="mobod"):
        fmu = export(tmp_path / "pendulum.fmu", code="auto")
    assert "'pendulum' is interpreted" in caplog.text
    assert "no C compiler was found" in caplog.text
    assert len(simulate_fmu(str(fmu), stop_time=0.5, output_interval=0.1)) == 6


def test_without_a_compiler_compiled_code_is_an_error(no_compiler, tmp_path):
    with pytest.raises(NoCompilerError):
        export(tmp_path / "pendulum.fmu", code="compiled")
    assert list(tmp_path.glob("*.fmu")) == []


def test_without_a_compiler_another_platform_needs_a_wheel_of_a_release(no_compiler, tmp_path):
    with pytest.raises(NoCompilerError, match=r"platform 'win64': .*ziglang.* Or install mobod from a wheel of a release"):
        export(tmp_path / "pendulum.fmu", code="auto", platforms=["linux64", "win64"])


def test_a_wheel_of_a_release_exports_for_all_platforms_without_a_compiler(no_compiler, monkeypatch, tmp_path):
    """The slices of macOS are joined; here each "library" is a header that names its processor."""
    processors = {target: struct.pack("<IIII", 0xFEEDFACF, 7 + index, index, 0) for index, target in enumerate(TARGETS)}

    def packaged(library, target):
        (tmp_path / target.platform).write_bytes(processors[target])
        return tmp_path / target.platform

    monkeypatch.setattr("mobod.fmu.libraries.packaged_library", packaged)
    with zipfile.ZipFile(export(tmp_path / "pendulum.fmu", code="auto", platforms=["all", "aarch64-windows"])) as archive:
        files = {name.split("/")[1]: archive.read(name) for name in archive.namelist() if name.startswith("binaries/")}
    assert files.pop("darwin64") == universal_library([processors[MACOS_X86], processors[MACOS_ARM]])
    assert files == {
        "linux64": processors[LINUX_X86],
        "win64": processors[WINDOWS_X86],
        "aarch64-linux": processors[LINUX_ARM],
        "aarch64-darwin": processors[MACOS_ARM],
        "aarch64-windows": processors[WINDOWS_ARM],
    }


def test_with_a_compiler_auto_makes_compiled_code(monkeypatch, tmp_path):
    monkeypatch.setattr("mobod.fmu.native_export.AUTO_COMPILES", True)
    with zipfile.ZipFile(export(tmp_path / "pendulum.fmu", code="auto")) as archive:
        assert TABLES not in archive.namelist()


def test_invalid_options_are_refused(tmp_path):
    with pytest.raises(InputError, match="code='interpreted' applies only to native FMUs"):
        export(tmp_path / "x.fmu", kind="python")
    with pytest.raises(UnsupportedError, match="code 'jit' is not supported yet"):
        export(tmp_path / "x.fmu", code="jit")
