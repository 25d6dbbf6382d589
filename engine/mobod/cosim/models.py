"""What may be a component of a network, as ComponentModels."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Union, cast, get_args

from mobod.cosim.component_model import ComponentModel
from mobod.cosim.fmu_model import FmuComponentModel
from mobod.cosim.python_component import PythonComponent, Signals
from mobod.cosim.table_source import TableSource
from mobod.errors import InputError, UnknownNameError, UnsupportedError
from mobod.fmi.fmu_archive import FmuArchive
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmi.isolation.isolation import Isolation
from mobod.fmi.loading import Interface
from mobod.fmi.read_description import warn_of_breaches
from mobod.importer.fmu_model import FmuModel
from mobod.simulate.table import SUFFIXES, Table

if TYPE_CHECKING:
    from mobod.simulate.simulation import Simulation
    from mobod.system import State, System


class Block(Protocol):
    """What `PythonComponent.of` takes."""

    inputs: Signals
    outputs: Signals

    def output(self, time: float, values: Any) -> object: ...


Addable = Union[str, os.PathLike[str], "System", "Simulation", Table, Block, ComponentModel]


def component_model(
    what: Addable,
    *,
    interface: str | None = None,
    limits: FmuLimits | None = None,
    isolate: bool | Isolation | None = None,
    strict: bool | None = None,
    share_library: bool | None = None,
    state: "State | None" = None,
    outputs: Sequence[str] | None = None,
) -> ComponentModel:
    """The component of a path, a System or anything else that a network takes; the arguments are those of `Network.add`."""
    if isinstance(what, (str, os.PathLike)):
        _check_unused(what, "a System", state=state, outputs=outputs)
        if is_table(what):
            _check_unused(what, "an FMU", interface=interface, isolate=isolate, strict=strict, share_library=share_library)
            return TableSource(what)
        return fmu_component(what, interface, limits, isolate, strict=bool(strict), share_library=share_library is not False)
    from mobod.cosim.system_model import SystemModel  # loads what Systems need
    from mobod.simulate.simulation import Simulation
    from mobod.system import System

    if isinstance(what, (System, Simulation)):
        _check_unused(what, "an FMU", interface=interface, limits=limits, isolate=isolate, strict=strict, share_library=share_library)
        system, simulation = (what.system, what) if isinstance(what, Simulation) else (what, None)
        return SystemModel(system, state, simulation, outputs)
    of_fmu = {"interface": interface, "limits": limits, "isolate": isolate, "strict": strict, "share_library": share_library}
    _check_unused(what, "an FMU or a System", **of_fmu, state=state, outputs=outputs)
    if isinstance(what, Table):
        return TableSource(what)
    if hasattr(what, "variables") and hasattr(what, "instance"):
        return cast(ComponentModel, what)
    if all(hasattr(what, name) for name in ("inputs", "outputs", "output")):
        return PythonComponent.of(what)
    raise InputError(
        f"Network.add: {what!r} cannot be a component. Give the path of an FMU or of a table, a System, a Simulation, a Table, a "
        "PythonComponent, or an object with inputs, outputs and output(time, values)."
    )


def is_table(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a table, by its suffix; else it is that of an FMU."""
    return Path(path).suffix.lower() in SUFFIXES


def default_name(what: object) -> str:
    """The name of a component for which none is given: that of a file or a System."""
    if isinstance(what, (str, os.PathLike)):
        return Path(what).stem
    from mobod.simulate.simulation import Simulation
    from mobod.system import System

    if isinstance(what, Simulation):
        return what.system.name
    return what.name if isinstance(what, System) else ""


def _check_unused(what: object, of: str, **arguments: object) -> None:
    for name, value in arguments.items():
        if value is not None:
            raise InputError(f"Network.add: '{name}' is for {of}, and {what!r} is none.")


def fmu_component(
    path: str | os.PathLike[str],
    interface: str | None,
    limits: FmuLimits | None,
    isolate: bool | Isolation | None,
    *,
    strict: bool = False,
    share_library: bool = True,
) -> ComponentModel:
    """The component of an FMU, of FMI 1.0, 2.0 or 3.0.

    interface  None: co-simulation if the FMU has it
    isolate    whether it runs in a process of its own; None: if it runs Python
    strict     whether it is refused if its description breaks rules of FMI
    share_library  whether its instances in this process may share a library

    Warns of rules that its description breaks.

    Raises FmuFileError, UnsupportedError, UnknownNameError.
    """
    if interface is not None and interface not in get_args(Interface):
        raise UnknownNameError("interface", interface, get_args(Interface))
    isolated = FmuArchive(path, limits).has_python_code if isolate is None else isolate
    isolation = isolated if isinstance(isolated, Isolation) else Isolation() if isolated else None
    fmu = FmuModel(path, limits, isolation, strict=strict)
    fmu.archive.may_share = share_library
    warn_of_breaches(fmu.archive, fmu.breaches)
    chosen = fmu.interfaces[0] if interface is None else interface
    if chosen not in fmu.interfaces:
        raise UnsupportedError(f"{fmu.path}: it is not for {chosen}, only for {' and '.join(fmu.interfaces)}.")
    return FmuComponentModel(fmu, "model-exchange" if chosen == "model-exchange" else "co-simulation")
