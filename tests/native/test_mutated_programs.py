"""Bytecode programs with random changes, run with the sanitizers: refused, or they access only their own memory."""

import numpy as np
import pytest

from mobod.native_sources import elementary_sources, native_file, native_folders
from mobod.scalar import StaticTable, interval, lookup, where
from mobod.scalar.adjoint import adjoint_twin
from mobod.scalar.bytecode import Program, adjoint_program_of, program_of
from mobod.scalar.derivative import tangent_twin
from mobod.scalar.recording import record
from tests.native.sanitized import check_driver_is_clean, need_sanitizers
from tests.native.slave import HERE

TABLE = StaticTable([-1.0, -0.2, 0.4, 1.0])


def of_all_kinds(x, y, z):
    """Programs with every layout of instructions: loads of fixed and of other sizes, tables, stores, sums of products, sine with cosine."""
    total = x[0] * y[0] + x[1] * y[1] - x[2]
    chosen = where(total > 0, np.sin(total), np.cos(total)) + z[10] * z[0]
    return np.array([total, chosen, lookup(TABLE, interval(TABLE, chosen))]), z * 2.5, np.array([np.arctan2(chosen, total) / 3.0])


def programs() -> list[Program]:
    recording = record(of_all_kinds, [np.full(n, np.nan) for n in (3, 2, 11)], about="programs")
    small = record(lambda x: x + 1.0, [np.full(2, np.nan)], about="programs")
    twin = tangent_twin(recording)
    tangent = type(twin)(twin.tape, twin.inputs, twin.outputs[3:])
    return [
        program_of(recording, adds=frozenset([1]), is_tangent=False),
        program_of(tangent, adds=frozenset([0]), is_tangent=True),
        adjoint_program_of(adjoint_twin(recording), adds=frozenset([1])),
        program_of(small, adds=frozenset(), is_tangent=False),
    ]


def header(programs: list[Program]) -> str:
    """C that defines PROGRAMS, an array of them."""
    lines, rows = ['#include "interpreter.h"'], []
    for i, program in enumerate(programs):
        arrays = {"code": program.code, "constants": program.constants, "tables": program.tables, "sizes": program.sizes}
        for name, array in arrays.items():
            type_ = "uint32_t" if array.dtype == np.uint32 else "double"
            lines.append(f"static const {type_} {name}_{i}[] = {{{', '.join(map(str, array.tolist())) or '0'}}};")
        counts = [program.code.size, program.constants.size, program.tables.size, program.n_inputs, program.n_outputs, program.n_registers]
        flags = [int(program.is_tangent), int(program.is_adjoint)]
        rows.append(f"{{{', '.join([*(f'{name}_{i}' for name in arrays), *map(str, [*counts, *flags])])}}}")
    return "\n".join([*lines, f"static const Program PROGRAMS[] = {{{', '.join(rows)}}};", ""])


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [3000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_mutated_programs_are_refused_or_harmless(rounds, tmp_path):
    need_sanitizers(tmp_path)
    (tmp_path / "programs.h").write_text(header(programs()))
    of_runtime = ["interpreter.c", *(name for name in elementary_sources() if name.endswith(".c"))]
    sources = [HERE / "mutations_driver.c", *(native_file(name) for name in of_runtime)]

    check_driver_is_clean(
        [f"-DROUNDS={rounds}", "-g", *(f"-I{folder}" for folder in native_folders()), f"-I{tmp_path}", *sources], [], tmp_path
    )
