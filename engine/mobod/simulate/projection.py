"""Projection of a State to its constraints by the C runtime: projection.c in fmu_src/native."""

# Decision: docs/decisions/044-projection.md

import numpy as np

from mobod.compilation.native.native_run import open_native
from mobod.compilation.source.scales import y_scales
from mobod.errors import AssemblyError
from mobod.matter import MatterSubsystem, MultibodySystem
from mobod.runtime.library import constant, doubles, ints, runtime
from mobod.simulate.failure import Failure, entry_names_and_units
from mobod.simulate.native_model import present_model
from mobod.system import Layout, Stage, State, System
from mobod.system.scales import Scales


def constrained_matter(system: System) -> MatterSubsystem | None:
    """The MatterSubsystem, if it has constraints; otherwise None."""
    matter = system.matter if isinstance(system, MultibodySystem) and system.has_matter else None
    return matter if matter is not None and matter.constraints else None


def constraint_names(system: System, state: State) -> list[str]:
    """Names by the numbers that C uses: first blocks of rows, then subsystems' own errors."""
    matter = constrained_matter(system)
    names = [block.name for block in matter.constraint_sweeps(state.layout).table.blocks] if matter is not None else []
    return names + [each.name for each in state.layout.errors]


def has_constraints(system: System, state: State) -> bool:
    """Whether there are constraints of the matter or constraint errors of subsystems."""
    return constrained_matter(system) is not None or bool(state.layout.errors)


def project_all(system: System, state: State, tolerance: float, scales: Scales | None = None) -> Failure | None:
    """Change q, then u, as little as possible, until no position or velocity error exceeds the tolerance. All is relative to the scales.

    scales   default: the System's estimates
    returns  None, or the remaining error; q and u are then those of the last iteration
    """
    return _projected(system, state, tolerance, scales) if has_constraints(system, state) else None


def project_speeds(system: System, state: State, tolerance: float) -> Failure | None:
    """Change only the matter's u; see project_all."""
    return _projected(system, state, tolerance, None, of_speeds_alone=True) if constrained_matter(system) is not None else None


def _projected(system: System, state: State, tolerance: float, scales: Scales | None, *, of_speeds_alone: bool = False) -> Failure | None:
    model = present_model(system, state, scales)
    with open_native(model, state, tolerance, state=state if model.calls_python else None) as run:
        left = run.project(tolerance, of_speeds_alone=of_speeds_alone)
        y = np.array(run.present[state.layout.y.slice])
        run.use_again()
    if not np.array_equal(y, state.y):
        state.move_to(state.time, y)
    if left.is_done:
        return None
    return Failure(constraint_names(system, state)[left.constraint], left.error, "velocity" if left.of_velocity else "position")


def largest_changes(given: np.ndarray, now: np.ndarray, scales: np.ndarray, least: float, *, of_speeds: bool) -> np.ndarray:
    """(m,) for each row of (m, n) the number of the entry that has changed most, -1 if none has by more than `least`. start_changes.h in
    fmu_src/native says what counts. scales: (n,)
    """
    largest = np.empty(len(given), dtype=np.intc)
    arrays = (np.ascontiguousarray(each, dtype=float) for each in (given, now, scales))
    runtime().mobod_largest_changes(*given.shape, *map(doubles, arrays), least, of_speeds, ints(largest))
    return largest


def are_changed(layout: Layout, given: np.ndarray, projected: np.ndarray, scales: np.ndarray, tolerance: float) -> np.ndarray:
    """(m,) whether a projection has changed y (m, ny) of starts by more than the tolerance explains. scales: (ny,)"""
    least = constant("LEAST_CHANGE") * tolerance
    of_each = [
        largest_changes(given[:, part], projected[:, part], scales[part], least, of_speeds=of_speeds) for part, of_speeds in _parts(layout)
    ]
    is_changed: np.ndarray = np.maximum(*of_each) >= 0
    return is_changed


def changes_of_start(
    system: System,
    state: State,
    given: np.ndarray,
    tolerance: float,
    what: str = "the start",
    *,
    scales: Scales | None = None,
) -> list[str]:
    """Messages on the coordinate and the speed of a start that a projection has changed most since it was given, y (ny,). Speeds that were
    0 are not named. what: was changed
    """
    what = f"{what} at {state.time:g} s did not satisfy the constraints"
    return [
        f"{change} Assembler(system).assemble(state, keep=['{name}']) finds a start that has this value."
        for name, change in _changes(system, state, given, constant("LEAST_CHANGE") * tolerance, what, scales)
    ]


def changes_by_limits(system: System, state: State, q: np.ndarray) -> list[str]:
    """A message if coordinates (nq,) that were outside of their limits have changed much; else none."""
    given = np.concatenate([q, state.y[q.size :]])  # speeds are those of impacts at the start
    what = f"the start at {state.time:g} s was outside of its limits"
    return [change for _, change in _changes(system, state, given, 1 / constant("LARGE_CHANGE"), what)]


def _changes(
    system: System, state: State, given: np.ndarray, least: float, what: str, scales: Scales | None = None
) -> list[tuple[str, str]]:
    """The names of the coordinate and the speed that have changed most, each with a sentence."""
    if (given == state.y).all():
        return []
    found, names, projected = [], entry_names_and_units(system, state), np.array(state.y)
    of_y = y_scales(system, state, scales)
    for part, of_speeds in _parts(state.layout):
        worst = int(largest_changes(given[None, part], projected[None, part], of_y[part], least, of_speeds=of_speeds)[0])
        if worst >= 0:
            name, unit = names[part.start + worst]
            before, after = given[part][worst], projected[part][worst]
            change = f"from {before:.6g} to {after:.6g}{'' if unit == '1' else f' {unit}'}"
            found.append((name, f"{what}, and was changed: '{name}' {change}."))
    return found


def _parts(layout: Layout) -> tuple[tuple[slice, bool], tuple[slice, bool]]:
    """The coordinates and the speeds in y, and whether they are speeds."""
    n_q, n_u = layout.n_q, layout.n_u
    return (slice(0, n_q), False), (slice(n_q, n_q + n_u), True)


def project_start(system: System, state: State, tolerance: float, scales: Scales | None = None) -> np.ndarray:
    """Project a start that nearly satisfies the constraints. Returns y (ny,) before that, with what motions and locks determine.

    Raises AssemblyError if no State near the start satisfies the constraints. Use an Assembler for a rough start.
    """
    system.realize(state, Stage.VELOCITY)  # motions and locks set their coordinates and speeds
    given = np.array(state.y)
    failure = project_all(system, state, tolerance, scales)
    if failure is not None:
        raise AssemblyError(
            f"the constraints of System '{system.name}' cannot be satisfied near the start at {state.time:g} s: the {failure.level} error "
            "of "
            f"'{failure.constraint}' is {failure.error:.3g} at the end of the search, and {tolerance:.3g} is allowed. "
            "Give a start that nearly satisfies the constraints; Assembler(system).assemble(state) finds one from a rough start."
            + _held(system, state)
        )
    return given


def _held(system: System, state: State) -> str:
    """A sentence that names the mobilizers with known motions, which constraints cannot change; empty if there are none."""
    matter = constrained_matter(system)
    bodies = () if matter is None else matter.bodies
    held = [f"'{each.name}' is locked" for each in bodies if each.is_locked(state)]
    held += [f"'{each.name}' has a motion" for each in bodies if each.motion is not None and not each.motion.is_disabled(state)]
    return f" These coordinates are prescribed: {', '.join(held)}." if held else ""
