"""mobod.compile: compiles the equations of a System for the realization of States."""

# Decision: docs/decisions/028-compile.md

from math import prod
from typing import final

import numpy as np

from mobod.compilation.calls.liveness import whole_kinds
from mobod.compilation.native.built_functions import functions_order, loaded_functions
from mobod.compilation.source.model_kernels import CompiledKernels
from mobod.errors import UnsupportedError
from mobod.runtime.compiler import built
from mobod.runtime.simd import chosen_simd
from mobod.scalar.kernel_calls import LoadedFunction
from mobod.scalar.sweep import Kind
from mobod.system import Layout, State, System
from mobod.system.boundary import check_state, checked_system


def compile(system: System, state: State | None = None) -> None:
    """Compile the equations of a System to C. `System.realize` and lazily computed values then use the compiled code.

    For systems of many bodies a realization then takes less than half of the time. The numbers are the same, bit for bit. A Simulation
    compiles by itself and does not need this function.

    state  the State whose structure is compiled, for example one with Euler angles; default: a new State. All States of that structure use
           the compiled code, earlier ones too. Compiling the same structure again does nothing. A change of topology discards the code.

    Elements that cannot be recorded still run as Python.

    Raises NoCompilerError, CompileError, and UnsupportedError for a System with `as_text`.
    """
    checked_system(system, "compile", System)
    if system.as_text:
        raise UnsupportedError(
            f"System '{system.name}' evaluates the NumPy code of its elements (as_text), which cannot be compiled. "
            "Set as_text = False first."
        )
    if state is None:
        state = system.realize_topology()
    check_state(state, system)
    if not state.layout.compiled:
        RealizationCode(state.layout).install()


@final
class RealizationCode:
    """The C code of the sweeps of a layout, as realizations outside of runs call them.

    order  its library. Raises NoCompilerError
    """

    def __init__(self, layout: Layout):
        self._layout = layout
        self._kinds = whole_kinds([*layout.sweeps.values(), *layout.lazy_sweeps.values()])
        self._kernels = CompiledKernels(self._kinds.values(), None, None)
        self.order = functions_order(self._kernels, chosen_simd())

    def install(self) -> None:
        """Compile it, if the cache does not have it, and let realizations use it. Raises CompileError."""
        functions = loaded_functions(self._kernels, built(self.order))
        named = {kind: functions[self._kernels.function_name(live)] for kind, live in self._kinds.items()}
        self._layout.use_compiled({kind: LoadedFunction(function, _sizes(kind)) for kind, function in named.items()})


def _sizes(kind: Kind) -> np.ndarray:
    """The numbers of entries of each input, then of each output."""
    return np.array([*map(prod, kind.shapes), *(output.size for output in kind.recording().outputs)], dtype=np.uint32)
