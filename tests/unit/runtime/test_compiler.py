"""A compiler is found, or an error explains how to get one; built libraries are correct, cached by content and written completely."""

import ctypes
import shutil
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from mobod.errors import CompileError, NoCompilerError
from mobod.native_sources import lanes_files
from mobod.runtime.compiler import Compiler, build_library, cache_directory, find_compiler, library_order, library_suffix
from mobod.runtime.library_cache import LibraryCache
from mobod.runtime.packaged import LANES, RUNTIME

TWICE_AND_THRICE = {
    "factors.h": "#define TWO 2.0\n#define THREE 3.0\n",
    "twice.c": '#include "factors.h"\n__attribute__((visibility("default"))) double twice(double x) { return TWO * x; }\n',
    "thrice.c": '#include "factors.h"\n__attribute__((visibility("default"))) double thrice(double x) { return THREE * x; }\n',
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)


def call(library: Path, function: str, x: float) -> float:
    c_function = ctypes.CDLL(str(library))[function]
    c_function.restype, c_function.argtypes = ctypes.c_double, [ctypes.c_double]
    return c_function(x)


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_each_source_is_compiled_and_linked():
    library = build_library("multiples", TWICE_AND_THRICE)
    assert library.name == "multiples" + library_suffix()
    assert call(library, "twice", 1.5) == 3.0
    assert call(library, "thrice", 1.5) == 4.5


def test_the_same_text_is_compiled_once():
    first = build_library("multiples", TWICE_AND_THRICE)
    written = first.stat().st_mtime_ns
    again = build_library("multiples", dict(reversed(TWICE_AND_THRICE.items())))
    assert again == first
    assert again.stat().st_mtime_ns == written


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "text", "compiled"),
    [
        ("twice.c", TWICE_AND_THRICE["twice.c"].replace("TWO", "THREE"), ["twice.c"]),
        ("factors.h", "#define TWO 20.0\n#define THREE 3.0\n", ["thrice.c", "twice.c"]),
        ("unused.h", "#define FIVE 5.0\n", []),
    ],
    ids=["source", "header", "header that nothing includes"],
)
@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for a compiler is a shell script")
def test_only_files_that_depend_on_a_change_are_compiled_again(changed, text, compiled, tmp_path, monkeypatch):
    build_library("multiples", TWICE_AND_THRICE)
    log = tmp_path / "log"
    monkeypatch.setenv("CC", str(program(tmp_path / "cc", f'echo "$@" >> "{log}"; exec "{shutil.which("cc")}" "$@"')))
    build_library("multiples", TWICE_AND_THRICE)  # of another compiler: nothing of the first one's is taken
    calls = len(log.read_text().splitlines())
    build_library("multiples", TWICE_AND_THRICE | {changed: text})
    units = [line.split(" -c ")[1].split()[0] for line in log.read_text().splitlines()[calls:] if " -c " in line]
    assert sorted(units) == compiled


@pytest.mark.slow
@pytest.mark.parametrize("include", ["#include <outside.h>", '  # include "outside.h"', '#include "by_way_of.h"'])
@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for a compiler is a shell script")
def test_only_files_that_include_outside_headers_are_compiled_again_for_these(include, tmp_path, monkeypatch):
    outside, log = tmp_path / "include", tmp_path / "log"
    outside.mkdir()
    monkeypatch.setenv("CC", str(program(tmp_path / "cc", f'echo "$@" >> "{log}"; exec "{shutil.which("cc")}" "$@"')))
    fourfold = '__attribute__((visibility("default"))) double fourfold(double x) { return FOUR * x; }'
    sources = TWICE_AND_THRICE | {"fourfold.c": f"{include}\n{fourfold}\n", "by_way_of.h": "#include <outside.h>\n"}
    compiled = []
    for four in ("4.0", "40.0"):
        (outside / "outside.h").write_text(f"#define FOUR {four}\n")
        log.write_text("")
        library = build_library("multiples", sources, include_directories=[outside])
        assert call(library, "fourfold", 1.5) == float(four) * 1.5
        compiled.append(sorted(line.split(" -c ")[1].split()[0] for line in log.read_text().splitlines() if " -c " in line))
    assert compiled == [["fourfold.c", "thrice.c", "twice.c"], ["fourfold.c"]]


@pytest.mark.parametrize("flag", ["", "-DMOBOD_PAIRS=2"])
def test_what_is_included_under_a_name_of_ours_counts_where_that_is_defined(flag):
    pairs = {
        "number.h": '#ifdef MOBOD_PAIRS\n#include "pairs.h"\n#else\n#define TWO 2.0\n#endif\n',
        "twice.c": '#include "number.h"\n__attribute__((visibility("default"))) double twice(double x) { return TWO * x; }\n',
    }
    build_library("numbers", pairs if not flag else pairs | {"pairs.h": "#define TWO 2.5\n"}, flags=[flag] if flag else [])
    pairs |= {
        "pairs.h": "#define TWO 20.0\n",
        "pair.c": '#define MOBOD_PAIRS 2\n#include "number.h"\n__attribute__((visibility("default"))) double pair(void) { return TWO; }\n',
    }
    if flag:  # which defines it in each file
        pairs["pair.c"] = pairs["pair.c"].replace("#define MOBOD_PAIRS 2\n", "")
    missing = library_order("numbers", pairs, flags=[flag] if flag else []).lines_to_compile(LibraryCache(cache_directory()))
    assert len(missing) == (2 if flag else 1)
    library = build_library("numbers", pairs, flags=[flag] if flag else [])
    assert call(library, "twice", 1.5) == (30.0 if flag else 3.0)


