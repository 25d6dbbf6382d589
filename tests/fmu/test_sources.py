"""The C sources in an FMU: importers can build them without any option, and get a library with the same bits.

The slow tests build them, as importers do.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.build import build_platform_binary
from fmpy.model_description import read_build_description
from fmpy.simulation import simulate_fmu
from lxml import etree

import mobod as mb
from build_scripts.library_structure import structures
from mobod.fmu.platforms import host_platform
from mobod.native_sources import native_folders
from tests.fmu.archive_content import content
from tests.native.test_flipped_states import everything
from tests.native.test_library import functions_of_the_standard

FMI_HEADERS = Path(fmpy.__file__).parent / "c-code"
KINDS = [
    ("2.0", "compiled"),
    ("3.0", "interpreted"),
    pytest.param("2.0", "interpreted", marks=pytest.mark.slow),
    pytest.param("3.0", "compiled", marks=pytest.mark.slow),
]
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="compiles by gcc: apt-get install gcc")


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    """(version, code) -> an FMU of the same model; made when it is first asked for."""
    made = {}

    def fmu(version, code):
        if (version, code) not in made:
            system, state = everything()
            path = tmp_path_factory.mktemp("sources") / "model.fmu"
            made[version, code] = mb.export_fmu(system, path, name="model", outputs=[], state=state, code=code, fmi_version=version)
        return made[version, code]

    return fmu


def sources_of(fmu):
    return {name.removeprefix("sources/"): text.decode() for name, text in content(fmu).items() if name.startswith("sources/")}


@pytest.mark.slow
@pytest.mark.parametrize(("version", "code"), KINDS)
def test_the_descriptions_list_all_c_files(fmus, version, code):
    fmu = fmus(version, code)
    c_files = sorted(name for name in sources_of(fmu) if name.endswith(".c"))
    (configuration,) = read_build_description(str(fmu))
    (files,) = configuration.sourceFileSets
    assert configuration.modelIdentifier == "model"
    assert files.language == "C99"
    assert sorted(files.sourceFiles) == c_files
    description = etree.fromstring(content(fmu)["modelDescription.xml"])
    lists = {each.getparent().tag: sorted(file.get("name") for file in each) for each in description.iter("SourceFiles")}
    assert lists == ({"ModelExchange": c_files, "CoSimulation": c_files} if version == "2.0" else {})


@pytest.mark.parametrize(("version", "code"), KINDS)
def test_the_sources_are_complete_but_for_the_headers_of_fmi(fmus, version, code):
    sources = sources_of(fmus(version, code))
    headers = {name for name in sources if name.endswith(".h")}
    included = {name for text in sources.values() for name in re.findall(r'#include "([^"]+)"', text)}
    of_lanes = {"lanes_number.h"}  # number.h includes it for ensembles alone
    assert included - headers - of_lanes == {f"fmi{version[0]}Functions.h"}
    assert '#ifdef MOBOD_LANES\n#include "lanes_number.h"' in sources["number.h"]
    assert [name for name in headers if name.startswith("fmi") and (FMI_HEADERS / name).exists()] == []


@needs_gcc
def test_products_and_sums_are_not_fused_whatever_the_options(tmp_path):
    (tmp_path / "sum.c").write_text('#include "any_compiler.h"\ndouble sum(double x, double y, double z) { return x * y + z; }\n')
    for first, is_fused in (("", False), ("-include fmi3Functions.h -DMOBOD_ANY_COMPILER_H", True)):
        options = ["-O3", "-std=gnu17", "-mfma", *(f"-I{folder}" for folder in native_folders()), f"-I{FMI_HEADERS}", *first.split()]
        assembly = subprocess.run(["gcc", *options, "-S", "sum.c", "-o", "-"], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert ("fmadd" in assembly.stdout) == is_fused


def rebuilt_by_fmpy(folder, build):
    (build / "CMakeLists.txt").unlink()
    build_platform_binary(folder, build_dir=build, all_warnings=True, cmake_options={"CMAKE_COMPILE_WARNING_AS_ERROR:BOOL": "ON"})


def rebuilt_by_cmake(flags):
    def build_it(folder, build):
        arguments = [f"-DCMAKE_C_FLAGS=-Werror {flags}", f"-DSOURCES={folder / 'sources'}", f"-DFMI_HEADERS={FMI_HEADERS}"]
        subprocess.run(["cmake", "-S", build, "-B", build / "made", *arguments], check=True)
        subprocess.run(["cmake", "--build", build / "made"], check=True)
        version = fmpy.read_model_description(str(folder)).fmiVersion
        platform = host_platform().name if version == "2.0" else host_platform().fmi3
        (made,) = (build / "made").glob("libmodel.*")
        target = folder / "binaries" / platform / f"model{made.suffix}"
        target.parent.mkdir(parents=True)
        shutil.copy(made, target)

    return build_it


# as in docs/concepts/fmi.md, with a policy and a language, which CMake warns about otherwise
CMAKE = """cmake_minimum_required(VERSION 3.15)
project(model C)
file(GLOB files ${SOURCES}/*.c)
add_library(model SHARED ${files})
target_include_directories(model PRIVATE ${FMI_HEADERS})
"""


@pytest.mark.slow
@needs_gcc
@pytest.mark.skipif(sys.platform != "linux", reason="options of gcc on Linux")
@pytest.mark.parametrize(
    ("version", "code", "rebuild"),
    [
        ("2.0", "compiled", rebuilt_by_fmpy),
        ("3.0", "interpreted", rebuilt_by_fmpy),
        ("3.0", "compiled", rebuilt_by_cmake("")),
        ("2.0", "interpreted", rebuilt_by_cmake("-O3 -march=native -std=gnu17 -Wall -Wextra -Wpedantic")),
    ],
    ids=["fmpy compile, 2.0", "fmpy compile, 3.0, interpreted", "CMake without options", "CMake for this processor, interpreted"],
)
def test_a_rebuilt_library_gives_the_same_bits_and_exports_only_fmi(fmus, version, code, rebuild, tmp_path):
    fmu = fmus(version, code)
    names = [variable.name for variable in fmpy.read_model_description(str(fmu)).modelVariables if variable.causality != "independent"]
    options = {"stop_time": 1.2, "output_interval": 0.05, "relative_tolerance": 1e-5, "output": names}
    own = simulate_fmu(str(fmu), **options)
    folder, build = tmp_path / "unzipped", tmp_path / "build"
    fmpy.extract(str(fmu), unzipdir=str(folder))
    shutil.rmtree(folder / "binaries")
    build.mkdir()
    (build / "CMakeLists.txt").write_text(CMAKE)
    rebuild(folder, build)
    again = simulate_fmu(str(folder), **options)
    assert own.dtype == again.dtype
    assert len(own.dtype.names) > 10
    for name in own.dtype.names:
        assert np.array_equal(own[name], again[name], equal_nan=True), name
    (library,) = (folder / "binaries").rglob("model.so")
    (binary,) = structures(library.read_bytes())
    assert binary.exports == functions_of_the_standard(version)
    assert binary.needs <= {"libc.so.6"}
