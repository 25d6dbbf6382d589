"""A System as bytes for another process: installed code by reference, the user's own code by value."""

# Decision: docs/decisions/090-python-fmu-pickle.md

import copyreg
import io
import pickle
import re
import site
import sys
import sysconfig
from abc import ABCMeta
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, singledispatchmethod
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions, version
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Self, final

import cloudpickle

from mobod.errors import UnsupportedError
from mobod.system import EventReporter, State, System
from mobod.system.events.handlers import Cause
from mobod.system.named_arguments import NamedArguments

_TRACKER = re.compile(r"[0-9a-f]{32}")


@final
@dataclass(frozen=True)
class PickledSystem:
    """A pickled System with a State, and the requirements for unpickling it.

    packages    name of a distribution -> its version, for packages that the user's elements import
    holds_code  whether it contains the user's code, which requires the same version of Python
    """

    data: bytes
    packages: dict[str, str]
    holds_code: bool


def pickle_system(system: System, state: State, use: str = "exported to a Python FMU") -> PickledSystem:
    """Pickle a System and a State. The same System and State give the same bytes.

    use  what the bytes are for, in an error: "it cannot be ..."

    Reporters of events are omitted: their allocated variables stay, their code does not.
    Installed modules (mobod, NumPy, ...) are referred to. Classes, functions and data of other modules, including the running script, are
    included as they are now, so the receiver does not need their files.
    Raises UnsupportedError, with the path to it, for an object that cannot be pickled.
    """
    with _own_modules_by_value():
        pickler, stream = _Pickler.on_new_stream()
        try:
            pickler.dump((system, state.snapshot()))
        except Exception as error:  # an object's own pickling may raise anything
            where, why = _culprit((system, state.snapshot()), "its State", set()) or ("it", f"{type(error).__name__}: {error}.")
            raise UnsupportedError(
                f"System '{system.name}' cannot be {use}: {where} cannot be pickled. {why} Do not store objects that "
                "belong to this process (open files, locks, connections) in elements; open them on first use, or give the class __reduce__."
            ) from error
    return PickledSystem(stream.getvalue(), pickler.packages(), pickler.holds_code)


def unpickle_system(data: bytes) -> tuple[System, State]:
    """An independent System, with its own copies of the user's classes, and the State, realized to MODEL."""
    system, snapshot = pickle.loads(data)
    return system, State.of_snapshot(system, snapshot)


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc] # has no types
    """cloudpickle's pickler, without data of the machine or the process in its bytes."""

    @classmethod
    def on_new_stream(cls) -> tuple[Self, io.BytesIO]:
        stream = io.BytesIO()
        return cls(stream, protocol=5), stream

    def __init__(self, stream: io.BytesIO, protocol: int):
        super().__init__(stream, protocol=protocol)
        self.globals_ref = _NamelessGlobals()
        self.holds_code = False
        self._referred: set[str] = set()

    def reducer_override(self, obj: object) -> object:
        if _is_plain_of_users_class(obj) and not isinstance(obj, EventReporter):
            # a function of the class may refer to the object, which is then made before the class is complete
            reduced = obj.__reduce_ex__(5)
            assert isinstance(reduced, tuple)
            make, arguments, *more = reduced
            return _bare if make is copyreg.__newobj__ else make, arguments, *more  # type: ignore[attr-defined] # has no types
        return self._reduced(obj)

    @singledispatchmethod
    def _reduced(self, obj: object) -> object:
        """By the type of the object."""
        return super().reducer_override(obj)

    @_reduced.register
    def _of_reporter(self, reporter: EventReporter) -> object:
        return object.__new__, (_LeftOut,), {name: getattr(reporter, name) for name in _KEPT_OF_REPORTERS}

    @_reduced.register
    def _of_code(self, code: CodeType) -> object:
        self.holds_code = True
        consts = tuple(_Sorted(each) if isinstance(each, frozenset) else each for each in code.co_consts)
        return self.dispatch_table[CodeType](code.replace(co_filename=Path(code.co_filename).name, co_consts=consts))

    @_reduced.register
    def _of_class(self, cls: type) -> object:
        reduced = self._noted(cls, str(cls.__module__))
        if not isinstance(reduced, tuple):
            return reduced
        # cloudpickle gives each class a random id, so that all unpicklings share one class; leave it out
        arguments = tuple(None if isinstance(each, str) and _TRACKER.fullmatch(each) else each for each in reduced[1])
        return (reduced[0], arguments, *reduced[2:])

    @_reduced.register
    def _of_function(self, function: FunctionType) -> object:
        return self._noted(function, str(function.__module__))

    @_reduced.register
    def _of_module(self, module: ModuleType) -> object:
        return self._noted(module, module.__name__)

    def _noted(self, obj: object, module: str) -> object:
        """Note the package of a module to which the bytes may refer."""
        self._referred.add(module.partition(".")[0])
        return super().reducer_override(obj)

    def packages(self) -> dict[str, str]:
        """The distributions that the pickled objects refer to, except mobod."""
        modules = self._referred - sys.stdlib_module_names - {"mobod", "__main__"}
        names = {name for module in modules for name in _distributions(module)}
        return {name: version(name) for name in sorted(names, key=str.lower)}


