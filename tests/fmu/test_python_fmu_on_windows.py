"""The loader of Python FMUs on Windows, run by Wine, with stand-ins for Python and for pythonfmu's library."""

import os
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from mobod.fmu.libraries import libraries
from mobod.fmu.platforms import platform_folders
from mobod.native_sources import loader_sources
from mobod.runtime.compiler import has_zig, zig_compiler

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
GUID = "{0f2c8a52-0000-4c62-9f0b-3a51d1f6a0c7}"
FOLDERS = ["plain", "mit Leerzeichen (1) #2 50%", "Prüfstand ü", "模型", "a%20b"]


def batched(lines, n):
    return [lines[i : i + n] for i in range(0, len(lines), n)]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The folder of Wine."""
    return tmp_path_factory.mktemp("wine")


@pytest.fixture(scope="module")
def wine(home):
    """Runs a program for Windows."""
    found = next((found for name in ("wine64", "/usr/lib/wine/wine64") if (found := shutil.which(name))), None)
    if found is None:
        pytest.skip("runs programs for Windows by Wine: apt-get install wine64")

    def run(*arguments, **environment):
        base = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "MOBOD_PYTHON")}
        fixed = {"WINEPREFIX": str(home / "prefix"), "WINEDEBUG": "-all", "HOME": str(home), "LC_ALL": "C.UTF-8"}
        done = subprocess.run([found, *map(str, arguments)], capture_output=True, env=base | fixed | environment, timeout=300)
        return done.returncode, done.stdout.decode().replace("\r\n", "\n")

    return run


@pytest.fixture(scope="module")
def programs(tmp_path_factory, wine):
    """A folder with the host, the loader, and the stand-ins."""
    if not has_zig():
        pytest.skip("compiles for Windows by ziglang: the extra `compiler`")
    folder = tmp_path_factory.mktemp("programs")
    platforms = platform_folders(["win64"])
    # linked as libraries are: other flags would make zig compile the C library of Windows again
    compiler = [*zig_compiler(platforms["win64"].targets[0]).command, "-O2", "-g0", "-Wl,-s", "-std=c99"]

    def build(source, target, *options):
        command = [*compiler, f"-I{files('fmpy') / 'c-code'}", str(HERE / source), "-o", target, *options]
        subprocess.run(command, check=True, cwd=folder)

    build("python_host.c", "host.exe")
    build("windows_stand_ins.c", "python.exe", "-DPYTHON_PROGRAM", "-municode")
    build("windows_stand_ins.c", "python311.dll", "-DPYTHON_LIBRARY", "-shared")
    build("windows_stand_ins.c", "python3.dll", "-DSTABLE_LIBRARY", "-shared", "-Wl,--out-implib,python3.lib")
    build("windows_stand_ins.c", "pythonfmu-export.dll", "-shared", "python3.lib")
    (content,) = libraries("it", loader_sources(), platforms).values()
    (folder / "it.dll").write_bytes(content)
    return folder


def place_fmu(programs, root, parts=("it.dll", "pythonfmu-export.dll")):
    """Put the libraries and the resources of an FMU below a folder."""
    (root / "binaries").mkdir(parents=True)
    (root / "resources").mkdir()
    for name in parts:
        shutil.copy(programs / name, root / "binaries")
    (root / "resources" / "slavemodule.txt").write_text(f"the_module\n{GUID}\n")
    (root / "resources" / "the_module.py").write_text("# is not run\n")


def run_host(wine, programs, root, uri=None, **environment):
    uri = uri or "file:///Z:" + (root / "resources").as_uri().removeprefix("file://")
    arguments = root.parent / "arguments.txt"
    arguments.write_text("\n".join([f"Z:{root}/binaries/it.dll".replace("/", "\\"), GUID, uri, "2", "free"]) + "\n", encoding="utf-8")
    return wine(programs / "host.exe", f"Z:{arguments}".replace("/", "\\"), **environment)


@pytest.mark.parametrize("name", FOLDERS)
def test_the_loader_starts_python_and_hands_over_a_path_that_pythonfmu_can_read(wine, home, programs, tmp_path, name):
    pythons = tmp_path / "Python Ü"
    pythons.mkdir()
    for file in ("python.exe", "python311.dll", "python3.dll"):
        shutil.copy(programs / file, pythons)
    place_fmu(programs, tmp_path / name)
    code, output = run_host(wine, programs, tmp_path / name, MOBOD_PYTHON=f"Z:{pythons}/python.exe")
    assert code == 0, output
    library = f"Z:{pythons}/python311.dll".replace("/", "\\")
    for message, folder, values, freed in batched(output.splitlines(), 4):
        assert message.endswith(f"the model runs in Python 3.11.7 of X:/prefix, started by this FMU with the library {library}")
        assert folder.isascii()
        assert folder.endswith("/the_module")
        assert [float.fromhex(value) for value in values.split()[1:]] == [0.5, 1.5, 2.5]
        assert freed == "freed: an instance"
    assert output.count("freed") == 2
    assert not list(home.rglob("mobod-*"))  # copies of the resources are removed


@pytest.mark.parametrize("form", ["file:/Z:{}", "file://localhost/Z:{}", "file:///z%3A{}", "Z:{}"])
def test_each_form_of_the_resource_location_is_read(wine, programs, tmp_path, form):
    root = tmp_path / "an FMU"
    place_fmu(programs, root)
    path = str(root / "resources")
    uri = form.format(path.replace(" ", "%20") if form.startswith("file") else path.replace("/", "\\"))
    code, output = run_host(wine, programs, root, uri, MOBOD_PYTHON=f"Z:{programs}/python.exe")
    assert code == 0, output


def test_messages_say_what_is_missing(wine, programs, tmp_path):
    root = tmp_path / "größe"
    place_fmu(programs, root, ["it.dll"])
    code, output = run_host(wine, programs, root)
    assert code == 3
    assert "this FMU runs in Python, and none was found that can run it" in output
    code, output = run_host(wine, programs, root, MOBOD_PYTHON="C:\\no\\python.exe")
    assert code == 3
    assert "- C:\\no\\python.exe: it does not run as Python." in output
    code, output = run_host(wine, programs, root, MOBOD_PYTHON=f"Z:{programs}/python.exe")
    assert code == 3
    assert "größe/binaries/pythonfmu-export.dll, cannot be loaded: error 126" in output
    (root / "resources" / "slavemodule.txt").unlink()
    code, output = run_host(wine, programs, root)
    assert code == 3
    assert "größe/resources', cannot be read: there is no file slavemodule.txt" in output
