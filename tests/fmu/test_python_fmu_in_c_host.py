"""A Python FMU in a host that is not Python: it finds Python, runs from any folder, and ends without a crash."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from importlib.resources import files
from pathlib import Path

import fmpy
import pytest

from build_scripts.library_structure import structures
from mobod.native_sources import loader_sources
from mobod.runtime.compiler import build_library, has_zig, zig_compiler
from mobod.runtime.targets import Target
from tests.fmu.archive_content import content
from tests.native.slave import WARNINGS, c_compiler
from tests.native.test_library import functions_of_the_standard

HERE = Path(__file__).parent
ENGINE = Path(__file__).parents[2] / "engine"
PYTHON = f"Python {sys.version.split()[0]} of {sys.prefix}, started by this FMU with the library "
on_linux = pytest.mark.skipif(
    sys.platform != "linux" or not sysconfig.get_config_var("Py_ENABLE_SHARED"),
    reason="runs a host for Linux, with a Python that has a shared library",
)


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A program that is not linked with Python."""
    program = tmp_path_factory.mktemp("host") / "host"
    source = HERE / "python_host.c"
    subprocess.run(
        [c_compiler(), "-std=c99", "-O1", f"-I{files('fmpy') / 'c-code'}", source, "-o", program, "-ldl", "-lpthread"], check=True
    )
    return program


@pytest.fixture
def run(host, wind, tmp_path, ctrl_c):
    """Unzips the FMU to a folder and runs the host there. Returns its exit code and its output."""
    root = fmpy.read_model_description(str(wind))

    def run(name="fmu", n_instances=1, how="free", environment=None, changed=None, uri=None):
        folder = tmp_path / name
        if not folder.exists():
            with zipfile.ZipFile(wind) as archive:
                archive.extractall(folder)
        if changed:
            changed(folder)
        library = folder / "binaries" / "linux64" / f"{root.coSimulation.modelIdentifier}.so"
        arguments = [library, root.guid, uri or (folder / "resources").as_uri(), n_instances, how]
        (tmp_path / "arguments").write_text("".join(f"{each}\n" for each in arguments), encoding="utf-8")
        # a checkout takes the library of the runtime from the cache, for the same compiler
        base = {name: os.environ[name] for name in ("PATH", "CC", "MOBOD_CACHE") if name in os.environ}
        if environment is None:
            environment = {"MOBOD_PYTHON": sys.executable}
        done = subprocess.run(
            [host, tmp_path / "arguments"],
            env={"PYTHONPATH": str(ENGINE)} | base | environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.returncode, done.stdout + done.stderr

    return run


def values(output):
    return {line for line in output.splitlines() if line.startswith("values: ")}


@pytest.fixture(scope="module")
def expected(wind, tmp_path_factory):
    """What the host prints, computed by FMPy."""
    folder = fmpy.extract(str(wind), unzipdir=str(tmp_path_factory.mktemp("expected")))
    root = fmpy.read_model_description(str(wind))
    slave = fmpy.fmi2.FMU2Slave(guid=root.guid, unzipDirectory=folder, modelIdentifier=root.coSimulation.modelIdentifier, instanceName="it")
    slave.instantiate()
    slave.setupExperiment(startTime=0.0, tolerance=1e-8)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    for step in range(10):
        slave.doStep(step * 0.02, 0.02)
    found = [float(value) for value in slave.getReal([0, 1, 2])]
    slave.freeInstance()
    return found


@pytest.mark.slow
@on_linux
@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("mit Leerzeichen (1) #2 50%", "file:{}"),
        ("Prüfstand 模型 a%20b%C3", "file://localhost{}"),
        pytest.param("plain", "file:{}", marks=pytest.mark.slow),
        pytest.param("a%20b%C3", "file://{}", marks=pytest.mark.slow),
        pytest.param("ü #", "path", marks=pytest.mark.slow),
    ],
)
def test_a_python_fmu_runs_in_a_c_host_from_a_folder_of_any_name(run, expected, tmp_path, name, form):
    resources = tmp_path / name / "resources"
    uri = str(resources) if form == "path" else form.format(resources.as_uri().removeprefix("file://"))
    code, output = run(name, uri=uri)
    assert code == 0, output
    assert f"[0 logAll] fmi2Instantiate: the model runs in {PYTHON}" in output
    (line,) = values(output)
    assert [float.fromhex(each) for each in line.split()[1:]] == expected


