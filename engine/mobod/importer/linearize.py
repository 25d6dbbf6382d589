"""linearize_fmu: the matrices A, B, C and D of an FMU for model exchange."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_number, real_numbers
from mobod.c_calls import interrupts_between_calls
from mobod.errors import FmuError, InputError, UnknownNameError, UnsupportedError
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmi.read_description import warn_of_breaches
from mobod.importer.exchange_equations import FmuEquations
from mobod.importer.fmu_model import FmuModel
from mobod.importer.instance import FmuInstance
from mobod.importer.start_values import StartValues
from mobod.importer.variable import ForeignVariable
from mobod.linear.linear_system import LinearSystem

_STEP = float(np.cbrt(np.finfo(float).eps))  # of central differences, relative to the size of the variable


def linearize_fmu(
    path: str | os.PathLike[str],
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    *,
    start: Mapping[str, ArrayLike] | None = None,
    states: Mapping[str, ArrayLike] | None = None,
    time: float | None = None,
    limits: FmuLimits | None = None,
    strict: bool = False,
) -> LinearSystem:
    """The matrices of dx/dt = A x + B u + rates, y = C x + D u of an FMU for model exchange, FMI 2.0 or 3.0, from any tool.

    inputs   names of continuous inputs; default: all
    outputs  names of continuous outputs; default: all
    start    values of parameters, inputs and initial conditions by name, set before initialization
    states   values of continuous states or their elements by name, set after it; all others keep their initial values
    time     s; default: the start of the FMU's default experiment

    strict   whether an FMU is refused whose modelDescription.xml breaks rules of FMI; default: it is read, with a MobodWarning

    By the FMU's directional derivatives. If it has none, by central differences: `by_differences` of the result is then True.

    The states are all continuous states of the FMU. If they are restricted, such as the coordinates of a closed loop, only combinations
    of columns of A are possible motions; System.linearize has independent states.

    Raises UnsupportedError for an FMU without model exchange, or of FMI 1.0; UnknownNameError, InputError, FmuFileError; FmuError with the
    FMU's own messages.
    """
    model = FmuModel(path, limits, strict=strict)
    warn_of_breaches(model.archive, model.breaches)
    if "model-exchange" not in model.interfaces:
        raise UnsupportedError(f"{model.path}: it is for co-simulation only, which does not show its states. Export it for model exchange.")
    if not model.version.names_states:
        raise UnsupportedError(f"{model.path}: FMI 1.0 does not say which variables are the states. Export the model by FMI 2.0 or 3.0.")
    values = StartValues(model)
    for name, value in (start or {}).items():
        values.set(name, ",".join(repr(each) for each in np.ravel(np.asarray(value)).tolist()))
    of_inputs = _continuous(model, inputs, "input")
    of_outputs = _continuous(model, outputs, "output")
    declared = model.default_experiment()
    begin = real_number(time, "linearize_fmu: the time") if time is not None else declared["start"] or 0.0
    with interrupts_between_calls(), FmuInstance(model, "model-exchange") as instance:
        instance.initialize(begin, max(begin + 1.0, declared["stop"] or 0.0), declared["tolerance"] or None, values.values)
        equations = _Equations(instance, begin, of_inputs, of_outputs)
        equations.move_to(_with_values(model, equations, states or {}))
        return equations.linear_system()


@final
class _Equations:
    """An instance in continuous-time mode: states x and inputs u to derivatives and outputs, each as numbers in a row."""

    def __init__(self, instance: FmuInstance, time: float, inputs: Sequence[ForeignVariable], outputs: Sequence[ForeignVariable]) -> None:
        self.instance, model = instance, instance.model
        self._exchange, self._time = FmuEquations(instance, None, time), time
        if self._exchange.has_ended:
            raise instance.failure("the initialization", "ends the simulation, so there is nothing to linearize")
        self.states, self.inputs, self.outputs = model.states, list(inputs), list(outputs)
        rates = [each.variable.name for each in model.description.derivatives if each.variable is not None]
        self._unknowns = [*(model.variable(name) for name in rates), *outputs]
        self._input_values, self._output_values = instance.values(self.inputs), instance.values(self.outputs)
        n = self._exchange.n_states
        if sum(instance.size(each) for each in self.states) != n:
            raise FmuError(f"{model.path}: it has {n} continuous states, but names {len(self.states)} of them. Ask the exporting tool.")
        self.x = self._exchange.states()

    def u(self) -> np.ndarray:
        return np.array(self._input_values.get_elements(), dtype=float)

    def move_to(self, x: np.ndarray) -> None:
        self.x = x
        self._exchange.move(self._time, x)

    def linear_system(self) -> LinearSystem:
        instance, n = self.instance, len(self.x)
        rates = self._values()[:n]
        has_derivatives = instance.model.can("model-exchange", "providesDirectionalDerivative")
        M = self._directional() if has_derivatives else self._differences()
        names = [tuple(name for each in group for name in self.entries_of(each)) for group in (self.states, self.inputs, self.outputs)]
        units = [tuple(each.unit for each in group for _ in self.entries_of(each)) for group in (self.states, self.inputs, self.outputs)]
        return LinearSystem(
            A=M[:n, :n],
            B=M[:n, n:],
            C=M[n:, :n],
            D=M[n:, n:],
            states=names[0],
            inputs=names[1],
            outputs=names[2],
            state_units=units[0],
            input_units=units[1],
            output_units=units[2],
            rates=rates,
            by_differences=not has_derivatives,
        )

    def _values(self) -> np.ndarray:
        """The derivatives, then the outputs."""
        rates = self._exchange.rates(self._time, self.x)
        return np.array([*rates, *self._output_values.get_elements()], dtype=float)

    def _directional(self) -> np.ndarray:
        """A column for each number of the states and inputs, by the FMU's derivatives."""
        columns = [
            self.instance.directional_derivative(self._unknowns, [variable], seed)
            for variable in (*self.states, *self.inputs)
            for seed in np.eye(self.instance.size(variable)).tolist()
        ]
        return np.array(columns).reshape(-1, sum(self.instance.size(each) for each in self._unknowns)).T

    def _differences(self) -> np.ndarray:
        """The same columns by central differences."""
        x, u = self.x, self.u()
        columns = [*self._columns(x, self._exchange.nominals(), self.move_to), *self._columns(u, np.ones(len(u)), self._set_inputs)]
        return np.array(columns).reshape(len(x) + len(u), -1).T

    def _columns(self, at: np.ndarray, sizes: np.ndarray, move_to: Callable[[np.ndarray], None]) -> list[np.ndarray]:
        columns = []
        for i, size in enumerate(sizes):
            step = _STEP * max(abs(at[i]), size)
            values = []
            for sign in (1, -1):
                shifted = at.copy()
                shifted[i] += sign * step
                move_to(shifted)
                values.append(self._values())
            columns.append((values[0] - values[1]) / (2 * step))
        move_to(at)
        return columns

    def _set_inputs(self, u: np.ndarray) -> None:
        self._input_values.set_elements(u.tolist())

    def entries_of(self, variable: ForeignVariable) -> list[str]:
        """The names of its elements."""
        return [f"{variable.name}[{i + 1}]" for i in range(self.instance.size(variable))] if variable.is_array else [variable.name]


