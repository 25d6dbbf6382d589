"""Assembler: finds coordinates at which constraints hold, from a rough start, and as close to observations as the constraints allow."""

# Decision: docs/decisions/046-run-projects.md

import logging
import warnings
from collections.abc import Iterable, Sequence
from math import inf
from typing import TypeVar

import numpy as np

from mobod.arguments.real_numbers import real_number
from mobod.compilation.source.scales import estimated_scales
from mobod.errors import AssemblyError, InputError, MobodWarning
from mobod.matter import Constraint, MatterSubsystem, MobilizedBody, MultibodySystem
from mobod.matter.bodies.constrained_bodies import checked_index
from mobod.matter.equations.motion_equations import LEVELS
from mobod.simulate.assembly.conditions import AssemblyCondition, QValue
from mobod.simulate.assembly.problem import AssemblyProblem
from mobod.simulate.assembly.search import Search
from mobod.simulate.assembly.speeds import satisfy_velocities
from mobod.simulate.kept_values import KeptValues, kept_values
from mobod.simulate.limits import release_contacts
from mobod.simulate.projection import changes_of_start, project_speeds
from mobod.spatial.checked import checked_floats
from mobod.system import Stage, State, System
from mobod.system.boundary import check_state, checked_system
from mobod.system.named_arguments import NamedArguments
from mobod.system.scales import Scales

# largest random changes of coordinates before a failed search is repeated; small ones help where all rows are singular at the start
RESTARTS = (1e-3, 1e-2, 0.1, 0.1, 0.3, 0.3, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0)
SADDLE = 1e-2  # change of coordinates with which a saddle point of the goals is detected
LOWER = 1e-6  # relative; a smaller decrease of the goals does not count

Condition = TypeVar("Condition", bound=AssemblyCondition)
_log = logging.getLogger("mobod")


