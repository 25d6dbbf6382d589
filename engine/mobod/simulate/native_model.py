"""The model of a State's structure for the C runtime."""

from mobod.compilation.model_source import Code, generate
from mobod.compilation.native import NativeModel
from mobod.system import State, System


def native_model(system: System, state: State, code: Code) -> NativeModel:
    """The model; made on first use. For compiled code it raises NoCompilerError or CompileError."""
    native: dict[str, NativeModel] = state.layout.native
    if code not in native:
        native[code] = NativeModel(generate(system, state, calls_back=True), code)
    return native[code]
