"""PythonComponent: a function of inputs, with or without a state, as a component of a network."""

import copy
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from math import factorial
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.cosim.component_model import ComponentCapabilities, SavedComponent
from mobod.cosim.connections.unit_names import unit_named
from mobod.cosim.simple_batch import SimpleBatch
from mobod.cosim.variable import Kind, NetworkVariable, Value, entry_names
from mobod.errors import InputError, MobodError, UnknownNameError, UnsupportedError
from mobod.system.names import check_name

_TYPES: dict[Kind, tuple[str, type]] = {
    "float": ("Float64", float),
    "integer": ("Int32", int),
    "boolean": ("Boolean", bool),
    "string": ("String", str),
}


@final
@dataclass(frozen=True, kw_only=True)
class Signal:
    """An input, output or parameter of a PythonComponent.

    start  at the start, a single value or an array, which also decides the shape
    unit   such as 'N.m'; '' for none
    kind   'float', 'integer', 'boolean' or 'string'
    """

    start: ArrayLike = 0.0
    unit: str = ""
    kind: Kind = "float"

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.start)


Signals = Mapping[str, Signal | str] | Sequence[str]


@final
class PythonComponent:
    """A `ComponentModel` of a function in Python.

        network.add(PythonComponent(lambda t, v: v["gain"] * (v["target"] - v["angle"]), inputs={"angle": "rad"}, outputs={"torque": "N.m"},
                                parameters={"gain": Signal(start=20.0), "target": Signal(start=1.2, unit="rad")}), "controller")

    output      output(time, values) or, with a state, output(time, values, state): the outputs by name, or the only output. `values` has
                inputs and parameters by name
    update      update(time, step, values, state): the state at the end of a step, in which the inputs are held. With an input_order,
                update(time, step, values, state, derivatives): of each input by name its derivatives by time (input_order, ...) at the
                start of the step, to which `values` belong too
    state       at the start: numbers, arrays, texts, lists and dictionaries of them; None: no state
    inputs, outputs, parameters
                Signals or units by name, or names
    is_direct   whether outputs depend directly on inputs
    input_order the highest order of derivatives of inputs that `update` takes, 0 to 2; without a state they are always taken

    Both functions must not store values elsewhere: the state is copied when it is saved. Raises InputError.
    """

    noun = "function"

    def __init__(
        self,
        output: Callable[..., object],
        *,
        update: Callable[..., object] | None = None,
        state: object = None,
        inputs: Signals = (),
        outputs: Signals,
        parameters: Signals = (),
        is_direct: bool = True,
        input_order: int = 0,
    ) -> None:
        if (update is None) != (state is None):
            raise InputError("PythonComponent: give a state and its update together, or none of them.")
        if input_order not in (0, 1, 2) or (input_order and update is None):
            raise InputError(f"PythonComponent: input_order is 0, 1 or 2, and for an update with a state, not {input_order!r}.")
        self.output, self.update, self.state, self.is_direct, self.input_order = output, update, state, is_direct, input_order
        self.origin = f"function {getattr(output, '__qualname__', repr(output))}"
        self.signals: dict[str, tuple[str, Signal]] = {}  # causality and signal by name
        for causality, given in (("input", inputs), ("parameter", parameters), ("output", outputs)):
            for name, signal in _signals(causality, given).items():
                check_name(name, "a variable of a PythonComponent")
                if name in self.signals:
                    raise InputError(f"PythonComponent: two variables are named '{name}'. Rename one.")
                self.signals[name] = causality, signal
        self.variables: dict[str, NetworkVariable] = {}
        self.places: dict[str, tuple[str, int]] = {}
        for name, (causality, signal) in self.signals.items():
            for position, entry in enumerate(entry_names(name, signal.shape) if signal.shape else [name]):
                self.places[entry] = name, position
                self.variables[entry] = _variable(entry, causality, signal, name if signal.shape else None)
        self.recorded = [name for name, (causality, _) in self.signals.items() if causality == "output"]
        self.capabilities = ComponentCapabilities(
            saves_state=True, saves_bytes=True, handles_events="none", input_order=2 if update is None else input_order
        )
        content = json.dumps([[name, causality, each.shape, each.kind] for name, (causality, each) in self.signals.items()])
        self.identity = hashlib.sha256(f"{self.origin} {content}".encode()).hexdigest()

    @classmethod
    def of(cls, block: Any) -> "PythonComponent":
        """The model of an object with the methods and attributes output, inputs, outputs and, if it has them, update, state, parameters,
        is_direct and input_order.
        """
        options = {
            name: getattr(block, name) for name in ("update", "state", "parameters", "is_direct", "input_order") if hasattr(block, name)
        }
        return cls(block.output, inputs=block.inputs, outputs=block.outputs, **options)

    def inputs_of(self, output: str, *, at_start: bool) -> Set[str]:
        return {name for name, each in self.variables.items() if each.causality == "input"} if self.is_direct else set()

    def restructured(self, sizes: Mapping[str, int]) -> "PythonComponent":
        raise InputError(f"{self.origin} has no structural parameters, but {', '.join(sizes)} was given.")

    def instance(self, name: str, *, varies_inputs: bool = False) -> "PythonComponentInstance":
        return PythonComponentInstance(self, name)