def _continuous(model: FmuModel, names: Sequence[str] | None, causality: str) -> list[ForeignVariable]:
    """The continuous variables of a causality, or those with these names."""
    if isinstance(names, str):
        raise InputError(f"{causality}s is a list of names. Write {causality}s=['{names}'].")
    if names is None:
        return [each for each in model.with_causality(causality) if each.is_continuous and each.description.alias is None]
    found = [model.variable(name) for name in names]
    for variable in found:
        if variable.causality != causality or not variable.is_continuous:
            raise InputError(
                f"{causality}s: '{variable}' has causality {variable.causality} and variability {variable.variability}. Name continuous "
                f"{causality}s."
            )
    return found


def _with_values(model: FmuModel, equations: _Equations, given: Mapping[str, ArrayLike]) -> np.ndarray:
    """The states with these values."""
    x, first = equations.x.copy(), 0
    places = {}
    for state in equations.states:
        size = equations.instance.size(state)
        places[state.name] = slice(first, first + size)
        places |= {name: slice(first + i, first + i + 1) for i, name in enumerate(equations.entries_of(state))}
        first += size
    for name, value in given.items():
        UnknownNameError.check(f"continuous state of {model.path.name}", name, places)
        numbers = real_numbers(value, f"the state '{name}'").ravel()
        if numbers.size != x[places[name]].size:
            raise InputError(f"the state '{name}' has {x[places[name]].size} numbers, but was given {numbers.size}.")
        x[places[name]] = numbers
    return x
