"""Steps of bounded work, for hard real time: what supports them, what they leave, and their largest work."""

# Decision: docs/decisions/209-bounded.md

from dataclasses import astuple, dataclass, fields
from typing import Final, final

import numpy as np

from mobod.compilation.calls.operation_counts import StepOperations
from mobod.errors import InputError, UnsupportedError
from mobod.matter import MultibodySystem
from mobod.runtime.integrators import FIXED_STEP_METHODS, method_of
from mobod.runtime.library import enumerators
from mobod.simulate.delays import delay_rows
from mobod.simulate.rows_of_events import has_contacts, has_dry_friction
from mobod.simulate.velocity_level.fixed_steps import INTEGRATOR as VELOCITY_LEVEL
from mobod.system import Layout, State, System

BOUNDED: Final = (*FIXED_STEP_METHODS, VELOCITY_LEVEL)
"""The integrators whose steps may have bounded work."""

_MOST = enumerators("LargestCount")  # of bounded_steps.h
_SOLUTIONS_FOR_ENERGY = 12  # of one problem: with all restitutions, without, and ten of the bisection between them (impact.c)
_STEPS_OF_A_ROW = 4  # of the active set (active_set.c)
_NEWTON_STEPS = 2 * 6 + 8 * 20  # of one problem with friction (friction_search.c)


@final
@dataclass(frozen=True)
class Leftovers:
    """The work that bounded steps have left to the next step.

    overrun  how often, since the start
    late     s, how late the latest event of the last step was processed
    length, angle, speed, angular_speed
             m, rad, m/s, rad/s: the largest errors of constraints that the last step has left; 0: none
    impulse  the residual of the laws of impulses and friction that it has left, relative
    """

    overrun: int
    late: float
    length: float
    angle: float
    speed: float
    angular_speed: float
    impulse: float

    @classmethod
    def of(cls, numbers: np.ndarray) -> "Leftovers":
        return cls(int(numbers[0]), *map(float, numbers[1:]))


N_LEFTOVERS: Final = len(fields(Leftovers))


def checked_bounded(caller: str, bounded: object, integrator: str) -> bool:
    """The argument `bounded`. Raises InputError for an integrator whose work has no bound."""
    if not isinstance(bounded, bool):
        raise InputError(f"{caller}: bounded must be True or False, not {bounded!r}.")
    if bounded and integrator not in BOUNDED:
        there_are = ", ".join(f"'{name}'" for name in BOUNDED)
        raise InputError(
            f"{caller}: integrator='{integrator}' takes as many steps as its accuracy needs, so that bounded=True is not possible. "
            f"Use one of {there_are}, with its step."
        )
    return bounded


def check_bounded_system(caller: str, system: System, state: State) -> None:
    """Raises UnsupportedError if a part of the System iterates without a small bound."""
    for row in delay_rows(system, state):
        raise UnsupportedError(
            f"{caller}: bounded=True does not support delays, whose jumps divide steps: '{row.variable.name}'. Remove bounded=True."
        )
    if isinstance(system, MultibodySystem) and "rows" in state.layout.c_tables:
        names = [system.matter.ground.name, *(body.name for body in system.matter.bodies)]
        for load in system.matter.constraint_sweeps(state.layout).table.loads:
            raise UnsupportedError(
                f"{caller}: bounded=True does not support friction that depends on the load of its joint, which is iterated in each "
                f"evaluation: joint '{names[load.body]}'. Use limits of friction that are constant, or remove bounded=True."
            )


@final
@dataclass(frozen=True)
class LargestWork:
    """The largest work of a step, from the tables of the model.

    parts        trial steps within it
    evaluations  of the rates, or of less, each counted as a whole one
    solutions    of problems of rows, each with at most n_rows rows in n_speeds dimensions
    operations   arithmetic operations of the evaluations, and of the solutions of dense rows, together
    """

    parts: int
    evaluations: int
    solutions: int
    n_rows: int
    n_speeds: int
    operations: int

    @property
    def text(self) -> str:
        """In a sentence."""
        rows = f" and {self.solutions} solutions for up to {self.n_rows} rows in {self.n_speeds} speeds" if self.n_rows else ""
        return f"A step takes at most {self.operations:.3g} operations: {self.parts} parts with {self.evaluations} evaluations{rows}"


def largest_work(
    system: System, layout: Layout, operations: StepOperations, integrator: str, *, position_iterations: int = 1
) -> LargestWork:
    """The largest work of a step. It is far above that of most steps, which have no event and no row that changes."""
    n_rows = n_speeds = 0
    if isinstance(system, MultibodySystem) and "rows" in layout.c_tables:
        table = system.matter.constraint_sweeps(layout).table
        n_rows, n_speeds = table.n_rows, len(layout.u.offsets)
    n_contacts, n_frictions = int(has_contacts(system, layout)), int(has_dry_friction(system, layout))
    n_witnesses = len(system.events.table(layout).rows) if system.has_events else 0
    newton = _NEWTON_STEPS if n_frictions else 0
    if integrator == VELOCITY_LEVEL:
        parts = 1
        displacements = _MOST["MOST_DISPLACEMENTS"] * position_iterations
        evaluations = 6 + position_iterations + displacements
        solutions = (_MOST["MOST_CHOICES"] * 2 + _MOST["MOST_BOUNDED_ROUNDS"]) * _SOLUTIONS_FOR_ENERGY + displacements + 1
        solutions = solutions if n_rows else 0
    else:
        method, has_events = method_of(integrator), n_witnesses > 0
        parts = _MOST["MOST_PARTS"] if has_events else 1
        projections = 2 * _MOST["MOST_CORRECTIONS"] * bool(n_rows)
        searched = _MOST["MOST_SAMPLES"] + 2 * (method.degree + 1) if has_events else 0
        of_events = 2 + 5 * projections + 8 * _MOST["MOST_BOUNDED_DECISIONS"] * n_contacts if has_events else 0
        evaluations = parts * (method.last + 2 + projections + searched + of_events)
        impacts = _MOST["MOST_BOUNDED_ROUNDS"] * _SOLUTIONS_FOR_ENERGY * n_contacts
        solutions = parts * (projections + 5 * projections * has_events + impacts + 4 * _MOST["MOST_BOUNDED_DECISIONS"] * n_frictions)
    of_rows = _STEPS_OF_A_ROW * (n_rows + 2) * (8 * n_speeds**2 + 6 * n_rows * n_speeds) + newton * (n_rows**3 + 6 * n_rows**2)
    total = sum(astuple(operations.evaluation)) * evaluations + solutions * of_rows
    return LargestWork(parts, evaluations, solutions, n_rows, n_speeds, total)