@final
class PythonComponentInstance:
    """A `ComponentInstance`."""

    def __init__(self, model: PythonComponent, name: str) -> None:
        self.name = name
        self.time: float | None = None
        self._model = model
        self._state = copy.deepcopy(model.state)
        self._derivatives: dict[str, np.ndarray] = {}  # (order, *shape) of inputs, for the next step
        self._values = {
            name: _array(signal) if signal.shape else _TYPES[signal.kind][1](signal.start)
            for name, (causality, signal) in model.signals.items()
            if causality != "output"
        }

    def set_up(self, start: float, stop: float | None, tolerance: float | None) -> None:
        self.time = start

    def enter_initialization(self) -> None: ...

    def exit_initialization(self) -> None: ...

    def step(self, time: float, step: float) -> None:
        derivatives, self._derivatives = self._derivatives, {}
        if self._model.update is not None:
            more = () if self._model.input_order == 0 else (self._derivatives_of_all(derivatives),)
            self._state = self._called(self._model.update, time, step, self._given(), self._state, *more)
        for name, orders in derivatives.items():
            rise = sum(each * step ** (k + 1) / factorial(k + 1) for k, each in enumerate(orders))
            self._values[name] = self._values[name] + rise
        self.time = time + step

    def input_derivatives(self, names: Sequence[str]) -> "PythonInputDerivatives":
        return PythonInputDerivatives(self, [self._model.places[name] for name in names])

    def set_derivatives(self, places: Sequence[tuple[str, int]], derivatives: np.ndarray) -> None:
        """Set derivatives (order, n) of inputs, each with the position of its entry, for the next step."""
        for (name, position), orders in zip(places, derivatives.T, strict=True):
            shape = self._model.signals[name][1].shape
            if name not in self._derivatives or len(self._derivatives[name]) != len(orders):
                self._derivatives[name] = np.zeros((len(orders), *shape))
            self._derivatives[name].reshape(len(orders), -1)[:, position] = orders

    def batch(self, names: Iterable[str]) -> SimpleBatch:
        names = list(names)
        for name in names:
            UnknownNameError.check(f"variable of '{self.name}'", name, self._model.places)
        return SimpleBatch(self.name, names, self._read, self._write, lambda: self.time)

    def set(self, values: Mapping[str, Value]) -> None:
        self.batch(values).set(list(values.values()))

    def check_can_save(self, *, as_bytes: bool = False) -> None:
        if as_bytes:
            self.save().to_bytes()

    def save(self) -> "SavedPython":
        return SavedPython(self, self.time, copy.deepcopy(self._values), copy.deepcopy(self._state))

    def saved(self, data: bytes, time: float) -> "SavedPython":
        known = json.loads(data, object_hook=_decoded)
        return SavedPython(self, time, known["values"], known["state"])

    def restore(self, time: float | None, values: Mapping[str, object], state: object) -> None:
        self._derivatives = {}
        self.time, self._values, self._state = time, copy.deepcopy(dict(values)), copy.deepcopy(state)

    def directional_derivative(self, unknowns: Sequence[str], knowns: Sequence[str], change: Sequence[float]) -> list[float]:
        raise UnsupportedError(f"component '{self.name}': a function in Python has no directional derivatives.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def _read(self, names: Sequence[str]) -> list[Value]:
        outputs: Mapping[str, object] = {}
        places = [self._model.places[name] for name in names]
        if any(self._model.signals[name][0] == "output" for name, _ in places):
            outputs = self._outputs()
        found = []
        for name, position in places:
            convert = _TYPES[self._model.signals[name][1].kind][1]
            found.append(convert(np.ravel(np.asarray(outputs[name] if name in outputs else self._values[name]))[position]))
        return found

    def _outputs(self) -> Mapping[str, object]:
        model = self._model
        arguments = () if model.state is None else (self._state,)
        result = self._called(model.output, self.time, self._given(), *arguments)
        if not isinstance(result, Mapping):
            result = {model.recorded[0]: result}
        for name in model.recorded:
            shape = model.signals[name][1].shape
            if name not in result or np.size(result[name]) != math.prod(shape):
                what = f"no '{name}'" if name not in result else f"'{name}' with {np.size(result[name])} numbers"
                raise MobodError(
                    f"component '{self.name}': {model.origin} returned {what}. Return a dictionary of the outputs in their shapes: "
                    f"{', '.join(model.recorded)}."
                )
        return result

    def _write(self, name: str, value: Value) -> None:
        signal, position = self._model.places[name]
        if self._model.signals[signal][1].shape:
            self._values[signal].reshape(-1)[position] = value
        else:
            self._values[signal] = value

    def _given(self) -> dict[str, object]:
        """The inputs and parameters; the function may keep or change the arrays."""
        return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in self._values.items()}

    def _derivatives_of_all(self, known: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The derivatives of all real inputs: those that are not known are 0."""
        found = {}
        for name, (causality, signal) in self._model.signals.items():
            if causality == "input" and signal.kind == "float":
                found[name] = np.zeros((self._model.input_order, *signal.shape))
                if name in known:
                    found[name][: len(known[name])] = known[name]
        return found

    def _called(self, function: Callable[..., Any], *arguments: object) -> Any:
        try:
            return function(*arguments)
        except Exception as error:  # a user's function may raise anything
            raise MobodError(f"component '{self.name}': {self._model.origin} at {arguments[0]:.12g} s raised {error!r}.") from error


@final
class PythonInputDerivatives:
    """Derivatives of inputs of a PythonComponentInstance."""

    def __init__(self, instance: PythonComponentInstance, places: Sequence[tuple[str, int]]) -> None:
        self._instance, self._places = instance, places

    def set(self, derivatives: np.ndarray) -> None:
        self._instance.set_derivatives(self._places, derivatives)


@final
class SavedPython(SavedComponent):
    """A state of a PythonComponentInstance."""

    def __init__(self, instance: PythonComponentInstance, time: float | None, values: Mapping[str, object], state: object) -> None:
        self._instance, self._time, self._values, self._state = instance, time, values, state

    def restore(self) -> None:
        self._instance.restore(self._time, self._values, self._state)

    def to_bytes(self) -> bytes:
        """Raises UnsupportedError for a state of other objects than numbers, arrays, texts, lists and dictionaries."""
        try:
            return json.dumps({"values": self._values, "state": self._state}, default=_encoded).encode()
        except TypeError as error:
            raise UnsupportedError(
                f"component '{self._instance.name}': its state cannot be saved as bytes: {error}. Use numbers, arrays, texts, lists and "
                "dictionaries."
            ) from None


def _signals(causality: str, given: Signals) -> dict[str, Signal]:
    if isinstance(given, str):
        raise InputError(f"PythonComponent: {causality}s is a list or a dictionary of names. Write {causality}s=['{given}'].")
    if not isinstance(given, Mapping):
        return {name: Signal() for name in given}
    return {name: Signal(unit=each) if isinstance(each, str) else each for name, each in given.items()}


def _variable(name: str, causality: str, signal: Signal, array: str | None) -> NetworkVariable:
    variability = "tunable" if causality == "parameter" else "continuous" if signal.kind == "float" else "discrete"
    return NetworkVariable(
        name=name,
        kind=signal.kind,
        type=_TYPES[signal.kind][0],
        causality=causality,
        variability=variability,
        initial="exact" if causality == "parameter" else None,
        unit=unit_named(signal.unit),
        array=array,
        key=name,
    )


def _array(signal: Signal) -> np.ndarray:
    return np.array(signal.start, dtype=_TYPES[signal.kind][1])


def _encoded(value: object) -> object:
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return {"__array__": value.tolist(), "dtype": value.dtype.str}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not one of the kinds of data that can be stored")


def _decoded(entry: dict[str, Any]) -> object:
    return np.array(entry["__array__"], dtype=entry["dtype"]) if "__array__" in entry else entry
