"""Runs side by side have the bits of the same runs alone in plain C: with each compiler and width here, and with NEON by QEMU."""

import shutil
import sys

import pytest

from mobod.runtime.compiler import has_zig, zig_compiler
from mobod.runtime.simd import SIMD, Simd, available_simd
from mobod.runtime.targets import host_target
from tests.ensembles.mechanisms_with_events import MECHANISMS
from tests.native.lanes_program import build_program, export_runs
from tests.native.sanitized import SANITIZERS, need_sanitizers
from tests.native.slave import c_compiler

COUNT = 12  # runs, more than there are lanes
(NEON,) = SIMD["aarch64"]
ARM = {"gcc": ("aarch64-linux-gnu-gcc",), "clang": (sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-musl")}
pytestmark = [
    pytest.mark.slow,  # the runtime is compiled for each program
    pytest.mark.skipif(not available_simd(), reason="the processor has no vectors that mobod knows"),
]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    return [export_runs(make, COUNT, folder) for make in MECHANISMS]


@pytest.fixture(scope="module")
def alone(exported, tmp_path_factory):
    """The results of runs alone, on this machine, until a time."""
    program = build_program([c_compiler()], ["-O2", *available_simd()[-1].library_flags], tmp_path_factory.mktemp("alone"))
    kept = {}

    def results(until):
        if until not in kept:
            kept[until] = {runs.name: program.results(runs, "alone", until) for runs in exported}
        return kept[until]

    return results


@pytest.mark.parametrize("simd", available_simd(), ids=lambda simd: simd.name)
def test_lanes_of_each_width_give_the_bits_of_runs_alone(simd: Simd, exported, alone, tmp_path):
    program = build_program([c_compiler()], ["-O2", *simd.library_flags], tmp_path)
    for runs in exported:
        assert program.results(runs, "lanes", 10.0) == alone(10.0)[runs.name], runs.name


@pytest.mark.skipif(not has_zig(), reason="ziglang is not installed: the extra `compiler`")
def test_lanes_by_clang_give_the_bits_of_runs_alone(exported, alone, tmp_path):
    program = build_program(zig_compiler(host_target()).command, ["-O2", *available_simd()[0].library_flags], tmp_path)
    for runs in exported:
        assert program.results(runs, "lanes", 10.0) == alone(10.0)[runs.name], runs.name


@pytest.mark.parametrize("compiler", ARM)
def test_neon_gives_the_bits_of_runs_alone_on_this_machine(compiler, exported, alone, tmp_path):
    if shutil.which("qemu-aarch64") is None:
        pytest.skip("qemu-aarch64, which runs programs for ARM, is not installed: apt-get install qemu-user")
    if compiler == "gcc" and shutil.which("aarch64-linux-gnu-gcc") is None:
        pytest.skip("aarch64-linux-gnu-gcc is not installed: apt-get install gcc-aarch64-linux-gnu")
    if compiler == "clang" and not has_zig():
        pytest.skip("ziglang is not installed: the extra `compiler`")
    program = build_program(ARM[compiler], ["-O2", "-static", *NEON.library_flags], tmp_path, ["qemu-aarch64"])
    for runs in exported:
        assert program.results(runs, "lanes", 10.0) == alone(10.0)[runs.name], runs.name
    for runs in exported:  # and alone on ARM
        assert program.results(runs, "alone", 1.0) == alone(1.0)[runs.name], runs.name


def test_the_sanitizers_find_nothing_in_lanes(exported, alone, tmp_path):
    need_sanitizers(tmp_path)
    program = build_program([c_compiler()], ["-g", "-O1", *SANITIZERS, *available_simd()[0].library_flags], tmp_path)
    for runs in exported:
        assert program.results(runs, "lanes", 1.0) == alone(1.0)[runs.name], runs.name
