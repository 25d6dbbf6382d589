"""find_equilibrium: a State in which nothing accelerates, at rest or with given speeds."""

from collections.abc import Callable, Sequence

import numpy as np

from mobod.analysis.equilibrium_search import EquilibriumSearch
from mobod.analysis.named_numbers import named_numbers, sources, state_numbers
from mobod.analysis.tangent_space import (
    coordinates_and_speeds,
    error_offsets,
    free_coordinates,
    free_speeds,
    matter_of,
    tangent_space,
)
from mobod.arguments.real_numbers import real_number
from mobod.compilation.source.scales import error_scales, estimated_scales
from mobod.contact.fixed_steps_only import check_derivatives
from mobod.errors import EquilibriumError, InputError
from mobod.matter import UnilateralConstraint
from mobod.simulate.assembly.assembly import Assembler
from mobod.system import Stage, State, System
from mobod.system.boundary import check_state, checked_system
from mobod.system.named_numbers import NamedNumber

_MOST_CHANGES = 50  # of the set of active limits
_ROUGH = 1e-6  # position errors of a start, relative to their scales, from which constraints are satisfied first
_ROUND_OFF = 1e-10  # of velocity errors and distances, relative to their scales


def find_equilibrium(
    system: System,
    state: State | None = None,
    *,
    speeds: Sequence[str] = (),
    free: Sequence[str] | None = None,
    inputs: Sequence[str] = (),
    stable: bool = True,
    tolerance: float = 1e-8,
) -> State:
    """A State near a given one in which speeds and auxiliary variables have no rates, and all constraints hold.

    state      start of the search; default: the default State. It does not change
    speeds     names of speeds that keep their values, for a steady motion: 'shaft.u'. Their coordinates keep their values too. All other
               speeds are 0, or what the constraints require
    free       names of coordinates that may change: 'arm.q', 'table.q[2]'; default: all others
    inputs     names of inputs and real parameters that are found too: 'motor.force'. As many coordinates should be left out of `free`
    stable     True: follow a strongly damped motion from the start, which leads away from unstable equilibria. False, or with `inputs`:
               search the nearest equilibrium by least squares, stable or not
    tolerance  of rates, relative to the scale of a speed per time scale (`mobod info`)

    Each way is tried if the other one fails. The end of the search is SciPy's least_squares with exact derivatives. Rigid limits and
    contacts become active where coordinates would pass them, and are released where they would pull.
    Locks and motions hold, with their values at the time of the State.

    Raises EquilibriumError, which names what still accelerates most; UnknownNameError, InputError; UnsupportedError for a System that
    computes by Python hooks.
    """
    checked_system(system, "find_equilibrium", System)
    check_derivatives(system, "find_equilibrium")
    tolerance = real_number(tolerance, "find_equilibrium: the tolerance")
    if state is not None:
        check_state(state, system)
    at = system.realize_topology() if state is None else state.copy()
    layout = at.layout
    kept = _kept_speeds(system, at, speeds)
    u = np.zeros(layout.n_u)
    u[kept] = at.u[kept]
    at.u = u
    of_speeds = {i for q, speed in coordinates_and_speeds(system, at) if speed in kept for i in q}
    coordinates = [i for i in free_coordinates(system, at) if i not in of_speeds]
    if free is not None:
        chosen = named_numbers(system, at, free, "free")
        for entry in chosen:
            if entry.offset - layout.q.offset not in coordinates:
                raise InputError(f"free: '{entry.name}' is not a coordinate that may change, such as 'arm.q'.")
        coordinates = [entry.offset - layout.q.offset for entry in chosen]
    of_inputs = sources(system, at, inputs, "inputs")
    if any(entry.name == "time" for entry in of_inputs):
        raise InputError("inputs: find_equilibrium does not change the time.")

    if not of_inputs:
        _assemble(system, at, coordinates)
    active = _ActiveRows(system, at)
    named, first = state_numbers(system, at), layout.y.offset
    fixed = [named[layout.u.offset + i] for i in kept]
    fixed += [named[first + i] for i in free_coordinates(system, at) if i not in coordinates]
    for _ in range(_MOST_CHANGES):
        unknowns = [first + i for i in coordinates] + _dependent_speeds(system, at, fixed) + list(layout.z.offsets)
        search = EquilibriumSearch(system, at, unknowns, of_inputs, tolerance)
        start = at.snapshot()

        is_found = False
        for way in _ways(search, fixed, active, is_trim=bool(of_inputs), stable=stable):
            at.take(start)
            is_found = way()
            if is_found or active.any_passed():
                break
        if not active.changed() and is_found:
            system.realize(at, Stage.ACCELERATION)
            return at
        if not is_found and not active.was_changed:
            break
    raise EquilibriumError(
        f"no equilibrium of System '{system.name}' was found near the given State: {search.what_is_left()}. Start closer to one, give "
        "`inputs` that balance the forces, or check that something carries each body."
    )


