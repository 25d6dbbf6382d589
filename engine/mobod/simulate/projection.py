"""Projection of a State to its constraints by the C runtime: projection.c in fmu_src/native."""

import logging

import numpy as np

from mobod.compilation.model_source import Code, start_values
from mobod.errors import AssemblyError
from mobod.matter import MatterSubsystem, MultibodySystem
from mobod.simulate.failure import Failure, state_names
from mobod.simulate.native_model import native_model
from mobod.system import State, System

FAR = 0.01  # a start that moves by more, relative to 1 + |q|, causes a warning
_log = logging.getLogger("mobod")


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


def project_all(system: System, state: State, tolerance: float) -> Failure | None:
    """Change q, then u, as little as possible, until no position or velocity error exceeds the tolerance.

    returns  None, or the remaining error; q and u are then those of the last iteration
    """
    return _projected(system, state, tolerance) if has_constraints(system, state) else None


def project_speeds(system: System, state: State, tolerance: float) -> Failure | None:
    """Change only the matter's u; see project_all."""
    return _projected(system, state, tolerance, of_speeds_alone=True) if constrained_matter(system) is not None else None


def _projected(system: System, state: State, tolerance: float, *, of_speeds_alone: bool = False) -> Failure | None:
    code: Code = "compiled" if "compiled" in state.layout.native else "interpreted"
    with native_model(system, state, code).open(start_values(state), tolerance, state=state) as run:
        left = run.project(tolerance, of_speeds_alone=of_speeds_alone)
        y = run.values()[state.layout.y.slice]
    if not np.array_equal(y, state.y):
        state.move_to(state.time, y)
    if left.is_done:
        return None
    return Failure(constraint_names(system, state)[left.constraint], left.error, "velocity" if left.of_velocity else "position")


def is_far(q: np.ndarray, projected: np.ndarray) -> np.ndarray:
    """(...) whether the projection has changed the coordinates (..., nq) of starts much."""
    far: np.ndarray = _moved(q, projected).max(axis=-1, initial=0.0) > FAR
    return far


def _moved(q: np.ndarray, projected: np.ndarray) -> np.ndarray:
    moved: np.ndarray = np.abs(projected - q) / (1 + np.abs(q))
    return moved


def change_of_start(system: System, state: State, q: np.ndarray, projected: np.ndarray) -> str | None:
    """A message if the projection has changed coordinates of a start much; else None. state: of this structure."""
    if not is_far(q, projected):
        return None
    name = state_names(system, state)[worst := int(np.argmax(_moved(q, projected)))]
    return f"the start did not satisfy the constraints and was changed: '{name}' from {q[worst]:.6g} to {projected[worst]:.6g}."


def project_start(system: System, state: State, tolerance: float) -> None:
    """Project a start that nearly satisfies the constraints. The change is logged, as a warning if it is large.

    Raises AssemblyError if no State near the start satisfies the constraints. Use an Assembler for a rough start.
    """
    q = np.array(state.q)
    failure = project_all(system, state, tolerance)
    change = None if failure is not None else change_of_start(system, state, q, np.array(state.q))
    if change is not None:
        _log.warning("System '%s': %s Use an Assembler for more control.", system.name, change)
    if failure is not None:
        raise AssemblyError(
            f"the constraints of System '{system.name}' cannot be satisfied near the start at {state.time:g} s: the {failure.level} error "
            "of "
            f"'{failure.constraint}' is {failure.error:.3g} at the end of the search, and {tolerance:.3g} is allowed. "
            "Give a start that nearly satisfies the constraints; Assembler(system).assemble(state) finds one from a rough start."
            + _held(system, state)
        )


def _held(system: System, state: State) -> str:
    """A sentence that names the mobilizers with known motions, which constraints cannot change; empty if there are none."""
    matter = constrained_matter(system)
    bodies = () if matter is None else matter.bodies
    held = [f"'{each.name}' is locked" for each in bodies if each.is_locked(state)]
    held += [f"'{each.name}' has a motion" for each in bodies if each.motion is not None and not each.motion.is_disabled(state)]
    return f" What does not give way: {', '.join(held)}." if held else ""
