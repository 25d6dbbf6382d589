"""What may be a component of a network, as ComponentModels."""

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Union, cast, get_args

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

    def output(self, time: float, values: object) -> object: ...


Addable = Union[str, os.PathLike[str], "System", "Simulation", Table, Block, ComponentModel]


class _Options(NamedTuple):
    """The arguments of `Network.add` that only some kinds of components take; None: not given."""

    interface: str | None
    limits: FmuLimits | None
    isolate: bool | Isolation | None
    strict: bool | None
    share_library: bool | None
    state: "State | None"
    outputs: Sequence[str] | None


_OF_SYSTEMS = ("state", "outputs")
_OF_FMUS = tuple(each for each in _Options._fields if each not in _OF_SYSTEMS)


class _Kind(NamedTuple):
    """A kind of what may be a component.

    fits   whether an object is of the kind
    takes  names of options
    make   the model of the component
    name   the name of a component for which none is given
    """

    fits: Callable[[Any], bool]
    takes: Collection[str]
    make: Callable[[Any, _Options], ComponentModel]
    name: Callable[[Any], str] = lambda _: ""


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
    kind, options = _kind_of(what), _Options(interface, limits, isolate, strict, share_library, state, outputs)
    if kind is None:
        raise InputError(
            f"Network.add: {what!r} cannot be a component. Give the path of an FMU or of a table, a System, a Simulation, a Table, a "
            "PythonComponent, or an object with inputs, outputs and output(time, values)."
        )
    for name, value in options._asdict().items():
        if value is not None and name not in kind.takes:
            raise InputError(f"Network.add: '{name}' is for {'a System' if name in _OF_SYSTEMS else 'an FMU'}, and {what!r} is none.")
    return kind.make(what, options)


def default_name(what: object) -> str:
    """The name of a component for which none is given: that of a file or a System."""
    kind = _kind_of(what)
    return "" if kind is None else kind.name(what)


def _kind_of(what: object) -> _Kind | None:
    return next((kind for kind in _KINDS if kind.fits(what)), None)


def _is_path(what: object) -> bool:
    return isinstance(what, (str, os.PathLike))


def _is_simulation(what: object) -> bool:
    from mobod.simulate.simulation import Simulation  # loads what Systems need

    return isinstance(what, Simulation)


def _is_system(what: object) -> bool:
    from mobod.system import System

    return isinstance(what, System)


def _of_system(system: "System", options: _Options, simulation: "Simulation | None" = None) -> ComponentModel:
    from mobod.cosim.system_model import SystemModel

    return SystemModel(system, options.state, simulation, options.outputs)


def _of_fmu(path: str | os.PathLike[str], options: _Options) -> ComponentModel:
    strict, shares = bool(options.strict), options.share_library is not False
    return fmu_component(path, options.interface, options.limits, options.isolate, strict=strict, share_library=shares)


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda what: all(hasattr(what, name) for name in names)


def is_table(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a table, by its suffix; else it is that of an FMU."""
    return Path(path).suffix.lower() in SUFFIXES


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


# the first that fits counts
_KINDS = (
    _Kind(lambda what: _is_path(what) and is_table(what), ("limits",), lambda path, _: TableSource(path), lambda path: Path(path).stem),
    _Kind(_is_path, _OF_FMUS, _of_fmu, lambda path: Path(path).stem),
    _Kind(_is_simulation, _OF_SYSTEMS, lambda run, options: _of_system(run.system, options, run), lambda run: str(run.system.name)),
    _Kind(_is_system, _OF_SYSTEMS, _of_system, lambda system: str(system.name)),
    _Kind(lambda what: isinstance(what, Table), (), lambda table, _: TableSource(table)),
    _Kind(_has("variables", "instance"), (), lambda model, _: cast(ComponentModel, model)),
    _Kind(_has("inputs", "outputs", "output"), (), lambda block, _: PythonComponent.of(block)),
)