@pytest.mark.slow
@on_linux
@pytest.mark.parametrize("how", ["leave", "threads", pytest.param("thread", marks=pytest.mark.slow)])
def test_a_c_host_ends_without_a_crash(run, how):
    """Whether it frees its instances or not, and whichever thread started Python."""
    code, output = run(n_instances=3, how=how)
    assert code == 0, output
    assert len(values(output)) == 1
    assert output.count("values: ") == 3


@pytest.mark.slow
@on_linux
@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "PATH"])
def test_python_is_found_by_the_virtual_environment_and_on_path(run, tmp_path, variable):
    if variable == "VIRTUAL_ENV":
        (tmp_path / "bin").mkdir()
        program = tmp_path / "bin" / "python"
    else:
        program = tmp_path / "python3"
    program.write_text(f'#!/bin/sh\necho a greeting\n: > "{tmp_path}/was_run"\nexec "{sys.executable}" "$@"\n')
    program.chmod(0o755)
    other = tmp_path / "other"  # the first on PATH, and no Python
    other.mkdir()
    (other / "python3").write_text("#!/bin/sh\nexit 1\n")
    (other / "python3").chmod(0o755)
    path = os.environ["PATH"]
    code, output = run(environment={"PATH": f"{other}:{tmp_path}:{path}"} if variable == "PATH" else {"VIRTUAL_ENV": str(tmp_path)})
    assert code == 0, output
    assert PYTHON in output
    assert (tmp_path / "was_run").exists()


