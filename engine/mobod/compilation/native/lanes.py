"""The tables of a model for runs side by side in the lanes of vectors: fmu_src/native/lanes/lanes.h."""

from collections.abc import Sequence
from typing import final

from mobod.compilation.calls.liveness import LiveKind
from mobod.compilation.native.built_functions import built_functions
from mobod.compilation.source.model_kernels import Called, CompiledKernels, InterpretedKernels
from mobod.errors import MobodError
from mobod.runtime.c_objects import CObject
from mobod.runtime.library import ffi
from mobod.runtime.simd import Simd
from mobod.runtime.tables import CFunction, Memory, Struct, StructArray
from mobod.scalar.procedure import Procedure, PythonProcedure
from mobod.scalar.slot import Slot

# functions of the runtime that have a counterpart over lanes
_OVER_LANES = ("run_program", "run_elimination", "run_multipliers", "run_product", "run_inverse")


@final
class LanesModel:
    """A model whose kernels work on several States at once, for the functions of lanes.h."""

    def __init__(self, called: Sequence[Called], table: CObject, library: CObject, simd: Simd, *, compiled: bool):
        """table: the `Model *` in memory; called: what its kernels compute; library: lanes_runtime(simd).

        Raises NoCompilerError or CompileError if compiled kernels cannot be built.
        """
        self.library = library
        kinds = [each for each in called if isinstance(each, LiveKind)]
        kernels: CompiledKernels | InterpretedKernels
        if compiled:
            kernels = CompiledKernels(kinds, None, None)
            self._functions = built_functions(kernels, simd, over_lanes=True)
        else:
            kernels = InterpretedKernels(None)
            self._functions = {}
        self._functions |= {name: ffi.addressof(self.library, f"{name}_on_lanes") for name in _OVER_LANES}
        self._functions["run_calls_in_order"] = ffi.addressof(self.library, "run_calls_in_order")
        lane_kernels = StructArray("LaneKernel", [_lane_kernel(each, kernels) for each in called])
        self._memory = Memory(self._functions.__getitem__)
        self._table = self._memory.struct(Struct("LanesTable", kernels=lane_kernels, n_registers=kernels.n_registers))
        self._table.model = table

    def lanes(self) -> CObject:
        """A new `Lanes *`, which one thread may use at a time. It is freed with the object."""
        made = self.library.create_lanes(self._table)
        if made == ffi.NULL:
            raise MobodError("not enough memory for runs side by side.")
        return ffi.gc(made, self.library.free_lanes)


def _lane_kernel(called: Called, kernels: CompiledKernels | InterpretedKernels) -> Struct:
    if not isinstance(called, Procedure):
        return Struct("LaneKernel", kernel=kernels.kernel(called))
    inputs, outputs = _ranges(called.inputs), _ranges(called.outputs)
    return Struct(
        "LaneKernel",
        kernel=_over_lanes(called),
        n_inputs=len(inputs) // 2,
        inputs=inputs,
        n_outputs=len(outputs) // 2,
        outputs=outputs,
    )


def _over_lanes(procedure: Procedure) -> Struct:
    in_c = None if isinstance(procedure, PythonProcedure) else procedure.in_c()
    if in_c is None or in_c.kernel not in _OVER_LANES:
        return Struct("Kernel")
    return Struct("Kernel", run=CFunction(in_c.kernel), context=in_c.context)


def _ranges(slots: Sequence[Slot]) -> list[int]:
    """Offset and count of each slot, one after the other."""
    return [number for slot in slots for number in (slot.offset, slot.size)]
