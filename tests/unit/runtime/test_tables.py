"""Tables of the C runtime: the same structures in memory and as C."""

import ctypes

import numpy as np
import pytest

from mobod.errors import MobodError
from mobod.native_sources import native_file
from mobod.runtime.compiler import build_library
from mobod.runtime.library import doubles, ffi
from mobod.runtime.tables import CFunction, CSource, Memory, Struct, StructArray
from mobod.scalar.bytecode import program_of
from mobod.scalar.kernel_calls import KernelCall, KernelCalls, LoadedProgram, kernel_function
from mobod.scalar.recording import record


def rows():
    """A small table with numbers, text, arrays, structures by value and by pointer, and one that is pointed to twice."""
    soft = Struct("CompliantRow", enabled=3, compliance=4, damping=5, force=6, impulse=-1, is_unilateral=True)
    blocks = [
        Struct("RowBlock", name="rod 'ü' \\", first=0, n=1, n_overlaps=3, overlaps=[2, 1, 0], n_mobilities=0, compliant=soft),
        Struct("RowBlock", name="", first=1, n=2, compliant=soft),
    ]
    return Struct("RowTable", n_blocks=2, blocks=StructArray("RowBlock", blocks), n_rows=3, compliant=np.array([0, 7], dtype=np.intc))


def test_structures_in_memory_have_the_given_values():
    memory = Memory(kernel_function)
    table = memory.struct(rows())

    block = table.blocks[0]
    assert (table.n_blocks, table.n_rows, table.joints, table.nu) == (2, 3, ffi.NULL, 0)
    assert ffi.string(block.name).decode() == "rod 'ü' \\"
    assert [block.overlaps[i] for i in range(3)] == [2, 1, 0]
    assert (block.compliant.force, block.compliant.is_unilateral) == (6, 1)
    assert block.compliant == table.blocks[1].compliant  # one place
    assert table.compliant[1] == 7


def test_the_text_in_c_defines_the_same_structures():
    text = CSource()
    text.define("table", rows())
    source = "\n".join(
        [
            '#include "exported.h"\n#include "rows.h"\n#include <math.h>\n',
            *text.lines,
            "MOBOD_API int n_rows(void) { return table.n_rows; }",
            "MOBOD_API const char *name(int i) { return table.blocks[i].name; }",
            "MOBOD_API int path(int i) { return table.blocks[0].overlaps[i]; }",
            "MOBOD_API int is_shared(void) { return table.blocks[0].compliant == table.blocks[1].compliant; }",
            "MOBOD_API int compliant(int i) { return table.compliant[i]; }\n",
        ]
    )
    names = ("exported.h", "rows.h", "factor.h", "sparse_cholesky.h", "number_type.h")
    headers = {name: native_file(name).read_text(encoding="utf-8") for name in names}
    library = ctypes.CDLL(str(build_library("tables", {**headers, "tables.c": source}, flags=("-Wall", "-Wextra", "-Werror"))))
    library.name.restype = ctypes.c_char_p
    assert (library.n_rows(), library.is_shared()) == (3, 1)
    assert [library.name(i).decode() for i in range(2)] == ["rod 'ü' \\", ""]
    assert [library.path(i) for i in range(3)] == [2, 1, 0]
    assert [library.compliant(i) for i in range(2)] == [0, 7]


def test_a_field_that_the_header_does_not_have_is_refused():
    with pytest.raises(MobodError, match="RowJoint of the C runtime has no field 'angle'"):
        Struct("RowJoint", nu=1, angle=2)


def test_functions_of_the_runtime_are_found_by_name():
    made = Memory(kernel_function).struct(Struct("Kernel", run=CFunction("run_delay")))
    assert made.run != ffi.NULL
    assert kernel_function("no_such_function") == ffi.NULL


def test_an_array_that_is_too_short_for_a_sweep_is_refused():
    recording = record(lambda x: 2 * x, [np.full(3, np.nan)], about="twice")
    calls = KernelCalls([KernelCall(LoadedProgram(program_of(recording, adds=frozenset(), is_tangent=False)), (0, 3))])
    w = np.arange(6.0)
    calls(w)
    assert w.tolist() == [0, 1, 2, 0, 2, 4]
    with pytest.raises(MobodError, match="an array of 5 numbers is too short: offset 5 is used"):
        calls(np.zeros(5))
    assert doubles(w)[5] == 4.0