def library_of_python():
    return str(Path(sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME")))


@pytest.mark.slow
@on_linux
def test_mobod_python_can_name_the_library_of_python(run, tmp_path):
    environment = {"MOBOD_PYTHON": library_of_python(), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    code, output = run(environment=environment)
    assert code == 0, output
    assert PYTHON + library_of_python() in output
    code, output = run(environment=environment | {"MOBOD_PYTHON": str(tmp_path / "libpython3.99.so")})
    assert code == 3
    assert "the library of Python cannot be loaded" in output


@pytest.mark.slow
@on_linux
def test_a_host_that_has_loaded_the_library_of_python_uses_it(run):
    code, output = run(environment={"MOBOD_PYTHON": sys.executable, "LD_PRELOAD": library_of_python()})
    assert code == 0, output
    assert PYTHON in output


def without(name):
    def remove(folder):
        for file in folder.rglob(name):
            file.unlink()

    return remove


def without_mobod(folder):
    """A virtual environment in which nothing is installed."""
    if not (folder / "empty").exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "empty"], check=True)


@pytest.mark.fast(4)
@on_linux
@pytest.mark.parametrize(
    ("environment", "changed", "message"),
    [
        (
            {"PATH": ""},
            None,
            "none was found that can run it. There is none on PATH, and VIRTUAL_ENV and MOBOD_PYTHON are not set.\nInstall",
        ),
        (
            {"MOBOD_PYTHON": "/nonexistent"},
            None,
            "Tried were:\n- /nonexistent: it does not run as Python.\nInstall what is missing, or set",
        ),
        ({"MOBOD_PYTHON": "/bin/ls"}, None, "- /bin/ls: it does not run as Python. It says: "),
        ({"MOBOD_PYTHON": "empty/bin/python"}, without_mobod, "and no mobod is in the Python environment"),
        (None, without("pythonfmu-export.so"), "pythonfmu-export.so, cannot be loaded: "),
        (None, without("slavemodule.txt"), "there is no file slavemodule.txt, or it is damaged."),
    ],
)
def test_what_is_missing_is_logged_and_there_is_no_instance(run, tmp_path, environment, changed, message):
    if environment == {"MOBOD_PYTHON": "empty/bin/python"}:
        environment = {"MOBOD_PYTHON": str(tmp_path / "50% fmu" / "empty" / "bin" / "python"), "PYTHONPATH": ""}
    code, output = run("50% fmu", environment=environment, changed=changed)
    assert code == 3
    assert "[3 logStatusError] fmi2Instantiate: " in output
    assert message in output
    assert "50% fmu" not in output  # percent signs are doubled


def test_the_arguments_of_instantiate_are_checked(wind, tmp_path):
    folder = fmpy.extract(str(wind), unzipdir=str(tmp_path / "it"))
    root = fmpy.read_model_description(str(wind))
    other = root.guid[:-2] + ("1}" if root.guid.endswith("0}") else "0}")
    for guid, name, message in [(other, "it", r"that of the model is"), (root.guid, "", "the instance name is empty")]:
        lines = []
        callbacks = fmpy.fmi2.fmi2CallbackFunctions()
        callbacks.logger = fmpy.fmi2.fmi2CallbackLoggerTYPE(lambda *arguments, lines=lines: lines.append(arguments[4].decode()))
        callbacks.allocateMemory = fmpy.fmi2.fmi2CallbackAllocateMemoryTYPE(fmpy.calloc)
        callbacks.freeMemory = fmpy.fmi2.fmi2CallbackFreeMemoryTYPE(fmpy.free)
        slave = fmpy.fmi2.FMU2Slave(guid=guid, unzipDirectory=folder, modelIdentifier=root.coSimulation.modelIdentifier, instanceName=name)
        with pytest.raises(Exception, match="Failed to instantiate"):
            slave.instantiate(callbacks=callbacks)
        assert message in lines[-1]
        slave.freeLibrary()


# ------------------------------------------------------------------------------------------------------------------ the library


@pytest.mark.slow
@pytest.mark.skipif(not has_zig(), reason="compiles for other platforms by ziglang: the extra `compiler`")
@pytest.mark.parametrize("target", ["x86_64-linux-gnu.2.17", "x86_64-windows-gnu"])
def test_the_loader_compiles_without_a_warning_for_each_platform(target):
    headers = [files("fmpy") / "c-code"]
    target = Target(target)
    build_library("it", loader_sources(), include_directories=headers, flags=WARNINGS, compiler=zig_compiler(target), target=target)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the loader's functions for Linux")
def test_the_loader_compiles_without_a_warning(tmp_path):
    for file, text in loader_sources().items():
        (tmp_path / file).write_text(text)
    command = [c_compiler(), *WARNINGS, "-fPIC", "-fsyntax-only", f"-I{files('fmpy') / 'c-code'}", *tmp_path.glob("*.c")]
    subprocess.run(command, check=True)


@on_linux
def test_the_loader_exports_the_functions_of_co_simulation_and_needs_no_python(wind):
    identifier = fmpy.read_model_description(str(wind)).coSimulation.modelIdentifier
    (loader,) = structures(content(wind)[f"binaries/linux64/{identifier}.so"])
    (pythonfmu,) = structures(content(wind)["binaries/linux64/pythonfmu-export.so"])
    assert loader.exports == pythonfmu.exports & functions_of_the_standard()
    assert not {name for name in loader.needs if "python" in name}


@pytest.mark.slow
@pytest.mark.skipif(not has_zig(), reason="compiles for Windows by ziglang: the extra `compiler`")
def test_the_library_for_windows_needs_nothing_but_windows(tmp_path, monkeypatch):
    from mobod.fmu.libraries import loader_libraries
    from mobod.fmu.platforms import platform_folders

    monkeypatch.delenv("CC", raising=False)
    (library,) = loader_libraries("it", platform_folders(["win64"])).values()
    (loader,) = structures(library)
    assert "fmi2DoStep" in loader.exports
    assert loader.exports <= functions_of_the_standard()
    assert {name.lower() for name in loader.needs if not name.lower().startswith("api-ms-win-crt-")} == {"kernel32.dll"}