def _distributions(module: str) -> list[str]:
    try:
        return [distribution(module).name]  # usually named like the module; searching all distributions takes a second
    except PackageNotFoundError:
        folders = tuple((folder, Path(folder).stat().st_mtime_ns) for folder in sys.path if Path(folder).exists())
        return list(_distributions_by_module(folders).get(module, ()))


@lru_cache(maxsize=1)
def _distributions_by_module(_folders: tuple[tuple[str, int], ...]) -> Mapping[str, Sequence[str]]:
    """packages_distributions() for folders with their times of change, cached."""
    return packages_distributions()


_KEPT_OF_REPORTERS = ("system", "subsystem", "stage", "index", "name", "_is_disabled_by_default", "_variables", "_handles")


@final
class _LeftOut(EventReporter):
    """Replaces a reporter."""

    cause = Cause.TERMINATION
    recordable = False

    def handle_event(self, state: State) -> None:
        """Do nothing."""


def _is_plain_of_users_class(obj: object) -> bool:
    """Whether the object is an instance of an included subclass of an abstract class, and is pickled in the default way."""
    cls: Any = type(obj)
    is_plain = cls.__reduce__ is object.__reduce__ and cls.__reduce_ex__ is object.__reduce_ex__
    # NamedArguments.__new__ checks arguments, and a copy has none
    is_plain = is_plain and cls.__new__ in (object.__new__, NamedArguments.__new__)
    return isinstance(cls, ABCMeta) and is_plain and cls.__module__.partition(".")[0] != "mobod"


def _bare(cls: type[Any]) -> Any:
    """An object of a class without attributes, even if the class still lacks methods and so counts as abstract."""
    missing = cls.__abstractmethods__
    cls.__abstractmethods__ = frozenset()
    try:
        return object.__new__(cls)
    finally:
        cls.__abstractmethods__ = missing


class _NamelessGlobals(dict[int, dict[str, Any]]):
    """The namespaces of included functions, without the names and paths of modules that cloudpickle adds."""

    def setdefault(self, key: int, default: object = None) -> dict[str, Any]:
        return super().setdefault(key, {"__name__": "carried_by_mobod"})


class _Sorted(frozenset[object]):
    """A set that is pickled in an order that is the same in all processes."""

    def __reduce__(self) -> tuple[object, ...]:
        return frozenset, (sorted(self, key=repr),)


@contextmanager
def _own_modules_by_value() -> Iterator[None]:
    """Context in which cloudpickle includes the code of modules that are not installed."""
    before = set(cloudpickle.list_registry_pickle_by_value())
    own = [module for name, module in sorted(sys.modules.items()) if name not in before and _is_own(name, module)]
    for module in own:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in own:
            cloudpickle.unregister_pickle_by_value(module)


def _is_own(name: str, module: object) -> bool:
    """Whether a module is the user's: it has a file that is not installed."""
    if name == "__main__" or name.partition(".")[0] == "mobod" or not isinstance(module, ModuleType) or module.__name__ != name:
        return False  # cloudpickle includes the code of the running script anyway
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and not _is_installed(file)


@cache
def _is_installed(file: str) -> bool:
    return any(Path(file).resolve().is_relative_to(folder) for folder in _installed())


@cache
def _installed() -> set[Path]:
    """The folders of Python and of installed packages."""
    paths = sysconfig.get_paths()
    folders = {paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders |= {*site.getsitepackages(), site.getusersitepackages()}
    return {Path(folder).resolve() for folder in folders}


class _Probe(_Pickler):
    """Pickles an object without certain other objects."""

    def __init__(self, stream: io.BytesIO, protocol: int):
        super().__init__(stream, protocol)
        self.left_out: set[int] = set()

    def persistent_id(self, obj: object) -> int | None:
        return id(obj) if id(obj) in self.left_out else None


def _culprit(obj: object, way: str, seen: set[int]) -> tuple[str, str] | None:
    """(path to the innermost object that cannot be pickled, reason), or None if everything can. seen: ids of objects checked before."""
    probe, _ = _Probe.on_new_stream()
    probe.left_out = set(seen)
    try:
        probe.dump(obj)
    except Exception as error:  # see pickle_system
        why = f"{type(error).__name__}: {error}."
    else:
        return None
    seen.add(id(obj))
    for name, part in _parts(obj):
        if id(part) not in seen:
            owner = getattr(part, "__dict__", {}).get("name")
            label = f"{type(part).__name__} '{owner}'" if isinstance(owner, str) else f"{name} of {way}"
            if found := _culprit(part, label, seen):
                return found
    return way, why


def _parts(obj: object) -> Iterator[tuple[str, object]]:
    if isinstance(obj, dict):
        yield from ((f"entry {key!r}", value) for key, value in obj.items())
    elif isinstance(obj, (list, tuple, set, frozenset)):
        yield from ((f"entry {i}", value) for i, value in enumerate(obj))
    else:
        state = getattr(obj, "__getstate__", lambda: None)()
        if isinstance(state, dict):
            yield from ((f"attribute '{name}'", value) for name, value in state.items())
