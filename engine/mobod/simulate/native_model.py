"""The model of a State's structure for the C runtime."""

from mobod.compilation.compiled_later import CompiledLater
from mobod.compilation.native.native_model import NativeModel
from mobod.compilation.source.model_source import Code, generate
from mobod.runtime.collector import collector_waits
from mobod.system import State, System
from mobod.system.scales import Scales


def native_model(system: System, state: State, code: Code, scales: Scales | None = None, *, follows_events: bool = True) -> NativeModel:
    """The model; made on first use. For compiled code it raises NoCompilerError or CompileError.

    scales          default: the System's estimates
    follows_events  whether runs find the times of events; steps at velocity level and projections do not
    """
    native: dict[str, NativeModel] = state.layout.native
    if code not in native:
        with collector_waits():
            native[code] = NativeModel(generate(system, state, calls_back=True), code, follows_events=False)
    if follows_events:
        native[code].index_witnesses()
    return native[code] if scales is None else native[code].scaled(scales)


def compiled_later(system: System, state: State) -> CompiledLater:
    """What compiles the model of the State's structure in the background; one for all runs."""
    layout = state.layout
    if layout.compiled_later is None:
        layout.compiled_later = CompiledLater(native_model(system, state, "interpreted", follows_events=False), layout)
    later: CompiledLater = layout.compiled_later
    return later


def present_model(system: System, state: State, scales: Scales | None = None) -> NativeModel:
    """The model for projections, in the form that there is already, else with bytecode, which is made quickly."""
    return native_model(system, state, "compiled" if "compiled" in state.layout.native else "interpreted", scales, follows_events=False)
