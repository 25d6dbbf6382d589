"""JaxModel: a System as pure functions of JAX."""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import final, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.typing import ArrayLike

from mobod.compilation.calls.liveness import live_sweeps
from mobod.compilation.source.model_source import generate
from mobod.compilation.source.scales import y_scales
from mobod.errors import InputError, UnknownNameError
from mobod.jax.call_line import CallLine
from mobod.jax.closed_loops import check_inputs, check_outputs, row_table
from mobod.jax.compiler_options import compiler_options
from mobod.jax.known_numbers import KnownNumbers
from mobod.jax.parameters import JaxParameter, parameters_of
from mobod.jax.projection import Projection
from mobod.jax.steps import Integrator, normalized, rk4, semi_implicit_euler
from mobod.scalar.slot import Slot
from mobod.system import CatalogueVariable, State, System

Parameters = Mapping[str, ArrayLike]


@final
class JaxModel:
    """A System as functions of JAX. Each is pure: it can be compiled, mapped over members and differentiated (jit, vmap, grad, jacfwd).

        model = mb.to_jax(system, state, inputs=["motor.force"], outputs=["lower.p_GB"])
        y = model.step(0.0, model.y0, model.parameters, [1.5], step=1e-3)

    y           (n_y,) [q, u, z], in the order and the units of State.y
    parameters  numbers by the names of real parameters; those that are left out are `model.parameters`. Gradients reach all of them,
                masses and frames too
    inputs      (n_inputs,) the numbers of the inputs, one after the other; None: those of the State
    t           s

    name, dtype
    y0              (n_y,) of the State
    parameters      every real parameter by its name, with the values of the State
    input_names, output_names
                    in their order
    compiler_options
                    of XLA, for jax.jit: jax.jit(f, compiler_options=model.compiler_options). On a processor, large trees need them
    """

    def __init__(self, system: System, state: State, inputs: Sequence[str], outputs: Sequence[str], dtype: str):
        self.name, self.dtype = system.name, np.dtype(dtype)
        self.input_names, self.output_names = tuple(inputs), tuple(outputs)
        generated = generate(system, state)
        catalogue = {each.name: each for each in generated.variables}
        self._inputs = [_known(catalogue, name, ("input", "parameter"), "to_jax: input") for name in inputs]
        self._outputs = [_known(catalogue, name, (), "to_jax: output") for name in outputs]
        self._parameters = {name: each for name, each in parameters_of(system, generated).items() if name not in self.input_names}
        layout = self._layout = generated.layout
        self._start, self._n_q = generated.start, layout.n_q
        self._quaternions = [first - layout.y.offset for first in layout.quaternions]
        self._sweeps = generated.sweeps
        self._rows = row_table(system, layout)
        check_inputs(self._rows, self._inputs)
        check_outputs(system, state, self._rows, self._sweeps, self._outputs)
        self._scales = y_scales(system, state, generated.scales)
        rates = CallLine(live_sweeps(self._sweeps, [layout.y_dot]))
        self._known_motion = sorted(rates.written() & set(layout.y.offsets))
        self._rates = CallLine(live_sweeps(self._sweeps, [layout.y_dot, layout.y])) if self._known_motion else rates

    def __repr__(self) -> str:
        return f"<JaxModel of System '{self.name}', {self.y0.size} states, {len(self._parameters)} parameters, {self.dtype}>"

    @cached_property
    def y0(self) -> Array:
        return self._array(self._start[self._layout.y.slice])

    @cached_property
    def parameters(self) -> dict[str, Array]:
        return {name: self._array(self._start[each.slot.slice].reshape(each.slot.shape)) for name, each in self._parameters.items()}

    @cached_property
    def inputs0(self) -> Array:
        """(n_inputs,) the inputs of the State."""
        numbers = [self._start[each.slot.slice] for each in self._inputs]
        return self._array(np.concatenate(numbers) if numbers else np.zeros(0))

    @property
    def compiler_options(self) -> dict[str, str | bool]:
        """Options of XLA with which functions of this model compile fast on the default device of JAX; empty on accelerators."""
        return compiler_options()

    def _array(self, numbers: np.ndarray) -> Array:
        """Numbers that stay: also if JAX traces when they are first read."""
        with jax.ensure_compile_time_eval():
            return jnp.asarray(numbers, self.dtype)

    # functions
    def rates(self, t: ArrayLike, y: ArrayLike, parameters: Parameters | None = None, inputs: ArrayLike | None = None) -> Array:
        """(n_y,) the time derivatives of y."""
        numbers = self._numbers(t, y, parameters, inputs)
        self._rates.run(numbers)
        return numbers.array(self._layout.y_dot)

    def outputs(
        self, t: ArrayLike, y: ArrayLike, parameters: Parameters | None = None, inputs: ArrayLike | None = None
    ) -> dict[str, Array]:
        """The outputs by their names, in their shapes."""
        numbers = self._numbers(t, y, parameters, inputs)
        self._line_of_outputs.run(numbers)
        return {each.name: numbers.array(each.slot) for each in self._outputs}

    def step(
        self,
        t: ArrayLike,
        y: ArrayLike,
        parameters: Parameters | None = None,
        inputs: ArrayLike | None = None,
        *,
        step: ArrayLike,
        integrator: Integrator = "RK4",
        project: bool = False,
    ) -> Array:
        """(n_y,) y after one step.

        step        s
        integrator  'RK4' or 'SemiImplicitEuler', with the formulas of the runtime; quaternions are normalized after the step
        project     whether coordinates and speeds are then projected onto closed loops, which they leave by the error of a step otherwise.
                    A start must satisfy the constraints (mb.Assembler)
        """
        if integrator not in get_args(Integrator):
            raise InputError(f"to_jax: there is no integrator {integrator!r}. There are: {', '.join(get_args(Integrator))}.")
        y = jnp.asarray(y, self.dtype)

        def rates_at(time: ArrayLike, at: Array) -> Array:
            return self.rates(time, at, parameters, inputs)

        # a gradient computes the rates again instead of keeping all numbers of all steps. Decision: docs/decisions/203-reverse-mode.md
        rates = jax.checkpoint(rates_at)
        done = rk4(rates, t, y, step) if integrator == "RK4" else semi_implicit_euler(rates, t, y, step, self._n_q)
        done = self._settled(t + step, normalized(done, self._quaternions), parameters, inputs)
        if not project or self._projection is None:
            return done
        projected: Array = jax.checkpoint(partial(self._projection, lambda y: self._numbers(t + step, y, parameters, inputs)))(done)
        return projected

    def rollout(
        self,
        y0: ArrayLike,
        parameters: Parameters | None = None,
        inputs: ArrayLike | None = None,
        *,
        step: ArrayLike,
        steps: int,
        integrator: Integrator = "RK4",
        project: bool = False,
        t0: ArrayLike = 0.0,
    ) -> Array:
        """(steps + 1, n_y) y at the start and after each step.

        inputs  (n_inputs,) constant, or (steps, n_inputs), those of each step
        t0      s, the time of the start
        """
        _check_count(steps)
        y0, held = jnp.asarray(y0, self.dtype), self.inputs0 if inputs is None else jnp.asarray(inputs, self.dtype)
        if held.ndim == 2 and held.shape[0] != steps:
            raise InputError(f"JaxModel.rollout: inputs have {held.shape[0]} rows. One for each of the {steps} steps is needed.")

        def after(y: Array, number_and_inputs: tuple[Array, Array | None]) -> tuple[Array, Array]:
            number, own = number_and_inputs
            time, now = t0 + number * step, held if own is None else own
            y = self.step(time, y, parameters, now, step=step, integrator=integrator, project=project)
            return y, y

        _, found = lax.scan(after, y0, (jnp.arange(steps, dtype=self.dtype), held if held.ndim == 2 else None), length=steps)
        return jnp.concatenate([y0[None], found])

    def vector_field(self, t: ArrayLike, y: ArrayLike, args: tuple[Parameters | None, ArrayLike | None] | None = None) -> Array:
        """The rates in the form of a term of diffrax: ODETerm(model.vector_field), with args=(parameters, inputs)."""
        parameters, inputs = (None, None) if args is None else args
        return self.rates(t, y, parameters, inputs)

    # internal
    @cached_property
    def _projection(self) -> Projection | None:
        """None: there are no closed loops."""
        if self._rows is None:
            return None
        first = self._rows.u.offset - self._layout.y.offset
        scales = self._scales[first : first + self._rows.u.size]
        return Projection(self._rows, self._layout, self._sweeps, KnownNumbers({}, self._start, self.dtype), scales)

    @cached_property
    def _line_of_outputs(self) -> CallLine:
        return CallLine(live_sweeps(self._sweeps, [each.slot for each in self._outputs]))

    @cached_property
    def _line_of_known_motion(self) -> CallLine:
        return CallLine(live_sweeps(self._sweeps, self._known_motion))

    def _settled(self, t: ArrayLike, y: Array, parameters: Parameters | None, inputs: ArrayLike | None) -> Array:
        """y whose known coordinates and speeds are those of the time."""
        if not self._known_motion:
            return y
        numbers = self._numbers(t, y, parameters, inputs)
        self._line_of_known_motion.run(numbers)
        at = np.array(self._known_motion) - self._layout.y.offset
        return y.at[at].set(numbers.stacked(self._known_motion))

    def _numbers(self, t: ArrayLike, y: ArrayLike, parameters: Parameters | None, inputs: ArrayLike | None) -> KnownNumbers:
        """All given numbers by their offsets."""
        y = jnp.asarray(y, self.dtype)
        if y.shape != (self._layout.n_y,):
            raise InputError(f"JaxModel: y has shape {y.shape}. It is ({self._layout.n_y},); use jax.vmap for many members.")
        given: dict[int, Array] = {self._layout.time.offset: jnp.asarray(t, self.dtype)}
        given.update(zip(self._layout.y.offsets, y, strict=True))
        for name, value in (parameters or {}).items():
            if name not in self._parameters:
                raise UnknownNameError(f"real parameter of System '{self.name}'", name, self._parameters)
            parameter = self._parameters[name]
            array = jnp.asarray(value, self.dtype)
            self._put(given, name, parameter.slot, array)
            self._check_fixed(parameter, array)
        if inputs is not None:
            held = jnp.asarray(inputs, self.dtype)
            if held.shape != self.inputs0.shape:
                of = ", ".join(self.input_names) or "none"
                raise InputError(f"JaxModel: inputs have shape {held.shape}. They are {self.inputs0.shape}: the numbers of {of}.")
            first = 0
            for each in self._inputs:
                self._put(given, each.name, each.slot, held[first : first + each.slot.size].reshape(each.slot.shape))
                first += each.slot.size
        return KnownNumbers(given, self._start, self.dtype)

    def _put(self, given: dict[int, Array], name: str, slot: Slot, value: Array) -> None:
        if value.shape != slot.shape:
            raise InputError(f"JaxModel: '{name}' has shape {slot.shape}, but a value of shape {value.shape} was given.")
        given.update(zip(slot.offsets, value.ravel(), strict=True))

    def _check_fixed(self, parameter: JaxParameter, value: Array) -> None:
        """Raises InputError for another value of a fixed entry, where values are known: not while JAX traces."""
        if parameter.fixed and not isinstance(value, jax.core.Tracer):
            given = np.asarray(value).ravel()
            for k, fixed in parameter.fixed.items():
                if given[k] != self.dtype.type(fixed):
                    raise InputError(
                        f"JaxModel: entry {k + 1} of '{parameter.name}' is fixed at {fixed:g}, and cannot become {given[k]:g}. Entries "
                        "that are zero when a body is made are left out of the computation. Make the body with another value."
                    )


def _check_count(steps: object) -> None:
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 0:
        raise InputError(f"JaxModel.rollout: steps is a whole number from 0 on, not {steps!r}.")


def _known(catalogue: Mapping[str, CatalogueVariable], name: object, roles: tuple[str, ...], thing: str) -> CatalogueVariable:
    found = catalogue.get(name) if isinstance(name, str) else None
    if found is None or (roles and found.role not in roles):
        raise UnknownNameError(thing, name, [each.name for each in catalogue.values() if not roles or each.role in roles])
    return found
