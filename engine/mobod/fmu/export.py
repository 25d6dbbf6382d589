"""export_fmu: a System becomes a Functional Mock-up Unit."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from mobod.compile.model_source import generate
from mobod.errors import InputError, UnsupportedError
from mobod.fmu.native_export import write_native_fmu
from mobod.system import State, System


def export_fmu(
    system: System,
    path: str | Path,
    *,
    fmi_version: Literal["2.0"] = "2.0",
    kind: Literal["native"] = "native",
    inputs: Iterable[str] = (),
    outputs: Iterable[str] = (),
    platforms: Iterable[str] = ("host",),
    state: State | None = None,
    name: str | None = None,
) -> Path:
    """Write a System as a Functional Mock-up Unit for co-simulation, which runs at compiled speed and without Python.

    inputs   names of settable quantities and parameters that a master sets while it steps: 'motor.force', 'wind.force[2]'
    outputs  names of states, derivatives and results that it reads: 'lower.q', 'lower.p_GB'
    state    the start values; the default State if left out
    name     of the model; the System's if left out
    returns  the path of the file

    Raises UnsupportedError for what cannot be exported, UnknownNameError for a name that is not there, InputError for one of the
    wrong kind, CompileError where the C does not compile.
    """
    _check_choice("fmi_version", fmi_version, "2.0")
    _check_choice("kind", kind, "native")
    if isinstance(platforms, str):
        raise InputError(f"platforms: a list of names is wanted, not one name. Write platforms=['{platforms}'].")
    for target in platforms:
        _check_choice("platform", target, "host")
    model = generate(system, system.realize_topology() if state is None else state)
    return write_native_fmu(model, Path(path), system.name if name is None else name, inputs=inputs, outputs=outputs)


def _check_choice(what: str, chosen: str, there_is: str) -> None:
    if chosen != there_is:
        raise UnsupportedError(f"{what} '{chosen}' is not supported yet. There is '{there_is}'.")