def test_the_library_of_lanes_has_the_objects_of_the_runtime_beside_its_own():
    objects = []
    for library in (RUNTIME, next(iter(LANES.values()))):
        order = library_order(library.name, library.sources(), flags_of=library.flags_of)
        objects.append({unit: order._object(unit) for unit in order._units()})
    of_runtime, of_lanes = objects
    assert {unit for unit in of_lanes if of_lanes[unit] != of_runtime.get(unit)} == {*lanes_files(), "ensemble_lanes.c"}


@pytest.mark.fast(1)
@pytest.mark.parametrize("change", ["source", "header", "flag", "name", "included header"])
def test_every_dependency_changes_the_library(change, tmp_path):
    outside = tmp_path / "include"
    outside.mkdir()
    (outside / "outside.h").write_text("#define FOUR 4.0\n")

    def build(name="multiples", sources=TWICE_AND_THRICE, flags=()):
        return build_library(name, sources, include_directories=[outside], flags=flags)

    first = build()
    match change:
        case "source":
            second = build(sources={**TWICE_AND_THRICE, "twice.c": TWICE_AND_THRICE["twice.c"].replace("TWO", "THREE")})
            assert call(second, "twice", 1.5) == 4.5
        case "header":
            second = build(sources={**TWICE_AND_THRICE, "factors.h": "#define TWO 20.0\n#define THREE 3.0\n"})
            assert call(second, "twice", 1.5) == 30.0
        case "flag":
            second = build(flags=["-DUNUSED"])
        case "name":
            second = build(name="products")
        case "included header":
            (outside / "outside.h").write_text("#define FOUR 5.0\n")
            second = build()
    assert second != first


def test_symbols_are_hidden_unless_they_are_exported():
    library = build_library("hidden", {"hidden.c": "double inner(double x);\ndouble inner(double x) { return x; }\n"})
    with pytest.raises(AttributeError, match="inner"):
        _ = ctypes.CDLL(str(library)).inner


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_where_the_library_is_built(tmp_path, monkeypatch):
    here = build_library("multiples", TWICE_AND_THRICE).read_bytes()
    monkeypatch.setenv("MOBOD_CACHE", str(tmp_path / "another" / "place"))
    there = build_library("multiples", TWICE_AND_THRICE).read_bytes()
    assert here == there


def test_simultaneous_builds_leave_one_complete_library():
    with ThreadPoolExecutor(4) as pool:
        libraries = set(pool.map(lambda _: build_library("multiples", TWICE_AND_THRICE), range(4)))
    (library,) = libraries
    assert call(library, "thrice", 2.0) == 6.0
    assert {entry.name for entry in library.parent.iterdir()} == {library.name, f"{library.name}.sha256"}
    assert list((cache_directory() / "builds").iterdir()) == []


def test_a_compile_error_names_the_file_and_what_the_compiler_says():
    wrong = {"right.c": "int right;\n", "wrong.c": "int f(void) { return undeclared_thing; }\n"}
    with pytest.raises(CompileError, match=r"'wrong\.c' did not compile(.|\n)*error(.|\n)*undeclared_thing"):
        build_library("wrong", wrong)
    assert not list(cache_directory().rglob("wrong" + library_suffix()))


def test_extra_flags_reach_the_compiler():
    careless = {"careless.c": "int f(int unused);\nint f(int unused) { return 0; }\n"}
    build_library("careless", careless)
    with pytest.raises(CompileError, match="unused"):
        build_library("careless", careless, flags=["-Wall", "-Wextra", "-Wpedantic", "-Werror"])


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins for compilers are shell scripts")
class TestChoice:
    def test_cc_in_the_environment_has_priority_and_may_have_arguments(self, tmp_path, monkeypatch):
        mine = program(tmp_path / "mine", f'exec "{shutil.which("cc")}" "$@"')
        monkeypatch.setenv("CC", f"{mine} -DCHOSEN")
        assert find_compiler().command == (str(mine), "-DCHOSEN")

    def test_cc_in_the_environment_is_never_ignored(self, monkeypatch):
        monkeypatch.setenv("CC", "no-such-compiler")
        with pytest.raises(NoCompilerError, match="CC is set to 'no-such-compiler'"):
            find_compiler()

    def test_the_first_working_compiler_on_path_is_used(self, tmp_path, monkeypatch):
        program(tmp_path / "bin" / "cc", "exit 1")  # such as Apple's, before its tools are installed
        working = program(tmp_path / "bin" / "gcc", "echo gcc 1.2.3")
        program(tmp_path / "bin" / "clang", "echo clang 4.5.6")
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
        compiler = find_compiler()
        assert compiler.command == (str(working),)
        assert compiler.version == "gcc 1.2.3\n"

    def test_without_a_compiler_the_error_has_a_remedy(self, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(NoCompilerError, match=r'python -m pip install "mobod\[compiler\]"'):
            find_compiler()

    def test_objects_of_one_version_of_zig_are_shared_by_environments_but_not_those_of_other_compilers(self):
        zig, cc = ([Compiler((f"/{place}/bin", "cc"), "1", is_zig=is_zig) for place in ("one", "two")] for is_zig in (True, False))
        assert len({each.identity for each in zig}) == 1
        assert len({each.identity for each in (*cc, zig[0], replace(zig[0], version="2"))}) == 4

    @pytest.mark.slow
    def test_ziglang_is_used_if_there_is_no_other_compiler(self, tmp_path, monkeypatch):
        pytest.importorskip("ziglang", reason="a C compiler from PyPI: the extra `compiler`")
        monkeypatch.setenv("PATH", str(tmp_path))
        compiler = find_compiler()
        assert compiler.command[1:3] == ("cc", "-target")
        assert call(build_library("multiples", TWICE_AND_THRICE, compiler=compiler), "twice", 0.7) == 1.4