class Assembler(NamedArguments):
    """Finds coordinates at which all enabled constraints hold, then speeds that satisfy the velocity constraints.

        assembler = mb.Assembler(system)
        assembler.add(mb.QValue(lower, 0, 0.4))
        state = assembler.assemble(state)

    accuracy   of coordinates determined by conditions, relative to their scale and |q|
    tolerance  largest position or velocity error, relative to the scale of its unit (`mobod info`), times the weight of its constraint;
               default: accuracy / 10
    seed       seed of the random changes of coordinates with which a failed search is repeated

    The conditions (Marker, OrientationSensor, QValue) are goals: the Assembler minimizes the sum of weight * |error|^2 under the
    constraints. It finds a local minimum near the start. Without conditions the change of coordinates is small, but not minimal.
    Coordinates that locks and motions of the State determine do not change. Rigid limits are bounds. The Assembler has locks and bounds
    of its own in addition.

    `assemble(state, keep=["crank.u", "piston.q"])` holds coordinates and speeds at their values in the State, and changes the others least:
    coordinates in sum of squares relative to their scales, speeds in the kinetic energy of their change. Without `keep` the change of
    speeds is of least sum of squares; a MobodWarning names a speed that was given and has changed.

    iterations  of the last search
    """

    def __init__(self, system: System, accuracy: float = 1e-6, *, tolerance: float | None = None, seed: int = 0):
        checked_system(system, "Assembler", System)
        accuracy = real_number(accuracy, "Assembler: the accuracy")
        tolerance = None if tolerance is None else real_number(tolerance, "Assembler: the tolerance")
        if not isinstance(system, MultibodySystem) or not system.has_matter:
            raise InputError(f"Assembler: System '{system.name}' has no bodies to assemble.")
        if not 1e-14 <= accuracy <= 0.1:
            raise InputError(f"Assembler: the accuracy must be between 1e-14 and 0.1, not {accuracy!r}.")
        if tolerance is not None and not tolerance > 0:
            raise InputError(f"Assembler: the tolerance must be positive, not {tolerance!r}.")
        self.system = system
        self.matter: MatterSubsystem = system.matter
        self.accuracy = accuracy
        self.tolerance = accuracy / 10 if tolerance is None else tolerance
        self.seed = seed
        self.iterations = 0
        self._conditions: list[AssemblyCondition] = []
        self._locked: set[tuple[MobilizedBody, int]] = set()
        self._bounds: dict[tuple[MobilizedBody, int], tuple[float, float]] = {}
        self._weights: dict[Constraint, float] = {}

    def _summary(self) -> str:
        return f"of System '{self.system.name}' with {len(self._conditions)} conditions"

    # conditions, locks, bounds and weights
    def add(self, condition: Condition) -> Condition:
        """Add a condition, a goal for the coordinates, and return it."""
        if not isinstance(condition, AssemblyCondition):
            raise InputError(f"Assembler.add takes a Marker, an OrientationSensor or a QValue, not {type(condition).__name__}.")
        self.matter.attachable(condition.body, type(condition).__name__)
        self._conditions.append(condition)
        return condition

    @property
    def conditions(self) -> list[AssemblyCondition]:
        """All conditions in the order of addition."""
        return list(self._conditions)

    def lock_q(self, body: MobilizedBody, coordinate: int | None = None) -> None:
        """Keep a coordinate, or all coordinates of a mobilizer, at its value in the State. A quaternion is locked as a whole."""
        self._locked.update(self._of(body, coordinate, "lock_q"))

    def unlock_q(self, body: MobilizedBody, coordinate: int | None = None) -> None:
        """Undo lock_q for a coordinate, or for all coordinates of a mobilizer."""
        self._locked.difference_update(self._of(body, coordinate, "unlock_q"))

    def restrict_q(self, body: MobilizedBody, coordinate: int, low: float = -inf, high: float = inf) -> None:
        """Set bounds of a coordinate, in its unit. Raises InputError in `assemble` for an entry of a quaternion."""
        ((_, index),) = self._of(body, coordinate, "restrict_q")
        low, high = (real_number(bound, f"Assembler: a bound of '{body.name}.q[{index}]'") for bound in (low, high))
        if np.isnan([low, high]).any() or not low < high:
            raise InputError(f"Assembler: the bounds of '{body.name}.q[{index}]' are {low:g} and {high:g}. The first must be smaller.")
        self._bounds[body, index] = low, high

    def unrestrict_q(self, body: MobilizedBody, coordinate: int) -> None:
        """Remove the bounds of a coordinate."""
        for key in self._of(body, coordinate, "unrestrict_q"):
            self._bounds.pop(key, None)

    def set_weight(self, constraint: Constraint, weight: float) -> None:
        """Set the factor by which a constraint's position errors are multiplied before they are compared with the tolerance; default 1."""
        if constraint not in self.matter.constraints:
            raise InputError(f"Assembler: weights apply to constraints of System '{self.system.name}', not to {constraint!r}.")
        checked = float(checked_floats(weight, (), f"Assembler: the weight of '{constraint.name}'"))
        if not checked > 0:
            raise InputError(
                f"Assembler: the weight of '{constraint.name}' is {checked:g}. It must be positive. To ignore the constraint, disable it."
            )
        self._weights[constraint] = checked

    # search
    def assemble(self, state: State, *, keep: Iterable[str] = ()) -> State:
        """Find a State near the given one, realized to VELOCITY. The given State does not change.

        keep  names of coordinates and speeds that keep their values exactly: 'crank.u', 'free.q[2]'. A quaternion is kept as a whole

        A failed search is repeated from coordinates with random changes, which start small and grow. If the start satisfies all
        constraints, it is replaced only by a better solution.

        Raises AssemblyError, which names the constraint with the largest error and what was kept, if all searches fail.
        """
        state, problem, search, q, kept = self._begin(state, keep)
        rng, attempts = np.random.default_rng(self.seed), 1
        best = search.satisfy(q)
        for most in RESTARTS:
            if search.satisfies(best):
                break
            found, attempts = search.satisfy(search.perturbed(q, most, rng)), attempts + 1
            best = min(best, found, key=lambda each: np.nan_to_num(search.largest_error(each), nan=inf))
        self._check(problem, search, best, attempts, kept)
        best = search.improve(best)
        if problem.conditions and search.free.any() and np.linalg.norm(problem.goals(best)) > self.accuracy:
            beside = search.satisfy(search.perturbed(best, SADDLE, rng))
            if search.satisfies(beside):
                beside = search.improve(beside)
                if np.linalg.norm(problem.goals(beside)) < (1 - LOWER) * np.linalg.norm(problem.goals(best)):
                    best = beside
        return self._end(problem, search, best, kept)

    def track(self, state: State, *, keep: Iterable[str] = ()) -> State:
        """Like assemble, but with a single search. Use it for a State close to the solution, such as the last one in a sequence of
        observations.
        """
        state, problem, search, q, kept = self._begin(state, keep)
        found = search.satisfy(q)
        self._check(problem, search, found, 1, kept)
        return self._end(problem, search, search.improve(found), kept)

    def error(self, state: State) -> float:
        """The largest position error in its unit times its weight, at any State of the System. Realizes the State to POSITION."""
        self.system.realize(state, Stage.POSITION)
        problem = self._problem(state)
        in_units = problem.errors(problem.q) * [self._scales.of(unit) for _, unit, _ in problem.rows]
        return float(np.abs(in_units).max(initial=0.0))

    def goal(self, state: State) -> float:
        """The sum of weight * |error|^2 of the conditions, at any State of the System. Realizes the State to POSITION."""
        self.system.realize(state, Stage.POSITION)
        problem = self._problem(state)
        return float(np.sum(problem.goals(problem.q) ** 2))

    # internal
    @property
    def _scales(self) -> Scales:
        return estimated_scales(self.system).scales

    def _scales_of_q(self, state: State) -> np.ndarray:
        scales = np.ones(self.matter.tree(state.layout).all_q.size)
        for body in self.matter.bodies:
            units = self.matter.tree(state.layout).equations(body).q_units
            body.my_part_q(state, scales)[:] = [self._scales.of(unit) for unit in units]
        return scales

    def _problem(self, state: State, more: Sequence[AssemblyCondition] = ()) -> AssemblyProblem:
        return AssemblyProblem(self.matter, state, [*self._conditions, *more], self._weights, self._scales)

    def _begin(self, state: State, keep: Iterable[str]) -> tuple[State, AssemblyProblem, Search, np.ndarray, KeptValues]:
        check_state(state, self.system)
        state = state.copy()
        kept = kept_values(self.matter, state, keep)
        self.system.realize(state, Stage.VELOCITY)  # motions and locks set their coordinates and speeds
        kept.check_not_prescribed(state, self.tolerance, self._scales)
        free = self._free(state) & ~kept.q
        has_goals = any(each.is_active and each.weight for each in self._conditions)
        problem = self._problem(state, self._present_values(state, free) if kept and not has_goals else ())
        q = problem.normalized(problem.q)
        low, high = np.full(q.size, -inf), np.full(q.size, inf)
        release_contacts(self.system, state)  # limits are bounds, not equations
        for (body, index), bounds in self._bounds_in(state).items():
            self._checked_coordinate(state, body, index)
            body.my_part_q(state, low)[index], body.my_part_q(state, high)[index] = bounds
            value = float(body.my_part_q(state, q)[index])
            if not body.my_part_q(state, free)[index] and not bounds[0] <= value <= bounds[1]:
                raise InputError(
                    f"Assembler: '{body.name}.q[{index}]' is locked or prescribed at {value:g} {self._unit(state, body, index)}, "
                    f"outside its bounds {bounds[0]:g} and {bounds[1]:g}."
                )
        q[free] = np.clip(q[free], low[free], high[free])
        return state, problem, Search(problem, free, low, high, self._scales_of_q(state), self.tolerance, self.accuracy), q, kept

    def _present_values(self, state: State, free: np.ndarray) -> list[AssemblyCondition]:
        """The present values of the free coordinates as goals."""
        return [
            QValue(body, index, float(body.q(state)[index]), weight=self._scales.of(self._unit(state, body, index)) ** -2)
            for body in self.matter.bodies
            for index, is_free in enumerate(body.my_part_q(state, free))
            if is_free
        ]

    def _bounds_in(self, state: State) -> dict[tuple[MobilizedBody, int], tuple[float, float]]:
        """The Assembler's own bounds combined with the rigid limits of coordinates; the narrower ones count."""
        found = dict(self._bounds)
        for body in self.matter.bodies:
            for index, limits in body.limits.items():
                if not (limits.is_disabled(state) or limits.compliant_rows):
                    (low, high), (lower, upper) = found.get((body, index), (-inf, inf)), limits.bounds(state)
                    found[body, index] = max(low, lower), min(high, upper)
        return found

    def _free(self, state: State) -> np.ndarray:
        """(nq,) whether a coordinate may change."""
        tree = self.matter.tree(state.layout)
        free = np.ones(tree.all_q.size, dtype=bool)
        for body in tree.prescription.bodies:
            if state.view(tree.prescription.level(body)) >= LEVELS["position"]:
                free[tree.q_entries(body)] = False
        for body, index in self._locked:
            self._checked_coordinate(state, body, index)
            at = tree.equations(body).quaternion_at
            is_quaternion = at is not None and at <= index < at + 4
            body.my_part_q(state, free)[slice(at, at + 4) if at is not None and is_quaternion else index] = False
        return free

    def _checked_coordinate(self, state: State, body: MobilizedBody, index: int) -> None:
        checked_index(index, body.q(state).size, body, "Assembler", "coordinates")
        at = self.matter.tree(state.layout).equations(body).quaternion_at
        if (body, index) in self._bounds and at is not None and at <= index < at + 4:
            raise InputError(
                f"Assembler: '{body.name}.q[{index}]' is an entry of a quaternion, which cannot have bounds. "
                "Use a mobilizer with angles, or matter.convert_to_euler_angles(state)."
            )

    def _unit(self, state: State, body: MobilizedBody, index: int) -> str:
        return self.matter.tree(state.layout).equations(body).q_units[index]

    def _of(self, body: MobilizedBody, coordinate: int | None, what: str) -> list[tuple[MobilizedBody, int]]:
        if not isinstance(body, MobilizedBody):
            raise InputError(f"Assembler.{what} takes a mobilized body, not {type(body).__name__}.")
        self.matter.checked(body, f"Assembler.{what}")
        indices = range(body.nq) if coordinate is None else [checked_index(coordinate, body.nq, body, f"Assembler.{what}", "coordinates")]
        return [(body, index) for index in indices]

    def _check(self, problem: AssemblyProblem, search: Search, q: np.ndarray, attempts: int, kept: KeptValues) -> None:
        self.iterations = search.iterations
        if search.satisfies(q):
            return
        errors = problem.errors(q)
        worst = int(np.argmax(np.where(np.isnan(errors), inf, np.abs(errors))))
        name, unit, weight = problem.rows[worst]
        bounds_in = self._bounds_in(problem.state).items()
        at_bounds = [f"'{body.name}.q[{i}]'" for (body, i), bounds in bounds_in if body.my_part_q(problem.state, q)[i] in bounds]
        raise AssemblyError(
            f"System '{self.system.name}' cannot be assembled at {problem.state.time:g} s: the position error of '{name}' is "
            f"{errors[worst] / weight:.3g} {unit} in the best result, and {self.tolerance / weight:.3g} {unit} is allowed. "
            f"{search.iterations} steps were tried from {attempts} start{'' if attempts == 1 else 's'}; {int((~search.free).sum())} of "
            f"{q.size} coordinates were held by locks{', motions and keep' if kept else ' and motions'}"
            + (f", with {kept.text} kept" if kept else "")
            + (f", and {', '.join(at_bounds)} are at a bound" if at_bounds else "")
            + ". Check the lengths and positions that close the loop"
            + (", or use assemble, which also tries other starts." if attempts == 1 else ", or start closer to the solution.")
        )

    def _end(self, problem: AssemblyProblem, search: Search, q: np.ndarray, kept: KeptValues) -> State:
        """The State at q, with speeds that satisfy the constraints. Raises AssemblyError if there are none."""
        self.iterations, state = search.iterations, problem.state
        problem.move_to(q)
        self.system.realize(state, Stage.VELOCITY)
        given = np.array(state.y)
        if kept:
            failure = satisfy_velocities(self.matter, state, self._free_speeds(state) & ~kept.u, self.tolerance, self._scales)
        else:
            failure = project_speeds(self.system, state, self.tolerance)
        if failure is not None:
            unit = f" {failure.unit}" if failure.unit else ""
            allowed = self.tolerance * self._scales.of(failure.unit or "1")
            raise AssemblyError(
                f"System '{self.system.name}' is assembled at {state.time:g} s, but no speeds satisfy its constraints"
                f"{f' with {kept.text} kept' if kept else ''}: the velocity error of '{failure.constraint}' is {failure.error:.3g}{unit}, "
                f"and {allowed:.3g}{unit} is allowed. Check for {'kept values, ' if kept else ''}motions, locks and constraints "
                "that contradict each other."
            )
        self.system.realize(state, Stage.VELOCITY)
        if not kept.u.any():
            for message in changes_of_start(self.system, state, given, self.tolerance):
                warnings.warn(f"Assembler of System '{self.system.name}': {message}", MobodWarning, stacklevel=3)
        _log.info("System '%s' was assembled in %d iterations", self.system.name, search.iterations)
        return state

    def _free_speeds(self, state: State) -> np.ndarray:
        """(nu,) whether a speed may change."""
        tree = self.matter.tree(state.layout)
        free = np.ones(tree.all_u.size, dtype=bool)
        for body in tree.prescription.bodies:
            if state.view(tree.prescription.level(body)) >= LEVELS["velocity"]:
                slot = tree.u(body)
                free[slot.offset - tree.all_u.offset :][: slot.size] = False
        return free