def _ways(
    search: EquilibriumSearch, fixed: Sequence[NamedNumber], active: "_ActiveRows", *, is_trim: bool, stable: bool
) -> list[Callable[[], bool]]:
    """What to try, in order."""

    def settles() -> bool:
        return search.by_damped_motion(fixed, active.any_passed) and not active.any_passed() and search.by_least_squares()

    if is_trim:  # inputs do not move
        return [search.by_least_squares]
    return [settles, search.by_least_squares] if stable else [search.by_least_squares, settles]


def _kept_speeds(system: System, state: State, speeds: Sequence[str]) -> list[int]:
    """Indices in u."""
    u, kept = state.layout.u, []
    for entry in named_numbers(system, state, speeds, "speeds"):
        if not u.offset <= entry.offset < u.offset + u.size:
            raise InputError(f"speeds: '{entry.name}' is not a speed, such as 'shaft.u'.")
        kept.append(entry.offset - u.offset)
    return kept


def _assemble(system: System, state: State, coordinates: list[int]) -> None:
    """Move a rough start to the constraints by changes of these coordinates (indices in q)."""
    matter = matter_of(system)
    system.realize(state, Stage.POSITION)
    errors = error_offsets(system, state, "q")
    if matter is None or not (np.abs(state.values[errors]) > _ROUGH * error_scales(system, state, errors)).any():
        return
    assembler, tree, first = Assembler(system), matter.tree(state.layout), state.layout.q.offset
    for body in matter.bodies:
        for i, offset in enumerate(tree.q(body).offsets):
            if offset - first not in coordinates:
                assembler.lock_q(body, i)
    at_rest = state.copy()
    at_rest.u = np.zeros(len(state.u))  # speeds are found later
    q = np.array(assembler.assemble(at_rest).q)
    state.q = q


def _dependent_speeds(system: System, state: State, fixed: Sequence[NamedNumber]) -> list[int]:
    """Offsets of the speeds that constraints determine from the others, if these do not satisfy the constraints by themselves."""
    system.realize(state, Stage.VELOCITY)
    errors = error_offsets(system, state, "u")
    if not (np.abs(state.values[errors]) > _ROUND_OFF * error_scales(system, state, errors)).any():
        return []
    system.realize(state, Stage.ACCELERATION)
    u = state.layout.u
    independent = {entry.offset for entry in tangent_space(system, state, [], [each for each in fixed if each.offset >= u.offset]).states}
    return [u.offset + i for i in free_speeds(system, state) if u.offset + i not in independent]


class _ActiveRows:
    """Which rigid limits and contacts are active. Those that touch or are passed at the start are."""

    def __init__(self, system: System, state: State):
        matter = matter_of(system)
        self._system, self._state = system, state
        each = () if matter is None else matter.constraints
        self._constraints = [one for one in each if isinstance(one, UnilateralConstraint) and not one.is_disabled(state)]
        self.was_changed = False
        self._change(touching=True)

    def any_passed(self) -> bool:
        """Whether a distance of a row that is not active is negative."""
        self._system.realize(self._state, Stage.POSITION)
        return any(self._passed(each).any() for each in self._constraints)

    def changed(self) -> bool:
        """Activate rows that are passed; if there are none, release those that pull. Returns whether there were such rows."""
        self.was_changed = self._change()
        return self.was_changed

    def _passed(self, constraint: UnilateralConstraint, *, touching: bool = False) -> np.ndarray:
        is_rigid = ~np.isin(np.arange(constraint.n_contacts), list(constraint.compliant_rows))
        scales = estimated_scales(self._system).scales
        distances = constraint.distances(self._state) / [scales.of(unit) for unit in constraint.equations.position_units]
        beyond = distances <= _ROUND_OFF if touching else distances < -_ROUND_OFF
        return is_rigid & beyond & ~constraint.is_held(self._state)

    def _change(self, *, touching: bool = False) -> bool:
        state = self._state
        self._system.realize(state, Stage.POSITION)
        held = [(each, each.is_held(state), self._passed(each, touching=touching)) for each in self._constraints]
        to_hold = [(each, is_held | passed) for each, is_held, passed in held if passed.any()]
        if not to_hold and not touching and self._constraints:
            self._system.realize(state, Stage.ACCELERATION)
            for each in self._constraints:
                pulls = each.is_held(state) & (each.contact_forces(state) < -_ROUND_OFF)
                if pulls.any():
                    to_hold.append((each, each.is_held(state) & ~pulls))
        for constraint, is_held in to_hold:
            constraint.hold(state, is_held)
        return bool(to_hold)
