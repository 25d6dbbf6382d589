"""What a sweep does of a CustomForce that says `recordable = False`: it calls it with a State of plain numbers."""

# Decision: docs/decisions/038-unrecorded-forces.md

from collections.abc import Callable
from typing import Any, Protocol, final

import numpy as np

from mobod.errors import ElementError, StageError
from mobod.matter.dynamics.tree import Tree
from mobod.matter.tree.rigid_motion import forces_about
from mobod.scalar import Array, Scalar, Slot
from mobod.scalar.procedure import PythonProcedure
from mobod.system import DiscreteVariable, Layout, Stage, State
from mobod.system.state.bounded_state import BoundedState
from mobod.system.state.reading import Reader


class PlainForce(Protocol):
    """A force whose methods take plain numbers; see CustomForce."""

    def about(self, method: str) -> str: ...

    def is_disabled(self, state: State) -> bool: ...

    def calc_force(self, state: State, body_forces: Array, mobility_forces: Array) -> None: ...

    def check_returned(self, given: object) -> None: ...


@final
class UnrecordedForce(PythonProcedure):
    """Adds what calc_force gives to the sums of forces, in floats."""

    def __init__(self, force: PlainForce, tree: Tree, layout: Layout, reader: Reader, on_bodies: Slot, on_mobilities: Slot):
        self._force, self._reader, self._readable = force, reader, set[Slot]()
        self._r, self._outputs = tree.slots.r, (on_bodies, on_mobilities)
        self._inputs = (*_all_variables(layout, layout.y), *self._outputs)

    @property
    def name(self) -> str:
        return self._force.about("calc_force")

    @property
    def inputs(self) -> tuple[Slot, ...]:
        """Time, q, u, z and all parameters, what else it reads is computed of these; and the sums so far."""
        return self._inputs

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return self._outputs

    @property
    def reached(self) -> Stage:
        """The stage up to which it may read."""
        return self._reader.stage

    def run_on(self, state: State, w: np.ndarray) -> None:
        if self._force.is_disabled(state):
            return
        on_bodies, on_mobilities = self._outputs
        body_forces, mobility_forces = np.zeros(on_bodies.shape), np.zeros(on_mobilities.shape)
        self._force.check_returned(_called(self._force.calc_force, state, self._reader, self._readable, body_forces, mobility_forces))
        # from the bodies' origins to those of their frames M; r is p_MB
        w[on_bodies.slice] += forces_about(-state.view(self._r), body_forces).ravel()
        w[on_mobilities.slice] += mobility_forces


@final
class UnrecordedSum(PythonProcedure):
    """Adds an energy or a power that a method gives to a total."""

    def __init__(self, force: PlainForce, method: Callable[[State], Scalar], reader: Reader, total: Slot, layout: Layout):
        self._force, self._method, self._reader, self._total, self._readable = force, method, reader, total, set[Slot]()
        self._inputs = (*_all_variables(layout, layout.q if reader.stage == Stage.POSITION else layout.y), total)

    @property
    def name(self) -> str:
        return self._force.about(self._method.__name__)

    @property
    def inputs(self) -> tuple[Slot, ...]:
        return self._inputs

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return (self._total,)

    @property
    def reached(self) -> Stage:
        """The stage up to which it may read."""
        return self._reader.stage

    def run_on(self, state: State, w: np.ndarray) -> None:
        if not self._force.is_disabled(state):
            w[self._total.offset] += float(_called(self._method, state, self._reader, self._readable))


def _called(method: Callable[..., object], state: State, reader: Reader, readable: set[Slot], *arrays: np.ndarray) -> Any:
    """What the method gives; an error in its code is reported with the element's name and the time."""
    try:
        return method(BoundedState(state, reader, readable), *arrays)
    except StageError:
        raise  # says all that
    except Exception as error:  # users' code may raise anything
        raise ElementError(f"{reader.about} failed at {state.time:.9g} s. {type(error).__name__}: {error}") from error


def _all_variables(layout: Layout, continuous: Slot) -> tuple[Slot, ...]:
    discrete = (slot for handle, slot in layout.slots.items() if isinstance(handle, DiscreteVariable))
    return (layout.time, continuous, *discrete)
